"""Boards as a layout file states them, and what it changes about others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from gdl.analysis.boards.axes import Axis, axis_of
from gdl.analysis.boards.board_building import row_spot
from gdl.analysis.boards.evidence import FluentTable, Row, moves_written
from gdl.analysis.boards.grids import MAX_PLACES
from gdl.analysis.boards.labels import point_labels
from gdl.analysis.boards.layout import Board, FactPattern, Part, Place, Shape
from gdl.analysis.boards.refinement import (
    ARGUMENT,
    BoardRefinement,
    LayoutRefinement,
    LayoutRefinementError,
)
from gdl.datalog import FunctionKey
from gdl.language import RelationKey, Ruleset


def stated_board(
    fluents: Mapping[FunctionKey, FluentTable],
    keys: Sequence[FunctionKey],
    stated: BoardRefinement,
    chains: Sequence[Axis],
) -> Board:
    """Build a board of which the layout file says which arguments name the place."""
    first = fluents[keys[0]]
    found = sorted(first.projected(stated.place))[:MAX_PLACES]
    size = len(stated.place)
    axes = [axis_of(first.columns[i], chains) for i in stated.place]
    found.sort(key=lambda key: [axes[i].index(key[i]) for i in range(size)])
    places = [
        Place(key, *_default_spot(n, [axes[i].index(key[i]) for i in range(size)]))
        for n, key in enumerate(found)
    ]
    patterns = []
    for key in keys:
        place = stated.place if key == keys[0] else _matching(fluents[key], first, stated.place)
        content = tuple(i for i in range(key[1]) if i not in place)
        patterns.append(FactPattern(*key, place, content))
    shape = stated.shape or (Shape.ROW if size == 1 else Shape.SQUARES)
    return Board(keys[0][0], shape, tuple(places), tuple(patterns), "the layout file")


def _default_spot(number: int, indices: Sequence[int]) -> tuple[float, float]:
    if len(indices) == 1:
        return row_spot(number)
    return float(indices[-2]), float(indices[-1])


def _matching(fluent: FluentTable, first: FluentTable, place: tuple[int, ...]) -> tuple[int, ...]:
    """The arguments of another function that have the values of the first one's place."""
    found: list[int] = []
    for column in place:
        fitting = [
            i
            for i, values in enumerate(fluent.columns)
            if i not in found and values <= first.columns[column]
        ]
        found += fitting[:1]
    return tuple(found)


def refined(
    board: Board,
    refinement: LayoutRefinement,
    static: Mapping[RelationKey, frozenset[Row]],
    fluents: Mapping[FunctionKey, FluentTable],
) -> Board:
    """Change what the layout file says otherwise."""
    stated = refinement.of(frozenset(pattern.name for pattern in board.patterns))
    if stated is None:
        return board
    board = replace(
        board,
        title=stated.title or board.title,
        shape=stated.shape or board.shape,
        places=_stated_places(board, stated),
        patterns=_stated_patterns(board, stated),
        checkered=board.checkered if stated.checkered is None else stated.checkered,
        blank=board.blank if stated.blank is None else stated.blank,
        links=() if stated.shape in (Shape.ROW, Shape.PILES) else board.links,
        voids="none" if stated.sides else board.voids,
        sides=stated.sides,
    )
    bare = _bare(board, fluents) if stated.sides else frozenset()
    if bare and (middle := _middle(board, fluents)) is not None:
        board = _with_corners(board, middle)
        bare = frozenset()
    if board.shape is Shape.POINTS and not board.labels:
        board = replace(board, labels=point_labels(board.places))
    return replace(board, ground=_ground(board, stated, static), bare=bare)


def _middle(board: Board, fluents: Mapping[FunctionKey, FluentTable]) -> tuple[float, float] | None:
    """Where a square is that its corner names, where all its sides are lines to draw.

    None where not one upright and one level side meet in that corner, or where something is on the
    board from the beginning: then sides are walls.
    """
    wanted = (("left", "right"), ("bottom", "top"))
    found = [[side for _, side in board.sides if side in each] for each in wanted]
    begun = any(fluents[each.name, each.arity].initial for each in board.patterns)
    if begun or [len(each) for each in found] != [1, 1]:
        return None
    return (0.5 if found[0] == ["left"] else -0.5), (-0.5 if found[1] == ["bottom"] else 0.5)


