"""The environments for PettingZoo pass its own tests, and play by the rules."""

from __future__ import annotations

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import gdl
from gdl.envs import GdlAecEnv, GdlParallelEnv
from tests.support.compiled_games import NAMES, machine_of

FEW = ["ticTacToe", "connectFour", "phantomTicTacToe", "pig", "handDuel", "eightPuzzle"]


def check(game: str, cycles: int) -> None:
    machine = machine_of(game)
    api_test(GdlAecEnv(machine), num_cycles=cycles)
    parallel_api_test(GdlParallelEnv(machine), num_cycles=cycles)
    seed_test(lambda: GdlAecEnv(machine), num_cycles=cycles)
    parallel_seed_test(lambda: GdlParallelEnv(machine), num_cycles=cycles)


# Agents are named as roles are, not player_0; those that see nothing yet observe zeros.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("game", FEW)
def test_pettingzoos_tests_pass(game: str) -> None:
    check(game, 100)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("game", NAMES)
def test_pettingzoos_tests_pass_for_all_our_games(game: str) -> None:
    check(game, 1000)


def test_only_who_has_a_choice_acts_in_turn() -> None:
    machine = machine_of("connectFour")
    env = GdlAecEnv(machine, render_mode="ansi")
    env.reset(seed=0)
    state, drop = machine.initial_state(), env.actions_of("red").index(gdl.parse_term("(drop 4)"))
    for turn in range(4):
        agent = env.possible_agents[turn % 2]
        assert env.agent_selection == agent
        seen, reward, over, cut, _ = env.last()
        assert (reward, over, cut) == (0.0, False, False)
        assert seen["action_mask"][drop] == 1
        env.step(drop)
        joint = ["noop", "noop"]
        joint[turn % 2] = "drop 4"
        state = machine.step(state, joint)
        assert np.array_equal(env.state(), machine.bits(state))
    assert "red" in (env.render() or "")
    assert env.names_of("red")[0] == "(disc ? ? red)"


def test_a_match_ends_with_rewards_for_all() -> None:
    env = GdlAecEnv(machine_of("ticTacToe"))
    env.reset(seed=0)
    squares = env.actions_of("cross")
    for square in ("b2", "a1", "b1", "a2", "b3"):
        env.step(squares.index(gdl.parse_term(f"(put {square})")))
    assert env.rewards == {"cross": 1.0, "nought": -1.0}
    assert env.terminations == {"cross": True, "nought": True}
    while env.agents:
        env.step(None)
    assert env.agents == []


def test_roles_that_choose_at_once_are_asked_one_after_the_other() -> None:
    env = GdlAecEnv(machine_of("handDuel"))
    env.reset(seed=0)
    before = env.state()
    assert env.agent_selection == "left"
    env.step(0)
    assert env.agent_selection == "right"
    assert np.array_equal(env.state(), before)
    env.step(1)
    assert not np.array_equal(env.state(), before)


def test_an_illegal_action_loses_or_raises() -> None:
    machine = machine_of("ticTacToe")
    for env in (GdlAecEnv(machine), GdlAecEnv(machine, illegal="raise")):
        env.reset(seed=0)
        noop = env.actions_of("cross").index(gdl.Constant("noop"))
        if not env._loses:
            with pytest.raises(gdl.IllegalActionError, match="action 9 is not legal"):
                env.step(noop)
            continue
        env.step(noop)
        assert env.rewards == {"cross": -1.0, "nought": 0.0}
        assert all(env.terminations.values())
        assert env.infos["cross"] == {"illegal": True}
    parallel = GdlParallelEnv(machine)
    parallel.reset(seed=0)
    _, rewards, over, _, infos = parallel.step({"cross": noop, "nought": noop})
    assert rewards == {"cross": -1.0, "nought": 0.0}
    assert over == {"cross": True, "nought": True}
    assert infos == {"cross": {"illegal": True}, "nought": {}}
    assert parallel.agents == []


def test_a_limit_truncates() -> None:
    env = GdlParallelEnv(machine_of("connectFour"), max_episode_steps=1, native=True)
    seen, _ = env.reset(seed=0)
    actions = {agent: int(seen[agent]["action_mask"].argmax()) for agent in env.agents}
    _, rewards, over, cut, _ = env.step(actions)
    assert cut == {"red": True, "yellow": True}
    assert not any(over.values())
    assert not any(rewards.values())
    assert env.render() is None
    env.close()
