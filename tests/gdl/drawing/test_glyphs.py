from __future__ import annotations

import pytest

import gdl
from gdl.analysis.boards import Board, BoardLayout, Part, Place, Shape, Style
from gdl.drawing.glyphs import (
    COLOURS,
    PALETTE,
    GlyphForm,
    abbreviate,
    colour_of,
    glyph_of,
    legend,
    palette_colour,
)
from gdl.drawing.scene import BoardScene, DrawnFact, PlacedCell, Scene

LAYOUT = BoardLayout(("white", "black", "anna"))


@pytest.mark.parametrize(
    ("words", "form", "colour"),
    [
        (("white",), GlyphForm.DISC, COLOURS["white"]),
        (("x",), GlyphForm.CROSS, COLOURS["blue"]),
        (("o",), GlyphForm.RING, COLOURS["red"]),
        (("wp",), GlyphForm.SYMBOL, COLOURS["white"]),
        (("blackKnight",), GlyphForm.SYMBOL, COLOURS["black"]),
        (("black", "king"), GlyphForm.SYMBOL, COLOURS["black"]),
        (("white", "man"), GlyphForm.DISC, COLOURS["white"]),
        (("wall",), GlyphForm.FILL, ""),
        (("7",), GlyphForm.NUMBER, PALETTE[0]),
        (("turnip",), GlyphForm.LABEL, palette_colour("turnip")),
        (("b",), GlyphForm.DISC, COLOURS["black"]),
    ],
)
def test_known_words_have_their_own_glyphs(
    words: tuple[str, ...], form: GlyphForm, colour: str
) -> None:
    glyph = glyph_of(words, Part.PIECE, LAYOUT)
    assert (glyph.form, glyph.colour) == (form, colour)


def test_the_layout_file_goes_first() -> None:
    styled = BoardLayout(("a",), styles={"wolf": Style("♞", "#123456"), "hut": Style("ring")})
    wolf = glyph_of(("wolf",), Part.PIECE, styled)
    assert (wolf.form, wolf.colour, wolf.text) == (GlyphForm.SYMBOL, "#123456", "♞")
    assert glyph_of(("hut",), Part.PIECE, styled).form is GlyphForm.RING


def test_roles_have_different_colours() -> None:
    roles = tuple(f"role{i}" for i in range(4))
    layout = BoardLayout(roles)
    assert len({glyph_of((role,), Part.PIECE, layout).colour for role in roles}) == 4


@pytest.mark.parametrize(
    ("word", "short"),
    [
        ("abc", "abc"),
        ("banana", "ban"),
        ("level12", "l12"),
        ("tdrf", "tdrf"),
        ("blackRook", "bR"),
        ("p1011", "p1011"),
    ],
)
def test_labels_are_short(word: str, short: str) -> None:
    assert abbreviate(word) == short


def test_the_legend_explains_everything_but_numbers() -> None:
    items = [DrawnFact("", (word,), Part.PIECE) for word in ("white", "12", "white")]
    cells = tuple(PlacedCell(Place((str(i),), i, 0), (item,)) for i, item in enumerate(items))
    board = BoardScene(0, Board("squares", Shape.SQUARES, (), (), ""), cells)
    scene = Scene(LAYOUT, (board,), (), (), (), ())
    assert [text for text, _ in legend(scene, (Shape.SQUARES,))] == ["white"]
    assert not legend(scene, (Shape.HEXES,))


def test_colours_can_be_told_by_every_program() -> None:
    assert all(gdl.parse_term(name) for name in COLOURS)
    assert all(len(colour) == 7 for colour in [*PALETTE, *COLOURS.values()])


@pytest.mark.parametrize(
    ("roles", "letter", "colour"),
    [
        (("red", "yellow"), "y", COLOURS["yellow"]),
        (("redJumper", "blueJumper", "redDuper"), "r", COLOURS["red"]),
        (("red", "robot"), "r", ""),
        (("ruth", "robert"), "r", ""),
    ],
)
def test_a_letter_that_begins_roles_of_one_colour_has_it(
    roles: tuple[str, ...], letter: str, colour: str
) -> None:
    glyph = glyph_of((letter,), Part.PIECE, BoardLayout(roles))
    assert (glyph.form is GlyphForm.DISC) == bool(colour)
    assert glyph.colour == (colour or palette_colour(letter))


def test_a_letter_that_begins_one_role_without_a_colour_has_the_colour_of_the_role() -> None:
    layout = BoardLayout(("sheep", "wolf"))
    for letter, role in (("s", "sheep"), ("w", "wolf")):
        glyph = glyph_of((letter,), Part.PIECE, layout)
        assert (glyph.form, glyph.colour) == (GlyphForm.LABEL, colour_of(role, layout))
    alone = glyph_of(("s",), Part.PIECE, BoardLayout(("solver",)))
    assert alone.colour == palette_colour("s")


def test_two_letters_are_a_piece_of_chess_only_where_a_role_has_its_colour() -> None:
    assert glyph_of(("wb",), Part.PIECE, LAYOUT).form is GlyphForm.SYMBOL
    assert glyph_of(("wb",), Part.PIECE, BoardLayout(("robot",))).form is GlyphForm.LABEL


def test_numbered_things_have_short_labels() -> None:
    assert glyph_of(("connected", "10"), Part.PIECE, LAYOUT).text == "c10"
