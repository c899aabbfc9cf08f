"""States are read from a block as they were loaded, with the legal moves of the machine."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from gdl.engine.kernel_library import evaluate_view, load_states, read_lanes
from gdl.playouts import play_out
from ggp_player.strategies.solver.block_kernels import bits_between
from ggp_player.strategies.solver.solver_block import SolverBlock
from tests.support.small_games import compiled, game


@pytest.mark.parametrize("name", ["ticTacToe", "breakthrough"])
def test_states_and_legal_moves_of_lanes(name: str) -> None:
    machine = compiled(game(name))
    block = SolverBlock(machine)
    view = block.arrays()
    matches = (play_out(machine, Random(seed)) for seed in range(12))
    states = [step.state for match in matches for step in match if step.joint_move][:70]
    packed = np.concatenate([block.packed(state) for state in states])
    chosen = np.random.default_rng(2).permutation(70)
    load_states(view, packed, chosen)
    back = np.empty_like(packed)
    read_lanes(view.rows, view.fluents, view.fluent_count, back)
    assert (back == packed[chosen]).all()
    evaluate_view(view)
    moves = int(block.move_offsets[-1])
    legal = np.zeros((70, -(-moves // 64)), np.uint64)
    read_lanes(view.rows, view.legal, moves, legal)
    listed = np.zeros((70, moves), np.int32)
    for lane, number in enumerate(chosen):
        for role, known in enumerate(machine.roles):
            first, last = block.move_offsets[role : role + 2].tolist()
            count = bits_between(legal, lane, first, last, listed)
            found = [machine.moves[role][i] for i in listed[lane, first : first + count]]
            assert tuple(found) == machine.legal_moves(states[number], known)
