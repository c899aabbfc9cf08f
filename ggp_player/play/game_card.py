"""What is said of a game before a match of it: from the opening comment of its rulesheet.

Apart, as it reads the words of a rulesheet, and knows nothing of pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gdl.language import RANDOM_ROLE, opening_comment
from ggp_player.languages import Sentence

_ROLE = re.compile(r"^\(role\s+([^\s()]+)\)", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])")

KINDS = {
    "turns": ("alternating", Sentence("in turns")),
    "simultaneous": ("simultaneous", Sentence("moves at the same time")),
    "chance": ("chance", Sentence("chance")),
    "hidden": ("imperfect information", Sentence("hidden information")),
    "puzzle": ("one player", Sentence("puzzle")),
}
"""Kinds of games: how a comment's line of roles begins to say so, and what people read."""


@dataclass(frozen=True, slots=True)
class GameCard:
    """A game in a list of games. ``roles`` are those without chance, ``kinds`` keys of KINDS.

    ``sentence`` says how it is played and ``length`` how many steps a match has; either is empty
    where the comment does not tell.
    """

    key: str
    title: str
    sentence: str
    roles: tuple[str, ...]
    kinds: tuple[str, ...]
    length: str

    @property
    def kinds_in_words(self) -> tuple[str, ...]:
        """The kinds as people read them."""
        return tuple(KINDS[kind][1] for kind in self.kinds)


def game_card(key: str, name: str, text: str, roles: Sequence[str] = ()) -> GameCard:
    """Make the card of a rulesheet; ``name`` is its title where the comment has none.

    Without ``roles`` they are read off the lines that state them, as our own rulesheets have them.
    """
    comment = opening_comment(text)
    items = dict(comment.items)
    roles = roles or _ROLE.findall(text)
    tags = re.split(r"[,;] ", items.get("Roles", "").partition("(")[2].rstrip(")"))
    kinds = [kind for kind, (word, _) in KINDS.items() if any(tag.startswith(word) for tag in tags)]
    persons = tuple(role for role in roles if role.lower() != RANDOM_ROLE)
    if len(persons) < len(roles) and "chance" not in kinds:
        kinds.append("chance")
    first = comment.paragraphs[0] if comment.paragraphs else ""
    return GameCard(
        key,
        comment.title or name,
        _SENTENCE_END.split(first, maxsplit=1)[0],
        persons,
        tuple(kinds),
        items.get("Length", ""),
    )
