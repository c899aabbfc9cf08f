"""SVG: a state's boards, counters and table as one self-contained picture.

Every cell is a group with ``data-board`` and ``data-cell``, every fact one with ``data-fact``, so
that a page can make them react. Colours are CSS variables with a light and a dark value. Words of
the rules are escaped wherever they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap

from gdl.analysis.boards import Board, BoardLayout, Part, Place, Shape
from gdl.drawing.cards import draw_hand
from gdl.drawing.glyphs import Glyph, GlyphForm, colour_of, glyph_of, legend, palette_colour
from gdl.drawing.scene import BoardScene, DrawnFact, Note, PlacedCell, Scene, make_scene, moved
from gdl.drawing.shapes import (
    PILE_HEIGHT,
    UNIT,
    draw_bar,
    draw_count,
    draw_glyph,
    draw_traits,
    hexagon,
    hexagon_side,
    noted,
    number,
    piled,
    spread,
    xml,
)
from gdl.drawing.svg_style import SVG_STYLE
from gdl.drawing.words import describe
from gdl.language import Term

GAP = 26
"""Pixels between boards."""

LINE = 20
"""Pixels from a line of text to the next."""

CHARACTER = 8.2
"""Pixels of a character of text, which is rather wide."""

MAX_WIDTH = 980
"""Pixels of a picture's width, unless a single board is wider."""

MOST_WIDE = 2.5
"""How many times as wide as high boards in a row are: in a wider picture all would be small."""

MAX_ARROWS = 4
"""Lines from where things were; where more things move, they would hide them."""

MAX_CHARACTERS = 110
"""Characters of a line of text; longer ones are continued on the next."""


@dataclass(frozen=True, slots=True)
class SvgOptions:
    """How a picture goes into a page.

    ``prefix`` begins every id, for several pictures on one page. ``with_style`` False leaves out
    the style sheet, which is :data:`SVG_STYLE`, for pages that have it already. With ``is_partial``
    the facts are not the whole state. ``decisive`` are the facts, as text, that have decided the
    match: their places are marked. ``with_turn`` False leaves out whose turn it is, for pages that
    say it themselves, and ``with_legend`` False what pieces are called, for small pictures.
    """

    title: str = ""
    prefix: str = ""
    with_style: bool = True
    is_partial: bool = False
    with_turn: bool = True
    with_legend: bool = True
    decisive: frozenset[str] = frozenset()


DEFAULT_OPTIONS = SvgOptions()


def draw_svg(
    layout: BoardLayout,
    state: Iterable[Term],
    before: Iterable[Term] | None = None,
    options: SvgOptions = DEFAULT_OPTIONS,
) -> str:
    """Draw a state as SVG; where ``before`` is given, what changed since that state is marked."""
    return _Picture(make_scene(layout, state, before), options).text()


