"""Players of the ladder have versions, and anchors have one rating for all of them."""

from __future__ import annotations

import re

import pytest

from ggp_player.errors import LabError
from ggp_player.lab.ladder.players import LadderPlayer, ladder_players
from ggp_player.lab.ledger import strategies_version


def test_strategies_have_the_version_of_this_package_and_of_their_source() -> None:
    found = ladder_players(("mcts", "127.0.0.1:9301"), ("Sancho 1.61c",))
    assert found["127.0.0.1:9301"] == LadderPlayer("Sancho", "1.61c")
    assert found["mcts"].name == "mcts"
    assert re.fullmatch(rf"\d+\.\d+\.\d+\+{strategies_version()}", found["mcts"].version)


def test_names_are_given_to_addresses_in_their_order() -> None:
    names = ("A player of 2014 2.1", "auto:threads=1 0.1.0")
    found = ladder_players(("localhost:9301#B", "[::1]:9302/secret"), names)
    assert list(map(str, found.values())) == list(names)
    assert [player.is_ours for player in found.values()] == [False, True]


@pytest.mark.parametrize(
    ("player", "rated_as", "is_anchor"),
    [
        ("uct 0.1.0+12345678", "uct", True),
        ("alpha_beta:depth=3 0.9.0", "alpha_beta:depth=3", True),
        ("mcts 0.1.0", "mcts 0.1.0", True),
        ("mcts 0.1.0+12345678", "mcts 0.1.0+12345678", False),
        ("Sancho 1.61c", "Sancho 1.61c", False),
    ],
)
def test_anchors_are_the_same_in_all_versions(player: str, rated_as: str, is_anchor: bool) -> None:
    found = LadderPlayer.read(player)
    assert (found.rated_as, found.is_anchor) == (rated_as, is_anchor)


@pytest.mark.parametrize(
    ("specs", "names", "sentence"),
    [
        (
            ("mcts", "a:1"),
            (),
            "expected a --name for each address, in their order; found 0 for a:1",
        ),
        (("mcts", "uct"), ("Sancho 1.61c",), "found 1 for none"),
        (("mcts", "a:1"), ("Sancho",), "expected a name and a version such as 'Sancho 1.61c'"),
        (("a:1", "a:2"), ("uct 1", "uct 2"), "expected two players, found uct 1 and uct 2"),
        (("mcts", "./mine.py:Mine"), (), "./mine.py:Mine is no strategy of this package"),
        (("mcts", "human"), (), "human is no strategy of this package, and has no version"),
    ],
)
def test_who_cannot_be_on_the_ladder_is_said(
    specs: tuple[str, str], names: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(LabError, match=re.escape(sentence)):
        ladder_players(specs, names)
