"""Random play in each library: legal actions, with observations and masks as NumPy arrays.

Each function prepares a game and returns what plays on a little, and says how many steps it made.
A step is one player's move. Raises ImportError where the library is not installed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from benchmarks.environments.games import Game
from gdl.envs import TURN, GdlVectorEnv, random_actions

Play = Callable[[], int]


def play_ours(env: GdlVectorEnv) -> Play:
    """Play in an environment of ours, one step of all copies at a time."""
    random = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    mask = info["action_mask"]

    def play() -> int:
        nonlocal mask
        *_, told = env.step(random_actions(mask, random))
        mask = told["action_mask"]
        return env.num_envs

    return play


def our_environment(game: Game, envs: int) -> GdlVectorEnv:
    """Make an environment that acts for whichever role has the choice."""
    import gdl

    machine = gdl.compile(gdl.parse(game.rules, game.own))
    return GdlVectorEnv(machine, envs, role=TURN)


def play_pgx(game: Game, envs: int) -> Play:
    """Play with Pgx, and have what is delivered as NumPy arrays."""
    step, state, key = pgx_copies(game, envs)

    def play() -> int:
        nonlocal state, key
        state, key = step(state, key)
        for delivered in (state.observation, state.legal_action_mask, state.rewards):
            np.asarray(delivered)
        return envs

    return play


def pgx_copies(
    game: Game, envs: int, *, in_place: bool = False
) -> tuple[Callable[..., tuple[Any, Any]], Any, Any]:
    """Return a jitted step of all copies, which draws and begins matches anew, and what it takes.

    It takes the state of the copies and a key, and returns the next ones; ``in_place`` lets it
    write the state over the one that it was given.
    """
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(game.pgx)
    step_all = jax.vmap(auto_reset(env.step, env.init))

    def step_drawn(state: Any, key: Any) -> tuple[Any, Any]:  # noqa: ANN401 as JAX traces them
        key, drawn, begun = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(drawn, logits, axis=1)
        return step_all(state, actions, jax.random.split(begun, envs)), key

    key = jax.random.PRNGKey(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, envs))
    return jax.jit(step_drawn, donate_argnums=0 if in_place else ()), state, key


def play_pettingzoo(game: Game, envs: int = 1) -> Play:
    """Play whole matches with PettingZoo's raw environment, one copy."""
    env = importlib.import_module(f"pettingzoo.classic.{game.pettingzoo}").raw_env()
    random = np.random.default_rng(0)

    def play() -> int:
        env.reset(seed=int(random.integers(2**31)))
        steps = 0
        while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            observation = env.observe(env.agent_selection)
            env.step(int(random.choice(np.flatnonzero(observation["action_mask"]))))
            steps += 1
        return steps

    return play


def play_openspiel(game: Game, envs: int = 1) -> Play:
    """Play whole matches with OpenSpiel, one state after the other."""
    import pyspiel

    loaded, random = pyspiel.load_game(game.openspiel), Random(0)

    def play() -> int:
        state, steps = loaded.new_initial_state(), 0
        while not state.is_terminal():
            np.array(state.observation_tensor(state.current_player()), dtype=np.float32)
            np.array(state.legal_actions_mask(), dtype=np.int8)
            state.apply_action(random.choice(state.legal_actions()))
            steps += 1
        return steps

    return play
