"""Recorded playouts are playouts of the game, and depend on nothing but the seed."""

from __future__ import annotations

import numpy as np
import pytest

import gdl
from gdl.datasets import BLOCK, Recorder, Recording, blocks_of
from gdl.datasets.recording import NO_GOAL, NO_MOVE
from gdl.engine.machine import PropnetStateMachine
from tests.support.compiled_games import SMALL, machine_of, reasoner_of
from tests.support.lockstep import compare_views
from tests.support.small_games import compiled

STUCK = """
(role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2)
(<= (legal a go) (true (at ?n)) (distinct ?n 2)) (legal b go) (legal b stay)
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
(<= terminal (true (at 9))) (<= (goal a 10) (true (at 1))) (<= (goal a 90) (true (at ?n)))
(goal b 7)
"""
"""A game in which a role has no move after two steps, and several goals in between."""


def legal_of(machine: PropnetStateMachine, row: np.ndarray) -> list[tuple[gdl.Term, ...]]:
    bits, first, found = row.tolist(), 0, []
    for moves in machine.moves:
        own = bits[first : first + len(moves)]
        found.append(tuple(m for m, bit in zip(moves, own, strict=True) if bit))
        first += len(moves)
    return found


@pytest.mark.parametrize("name", [*SMALL, "kuhnPoker"])
def test_every_row_is_what_the_reasoner_says(name: str) -> None:
    machine, reasoner = machine_of(name), reasoner_of(name)
    recording = Recorder(machine).record(0, seed=3, playouts=3, max_steps=30)
    expected = reasoner.initial_state()
    for row in range(len(recording)):
        if recording.steps[row] == 0:
            expected = reasoner.initial_state()
        state = machine.state(recording.facts[row])
        options = compare_views(machine, state, reasoner, expected)
        assert legal_of(machine, recording.legal[row]) == options
        assert recording.terminal[row] == reasoner.is_terminal(expected)
        is_over = recording.terminal[row]
        goals = [reasoner.goal(expected, role) if is_over else None for role in reasoner.roles]
        assert [None if g == NO_GOAL else g for g in recording.goals[row].tolist()] == goals
        made = recording.moves[row].tolist()
        if made[0] == NO_MOVE:
            assert recording.terminal[row] or recording.steps[row] == 30
            assert not recording.percepts[row].any()
            continue
        moves = [own[index] for own, index in zip(machine.moves, made, strict=True)]
        assert all(move in own for move, own in zip(moves, options, strict=True))
        seen = recording.percepts[row]
        for number, role in enumerate(reasoner.roles):
            told = [
                t for (r, t), s in zip(machine.percept_rows, seen, strict=True) if s and r == number
            ]
            assert sorted(map(str, told)) == [
                str(term) for term in reasoner.percepts(expected, moves, role)
            ]
        expected = reasoner.next_state(expected, moves)


def equal(one: Recording, other: Recording) -> bool:
    names = ("playouts", "steps", "facts", "legal", "moves", "goals", "terminal", "percepts")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def test_a_block_depends_on_its_seed_and_number_alone() -> None:
    machine = machine_of("nim")
    first, second = Recorder(machine), Recorder(machine)
    first.record(1, seed=5)
    assert equal(first.record(4, seed=5), second.record(4, seed=5))
    assert not equal(first.record(4, seed=5), first.record(4, seed=6))
    assert not np.array_equal(first.record(4, 5).moves[:50], first.record(3, 5).moves[:50])


def test_fewer_playouts_are_the_first_of_more() -> None:
    recorder = Recorder(machine_of("biddingTicTacToe"))
    many, few = recorder.record(2, seed=1, playouts=40), recorder.record(2, seed=1, playouts=7)
    assert np.array_equal(few.moves, many.moves[: len(few)])
    assert np.array_equal(few.facts, many.facts[: len(few)])
    assert sorted(set(few.playouts.tolist())) == list(range(2 * BLOCK, 2 * BLOCK + 7))


def test_moves_are_chosen_uniformly() -> None:
    recording = Recorder(machine_of("connectFour")).record(0, seed=0)
    first = recording.moves[recording.steps == 0][:, 0]
    counts = np.bincount(first, minlength=8)
    assert len(first) == BLOCK
    assert sorted(counts.tolist())[-7] > BLOCK / 7 / 2
    assert counts.max() < 2 * BLOCK / 7


def test_playouts_end_where_a_role_has_no_move_and_at_the_limit() -> None:
    recording = Recorder(compiled(STUCK)).record(0, seed=0, playouts=2)
    assert recording.steps.tolist() == [0, 1, 2] * 2
    assert (recording.moves[:, 0] == NO_MOVE).tolist() == [False, False, True] * 2
    assert not recording.terminal.any()
    assert (recording.goals == NO_GOAL).all()
    short = Recorder(compiled(STUCK)).record(0, seed=0, playouts=2, max_steps=1)
    assert short.steps.tolist() == [0, 1] * 2
    assert (short.moves[1] == NO_MOVE).all()


def test_goals_are_the_lowest_of_a_terminal_state_alone() -> None:
    ending = compiled(STUCK.replace("(at 9)", "(at 1)"))
    recording = Recorder(ending).record(0, seed=0, playouts=2)
    assert recording.terminal.tolist() == [False, True] * 2
    assert recording.goals.tolist() == [[NO_GOAL, NO_GOAL], [10, 7]] * 2


def test_blocks_cover_all_playouts() -> None:
    assert list(blocks_of(3)) == [(0, 3)]
    assert list(blocks_of(2 * BLOCK)) == [(0, BLOCK), (1, BLOCK)]
    assert list(blocks_of(BLOCK + 1)) == [(0, BLOCK), (1, 1)]
