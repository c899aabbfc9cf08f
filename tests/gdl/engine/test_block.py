"""Blocks: checked steps and restarts, and random playouts in several threads at once."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from gdl import IllegalActionError
from gdl.engine import Block, Engine
from gdl.engine.kernels import PlayoutArguments
from tests.support.compiled_games import machine_of

COUNT = len(PlayoutArguments._fields)


def test_the_arguments_of_playouts_outlive_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """While native code plays, other threads allocate arrays of the same size."""
    machine = machine_of("ticTacToe")
    seen: list[PlayoutArguments] = []

    def play(address: int) -> int:
        others = [np.full(COUNT, -1, dtype=np.int64) for _ in range(10)]
        seen.append(PlayoutArguments(*(ctypes.c_int64 * COUNT).from_address(address)))
        return len(others)

    monkeypatch.setattr(machine.engine, "play", play)
    block = machine.block()
    block.load(machine.bits(machine.initial_state())[None, :])
    block.play(5, refill=False)
    assert (seen[0].steps, seen[0].roles) == (5, 2)
    assert seen[0].rows == block.rows.ctypes.data


def test_lanes_are_reset_and_stepped_by_number() -> None:
    machine = machine_of("ticTacToe")
    block = machine.engine.block()
    block.reset()
    start = block.states()[0]
    cross, nought = block.masks()
    assert cross.shape == (block.lanes, len(machine.moves[0]))
    names = [str(move) for move in machine.moves[0]]
    noop = [str(move) for move in machine.moves[1]].index("noop")
    assert nought[0].nonzero()[0].tolist() == [noop]
    actions = np.tile([names.index("(put b2)"), noop], (block.lanes, 1))
    actions[3, 0] = names.index("(put a1)")
    moves = block.step(actions)
    assert moves.sum() == 2 * block.lanes
    state = machine.state(block.states()[3])
    assert state == machine.step(machine.initial_state(), ["put a1", "noop"])
    assert not np.array_equal(block.states()[0], block.states()[3])
    lanes = np.zeros(block.lanes, dtype=bool)
    lanes[3] = True
    block.reset(lanes)
    assert np.array_equal(block.states()[3], start)
    assert not np.array_equal(block.states()[2], start)
    assert np.array_equal(block.masks()[0][3], cross[3])


def test_an_illegal_action_names_its_lane_and_changes_nothing() -> None:
    machine = machine_of("ticTacToe")
    block = machine.block()
    noop = [[str(move) for move in moves].index("noop") for moves in machine.moves]
    first = int(block_legal(block)[0][0].nonzero()[0][0])
    actions = np.tile([first, noop[1]], (block.lanes, 1))
    actions[77, 0] = noop[0]
    before = block.states()
    with pytest.raises(
        IllegalActionError, match="lane 77: action 9 is not legal; legal: 0, 1"
    ) as e:
        block.step(actions)
    assert (e.value.lane, e.value.column, e.value.action) == (77, 0, noop[0])
    assert len(e.value.legal) == 9
    assert np.array_equal(block.states(), before)
    for wrong in (-1, 1000):
        actions[77, 0] = wrong
        with pytest.raises(IllegalActionError, match=f"lane 77: action {wrong} "):
            block.step(actions)
    with pytest.raises(ValueError, match="expected actions of shape"):
        block.step(actions[:5])
    with pytest.raises(ValueError, match="expected bool"):
        block.reset(np.zeros(3, dtype=bool))


def block_legal(block: Block) -> list[np.ndarray]:
    block.view()
    return block.masks()


def test_terminal_lanes_stay_and_goals_are_the_lowest_that_hold() -> None:
    machine = machine_of("ticTacToe")
    block = machine.block(seed=1)
    random = np.random.default_rng(0)
    block.reset()
    while not block.terminal().all():
        over, states = block.terminal(), block.states()
        masks = [mask + 1e-9 * random.random(mask.shape) for mask in block.masks()]
        block.step(np.stack([mask.argmax(axis=1) for mask in masks], axis=1))
        assert np.array_equal(block.states()[over], states[over])
    for lane in range(0, block.lanes, 50):
        state = machine.state(block.states()[lane])
        goals = [machine.goal(state, role) for role in machine.roles]
        assert block.goal_values()[lane].tolist() == goals


def test_an_engine_without_initial_state_cannot_reset() -> None:
    engine = machine_of("ticTacToe").engine
    bare = Engine(engine.layout, [], engine.roles)
    with pytest.raises(RuntimeError, match="without an initial state"):
        bare.block().reset()
