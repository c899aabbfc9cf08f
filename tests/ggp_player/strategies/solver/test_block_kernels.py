"""States are read from a block as they were loaded, with the legal moves of the machine."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ggp_player.strategies.solver.block_kernels import (
    bits_between,
    evaluate,
    load_states,
    read_rows,
    transpose,
)
from ggp_player.strategies.solver.solver_block import SolverBlock
from tests.support.small_games import compiled, game, sampled


def bits_of(words: np.ndarray) -> np.ndarray:
    return np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")


def test_a_square_is_transposed() -> None:
    square = np.random.default_rng(1).integers(0, 2**64, 64, dtype=np.uint64)
    before = bits_of(square).reshape(64, 64)
    transpose(square, np.empty_like(square))
    assert (bits_of(square).reshape(64, 64) == before.T).all()


@pytest.mark.parametrize("name", ["ticTacToe", "connectFour", "breakthrough"])
def test_states_and_legal_moves_of_lanes(name: str) -> None:
    machine = compiled(game(name))
    block = SolverBlock(machine)
    rows = block.rows()
    states = sampled(machine, 70, Random(1))
    packed = np.concatenate([block.packed(state) for state in states])
    chosen = np.random.default_rng(2).permutation(70)
    load_states(rows, packed, chosen)
    back = np.empty_like(packed)
    read_rows(rows, rows.fluents, rows.fluent_count, back)
    assert (back == packed[chosen]).all()
    evaluate(rows, rows.view_code)
    moves = int(block.move_ends[-1])
    legal = np.zeros((70, -(-moves // 64)), np.uint64)
    read_rows(rows, rows.legal, moves, legal)
    listed = np.zeros((70, moves), np.int32)
    for lane, number in enumerate(chosen):
        for role, known in enumerate(machine.roles):
            first, last = block.move_ends[role : role + 2].tolist()
            count = bits_between(legal, lane, first, last, listed)
            found = [machine.moves[role][i] for i in listed[lane, first : first + count]]
            assert tuple(found) == machine.legal_moves(states[number], known)
