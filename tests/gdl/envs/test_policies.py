"""Opponents with policies play by them, in every mode and order of roles."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from gdl.envs import GdlVectorEnv, SeatError, random_actions
from gdl.envs.seats import players_of
from tests.support.compiled_games import machine_of

ENVS = 40


def first_legal(seen: np.ndarray, masks: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    assert len(seen) == len(masks) == len(lanes) > 0
    assert (masks.sum(axis=1) > 1).all()
    return masks.argmax(axis=1)


@pytest.mark.parametrize("role", ["cross", "nought"])
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_every_step_is_ones_own_and_the_policys(role: str, mode: AutoresetMode) -> None:
    machine = machine_of("ticTacToe")
    env = GdlVectorEnv(
        machine, ENVS, role=role, opponents=first_legal, autoreset=mode, native=False
    )
    random = np.random.default_rng(0)
    env.reset(seed=0)
    own = [str(name) for name in machine.roles].index(role)

    def replied(state):
        """The state after the policy's move, if it is the other's turn."""
        other = 1 - own
        while not machine.is_terminal(state):
            if len(machine.legal_moves(state, machine.roles[own])) > 1:
                break
            joint = [machine.legal_moves(state, name)[0] for name in machine.roles]
            if len(machine.legal_moves(state, machine.roles[other])) > 1:
                joint[other] = machine.legal_moves(state, machine.roles[other])[0]
            state = machine.next_state(state, joint)
        return state

    start = replied(machine.initial_state())
    states = [start] * ENVS
    done = np.zeros(ENVS, dtype=bool)
    assert env.states() == states
    for _ in range(12):
        actions = random_actions(env.action_masks(), random)
        _, rewards, ended, cut, info = env.step(actions)
        assert not cut.any()
        for lane in range(ENVS):
            if done[lane]:
                if mode is AutoresetMode.NEXT_STEP:
                    states[lane] = start
                assert not ended[lane]
                continue
            joint = [machine.legal_moves(states[lane], name)[0] for name in machine.roles]
            joint[own] = machine.moves[own][actions[lane]]
            after = replied(machine.step(states[lane], joint))
            assert ended[lane] == machine.is_terminal(after)
            goal = machine.goal(after, role) or 0
            assert rewards[lane] == (goal / 50 - 1 if ended[lane] else 0)
            states[lane] = start if ended[lane] and mode is AutoresetMode.SAME_STEP else after
        assert env.states() == states
        if mode is AutoresetMode.SAME_STEP:
            assert ("final_obs" in info) == ended.any()
        else:
            done = ended if mode is AutoresetMode.NEXT_STEP else done | ended
            assert not info["action_mask"][done].any()


def test_policies_see_what_their_role_may_see() -> None:
    machine = machine_of("phantomTicTacToe")
    shapes = []

    def policy(seen: np.ndarray, masks: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        shapes.append(seen.shape)
        return first_legal(seen, masks, lanes)

    env = GdlVectorEnv(machine, ENVS, opponents={machine.roles[1].name: policy}, native=False)
    env.reset(seed=0)
    random = np.random.default_rng(0)
    for _ in range(6):
        env.step(random_actions(env.action_masks(), random))
    of_role = sum(role == 1 for role, _ in machine.percept_rows) + len(machine.moves[1])
    assert shapes
    assert all(shape[1:] == (of_role,) for shape in shapes)


def test_each_opponent_needs_a_policy() -> None:
    machine = machine_of("sealedBids")
    names = [machine.roles[player].name for player in players_of(machine)]
    with pytest.raises(SeatError, match=f"no policy for {names[2]}"):
        GdlVectorEnv(machine, 2, opponents={names[1]: first_legal}, native=False)
    env = GdlVectorEnv(machine, 2, opponents=first_legal, native=False)
    env.reset(seed=0)
    env.step(env.action_masks().argmax(axis=1))
