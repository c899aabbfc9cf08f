"""Boards from what was found: the places of each, its labels, and which facts go where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil, sqrt

from gdl.analysis.boards.axes import Axis, axis_of, in_natural_order, order_of
from gdl.analysis.boards.evidence import MIN_FILLED, FluentTable, Row, RulesEvidence
from gdl.analysis.boards.geometry import Geometry, find_geometry
from gdl.analysis.boards.grids import MAX_PLACES, MIN_PLACES, Grid, GridFacts, is_tally
from gdl.analysis.boards.labels import folded, grid_labels, role_rims, square_labels
from gdl.analysis.boards.layout import (
    Board,
    FactPattern,
    Panel,
    Part,
    Place,
    Shape,
    Voids,
)
from gdl.analysis.boards.places import ROW_HEIGHT, Embedding, Position
from gdl.analysis.boards.refinement import BoardRefinement
from gdl.datalog import FunctionKey

BLANK_WORDS = frozenset(
    {"b", "blank", "empty", "none", "nothing", "free", "nil", "null", "vacant", "gap"}
)
"""Contents that say that a place is empty, where they are not a role's; names of facts, too."""

WALL_WORDS = frozenset({"wall", "blocked", "pillar", "rock"})
"""Contents that are not empty, even if they fill most of a board."""

HALF_ROW = 0.5
"""How far the rows of a board of hexagons are shifted against each other, in places."""

ROW_WIDTH = 10
"""The most boxes of a row; more go into the next."""

MIN_ROW = 4
"""The fewest boxes of a row that does not hold all."""

BOX_WIDTH = 1.15
"""How far boxes are apart, in places."""


def grid_board(
    evidence: RulesEvidence, grid: Grid, gravity: bool, stated: BoardRefinement | None
) -> Board | None:
    """Build the board of a grid; None where it would be too large or too small."""
    geometry = _as_stated(find_geometry(evidence, grid, gravity), stated)
    keys = _keys(grid)
    size = len(grid.facts[0].index)
    if not MIN_PLACES <= len(keys) <= MAX_PLACES or size > 2:
        return None
    spots = {key[size:]: _spot(key[size:], grid, geometry) for key in keys}
    places, panels = _placed(keys, spots, _boards_of(keys, size), (0.7, 0.9))
    labels = () if size else grid_labels(grid.columns, grid.rows, geometry, places)
    voids: Voids = "none" if size or geometry.slant else _voids(places)
    strips = folded(places, labels) if labels and not geometry.slant else None
    if strips is not None:
        (places, labels), voids = strips, "none"
    return Board(
        _title(grid),
        Shape.HEXES if geometry.slant else Shape.SQUARES,
        places,
        _second_marks(
            [facts.fluent for facts in grid.facts],
            tuple(_pattern(facts, grid, evidence) for facts in grid.facts),
        ),
        _found_by(grid, geometry),
        panels=panels,
        labels=labels,
        blank=_blank(evidence, grid.facts),
        checkered=_is_checkered(evidence, grid, geometry, places),
        voids=voids,
        sides=tuple((facts.fluent.name, facts.side) for facts in grid.facts if facts.side),
        rims=role_rims(evidence, places) if labels and geometry.slant else (),
        middle=_middle(grid, geometry),
    )


def _middle(grid: Grid, geometry: Geometry) -> tuple[float, float] | None:
    """Where a square is that its first corner names, where lines are drawn between corners.

    None where the board is empty in the beginning of no facts: then edges are paths or walls.
    """
    if geometry.slant or not any(facts.end for facts in grid.facts):
        return None
    if any(facts.fluent.initial for facts in grid.facts):
        return None
    return 0.5, -0.5 if geometry.rising else 0.5


def _as_stated(geometry: Geometry, stated: BoardRefinement | None) -> Geometry:
    if stated is None:
        return geometry
    slant = geometry.slant
    if stated.shape is not None:
        slant = (slant or 1) if stated.shape is Shape.HEXES else 0
    return Geometry(
        slant,
        geometry.transposed if stated.transposed is None else stated.transposed,
        geometry.rising if stated.rising is None else stated.rising,
        geometry.reason,
    )


def _keys(grid: Grid) -> list[Row]:
    """The places that facts can name, on the grid."""
    across, down = set(grid.columns), set(grid.rows)
    keys: set[Row] = set()
    for facts in grid.facts:
        if facts.names_panel:
            continue
        places = facts.places() if _level(facts) is None else _lowest(facts)
        keys |= {key for key in places if key[-2] in across and key[-1] in down}
    return sorted(keys)


