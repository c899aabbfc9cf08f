"""What moves are called follows from the rules and the board."""

from __future__ import annotations

import doctest
from dataclasses import replace
from random import Random

import pytest

import gdl
from gdl.analysis import move_names
from gdl.analysis.boards import find_layout
from gdl.analysis.move_names import find_move_names, names_without_play
from gdl.playouts import play_out
from tests.support.compiled_games import EVERY_GAME, SAMPLE, reasoner_of
from tests.support.drawn_games import layout_of_game, move_table, names_of_game
from tests.support.paths import ROOT

CALLED = {
    "amazons": [("(glide 3 1 3 2)", "c1-c2"), ("(shoot 6 5)", "f5")],
    "biddingTicTacToe": [("(bid 3)", "bid 3"), ("(put b2)", "b2")],
    "bridges": [("(build long 4 4)", "g7"), ("(build cross 1 2)", "b4")],
    "chess": [("(move 5 2 5 4)", "e2-e4"), ("(promote 1 7 1 8 queen)", "promote a7-a8 queen")],
    "connectFour": [("(drop 4)", "column 4"), ("noop", "noop")],
    "dotsAndBoxes": [("(draw flat 2 1)", "b1-c1"), ("(draw upright 4 3)", "d3-d4")],
    "draughts": [("(step 1 3 2 4)", "a3-b4"), ("(jump 2 6 4 4)", "b6-d4")],
    "eightQueens": [("(put 3)", "row 3")],
    "fourCups": [("(pointAt red)", "point at the red cup")],
    "hex": [("(place 2 6)", "b6")],
    "lightsOut": [("(press 5 1)", "a5")],  # the row comes first in these rules
    "nim": [("(take left 3)", "take left 3")],
    "nineBoards": [("(put mid w)", "board middle, square west")],
    "pegSolitaire": [("(jump 4 1)", "4-1")],
    "pentago": [
        ("(put 1 2)", "a2"),
        ("(rotate northwest clockwise)", "rotate northwest clockwise"),
    ],
    "quarto": [("(hand tdrf)", "hand over the tall, dark, round, full piece"), ("(put a1)", "a1")],
    "starHalma": [("(move 9 3 8 3)", "9,3-8,3")],  # no labels
    "threeHills": [("(post 5 0 1)", "post 5 west, 0 in the middle, 1 east")],
    "twinBoards": [("(drop 3)", "column 3")],
}

ODD_GAME = """
(role white) (role black)
(init (control white))
(index 1) (index 2) (index 3) (file a) (file b) (file c)
(<= (base (cell ?f ?r ?p)) (file ?f) (index ?r) (piece ?p))
(piece rook) (piece empty)
(init (cell a 1 rook))
(<= (init (cell ?f ?r empty)) (file ?f) (index ?r) (distinct ?f a))
(<= (legal ?p (build ?p ?f ?r)) (true (control ?p)) (true (cell ?f ?r empty)))
(<= (legal ?p (raze ?p ?f ?r)) (true (control ?p)) (true (cell ?f ?r rook)))
(<= (legal ?p (go ?p rook ?f ?r ?f2 ?r)) (true (control ?p))
  (true (cell ?f ?r rook)) (true (cell ?f2 ?r empty)))
(<= (legal white idle) (true (control black)))
(<= (legal black idle) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))
(<= (next (cell ?f ?r rook)) (does ?p (build ?p ?f ?r)))
(<= (next (cell ?f ?r empty)) (does ?p (raze ?p ?f ?r)))
(<= (next (cell ?f ?r rook)) (does ?p (go ?p rook ?f2 ?r2 ?f ?r)))
(<= (next (cell ?f ?r empty)) (does ?p (go ?p rook ?f ?r ?f2 ?r2)))
(<= (next (cell ?f ?r ?x)) (true (cell ?f ?r ?x)) (not (touched ?f ?r)))
(<= (touched ?f ?r) (does ?p (build ?p ?f ?r)))
(<= (touched ?f ?r) (does ?p (raze ?p ?f ?r)))
(<= (touched ?f ?r) (does ?p (go ?p rook ?f ?r ?f2 ?r2)))
(<= (touched ?f ?r) (does ?p (go ?p rook ?f2 ?r2 ?f ?r)))
(<= terminal (true (cell a 1 ghost)))
(goal white 50) (goal black 50)
"""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in SAMPLE else [pytest.mark.thorough]) for name in CALLED],
)
def test_moves_are_called_as_people_say_them(name: str) -> None:
    names = names_of_game(name)
    assert [(text, names.name(text)) for text, _ in CALLED[name]] == CALLED[name]
    assert names.waits("noop")


@pytest.mark.parametrize("name", EVERY_GAME)
def test_legal_moves_have_different_names_that_are_read_as_themselves(name: str) -> None:
    names = names_of_game(name)
    for step in play_out(reasoner_of(name), Random(7), 20):
        for legal in step.options:
            said = names.names(legal)
            assert len({text.lower() for text in said.values()}) == len(legal)
            few = Random(step.number).sample(legal, min(len(legal), 6))
            for move in few:
                assert names.parse(said[str(move)], legal) == move
                assert names.parse(said[str(move)].upper(), legal) == move
                assert names.parse(str(move), legal) == move


