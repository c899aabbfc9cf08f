"""Information sets as numbers: what a role did and saw, step after step."""

from __future__ import annotations

from collections.abc import Set
from typing import TypeAlias

from gdl import Term

ROOT = 0
"""The information set of every role before the first step."""

_Seen: TypeAlias = tuple[int, Term, Set[Term]]


class InformationSets:
    """Numbers the information sets of one role.

    Equal sequences of moves and percepts have one number, of whatever machine they come from.
    """

    def __init__(self) -> None:
        self._numbers: dict[_Seen, int] = {}

    def after(self, number: int, move: Term, percepts: frozenset[Term]) -> int:
        """Return the information set that follows one by a move and what was seen then."""
        return self._numbers.setdefault((number, move, percepts), len(self._numbers) + 1)

    def __len__(self) -> int:
        return len(self._numbers) + 1
