"""Vectorised environments do what Gymnasium says, and what the rules say."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import gdl
from gdl.envs import ALL, TURN, GdlVectorEnv, SeatError, random_actions
from tests.support.compiled_games import machine_of

ENVS = 70


def env_of(game: str, num_envs: int = ENVS, **settings) -> GdlVectorEnv:
    return GdlVectorEnv(machine_of(game), num_envs, native=False, **settings)


def drawn(env: GdlVectorEnv, random: np.random.Generator) -> np.ndarray:
    ends = np.cumsum([len(moves) for moves in env.actions])[:-1]
    masks = np.split(env.action_masks(), ends, axis=1)
    actions = np.stack([random_actions(mask, random) for mask in masks], axis=1)
    return actions if len(env.actions) > 1 else actions[:, 0]


SEATINGS = [
    ("ticTacToe", None),
    ("connectFour", "yellow"),
    ("connectFour", TURN),
    ("handDuel", ALL),
    ("phantomTicTacToe", ALL),
    ("pig", None),
]


@pytest.mark.parametrize(("game", "role"), SEATINGS)
def test_what_it_returns_is_in_its_spaces(game: str, role) -> None:
    env, random = env_of(game, role=role), np.random.default_rng(0)
    observations, info = env.reset(seed=1)
    for _ in range(15):
        assert observations in env.observation_space
        actions = drawn(env, random)
        assert actions in env.action_space
        assert info["action_mask"].dtype == np.int8
        observations, rewards, terminations, truncations, info = env.step(actions)
        players = len(env.roles)
        assert rewards.shape == ((ENVS, players) if role == ALL else (ENVS,))
        assert terminations.shape == truncations.shape == (ENVS,)
        assert terminations.dtype == truncations.dtype == np.bool_
        assert set(np.unique(rewards)) <= {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_gymnasium_makes_it_by_name_in_every_mode(mode: AutoresetMode) -> None:
    env = gymnasium.make_vec("gdl.envs:gdl/ticTacToe-v0", num_envs=5, autoreset=mode, native=False)
    assert env.metadata["autoreset_mode"] is mode
    assert env.num_envs == 5
    assert env.reset(seed=3)[0].shape == (5, 4, 3, 3)
    assert repr(env) == "GdlVectorEnv(gdl/ticTacToe-v0, num_envs=5)"
    env.close()


def test_episodes_end_and_begin_as_the_mode_says() -> None:
    for mode in AutoresetMode:
        env, random = env_of("ticTacToe", autoreset=mode.value), np.random.default_rng(1)
        first, _ = env.reset(seed=0)
        ended = np.zeros(ENVS, dtype=bool)
        for _ in range(12):
            observations, _, terminations, _, info = env.step(drawn(env, random))
            machine = env.machine
            over = np.array([machine.is_terminal(state) for state in env.states()])
            if mode is AutoresetMode.SAME_STEP:
                assert not over.any()
                assert ("final_obs" in info) == terminations.any()
                if terminations.any():
                    assert np.array_equal(info["_final_obs"], terminations)
                    finals = info["final_obs"][terminations]
                    assert (finals != observations[terminations]).any(axis=(1, 2, 3)).all()
            elif mode is AutoresetMode.NEXT_STEP:
                assert np.array_equal(over, terminations)
                assert np.array_equal(observations[ended], first[ended])
                ended = terminations
            else:
                ended |= terminations
                assert np.array_equal(over, ended)
                assert not info["action_mask"][ended].any()
        if mode is AutoresetMode.DISABLED:
            assert ended.all()
            some = np.arange(ENVS) % 2 == 0
            observations, _ = env.reset(options={"reset_mask": some})
            assert np.array_equal(observations[some], first[some])
            over = np.array([env.machine.is_terminal(state) for state in env.states()])
            assert np.array_equal(over, ~some)


def test_the_same_seed_gives_the_same_episodes() -> None:
    def played(seed: int | None, env: GdlVectorEnv) -> list[np.ndarray]:
        random = np.random.default_rng(5)
        found = [env.reset(seed=seed)[0]]
        return [*found, *(env.step(drawn(env, random))[0] for _ in range(10))]

    env, other = env_of("connectFour"), env_of("connectFour")
    assert np.array_equal(played(7, env), played(7, other))
    assert np.array_equal(played(7, env), played(7, env))
    assert not np.array_equal(played(8, env), played(7, other))
    assert not np.array_equal(played(None, env), played(None, env))


def test_whoever_has_the_choice_acts_and_is_rewarded() -> None:
    env, random = env_of("ticTacToe", role=TURN), np.random.default_rng(2)
    _, info = env.reset(seed=0)
    assert env.roles == ("cross", "nought")
    assert not info["role"].any()
    lasted = np.zeros(ENVS)
    for _ in range(30):
        movers = info["role"]
        assert np.array_equal(movers, lasted % 2)
        _, rewards, ended, _, info = env.step(drawn(env, random))
        lasted = np.where(ended, 0, lasted + 1)
        both = info["rewards"]
        assert np.array_equal(both.sum(axis=1), np.zeros(ENVS))
        assert np.array_equal(rewards, both[np.arange(ENVS), movers])
        # The last move may be forced, and then the other role's: only a win is the mover's own.
        assert not both[~ended].any()


def test_all_roles_at_once() -> None:
    env, random = env_of("handDuel", role=ALL), np.random.default_rng(3)
    env.reset(seed=0)
    states = env.states()
    actions = drawn(env, random)
    env.step(actions)
    for lane in range(0, ENVS, 9):
        chosen = zip(env.actions, actions[lane], strict=True)
        joint = [moves[action] for moves, action in chosen]
        assert env.states()[lane] == env.machine.step(states[lane], joint)


def test_hidden_information_is_a_dictionary_by_role() -> None:
    env = env_of("phantomTicTacToe", role=ALL)
    observations, _ = env.reset(seed=0)
    assert set(observations) == set(env.roles)
    observations, *_ = env.step(drawn(env, np.random.default_rng(0)))
    assert all(seen.any() for seen in observations.values())


def test_an_illegal_action_is_named_with_its_environment() -> None:
    env = env_of("ticTacToe")
    env.reset(seed=0)
    before = env.states()
    actions = np.full(ENVS, env.action_of("put b2"))
    actions[33] = env.action_of("noop")
    message = r"environment 33: action 9, noop, is not legal; legal: \(put a1\), "
    with pytest.raises(gdl.IllegalActionError, match=message) as raised:
        env.step(actions)
    assert raised.value.lane == 33
    actions[33] = -5
    with pytest.raises(gdl.IllegalActionError, match="environment 33: action -5 is not legal"):
        env.step(actions)
    assert env.states() == before
    with pytest.raises(ValueError, match="not in"):
        env.action_of("put z9")


def test_rewards_and_lengths_are_as_asked() -> None:
    env = env_of("connectFour", reward_range=(0.0, 10.0), max_episode_steps=6, role="red")
    random = np.random.default_rng(4)
    env.reset(seed=0)
    for step in range(1, 7):
        _, rewards, terminations, truncations, info = env.step(drawn(env, random))
        assert truncations.all() == (step % 3 == 0)  # each is two steps of the game
        assert not rewards.any()
        assert not terminations.any()
        assert ("final_obs" in info) == (step % 3 == 0)


def test_states_are_drawn() -> None:
    env = env_of("ticTacToe", 2, render_mode="ansi")
    env.reset(seed=0)
    texts = env.render()
    assert texts is not None
    assert len(texts) == 2
    assert "a" in texts[0]
    (picture,) = GdlVectorEnv("ticTacToe", 1, render_mode="svg", native=False).render() or ()
    assert picture.startswith("<svg")
    assert env_of("ticTacToe").render() is None


def test_seats_that_leave_no_opponents() -> None:
    with pytest.raises(SeatError, match="leaves no role"):
        env_of("ticTacToe", role=TURN, opponents=lambda seen, masks, lanes: lanes)


def test_native_code_gives_the_same_as_the_interpreter() -> None:
    fast, slow = GdlVectorEnv("ticTacToe", ENVS), env_of("ticTacToe")
    random = np.random.default_rng(6)
    fast.reset(seed=1)
    slow.reset(seed=1)
    for _ in range(10):
        actions = drawn(slow, random)
        one, other = fast.step(actions), slow.step(actions)
        for mine, its in zip(one[:4], other[:4], strict=True):
            assert np.array_equal(mine, its)
