"""Glyphs: how the words of a game are drawn, whatever game it is.

Words that many games use have a picture and a colour of their own; all others are short labels in a
colour that depends on the word alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from zlib import crc32

from gdl.analysis.boards import BoardLayout, Part, Shape
from gdl.drawing.scene import Scene


class GlyphForm(StrEnum):
    """The shape that stands for a thing."""

    DISC = "disc"
    SYMBOL = "symbol"
    CROSS = "cross"
    RING = "ring"
    LABEL = "label"
    FILL = "fill"
    NUMBER = "number"
    DOT = "dot"
    STAR = "star"
    TRAITS = "traits"


@dataclass(frozen=True, slots=True)
class Glyph:
    """How a thing is drawn: a form in a colour, with a text where the form has one.

    ``short`` is what a terminal shows, of at most three characters. ``traits`` are those of a piece
    that is shown by them.
    """

    form: GlyphForm
    colour: str
    text: str = ""
    short: str = ""
    traits: tuple[int, ...] = ()


COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "white": "#f7f4ec",
        "black": "#26262b",
        "red": "#d43d3d",
        "yellow": "#efc02b",
        "blue": "#2f6fd0",
        "green": "#2f9e57",
        "orange": "#ef8a2b",
        "violet": "#8a4fc9",
        "purple": "#8a4fc9",
        "magenta": "#cf4fb4",
        "pink": "#ea86ad",
        "teal": "#1d9a9a",
        "cyan": "#27b1c9",
        "brown": "#8b5a33",
        "gold": "#d6a419",
        "silver": "#a3abb5",
        "gray": "#8a8f98",
        "grey": "#8a8f98",
    }
)
"""Words that are colours, as CSS writes them."""

PALETTE = (
    "#4477c9",
    "#cc6633",
    "#3f9b63",
    "#a8509f",
    "#b58a1e",
    "#2d98a6",
    "#c44e63",
    "#6b64c4",
    "#7d8a2f",
    "#8d6a4f",
)
"""Colours for all other words; readable on light and dark ground."""

_PIECES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "king": ("♚", "♔"),
        "queen": ("♛", "♕"),
        "rook": ("♜", "♖"),
        "bishop": ("♝", "♗"),
        "knight": ("♞", "♘"),
        "pawn": ("♟", "♙"),
        "horse": ("♞", "♘"),
    }
)
"""Characters for pieces, and for white ones in terminals, which may have no colours."""

_CHESS_LETTERS = MappingProxyType(
    {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
)

_DISCS = frozenset(
    {"man", "disc", "disk", "stone", "marble", "checker", "piece", "peg", "token", "ball", "seed"}
)
_CROSSES = frozenset({"x", "cross", "xplayer", "ecks"})
_RINGS = frozenset({"o", "nought", "oplayer", "oh", "zero"})
_FILLS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("wall", "blocked", "block", "arrow", "pillar", "hole", "v"), ""),
        **dict.fromkeys(("lit", "light"), "#efc02b"),
        "visited": "#b9a77e",
        "marked": "#4f7fb5",
    }
)
"""Words for what fills a whole place, and the colours of those that have one of their own."""

_STARS = frozenset({"goal", "treasure", "exit", "gold", "flag", "target", "point"})
_DOTS = frozenset({"pellet", "room", "food", "dot", "passant", "capturing", "shooting", "turned"})
_ROLE_COLOURS = (COLOURS["blue"], COLOURS["red"], COLOURS["green"], COLOURS["orange"])

MAX_LABEL = 3


def glyph_of(words: tuple[str, ...], part: Part, layout: BoardLayout) -> Glyph:
    """Choose how the content of a fact is drawn: the layout file's way, a known one, or a label."""
    styled = _styled(words, layout)
    if styled is not None:
        return styled
    traits = layout.traits.get(words[-1]) if part is Part.PIECE else None
    if traits is not None:
        return Glyph(GlyphForm.TRAITS, PALETTE[0], words[-1], words[-1][:4], traits)
    colour = next((c for word in words if (c := colour_of(word, layout))), "")
    names = (
        [word for word in words if not _is_colour_only(word, layout)]
        if len(words) > 1
        else list(words)
    )
    word = (names or list(words))[-1]
    if part is Part.COUNT or (len(words) == 1 and _is_number(word)):
        return Glyph(GlyphForm.NUMBER, colour or PALETTE[0], word, word[:4])
    known = _known(word.lower(), colour, layout)
    if known is not None:
        return known
    if part is Part.MARK and len(words) > 1 and colour:
        return Glyph(GlyphForm.DISC, colour, "", _short(words[-1]))
    if colour and not names:
        return Glyph(GlyphForm.DISC, colour, "", _short(word))
    if colour and len(words) == 1 and _is_colour_only(word, layout):
        return Glyph(GlyphForm.DISC, colour, "", _short(word))
    side = colour or _colour_of_initial(word, layout)
    if side and len(words) == len(word) == 1:
        return Glyph(GlyphForm.DISC, side, "", word)
    text = abbreviate(word) if len(names) <= 1 else " ".join(abbreviate(n) for n in names)
    if len(names) == 2 and _is_number(word):
        text = f"{names[0][:1]}{word}"
    paint = (
        colour or (len(word) == 1 and _colour_of_role_with(word, layout)) or palette_colour(word)
    )
    return Glyph(GlyphForm.LABEL, paint, text, text[: MAX_LABEL + 2])


