"""An entry of the ledger is there before the duel, and says so when it was broken off."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ggp_player.errors import LabError
from ggp_player.lab.balance import LabGame
from ggp_player.lab.duel import Duel, DuelOutcome, run_duel
from ggp_player.lab.ledger import begin_entry, complete_entry, fail_entry, ledger_page, read_ledger
from ggp_player.lab.match import MoveLimit
from tests.support.lab_games import openings, playing
from tests.support.paths import ROOT

OWN = ROOT / "benchmarks" / "strength"
"""The ledger of the project, which a source distribution does not have."""

DUEL = Duel(("a|b", "c"), (LabGame("hex", ""), LabGame("nim", "")), MoveLimit(nodes=10), pairs=50)


def at(day: int):
    return lambda: 1_700_000_000_000 + 86_400_000 * day


def won() -> DuelOutcome:
    play = playing(lambda task: (1, 0.5))
    return run_duel(DUEL, play, openings=[openings(50), openings(50)])


def rows_of(page: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith("| [")]


def test_an_entry_is_there_before_the_first_match(tmp_path: Path) -> None:
    path = tmp_path / "first.json"
    entry = begin_entry(path, "a gains", DUEL, at(0))
    found = json.loads(path.read_text())
    assert found["status"] == "begun"
    assert found["outcome"] is None
    assert found["budget"] == "at most 50 pairs in each of 2 games, 10 nodes a move"
    assert found["settings"]["games"] == ["hex", "nim"]
    assert found["began"] == "2023-11-14T22:13:20+00:00"
    assert re.search(r", strategies [0-9a-f]{8}$", found["version"])
    assert "rules" not in path.read_text()
    completed = complete_entry(path, entry, won(), at(1))
    assert read_ledger(tmp_path) == [("first", completed)]
    assert completed.status == "finished"
    assert completed.hypothesis == "a gains"


def test_no_experiment_replaces_another(tmp_path: Path) -> None:
    path = tmp_path / "first.json"
    begin_entry(path, "a gains", DUEL, at(0))
    with pytest.raises(LabError, match=r"first\.json exists"):
        begin_entry(path, "something else", DUEL, at(1))


def test_the_page_has_the_newest_first_and_all_that_failed(tmp_path: Path) -> None:
    begin_entry(tmp_path / "broken.json", "a gains", DUEL, at(2))
    first = begin_entry(tmp_path / "zero.json", "a | gains", DUEL, at(0))
    complete_entry(tmp_path / "zero.json", first, won(), at(1))
    failed = begin_entry(tmp_path / "failed.json", "a gains", DUEL, at(1))
    fail_entry(tmp_path / "failed.json", failed, "planner refuses", at(1))
    page = ledger_page(read_ledger(tmp_path))
    rows = rows_of(page)
    assert [row.split("]")[0] for row in rows] == ["| [broken", "| [failed", "| [zero"]
    assert [row.split(" | ")[-1] for row in rows] == [
        "broken off |",
        "failed: planner refuses |",
        "a&#124;b is stronger than c: +20 Elo is accepted against +0 |",
    ]
    assert {row.count("|") for row in rows} == {10}
    assert page.count("| hex |") == 1
    assert "75.0 (" in rows[2]


def test_of_two_experiments_that_begin_at_once_one_has_the_file(tmp_path: Path) -> None:
    path = tmp_path / "first.json"

    def begin(hypothesis: str) -> str:
        try:
            return begin_entry(path, hypothesis, DUEL, at(0)).hypothesis
        except LabError:
            return ""

    hypotheses = [f"hypothesis {number}" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        begun = [hypothesis for hypothesis in pool.map(begin, hypotheses) if hypothesis]
    assert begun == [json.loads(path.read_text())["hypothesis"]]


def test_an_interrupted_duel_says_so(tmp_path: Path) -> None:
    def points(task):
        if task.number == 2:
            raise KeyboardInterrupt
        return (1, 0)

    path = tmp_path / "cut.json"
    entry = begin_entry(path, "a gains", DUEL, at(0))
    outcome = run_duel(DUEL, playing(points), openings=[openings(9), openings(9)])
    assert complete_entry(path, entry, outcome, at(0)).status == "interrupted"
    assert "not decided (interrupted)" in ledger_page(read_ledger(tmp_path))


@pytest.mark.parametrize("text", ["", "[]", '{"hypothesis": 3}', "{"])
def test_what_is_no_entry_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(LabError, match=r"other\.json is no entry of a ledger"):
        read_ledger(tmp_path)


def test_an_empty_ledger_has_a_page(tmp_path: Path) -> None:
    assert rows_of(ledger_page(read_ledger(tmp_path))) == []


def test_one_game_has_a_budget_of_its_own_words(tmp_path: Path) -> None:
    duel = replace(DUEL, games=DUEL.games[:1])
    assert begin_entry(tmp_path / "x.json", "", duel, at(0)).budget == (
        "at most 50 pairs, 10 nodes a move"
    )


@pytest.mark.skipif(not OWN.exists(), reason="needs the checkout")
def test_our_own_page_is_that_of_our_ledger() -> None:
    entries = read_ledger(OWN)
    assert entries
    assert (OWN / "experiments.md").read_text() == ledger_page(entries)
