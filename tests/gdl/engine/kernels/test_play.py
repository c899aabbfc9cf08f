"""Playouts in blocks end, score and begin again as single states say they must."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl
from gdl.engine.block import Block
from gdl.engine.machine import PropnetStateMachine
from tests.support.compiled_games import machine_of, machine_with_code, reasoner_of
from tests.support.marks import thorough
from tests.support.replay import SEED, assert_play_is_as_replayed, initial

Bits = NDArray[np.uint8]

GAMES = [
    "ticTacToe",
    "connectFour",
    "biddingTicTacToe",
    "phantomTicTacToe",
    "nim",
    "eightQueens",
    "trefoil",
]


@pytest.mark.parametrize("refill", [True, False])
@pytest.mark.parametrize("name", GAMES)
def test_what_is_counted(name: str, refill: bool) -> None:
    machine = machine_of(name)
    played = assert_play_is_as_replayed(machine, initial(machine), 45, refill)
    assert played.ended.sum() >= 512 * (not refill)


@pytest.mark.parametrize("words", [1, 2])
def test_what_is_counted_at_other_widths(words: int) -> None:
    machine = machine_of("ticTacToe", words)
    assert_play_is_as_replayed(machine, initial(machine), 30, refill=True)


@pytest.mark.parametrize("refill", [True, False])
@pytest.mark.parametrize("steps", [0, 1, 5, 8, 9, 10])
def test_playouts_are_broken_off_after_so_many_steps(steps: int, refill: bool) -> None:
    """Those that end with the last step count as ended."""
    machine = machine_of("ticTacToe")
    played = assert_play_is_as_replayed(machine, initial(machine), steps, refill)
    assert played.states <= 512 * steps
    assert (played.ended.sum() > 0) == (steps >= 5)
    if steps >= 9 and not refill:
        assert (played.ended == 1).all()
        assert played.states == played.steps.sum()


@pytest.mark.parametrize("refill", [True, False])
def test_every_lane_has_its_own_start(refill: bool) -> None:
    """Lanes begin at different depths, and begin again where they began."""
    machine = machine_of("ticTacToe")
    block = machine.block(seed=5)
    starts = []
    for _ in range(4):
        starts.append(block.states()[:128])
        block.view()
        block.move(block.choose())
    played = assert_play_is_as_replayed(machine, np.concatenate(starts), 30, refill)
    assert (played.ended > 0).all()
    for depth in range(4):
        lanes = slice(128 * depth, 128 * (depth + 1))
        assert played.steps[lanes].max() <= (9 - depth) * played.ended[lanes].max()


@pytest.mark.parametrize("refill", [True, False])
def test_lanes_that_are_terminal_at_the_start_are_left_alone(refill: bool) -> None:
    machine = machine_of("ticTacToe")
    block = machine.block(seed=5)
    for _ in range(7):
        block.view()
        block.move(block.choose())
    block.view()
    over = block.terminal()
    assert 50 < over.sum() < 462
    played = assert_play_is_as_replayed(machine, block.states(), 20, refill)
    assert not played.ended[over].any()
    assert not played.steps[over].any()
    assert (played.ended[~over] > 0).all()


def test_nothing_happens_where_all_lanes_are_terminal() -> None:
    machine = gdl.compile(gdl.parse("(role a) (init x) (legal a go) (terminal) (goal a 50)"))
    played = assert_play_is_as_replayed(machine, initial(machine), 10, refill=True)
    assert (played.states, played.ended.sum()) == (0, 0)


def test_a_new_start_is_not_touched_by_the_end_before_it() -> None:
    """What the rules say of a terminal state must not leak into the first step after it.

    ``next`` asks for a relation that holds in terminal states only; a lane that begins again must
    not see it.
    """
    machine = gdl.compile(
        gdl.parse(
            "(role a) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal a go)"
            "(init on) (<= (next on) (true on))"
            "(<= over (true (step 3)) (true on)) (<= terminal over)"
            "(<= (goal a 0) (not (true broken)))"
            "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"
            "(<= (next broken) over (does a go)) (<= (next broken) (true broken))"
            "(<= (goal a 100) (true broken))"
        )
    )
    played = assert_play_is_as_replayed(machine, initial(machine), 50, refill=True)
    assert played.goals.sum() == 0
    assert (played.steps == 3 * played.ended).all()


def test_the_lowest_goal_counts_and_none_is_nothing() -> None:
    machine = gdl.compile(
        gdl.parse(
            "(role a) (role b) (role c) (init x) (legal a 1) (legal a 2) (legal b 0) (legal c 0)"
            "(<= (next (did ?m)) (does a ?m)) (<= terminal (not (true x)))"
            "(goal a 70) (goal a 30) (<= (goal a 10) (true (did 1)))"
            "(<= (goal b 100) (true (did 2))) (<= (goal b none) (true (did 1)))"
        )
    )
    played = assert_play_is_as_replayed(machine, initial(machine), 8, refill=True)
    assert (played.ended == 4).all()
    values = {tuple(goals) for goals in (played.goals).tolist()}
    assert values == {(4 * 30 - 20 * n, 100 * (4 - n), 0) for n in range(5)}


@pytest.mark.parametrize("name", ["ticTacToe", "connectFour", "biddingTicTacToe"])
def test_native_code_plays_as_the_interpreter_does(name: str) -> None:
    results = []
    for machine in (machine_of(name), machine_with_code(name)):
        results.append(machine.block(SEED).play(60, refill=True))
    first, second = results
    assert np.array_equal(first.steps, second.steps)
    assert np.array_equal(first.goals, second.goals)
    assert first.states == second.states


def test_one_seed_one_result() -> None:
    machine = machine_of("ticTacToe")
    first, second, other = (machine.block(seed).play(50, refill=True) for seed in (1, 1, 2))
    assert np.array_equal(first.goals, second.goals)
    assert not np.array_equal(first.goals, other.goals)


def test_known_results_of_random_play() -> None:
    """Of all random matches of tic-tac-toe the first player wins 58.5 %, and 28.8 % the second.

    The shares follow from counting all matches by their length, see tests/perft.
    """
    machine = machine_of("ticTacToe")
    played = machine.block(SEED).play(9, refill=False)
    played_more = [machine.block(seed).play(9, refill=False) for seed in range(40)]
    goals = np.concatenate([p.goals[:, 0] for p in [played, *played_more]])
    shares = [(goals == value).mean() for value in (100, 0, 50)]
    assert shares == pytest.approx([0.585, 0.288, 0.127], abs=0.012)


# ---------------------------------------------------------------------- lanes


def lockstep(machine: PropnetStateMachine, steps: int) -> Iterator[tuple[Bits, Bits]]:
    """Yield states and chosen moves of all lanes, step by step."""
    block = machine.block(SEED)
    for _ in range(steps):
        block.view()
        moves = block.choose()
        yield block.states(), moves
        block.move(moves)


def answers(block: Block) -> list[Bits]:
    block.view()
    return [block.legal(), block.goals(), block.terminal().astype(np.uint8)[:, None]]


@pytest.mark.parametrize(
    "name",
    [
        "biddingTicTacToe",
        "phantomTicTacToe",
        *thorough("connectFour", "tron"),
    ],
)
def test_a_lane_goes_the_same_way_alone_and_among_others(name: str) -> None:
    """Every seventh lane on its own, in a narrow block, and all of them in another order."""
    machine = machine_of(name)
    whole, order = machine.block(), np.random.default_rng(1).permutation(512)
    shuffled = machine.block()
    alone = machine_of(name, 1).block()
    for step, (states, moves) in enumerate(lockstep(machine, 12)):
        whole.load(states)
        shuffled.load(states[order])
        expected = answers(whole)
        for found, wanted in zip(answers(shuffled), expected, strict=True):
            assert np.array_equal(found, wanted[order])
        whole.move(moves)
        shuffled.move(moves[order])
        assert np.array_equal(shuffled.states(), whole.states()[order])
        assert np.array_equal(shuffled.percepts(), whole.percepts()[order])
        for lane in range(step, 512, 101):
            alone.load(states[[lane]])
            for found, wanted in zip(answers(alone), expected, strict=True):
                assert (found == wanted[lane]).all()
            alone.move(np.repeat(moves[[lane]], 64, axis=0))
            assert (alone.states() == whole.states()[lane]).all()


def test_fewer_states_than_lanes_are_repeated() -> None:
    machine = machine_of("ticTacToe")
    states = machine.block(seed=1).states()[:1]
    block = machine.engine.block()
    block.load(np.concatenate([states, 1 - states, states]))
    loaded = block.states()
    assert np.array_equal(loaded[0], loaded[3])
    assert np.array_equal(loaded[1], 1 - states[0])
    assert np.array_equal(loaded[511], loaded[511 % 3])


def test_chosen_moves_are_legal_in_the_reasoner() -> None:
    machine, reasoner = machine_of("biddingTicTacToe"), reasoner_of("biddingTicTacToe")
    offsets = np.cumsum([0, *map(len, machine.moves)])
    state = reasoner.initial_state()
    for _, moves in lockstep(machine, 4):
        made = [
            own[int(moves[0, first : first + len(own)].argmax())]
            for own, first in zip(machine.moves, offsets, strict=False)
        ]
        for role, move in zip(reasoner.roles, made, strict=True):
            assert move in reasoner.legal_moves(state, role)
        state = reasoner.next_state(state, made)
