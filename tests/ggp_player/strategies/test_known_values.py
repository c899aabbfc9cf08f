"""Whether the player's moves keep the value of positions whose values are known exactly.

    pytest -m bench -s tests/ggp_player/strategies/test_known_values.py

prints for each game how many of the moves do. The player is ``auto`` without learning, which is for
the start clock; it has never seen the match before the position. Values come from solvers that are
given far more time: one for connect four on bitboards, the proof search for rivals
with a constant sum, and plain recursion for others. The figures in
benchmarks/strength/earlier_players.md come from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from gdl import State, Term
from gdl.engine import PropnetStateMachine
from ggp_player.lab.match import MoveLimit, SeatedStrategy
from ggp_player.lab.positions.solving.solvers import ConnectFourSolver
from ggp_player.lab.positions.turns import after_choice
from ggp_player.strategies import Position
from ggp_player.strategies.solver import ProofTree
from tests.support import small_games
from tests.support.concept_oracle import Oracle
from tests.support.textbook_solver import solved_values

PLAYER = "auto:threads=1,learn=false"
SECONDS = 5.0

POSITIONS = 200
PLIES = range(12, 25)
"""Moves made before a position of connect four."""

OTHERS = 40
"""Positions of each other game."""

MOST_NODES = 200_000_000
"""Nodes of a proof; a position that takes more is left out."""


def mover(machine: PropnetStateMachine, state: State) -> Position:
    """The position of the role that has a choice."""
    role = max(machine.roles, key=lambda role: len(machine.legal_moves(state, role)))
    return Position(machine, state, role, Random(1))


def answer(machine: PropnetStateMachine, state: State) -> tuple[Position, Term]:
    """The position of the role that has a choice, and the player's move in it."""
    position = mover(machine, state)
    player = SeatedStrategy(PLAYER, machine, MoveLimit(seconds=SECONDS))
    return position, player.choose(state, position.role, Random(1))


def after(position: Position, move: Term) -> State:
    """The state after a move of the role that has a choice."""
    machine = position.machine
    return after_choice(machine, position.state, machine.roles.index(position.role), move)


# ---------------------------------------------------------------------- connect four


def open_positions(machine: PropnetStateMachine, random: Random) -> Iterator[State]:
    """Yield states after random moves in which no move wins at once."""
    while True:
        state = machine.initial_state()
        for _ in range(random.choice(PLIES)):
            if not machine.is_terminal(state):
                position = mover(machine, state)
                state = after(position, random.choice(position.legal_moves))
        if not machine.is_terminal(state) and not wins_at_once(mover(machine, state)):
            yield state


def wins_at_once(position: Position) -> bool:
    ends = (after(position, move) for move in position.legal_moves)
    machine = position.machine
    return any(machine.is_terminal(e) and machine.goal(e, position.role) == 100 for e in ends)


@pytest.mark.bench
@pytest.mark.timeout(7200)
def test_connect_four() -> None:
    machine = small_games.compiled(small_games.game("connectFour"))
    machine.warm_up()
    kept, solver = 0, ConnectFourSolver(machine)
    for state in islice(open_positions(machine, Random(1)), POSITIONS):
        _, move = answer(machine, state)
        values = solved_values(solver, state)
        assert values is not None
        kept += values[move] == max(values.values())
    print(f"\nconnect four: {kept} of {POSITIONS} moves keep the value")
    assert kept > 0.9 * POSITIONS


# ---------------------------------------------------------------------- other games


ZERO_SUM = {
    "breakthrough 5 x 5": small_games.breakthrough(5, 5),
    "hex 5 x 5": small_games.hex_board(5),
    "reversi 6 x 6": small_games.reversi(6),
    "dots and boxes 3 x 3": small_games.dots_and_boxes(3, 3),
    "nim 4, 5, 6, 7": small_games.nim((4, 5, 6, 7)),
}


def proved_value(tree: ProofTree, position: Position) -> float | None:
    """The exact value for the role that moves; None where that takes too long."""
    choices = list(tree.search(position, budget=MOST_NODES))
    return choices[-1].value if choices and choices[-1].proved else None


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", ZERO_SUM)
def test_rivals_for_a_constant_sum(name: str) -> None:
    machine = small_games.compiled(ZERO_SUM[name])
    machine.warm_up()
    trees = {role: ProofTree(machine, role, 2**22) for role in machine.roles}
    kept = known = 0
    for state in small_games.sampled(machine, OTHERS, Random(2)):
        position, move = answer(machine, state)
        value = proved_value(trees[position.role], position)
        if value is None:
            continue
        known += 1
        following = after(position, move)
        if machine.is_terminal(following):
            kept += machine.goal(following, position.role) == value
        else:
            kept += proved_value(trees[position.role], mover(machine, following)) == value
    print(f"\n{name}: {kept} of {known} moves keep the value")
    assert known > OTHERS / 2
    assert kept > 0.9 * known


OWN_AIMS = {
    "connect four 4 x 4, draws are worth 0": small_games.connect_four(4, 4).replace(
        "(<= (goal ?role 50)", "(<= (goal ?role 0)"
    ),
    "tic-tac-toe, draws are worth 20": small_games.changed(
        "ticTacToe", ("(<= (goal ?role 50)", "(<= (goal ?role 20)")
    ),
}


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", OWN_AIMS)
def test_rivals_without_a_constant_sum(name: str) -> None:
    machine = small_games.compiled(OWN_AIMS[name])
    machine.warm_up()
    oracle, kept = Oracle(machine), 0
    for state in small_games.sampled(machine, OTHERS, Random(3)):
        position, move = answer(machine, state)
        kept += oracle.values(state) == oracle.values(after(position, move))
    print(f"\n{name}: {kept} of {OTHERS} moves keep the value")
    assert kept > 0.9 * OTHERS
