"""One copy of a game passes Gymnasium's own checks."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import gdl
from gdl.envs import GdlEnv
from tests.support.compiled_games import NAMES, machine_of

FEW = ["ticTacToe", "connectFour", "pig", "biddingTicTacToe", "eightPuzzle"]


def check(game: str) -> None:
    check_env(GdlEnv(machine_of(game), native=False, illegal="lose"), skip_render_check=True)


@pytest.mark.filterwarnings("ignore")  # the checker warns of what is no mistake
@pytest.mark.parametrize("game", FEW)
def test_the_checker_passes(game: str) -> None:
    check(game)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("game", [name for name in NAMES if name not in FEW])
def test_the_checker_passes_for_all_our_games(game: str) -> None:
    check(game)


def test_it_is_made_by_name_and_played_to_its_end() -> None:
    env = gymnasium.make("gdl.envs:gdl/ticTacToe-v0", native=False, render_mode="ansi")
    _, info = env.reset(seed=1)
    rewards, over = [], False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        _, reward, over, cut, info = env.step(action)
        rewards.append(reward)
        assert not cut
    assert rewards[-1] in (-1.0, 0.0, 1.0)
    assert not any(rewards[:-1])
    assert not info["action_mask"].any()


def test_an_illegal_action_raises_or_loses() -> None:
    env = GdlEnv(machine_of("ticTacToe"), native=False, render_mode="ansi")
    env.reset(seed=0)
    noop = env.lanes.action_of("noop")
    with pytest.raises(gdl.IllegalActionError, match="environment 0: action 9, noop"):
        env.step(noop)
    assert env.action_masks().sum() == 9
    assert "a" in (env.render() or "")
    env = GdlEnv(machine_of("ticTacToe"), native=False, illegal="lose", reward_range=(0.0, 1.0))
    seen, _ = env.reset(seed=0)
    after, reward, over, cut, info = env.step(noop)
    assert (reward, over, cut, info["illegal"]) == (0.0, True, False, True)
    assert np.array_equal(seen, after)
    assert env.render() is None
