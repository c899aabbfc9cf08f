"""What a running search thinks, as text and numbers: part of a message and of an event."""

from __future__ import annotations

from dataclasses import dataclass

from ggp_player.events.move_table import move_cells

MAX_TOLD_MOVES = 32
"""The best moves that are told of a position."""

MAX_LINES = 5
"""Moves that are told with the line of play that is expected after them."""

MAX_LINE = 20
"""Joint moves of such a line."""

MAX_PLIES = 4
"""Joint moves of the longest line of the tree."""

MAX_CHILDREN = 4
"""Joint moves of the tree that are told after another, or first."""

MAX_TEXT = 500
"""Characters of a move, and of a note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveThought:
    """What a search thinks of one of our moves.

    ``value`` is the expected goal value, 0 to 100. ``low`` and ``high`` are proved bounds of it,
    equal where it is proved. ``line`` holds the joint moves, in role order, that are expected from
    here on; this move is in the first one. ``twin`` is the move from which the figures are taken,
    as a symmetry of the game maps it to this one. ``cells`` are the texts of its row in the table
    of moves (:mod:`.move_table`), made of the other fields unless they are given.
    """

    move: str
    value: float | None = None
    visits: int | None = None
    low: float = 0
    high: float = 100
    line: tuple[tuple[str, ...], ...] = ()
    twin: str = ""
    cells: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.cells:
            bounds = self.low, self.high
            cells = move_cells(self.move, self.value, self.visits, bounds, self.line, self.twin)
            object.__setattr__(self, "cells", cells)

    @property
    def proved(self) -> bool:
        """Whether the value is exact."""
        return self.low == self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchThought:
    """A joint move in the tree of the lines that a search has visited most.

    ``moves`` are in role order. ``value`` is the expected goal value of the role that searches,
    None where it is not known. ``children`` are the next joint moves, the most visited first; they
    have no more ``visits`` together.
    """

    moves: tuple[str, ...]
    value: float | None = None
    visits: int = 0
    children: tuple[BranchThought, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchView:
    """What a search thinks of its position after ``seconds``.

    ``move``, ``value``, ``proved`` and ``note`` are its choice so far. ``moves`` has the best
    moves, best first, at most :data:`MAX_TOLD_MOVES` of ``move_count``; it is empty where the
    strategy does not tell. ``tree`` has the most visited lines as a tree, the most visited first;
    it is empty where the strategy has none, or where several roles have a choice. ``notice`` says
    why the search is not at its full strength. Playouts, nodes and depth are counted over the match
    or the search, as the strategy does, and None where it does not count them; the rates are of the
    last moments.
    """

    move: str
    value: float | None = None
    proved: bool = False
    note: str = ""
    notice: str = ""
    strategy: str = ""
    seconds: float = 0.0
    moves: tuple[MoveThought, ...] = ()
    move_count: int = 0
    tree: tuple[BranchThought, ...] = ()
    playouts: int | None = None
    nodes: int | None = None
    depth: int | None = None
    playouts_per_second: float | None = None
    nodes_per_second: float | None = None

    @property
    def line(self) -> tuple[tuple[str, ...], ...]:
        """The principal line: the joint moves that are expected after the choice."""
        return next((known.line for known in self.moves if known.move == self.move), ())