def test_letters_come_before_numbers_and_what_says_nothing_is_left_out() -> None:
    ruleset = gdl.parse(ODD_GAME)
    names = find_move_names(gdl.interpret(ruleset), find_layout(ruleset))
    assert names.name("(go white rook a 1 b 1)") == "a1-b1"  # nothing but rooks goes
    assert names.name("(build black c 3)") == "build c3"  # it could also be razed
    assert names.name("(raze black c 3)") == "raze c3"
    assert names.waits("idle")
    assert names.name("(build nobody c 3)") == "build nobody c3"
    assert names.name("(build white z 9)") == "build white z 9"  # not on the board


def test_without_play_only_the_board_counts() -> None:
    names = names_without_play(layout_of_game("breakthrough"))
    assert names.name("(step 2 2 3 3)") == "b2-c3"
    assert names.waits("noop")


def test_rules_that_go_wrong_have_names_all_the_same() -> None:
    ruleset = gdl.parse("(role white) (init (at 1)) (<= (legal white (go ?x)) (true (at ?x)))")
    names = find_move_names(gdl.interpret(ruleset), find_layout(ruleset))
    assert names.name("(go 1)") == "go 1"


@pytest.mark.thorough
def test_the_page_on_boards_lists_the_names_in_our_games() -> None:
    assert move_table() in (ROOT / "docs" / "boards.md").read_text(encoding="utf-8")


def test_the_examples_in_the_docstring_hold() -> None:
    failed, attempted = doctest.testmod(move_names)
    assert (failed, attempted) == (0, 6)


def test_a_place_with_a_name_of_its_own_is_no_row_on_one_of_several_boards() -> None:
    layout = find_layout(
        gdl.parse(
            "(role x) (role o) (line a b c) (line d e f) (line g h i) (line a d g) (line b e h)"
            "(line c f i) (<= (place ?p) (line ?p ?q ?r)) (<= (place ?p) (line ?q ?p ?r))"
            "(<= (place ?p) (line ?q ?r ?p)) (board left) (board right)"
            "(<= (init (empty ?p ?b)) (place ?p) (board ?b))"
            "(<= (legal ?r (mark ?p ?b)) (role ?r) (true (empty ?p ?b)))"
            "(<= (next (cross ?p ?b)) (does x (mark ?p ?b)))"
            "(<= (next (empty ?p ?b)) (true (empty ?p ?b)))"
        )
    )
    assert len(layout.boards[0].panels) == 2
    assert names_without_play(layout).name(gdl.parse_term("(mark e right)")) == "mark e right"


def test_columns_and_rows_are_called_as_a_page_says() -> None:
    names = replace(names_of_game("connectFour"), column="Spalte")
    assert names.name("(drop 4)") == "Spalte 4"


BOARDS = """
(role a) (role b) (point n) (point ne) (point e) (point se) (point s) (point sw) (point w)
(point nw) (point mid) (init (turn a))
(<= (base (mark ?board ?p ?r)) (point ?board) (point ?p) (role ?r))
(<= (legal ?r (put ?board ?p)) (true (turn ?r)) (point ?board) (point ?p))
(<= (next (mark ?board ?p ?r)) (does ?r (put ?board ?p)))
"""


def test_points_of_the_compass_are_said_in_full() -> None:
    layout = find_layout(gdl.parse(BOARDS))
    names = names_without_play(layout)
    assert names.name("(put ne mid)") == "northeast middle"
    assert names.boards[0].name(("SW", "n")) == "southwest north"
    few = find_layout(gdl.parse(BOARDS.replace("(point mid)", "(point x) (point y)")))
    assert names_without_play(few).name("(put ne mid)") == "put ne mid"


TRAITS = " ".join(
    f"(piece {a}{b}{c}{d}) (has {a}{b}{c}{d} {size}) (has {a}{b}{c}{d} {colour})"
    f" (has {a}{b}{c}{d} {shape}) (has {a}{b}{c}{d} {top})"
    for a, size in (("a", "big"), ("z", "small"))
    for b, colour in (("a", "light"), ("z", "dark"))
    for c, shape in (("a", "round"), ("z", "square"))
    for d, top in (("a", "hollow"), ("z", "solid"))
)


def test_pieces_are_called_and_drawn_by_the_words_for_their_traits() -> None:
    rules = (
        f"(role r) {TRAITS} (<= (base (held ?p)) (piece ?p))"
        "(<= (legal r (give ?p)) (piece ?p)) (<= (next (held ?p)) (does r (give ?p)))"
    )
    layout = find_layout(gdl.parse(rules))
    names = names_without_play(layout)
    assert names.words["azaz"] == "big, dark, round, solid"
    assert layout.traits["azaz"] == (0, 0, 0, 0)
    assert layout.traits["zaza"] == (1, 1, 1, 1)
    unsaid = find_layout(gdl.parse(rules.replace("(has aaaa big)", "")))
    assert not unsaid.words
    assert unsaid.traits["azaz"] == (0, 1, 0, 1)
