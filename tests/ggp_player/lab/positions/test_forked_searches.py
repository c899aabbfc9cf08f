"""Searches in forks of the process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from itertools import count, repeat

import pytest

import gdl
from gdl import StateMachine
from ggp_player.errors import StrategyError
from ggp_player.lab.positions.forked_searches import (
    PREPARING_CHOICES,
    SearchTask,
    can_fork,
    prepare,
    search_all,
    searched,
)
from ggp_player.strategies import Choice, Position, Strategy

pytestmark = pytest.mark.skipif(not can_fork(), reason="this system cannot fork")


class Remembering(Strategy):
    """Plays the legal move whose number is how many positions it was asked for before.

    That is 2 in a fork: the initial state to prepare, and again to warm up.
    """

    name = "remembering"

    def __init__(self) -> None:
        self.asked = 0

    def search(self, position: Position) -> Iterator[Choice]:
        self.asked += 1
        yield from repeat(Choice(position.legal_moves[self.asked - 1]))


class Failing(Strategy):
    name = "failing"

    def search(self, position: Position) -> Iterator[Choice]:
        raise ArithmeticError("it cannot count")
        yield


class Dying(Strategy):
    name = "dying"

    def search(self, position: Position) -> Iterator[Choice]:
        os.kill(os.getpid(), signal.SIGKILL)
        yield Choice(position.legal_moves[0])


@pytest.fixture(scope="module")
def machine() -> StateMachine:
    return gdl.interpret(gdl.load("ticTacToe"))


def tasks(machine: StateMachine, number: int) -> list[SearchTask]:
    state = machine.initial_state()
    return [SearchTask(state, machine.roles[0], str(seed)) for seed in range(number)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_each_search_is_by_the_prepared_strategy(machine: StateMachine, jobs: int) -> None:
    strategy = Remembering()
    prepare(strategy, machine, machine.roles[0], 0, "seed")
    asked = tasks(machine, 5)
    found = dict(search_all(lambda _: strategy, machine, asked, 0.0, jobs))
    legal = machine.legal_moves(machine.initial_state(), machine.roles[0])
    assert sorted(found) == list(range(5))
    assert {result.move for result in found.values()} == {legal[2]}
    assert strategy.asked == 1


def test_a_failing_search_says_why(machine: StateMachine) -> None:
    with pytest.raises(
        StrategyError, match="a search has failed: ArithmeticError: it cannot count"
    ):
        list(search_all(lambda _: Failing(), machine, tasks(machine, 2), 0.0))


def test_a_search_that_dies_is_noticed(machine: StateMachine) -> None:
    with pytest.raises(StrategyError, match="a search has failed: its process has died"):
        list(search_all(lambda _: Dying(), machine, tasks(machine, 2), 0.0))


def test_the_last_choice_before_the_limit_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()
    monkeypatch.setattr(
        "ggp_player.lab.positions.forked_searches.thread_time", lambda: next(ticks) / 10
    )
    choices = (Choice(gdl.parse_term(f"m{number}")) for number in count(1))
    found = searched(choices, 0.35)
    assert str(found.move) == "m4"
    assert found.seconds == pytest.approx(0.4)


def test_a_search_that_ends_by_itself_needs_no_limit() -> None:
    choices = [Choice(gdl.parse_term(name)) for name in ("a", "b")]
    assert str(searched(iter(choices), None).move) == "b"
    with pytest.raises(StrategyError, match="the search ended without a choice"):
        searched(iter([]), None)


def test_preparing_takes_some_choices_at_least(machine: StateMachine) -> None:
    taken = []

    class Counting(Strategy):
        name = "counting"

        def search(self, position: Position) -> Iterator[Choice]:
            for number in count():
                taken.append(number)
                yield Choice(position.legal_moves[0])

    prepare(Counting(), machine, machine.roles[0], 0, "seed")
    assert len(taken) == PREPARING_CHOICES


def test_a_strategy_that_keeps_threads_is_refused(
    machine: StateMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp_player.lab.positions.forked_searches.COMPILING_SECONDS", 0.01)
    stop = threading.Event()

    class Threaded(Strategy):
        name = "threaded"

        def search(self, position: Position) -> Iterator[Choice]:
            threading.Thread(target=stop.wait, daemon=True).start()
            yield from repeat(Choice(position.legal_moves[0]))

    with pytest.raises(StrategyError, match="keeps threads, which forks have not: use threads=1"):
        prepare(Threaded(), machine, machine.roles[0], 0, "seed")
    stop.set()
