"""A device plays as blocks of 64 lanes do: equal states, moves and goals by the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.engine.block import Block
from gdl.engine.device import DeviceBlock, DeviceEngine
from gdl.engine.device_kernels.register_kernels import RANDOM_PLANES
from gdl.engine.machine import PropnetStateMachine
from tests.support.collection import BUDGET, parameters
from tests.support.compiled_games import NAMES, machine_of
from tests.support.device_games import engine_of, host_engine
from tests.support.marks import thorough
from tests.support.traces import GAMES

THREADS, SEED = 3, 5
"""More than one, and not a power of two."""

FEW = [
    ("ticTacToe", False),
    ("connectFour", False),
    ("hex", False),  # feedback
    ("dotsAndBoxes", False),  # goals that are held
    pytest.param("nim", True, marks=pytest.mark.thorough),
    # A tree of counters with upper levels.
    pytest.param("breakthrough", True, marks=pytest.mark.thorough),
    ("bridges", True),
]
OF_LARGE = [
    ("amazons", False),
    ("chess", True),
    ("draughts", False),
    ("reversi", False),
    ("starHalma", True),
]
LARGE = {name for name, _ in OF_LARGE}
"""Each is played by the kernels that a device has for it."""

MOST_GATES = 20_000


def device_block(engine: DeviceEngine) -> DeviceBlock:
    return DeviceBlock(engine, 64 * THREADS, SEED)


def host_blocks(machine: PropnetStateMachine) -> list[Block]:
    """Blocks that draw the random numbers of the threads."""
    shape = RANDOM_PLANES, THREADS
    words = np.random.default_rng(SEED).integers(1, 2**64, size=shape, dtype=np.uint64)
    engine = machine.new_engine(1)
    blocks = [engine.block() for _ in range(THREADS)]
    for number, block in enumerate(blocks):
        block.random[:] = words[:, number : number + 1]
        block.load(machine.bits(machine.initial_state())[None, :])
    return blocks


def assert_plays_as_blocks(
    machine: PropnetStateMachine, has_rows: bool, steps: int = 90, *, has_tiles: bool | None = None
) -> None:
    engine = engine_of(machine, has_rows=has_rows, has_tiles=has_tiles)
    for refill in (True, False):
        block, others = device_block(engine), host_blocks(machine)
        found = block.play(steps, refill)
        expected = [other.play(steps, refill) for other in others]
        for name in ("ended", "steps", "goals"):
            whole = np.concatenate([getattr(each, name) for each in expected])
            assert np.array_equal(getattr(found, name), whole), name
        assert found.states == sum(each.states for each in expected)
        assert np.array_equal(block.states(), np.concatenate([b.states() for b in others]))


@pytest.mark.parametrize(("name", "has_rows"), FEW)
def test_playouts_are_those_of_blocks(name: str, has_rows: bool) -> None:
    assert_plays_as_blocks(machine_of(name), has_rows)


@pytest.mark.parametrize("name", ["nim", *thorough("hex")])
def test_playouts_that_are_interpreted_are_those_of_blocks(name: str) -> None:
    assert_plays_as_blocks(machine_of(name), has_rows=True, has_tiles=False)


@pytest.mark.thorough
@pytest.mark.parametrize("has_rows", [False, True])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in LARGE])
def test_playouts_of_all_our_games_are_those_of_blocks(name: str, has_rows: bool) -> None:
    assert_plays_as_blocks(machine_of(name), has_rows)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "has_rows"), OF_LARGE)
def test_playouts_of_large_games_are_those_of_blocks(name: str, has_rows: bool) -> None:
    assert_plays_as_blocks(machine_of(name), has_rows, steps=70)


@pytest.mark.corpus
@pytest.mark.parametrize("rulesheet", parameters(GAMES))
def test_playouts_of_real_rulesheets_are_those_of_blocks(rulesheet) -> None:
    machine = gdl.compile(gdl.load(rulesheet), CompileOptions(budget=BUDGET))
    if machine.engine.layout.gate_count > MOST_GATES:
        pytest.skip("its playouts take the host too long")
    assert_plays_as_blocks(machine, has_rows=False, steps=40)


@pytest.mark.parametrize("has_rows", [False, *thorough(True)])
def test_states_moves_and_goals_are_those_of_blocks(has_rows: bool) -> None:
    machine = machine_of("connectFour")
    block, others = device_block(host_engine("connectFour", has_rows=has_rows)), None
    others = host_blocks(machine)
    for _ in range(25):
        for other in others:
            other.view()
        assert np.array_equal(block.legal(), np.concatenate([b.legal() for b in others]))
        assert np.array_equal(block.terminal(), np.concatenate([b.terminal() for b in others]))
        assert np.array_equal(block.goals(), np.concatenate([b.goals() for b in others]))
        moves = block.choose()
        assert np.array_equal(moves, np.concatenate([b.choose() for b in others]))
        block.move(moves)
        for number, other in enumerate(others):
            other.move(moves[64 * number :][:64])
        assert np.array_equal(block.states(), np.concatenate([b.states() for b in others]))


def test_words_of_32_lanes_keep_to_the_rules() -> None:
    machine = machine_of("ticTacToe")
    block = DeviceBlock(host_engine("ticTacToe", bits=32), 6400, seed=1)
    found = block.play(9, refill=False)
    assert (found.ended == 1).all()
    assert (found.goals.sum(axis=1) == 100).all()
    assert found.steps.min() >= 5
    # Of random matches the first player wins 58.5 %, the second 28.8 %.
    assert abs((found.goals[:, 0] == 100).mean() - 0.585) < 0.03
    lane = int(np.argmax(found.steps))  # lanes that have ended before were played on
    state = machine.state(block.states()[lane])
    assert machine.is_terminal(state)
    assert machine.goal(state, machine.roles[0]) == found.goals[lane, 0]


def test_lanes_that_are_left_out_stay_where_they_are() -> None:
    block = device_block(host_engine("ticTacToe"))
    before, moves = block.states(), block.choose()
    lanes = np.arange(block.lanes) % 3 == 0
    block.move(moves, lanes)
    after = block.states()
    assert np.array_equal(after[~lanes], before[~lanes])
    assert (after[lanes] != before[lanes]).any(axis=1).all()


def test_states_can_be_loaded_and_played_from() -> None:
    machine = machine_of("ticTacToe")
    block = device_block(host_engine("ticTacToe"))
    state = machine.initial_state()
    for _ in range(3):
        state = machine.next_state(state, [machine.legal_moves(state, r)[0] for r in machine.roles])
    block.load(np.stack([machine.bits(state), machine.bits(machine.initial_state())]))
    assert np.array_equal(block.states()[0], machine.bits(state))
    assert np.array_equal(block.states()[3], machine.bits(machine.initial_state()))
    block.reset()
    assert np.array_equal(block.states()[0], machine.bits(machine.initial_state()))


def test_a_number_of_lanes_that_words_do_not_fill_is_refused() -> None:
    with pytest.raises(ValueError, match="a multiple of 64 lanes, found 100"):
        DeviceBlock(host_engine("ticTacToe"), 100)


def test_a_machine_makes_blocks_by_the_name_of_a_device() -> None:
    machine = machine_of("ticTacToe")
    block = machine.device_block(128, "host", seed=2)
    assert block.lanes == 128
    assert machine.device_engine("host") is block.engine
    with pytest.raises(ValueError, match="expected a device such as cuda:0 or host, found 'gpu'"):
        machine.device_block(128, "gpu")
