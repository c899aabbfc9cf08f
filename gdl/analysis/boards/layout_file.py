"""Layout files: ``NAME.board.toml`` beside the rulesheet ``NAME.kif``.

::

    [glyphs]                     # a word of the rules, and a glyph: a character or two, or one of
    man = "disc"                 # disc, ring, cross, star, dot, fill, label, number

    [colours]                    # a word of the rules, and a colour as #rrggbb
    wolf = "#777777"

    [words]                      # a word of the rules, and what people say instead
    p1 = "first ahead by 1"

    [moves]                      # a function of moves, and what they are called, with its arguments
    put = "board {1}, square {2}"

    [beside]                     # a counter, and a relation whose facts with its value are shown
    round = "worth"

    [[boards]]
    facts = ["drawn", "owned"]   # functions of facts; the first one says which board is meant
    title = "Boxes"
    shape = "squares"            # squares, hexes, points, row or piles
    place = [2, 3]               # which arguments of the first function are the place, from 1
    rows = "up"                  # where the first row is the lowest, otherwise "down"
    transposed = false           # true where the first coordinate is the row
    checkered = false
    blank = ["empty"]            # contents that mean that nothing is there
    sides = {flat = "bottom"}    # contents that are drawn as a side of the square
    places = {a = [0, 0]}        # column and row of each place, from the upper left
    ground = [{relation = "key", place = [2, 3]}]   # static facts that are drawn, too
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gdl.analysis.boards.layout import Shape, Style
from gdl.analysis.boards.refinement import (
    BoardRefinement,
    Ground,
    LayoutRefinement,
)
from gdl.errors import GdlError

MAX_BYTES = 100_000
"""The most bytes of a layout file that is read."""

Side = Literal["top", "bottom", "left", "right"]
ArgumentNumber = Annotated[int, Field(ge=1, le=32)]
Said = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f]+$")]


class LayoutFileError(GdlError):
    """A layout file that cannot be used; the message names file, key and what was expected."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Ground(_Model):
    relation: str
    place: list[ArgumentNumber] = Field(min_length=1)


class _Board(_Model):
    facts: list[str] = Field(min_length=1)
    title: str = ""
    shape: Literal["squares", "hexes", "points", "row", "piles"] | None = None
    place: list[ArgumentNumber] = []
    places: dict[str, Annotated[list[float], Field(min_length=2, max_length=2)]] = {}
    rows: Literal["up", "down"] | None = None
    transposed: bool | None = None
    checkered: bool | None = None
    blank: list[str] | None = None
    sides: dict[str, Side] = {}
    ground: list[_Ground] = []

    def refinement(self) -> BoardRefinement:
        """What the table of the file says, as a value."""
        return BoardRefinement(
            tuple(self.facts),
            self.title,
            Shape(self.shape) if self.shape else None,
            _from_zero(self.place),
            {name: (spot[0], spot[1]) for name, spot in self.places.items()},
            None if self.rows is None else self.rows == "up",
            self.transposed,
            self.checkered,
            None if self.blank is None else frozenset(self.blank),
            tuple(sorted(self.sides.items())),
            tuple(Ground(each.relation, _from_zero(each.place)) for each in self.ground),
        )


class _File(_Model):
    glyphs: dict[str, Annotated[str, Field(min_length=1, max_length=8)]] = {}
    colours: dict[str, Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$")]] = {}
    words: dict[str, Said] = {}
    moves: dict[str, Said] = {}
    beside: dict[str, str] = {}
    boards: list[_Board] = []


def _from_zero(numbers: list[int]) -> tuple[int, ...]:
    return tuple(number - 1 for number in numbers)


def read_layout_file(file: Path) -> LayoutRefinement:
    """Read a layout file; raises :class:`LayoutFileError` with every key that is wrong."""
    if file.stat().st_size > MAX_BYTES:
        raise LayoutFileError(f"{file}: expected at most {MAX_BYTES} bytes")
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # of bytes, TOML, digits, brackets
        raise LayoutFileError(f"{file}: this is not TOML: {error}") from error
    try:
        found = _File.model_validate(table)
    except ValidationError as error:
        problems = "\n".join(f"  {_key(e['loc'])}: {e['msg']}" for e in error.errors())
        raise LayoutFileError(f"{file}:\n{problems}") from error
    return LayoutRefinement(
        tuple(board.refinement() for board in found.boards),
        {
            word: Style(found.glyphs.get(word, ""), found.colours.get(word, ""))
            for word in found.glyphs | found.colours
        },
        found.words,
        found.moves,
        found.beside,
    )


def _key(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text
