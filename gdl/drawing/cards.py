"""Cards, face up, with a rank and a suit where a card's word has one; and dice, with pips.

Apart from other shapes: cards and dice stand beside the boards, not on places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdl.drawing.glyphs import abbreviate
from gdl.drawing.scene import DrawnCard
from gdl.drawing.shapes import number, xml

WIDTH, HEIGHT, GAP = 38, 54, 8
"""Pixels of a card, and from one to the next."""

_PIPS = {
    0: (),
    1: (4,),
    2: (2, 6),
    3: (2, 4, 6),
    4: (0, 2, 6, 8),
    5: (0, 2, 4, 6, 8),
    6: (0, 2, 3, 5, 6, 8),
}
"""For each number of a die the places of its pips, row by row among three times three."""

_RANKS = {"jack": "J", "queen": "Q", "king": "K", "ace": "A", "knave": "J", "joker": "\u2605"}
_SUITS = {"spade": "\u2660", "heart": "\u2665", "diamond": "\u2666", "club": "\u2663"}
_RED = "\u2665\u2666"
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def face_of(word: str) -> tuple[str, str]:
    """Return the rank of a card, at most four characters, and its suit, empty where it has none.

    >>> face_of("queenOfHearts"), face_of("10"), face_of("dragon")
    (('Q', '\u2665'), ('10', ''), ('dra', ''))
    """
    parts = _PARTS.findall(word)
    suits = [part for part in parts if part.lower().removesuffix("s") in _SUITS]
    ranks = [part for part in parts if part not in suits and part.lower() != "of"]
    suit = _SUITS[suits[0].lower().removesuffix("s")] if suits else ""
    rank = "".join(ranks) if suit else word
    return _RANKS.get(rank.lower(), abbreviate(rank)[:4]), suit


def draw_hand(
    cards: Sequence[DrawnCard], left: float, top: float, right: float
) -> tuple[str, float, float]:
    """Draw cards in rows; return the SVG, how far to the right it reaches, and its height."""
    in_row = max(1, int((right - left) / (WIDTH + GAP)))
    drawn = "".join(
        _card(
            card,
            left + (i % in_row) * (WIDTH + GAP),
            top + GAP / 2 + (i // in_row) * (HEIGHT + GAP),
        )
        for i, card in enumerate(cards)
    )
    rows, height = -(-len(cards) // in_row), WIDTH if cards[0].is_die else HEIGHT
    return drawn, left + min(len(cards), in_row) * (WIDTH + GAP), rows * (height + GAP) + GAP / 2


def _card(card: DrawnCard, x: float, y: float) -> str:
    if card.is_die and card.word in map(str, _PIPS):
        return _die(card, x, y)
    rank, suit = face_of(card.word)
    ink = "red" if suit and suit in _RED else ""
    size = 22 if len(rank) <= 2 else 14
    pip = f'<text class="{ink}" x="19" y="38" font-size="20">{suit}&#xfe0e;</text>' if suit else ""
    return (
        f'<g class="{"new" if card.dealt else ""}" data-fact="{xml(card.fact)}" '
        f'transform="translate({number(x)} {number(y)})"><title>{xml(card.word)}</title>'
        f'<rect class="card" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
        f'<text class="{ink}" x="19" y="{17 if suit else 27}" font-size="{size}" '
        f'font-weight="600">{xml(rank)}</text>{pip}</g>'
    )


def _die(card: DrawnCard, x: float, y: float) -> str:
    pips = "".join(
        f'<circle cx="{9 + 10 * (i % 3)}" cy="{9 + 10 * (i // 3)}" r="3.4"/>'
        for i in _PIPS[int(card.word)]
    )
    return (
        f'<g class="cell{" new" if card.dealt else ""}" data-fact="{xml(card.fact)}" '
        f'transform="translate({number(x)} {number(y)})"><title>{xml(card.word)}</title>'
        f'<rect class="card" width="{WIDTH}" height="{WIDTH}" rx="8"/>{pips}</g>'
    )