def _styled(words: tuple[str, ...], layout: BoardLayout) -> Glyph | None:
    """Look the words up in the layout file: all together, then one by one."""
    styles = layout.styles
    if not styles:
        return None
    joined = styles.get(" ".join(words))
    found = [joined] if joined else [styles[word] for word in words if word in styles]
    glyph = next((style.glyph for style in found if style.glyph), "")
    colour = next((style.colour for style in found if style.colour), "")
    last = words[-1]
    named = next((c for word in reversed(words) if (c := colour_of(word, layout))), "")
    colour = colour or named or palette_colour(last)
    if glyph in tuple(GlyphForm):
        form = GlyphForm(glyph)
        text = abbreviate(last) if form in (GlyphForm.LABEL, GlyphForm.NUMBER) else ""
        return Glyph(form, colour, text, _short(last))
    if not glyph:
        return None
    return Glyph(GlyphForm.SYMBOL, colour, glyph, glyph)


def _known(word: str, colour: str, layout: BoardLayout) -> Glyph | None:
    if word in _CROSSES and (word != "cross" or word in layout.roles):
        return Glyph(GlyphForm.CROSS, COLOURS["blue"], "", "X")
    if word in _RINGS:
        return Glyph(GlyphForm.RING, COLOURS["red"], "", "O")
    piece = _chess_piece(word, layout)
    if piece is not None:
        side, name = piece
        paint = COLOURS.get(side, colour or PALETTE[0])
        filled, outlined = _PIECES[name]
        short = outlined if paint == COLOURS["white"] else filled
        return Glyph(GlyphForm.SYMBOL, paint, filled, short)
    if word == "w" and not any(role[:1].lower() == "w" for role in layout.roles):
        return Glyph(GlyphForm.DISC, COLOURS["white"], "", word)
    if word in _DISCS or (word.endswith(("checker", "disc", "stone")) and colour):
        return Glyph(GlyphForm.DISC, colour or palette_colour(word), "", _short(word))
    if word in _FILLS:
        return Glyph(GlyphForm.FILL, _FILLS[word] or colour, "", "#")
    if word in _STARS and word not in layout.roles:
        return Glyph(GlyphForm.STAR, COLOURS["gold"], "", "*")
    if word in _DOTS:
        return Glyph(GlyphForm.DOT, colour, "", ".")
    return None