class _Picture:
    """A picture in the making: parts from top to bottom, and how large it has become."""

    def __init__(self, scene: Scene, options: SvgOptions) -> None:
        self._scene = scene
        self._layout = scene.layout
        self._options = options
        self._parts: list[str] = []
        self._width = 240.0
        self._y = 12.0

    def text(self) -> str:
        """The whole picture."""
        scene = self._scene
        hidden = () if self._options.with_turn else self._layout.roles
        turn = [note for note in scene.turn if note.value not in hidden]
        self._note_lines([*turn, *scene.counters], joined=True)
        self._note_lines(scene.scores)
        self._boards()
        self._hands([note for note in scene.rows if note.cards])
        self._note_lines([note for note in scene.rows if not note.cards])
        if self._options.with_legend:
            self._legend()
        if scene.remark and not self._options.is_partial:
            self._remark(scene.remark)
        width, height = number(self._width + 12), number(self._y + 10)
        words = xml(self._options.title or "State of the game")
        style = f"<style>{SVG_STYLE}</style>" if self._options.with_style else ""
        name = f"{xml(self._options.prefix)}title"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="gdl-state" role="img" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'aria-labelledby="{name} {name}-long">'
            f'<title id="{name}">{words}</title>'
            f'<desc id="{name}-long">{xml(describe(scene))}</desc>'
            f'{style}<rect class="paper" width="{width}" height="{height}"/>'
            f"{''.join(self._parts)}</svg>\n"
        )

    # ------------------------------------------------------------------ text

    def _note_lines(self, notes: Sequence[Note], *, joined: bool = False) -> None:
        lines = [self._spans(note) for note in notes]
        if joined and lines and sum(length for _, length in lines) <= MAX_CHARACTERS:
            text = '<tspan class="soft">   ·   </tspan>'.join(spans for spans, _ in lines)
            self._line(text, sum(length for _, length in lines) + 7 * len(lines))
        else:
            for note, (spans, length) in zip(notes, lines, strict=True):
                if length <= MAX_CHARACTERS:
                    self._line(spans, length)
                else:
                    self._long_note(note)

    def _hands(self, hands: Sequence[Note]) -> None:
        """Draw the cards that each holds below a line that says who."""
        for note in hands:
            self._line(f'<tspan class="soft">{xml(note.name)}</tspan>', len(note.name))
            drawn, width, height = draw_hand(note.cards, 12, self._y, MAX_WIDTH)
            self._parts.append(drawn)
            self._y += height
            self._width = max(self._width, width)

    def _remark(self, text: str) -> None:
        """Write a sentence in lines that are as wide as what is above it."""
        for line in wrap(text, max(24, int((self._width - 12) / CHARACTER))):
            self._line(f'<tspan class="soft">{xml(line)}</tspan>', len(line))

    def _spans(self, note: Note) -> tuple[str, int]:
        name = f'<tspan class="soft">{xml(note.name)}  </tspan>'
        facts = xml(" ".join(note.facts))
        weight = ' font-weight="600"' if note.changed else ""
        text = f'<tspan data-fact="{facts}"{weight}>{xml(note.value)}</tspan>'
        return name + text, len(note.name) + len(note.value) + 3

    def _long_note(self, note: Note) -> None:
        facts = xml(" ".join(note.facts))
        self._line(f'<tspan class="soft">{xml(note.name)}</tspan>', len(note.name))
        words, line = note.value.split(" "), ""
        for word in words:
            if line and len(line) + len(word) > MAX_CHARACTERS:
                self._line(f'<tspan data-fact="{facts}">{xml(line)}</tspan>', len(line))
                line = ""
            line = f"{line} {word[:MAX_CHARACTERS]}".strip()
        self._line(f'<tspan data-fact="{facts}">{xml(line)}</tspan>', len(line))

    def _line(self, spans: str, length: int) -> None:
        self._y += LINE / 2
        self._parts.append(
            f'<text class="left" x="12" y="{number(self._y)}" font-size="14" '
            f'xml:space="preserve">{spans}</text>'
        )
        self._y += LINE / 2
        self._width = max(self._width, 12 + length * CHARACTER)

    # ------------------------------------------------------------------ boards

    def _boards(self) -> None:
        x, row_height = 12.0, 0.0
        top = self._y + 10
        for scene in self._scene.boards:
            if not scene.cells:
                continue
            drawn = BoardDrawing(scene, self._layout, self._options)
            most = min(MAX_WIDTH, MOST_WIDE * max(row_height, drawn.height))
            if x > 12 and x + drawn.width > most:
                x, top, row_height = 12.0, top + row_height + GAP, 0.0
            self._parts.append(drawn.at(x, top))
            x += drawn.width + GAP
            row_height = max(row_height, drawn.height)
            self._width = max(self._width, x - GAP)
        self._y = top + row_height + 12

    def _legend(self) -> None:
        words = [
            (item.words, item.part)
            for board in self._scene.boards
            if board.board.shape not in (Shape.STACKS, Shape.ROW, Shape.PILES)
            for cell in board.cells
            for item in cell.shown
            if item.part is not Part.SIDE
        ]
        entries = legend(self._layout, words)
        if not entries:
            return
        x, self._y = 12.0, self._y + 14
        for text, glyph in entries[:40]:
            shown = text if len(text) <= 32 else text[:31] + "…"
            width = 38 + 8.0 * len(shown)
            if x > 12 and x + width > max(self._width, 420):
                x, self._y = 12.0, self._y + 30
            drawn = draw_glyph(glyph, 11)
            self._parts.append(
                f'<g class="legend"><g transform="translate({number(x + 11)} {number(self._y)})">'
                f'<rect class="sq" x="-13" y="-13" width="26" height="26" rx="4"/>{drawn}</g>'
                f'<text class="left soft" x="{number(x + 28)}" y="{number(self._y)}" '
                f'font-size="13">{xml(shown)}</text></g>'
            )
            x += width
            self._width = max(self._width, x)
        self._y += 14