def _lowest(facts: GridFacts) -> set[Row]:
    """The places of things on others: those where something lies in the beginning, or all."""
    start = {tuple([row[i] for i in facts.place]) for row in facts.fluent.initial}
    return start if len(start) >= MIN_FILLED else facts.places()


def _spot(key: Row, grid: Grid, geometry: Geometry) -> tuple[float, float]:
    """Where a place lies: columns to the right, rows downwards."""
    first, second = grid.columns.index(key[0]), grid.rows.index(key[1])
    if geometry.transposed:
        x, y, rows = second, first, len(grid.columns)
    else:
        x, y, rows = first, second, len(grid.rows)
    shift = HALF_ROW * y * geometry.slant
    down = rows - 1 - y if geometry.rising else y
    if not geometry.slant:
        return float(x), float(down)
    return x + shift, down * ROW_HEIGHT


def _boards_of(keys: Sequence[Row], size: int) -> Mapping[Row, Position]:
    """The column and row in which each board of a grid stands, by the words that name it."""
    axes = [axis_of({key[k] for key in keys}) for k in range(size)]
    if size == 2:
        boards = {key[:2] for key in keys}
        return {board: (axes[0].index(board[0]), axes[1].index(board[1])) for board in boards}
    return _in_rows(axes[0]) if axes else {(): (0, 0)}


