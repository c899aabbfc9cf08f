"""Environments on a device do what those of the host do, lane by lane, in every mode."""

from __future__ import annotations

import numpy as np
import pytest

from gdl.engine import Autoreset, Stepper, random_actions
from gdl.engine.device import DeviceStepper, DeviceStepResult
from gdl.engine.device_kernels import byte_kernels
from gdl.envs.seats import EpisodeSettings, SeatPlan, plan_all, plan_seat, plan_turn
from tests.support.compiled_games import machine_of
from tests.support.device_games import host_engine

LANES = 64
"""As many as a block of the host has that draws the same random numbers."""

ALWAYS = ("observations", "masks", "rewards", "terminated", "truncated")

FEW = [
    ("connectFour", plan_turn, True),
    ("biddingTicTacToe", plan_all, True),
    ("phantomTicTacToe", plan_all, False),
    ("pig", plan_seat, True),
]
MORE = [
    ("ticTacToe", plan_seat, True),
    ("connectFour", plan_turn, False),
    ("hex", plan_turn, True),
    ("trefoil", plan_turn, True),
    ("kuhnPoker", plan_all, True),
    ("dotsAndBoxes", plan_turn, True),
    ("tron", plan_all, True),
    ("breakthrough", plan_turn, False),
]
IN_MODES = [
    pytest.param(*case, mode, marks=[] if is_usual else [pytest.mark.thorough])
    for number, case in enumerate([*FEW, *MORE])
    for place, mode in enumerate(Autoreset)
    for is_usual in [number < len(FEW) and number % len(Autoreset) == place]
]
"""Each game in one mode by default, and in all of them, with more games, in thorough tests."""


def plan_of(game: str, make, limit: int) -> SeatPlan:
    machine, settings = machine_of(game), EpisodeSettings((-1.0, 1.0), limit)
    return make(machine, *([None] if make is plan_seat else []), "auto", settings)


def drawn(plan: SeatPlan, masks, random: np.random.Generator):
    if plan.stepping.shared_moves is not None or len(plan.actions) == 1:
        return random_actions(masks, random)
    ends = np.cumsum([len(moves) for moves in plan.actions])[:-1]
    parts = [np.ascontiguousarray(part) for part in np.split(masks, ends, axis=1)]
    return np.stack([random_actions(part, random) for part in parts], axis=1)


def assert_agree(plan: SeatPlan, ours: DeviceStepResult, theirs) -> None:
    names = list(ALWAYS)
    if plan.stepping.shared_moves is not None:
        names += ["movers", "own_rewards"]
    for name in names:
        assert np.array_equal(getattr(ours, name).numpy(), getattr(theirs, name)), name
    assert not ours.illegal.numpy().any()


def assert_steps_agree(game: str, make, has_tiles: bool, mode: Autoreset) -> None:
    plan = plan_of(game, make, limit=7 if make is plan_turn else 0)
    ours = DeviceStepper(host_engine(game, has_tiles=has_tiles), LANES, plan.stepping)
    theirs, random = Stepper(machine_of(game), LANES, plan.stepping), np.random.default_rng(3)
    ours.autoreset = theirs.autoreset = mode
    ours.seed(7)
    theirs.seed(7)
    found, expected = ours.reset(), theirs.reset()
    assert np.array_equal(found.observations.numpy(), expected.observations)
    for _ in range(30):
        if mode is Autoreset.DISABLED and theirs.done.any():
            lanes = theirs.done
            found, expected = ours.reset(lanes), theirs.reset(lanes)
            assert np.array_equal(found.masks.numpy(), expected.masks)
        actions = drawn(plan, expected.masks, random)
        found, expected = ours.step(actions), theirs.step(actions)
        assert_agree(plan, found, expected)
        if mode is Autoreset.SAME_STEP:
            ended = expected.terminated | expected.truncated
            last = found.final_observations.numpy()[ended]
            assert np.array_equal(last, expected.final_observations[ended])
    assert np.array_equal(ours.states(), theirs.states())