def _with_corners(board: Board, middle: tuple[float, float]) -> Board:
    """Make places of the corners of squares, with those that no side begins at; sides are edges."""
    columns, rows = ({getattr(p, way): p.key for p in board.places} for way in "xy")
    down = [p.key for p in board.places if p.x == min(columns)]
    across = next(k for k in range(board.key_length) if len({key[k] for key in down}) == 1)
    known = {(place.x, place.y): place for place in board.places}
    places = [
        known.get((x, y))
        or Place(tuple((up if k == across else on)[k] for k in range(len(up))), x, y)
        for y, on in sorted(rows.items())
        for x, up in sorted(columns.items())
    ]
    patterns = [
        replace(each, part=Part.EDGE) if each.part is Part.SIDE else each for each in board.patterns
    ]
    return replace(board, places=tuple(places), patterns=tuple(patterns), middle=middle)


def _bare(board: Board, fluents: Mapping[FunctionKey, FluentTable]) -> frozenset[int]:
    """The places of which there are only sides: nothing can ever lie on them."""
    things = [pattern for pattern in board.patterns if pattern.part is not Part.SIDE]
    held = {
        key
        for pattern in things
        for key in fluents[pattern.name, pattern.arity].projected(pattern.place)
    }
    return frozenset(i for i, place in enumerate(board.places) if held and place.key not in held)


def _stated_patterns(board: Board, stated: BoardRefinement) -> tuple[FactPattern, ...]:
    """The first function's facts are sides of squares where the file names sides."""
    if not stated.sides:
        return board.patterns
    return tuple(
        replace(each, part=Part.SIDE) if each.name == stated.facts[0] else each
        for each in board.patterns
    )


def _stated_places(board: Board, stated: BoardRefinement) -> tuple[Place, ...]:
    spots = {place.key: stated.places.get(" ".join(place.key)) for place in board.places}
    return tuple(
        replace(place, x=spot[0], y=spot[1]) if (spot := spots[place.key]) else place
        for place in board.places
    )


def _ground(
    board: Board, stated: BoardRefinement, static: Mapping[RelationKey, frozenset[Row]]
) -> tuple[tuple[int, tuple[str, ...]], ...]:
    found: list[tuple[int, tuple[str, ...]]] = []
    for ground in stated.ground:
        for (name, arity), rows in sorted(static.items()):
            if name != ground.relation or max(ground.place) >= arity:
                continue
            for row in sorted(rows):
                key = tuple([row[i] for i in ground.place])
                words = (name, *(v for i, v in enumerate(row) if i not in ground.place))
                if key in board.index:
                    found.append((board.index[key], words))
    return tuple(found)


def move_texts(refinement: LayoutRefinement, ruleset: Ruleset) -> Mapping[str, str]:
    """Return the texts of the layout file for moves, all of which the rules must have.

    Raises :class:`LayoutRefinementError` for a move that they do not have, or not with so many
    arguments.
    """
    arities = dict(sorted(moves_written(ruleset)))  # the most for each name
    for name, text in sorted(refinement.moves.items()):
        if name not in arities:
            raise LayoutRefinementError(f"no move is called {name}")
        numbers = [int(number) for number in ARGUMENT.findall(text)]
        if not all(0 < number <= arities[name] for number in numbers):
            last = f"{{{arities[name]}}}"
            expected = {0: "no arguments", 1: last}.get(arities[name], f"{{1}} to {last}")
            raise LayoutRefinementError(f"moves.{name}: expected {expected}, not {text}")
    return refinement.moves


def facts_beside(
    refinement: LayoutRefinement, ruleset: Ruleset, counters: Collection[str]
) -> Iterator[tuple[str, str, tuple[Row, ...]]]:
    """Yield the relations that the layout file has beside counters, as the rules list them."""
    for name, relation in sorted(refinement.beside.items()):
        heads = (rule.head for rule in ruleset.rules if not rule.body)
        rows = tuple(tuple(map(str, head.args)) for head in heads if head.name == relation)
        if name not in counters or not rows:
            expected = "a counter and facts of a relation"
            raise LayoutRefinementError(f"beside.{name}: expected {expected}, not {relation}")
        yield name, relation, rows
