"""Colour refinement of labelled graphs, with colours that can be compared between graphs.

Vertices of one colour agree in how many neighbours of each colour they have along each kind of
edge (the Weisfeiler-Leman test). A colour is a hash of how it came about, never of a vertex's
number: two graphs that differ in the order of their vertices alone get the same colours.

Only the neighbours of vertices whose colours have changed are looked at, and where a cell falls
apart one of its parts keeps its colour, so that a long chain takes no longer than a wide star.

Source: B. McKay and A. Piperno, Practical graph isomorphism, II (2014).
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

_MASK = 2**64 - 1
_FACTOR = 0x9E3779B97F4A7C15
_UPWARDS = 0x5851F42D4C957F2D


class WorkLimitError(Exception):
    """The graph takes more work to refine than allowed; no caller of the package sees it."""


class ColourRefinement:
    """The colours of a graph that is built vertex by vertex.

    ``colours`` holds one for each vertex, 64 bits. At most ``work`` edges are added and visited by
    all calls together, a second for a million or so; beyond that, they raise
    :class:`WorkLimitError`, which depends on the graph alone.
    """

    def __init__(self, work: int) -> None:
        self.colours: list[int] = []
        self._edges: list[list[tuple[int, int]]] = []
        self._sizes: Counter[int] = Counter()
        self._work = work
        self._steps = 0

    def add_vertex(self, kind: str) -> int:
        """Add a vertex, whose first colour is its kind, and return its number."""
        self.colours.append(_digest(kind))
        self._edges.append([])
        return len(self.colours) - 1

    def add_edge(self, origin: int, target: int, label: int) -> None:
        """Add an edge; its label and its direction count."""
        self._spend(1)
        self._edges[origin].append((target, label * _FACTOR & _MASK))
        self._edges[target].append((origin, label * _FACTOR + _UPWARDS & _MASK))

    def refine(self) -> None:
        """Refine the colours of a graph that is complete, until they are stable."""
        self._sizes = Counter(self.colours)
        self._refine_around(range(len(self.colours)))

    @contextmanager
    def forgetting_steps(self) -> Iterator[None]:
        """Let colours given later not depend on how many steps were taken while this is entered."""
        steps = self._steps
        yield
        self._steps = steps

    def individualize(self, vertex: int) -> None:
        """Give a vertex a colour of its own, and refine again."""
        self._steps += 1
        self._recolour([vertex], _mixed(self.colours[vertex], self._steps))
        self._refine_around([vertex])

    def is_alone(self, vertex: int) -> bool:
        """Whether no other vertex has its colour."""
        return self._sizes[self.colours[vertex]] == 1

    def _refine_around(self, changed: Sequence[int]) -> None:
        """Split cells until they agree in their neighbours, of which some have new colours."""
        while changed:
            self._steps += 1
            cells: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
            for vertex, around in self._signatures(changed).items():
                cells[self.colours[vertex]][around].append(vertex)
            changed = [
                vertex for cell, parts in cells.items() for vertex in self._split(cell, parts)
            ]

    def _signatures(self, changed: Iterable[int]) -> dict[int, int]:
        """What each neighbour of changed vertices sees of them, whatever their order."""
        found: dict[int, int] = defaultdict(int)
        for vertex in changed:
            colour, edges = self.colours[vertex], self._edges[vertex]
            self._spend(1 + len(edges))
            for other, label in edges:
                mixed = ((colour ^ label) * _FACTOR) & _MASK
                found[other] += (mixed ^ (mixed >> 29)) * _FACTOR & _MASK
        return found

    def _spend(self, work: int) -> None:
        self._work -= work
        if self._work < 0:
            raise WorkLimitError

    def _split(self, cell: int, parts: dict[int, list[int]]) -> list[int]:
        """Split a cell by what its vertices see; return those with new colours.

        The vertices that see nothing new keep the colour, or where there are none, the largest
        part: that a vertex sees that many of them follows from what it saw before.
        """
        is_whole = sum(map(len, parts.values())) == self._sizes[cell]
        kept = max(parts, key=lambda around: (len(parts[around]), around)) if is_whole else None
        changed: list[int] = []
        for around, vertices in parts.items():
            if around != kept:
                self._recolour(vertices, _mixed(cell, around + self._steps))
                changed += vertices
        return changed

    def _recolour(self, vertices: Sequence[int], colour: int) -> None:
        """Move vertices of one cell to a colour."""
        self._sizes[self.colours[vertices[0]]] -= len(vertices)
        self._sizes[colour] += len(vertices)
        for vertex in vertices:
            self.colours[vertex] = colour


def _digest(kind: str) -> int:
    """A colour for the name of a kind, the same in every process."""
    return int.from_bytes(hashlib.sha256(kind.encode()).digest()[:8])


def _mixed(colour: int, value: int) -> int:
    mixed = ((colour ^ (colour >> 31)) * _FACTOR + value * _UPWARDS) & _MASK
    mixed = ((mixed ^ (mixed >> 29)) * _FACTOR) & _MASK
    return mixed ^ (mixed >> 32)
