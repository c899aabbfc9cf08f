"""Deferred goals are those of each lane's last states."""

from __future__ import annotations

import numpy as np
import pytest

import gdl
from gdl.circuit.options import CompileOptions
from tests.support.compiled_games import machine_of, machine_with_code
from tests.support.marks import thorough
from tests.support.replay import SEED, assert_play_is_as_replayed, initial


def counting_game(counters: int) -> gdl.Ruleset:
    """Return a game of one role that adds up to 2, ``counters`` times; its goal is the sum.

    It ends when nothing was added, or when all turns are over: early in many lanes.
    """
    numbers = range(2 * counters + 1)
    return gdl.parse(
        f"(role a) (init (turn 0)) (init (sum 0)) (last {counters})"
        + "".join(f"(succ {n} {n + 1})" for n in numbers)
        + "".join(f"(plus {n} {k} {n + k})" for n in numbers for k in range(3))
        + "(legal a (add 0)) (legal a (add 1)) (legal a (add 2))"
        "(<= (next (turn ?n)) (true (turn ?m)) (succ ?m ?n))"
        "(<= (next (sum ?n)) (true (sum ?m)) (does a (add ?k)) (plus ?m ?k ?n))"
        "(<= (next nothing) (does a (add 0)))"
        "(<= terminal (true nothing)) (<= terminal (true (turn ?n)) (last ?n))"
        "(<= (goal a ?n) (true (sum ?n)))"
    )


@pytest.mark.parametrize("words", [1, 2, 16])
@pytest.mark.parametrize("refill", [True, False])
def test_deferred_goals_of_playouts_of_many_lengths(words: int, refill: bool) -> None:
    """Lanes end at every step, and some twice before others end once."""
    machine = gdl.compile(counting_game(6), CompileOptions(words=words))
    played = assert_play_is_as_replayed(machine, initial(machine), 40, refill)
    assert np.array_equal(played.ended > 1, np.full(64 * words, refill))
    if not refill:
        assert played.goal_views == 1


@pytest.mark.parametrize("refill", [True, False])
def test_deferred_goals_of_playouts_of_one_step(refill: bool) -> None:
    """Every lane ends with every other step, so that goals are never deferred for long."""
    machine = gdl.compile(counting_game(1))
    played = assert_play_is_as_replayed(machine, initial(machine), 21, refill)
    assert (played.ended == (11 if refill else 1)).all()
    assert played.goal_views == (11 if refill else 1)


@pytest.mark.parametrize("refill", [True, False])
@pytest.mark.parametrize(
    "name",
    [
        "dotsAndBoxes",
        "nim",
        *thorough("reversi", "connectFour", "codeBreaker"),
    ],
)
def test_deferred_goals_in_native_code(name: str, refill: bool) -> None:
    """Both ways and both kernels give the same in each lane, whole games long."""
    results = [
        machine.block(SEED).play(130, refill, deferred_goals)
        for machine in (machine_of(name), machine_with_code(name))
        for deferred_goals in (False, True)
    ]
    first = results[0]
    assert first.ended.all()
    for other in results[1:]:
        for field in ("ended", "steps", "goals"):
            assert np.array_equal(getattr(other, field), getattr(first, field))
        assert (other.states, other.views) == (first.states, first.views)


@pytest.mark.parametrize("steps", [0, 59, 60, 61, 75])
def test_deferred_goals_where_the_steps_end_in_the_middle(steps: int) -> None:
    machine = machine_with_code("reversi")
    for refill in (False, True):
        assert_play_is_as_replayed(machine, initial(machine), steps, refill)


def test_a_block_defers_goals_that_are_expensive() -> None:
    """Reversi counts its discs; of connect four every line also tells the end."""
    assert machine_of("reversi").engine.deferred_goals
    assert not machine_of("connectFour").engine.deferred_goals
    played = machine_of("reversi").block(SEED).play(70, refill=True)
    assert played.goal_views < 5 < played.views == 71
    played = machine_of("connectFour").block(SEED).play(70, refill=True)
    assert played.goal_views == played.views == 71


def test_one_block_defers_goals_and_again() -> None:
    """Nothing of one call is left for the next."""
    machine = machine_of("reversi")
    first, second = machine.block(SEED), machine.block(SEED)
    for deferred_goals in (True, False, True):
        first.load(initial(machine))
        second.load(initial(machine))
        found, expected = (
            first.play(65, True, deferred_goals),
            second.play(65, True, not deferred_goals),
        )
        assert np.array_equal(found.goals, expected.goals)
        assert found.states == expected.states
