"""Refinements: what the author of a game says of its boards, beyond what the rules show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from gdl.analysis.boards.layout import Shape, Style
from gdl.errors import GdlError


class LayoutRefinementError(GdlError):
    """A refinement that does not fit the rules: it names facts or arguments that they lack."""


Position = tuple[float, float]

ARGUMENT = re.compile(r"\{([0-9]{1,2})\}")
"""Where an argument of a move is in what the move is called."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A static relation whose rows are drawn on the ground; ``place`` lists arguments, from 0."""

    relation: str
    place: tuple[int, ...]


@dataclass(frozen=True)
class BoardRefinement:
    """What is said of one board; None and empty values leave what was found.

    ``facts`` names the functions of facts that belong on it, the first of which identifies it.
    ``place`` are the arguments, counted from 0, of the first function that name the place. The
    ``places`` have their positions in units of one place, with y downwards.
    """

    facts: tuple[str, ...]
    title: str = ""
    shape: Shape | None = None
    place: tuple[int, ...] = ()
    places: Mapping[str, Position] = field(default_factory=dict)
    rising: bool | None = None
    transposed: bool | None = None
    checkered: bool | None = None
    blank: frozenset[str] | None = None
    sides: tuple[tuple[str, str], ...] = ()
    ground: tuple[Ground, ...] = ()


@dataclass(frozen=True)
class LayoutRefinement:
    """What a layout file says."""

    boards: tuple[BoardRefinement, ...] = ()
    styles: Mapping[str, Style] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    """Words of the rules, and what people say instead."""
    moves: Mapping[str, str] = field(default_factory=dict)
    """Functions of moves, and what these are called, with ``{1}`` for the first argument."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Functions of one argument, and static relations of which their value picks facts."""

    def of(self, names: frozenset[str]) -> BoardRefinement | None:
        """Return what is said of the board on which facts of these functions are."""
        return next((board for board in self.boards if board.facts[0] in names), None)


NO_REFINEMENT = LayoutRefinement()
