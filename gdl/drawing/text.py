"""Text: a state's boards, counters and table for the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.console import Group
from rich.text import Text

from gdl.analysis.boards import BoardLayout, Label, Part, Shape
from gdl.drawing.glyphs import Glyph, GlyphForm, glyph_of, legend
from gdl.drawing.scene import BoardScene, DrawnFact, Note, PlacedCell, Scene, make_scene
from gdl.language import Term

CROWD = 2
"""Things on a place from which on they are listed below the board, too."""

MAX_DOTS = 30
"""The most equal things for each of which there is a dot."""

_WALLS = {"top": "‾", "right": "|", "bottom": "_", "left": "["}
"""What stands behind a place for each of its sides."""

_COUNT = re.compile("[0-9]{1,2}")


def draw_text(
    layout: BoardLayout,
    state: Iterable[Term],
    before: Iterable[Term] | None = None,
    *,
    is_partial: bool = False,
) -> Group:
    """Draw a state for a terminal, as something that rich prints.

    Where ``before`` is given, what is new since that state is underlined. ``is_partial`` says that
    the facts are not the whole state.
    """
    scene = make_scene(layout, state, before)
    parts: list[Text] = []
    parts += _note_lines([*scene.turn, *scene.counters, *scene.beside])
    parts += _note_lines(scene.scores)
    for board in scene.boards:
        if board.cells:
            parts += [Text(), *_board(board, scene)]
    if scene.rows:
        parts += [Text(), *_note_lines(scene.rows)]
    key = _legend(scene)
    parts += [Text(), key] if key.plain else []
    parts += [Text(), Text(scene.remark, "dim")] if scene.remark and not is_partial else []
    return Group(*parts)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def _note_lines(notes: Sequence[Note]) -> list[Text]:
    return [
        Text.assemble((f"{_printable(note.name)}: ", "dim"), _printable(note.value))
        for note in notes
    ]


def _board(board: BoardScene, scene: Scene) -> list[Text]:
    lines = [] if len(scene.boards) < 2 else [Text(_printable(board.board.title), "bold")]
    if board.board.shape in (Shape.ROW, Shape.PILES, Shape.POINTS):
        return lines + _places(board, scene.layout)
    return lines + _Canvas(board, scene.layout).lines() + _crowded(board)


def _crowded(board: BoardScene) -> list[Text]:
    """List what is on places that have no room for all of it."""
    return [
        Text.assemble(
            (f"{_printable(' '.join(cell.place.key))}: ", "dim"),
            _printable("; ".join(" ".join(item.words) for item in cell.shown)),
        )
        for cell in board.cells
        if sum(item.part is not Part.SIDE for item in cell.shown) > CROWD
        and board.board.shape is not Shape.STACKS
    ]


class _Canvas:
    """Characters by line and column, with their styles."""

    def __init__(self, board: BoardScene, layout: BoardLayout) -> None:
        self._layout = layout
        self._marks = [(cell, self._mark(cell, board)) for cell in board.cells]
        self._width = max(2, *(len(mark) + 1 for _, (mark, _) in self._marks))
        labels = board.board.labels
        xs = [cell.place.x for cell in board.cells]
        self._left = min(xs)
        beside = [label for label in labels if label.line == "row"]
        self._indent = 1 + max((len(label.text[:6]) for label in beside), default=0)
        self._rows = sorted({round(cell.place.y, 2) for cell in board.cells})
        self._beside: dict[float, list[Label]] = {}
        for label in sorted(beside, key=lambda label: label.x):
            self._beside.setdefault(round(label.y, 2), []).append(label)
        below = [label for label in labels if label.line == "column"]
        self._below = sorted(below, key=lambda label: label.x)
        self._edges = {frozenset({line.start, line.end}) for line in board.lines}
        self._last = self._rows[-1]
        middle = board.board.middle
        self._corners = middle is not None
        self._above = 1 if middle is not None and middle[1] < 0 else 0

    def _mark(self, cell: PlacedCell, board: BoardScene) -> tuple[str, str]:
        if board.board.shape is Shape.STACKS:
            return _printable(" ".join(cell.place.key))[:6], ""
        shown = [item for item in cell.shown if item.part is not Part.SIDE]
        walls = [
            _WALLS[dict(board.board.sides).get(item.words[-1], "bottom")]
            for item in cell.shown
            if item.part is Part.SIDE
        ]
        if walls:
            held = "".join(map(_short, (self._glyph(item) for item in shown[:CROWD]))) or "·"
            return _printable(held) + "".join(sorted(walls, reverse=True)), ""
        if not shown:
            index = board.board.index[cell.place.key]
            words = next((words for place, words in board.board.ground if place == index), None)
            if words is not None:
                return _short(glyph_of(words, Part.PIECE, self._layout)).lower(), "dim"
            return ("·" if not cell.changed else "-"), "dim"
        glyphs = [self._glyph(item) for item in shown]
        if shown[0].part is Part.LAYER:
            return f"{_short(glyphs[-1])}{len(shown)}", _style(glyphs[-1], shown[-1].placed)
        text = "".join(map(_short, glyphs[:CROWD])) + ("+" if len(glyphs) > CROWD else "")
        new = any(item.placed for item in cell.shown)
        return _printable(text), _style(glyphs[-1], new)

    def _glyph(self, item: DrawnFact) -> Glyph:
        return glyph_of(item.words[item.part is Part.LAYER :], item.part, self._layout)

    def lines(self) -> list[Text]:
        """One text for each row of places, those between, and one for the names of the columns."""
        found = []
        for y in self._rows:
            found.append(self._line(y))
            if (self._edges or self._corners) and y != self._last:
                found.append(self._line_between(y))
        if self._below:
            line = " " * self._indent
            for label in self._below:
                column = self._indent + round((label.x - self._left) * self._width)
                line = line.ljust(column) + label.text[: self._width - 1]
            found.append(Text(line, "dim"))
        return found

    def _line_between(self, y: float) -> Text:
        """Below a row of corners: the edges down from them, and what is in their squares."""
        line = Text()
        for cell, (mark, style) in sorted(self._marks, key=lambda each: each[0].place.x):
            x = cell.place.x
            column = self._indent + round((x - self._left) * self._width)
            if cell.place.y == y and frozenset({(x, y), (x, y + 1)}) in self._edges:
                line.append(" " * (column - len(line.plain)) + "│")
            if cell.place.y == y + self._above and cell.shown:
                line.append(" " * (column + 1 - len(line.plain)))
                line.append(mark, style)
        return line

    def _line(self, y: float) -> Text:
        labels = self._beside.get(y, [])
        name, x = (labels[0].text[:6], labels[0].x) if labels else ("", self._left - 1)
        shift = max(0, round((x + 1 - self._left) * self._width))
        line = Text.assemble((" " * shift + name.rjust(self._indent - 1) + " ", "dim"))
        here = [(cell, mark) for cell, mark in self._marks if round(cell.place.y, 2) == y]
        corner = ("·", "dim")
        parts = [(cell.place.x, *(corner if self._corners else mark)) for cell, mark in here]
        parts += [(label.x + 0.3, label.text[: self._width], "dim") for label in labels[1:]]
        for x, mark, style in sorted(parts):
            column = self._indent + round((x - self._left) * self._width)
            before = "─" if frozenset({(x - 1, y), (x, y)}) in self._edges else " "
            line.append(before * max(0, column - len(line.plain)))
            line.append(mark, style)
        return line


def _places(board: BoardScene, layout: BoardLayout) -> list[Text]:
    """A line for each place: its name, what lies on it, and to which places lines lead from it."""
    names = [_printable(" ".join(cell.place.key)) for cell in board.cells]
    width = max(map(len, names), default=0)
    near: dict[int, list[str]] = {}
    for a, b in board.board.links:
        near.setdefault(a, []).append(names[b])
        near.setdefault(b, []).append(names[a])
    lines = []
    for i, cell in enumerate(board.cells):
        line = Text.assemble((names[i].rjust(width) + "  ", "dim"))
        for item in cell.shown:
            glyph = glyph_of(item.words, item.part, layout)
            text = _printable(" ".join(item.words))
            line.append(text + " ", _style(glyph, item.placed))
            if item.part is Part.COUNT and _COUNT.fullmatch(text) and int(text) <= MAX_DOTS:
                line.append("•" * int(text))
        if i in near:
            line.append(f" — {', '.join(near[i])}", "dim")
        lines.append(line)
    return lines


def _short(glyph: Glyph) -> str:
    if glyph.form is GlyphForm.NUMBER:
        return glyph.text
    return glyph.short or glyph.text[:3] or "?"


def _style(glyph: Glyph, new: bool) -> str:
    colour = glyph.colour.lower()
    known = colour.startswith("#") and len(colour) == 7
    style = colour if known and colour not in ("#26262b", "#f7f4ec") else ""
    return f"{style} bold{' underline' if new else ''}".strip()


def _legend(scene: Scene) -> Text:
    line = Text(style="dim")
    for text, glyph in legend(scene, (Shape.SQUARES, Shape.HEXES)):
        short = _printable(_short(glyph))
        if short != text:
            line.append(f"{short} ", _style(glyph, False))
            line.append(f"{_printable(text)}   ")
    return line