class BoardDrawing:
    """One board as a group of SVG elements."""

    def __init__(self, scene: BoardScene, layout: BoardLayout, options: SvgOptions) -> None:
        self._scene = scene
        self._board: Board = scene.board
        self._layout = layout
        self._prefix = options.prefix
        self._decisive = options.decisive
        xs = [cell.place.x for cell in scene.cells]
        ys = [cell.place.y for cell in scene.cells]
        labelled = bool(self._board.labels)
        half = 0.62 if self._board.shape is Shape.POINTS else 0.5
        self._left = min(xs) - half - (0.5 if labelled else 0)
        self._top = min(ys) - (PILE_HEIGHT if self._board.shape is Shape.PILES else half)
        below = (
            0.5
            if labelled
            else 0.35
            if self._board.shape in (Shape.ROW, Shape.POINTS, Shape.PILES)
            else 0
        )
        self._head = 22 if len(layout.boards) > 1 else 4
        right = max([max(xs) + half, *(label.x + 0.25 for label in self._board.labels)])
        self.width = (right - self._left) * UNIT + 4
        self.height = (max(ys) + half + below - self._top) * UNIT + self._head + 4

    def at(self, x: float, y: float) -> str:
        """The board with its upper left corner at a point."""
        title = ""
        if self._head > 10:
            title = (
                f'<text class="left soft" x="2" y="8" font-size="13">'
                f"{xml(self._board.title)}</text>"
            )
        inner = "".join(
            (
                *(self._panel(p.key, p.left, p.top, p.width, p.height) for p in self._board.panels),
                *self._voids(),
                *self._links(),
                *self._labels(),
                *(self._cell(i, cell) for i, cell in enumerate(self._scene.cells)),
                *self._sides(),
                *self._lines(),
                *self._arrows(),
            )
        )
        return (
            f'<g class="board" data-board="{self._scene.index}" '
            f'transform="translate({number(x)} {number(y)})">{title}'
            f'<g transform="translate(0 {self._head})">{inner}</g></g>'
        )

    def _x(self, x: float) -> float:
        return (x - self._left) * UNIT

    def _y(self, y: float) -> float:
        return (y - self._top) * UNIT

    def _panel(
        self, key: tuple[str, ...], left: float, top: float, width: float, height: float
    ) -> str:
        items = self._scene.panels.get(key, ())
        facts = "".join(f'<g data-fact="{xml(item.fact)}"/>' for item in items)
        style = "lit" if items else "frame"
        text = xml(" ".join(key))
        return (
            f'<g class="panel" data-panel="{text}"><rect class="{style}" rx="4" '
            f'x="{number(self._x(left) - 5)}" y="{number(self._y(top) - 5)}" '
            f'width="{number(width * UNIT + 10)}" height="{number(height * UNIT + 10)}"/>'
            f"<title>{text}</title>{facts}</g>"
        )

    def _voids(self) -> list[str]:
        """The ground of squares that are no places."""
        if self._board.voids == "none":
            return []
        xs = [place.x for place in self._board.places]
        ys = [place.y for place in self._board.places]
        style = "wall" if self._board.voids == "walls" else "sq"
        return [
            f'<rect class="{style}" x="{number(self._x(min(xs) - 0.5))}" '
            f'y="{number(self._y(min(ys) - 0.5))}" '
            f'width="{number((max(xs) - min(xs) + 1) * UNIT)}" '
            f'height="{number((max(ys) - min(ys) + 1) * UNIT)}"/>'
        ]

    def _links(self) -> list[str]:
        places = self._board.places
        return [
            f'<line class="link" {self._ends(places[a], places[b])}/>' for a, b in self._board.links
        ]

    def _ends(self, one: Place, two: Place) -> str:
        return (
            f'x1="{number(self._x(one.x))}" y1="{number(self._y(one.y))}" '
            f'x2="{number(self._x(two.x))}" y2="{number(self._y(two.y))}"'
        )

    def _labels(self) -> list[str]:
        """The labels, nearer to their columns and rows than a place would be."""
        return [
            f'<text class="soft" x="{number(self._x(label.x + 0.28 * (label.line == "row")))}" '
            f'y="{number(self._y(label.y - 0.28 * (label.line == "column")))}" font-size="12">'
            f"{xml(label.text[:6])}</text>"
            for label in self._board.labels
        ]

    # ------------------------------------------------------------------ cells

    def _cell(self, index: int, cell: PlacedCell) -> str:
        key = xml(" ".join(cell.place.key))
        classes = "cell"
        odd = (round(cell.place.x) + round(cell.place.y)) % 2 == 1
        if self._board.voids == "squares" or (self._board.checkered and odd):
            classes += " dark"
        if any(item.placed and not item.blank for item in cell.items):
            classes += " new"
        elif cell.changed:
            classes += " old"
        return (
            f'<g class="{classes}" id="{xml(self._prefix)}cell-{self._scene.index}-{index}" '
            f'data-cell="{key}" data-board="{self._scene.index}" transform="translate('
            f'{number(self._x(cell.place.x))} {number(self._y(cell.place.y))})">'
            f"<title>{xml(self._cell_text(cell))}</title>{self._ground(index, cell)}"
            f"{self._rims(index)}{self._scenery(index)}{self._things(cell)}</g>"
        )

    def _cell_text(self, cell: PlacedCell) -> str:
        held = ", ".join(" ".join(item.words) for item in cell.shown)
        if held and self._decides(cell):
            held += ", which decides the match"
        return f"{' '.join(cell.place.key)}: {held}" if held else " ".join(cell.place.key)

    def _decides(self, cell: PlacedCell) -> bool:
        return any(item.fact in self._decisive for item in cell.items)

    def _ground(self, index: int, cell: PlacedCell) -> str:
        shape, half = self._board.shape, UNIT / 2
        if index in self._board.bare:
            return self._outline("bare", 0)  # where a click is for what stands at its rim
        if shape is Shape.STACKS:
            return self._thing(cell)
        ground = self._outline("sq", 0)
        if self._decides(cell):
            ground += self._outline("decisive", 3)
        elif cell.changed:
            ground += self._outline("edge", 2)
        if shape is Shape.POINTS:
            return ground + self._name(cell, half * 1.12)
        if shape is Shape.HEXES and not self._board.labels:  # moves are called by these names
            name = xml(",".join(cell.place.key))
            return f'{ground}<text y="{half * 0.88}" font-size="9">{name}</text>'
        if shape in (Shape.ROW, Shape.PILES):
            return ground + self._name(cell, half * 1.32)
        return ground

    def _rims(self, index: int) -> str:
        """The sides of a hexagon at the rim, in the colours of the roles whose they are."""
        return "".join(
            hexagon_side(UNIT / 2, side, colour_of(role, self._layout) or palette_colour(role))
            for place, side, role in self._board.rims
            if place == index
        )

    def _scenery(self, index: int) -> str:
        """What the layout file has on the ground here: a faint glyph, or a word."""
        words = [words for place, words in self._board.ground if place == index]
        return "".join(
            f'<g class="ghost">{draw_glyph(glyph_of(each, Part.PIECE, self._layout), UNIT / 2 - 6)}'
            f"</g>"
            for each in words
        )

    def _outline(self, style: str, inset: float) -> str:
        """The shape of a place, some pixels smaller than it is."""
        shape, half = self._board.shape, UNIT / 2 - inset
        if shape is Shape.HEXES:
            points = " ".join(f"{number(x)},{number(y)}" for x, y in hexagon(half))
            return f'<polygon class="{style}" points="{points}"/>'
        if shape is Shape.POINTS:
            return f'<circle class="{style}" r="{number(half * 0.8)}"/>'
        corner = ' rx="6"' if shape in (Shape.ROW, Shape.PILES) else ""
        height = half + (UNIT * PILE_HEIGHT if shape is Shape.PILES else half)
        return (
            f'<rect class="{style}"{corner} x="{number(-half)}" y="{number(half - height)}" '
            f'width="{number(2 * half)}" height="{number(height)}"/>'
        )

    def _name(self, cell: PlacedCell, down: float) -> str:
        name = " ".join(cell.place.key) if len(cell.place.key) == 1 else ""
        size = 12 if len(name) <= 7 else 9
        shown = name if len(name) <= 11 else name[:10] + "…"
        return f'<text class="name" y="{number(down)}" font-size="{size}">{xml(shown)}</text>'

    def _thing(self, cell: PlacedCell) -> str:
        name = " ".join(cell.place.key)
        glyph = glyph_of((name,), Part.PIECE, self._layout)
        if not cell.items:
            return (
                f'<rect class="sq" x="-{UNIT / 2}" y="-8" width="{UNIT}" height="16" rx="4"/>'
                f'<text font-size="11">{xml(name[:9])}</text>'
            )
        return draw_glyph(glyph, UNIT / 2 - 1)

    def _things(self, cell: PlacedCell) -> str:
        if self._board.shape is Shape.STACKS:
            return "".join(f'<g data-fact="{xml(item.fact)}"/>' for item in cell.items)
        shown = cell.shown
        unseen = [f'<g data-fact="{xml(i.fact)}"/>' for i in cell.items if i not in shown]
        under = [item for item in shown if self._is_ground(item)]
        over = [i for i in shown if i.part is not Part.SIDE and not self._is_ground(i)]
        parts = [*unseen, *map(self._filled, under)]
        notes = [i for i in over if self._glyph(i).form is GlyphForm.DOT]
        if len(notes) < len(over):  # dots stand beside what they say something of
            over = [item for item in over if item not in notes]
        else:
            notes = []
        spots = piled(over) if self._board.shape is Shape.PILES else spread(over)
        for (x, y), size, item in (*spots, *noted(notes)):
            drawn = self._drawn(cell, item, size)
            parts.append(
                f'<g data-fact="{xml(item.fact)}" transform="translate({number(x)} {number(y)})">'
                f"{drawn}</g>"
            )
        return "".join(parts)

    def _is_ground(self, item: DrawnFact) -> bool:
        return self._glyph(item).form is GlyphForm.FILL

    def _glyph(self, item: DrawnFact) -> Glyph:
        return glyph_of(item.words, item.part, self._layout)

    def _drawn(self, cell: PlacedCell, item: DrawnFact, size: float) -> str:
        if item.part is Part.COUNT:
            return draw_count(item.words[-1], size)
        if self._board.shape is Shape.PILES:
            return draw_bar(self._glyph(item), item.words[-1], size)
        if item.part is Part.MARK and self._board.shape is Shape.ROW:
            word = item.words[-1]
            text = word if len(word) <= 8 else word[:7] + "…"
            thing = self._layout.traits_of.get(" ".join(cell.place.key))
            if thing is not None:  # the place is that of a piece, which is shown as it is
                drawn = draw_traits(thing, size * 0.62)
                return f'{drawn}<text y="{number(size * 0.86)}" font-size="9">{xml(text)}</text>'
            size = min(13.0, 3.9 * size / max(len(text), 4))
            return f'<text font-size="{number(size)}">{xml(text)}</text>'
        return draw_glyph(self._glyph(item), size)

    def _filled(self, item: DrawnFact) -> str:
        glyph = self._glyph(item)
        half = UNIT / 2 - 1.5
        fill = f'fill="{xml(glyph.colour)}"' if glyph.colour else 'class="wall"'
        shape = (
            f'<rect {fill} rx="3" x="-{half}" y="-{half}" width="{2 * half}" height="{2 * half}"/>'
        )
        if self._board.shape in (Shape.HEXES, Shape.POINTS):
            shape = f'<circle {fill} r="{number(half * 0.8)}"/>'
        return f'<g data-fact="{xml(item.fact)}">{shape}</g>'

    def _sides(self) -> list[str]:
        """The sides of all squares, above their grounds, of which each would hide a half."""
        return [
            f'<g transform="translate({number(self._x(cell.place.x))} '
            f'{number(self._y(cell.place.y))})">{self._side(item)}</g>'
            for cell in self._scene.cells
            for item in cell.shown
            if item.part is Part.SIDE
        ]

    def _side(self, item: DrawnFact) -> str:
        half = UNIT / 2
        where = dict(self._board.sides).get(item.words[-1], "bottom")
        ends = {
            "bottom": (-half, half, half, half),
            "top": (-half, -half, half, -half),
            "left": (-half, -half, -half, half),
            "right": (half, -half, half, half),
        }[where]
        colour = next((c for w in item.words if (c := colour_of(w, self._layout))), "")
        paint = f' stroke="{xml(colour)}"' if colour else ""
        style = "side" if colour else "side ink"
        x1, y1, x2, y2 = map(number, ends)
        return (
            f'<line class="{style}" data-fact="{xml(item.fact)}" x1="{x1}" y1="{y1}" x2="{x2}" '
            f'y2="{y2}"{paint}/>'
        )

    # ------------------------------------------------------------------ lines between cells

    def _lines(self) -> list[str]:
        return [
            f'<line class="side ink" data-fact="{xml(line.item.fact)}" '
            f'x1="{number(self._x(line.start[0]))}" y1="{number(self._y(line.start[1]))}" '
            f'x2="{number(self._x(line.end[0]))}" y2="{number(self._y(line.end[1]))}"/>'
            for line in self._scene.lines
        ]

    def _arrows(self) -> list[str]:
        """Lines from where a thing was to where it is, where that is clear."""
        if self._board.shape is Shape.STACKS:
            return []
        pairs = moved(self._scene)
        if len(pairs) > MAX_ARROWS:
            return []
        return [f'<line class="arrow" {self._ends(a.place, b.place)}/>' for a, b in pairs]
