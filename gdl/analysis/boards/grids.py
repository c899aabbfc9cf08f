"""Grids: facts with two coordinates, and what in the rules tells which arguments they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from gdl.analysis.boards.axes import MAX_AXIS, Axis, has_gap, order_of
from gdl.analysis.boards.evidence import FluentTable, Row, RulesEvidence

MIN_PLACES = 4
"""The fewest places of a grid."""

MAX_PLACES = 2_000
"""The most places of a board."""

_WALL_NAME = re.compile(
    r"(?:is_?)?(?:wall|blocked|block|fence|barrier|border|closed)_?(?:on|to|at|in|from)?_?(?:the)?_?"
    r"(north|east|south|west|n|e|s|w|top|right|bottom|left|up|down)(?:side|wall)?",
    re.IGNORECASE,
)
_SIDES = {
    **dict.fromkeys(("north", "n", "top", "up"), "top"),
    **dict.fromkeys(("east", "e", "right"), "right"),
    **dict.fromkeys(("south", "s", "bottom", "down"), "bottom"),
    **dict.fromkeys(("west", "w", "left"), "left"),
}


@dataclass(frozen=True)
class GridFacts:
    """The facts of one function with its coordinates.

    ``pair`` are the arguments of column and row; ``index`` those that name one of several boards;
    ``end`` the coordinates of the far end of an edge.
    """

    fluent: FluentTable
    pair: tuple[int, int]
    index: tuple[int, ...] = ()
    end: tuple[int, ...] = ()
    names_panel: bool = False
    """Whether the coordinates are those of one of several boards, not of a place."""

    @property
    def content(self) -> tuple[int, ...]:
        """The arguments that name neither a place nor a board."""
        named = (*self.place, *self.end)
        return tuple(i for i in range(self.fluent.arity) if i not in named)

    @property
    def side(self) -> str:
        """The side of each place that the facts are a wall on, by their name; otherwise empty.

        So (blockedNorth 3 4) is a wall at the top of a place.
        """
        named = None if self.content or self.end else _WALL_NAME.fullmatch(self.fluent.name)
        return _SIDES[named[1].lower()] if named else ""

    @property
    def place(self) -> tuple[int, ...]:
        """The arguments that name the place: boards first, then coordinates."""
        return (*self.index, *self.pair)

    def places(self) -> set[Row]:
        """The keys of the places that the facts can name."""
        found = self.fluent.projected(self.place)
        return found | self.fluent.projected(self.end) if self.end else found

    @property
    def fills(self) -> bool:
        """Whether the initial state says something of every place."""
        named = {tuple([row[i] for i in self.place]) for row in self.fluent.initial}
        return len(named) >= MIN_PLACES and len(named) >= 0.9 * len(self.places())


@dataclass(frozen=True)
class Grid:
    """Facts that share their coordinates, which are in order along two axes."""

    columns: Axis
    rows: Axis
    facts: tuple[GridFacts, ...]


def find_grids(evidence: RulesEvidence, chains: Sequence[Axis]) -> list[Grid]:
    """Find the facts with two ordered coordinates, and put those with the same ones together."""
    ordered = {
        key: columns
        for key, fluent in evidence.fluents.items()
        if len(columns := _ordered_columns(fluent, evidence, chains)) >= 2
    }
    kept = {
        key: columns
        for key, columns in ordered.items()
        if not is_permutation(evidence.fluents[key])
        and (not is_tally(evidence.fluents[key], columns) or _has_place_in(evidence, key, ordered))
    }
    shared = _shared_pairs(evidence, kept)
    facts = [_choose(evidence.fluents[key], columns, shared) for key, columns in kept.items()]
    facts = [_with_index(evidence, each, facts) for each in facts]
    facts = [_with_index_of(each, facts) for each in facts]
    return [grid for group in _groups(facts) for grid in _grids_of(group, chains)]


def _names_panel(facts: GridFacts, group: Sequence[GridFacts]) -> bool:
    """Whether the facts' coordinates are those of the boards in a group of several boards."""
    index = [group[0].fluent.columns[i] for i in group[0].index]
    own = [facts.fluent.columns[i] for i in facts.pair]
    return len(index) == 2 and not facts.content and not facts.index and own == index


def _ordered_columns(
    fluent: FluentTable, evidence: RulesEvidence, chains: Sequence[Axis]
) -> tuple[int, ...]:
    roles = set(evidence.roles)
    return tuple(
        i
        for i, values in enumerate(fluent.columns)
        if not values & roles
        and (axis := order_of(values, chains)) is not None
        and len(axis) <= MAX_AXIS
    )


