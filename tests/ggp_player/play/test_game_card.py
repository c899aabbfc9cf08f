"""What the gallery says of each game."""

from __future__ import annotations

import pytest

import gdl
from gdl.game_library import own_games
from gdl.language import moves_by_chance
from ggp_player.play.gallery import LENGTHS, game_card
from tests.support.compiled_games import EVERY_GAME


@pytest.mark.parametrize("name", EVERY_GAME)
def test_cards_agree_with_the_rules(name: str) -> None:
    file = own_games()[name]
    card = game_card(name, name, file.read_text(encoding="utf-8"))
    roles = gdl.load(file).roles
    assert card.roles == tuple(str(role) for role in roles if not moves_by_chance(role))
    assert ("chance" in card.kinds) == any(map(moves_by_chance, roles))
    assert ("puzzle" in card.kinds) == (len(roles) == 1)
    assert card.kinds
    assert card.title
    assert card.steps in LENGTHS
    assert card.sentence.endswith(".")


def test_a_card_has_the_first_sentence_only() -> None:
    card = game_card("hex", "hex", own_games()["hex"].read_text(encoding="utf-8"))
    assert card.title == "Hex"
    assert card.sentence == (
        "Red and blue take turns to put a stone on a free cell of a 6 x 6 rhombus of hexagons; red "
        "begins."
    )
    assert (card.roles, card.kinds_in_words) == (("red", "blue"), ("in turns",))
    assert (card.length, card.steps) == ("11 to 36 steps, about 29 at random", "30")


def test_a_rulesheet_without_a_comment_has_a_card() -> None:
    card = game_card("added-1", "mine", "(role a)", ("a", "Random"))
    assert (card.title, card.sentence, card.length) == ("mine", "", "")
    assert (card.roles, card.kinds) == (("a",), ("chance",))


@pytest.mark.parametrize(
    ("length", "steps"),
    [
        ("", ""),
        ("as long as it takes", ""),
        ("3 or 4 steps", "10"),
        ("11 steps", "30"),
        ("4 steps at least, about 330 at random", "longer"),
        ("24 steps for one of the 304 whole tours, about 15 at random", "30"),
        ("31 to 40 steps", "60"),
        ("up to 120 steps", "longer"),
        ("9" * 5000 + " steps", ""),
    ],
)
def test_how_long_a_match_is_can_be_chosen(length: str, steps: str) -> None:
    assert game_card("x", "x", f"; X\n;\n; So.\n;\n; Length: {length}\n").steps == steps


def test_our_games_are_of_all_lengths() -> None:
    games = own_games().items()
    cards = [game_card(name, name, file.read_text(encoding="utf-8")) for name, file in games]
    assert {card.steps for card in cards} == set(LENGTHS)
