"""A manager that is killed reports each match once: in small, what the tool measures at length."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attack.manager_kills import Attack, KilledManager, events_of, run


def test_events_have_as_many_matches_as_asked_for() -> None:
    names = [f"stub{number}" for number in range(50)]
    kinds = [(event["format"], event["rounds"]) for event in events_of(names, 10_000)]
    assert kinds == [("round_robin", 4), ("swiss", 4)]


@pytest.mark.thorough
def test_each_match_is_reported_once_by_postgresql(postgresql: str, tmp_path: Path) -> None:
    report = run(Attack(matches=8, players=4, kills=1), KilledManager(tmp_path, postgresql))
    assert report.problems == []
    assert (report.matches, report.kills, report.errors.total()) == (8, 1, 0)


@pytest.mark.thorough
def test_each_match_is_reported_once(tmp_path: Path) -> None:
    report = run(Attack(matches=24, players=4, kills=2), KilledManager(tmp_path))
    assert report.problems == []
    assert (report.matches, report.kills, report.errors.total()) == (24, 2, 0)
    assert report.attempts >= 24
