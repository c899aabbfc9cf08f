"""Facts that only help the rules, and are not drawn."""

from __future__ import annotations

import pytest

import gdl
from gdl.analysis.boards import BoardLayout, Part, find_layout
from gdl.analysis.boards.equipment import traits_of_words
from gdl.drawing import draw_svg, make_scene
from tests.support.compiled_games import NAMES
from tests.support.drawn_games import layout_of_game


def parts(layout: BoardLayout) -> dict[str, Part]:
    return {pattern.name: pattern.part for board in layout.boards for pattern in board.patterns}


def test_what_says_where_discs_fall_is_a_helper_in_no_other_games() -> None:
    found = {
        (name, fact): part.value
        for name in NAMES
        for fact, part in parts(layout_of_game(name)).items()
        if part in (Part.HELPER, Part.ASIDE)
    }
    assert found == {
        ("connectFour", "room"): "helper",
        ("twinBoards", "room"): "helper",
        ("phantomTicTacToe", "toldOf"): "aside",
    }


def test_it_is_one_whatever_it_is_called() -> None:
    rules = gdl.load("connectFour").source.text.replace("room", "zork").replace("disc", "frob")
    assert parts(find_layout(gdl.parse(rules))) == {"frob": Part.PIECE, "zork": Part.HELPER}


def test_it_is_a_piece_where_goals_depend_on_it() -> None:
    text = gdl.load("connectFour").source.text
    rules = gdl.parse(text + "(<= (goal red 99) (true (room 1 3)))")
    assert parts(find_layout(rules))["room"] is not Part.HELPER


def test_a_helper_neither_shows_nor_marks_a_change() -> None:
    layout = layout_of_game("connectFour")
    before = [gdl.parse_term("(room 1 1)")]
    after = [gdl.parse_term(fact) for fact in ("(disc 1 1 red)", "(room 1 2)")]
    cells = {cell.place.key: cell for cell in make_scene(layout, after, before).boards[0].cells}
    assert [key for key, cell in cells.items() if cell.changed] == [("1", "1")]
    assert cells["1", "2"].shown == ()
    assert '<g data-fact="(room 1 2)"/>' in draw_svg(layout, after, before)


@pytest.mark.parametrize(("facts", "shown"), [("(marked b2 cross)", "cross"), ("", "nought")])
def test_what_is_said_aside_is_drawn_where_nothing_else_is(facts: str, shown: str) -> None:
    layout = layout_of_game("phantomTicTacToe")
    term = gdl.parse_term(f"(state (toldOf nought b2) {facts})")
    assert isinstance(term, gdl.Function)
    [words] = [i.words for c in make_scene(layout, term.args).boards[0].cells for i in c.shown]
    assert shown in words


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["slr", "slt", "sdr", "sdt", "blr", "blt", "bdr", "bdt"], 8),
        (["slr", "slt", "sdr", "sdt", "blr", "blt", "bdr", "bdx"], 0),
        (["p000", "p001", "p010", "p011", "p100", "p101", "p110", "p111"], 8),
        (["000", "001", "010", "011", "100", "101", "110", "111"], 0),
        (["red", "tan"], 0),
        ([], 0),
    ],
)
def test_words_of_letters_in_all_combinations_have_traits(words: list[str], count: int) -> None:
    found = traits_of_words([frozenset(words)])
    assert len(found) == len(set(found.values())) == count


def test_numbers_of_groups_are_said_aside_where_other_facts_say_whose_a_place_is() -> None:
    squares = [f"{x} {y}" for x in "123" for y in "123"]
    base = "".join(
        f"(base (cell {square} red)) (base (cell {square} blue))"
        + "".join(f"(base (group {square} {k}))" for k in "12345")
        for square in squares
    )
    rules = (
        f"(role red) (role blue) {base} (<= (goal red 100) (true (group 1 1 ?k)))"
        "(<= (next (cell ?x ?y ?r)) (does ?r (put ?x ?y)))"
        "(<= (next (group ?x ?y 1)) (does ?r (put ?x ?y)))"
    )
    assert parts(find_layout(gdl.parse(rules))) == {"cell": Part.PIECE, "group": Part.ASIDE}