def _chess_piece(word: str, layout: BoardLayout) -> tuple[str, str] | None:
    """Split ``white_pawn``, ``whitePawn``, ``wp`` or ``pawn`` into a side and a piece.

    Two letters are a piece only where the first is that of a role, white or black: ``wb`` is an
    edge of a cube, too.
    """
    for side in ("white", "black", *COLOURS):
        if word.startswith(side):
            rest = word[len(side) :].strip("_-")
            return (side, rest) if rest in _PIECES else None
    if word in _PIECES:
        return "", word
    side = {"w": "white", "b": "black"}.get(word[0], "")
    if len(word) != 2 or word[1] not in _CHESS_LETTERS or not side:
        return None
    is_role = _colour_of_initial(word[0], layout) == COLOURS[side]
    return (side, _CHESS_LETTERS[word[1]]) if is_role else None


def _is_number(word: str) -> bool:
    return word.lstrip("-").isdigit()


def _is_colour_only(word: str, layout: BoardLayout) -> bool:
    return word.lower() in COLOURS or word in layout.roles


def colour_of(word: str, layout: BoardLayout) -> str:
    """The colour of a word that is or begins with one, or that is a role; otherwise empty."""
    style = layout.styles.get(word)
    if style is not None and style.colour:
        return style.colour
    lower = word.lower()
    if lower in COLOURS:
        return COLOURS[lower]
    if word in layout.roles:
        return _ROLE_COLOURS[layout.roles.index(word) % len(_ROLE_COLOURS)]
    for name, colour in COLOURS.items():
        if lower.startswith(name):
            return colour
    return ""


def _colour_of_initial(letter: str, layout: BoardLayout) -> str:
    """The colour of the roles that a letter begins: ``r`` for red, with roles red and yellow."""
    meant = [role.lower() for role in layout.roles if role[:1].lower() == letter.lower()]
    colours = {
        next((colour for name, colour in COLOURS.items() if role.startswith(name)), "")
        for role in meant
    }
    return colours.pop() if len(colours) == 1 else ""


def _colour_of_role_with(initial: str, layout: BoardLayout) -> str:
    """The colour of the one role that a letter begins: ``s`` of sheep, where the other is wolf."""
    meant = [role for role in layout.roles if role[:1].lower() == initial.lower()]
    return colour_of(meant[0], layout) if len(meant) == 1 < len(layout.roles) else ""


def palette_colour(word: str) -> str:
    """The colour of a word without one: always the same for a word."""
    return PALETTE[crc32(word.encode()) % len(PALETTE)]


def abbreviate(word: str, length: int = MAX_LABEL) -> str:
    """Shorten a word to a label: its first letters, or those of its parts, and its number."""
    if len(word) <= length + 1 or (len(word) <= length + 2 and any(c.isdigit() for c in word)):
        return word
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", word)
    if len(parts) > 1:
        number = parts[-1] if parts[-1].isdigit() else ""
        letters = "".join(p[0] for p in parts if not p.isdigit())
        return f"{letters[: max(1, length - len(number))]}{number}"[: length + 1]
    return word[:length]


def _short(word: str) -> str:
    return word[:1].upper() if len(word) > MAX_LABEL else word


def legend(scene: Scene, shapes: Collection[Shape]) -> list[tuple[str, Glyph]]:
    """List what each glyph on boards of some shapes stands for, in the order of the words.

    Numbers and pieces with traits explain themselves, and so do sides of squares.
    """
    boards = (board for board in scene.boards if board.board.shape in shapes)
    found: dict[str, Glyph] = {}
    for item in (item for board in boards for cell in board.cells for item in cell.shown):
        words = item.words[item.part is Part.LAYER :]
        glyph = glyph_of(words, item.part, scene.layout)
        if item.part is not Part.SIDE and glyph.form not in (GlyphForm.NUMBER, GlyphForm.TRAITS):
            found.setdefault(" ".join(words), glyph)
    return sorted(found.items())
