"""The circuit of winning moves says what making each move says."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl import State
from gdl.analysis import analyse
from gdl.circuit import TRUE
from gdl.circuit.winning_moves.builder import MIN_GATES, WinningMoves, build_winning_moves
from gdl.engine.block import aligned_rows
from gdl.engine.machine import PropnetStateMachine
from gdl.playouts import play_out
from tests.support.compiled_games import machine_of
from tests.support.example_counts import one_in
from tests.support.marks import thorough
from tests.support.slow_blocks import evaluate
from tests.support.small_games import compiled

NAMES = [
    "ticTacToe",
    "connectFour",
    "breakthrough",
    "nim",
    "nineBoards",
    "pentago",
    "biddingTicTacToe",
    "eightQueens",
]
"""Games of one and of two roles, in turns and, one of them, at once."""


def mutex_groups(machine: PropnetStateMachine) -> list[list[int]]:
    index = {fact: number for number, fact in enumerate(machine.facts)}
    return [[index[fact] for fact in group] for group in analyse(machine).mutex_groups]


def winning_moves_of(
    machine: PropnetStateMachine, groups: list[list[int]] | None = None
) -> WinningMoves | None:
    engine = machine.engine
    return build_winning_moves(engine.layout, engine.goal_table, groups or [])


@cache
def found_in(name: str, with_groups: bool) -> WinningMoves:
    machine = machine_of(name)
    found = winning_moves_of(machine, mutex_groups(machine) if with_groups else None)
    assert found is not None
    return found


def winning_in(machine: PropnetStateMachine, found: WinningMoves, state: State) -> set[int]:
    """Return the moves whose rows are true in a state, by their indices among all roles'."""
    layout = machine.engine.layout
    rows = aligned_rows(found.rows, 1)
    rows[layout.fluents :][: layout.fluent_count, 0] = machine.bits(state)
    evaluate(layout.moves_view, rows)
    before = rows[: layout.rows].copy()
    evaluate(found.program, rows)
    assert np.array_equal(rows[: layout.rows], before)
    return set(np.flatnonzero(rows[found.first :, 0] & np.uint64(1)).tolist())


def choices(machine: PropnetStateMachine, state: State) -> Iterator[tuple[int, bool]]:
    """Yield the moves of a role that alone has a choice, and whether each wins at once."""
    legal = [machine.legal_moves(state, role) for role in machine.roles]
    movers = [number for number, moves in enumerate(legal) if len(moves) > 1]
    if len(movers) != 1:
        return
    (mover,) = movers
    offset = sum(map(len, machine.moves[:mover]))
    own = machine.engine.goal_table[machine.engine.goal_table[:, 0] == mover, 1]
    for move in legal[mover]:
        joint = [move if role == mover else moves[0] for role, moves in enumerate(legal)]
        after = machine.next_state(state, joint)
        goals = machine.goals(after, machine.roles[mover])
        wins = machine.is_terminal(after) and max(own) in goals
        yield offset + machine.moves[mover].index(move), wins


@pytest.mark.thorough
@pytest.mark.parametrize("with_groups", [False, True])
@pytest.mark.parametrize("name", NAMES)
@one_in(5)
@given(seed=st.integers(0, 2**32))
def test_winning_moves_are_those_that_win(name: str, with_groups: bool, seed: int) -> None:
    machine, found = machine_of(name), found_in(name, with_groups)
    # The ends of playouts are where moves win.
    states = [step.state for step in play_out(machine, Random(seed), 200)]
    for state in states[-5:-1]:
        expected = dict(choices(machine, state))
        winning = winning_in(machine, found, state)
        assert {move for move in expected if move in winning} == {
            move for move, wins in expected.items() if wins
        }


def test_moves_that_are_not_legal_do_not_win() -> None:
    machine, found = machine_of("ticTacToe"), found_in("ticTacToe", with_groups=False)
    state = machine.initial_state()
    assert winning_in(machine, found, state) == set()


