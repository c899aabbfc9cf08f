"""Pairs have the same results in one process, in several, and on a cluster."""

from __future__ import annotations

import importlib.util
import multiprocessing
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ggp_player.errors import LabError
from ggp_player.lab.match import MoveLimit, PairResult, PairTask
from ggp_player.lab.pair_play import opened_play
from tests.support.lab_games import NIM, TIC_TAC_TOE, opening_after


def tasks(count: int = 6, a: str = "mcts") -> Iterator[PairTask]:
    for number in range(count):
        game = (NIM, TIC_TAC_TOE)[number % 2]
        limit = MoveLimit(nodes=200)
        opening = opening_after()
        yield PairTask(game.name, game.rules, (a, "random"), limit, 5, number, opening, 2**24)


def without_times(results: Iterator[PairResult]) -> list[PairResult]:
    return [
        replace(
            result,
            matches=tuple(replace(match, cpu=(0.0, 0.0)) for match in result.matches),  # type: ignore[arg-type]
        )
        for result in results
    ]


def played(jobs: int, ray: str | None = None) -> list[PairResult]:
    with opened_play(jobs, ray) as play:
        return without_times(play(tasks()))


@pytest.mark.thorough
def test_processes_change_nothing_and_end() -> None:
    before = set(multiprocessing.active_children())
    assert played(2) == played(1)
    for child in set(multiprocessing.active_children()) - before:
        child.join(20)
        assert child.exitcode is not None


@pytest.mark.thorough
def test_errors_come_back_from_processes() -> None:
    with opened_play(2) as play, pytest.raises(LabError, match="planner is for games of one role"):
        list(play(tasks(2, "planner")))


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("ray"), reason="needs the extra ray")
def test_a_cluster_changes_nothing() -> None:
    assert played(1, "local") == played(1)


def test_one_job_is_this_process() -> None:
    with opened_play(1) as play:
        results = list(play(tasks(2)))
    assert [(result.game, result.number) for result in results] == [("nim", 0), ("ticTacToe", 1)]
    assert not multiprocessing.active_children()
