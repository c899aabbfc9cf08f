"""What random playouts tell of each move, against the same playouts step by step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gdl
from gdl.propnet.machine import PropnetStateMachine
from gdl.propnet.move_statistics import play_with_moves

GAMES = Path(__file__).parents[3] / "games"


def slowly(machine: PropnetStateMachine, seed: int, steps: int) -> tuple[list[int], list[int], int]:
    """Return made, goals and playouts, found with the calls of a block alone."""
    block = machine.block(seed)
    counts = block.engine.layout.move_counts
    role_of = np.repeat(np.arange(len(counts)), counts)
    played = np.zeros((block.lanes, sum(counts)), dtype=bool)
    made, goals = np.zeros(sum(counts), np.int64), np.zeros(sum(counts), np.int64)
    alive = np.ones(block.lanes, dtype=bool)
    for _ in range(steps + 1):
        block.view()
        ended = block.terminal() & alive
        holds = block.goals()
        for lane in np.flatnonzero(ended):
            values = np.zeros(len(counts), np.int64)
            for goal in reversed(np.flatnonzero(holds[lane])):
                role, value = block.engine.goal_table[goal]
                values[role] = value
            made += played[lane]
            goals += played[lane] * values[role_of]
        alive &= ~ended
        moves = block.choose()
        played |= moves.astype(bool) & alive[:, None]
        block.move(moves)
    return made.tolist(), goals.tolist(), int((~alive).sum())


@pytest.mark.parametrize("name", ["ticTacToe", "handDuel", "trefoil", "pancakes"])
@pytest.mark.parametrize("steps", [3, 40])
def test_statistics_are_those_of_the_playouts(name: str, steps: int) -> None:
    machine = gdl.compile(gdl.load(GAMES / f"{name}.kif"))
    found = play_with_moves(machine.block(seed=3), steps)
    assert (found.made.tolist(), found.goals.tolist(), found.playouts) == slowly(machine, 3, steps)


def test_the_centre_is_the_best_first_square() -> None:
    machine = gdl.compile(gdl.load(GAMES / "ticTacToe.kif"))
    found = play_with_moves(machine.block(seed=1), 9)
    assert found.playouts == 512
    values = found.goals / np.maximum(1, found.made)
    squares = [place for place, move in enumerate(machine.moves[0]) if str(move).startswith("(put")]
    best = max(squares, key=lambda place: float(values[place]))
    assert str(machine.moves[0][best]) == "(put b2)"
