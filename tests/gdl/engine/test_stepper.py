"""The stepper agrees with the state machine, lane by lane, in every mode."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl import IllegalActionError
from gdl.engine import Autoreset, PropnetStateMachine, Stepper, SteppingPlan, random_actions
from gdl.engine.stepper import MOST_ARRAYS, ArrayPool
from gdl.language import moves_by_chance
from tests.support.compiled_games import machine_of

GAMES = ["ticTacToe", "connectFour", "biddingTicTacToe", "pig", "keyMaze"]
LANES = 100
"""Two words, the second of them not full."""


def plan_of(machine: PropnetStateMachine, **settings: object) -> SteppingPlan:
    """Observe the fluents; the caller plays all roles but chance."""
    layout = machine.engine.layout
    players = tuple(i for i, role in enumerate(machine.roles) if not moves_by_chance(role))
    fixed = {
        "columns": players,
        "rewarded": players,
        "observed": layout.fluents + np.arange(layout.fluent_count),
        "masked": layout.legal + np.arange(sum(layout.move_counts)),
        "rewards": machine.engine.goal_table[:, 1] / 100,
    }
    return SteppingPlan(**{**fixed, **settings})  # type: ignore[arg-type]


def drawn(machine: PropnetStateMachine, plan: SteppingPlan, masks, random) -> NDArray[np.int64]:
    """A legal action for each column."""
    offsets = np.cumsum([0, *map(len, machine.moves)])
    columns = [
        random_actions(masks[:, offsets[role] : offsets[role + 1]], random) for role in plan.columns
    ]
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("game", GAMES)
def test_every_lane_does_what_the_state_machine_says(game: str) -> None:
    machine = machine_of(game)
    plan = plan_of(machine, skips=False)
    stepper = Stepper(machine, LANES, plan)
    stepper.autoreset = Autoreset.DISABLED
    random = np.random.default_rng(0)
    chance = [i for i in range(len(machine.roles)) if i not in plan.columns]
    result = stepper.reset()
    watched = (0, 63, 64, LANES - 1)
    states = {lane: machine.initial_state() for lane in watched}
    for _ in range(12):
        done = stepper.done
        actions = drawn(machine, plan, result.masks, random)
        result = stepper.step(actions)
        for lane in (lane for lane in watched if not done[lane]):
            chosen = zip(plan.columns, actions[lane], strict=True)
            options = [[machine.moves[role][move] for role, move in chosen]]
            for role in chance:
                legal = machine.legal_moves(states[lane], machine.roles[role])
                options = [[*o[:role], move, *o[role:]] for o in options for move in legal]
            after = {machine.step(states[lane], option) for option in options}
            states[lane] = machine.state(result.observations[lane])
            assert states[lane] in after
            assert result.terminated[lane] == machine.is_terminal(states[lane])
            if result.terminated[lane]:
                goals = [machine.goal(states[lane], machine.roles[role]) for role in plan.columns]
                assert result.rewards[lane].tolist() == [(goal or 0) / 100 for goal in goals]
                assert not result.masks[lane].any()
            else:
                assert not result.rewards[lane].any()
                expected = [
                    move in machine.legal_moves(states[lane], role)
                    for role, moves in zip(machine.roles, machine.moves, strict=True)
                    for move in moves
                ]
                assert result.masks[lane].astype(bool).tolist() == expected


def test_lanes_begin_again_as_the_mode_says() -> None:
    machine = machine_of("ticTacToe")
    plan = plan_of(machine, skips=False)
    start = machine.bits(machine.initial_state())
    for mode in Autoreset:
        stepper, random = Stepper(machine, LANES, plan), np.random.default_rng(1)
        stepper.autoreset = mode
        result, ended = stepper.reset(), np.zeros(LANES, dtype=bool)
        for _ in range(20):
            result = stepper.step(drawn(machine, plan, result.masks, random))
            if mode is Autoreset.NEXT_STEP:
                assert np.array_equal(result.observations[ended], np.tile(start, (ended.sum(), 1)))
                assert not result.terminated[ended].any()
            if mode is Autoreset.DISABLED:
                assert not result.terminated[ended].any()
            if mode is Autoreset.SAME_STEP and result.terminated.any():
                lane = int(result.terminated.argmax())
                assert np.array_equal(result.observations[lane], start)
                final = machine.state(result.final_observations[lane])
                assert machine.is_terminal(final)
                assert result.rewards[lane, 0] == (machine.goal(final, "cross") or 0) / 100
            ended = result.terminated if mode is Autoreset.NEXT_STEP else ended | result.terminated
            if mode is Autoreset.DISABLED and ended.any():
                some = np.zeros(LANES, dtype=bool)
                some[ended.argmax()] = True
                kept = result.observations.copy()
                result = stepper.reset(some)
                assert np.array_equal(result.observations[~some], kept[~some])
                assert np.array_equal(result.observations[some][0], start)
                ended &= ~some
                assert np.array_equal(stepper.done, ended)


def test_steps_without_a_choice_are_skipped_and_others_move_at_random() -> None:
    machine = machine_of("ticTacToe")
    layout = machine.engine.layout
    for role in (0, 1):
        first = layout.legal + (len(machine.moves[0]) if role else 0)
        masked = first + np.arange(len(machine.moves[role]))
        plan = plan_of(machine, columns=(role,), rewarded=(role,), masked=masked)
        stepper, random = Stepper(machine, LANES, plan), np.random.default_rng(2)
        result, rewards = stepper.reset(), []
        for _ in range(40):
            playing = result.masks.any(axis=1)
            assert (result.masks[playing].sum(axis=1) > 1).all()
            result = stepper.step(random_actions(result.masks, random))
            rewards += result.rewards[result.terminated, 0].tolist()
        # Of random play, cross wins 58.5 %, nought 28.8 %, and 12.7 % are drawn.
        assert np.mean(rewards) == pytest.approx((0.648, 0.352)[role], abs=0.05)


def test_a_shared_action_is_for_whoever_has_the_choice() -> None:
    machine = machine_of("connectFour")
    names = sorted({str(move) for moves in machine.moves for move in moves})
    table = [[list(map(str, moves)).index(name) for name in names] for moves in machine.moves]
    rows = machine.engine.layout.rows
    plan = plan_of(machine, shared_moves=np.array(table), masked=rows + np.arange(len(names)))
    stepper, random = Stepper(machine, LANES, plan), np.random.default_rng(3)
    stepper.autoreset = Autoreset.DISABLED
    result, state = stepper.reset(), machine.initial_state()
    for step in range(7):
        assert stepper.choices()[0].tolist() == [step % 2 == 0, step % 2 == 1]
        actions = random_actions(result.masks, random)
        joint = ["noop", "noop"]
        joint[step % 2] = names[actions[0]]
        state = machine.step(state, joint)
        result = stepper.step(actions)
        assert machine.state(result.observations[0]) == state
    assert stepper.states().shape == (LANES, len(machine.facts))


def test_a_limit_truncates() -> None:
    machine = machine_of("connectFour")
    stepper = Stepper(machine, 3, plan_of(machine, limit=5, skips=False))
    result, random = stepper.reset(), np.random.default_rng(4)
    for step in range(1, 11):
        result = stepper.step(drawn(machine, stepper.plan, result.masks, random))
        assert result.truncated.all() == (step % 5 == 0)
    assert not result.rewards.any()


def test_an_illegal_action_is_refused_before_anything_happens() -> None:
    machine = machine_of("ticTacToe")
    stepper = Stepper(machine, 600, plan_of(machine))
    result = stepper.reset()
    actions = drawn(machine, stepper.plan, result.masks, np.random.default_rng(5))
    for wrong in (9, -1, 2**40):
        actions[555, 0] = wrong
        with pytest.raises(IllegalActionError) as raised:
            stepper.step(actions)
        assert (raised.value.lane, raised.value.column) == (555, 0)
        assert raised.value.legal == tuple(range(9))
    assert np.array_equal(stepper.states(), result.observations)


def test_held_lanes_wait() -> None:
    machine = machine_of("ticTacToe")
    stepper = Stepper(machine, LANES, plan_of(machine))
    result = stepper.reset()
    held = np.arange(LANES) % 3 == 0
    before = result.observations.copy()
    actions = drawn(machine, stepper.plan, result.masks, np.random.default_rng(5))
    result = stepper.step(actions, held)
    changed = (result.observations != before).any(axis=1)
    assert np.array_equal(changed, ~held)


def test_the_seed_decides_and_lanes_differ() -> None:
    machine = machine_of("pig")

    def played(seed: int) -> NDArray[np.uint8]:
        stepper = Stepper(machine, LANES, plan_of(machine))
        stepper.seed(seed)
        result, random = stepper.reset(), np.random.default_rng(0)
        for _ in range(10):
            result = stepper.step(drawn(machine, stepper.plan, result.masks, random))
        return result.observations

    assert np.array_equal(played(1), played(1))
    assert not np.array_equal(played(1), played(2))
    assert len(np.unique(played(1), axis=0)) > 10


def test_at_least_one_lane() -> None:
    machine = machine_of("ticTacToe")
    with pytest.raises(ValueError, match="at least one lane"):
        Stepper(machine, 0, plan_of(machine))


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 13, 31, 33, 63, 64, 65, 127, 128, 200])
def test_draws_are_legal_and_uniform(count: int) -> None:
    random = np.random.default_rng(6)
    masks = (random.random((4000, count)) < 0.5).astype(np.uint8)
    masks[:10] = 0
    actions = random_actions(masks, random)
    some = masks.any(axis=1)
    assert masks[np.arange(4000), actions][some].all()
    assert not actions[~some].any()
    masks[:] = 0
    chosen = np.unique(random.integers(count, size=5))
    masks[:, chosen] = 1
    counts = np.bincount(random_actions(masks, random), minlength=count)[chosen]
    expected = 4000 / len(chosen)
    assert ((counts - expected) ** 2 / expected).sum() < 25  # chi-square of 4 degrees: 1 in 20,000


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 13, 31, 33, 63, 64, 65, 127, 128, 200])
def test_bytes_are_delivered_of_any_number_of_rows(count: int) -> None:
    machine = machine_of("connectFour")
    rows = machine.engine.layout.rows
    random = np.random.default_rng(7)
    observed = random.integers(rows, size=count)
    stepper = Stepper(machine, LANES, plan_of(machine, observed=observed))
    everything = Stepper(machine, LANES, plan_of(machine, observed=np.arange(rows)))
    result, other = stepper.reset(), everything.reset()
    for _ in range(5):
        actions = drawn(machine, stepper.plan, result.masks, random)
        result, other = stepper.step(actions), everything.step(actions)
    assert result.observations.max() <= 1
    assert np.array_equal(result.observations, other.observations[:, observed])


def test_what_somebody_holds_is_not_handed_out() -> None:
    pool = ArrayPool((3, 4))
    first = pool.take()
    assert first.shape == (3, 4)
    address = first.ctypes.data
    second = pool.take()
    assert second is not first
    view = first.reshape(2, 6)[:, 1:]
    del first
    assert not np.shares_memory(pool.take(), view)
    buffer = second.data
    del second
    assert not any(np.shares_memory(pool.take(), np.asarray(buffer)) for _ in range(3))
    del view
    assert pool.take().ctypes.data == address


def test_zeros_are_zeros_each_time() -> None:
    pool = ArrayPool((5,), np.float64)
    first = pool.zeros()
    first[:] = 3
    address = first.ctypes.data
    del first
    again = pool.zeros()
    assert again.ctypes.data == address
    assert again.dtype == np.float64
    assert not again.any()


def test_many_that_are_held_are_no_problem() -> None:
    pool = ArrayPool((2,))
    held = [pool.take() for _ in range(3 * MOST_ARRAYS)]
    assert len({id(array) for array in held}) == len(held)
    held.clear()
    again = {pool.take().ctypes.data for _ in range(20)}
    assert len(again) == 1
