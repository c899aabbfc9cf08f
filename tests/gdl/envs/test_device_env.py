"""Environments with a device: the same episodes, as tensors; the device is this processor."""

from __future__ import annotations

import numpy as np
import pytest

from gdl.envs import ALL, TURN, GdlVectorEnv, SeatError
from tests.support.compiled_games import machine_of

ENVS = 64


def envs_of(game: str, **settings) -> tuple[GdlVectorEnv, GdlVectorEnv]:
    machine = machine_of(game)
    host = GdlVectorEnv(machine, ENVS, native=False, **settings)
    return host, GdlVectorEnv(machine, ENVS, device="host", **settings)


@pytest.mark.parametrize(
    ("role", "autoreset"),
    [pytest.param(None, "NextStep", marks=pytest.mark.thorough), (TURN, "SameStep")],
)
def test_episodes_are_those_of_the_host(role, autoreset: str) -> None:
    host, ours = envs_of("connectFour", role=role, autoreset=autoreset)
    random = [np.random.default_rng(0) for _ in range(2)]
    expected, _ = host.reset(seed=4)
    found, info = ours.reset(seed=4)
    for _ in range(45):
        assert np.array_equal(np.from_dlpack(found), expected)
        assert np.array_equal(np.from_dlpack(info["action_mask"]), host.action_masks())
        expected, *others, told = host.step(host.random_actions(random[0]))
        found, *tensors, info = ours.step(ours.random_actions(random[1]))
        for tensor, other in zip(tensors, others, strict=True):
            assert np.array_equal(np.from_dlpack(tensor), other)
        if "_final_obs" in told:
            ended = told["_final_obs"]
            last = np.from_dlpack(info["final_obs"])
            assert np.array_equal(last[ended], told["final_obs"][ended])
        if role is TURN:
            assert np.array_equal(np.from_dlpack(info["role"]), told["role"])
    assert ours.states() == host.states()


def test_where_roles_see_different_things_each_has_its_tensor() -> None:
    host, ours = envs_of("phantomTicTacToe", role=ALL)
    expected, _ = host.reset(seed=0)
    found, _ = ours.reset(seed=0)
    assert list(found) == list(expected)
    for role, seen in expected.items():
        assert np.array_equal(np.from_dlpack(found[role]), seen)
        assert found[role].shape == seen.shape


def test_policies_are_asked_on_the_host_only() -> None:
    with pytest.raises(SeatError, match="on host opponents move at random: policies are asked"):
        GdlVectorEnv(
            machine_of("ticTacToe"), ENVS, opponents=lambda *_: np.zeros(0, np.int64), device="host"
        )


def test_some_copies_begin_again() -> None:
    _, ours = envs_of("ticTacToe", role=TURN)
    first, _ = ours.reset(seed=0)
    ours.step(ours.random_actions(np.random.default_rng(0)))
    mask = np.arange(ENVS) % 2 == 0
    found, _ = ours.reset(options={"reset_mask": mask})
    same = (np.from_dlpack(found) == np.from_dlpack(first)).reshape(ENVS, -1).all(axis=1)
    assert np.array_equal(same, mask)
