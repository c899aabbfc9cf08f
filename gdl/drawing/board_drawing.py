"""One board as SVG: the grounds of its places, what lies on them, names, sides and arrows."""

from __future__ import annotations

from dataclasses import replace

from gdl.analysis.boards import Board, BoardLayout, Part, Place, Shape
from gdl.analysis.move_names import names_without_play
from gdl.drawing.glyphs import Glyph, GlyphForm, colour_of, glyph_of, palette_colour
from gdl.drawing.scene import FLAT, BoardScene, DrawnFact, PlacedCell, moved, say
from gdl.drawing.shapes import (
    PILE_HEIGHT,
    UNIT,
    Spot,
    dotted,
    draw_bar,
    draw_count,
    draw_glyph,
    draw_traits,
    hexagon,
    hexagon_side,
    layered,
    listed,
    number,
    phrase,
    piled,
    spread,
    tagged,
    xml,
)

MAX_ARROWS = 4
"""Lines from where things were; where more things move, they would hide them."""


class BoardDrawing:
    """One board as a group of SVG elements."""

    def __init__(
        self, scene: BoardScene, layout: BoardLayout, prefix: str, decisive: frozenset[str]
    ) -> None:
        self._scene = scene
        self._board: Board = scene.board
        self._layout = layout
        self._called = names_without_play(layout).boards[scene.index]
        self._prefix = prefix
        self._decisive = decisive
        self._layers = max((len(cell.shown) for cell in scene.cells), default=0)
        xs = [cell.place.x for cell in scene.cells]
        ys = [cell.place.y for cell in scene.cells]
        labelled = bool(self._board.labels)
        half = 0.62 if self._board.shape is Shape.POINTS else 0.5
        self._left = min(xs) - half - (0.5 if labelled else 0)
        above = {Shape.PILES: PILE_HEIGHT, Shape.POINTS: 0.72}.get(self._board.shape, half)
        self._top = min(ys) - above
        panels = [panel.key for panel in self._board.panels]
        inside = {p.key[1] for p in self._board.places if len(p.key) == 2}
        self._has_captions = any(len(key) == 1 and key[0] not in inside for key in panels)
        below = (
            0.5
            if labelled or self._has_captions
            else 0.35
            if self._board.shape in (Shape.ROW, Shape.POINTS, Shape.PILES)
            else 0
        )
        self._head = 22 if len(layout.boards) > 1 else 4
        self._is_named_inside = self._board.shape is Shape.HEXES and not labelled
        right = max([max(xs) + half, *(label.x + 0.25 for label in self._board.labels)])
        self.has_rows = self._board.shape is Shape.ROW and len(set(ys)) > 1
        """Whether it is a row of boxes that goes on in others, which stands below other boards."""
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
                *self._names(),
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
        """The frame of one of several boards, and its name below it."""
        items = self._scene.panels.get(key, ())
        facts = "".join(f'<g data-fact="{xml(item.fact)}"/>' for item in items)
        style = "lit" if items else "frame"
        text = xml(" ".join(key))
        name = ""
        if self._has_captions:
            x, y = self._x(left + width / 2), self._y(top + height) + 14
            name = (
                f'<text class="soft" x="{number(x)}" y="{number(y)}" font-size="12">{text}</text>'
            )
        return (
            f'<g class="panel" data-panel="{text}"><rect class="{style}" rx="4" '
            f'x="{number(self._x(left) - 5)}" y="{number(self._y(top) - 5)}" '
            f'width="{number(width * UNIT + 10)}" height="{number(height * UNIT + 10)}"/>'
            f"<title>{text}</title>{facts}</g>{name}"
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
            f"{self._title(cell)}{self._ground(index, cell)}"
            f"{self._rims(index)}{self._scenery(index)}{self._things(cell)}</g>"
        )

    def _title(self, cell: PlacedCell) -> str:
        """What is on a place, after its name: read aloud, and shown under the pointer."""
        name = self._called.name(cell.place.key) or " ".join(cell.place.key)
        held = ", ".join(say(item.words, self._layout) for item in cell.shown)
        text = f"{name}: {held}" if held else name
        if held and self._decides(cell):
            said = phrase(said="decides", place=text)
            return f"<title{said}>{xml(text)}, which decides the match</title>"
        return f"<title>{xml(text)}</title>"

    def _decides(self, cell: PlacedCell) -> bool:
        return any(item.fact in self._decisive for item in cell.items)

    def _ground(self, index: int, cell: PlacedCell) -> str:
        shape, half = self._board.shape, UNIT / 2
        if shape is Shape.STACKS:
            return self._thing(cell)
        if index in self._board.bare:
            return self._outline("bare", 0)  # where a click is for what stands at its rim
        if self._board.middle is not None:
            return self._outline("bare", 0) + '<circle class="corner" r="5"/>'
        ground = self._outline("sq", 0)
        if self._decides(cell):
            ground += self._outline("decisive", 3)
        elif cell.changed:
            ground += self._outline("edge", 2)
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
        if name in self._layout.traits and name.lower() in self._layout.words:
            return ""  # the picture says as much
        size = 12 if len(name) <= 7 else 9
        shown = name if len(name) <= 11 else name[:10] + "…"
        return f'<text class="name" y="{number(down)}" font-size="{size}">{xml(shown)}</text>'

    def _names(self) -> list[str]:
        """The names of points and hexagons, above all places, so that no neighbour hides them."""
        if self._board.shape is Shape.POINTS:
            names = [
                (cell, self._name(cell, UNIT * 0.56 * self._side_of_name(cell)))
                for cell in self._scene.cells
            ]
        elif self._is_named_inside:  # moves are called by these names
            names = [
                (cell, f'<text y="18.5" font-size="10">{xml(",".join(cell.place.key))}</text>')
                for cell in self._scene.cells
            ]
        else:
            return []
        return [
            f'<g class="cell aside" transform="translate({number(self._x(cell.place.x))} '
            f'{number(self._y(cell.place.y))})">{name}</g>'
            for cell, name in names
        ]

    def _side_of_name(self, cell: PlacedCell) -> int:
        """1 where the name of a point stands below it; -1 above, where fewer links cross it."""
        crossing = {1: 0, -1: 0}
        half_width = 0.09 * min(len(" ".join(cell.place.key)), 11)
        for link in self._board.links:
            ends = [self._board.places[i] for i in link]
            for here, there in (ends, reversed(ends)):
                across, down = abs(there.x - here.x), there.y - here.y
                if here.key == cell.place.key and across * 0.56 < abs(down) * half_width:
                    crossing[1 if down > 0 else -1] += 1
        return 1 if crossing[1] <= crossing[-1] else -1

    def _thing(self, cell: PlacedCell) -> str:
        name = " ".join(cell.place.key)
        glyph = glyph_of((name,), Part.PIECE, self._layout)
        if not cell.items or self._board.index[cell.place.key] in self._board.bare:
            return (
                f'<rect class="sq" x="-{UNIT / 2}" y="-8" width="{UNIT}" height="16" rx="4"/>'
                f'<text font-size="11">{xml(name[:9])}</text>'
            )
        width = self._layout.sizes.get(name)
        if width is not None:
            digits = "".join(filter(str.isdigit, name))
            return draw_bar(glyph, digits or name, UNIT * FLAT / 2, width)
        return draw_glyph(glyph, UNIT / 2 - 1)

    def _things(self, cell: PlacedCell) -> str:
        if self._board.shape is Shape.STACKS:
            return "".join(f'<g data-fact="{xml(item.fact)}"/>' for item in cell.items)
        middle = self._board.middle
        if middle is not None and cell.shown:
            x, y = number(middle[0] * UNIT), number(middle[1] * UNIT)
            return f'<g transform="translate({x} {y})">{self._things_at_middle(cell)}</g>'
        return self._things_at_middle(cell)

    def _things_at_middle(self, cell: PlacedCell) -> str:
        shown = cell.shown
        unseen = [f'<g data-fact="{xml(i.fact)}"/>' for i in cell.items if i not in shown]
        under = [item for item in shown if self._is_ground(item)]
        over = [i for i in shown if i.part is not Part.SIDE and not self._is_ground(i)]
        parts = [*unseen, *map(self._filled, under)]
        dots = [i for i in over if self._glyph(i).form is GlyphForm.DOT]
        tags = []
        if any(item.part is Part.COUNT for item in over):
            tags = [i for i in over if i.part is Part.MARK and len(i.words) == 1 and i not in dots]
        if len(dots) + len(tags) < len(over):  # they stand beside what they say something of
            over = [item for item in over if item not in dots and item not in tags]
        else:
            dots, tags = [], []
        for (x, y), size, item in (*self._spots(cell, over), *dotted(dots), *tagged(tags)):
            drawn = self._drawn(cell, item, size)
            parts.append(
                f'<g data-fact="{xml(item.fact)}" transform="translate({number(x)} {number(y)})">'
                f"{drawn}</g>"
            )
        return "".join(parts)

    def _spots(self, cell: PlacedCell, items: list[DrawnFact]) -> list[Spot]:
        """Where the things on a place are: centre and half size of each."""
        if self._board.shape is Shape.PILES:
            return piled(items)
        if self._board.shape is Shape.ROW and len(items) > 1:
            has_piece = " ".join(cell.place.key) in self._layout.traits
            if not has_piece and all(item.part is Part.MARK for item in items):
                return listed(items)
        if items and all(item.part is Part.LAYER for item in items):
            return layered(items, self._layers)
        spots = spread(items)
        if self._is_named_inside:  # above the name
            return [((x * 0.8, y * 0.8 - 5), size * 0.8, item) for (x, y), size, item in spots]
        return spots

    def _is_ground(self, item: DrawnFact) -> bool:
        return self._glyph(item).form is GlyphForm.FILL

    def _glyph(self, item: DrawnFact) -> Glyph:
        glyph = glyph_of(item.words, item.part, self._layout)
        if self._board.middle is not None and glyph.form is GlyphForm.DISC:
            return replace(glyph, form=GlyphForm.FILL)  # whose a square is, shown by all of it
        return glyph

    def _drawn(self, cell: PlacedCell, item: DrawnFact, size: float) -> str:
        if item.part is Part.COUNT:
            return draw_count(item.words[-1], size)
        if self._board.shape is Shape.PILES:
            width = self._layout.sizes.get(item.words[-1], 1.0)
            return draw_bar(self._glyph(item), item.words[-1], size, width)
        if item.part is Part.LAYER:
            return draw_bar(glyph_of(item.words[1:], item.part, self._layout), "", size)
        if item.part is Part.MARK and self._board.shape is Shape.ROW:
            word = item.words[-1]
            text = word if len(word) <= 8 else word[:7] + "…"
            thing = self._layout.traits.get(" ".join(cell.place.key))
            if thing is not None:  # the place is that of a piece, which is shown as it is
                drawn = draw_traits(thing, size * 0.62)
                if word == self._board.title and self._head > 10:
                    return drawn  # the title says it of all
                return f'{drawn}<text y="{number(size * 0.86)}" font-size="9">{xml(text)}</text>'
            size = min(13.0, 3.3 * size / max(len(text), 4))
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
        x1, y1, x2, y2 = map(number, ends)
        return (
            f'<line {self._paint(item, "ink")} data-fact="{xml(item.fact)}" x1="{x1}" y1="{y1}" '
            f'x2="{x2}" y2="{y2}"/>'
        )

    def _paint(self, item: DrawnFact, style: str) -> str:
        """The attributes of a thick line: a colour, where its words have one or name its owner."""
        colour = next((c for w in item.words if (c := colour_of(w, self._layout))), "")
        return f'class="side" stroke="{xml(colour)}"' if colour else f'class="side {style}"'

    # ------------------------------------------------------------------ lines between cells

    def _lines(self) -> list[str]:
        return [
            f"<line {self._paint(line.item, 'drawn' if line.item.placed else 'ink')} "
            f'data-fact="{xml(line.item.fact)}" '
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
