"""Our own games are in Gymnasium's registry."""

from __future__ import annotations

import gymnasium

import gdl
from gdl.envs import register_own_games


def test_every_game_of_ours_is_registered_once() -> None:
    register_own_games()
    names = {name for name in gymnasium.registry if name.startswith("gdl/")}
    assert names == {f"gdl/{game}-v0" for game in gdl.own_games()}
