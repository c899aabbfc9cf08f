"""A game is profiled in its initial state and in later ones, or a remark says why not."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gdl
from ggp_player.lab.balance import LabGame
from ggp_player.lab.profile.game_profile import GameProfile, ProfileSettings, profile_game
from ggp_player.lab.profile.search_profile import CpuClocks
from ggp_player.search_memory import search_memory, set_search_memory
from ggp_player.strategies import PROVERS, Component
from tests.support.clocks import FakeCpuClock
from tests.support.lab_games import CONNECT_FOUR, NIM, TIC_TAC_TOE, lab_game

pytestmark = pytest.mark.usefixtures("compiled_once")

SETTINGS = ProfileSettings("mcts", seconds=1, solve=0)
"""A second has some twenty readings of the clock here."""


def profile(game: LabGame, settings: ProfileSettings = SETTINGS) -> GameProfile:
    clock = FakeCpuClock(step=0.05)
    return profile_game(game, settings, clocks=CpuClocks(clock, clock))


def test_the_beginning_and_the_middle_are_searched() -> None:
    stages: list[str] = []
    clock = FakeCpuClock(step=0.05)
    found = profile_game(CONNECT_FOUR, SETTINGS, stages.append, CpuClocks(clock, clock))
    first, second = found.searches
    assert (first.plies, found.game, found.remark) == (0, "connectFour", "")
    assert 5 <= second.plies <= 16
    searched = [f"searching after {plies} plies" for plies in (0, second.plies)]
    assert stages == ["compiling", "choosing positions", *searched]
    assert first.used[Component.TREE_SEARCH].counts["playouts"] > 0


def test_positions_are_those_asked_for_in_which_the_role_has_a_choice() -> None:
    found = profile(CONNECT_FOUR, replace(SETTINGS, plies=(7, 2)))
    assert [search.plies for search in found.searches] == [2, 8]


def test_plies_after_the_end_are_left_out() -> None:
    found = profile(TIC_TAC_TOE, replace(SETTINGS, plies=(0, 30)))
    assert [search.plies for search in found.searches] == [0]
    assert found.remark == "cross has no choice left after 30 plies"


def test_what_is_learned_beforehand_is_not_measured() -> None:
    stages: list[str] = []
    clock = FakeCpuClock(step=0.05)
    settings = replace(SETTINGS, strategy="auto:threads=1", prepare=30, plies=(0,))
    found = profile_game(TIC_TAC_TOE, settings, stages.append, CpuClocks(clock, clock))
    assert stages[-2:] == ["preparing", "searching after 0 plies"]
    assert Component.ANALYSIS not in found.searches[0].used


def test_provers_of_auto_are_seen() -> None:
    settings = replace(SETTINGS, strategy="auto:threads=1,learn=false", seconds=60, plies=(0,))
    (search,) = profile(NIM, settings).searches
    assert search.used.keys() & set(PROVERS)
    assert {Component.ANALYSIS, Component.TREE_SEARCH, Component.OTHER} <= search.used.keys()


@pytest.mark.parametrize(
    ("game", "strategy", "remark"),
    [
        ("lightsOut", "auto:threads=1", "one player, who plans: no prover runs beside"),
        ("pig", "proof", "proof is for games without chance, and this one has the role random"),
    ],
)
def test_what_is_not_measured_has_a_remark(game: str, strategy: str, remark: str) -> None:
    found = profile(lab_game(game), replace(SETTINGS, strategy=strategy))
    assert (found.remark, found.searches, found.solving) == (remark, (), None)


def test_stored_positions_are_proved() -> None:
    settings = replace(SETTINGS, plies=(0,), solve=2, solve_nodes=100)
    solving = profile(CONNECT_FOUR, settings).solving
    assert solving is not None
    assert (solving.positions, solving.limit) == (2, 100)
    assert profile(TIC_TAC_TOE, settings).solving is None


def test_memory_is_as_before() -> None:
    set_search_memory(2**29)
    profile(TIC_TAC_TOE, replace(SETTINGS, plies=(0,)))
    assert search_memory() == 2**29


def test_rules_that_cannot_be_played_are_an_error() -> None:
    with pytest.raises(gdl.GdlError):
        profile(LabGame("broken", "(role a"))
