"""Shapes: how glyphs, numbers and the things that share a place are drawn in SVG."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TypeAlias

from gdl.analysis.boards import Part
from gdl.drawing.glyphs import Glyph, GlyphForm, palette_colour
from gdl.drawing.scene import DrawnFact

UNIT = 46
"""Pixels from the centre of a place to that of the next."""

PILE_HEIGHT = 1.8
"""The places that a pile is higher than its middle."""

MIN_LAYERS = 4
"""How many layers at least there is room for on a place."""

MAX_DOTS = 12
"""The most equal things for each of which there is a dot."""

Spot: TypeAlias = tuple[tuple[float, float], float, DrawnFact]
"""Where on its place a thing is: its centre, half of its size, and the thing."""

_COUNT = re.compile("[0-9]{1,2}")
_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(text: str) -> str:
    """Escape a text for XML: marks, quotes, and characters that XML does not know."""
    return escape(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def phrase(**values: str) -> str:
    """Return attributes by which a page can say an English text of ours in another language.

    ``data-said`` names the phrase, and the others have what is put into it.
    """
    return "".join(f' data-{name}="{xml(value)}"' for name, value in values.items())


def number(value: float) -> str:
    """Write a coordinate, as short as it goes."""
    return f"{value:.1f}".removesuffix(".0")


def spread(items: Sequence[DrawnFact]) -> list[Spot]:
    """Share the square of a place among the things on it: centre and half size of each."""
    count = len(items)
    if count <= 1:
        small = 0.6 if any(i.part is Part.MARK and len(i.words) > 1 for i in items) else 1
        return [((0.0, 0.0), (UNIT / 2 - 4) * small, item) for item in items]
    side = 2 if count <= 4 else 3 if count <= 9 else 4
    step = UNIT / side
    found = []
    for i, item in enumerate(items[: side * side]):
        x, y = i % side, i // side
        found.append(
            (((x + 0.5) * step - UNIT / 2, (y + 0.5) * step - UNIT / 2), step / 2 - 1, item)
        )
    found += [((0.0, 0.0), 1.0, item) for item in items[side * side :]]
    return found


def dotted(items: Sequence[DrawnFact]) -> list[Spot]:
    """Put dots into the upper right corner of a place, beside what lies there."""
    return [((UNIT / 2 - 8 - 10 * i, 8 - UNIT / 2), 15.0, item) for i, item in enumerate(items)]


def tagged(items: Sequence[DrawnFact]) -> list[Spot]:
    """Put small labels onto the upper left corner of a place, over its rim."""
    return [((18 * i + 4 - UNIT / 2, 4 - UNIT / 2), 9.0, item) for i, item in enumerate(items)]


def piled(items: Sequence[DrawnFact]) -> list[Spot]:
    """Put things on each other, from below; the last one is the lowest."""
    step = UNIT * min(0.5, (PILE_HEIGHT + 0.4) / max(len(items), 1))
    ordered = sorted(items, key=lambda item: _size_key(item.words[-1]), reverse=True)
    return [((0.0, UNIT * 0.25 - i * step), step / 2, item) for i, item in enumerate(ordered)]


def layered(items: Sequence[DrawnFact], most: int) -> list[Spot]:
    """Put layers on each other, from the foot of a square; there are ``most`` on a place."""
    step = (UNIT - 6) / max(most, MIN_LAYERS)
    ordered = sorted(items, key=lambda item: _size_key(item.words[0]))
    return [((0.0, UNIT / 2 - 3 - (i + 0.5) * step), step / 2, x) for i, x in enumerate(ordered)]


def listed(items: Sequence[DrawnFact]) -> list[Spot]:
    """Put words below each other, each as wide as the place."""
    step = UNIT / (len(items) + 1)
    return [((0.0, (i + 1) * step - UNIT / 2), UNIT / 2 - 4, item) for i, item in enumerate(items)]


def draw_bar(glyph: Glyph, word: str, size: float, width: float = 1.0) -> str:
    """A thing seen from its side: a bar with its name; its ``width`` is 1 for the largest."""
    fill = glyph.colour if glyph.form is not GlyphForm.NUMBER else palette_colour(word)
    ink = "#ffffff" if _is_dark(fill) else "#222222"
    half = UNIT * 0.46 * (0.3 + 0.7 * width)
    return (
        f'<rect class="piece" rx="4" x="{number(-half)}" y="{number(1 - size)}" '
        f'width="{number(2 * half)}" height="{number(2 * size - 2)}" fill="{xml(fill)}"/>'
        f'<text font-size="{number(min(size * 1.3, 3.2 * half / max(len(word[:7]), 1)))}" '
        f'fill="{ink}">{xml(word[:7])}</text>'
    )


def _size_key(word: str) -> tuple[int, str]:
    digits = "".join(c for c in word if c.isascii() and c.isdigit())[:9]
    return (int(digits) if digits else 0, word)


def draw_count(text: str, size: float) -> str:
    """A number of equal things: the number, with a dot for each where they are few."""
    digits = text.lstrip("abcdefghijklmnopqrstuvwxyz")
    drawn = (
        f'<text y="{number(-size * 0.45)}" font-size="{number(size * 0.85)}" '
        f'font-weight="600">{xml(digits or text)}</text>'
    )
    if not _COUNT.fullmatch(digits) or not 0 < int(digits) <= MAX_DOTS:
        return (
            f'<text font-size="{number(size)}" font-weight="600">{xml((digits or text)[:4])}</text>'
        )
    dots = []
    for i in range(int(digits)):
        x, y = i % 6, i // 6
        wide = min(int(digits) - 6 * y, 6)
        dots.append(
            f'<circle r="2.6" fill="currentColor" cx="{number((x - (wide - 1) / 2) * 6.5)}" '
            f'cy="{number(size * 0.25 + y * 7)}"/>'
        )
    return drawn + "".join(dots)


def draw_glyph(glyph: Glyph, size: float) -> str:
    """Draw a glyph around 0, 0 within a square of half the side ``size``."""
    colour, r = xml(glyph.colour), number(size * 0.86)
    if glyph.form is GlyphForm.DISC:
        return f'<circle class="piece" r="{r}" fill="{colour}"/>'
    if glyph.form is GlyphForm.RING:
        return (
            f'<circle r="{number(size * 0.66)}" fill="none" stroke="{colour}" '
            f'stroke-width="{number(size * 0.28)}"/>'
        )
    if glyph.form is GlyphForm.CROSS:
        a = number(size * 0.62)
        return (
            f'<path d="M-{a} -{a}L{a} {a}M-{a} {a}L{a} -{a}" stroke="{colour}" '
            f'stroke-width="{number(size * 0.28)}" stroke-linecap="round"/>'
        )
    if glyph.form in (GlyphForm.SYMBOL, GlyphForm.STAR, GlyphForm.NUMBER):
        return _text_glyph(glyph, size)
    if glyph.form is GlyphForm.TRAITS:
        return draw_traits(glyph.traits, size)
    if glyph.form is GlyphForm.DOT:
        fill = f'fill="{colour}"' if colour else 'class="wall"'
        return f'<circle {fill} r="{number(size * 0.28)}"/>'
    if glyph.form is GlyphForm.FILL:
        fill = f'fill="{colour}"' if colour else 'class="wall"'
        side = number(size * 1.72)
        return f'<rect {fill} x="-{r}" y="-{r}" width="{side}" height="{side}" rx="3"/>'
    return _chip(glyph, size)


def draw_traits(traits: tuple[int, ...], size: float) -> str:
    """Draw a piece by its two-valued traits: its size, colour, shape, and whether it has a hole."""
    small, light, angular, hollow = (*traits, 0, 0, 0, 0)[:4]
    r = size * (0.58 if small else 0.9)
    fill = "#e8c98f" if light else "#7a4a28"
    shape = f'<circle class="piece" r="{number(r)}" fill="{fill}"/>'
    if angular:
        shape = (
            f'<rect class="piece" x="{number(-r)}" y="{number(-r)}" width="{number(2 * r)}" '
            f'height="{number(2 * r)}" rx="2" fill="{fill}"/>'
        )
    hole = f'<circle r="{number(r * 0.42)}" fill="#1d1f23"/>' if hollow else ""
    return shape + hole


def _text_glyph(glyph: Glyph, size: float) -> str:
    """Draw a glyph that is a character or two, or a number."""
    colour = xml(glyph.colour)
    if glyph.form is GlyphForm.STAR:
        return f'<text class="symbol" font-size="{number(size * 1.7)}" fill="{colour}">★</text>'
    if glyph.form is GlyphForm.NUMBER:
        length = max(len(glyph.text), 1)
        scale = 1.25 if length <= 2 else 2.4 / length
        return f'<text font-size="{number(size * scale)}">{xml(glyph.text[:6])}</text>'
    text = glyph.text + ("\ufe0e" if len(glyph.text) == 1 else "")
    return (
        f'<text class="symbol" font-size="{number(size * 1.75)}" fill="{colour}">{xml(text)}</text>'
    )


def _chip(glyph: Glyph, size: float) -> str:
    """A label on a rounded square of the glyph's colour."""
    r = size * 0.92
    scale = {0: 1.0, 1: 1.15, 2: 0.95, 3: 0.75}.get(len(glyph.text), 2.5 / (len(glyph.text) or 1))
    ink = "#ffffff" if _is_dark(glyph.colour) else "#222222"
    return (
        f'<rect class="piece" rx="{number(size * 0.3)}" x="{number(-r)}" y="{number(-r)}" '
        f'width="{number(2 * r)}" height="{number(2 * r)}" fill="{xml(glyph.colour)}"/>'
        f'<text font-size="{number(size * scale)}" fill="{ink}">{xml(glyph.text[:8])}</text>'
    )


def _is_dark(colour: str) -> bool:
    """Whether white text is easier to read on a colour than black, by its luminance."""
    if len(colour) != 7 or not colour.startswith("#"):
        return False
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 150


SIDES = ("ne", "e", "se", "sw", "w", "nw")
"""The sides of a hexagon, clockwise from its top; the corner of a number begins its side."""


def hexagon(half: float) -> list[tuple[float, float]]:
    """Return the corners of a hexagon about the origin, from its top, by half of its width."""
    spots = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))
    return [(x * half, y * half * 0.577) for x, y in spots]


def hexagon_side(half: float, side: str, colour: str) -> str:
    """Draw one side of a hexagon as a thick line."""
    corners, first = hexagon(half), SIDES.index(side)
    (x1, y1), (x2, y2) = corners[first], corners[(first + 1) % 6]
    return (
        f'<line class="side" stroke="{xml(colour)}" x1="{number(x1)}" y1="{number(y1)}" '
        f'x2="{number(x2)}" y2="{number(y2)}"/>'
    )