def test_rows_of_moves_that_cannot_win_are_not_written() -> None:
    found = found_in("ticTacToe", with_groups=True)
    written = set(found.program.gates[:, 0].tolist())
    outputs = {row for row in written if row >= found.first}
    assert outputs == {found.first + move for move in found.moves.tolist()}
    names = [str(move) for own in machine_of("ticTacToe").moves for move in own]
    assert {names[move] for move in range(len(names))} - {names[m] for m in found.moves} == {"noop"}


@pytest.mark.parametrize(
    "name",
    [
        "nim",
        *thorough("breakthrough", "pentago"),
    ],
)
def test_mutex_groups_save_gates(name: str) -> None:
    """A role that does nothing while others move has no choice, which they show."""
    with_groups, without = (found_in(name, groups) for groups in (True, False))
    assert len(with_groups.program.gates) < 0.8 * len(without.program.gates)


def test_there_are_few_gates() -> None:
    """Without any sharing it would be a copy of the circuit for each move."""
    for name, most in (("ticTacToe", 160), ("connectFour", 2_000)):
        gates = found_in(name, with_groups=True).program.gates
        assert np.count_nonzero(gates[:, 2] != TRUE) <= most


@pytest.mark.thorough
def test_the_program_reads_what_the_view_for_moves_leaves() -> None:
    for name in NAMES:
        layout, found = machine_of(name).engine.layout, found_in(name, with_groups=False)
        left = {0, *range(layout.fluents, layout.fluents + layout.fluent_count)}
        left |= set(range(layout.legal, layout.terminal + 1))
        transition = layout.transition.gates[:, 1:] >> 1
        left |= set(transition.ravel().tolist()) & set(layout.moves_view.gates[:, 0].tolist())
        for row, first, second in found.program.gates.tolist():
            assert {first >> 1, second >> 1} <= left
            assert layout.rows <= row < found.rows
            left.add(row)


RULES = """
(role one) (role two) (init (turn one)) (init (at 0))
(after 0 1) (after 1 2) (after 2 3) (follows one two) (follows two one)
(<= (legal ?r go) (true (turn ?r))) (<= (legal ?r stay) (true (turn ?r)))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (at ?n)) (true (at ?m)) (after ?m ?n) (does ?r go))
(<= (next (at ?n)) (true (at ?n)) (does ?r stay))
(<= (next (turn ?s)) (true (turn ?r)) (follows ?r ?s))
(<= terminal (true (at {end})))
"""

RACE = """
(<= (goal ?r {value}) (role ?r) (true (turn ?s)) (follows ?r ?s) (true (at 3)))
(<= (goal ?r 0) (role ?r) (true (turn ?r)))
"""


def test_the_best_goal_of_a_role_need_not_be_100() -> None:
    machine = compiled(RULES.format(end=3) + RACE.format(value=60))
    found = winning_moves_of(machine)
    assert found is not None
    state = next(s for s in reachable(machine) if {"(at 2)", "(turn two)"} == set(map(str, s)))
    names = [str(move) for own in machine.moves for move in own]
    assert [names[move] for move in winning_in(machine, found, state)] == ["go"]


def reachable(machine: PropnetStateMachine) -> Iterator[State]:
    """Yield states of random playouts."""
    for seed in range(100):
        yield from (step.state for step in play_out(machine, Random(seed)))


def test_none_where_no_role_can_win_more_than_otherwise() -> None:
    goals = "(<= (goal ?r 50) (role ?r))"
    assert winning_moves_of(compiled(RULES.format(end=3) + goals)) is None


def test_none_where_no_move_leads_to_the_end() -> None:
    assert winning_moves_of(compiled(RULES.format(end=7) + RACE.format(value=100))) is None


def test_none_where_winning_depends_on_a_cycle() -> None:
    assert winning_moves_of(machine_of("hex")) is None


@pytest.mark.thorough
def test_none_where_gates_are_too_many() -> None:
    """Reversi's end counts all pieces, and any move turns many."""
    layout = machine_of("reversi").engine.layout
    assert layout.gate_count * 6 > MIN_GATES
    assert winning_moves_of(machine_of("reversi")) is None
