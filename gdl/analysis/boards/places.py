"""Named places: where squares that have one name lie, such as ``a1``, and what shows it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations

from gdl.analysis.boards.axes import Axis, axis_of, in_natural_order, natural_key
from gdl.analysis.boards.evidence import RulesEvidence
from gdl.analysis.boards.layout import Shape

Position = tuple[float, float]

MIN_PLACES = 4
MIN_ROWS = 4
ROW_HEIGHT = 0.87
"""How far the rows of a board of hexagons are apart, in places."""

MAX_PLACES = 400
MAX_DEGREE = 8
"""Neighbours that a place of a map has at most, on average."""

_CHESS_NAME = re.compile("([a-z])([0-9]{1,2})", re.ASCII)
_CELL_NAME = re.compile("[a-z]*([0-9]{1,2})[-_,]([0-9]{1,2})", re.ASCII | re.IGNORECASE)
_COMPASS: Mapping[str, Position] = {
    "nw": (0, 0),
    "n": (1, 0),
    "ne": (2, 0),
    "w": (0, 1),
    "e": (2, 1),
    "sw": (0, 2),
    "s": (1, 2),
    "se": (2, 2),
}
COMPASS_WORDS: Mapping[str, str] = {
    "n": "north",
    "ne": "northeast",
    "e": "east",
    "se": "southeast",
    "s": "south",
    "sw": "southwest",
    "w": "west",
    "nw": "northwest",
    **dict.fromkeys(("m", "c", "mid", "center", "centre"), "middle"),
}
"""What people say of points of the compass and what is between them."""


@dataclass(frozen=True)
class Embedding:
    """Where places lie, columns to the right and rows downwards, and what showed it."""

    shape: Shape
    positions: Mapping[str, Position]
    reason: str
    links: tuple[tuple[str, str], ...] = ()
    columns: Axis = ()
    rows: Axis = ()


def embed(
    values: frozenset[str],
    evidence: RulesEvidence,
    chains: Sequence[Axis],
    *,
    by_neighbours: bool = True,
) -> Embedding | None:
    """Find where named places lie; None where neither names nor static relations say it."""
    if not MIN_PLACES <= len(values) <= MAX_PLACES:
        return None
    return (
        _by_name(values)
        or _by_compass(values)
        or _by_map(values, evidence, chains)
        or _by_lines(values, evidence)
        or (_by_letter(values) or _by_neighbours(values, evidence) if by_neighbours else None)
    )


# ---------------------------------------------------------------------- names


def _by_name(values: frozenset[str]) -> Embedding | None:
    for pattern, reason in (
        (_CHESS_NAME, "squares named as in chess"),
        (_CELL_NAME, "two numbers in a name"),
    ):
        found = {value: match for value in values if (match := pattern.fullmatch(value))}
        if len(found) != len(values):
            continue
        columns = in_natural_order({match[1] for match in found.values()})
        rows = sorted({int(match[2]) for match in found.values()}, reverse=pattern is _CHESS_NAME)
        if len(columns) < 2 or len(rows) < 2 or len(columns) * len(rows) > 1.1 * len(values):
            continue
        positions = {
            value: (float(columns.index(match[1])), float(rows.index(int(match[2]))))
            for value, match in found.items()
        }
        return Embedding(Shape.SQUARES, positions, reason, (), columns, tuple(map(str, rows)))
    return None


def _by_letter(values: frozenset[str]) -> Embedding | None:
    """A row for each letter, of different lengths: hexagons, each row in the middle."""
    rows: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for value in values:
        match = _CHESS_NAME.fullmatch(value)
        if match is None:
            return None
        rows[match[1]].append((int(match[2]), value))
    longest = max(map(len, rows.values()))
    if len(rows) < MIN_ROWS or longest < MIN_ROWS:
        return None
    positions = {
        value: (i + (longest - len(row)) / 2, y * ROW_HEIGHT)
        for y, (_, row) in enumerate(sorted(rows.items()))
        for i, (_, value) in enumerate(sorted(row))
    }
    return Embedding(Shape.HEXES, positions, "names with a letter for each row")


def is_by_compass(values: Iterable[str]) -> bool:
    """Whether places are called by all points of the compass, and perhaps one for the middle."""
    names = {value.lower() for value in values}
    return names >= _COMPASS.keys() and len(names) <= len(_COMPASS) + 1


def _by_compass(values: frozenset[str]) -> Embedding | None:
    if not is_by_compass(values):
        return None
    points = {value: _COMPASS[value.lower()] for value in values if value.lower() in _COMPASS}
    middle = values - points.keys()
    positions = points | dict.fromkeys(middle, (1.0, 1.0))
    return Embedding(Shape.SQUARES, positions, "points of the compass")


# ---------------------------------------------------------------------- static relations


def _by_map(
    values: frozenset[str], evidence: RulesEvidence, chains: Sequence[Axis]
) -> Embedding | None:
    """A static relation that says in which column and row each place is."""
    for relation, rows in sorted(evidence.static.items()):
        if not 3 <= relation[1] <= 5 or len(rows) != len(values):
            continue
        for key, row, column in permutations(range(relation[1]), 3):
            if {r[key] for r in rows} != values or len({(r[row], r[column]) for r in rows}) < len(
                rows
            ):
                continue
            axes = [axis_of({r[i] for r in rows}, chains) for i in (column, row)]
            if min(map(len, axes)) < 2 or len(axes[0]) * len(axes[1]) != len(values):
                continue
            positions = {
                r[key]: (float(axes[0].index(r[column])), float(axes[1].index(r[row])))
                for r in rows
            }
            return Embedding(Shape.SQUARES, positions, f"columns and rows of ({relation[0]} …)")
    return None


def _by_lines(values: frozenset[str], evidence: RulesEvidence) -> Embedding | None:
    """A static relation whose rows are lines: two sets of them cross in every place."""
    for relation, rows in sorted(evidence.static.items()):
        if relation[1] < 3 or {v for row in rows for v in row} != values or len(rows) > 400:
            continue
        classes = _parallel_classes(sorted(rows), values)
        for across, down in combinations(classes, 2):
            positions = {
                value: (float(x), float(y))
                for y, one in enumerate(across)
                for x, two in enumerate(down)
                for value in set(one) & set(two)
            }
            crossings = {tuple(position) for position in positions.values()}
            if len(positions) == len(crossings) == len(values) == len(across) * len(down):
                return _straightened(positions, across[0], down[0], relation[0])
    return None


def _straightened(
    positions: dict[str, Position], row: tuple[str, ...], column: tuple[str, ...], name: str
) -> Embedding:
    """Put columns in the order in which the first row names them, and rows likewise."""
    xs = {positions[value][0]: i for i, value in enumerate(row)}
    ys = {positions[value][1]: i for i, value in enumerate(column)}
    found = {value: (float(xs[x]), float(ys[y])) for value, (x, y) in positions.items()}
    return Embedding(Shape.SQUARES, found, f"lines of ({name} …) that cross")


def _parallel_classes(
    rows: Sequence[tuple[str, ...]], values: frozenset[str]
) -> list[list[tuple[str, ...]]]:
    """Find sets of lines that together hold every place once, each beginning with another line."""
    size = len(rows[0]) if rows else 0
    lines = [row for row in rows if len(set(row)) == size]
    if not size or len(values) % size:
        return []
    found: list[list[tuple[str, ...]]] = []
    corner = min(value for row in lines for value in row) if lines else ""
    for first in [line for line in lines if corner in line]:
        group, covered = [first], set(first)
        for line in lines:
            if covered.isdisjoint(line):
                group.append(line)
                covered |= set(line)
        if covered == values:
            found.append(group)
    return found


def _by_neighbours(values: frozenset[str], evidence: RulesEvidence) -> Embedding | None:
    """A static relation between neighbours: a grid of squares, or a map."""
    graphs = [graph for graph in _graphs(values, evidence) if _is_map(graph[1], values)]
    for name, edges in graphs:
        positions = _grid_positions(edges, values)
        if positions is not None:
            return Embedding(Shape.SQUARES, positions, f"neighbours by ({name} …)")
    if not graphs:
        return None
    # Few games are maps, and only a map needs NumPy.
    from gdl.analysis.boards.point_layout import MAX_POINTS, lay_out

    if len(values) > MAX_POINTS:
        return None
    name, edges = min(graphs, key=lambda graph: len(graph[1]))
    positions = lay_out(in_natural_order(values), sorted(edges))
    return Embedding(Shape.POINTS, positions, f"neighbours by ({name} …)", tuple(sorted(edges)))


def _graphs(
    values: frozenset[str], evidence: RulesEvidence
) -> Iterator[tuple[str, set[tuple[str, str]]]]:
    for relation, rows in sorted(evidence.static.items()):
        columns = [i for i in range(relation[1]) if {row[i] for row in rows} <= values]
        if len(columns) < 2 or any(len({row[i] for i in columns}) < len(columns) for row in rows):
            continue
        edges = {
            (min(row[a], row[b]), max(row[a], row[b]))
            for row in rows
            for a, b in pairwise(columns)
            if row[a] != row[b]
        }
        yield relation[0], edges


def _is_map(edges: set[tuple[str, str]], values: frozenset[str]) -> bool:
    if not edges or len(edges) * 2 > MAX_DEGREE * len(values) or len(edges) < len(values) - 1:
        return False
    if 2 * len(edges) == len(values) * (len(values) - 1):
        return False  # everything is next to everything: a comparison
    neighbours = _neighbours(edges)
    if max(map(len, neighbours.values())) <= 2 and (len(edges) < len(values) or len(values) < 6):
        return False  # a path or a small circle: an order, not a map
    return len(_distances(neighbours, min(values))) == len(values)


def _neighbours(edges: set[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for one, two in edges:
        found[one].add(two)
        found[two].add(one)
    return found


def _distances(neighbours: Mapping[str, set[str]], start: str) -> dict[str, int]:
    found = {start: 0}
    frontier = [start]
    while frontier:
        frontier = [n for place in frontier for n in sorted(neighbours[place]) if n not in found]
        frontier = list(dict.fromkeys(frontier))
        steps = max(found.values()) + 1
        found.update(dict.fromkeys(frontier, steps))
    return found


def _grid_positions(
    edges: set[tuple[str, str]], values: frozenset[str]
) -> dict[str, Position] | None:
    """Find columns and rows from the distances to two corners, where the edges are a grid's."""
    neighbours = _neighbours(edges)
    corners = in_natural_order(v for v in values if len(neighbours[v]) == 2)
    if len(corners) != 4:
        return None
    first = _distances(neighbours, corners[0])
    others = sorted(corners[1:], key=lambda corner: (first[corner], natural_key(corner)))
    width = first[others[0]]
    second = _distances(neighbours, others[0])
    found: dict[str, Position] = {}
    for value in values:
        x = (first[value] - second[value] + width) / 2
        found[value] = (x, first[value] - x)
    spots = set(found.values())
    adjacent = sum((x + 1, y) in spots for x, y in spots) + sum(
        (x, y + 1) in spots for x, y in spots
    )
    if len(spots) != len(values) or adjacent != len(edges) or any(x % 1 for x, _ in spots):
        return None
    return found
