"""Environments for learning: any game, for Gymnasium and PettingZoo.

:class:`GdlVectorEnv` is many copies of a game in one, for Gymnasium; :class:`GdlAecEnv` and
:class:`GdlParallelEnv` are one copy with an agent for each role, for PettingZoo. Importing this
registers our own games with Gymnasium, as ``gdl/connectFour-v0``, if that is installed;
``gdl.envs:gdl/connectFour-v0`` is a name by which Gymnasium imports it. What needs the extra
``rl`` says so where it is missing.

In come rules, out go arrays: :mod:`.observations` says what a role is shown, :mod:`.seats` who
acts, and :class:`gdl.engine.Stepper` makes the steps. Start reading in :mod:`.vector_env`;
:mod:`.policies` has opponents that are not random, :mod:`.single_env` one copy for Gymnasium, and
:mod:`.pettingzoo_envs` those for PettingZoo.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING

from gdl.engine import random_actions
from gdl.envs.policies import Policy
from gdl.envs.seats import SeatError, Seats
from gdl.game_library import own_games

if TYPE_CHECKING:
    from gdl.envs.pettingzoo_envs import GdlAecEnv, GdlParallelEnv
    from gdl.envs.single_env import GdlEnv
    from gdl.envs.vector_env import GdlVectorEnv

__all__ = [
    "ALL",
    "TURN",
    "GdlAecEnv",
    "GdlEnv",
    "GdlParallelEnv",
    "GdlVectorEnv",
    "MissingExtraError",
    "Policy",
    "SeatError",
    "Seats",
    "random_actions",
    "require",
]

TURN = Seats.TURN
"""Whichever role has a choice acts; one at a time."""

ALL = Seats.ALL
"""All roles act at once."""

VERSION = 0
"""The version in the names of our own games in Gymnasium's registry."""

_HOMES = {
    "GdlVectorEnv": ("vector_env", "gymnasium"),
    "GdlEnv": ("single_env", "gymnasium"),
    "GdlAecEnv": ("pettingzoo_envs", "pettingzoo"),
    "GdlParallelEnv": ("pettingzoo_envs", "pettingzoo"),
}
"""The module of each name that needs a library, and the library."""


class MissingExtraError(ImportError):
    """A library that an optional part of the package needs is not installed."""


def require(library: str) -> None:
    """Raise :class:`MissingExtraError`, which says what to install, where a library is missing."""
    if find_spec(library) is None:
        install = "pip install 'ggp-player[rl]'"
        raise MissingExtraError(f"environments need {library}, which is not installed: {install}")


def __getattr__(name: str) -> object:
    """Import what needs a library when it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, library = _HOMES[name]
    require(library)
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)


def register_own_games() -> None:
    """Register each of our own games with Gymnasium, with one copy and with many."""
    from gymnasium.envs.registration import register, registry

    for game in own_games():
        name = f"gdl/{game}-v{VERSION}"
        if name not in registry:
            register(
                name,
                entry_point="gdl.envs.single_env:GdlEnv",
                vector_entry_point="gdl.envs.vector_env:GdlVectorEnv",
                kwargs={"rules": game},
            )


if find_spec("gymnasium") is not None:
    register_own_games()
