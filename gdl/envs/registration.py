"""The names of our own games in Gymnasium's registry: ``gdl/connectFour-v0``.

They are registered when :mod:`gdl.envs` is imported; ``gdl.envs:gdl/connectFour-v0`` is a name by
which Gymnasium does so by itself. Apart, since it imports Gymnasium, which may be missing.
"""

from __future__ import annotations

from gymnasium.envs.registration import register, registry

from gdl.game_library import own_games

VERSION = 0


def register_own_games() -> None:
    """Register each of our own games, with one copy and with many."""
    for game in own_games():
        name = f"gdl/{game}-v{VERSION}"
        if name not in registry:
            register(
                name,
                entry_point="gdl.envs.single_env:GdlEnv",
                vector_entry_point="gdl.envs.vector_env:GdlVectorEnv",
                kwargs={"rules": game},
            )
