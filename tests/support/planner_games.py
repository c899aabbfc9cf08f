"""The puzzles of the planner's tests, and searches of a bounded length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from time import perf_counter

from rich.console import Console
from rich.table import Table

from gdl.engine.bits import Packed
from gdl.engine.machine import PropnetStateMachine
from gdl.engine.successors import packed_state
from ggp_player.strategies.base import Choice, Position
from ggp_player.strategies.planner.delete_relaxation import DeleteRelaxation
from ggp_player.strategies.planner.planner import Planner
from ggp_player.strategies.planner.state_space import StateSpace
from tests.support.tree_games import position

PUZZLES = [
    "blocksWorld",
    "eightPuzzle",
    "eightQueens",
    "keyMaze",
    "knightsTour",
    "lightsOut",
    "pancakes",
    "pegSolitaire",
    "sudokuSmall",
    "towersOfHanoi",
    "warehouse",
]
"""Our own games of one role; each can be won."""

QUICK_PUZZLES = ["blocksWorld", "eightQueens", "keyMaze", "lightsOut", "pegSolitaire"]
"""Some of them, with step counters and without, for tests that need not see all."""


def space_of(machine: PropnetStateMachine) -> tuple[StateSpace, Packed]:
    """Return the state space of a game and its initial state, packed."""
    return StateSpace(machine), packed_state(machine, machine.initial_state())


def relaxation_of(machine: PropnetStateMachine) -> DeleteRelaxation:
    return DeleteRelaxation(StateSpace(machine), 100)


def slices(planner: Planner, start: Position, count: int) -> list[Choice]:
    """The results of a search in a number of slices of work, or until it ends."""
    return list(islice(planner.search(start), count))


@dataclass(frozen=True, slots=True)
class Measurement:
    """The result of a search, and its cost."""

    game: str
    best: Choice
    states: int
    seconds: float


def measured(
    game: str, machine: PropnetStateMachine, count: int, planner: Planner | None = None
) -> Measurement:
    """Search from the initial state for so many slices of work."""
    planner, began = planner or Planner(), perf_counter()
    best = slices(planner, position(machine), count)[-1]
    return Measurement(game, best, planner.states_evaluated, perf_counter() - began)


def tabulated(title: str) -> Iterator[list[Measurement]]:
    """Yield a list to put measurements in, then print them; pytest shows it with ``-s``."""
    rows: list[Measurement] = []
    yield rows
    table = Table("game", "best score", "proved", "states", "seconds", "note", title=title)
    for row in rows:
        best = row.best
        told = (str(best.value), "yes" if best.proved else "", f"{row.states:,}")
        table.add_row(row.game, *told, f"{row.seconds:.2f}", best.note)
    Console(width=110).print(table)