@pytest.mark.parametrize(("game", "make", "has_tiles", "mode"), IN_MODES)
def test_steps_are_those_of_the_host(game: str, make, has_tiles: bool, mode: Autoreset) -> None:
    assert_steps_agree(game, make, has_tiles, mode)


@pytest.fixture(scope="module")
def stepper() -> DeviceStepper:
    plan = plan_of("ticTacToe", plan_turn, limit=0)
    return DeviceStepper(host_engine("ticTacToe"), LANES, plan.stepping)


def test_an_action_that_is_not_legal_leaves_its_lane_as_it_is(stepper: DeviceStepper) -> None:
    first = stepper.reset()
    actions = random_actions(first.masks.numpy(), np.random.default_rng(0))
    noop = int(np.flatnonzero(first.masks.numpy()[0] == 0)[0])
    actions[5], actions[6], actions[7] = noop, 1000, -1
    result = stepper.step(actions)
    assert np.flatnonzero(result.illegal.numpy()).tolist() == [5, 6, 7]
    changed = (result.observations.numpy() != first.observations.numpy()).any(axis=1)
    assert np.flatnonzero(~changed).tolist() == [5, 6, 7]
    assert np.array_equal(result.masks.numpy()[5], first.masks.numpy()[5])


def test_actions_come_from_the_device_without_a_copy_and_from_the_host(
    stepper: DeviceStepper,
) -> None:
    masks = stepper.reset().masks
    tensor = stepper.random_actions(masks, np.random.default_rng(0))
    same = random_actions(masks.numpy(), np.random.default_rng(0))
    assert np.array_equal(tensor.numpy(), same)
    results = []
    for actions in (tensor, same, _Wrapped(same.astype(np.int32))):
        stepper.reset()
        results.append(stepper.step(actions).observations.numpy().copy())
    assert results[0].any()
    assert np.array_equal(results[1], results[0])
    assert np.array_equal(results[2], results[0])


class _Wrapped:
    """An array of another library: what is known of it is DLPack."""

    def __init__(self, array) -> None:
        self._array = array

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()

    def __dlpack__(self, **_unused):
        return self._array.__dlpack__()


def test_actions_of_another_shape_or_type_are_refused(stepper: DeviceStepper) -> None:
    stepper.reset()
    for actions, message in [
        (np.zeros(3), "expected actions of shape"),
        (np.zeros((LANES, 2)), "expected actions of shape"),
        (_Wrapped(np.zeros(LANES)), "expected actions int64 or int32 without gaps, found f64"),
        (_Wrapped(np.zeros((LANES, 2), dtype=np.int64)[:, 0]), "without gaps"),
    ]:
        with pytest.raises(ValueError, match=message):
            stepper.step(actions)


def test_a_result_that_is_held_is_not_written_to_again(stepper: DeviceStepper) -> None:
    first, random = stepper.reset(), np.random.default_rng(0)
    held = np.from_dlpack(first.observations)
    before = held.copy()
    masks = first.masks
    del first
    for _ in range(20):
        masks = stepper.step(stepper.random_actions(masks, random)).masks
    assert np.array_equal(held, before)


def test_copies_that_do_not_fill_words_are_refused() -> None:
    plan = plan_of("ticTacToe", plan_turn, limit=0)
    with pytest.raises(ValueError, match="expected a multiple of 64 copies, found 100"):
        DeviceStepper(host_engine("ticTacToe"), 100, plan.stepping)


def test_lines_that_have_no_room_in_shared_memory_are_delivered_as_others(monkeypatch) -> None:
    monkeypatch.setattr(byte_kernels, "MOST_BYTES", 50)
    monkeypatch.setattr(byte_kernels, "ROUNDS", 1)
    assert byte_kernels.lanes_of_group(20) == 0
    assert_steps_agree("ticTacToe", plan_turn, has_tiles=True, mode=Autoreset.SAME_STEP)