def _in_rows(names: Axis) -> Mapping[Row, Position]:
    """Columns and rows for boards in their order: up to three stand beside each other."""
    wide = len(names) if len(names) <= 3 else ceil(sqrt(len(names)))
    return {(name,): (i % wide, i // wide) for i, name in enumerate(names)}


def _placed(
    keys: Iterable[Row],
    spots: Mapping[Row, Position],
    boards: Mapping[Row, Position],
    gaps: tuple[float, float],
) -> tuple[tuple[Place, ...], tuple[Panel, ...]]:
    """Place boards with ``gaps`` between them, and what lies on each, in the order of reading.

    ``boards`` has the column and row of each by the words with which keys begin, and ``spots``
    where places lie on them by the others. A board without a name is the only one, and unframed.
    """
    size = len(next(iter(boards)))
    left = min(x for x, _ in spots.values())
    width = max(x for x, _ in spots.values()) - left + 1
    height = max(y for _, y in spots.values()) + 1
    corners = {
        board: (x * (width + gaps[0]), y * (height + gaps[1])) for board, (x, y) in boards.items()
    }
    places = []
    for key in keys:
        (x, y), (right, down) = corners[key[:size]], spots[key[size:]]
        places.append(Place(key, x + right - left, y + down))
    panels = [
        Panel(board, x - 0.5, y - 0.5, width, height)
        for board, (x, y) in sorted(corners.items())
        if board
    ]
    return tuple(sorted(places, key=lambda place: (place.y, place.x))), tuple(panels)


def _title(grid: Grid) -> str:
    named = max(grid.facts, key=lambda facts: (len(facts.content) > 0, len(facts.places())))
    return named.fluent.name


def _pattern(facts: GridFacts, grid: Grid, evidence: RulesEvidence) -> FactPattern:
    key, roles = facts.fluent.key, set(evidence.roles)
    if facts.end:
        return FactPattern(*key, facts.place, facts.content, facts.end, Part.EDGE)
    if facts.names_panel:
        return FactPattern(*key, facts.place, facts.content, part=Part.PANEL)
    pieces = any(each.content for each in grid.facts)
    if pieces and facts.side:
        return FactPattern(*key, facts.place, part=Part.SIDE)
    if pieces and not facts.content:
        return FactPattern(*key, facts.place, part=Part.MARK)
    level = _level(facts)
    if level is not None:
        rest = tuple(i for i in facts.content if i != level)
        return FactPattern(*key, facts.place, (level, *rest), part=Part.LAYER)
    words = [facts.fluent.columns[i] for i in facts.content]
    owned = any(each & roles for each in words)
    others = [each for each in grid.facts if each is not facts and each.content]
    if words and not owned and others and all(order_of(each, ()) for each in words):
        return FactPattern(*key, facts.place, facts.content, part=Part.MARK)
    return FactPattern(*key, facts.place, facts.content)


def _level(facts: GridFacts) -> int | None:
    """The argument that is a third coordinate, how high things lie, beside the words of these."""
    columns = facts.fluent.columns
    sides = columns[facts.pair[0]] | columns[facts.pair[1]]
    levels = [i for i in facts.content if columns[i] >= sides and order_of(columns[i], ())]
    words = [i for i in facts.content if order_of(columns[i], ()) is None]
    return levels[0] if len(levels) == len(words) == 1 and facts.fluent.rows is None else None


def _found_by(grid: Grid, geometry: Geometry) -> str:
    widest = grid.facts[0]
    columns = ", ".join(str(i + 1) for i in widest.pair)
    text = f"arguments {columns} of ({widest.fluent.name} …) are in order"
    if widest.index:
        text += f", {', '.join(str(i + 1) for i in widest.index)} names the board"
    others = [facts.fluent.name for facts in grid.facts[1:]]
    if others:
        text += f"; the same for {', '.join(f'({name} …)' for name in others)}"
    if geometry.reason:
        text += f"; {geometry.reason}"
    return text


def _blank(evidence: RulesEvidence, facts: Iterable[GridFacts]) -> frozenset[str]:
    """The contents that say that nothing is there: by their names, or by filling the start."""
    found: set[str] = set()
    for each in facts:
        found |= _blank_name(each.fluent.name, each.content)
        if len(each.content) == 1:
            values = each.fluent.columns[each.content[0]]
            named = {v for v in values if v.lower() in BLANK_WORDS} - set(evidence.roles)
            most = _majority(each) if each.fills and not values & set(evidence.roles) else None
            # Where something else fills the board, a single letter is a colour: b for blue.
            short = {word for word in named if len(word) == 1 and most not in (None, word)}
            found |= named - short
            if most is not None and not named - short:
                found.add(most)
    return frozenset(found)


def _blank_name(name: str, content: Sequence[int]) -> set[str]:
    """The name of facts without content that say that nothing is there, other than a letter."""
    return {name} if not content and len(name) > 1 and name.lower() in BLANK_WORDS else set()


def _majority(facts: GridFacts) -> str | None:
    """The content of at least half of the places at the start, other than walls."""
    counts = Counter(row[facts.content[0]] for row in facts.fluent.initial)
    word, count = counts.most_common(1)[0]
    return word if 2 * count >= sum(counts.values()) and word.lower() not in WALL_WORDS else None


def _is_checkered(
    evidence: RulesEvidence, grid: Grid, geometry: Geometry, places: Sequence[Place]
) -> bool:
    """Whether dark and light squares help: pieces of more than one kind move on a whole board."""
    if geometry.slant or grid.facts[0].index or len(places) < 25:
        return False
    begins = sum(len(facts.fluent.initial) for facts in grid.facts if facts.content)
    return len(evidence.roles) == 2 and begins >= 5 and abs(len(grid.columns) - len(grid.rows)) <= 2


def _voids(places: Sequence[Place]) -> Voids:
    """What the squares between the places are: those of the other colour, or walls."""
    spots = {(round(place.x), round(place.y)) for place in places}
    area = (max(x for x, _ in spots) + 1) * (max(y for _, y in spots) + 1)
    if len({(x + y) % 2 for x, y in spots}) == 1:
        return "squares"
    return "walls" if area / 2 < len(spots) < area else "none"


# ---------------------------------------------------------------------- named places


def named_board(
    evidence: RulesEvidence,
    embedding: Embedding,
    found: Sequence[tuple[FluentTable, tuple[int, ...]]],
) -> Board:
    """Build a board of named places; where a fact names two, the first names the board.

    Where some words name boards, they are the first of each key, and the boards stand side by side.
    """
    nested = any(len(columns) == 2 for _, columns in found)
    names_of_boards = {
        v for fluent, cols in found if len(cols) == 2 for v in fluent.columns[cols[0]]
    }
    spots: Mapping[Row, Position] = {(name,): at for name, at in embedding.positions.items()}
    boards: Mapping[Row, Position] = {(): (0, 0)}
    gap = 0.5
    if nested and names_of_boards <= embedding.positions.keys():
        boards = spots  # which lie as the places of each of them do
    elif nested:
        boards, gap = _in_rows(in_natural_order(names_of_boards)), 0.7
    keys = [(*board, *name) for board in boards for name in spots]
    places, panels = _placed(keys, spots, boards, (gap, gap))
    pieces = any(fluent.arity > len(columns) for fluent, columns in found)
    patterns = tuple(_named_pattern(fluent, columns, nested, pieces) for fluent, columns in found)
    index = {place.key: i for i, place in enumerate(places)}
    names = ", ".join(f"({fluent.name} …)" for fluent, _ in found)
    return Board(
        found[0][0].name,
        embedding.shape,
        places,
        patterns,
        f"places in {names} by {embedding.reason}",
        panels=panels,
        labels=() if nested else square_labels(embedding.columns, embedding.rows),
        links=tuple((index[(a,)], index[(b,)]) for a, b in embedding.links) if not nested else (),
        blank=_named_blank(evidence, found),
    )


def _second_marks(
    fluents: Sequence[FluentTable], patterns: tuple[FactPattern, ...]
) -> tuple[FactPattern, ...]:
    """Make marks of pieces that have the words of other pieces: what a role has been told."""
    seen: set[tuple[frozenset[str], ...]] = set()
    found = []
    for fluent, pattern in zip(fluents, patterns, strict=True):
        words = tuple(fluent.columns[i] for i in pattern.content)
        if pattern.part is Part.PIECE and words and words in seen:
            pattern = replace(pattern, part=Part.MARK)
        seen.add(words)
        found.append(pattern)
    return tuple(found)


def _named_pattern(
    fluent: FluentTable, columns: tuple[int, ...], nested: bool, pieces: bool
) -> FactPattern:
    content = tuple(i for i in range(fluent.arity) if i not in columns)
    if nested and len(columns) == 1:
        return FactPattern(fluent.name, fluent.arity, columns, content, part=Part.PANEL)
    part = Part.MARK if pieces and not content else Part.PIECE
    if columns == (0,) and is_tally(fluent) and order_of(fluent.columns[1], ()):
        part = Part.COUNT
    return FactPattern(fluent.name, fluent.arity, columns, content, part=part)


def _named_blank(
    evidence: RulesEvidence, found: Sequence[tuple[FluentTable, tuple[int, ...]]]
) -> frozenset[str]:
    words = {
        value
        for fluent, columns in found
        for i, values in enumerate(fluent.columns)
        if i not in columns
        for value in values
        if value.lower() in BLANK_WORDS
    }
    for fluent, columns in found:
        words |= _blank_name(fluent.name, range(len(columns), fluent.arity))
    return frozenset(words - set(evidence.roles))


# ---------------------------------------------------------------------- rows and stacks


def row_spot(number: int, in_row: int = ROW_WIDTH) -> tuple[float, float]:
    """Where a box of a row is, by its number; there are at most so many ``in_row``."""
    return number % in_row * BOX_WIDTH, number // in_row * 1.6


def with_short_rows(boards: Sequence[Board]) -> list[Board]:
    """Have rows of boxes that are much wider than the boards go on in further rows.

    In a picture that is as wide as the boxes the boards would be small.
    """
    others = [board for board in boards if board.shape is not Shape.ROW]
    widest = max((max(p.x for p in board.places) + 1 for board in others), default=ROW_WIDTH)
    in_row = max(MIN_ROW, min(ROW_WIDTH, int(widest * 2 / BOX_WIDTH)))
    return [
        replace(
            board,
            places=tuple(
                Place(place.key, *row_spot(i, in_row)) for i, place in enumerate(board.places)
            ),
        )
        if board.shape is Shape.ROW
        else board
        for board in boards
    ]


def row_board(
    order: Axis,
    facts: Sequence[tuple[FunctionKey, int, Part]],
    reason: str,
    shape: Shape = Shape.ROW,
) -> Board:
    """Build a row of boxes, one for each thing: the facts of each function with its argument."""
    places = tuple(Place((name,), *row_spot(i)) for i, name in enumerate(order))
    patterns = tuple(
        FactPattern(*key, (column,), tuple(i for i in range(key[1]) if i != column), part=part)
        for key, column, part in facts
    )
    names = ", ".join(f"({key[0]} …)" for key, _, _ in facts)
    return Board(facts[0][0][0], shape, places, patterns, f"{names}: {reason}")


def stack_board(fluent: FluentTable, marks: Sequence[FluentTable]) -> Board:
    """Build a board for things that stand on each other; the places are the things."""
    things = sorted(fluent.columns[0] | fluent.columns[1])
    places = tuple(Place((name,), float(i), 0.0) for i, name in enumerate(things))
    patterns = (
        FactPattern(fluent.name, 2, (0,), (1,)),
        *(FactPattern(mark.name, 1, (0,), part=Part.MARK) for mark in marks),
    )
    reason = f"({fluent.name} …): things on things"
    holders = frozenset(i for i, thing in enumerate(things) if thing not in fluent.columns[0])
    return Board(fluent.name, Shape.STACKS, places, patterns, reason, bare=holders)