def _has_place_in(
    evidence: RulesEvidence,
    key: tuple[str, int],
    ordered: Mapping[tuple[str, int], tuple[int, ...]],
) -> bool:
    """Whether the facts' two values are coordinates of other facts, which say more."""
    first, second = evidence.fluents[key].columns[:2]
    return any(
        first <= values[i] and second <= values[i + 1]
        for other, columns in ordered.items()
        if other[1] > 2
        for values in [evidence.fluents[other].columns]
        for i in columns
        if i + 1 in columns
    )


def is_tally(fluent: FluentTable, ordered: tuple[int, ...] = (0, 1)) -> bool:
    """Whether facts give each of some things a number: heaps, purses."""
    if fluent.arity != 2 or ordered != (0, 1) or fluent.columns[0] == fluent.columns[1]:
        return False
    things = Counter(row[0] for row in fluent.initial)
    return len(things) > 1 and len(things) == len(fluent.columns[0]) == len(fluent.initial)


def is_permutation(fluent: FluentTable) -> bool:
    """Whether the initial state puts each of some things on a place of its own, and fills all."""
    if fluent.arity != 2 or len(fluent.initial) < 3:
        return False
    return all(
        len({row[i] for row in fluent.initial}) == len(fluent.initial) == len(fluent.columns[i])
        for i in range(2)
    )


def _shared_pairs(
    evidence: RulesEvidence, ordered: Mapping[tuple[str, int], tuple[int, ...]]
) -> Counter[tuple[frozenset[str], frozenset[str]]]:
    """Count the functions that have two values like these beside each other."""
    found: Counter[tuple[frozenset[str], frozenset[str]]] = Counter()
    for key, columns in ordered.items():
        values = evidence.fluents[key].columns
        found.update({(values[i], values[j]) for i, j in combinations(columns, 2) if j == i + 1})
    return found


def _choose(
    fluent: FluentTable,
    ordered: tuple[int, ...],
    shared: Counter[tuple[frozenset[str], frozenset[str]]],
) -> GridFacts:
    """Choose the coordinates of a function's facts among its ordered arguments."""
    values = fluent.columns
    if len(ordered) == 4:
        a, b, c, d = ordered
        if _joins_neighbours(fluent, ordered):
            return GridFacts(fluent, (a, b), end=(c, d))
        if fluent.arity > 4:
            return GridFacts(fluent, (c, d), index=(a, b))
    pair = max(
        combinations(ordered, 2),
        key=lambda pair: (
            shared[values[pair[0]], values[pair[1]]],
            values[pair[0]] == values[pair[1]],
            all(len({row[i] for row in fluent.initial}) > 1 for i in pair),
            pair[1] == pair[0] + 1,
            pair,
        ),
    )
    return GridFacts(fluent, pair)


def _joins_neighbours(fluent: FluentTable, ordered: tuple[int, ...]) -> bool:
    """Whether the facts, listed by the rules, name two places beside each other."""
    if fluent.rows is None:
        return False
    a, b, c, d = ordered
    orders = [order_of(fluent.columns[i], ()) for i in ordered]
    if any(order is None for order in orders) or orders[0] != orders[2] or orders[1] != orders[3]:
        return False
    across, down = ({v: i for i, v in enumerate(order or ())} for order in orders[:2])
    distances = [
        abs(across[row[a]] - across[row[c]]) + abs(down[row[b]] - down[row[d]])
        for row in fluent.rows
    ]
    return bool(distances) and max(distances) <= 2 and distances.count(1) > len(distances) // 2


# ---------------------------------------------------------------------- several boards


def _with_index(
    evidence: RulesEvidence, facts: GridFacts, others: Sequence[GridFacts]
) -> GridFacts:
    """Find the arguments that name one of several boards with the same coordinates."""
    if facts.index or facts.end:
        return facts
    index = tuple(i for i in facts.content if _is_index(evidence, facts, i, others))
    return replace(facts, index=index)


def _with_index_of(facts: GridFacts, others: Sequence[GridFacts]) -> GridFacts:
    """Take for the name of the board what other facts with the same coordinates take for it."""
    if facts.index or facts.end:
        return facts
    values = facts.fluent.columns
    for other in others:
        theirs = other.fluent.columns
        if len(other.index) != 1 or not all(
            values[facts.pair[k]] <= theirs[other.pair[k]] for k in range(2)
        ):
            continue
        index = tuple(i for i in facts.content if values[i] == theirs[other.index[0]])[:1]
        if index:
            return replace(facts, index=index)
    return facts


