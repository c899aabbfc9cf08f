"""What is said at the end of a match, in words that the rules have."""

from __future__ import annotations

import pytest

import gdl
from gdl.analysis.decisive_facts import decisive_facts, ending_rules
from gdl.drawing import ending_in_words, layout_of


@pytest.mark.parametrize(
    ("game", "state", "wanted"),
    [
        (
            "ticTacToe",
            "(marked a1 nought) (marked b2 nought) (marked c3 nought) (marked a2 cross)"
            " (marked b1 cross) (marked c1 cross) (turn cross)",
            "Decided by nought on a1, b2 and c3.",
        ),
        ("breakthrough", "(pawn black 8 1) (pawn white 3 3) (turn white)", "black on h1"),
        ("pig", "(has first 20) (has second 3) (turn first) (pot 0) (steps 9)", ""),
        pytest.param(
            "chess",
            "(piece white king 5 1) (piece black king 5 8) (quiet 50) (turn white)",
            "rule: without capture or pawn move 50.",
            marks=pytest.mark.thorough,
        ),
        ("goofspiel", "(points left 3) (points right 3)", ""),
        ("nim", "(pebbles left 0) (pebbles middle 0) (pebbles right 0) (turn first)", ""),
        ("reversi", "(disc 1 1 black) (disc 8 8 white) (turn white)", ""),
        ("ticTacToe", "(turn cross)", ""),
    ],
)
def test_a_line_a_piece_or_a_rule_that_names_something_is_named(
    game: str, state: str, wanted: str
) -> None:
    ruleset = gdl.load(game)
    machine = gdl.interpret(ruleset)
    last = machine.state_of(gdl.parse_term(f"(state {state})").args)  # type: ignore[union-attr]
    is_over = machine.is_terminal(last)
    facts = decisive_facts(machine, last) if is_over else frozenset()
    said = str(ending_in_words(layout_of(ruleset), facts, ending_rules(ruleset, last)))
    assert wanted in said
    assert is_over == (game != "ticTacToe" or bool(wanted))
    assert bool(wanted) == bool(said)


def test_rules_that_take_too_long_to_try_are_not_named() -> None:
    ruleset = gdl.load("goofspiel")
    last = gdl.interpret(ruleset).state_of([gdl.parse_term("(points left 3)")])
    assert len(ending_rules(ruleset, last)) == 1
    assert ending_rules(ruleset, last, seconds=-1) == ()


def test_more_places_than_can_be_read_are_counted() -> None:
    ruleset = gdl.load("reversi")
    facts = [gdl.parse_term(f"(disc {x} {y} black)") for x in range(1, 9) for y in (1, 2)]
    said = str(ending_in_words(layout_of(ruleset), facts, ()))
    assert said == "Decided by black on 16 places."
