"""Searches count their work, and come to their choices after slices of it."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from ggp_player.strategies import Position, Strategy
from ggp_player.strategies.learning import Contest, Learner
from ggp_player.strategies.mcts import MonteCarlo
from ggp_player.strategies.selection import create
from ggp_player.strategies.selection.portfolio import Portfolio
from ggp_player.strategies.solver import Enumeration, Proof
from tests.support.compiled_games import machine_with_code

COUNTING = ["mcts", "uct", "proof", "auto:threads=1,learn=false", "enumeration"]


def position_of(name: str, work_slice: int | None) -> Position:
    machine = machine_with_code(name)
    role = machine.roles[0]
    return Position(machine, machine.initial_state(), role, Random(0), work_slice=work_slice)


def works(strategy: Strategy, position: Position, choices: int) -> list[int]:
    """The work after each of the first choices."""
    found = []
    for _ in zip(range(choices), strategy.search(position), strict=False):
        assert strategy.work is not None
        found.append(strategy.work)
    return found


@pytest.mark.parametrize("spec", COUNTING)
def test_the_work_grows_and_is_none_before_the_search(spec: str) -> None:
    strategy = create(spec)
    assert strategy.work == 0
    found = works(strategy, position_of("connectFour", 1000), 20)
    assert found == sorted(found)
    assert found[-1] > 0


@pytest.mark.parametrize("size", [1000, 4000])
@pytest.mark.parametrize("spec", ["mcts", "uct"])
def test_a_slice_is_about_as_much_as_asked_for(spec: str, size: int) -> None:
    found = works(create(spec), position_of("connectFour", size), 6)
    steps = [after - before for before, after in pairwise(found) if after > before]
    assert len(steps) >= 4
    assert all(step <= 1.5 * size for step in steps)
    assert 0.8 * size <= sum(steps) / len(steps) <= 1.2 * size


def test_enumeration_comes_as_near_as_its_blocks_are_large() -> None:
    found = works(create("enumeration"), position_of("connectFour", 5000), 6)
    assert all(after - before <= 5000 + 7 * 512 for before, after in pairwise(found))


def test_alpha_beta_stops_at_multiples_of_its_slice() -> None:
    found = works(create("proof"), position_of("connectFour", 2000), 15)
    for multiple in range(2000, found[-1], 2000):
        assert any(multiple <= work <= multiple + 400 for work in found)


@pytest.mark.parametrize("spec", ["mcts", "uct", "proof"])
def test_a_second_position_adds_to_the_work(spec: str) -> None:
    strategy = create(spec)
    first = works(strategy, position_of("connectFour", 500), 4)[-1]
    machine = machine_with_code("connectFour")
    state = machine.next_state(machine.initial_state(), ["(drop 1)", "noop"])
    state = machine.next_state(state, ["noop", "(drop 1)"])
    position = Position(machine, state, machine.roles[0], Random(0), work_slice=500)
    assert works(strategy, position, 4)[-1] > first


def test_a_portfolio_adds_up_and_has_smaller_slices() -> None:
    main, prover = MonteCarlo(), Proof()
    portfolio = Portfolio(main, [prover])
    found = works(portfolio, position_of("connectFour", 8000), 12)
    assert portfolio.work == main.work + prover.work
    assert min(main.work, prover.work) > 0
    assert all(after - before <= 2000 for before, after in pairwise(found))


def test_a_contest_counts_the_searches_and_not_the_learner() -> None:
    main = MonteCarlo()
    contest = Contest(main, Learner(lambda: 0.0), lambda: 0.0)
    works(contest, position_of("connectFour", 500), 3)
    assert contest.work == main.work > 0


def test_the_same_slices_have_the_same_choices() -> None:
    for spec in COUNTING:
        twice = [
            [
                c
                for _, c in zip(
                    range(6), create(spec).search(position_of("connectFour", 700)), strict=False
                )
            ]
            for _ in range(2)
        ]
        assert twice[0] == twice[1]


def test_enumeration_keeps_its_count_when_it_begins_anew() -> None:
    strategy = Enumeration(states=1000)
    first = works(strategy, position_of("connectFour", 500), 100)[-1]
    machine = machine_with_code("connectFour")
    state = machine.next_state(machine.initial_state(), ["(drop 1)", "noop"])
    position = Position(machine, state, machine.roles[1], Random(0), work_slice=500)
    assert works(strategy, position, 100)[-1] > first


@pytest.mark.parametrize("spec", ["minimax", "alpha_beta", "random", "information_sets"])
def test_others_do_not_count(spec: str) -> None:
    assert create(spec).work is None


def test_what_is_left_of_a_slice() -> None:
    position = position_of("ticTacToe", 100)
    asked = [position.work_until(done, 7) for done in (0, 1, 93, 94, 99, 100, 250)]
    assert asked == [100, 99, 7, 106, 101, 100, 50]
    assert position_of("ticTacToe", None).work_until(30, 7) == 7