def _is_index(
    evidence: RulesEvidence, facts: GridFacts, column: int, others: Sequence[GridFacts]
) -> bool:
    fluent = facts.fluent
    values = fluent.columns[column]
    if values & set(evidence.roles) or not 1 < len(values) <= 16:
        return False
    if repeats(fluent, facts.pair, column):
        return True
    if len(facts.content) < 2:
        return False
    rest = [fluent.columns[i] for i in facts.content if i != column]
    if column < facts.pair[0] and all(len(v) <= 4 and v & set(evidence.roles) for v in rest):
        if any(_has_beside(other, facts, values) for other in others):
            return True
        return column == facts.pair[0] - 1 and facts.pair[0] == 1 and _is_numbered(values)
    return column < facts.pair[0] and _is_numbered(values)


def _has_beside(other: GridFacts, facts: GridFacts, values: frozenset[str]) -> bool:
    """Whether other facts with the same coordinates have an argument with these values, too."""
    theirs, own = other.fluent.columns, facts.fluent.columns
    return (
        other is not facts
        and [theirs[i] for i in other.pair] == [own[i] for i in facts.pair]
        and any(theirs[i] == values for i in other.content)
    )


def _is_numbered(values: frozenset[str]) -> bool:
    return order_of(values, ()) is not None


def repeats(fluent: FluentTable, place: tuple[int, ...], column: int) -> bool:
    """Whether the initial state has most places once for each value of an argument."""
    by_value: dict[str, set[Row]] = {}
    for row in fluent.initial:
        by_value.setdefault(row[column], set()).add(tuple([row[i] for i in place]))
    sets = list(by_value.values())
    if len(sets) < 2 or len(sets) != len(fluent.columns[column]):
        return False
    return all(len(one & two) > len(one | two) / 2 for one, two in combinations(sets, 2))


# ---------------------------------------------------------------------- grids


def _groups(facts: Iterable[GridFacts]) -> list[list[GridFacts]]:
    """Put facts together whose coordinates are those of another, or some of them."""
    groups: list[list[GridFacts]] = []
    for each in sorted(facts, key=lambda f: (-len(f.index), -_extent(f))):
        for group in groups:
            if _names_panel(each, group):
                group.append(replace(each, names_panel=True))
                break
            if _fits(each, group):
                group.append(each)
                break
        else:
            groups.append([each])
    return groups


def _extent(facts: GridFacts) -> int:
    return len(facts.fluent.columns[facts.pair[0]]) * len(facts.fluent.columns[facts.pair[1]])


def _fits(facts: GridFacts, group: Sequence[GridFacts]) -> bool:
    widest = group[0]
    if [facts.fluent.columns[i] for i in facts.index] != [
        widest.fluent.columns[i] for i in widest.index
    ]:
        return False
    if not facts.side and any(facts.fills and other.fills for other in group):
        return False
    sides = [
        (facts.fluent.columns[facts.pair[k]], widest.fluent.columns[widest.pair[k]])
        for k in range(2)
    ]
    if all(own <= theirs for own, theirs in sides):
        return True
    # Edges and walls can lie beyond the places that pieces reach.
    return all(
        2 * len(own & theirs) > len(own | theirs) and _is_numbered(own | theirs)
        for own, theirs in sides
    )


def _grids_of(group: list[GridFacts], chains: Sequence[Axis]) -> list[Grid]:
    widest = group[0]
    values = [
        frozenset().union(*(f.fluent.columns[f.pair[k]] for f in group if not f.names_panel))
        for k in range(2)
    ]
    filled = next((facts for facts in group if facts.fills), None)
    if filled is None and widest.fluent.rows is None:
        filled = _filled_part(widest)
    if filled is not None and filled.fluent.rows is None:
        stated = [frozenset(row[i] for row in filled.fluent.initial) for i in filled.pair]
        if not any(map(has_gap, stated)):  # pieces on ranks 2 and 7 are not the whole board
            values = stated
    axes = [order_of(each, chains) for each in values]
    if axes[0] is None or axes[1] is None:
        return []
    if not len(axes[0]) * len(axes[1]) >= MIN_PLACES or min(map(len, values)) < 2:
        return []
    return [Grid(axes[0], axes[1], tuple(group))]


def _filled_part(facts: GridFacts) -> GridFacts | None:
    """The facts, where the initial state fills a whole rectangle with them."""
    named = {tuple([row[i] for i in facts.pair]) for row in facts.fluent.initial}
    sides = [{place[k] for place in named} for k in range(2)]
    if len(named) >= 9 and len(named) == len(sides[0]) * len(sides[1]):
        return facts
    return None
