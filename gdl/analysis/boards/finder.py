"""The search for boards: from rules to a :class:`BoardLayout`."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterable, Mapping, Sequence

from gdl.analysis.boards.axes import axis_of, chains_of, order_of
from gdl.analysis.boards.board_building import (
    BLANK_WORDS,
    grid_board,
    named_board,
    row_board,
    stack_board,
    with_short_rows,
)
from gdl.analysis.boards.equipment import (
    are_thrown,
    hands_of,
    named_traits,
    sizes_of,
    traits_of_words,
)
from gdl.analysis.boards.evidence import (
    Argument,
    FluentTable,
    Links,
    RulesEvidence,
    gather,
    link_moves,
    move_domains,
)
from gdl.analysis.boards.grids import Grid, find_grids, is_permutation, is_tally, repeats
from gdl.analysis.boards.helpers import with_helpers
from gdl.analysis.boards.labels import has_two_numbers, lettered
from gdl.analysis.boards.layout import (
    Board,
    BoardLayout,
    MovePattern,
    Part,
    Shape,
    function_of,
)
from gdl.analysis.boards.places import COMPASS_WORDS, Embedding, embed, is_by_compass
from gdl.analysis.boards.refinement import (
    NO_REFINEMENT,
    LayoutRefinement,
    LayoutRefinementError,
)
from gdl.analysis.boards.stated_boards import facts_beside, move_texts, refined, stated_board
from gdl.datalog import FunctionKey, dependency_graph, reachable
from gdl.language import RelationKey, Ruleset, atoms_of

MAX_ROW = 40
"""The most boxes beside each other."""

MAX_BOARDS = 16
"""The most boards of named places beside each other."""


def find_layout(ruleset: Ruleset, refinement: LayoutRefinement = NO_REFINEMENT) -> BoardLayout:
    """Find what a person would draw of a game, from its rules alone.

    The ``refinement`` is what a layout file says. The same rules give the same layout. The work is
    bounded by sizes, also for rules from strangers: what would take too much is left to the table.
    Raises :class:`LayoutRefinementError` for facts or arguments that the rules do not have.
    """
    return _Finder(ruleset, refinement).layout()


class _Finder:
    """The fluents that are not placed yet, and what has been found so far."""

    def __init__(self, ruleset: Ruleset, refinement: LayoutRefinement) -> None:
        self.evidence = gather(ruleset)
        self.refinement = refinement
        self.chains = chains_of(self.evidence.static)
        self.links = link_moves(ruleset)
        self.left: dict[FunctionKey, FluentTable] = dict(self.evidence.fluents)
        self.boards: list[Board] = []
        self.dice: set[FunctionKey] = set()

    def layout(self) -> BoardLayout:
        """Find everything, in the order of what is surest."""
        evidence = self.evidence
        self._take_stated()
        turn = self._take_turn()
        scores = self._take_scores()
        counters = self._take_counters()
        self._take_stacks()
        self._take_named_places(sure=True)
        self._take_grids()
        self._take_named_places()
        self._take_rows()
        counters |= self._take_single_values()
        stated = [
            refined(board, self.refinement, evidence.static, evidence.fluents)
            for board in with_short_rows(self.boards)
        ]
        boards = with_helpers(stated, evidence)
        patterns = move_patterns(boards, self.links)
        domains = [each for fluent in evidence.fluents.values() for each in fluent.columns]
        traits, named = named_traits(traits_of_words(domains), evidence.static)
        words = {piece: ", ".join(said) for piece, said in named.items()}
        if any(is_by_compass(place.key[-1] for place in board.places) for board in boards):
            words |= COMPASS_WORDS
        words |= self.refinement.words
        return BoardLayout(
            evidence.roles,
            self._lettered(boards, patterns),
            counters,
            turn,
            scores,
            evidence.ruleset.has_percepts,
            patterns,
            self.refinement.styles,
            traits,
            hands_of(evidence),
            frozenset(self.dice),
            self._sizes(boards),
            {word.lower(): said for word, said in sorted(words.items())},
            move_texts(self.refinement, evidence.ruleset),
            tuple(facts_beside(self.refinement, evidence.ruleset, counters)),
        )

    def _sizes(self, boards: Iterable[Board]) -> Mapping[str, float]:
        """The sizes of things that lie on each other."""
        found: dict[str, float] = {}
        for board in boards:
            key = board.patterns[0].name, board.patterns[0].arity
            if board.shape in (Shape.PILES, Shape.STACKS) and key[1] == 2:
                things = self.evidence.fluents[key].columns[0]
                found |= sizes_of(things, self.evidence.static)
        return found

    def _lettered(
        self, boards: tuple[Board, ...], patterns: Sequence[MovePattern]
    ) -> tuple[Board, ...]:
        """Call columns by letters where numbers would stand on both sides."""
        if not any(map(has_two_numbers, boards)):
            return boards
        domains = move_domains(self.evidence.ruleset)
        return tuple(lettered(i, board, patterns, domains) for i, board in enumerate(boards))

    # ------------------------------------------------------------------ turn, scores, counters

    def _take(self, keys: Iterable[FunctionKey]) -> None:
        for key in keys:
            self.left.pop(key, None)

    def _take_turn(self) -> tuple[str, ...]:
        """Facts that name a role, one at a time, and that legal moves need."""
        found = [key for key in self._needed({("legal", 2)}) if self._may_be_turn(key)]
        if not found:
            graph = dependency_graph(self.evidence.ruleset.rules)
            needed = self._needed(set(reachable(graph, [("legal", 2)])))
            found = [
                key
                for key in needed
                if self._may_be_turn(key) and len(self.left[key].initial) == key[1] == 1
            ]
        self._take(found)
        return tuple(name for name, _ in found)

    def _needed(self, heads: set[RelationKey]) -> list[FunctionKey]:
        """The functions of facts that rules for some relations ask for."""
        found = (
            function_of(atom.args[0])
            for rule in self.evidence.ruleset.rules
            if rule.head.relation in heads
            for literal in rule.body
            for atom, positive in atoms_of(literal)
            if positive and atom.relation == ("true", 1)
        )
        return [key for key in dict.fromkeys(found) if key in self.left]

    def _may_be_turn(self, key: FunctionKey) -> bool:
        fluent = self.left[key]
        if not fluent.columns[0] <= set(self.evidence.roles) or len(fluent.initial) > 1:
            return False
        if key[1] == 1:
            return True
        return (
            key[1] == 2
            and len(fluent.initial) == 1
            and order_of(fluent.columns[1], self.chains) is None
        )

    def _take_scores(self) -> tuple[tuple[str, int], ...]:
        """Facts that give each role one value of an order."""
        roles = set(self.evidence.roles)
        found = []
        for key, fluent in self.left.items():
            if key[1] != 2 or len(fluent.initial) < 2:
                continue
            for column in range(2):
                owners = [row[column] for row in fluent.initial]
                values = fluent.columns[1 - column]
                if (
                    set(owners) <= roles
                    and len(set(owners)) == len(owners) > 1
                    and (order_of(values, self.chains))
                ):
                    found.append((key, column))
                    break
        self._take(key for key, _ in found)
        return tuple((key[0], column) for key, column in found)

    def _take_counters(self) -> dict[str, str]:
        """Facts with one value at a time, of an order of numbers or of a static relation."""
        found = {}
        for key, fluent in list(self.left.items()):
            if key[1] == 1 and len(fluent.initial) == 1 and len(fluent.columns[0]) > 1:
                axis = order_of(fluent.columns[0], self.chains)
                if axis is not None and not (len(axis[0]) == 1 and axis[0].isalpha()):
                    found[key[0]] = axis[-1]
                    self._take([key])
        return found

    def _take_single_values(self) -> dict[str, str]:
        """Facts that nothing else has taken, with one value at the start and one argument."""
        found = [key for key, each in self.left.items() if key[1] == len(each.initial) == 1]
        self._take(found)
        return {name: "" for name, _ in found}

    # ------------------------------------------------------------------ boards

    def _take_stated(self) -> None:
        """The boards of which the layout file says which arguments are the place."""
        known = {name for name, _ in self.left}
        for stated in self.refinement.boards:
            missing = [name for name in stated.facts if name not in known]
            if missing:
                raise LayoutRefinementError(f"no fact is called {', '.join(missing)}")
            if not stated.place:
                continue
            keys = [next(key for key in self.left if key[0] == name) for name in stated.facts]
            if max(stated.place) >= keys[0][1]:
                raise LayoutRefinementError(
                    f"({keys[0][0]} …) has {keys[0][1]} arguments, not {max(stated.place) + 1}"
                )
            self.boards.append(stated_board(self.left, keys, stated, self.chains))
            self._take(keys)

    def _take_grids(self) -> None:
        evidence = self.evidence
        subset = RulesEvidence(evidence.ruleset, evidence.roles, self.left, evidence.static)
        grids = find_grids(subset, self.chains)
        for grid in grids:
            if are_thrown(evidence, grid):
                self.dice |= {facts.fluent.key for facts in grid.facts}
                self._take(facts.fluent.key for facts in grid.facts)
                continue
            names = frozenset(facts.fluent.name for facts in grid.facts)
            stated = self.refinement.of(names)
            board = grid_board(evidence, grid, self._falls(grid), stated)
            if board is not None:
                self.boards.append(board)
                self._take(facts.fluent.key for facts in grid.facts)

    def _falls(self, grid: Grid) -> bool:
        """Whether a move names one coordinate alone, as where discs fall into a column."""
        pairs = {
            (f.fluent.name, f.fluent.arity, f.pair[k]): k for f in grid.facts for k in range(2)
        }
        named: dict[tuple[str, int], set[int]] = {}
        for (move, arity, _), facts in self.links.items():
            found = {pairs[fact] for fact in facts if fact in pairs}
            if found:
                named.setdefault((move, arity), set()).update(found)
        return any(positions == {0} and move[1] == 1 for move, positions in named.items())

    def _take_named_places(self, *, sure: bool = False) -> None:
        """Facts with one argument that names a place whose position is known.

        With ``sure``, only those of which no two arguments can be coordinates.
        """
        for values, embedding in self._embeddings(sure).items():
            if embedding is not None:
                self._take_board_of(values, embedding)

    def _embeddings(self, sure: bool) -> dict[frozenset[str], Embedding | None]:
        """The values of arguments that may name places, and where these lie; the largest first."""
        roles = set(self.evidence.roles)
        columns = [
            (key, i)
            for key, fluent in self.left.items()
            for i, values in enumerate(fluent.columns)
            if not values & roles
        ]
        columns.sort(key=lambda each: -len(self.left[each[0]].columns[each[1]]))
        known: dict[frozenset[str], Embedding | None] = {}
        for key, column in columns:
            values = self.left[key].columns[column]
            rivals = self._rivals(self.left[key], column) if sure else 0
            twice = self.left[key].columns.count(values) > 1 and (
                order_of(values, self.chains) is not None
            )
            if (
                rivals > 1
                or (sure and twice)
                or values in known
                or any(values < o for o in known if known[o])
            ):
                continue
            known[values] = embed(
                values,
                self.evidence,
                self.chains,
                by_neighbours=not sure and not self._is_side(values),
            )
        return known

    def _is_side(self, values: frozenset[str]) -> bool:
        """Whether the values are coordinates of a board that was found already."""
        return any(
            values <= {word for place in board.places for word in place.key}
            for board in self.boards
            if board.key_length > 1
        )

    def _rivals(self, fluent: FluentTable, column: int) -> int:
        """Count the other arguments that can be coordinates; one does not count beside names."""
        roles = set(self.evidence.roles)
        ordered = [
            i
            for i, values in enumerate(fluent.columns)
            if not values & roles and order_of(values, self.chains) is not None
        ]
        others = [i for i in ordered if i != column]
        return len(others) if column in ordered or len(others) > 1 else 0

    def _take_board_of(self, values: frozenset[str], embedding: Embedding) -> None:
        found = []
        for fluent in self.left.values():
            columns = tuple(i for i, each in enumerate(fluent.columns) if each <= values)
            full = tuple(i for i in columns if fluent.columns[i] == values)
            if len(full) >= 2 and fluent.arity > 2:
                found.append((fluent, full[:2]))
            elif full or (columns and found):
                found.append((fluent, (full or columns)[-1:]))
        if found:
            found = _with_boards(found, set(self.evidence.roles))
            self.boards.append(named_board(self.evidence, embedding, found))
            self._take(fluent.key for fluent, _ in found)

    def _take_stacks(self) -> None:
        for key, fluent in list(self.left.items()):
            if key[1] == 2 and _is_stacking(fluent):
                marks = self._marks(fluent.columns[0] | fluent.columns[1])
                self.boards.append(stack_board(fluent, marks))
                self._take([key, *(mark.key for mark in marks)])

    def _marks(self, things: frozenset[str]) -> list[FluentTable]:
        """The facts of one argument that only say something of some things."""
        return [
            each for each in self.left.values() if each.arity == 1 and each.columns[0] <= things
        ]

    def _take_rows(self) -> None:
        roles = set(self.evidence.roles)
        for key, fluent in list(self.left.items()):
            if key not in self.left or fluent.columns[0] & roles:
                continue
            if is_tally(fluent) and order_of(fluent.columns[1], self.chains):
                self._take_row(fluent, 0, Part.COUNT, "a number for each")
            elif is_permutation(fluent):
                self._take_row(fluent, 1, Part.PIECE, "one thing on each place")
            elif _is_holding(fluent, roles) and len(fluent.columns[1]) <= MAX_ROW:
                reason = "things that each are on one of few"
                self._take_row(fluent, 1, Part.PIECE, reason, Shape.PILES)
        self._take_alike()

    def _take_row(
        self, fluent: FluentTable, column: int, part: Part, reason: str, shape: Shape = Shape.ROW
    ) -> None:
        """Facts with a box for each value of an argument, and what others say of these values."""
        values = fluent.columns[column]
        facts = [(fluent.key, column, part)]
        facts += [(mark.key, 0, Part.MARK) for mark in self._marks(values)]
        self.boards.append(row_board(axis_of(values, self.chains), facts, reason, shape))
        self._take(key for key, _, _ in facts)

    def _take_alike(self) -> None:
        """Facts of one argument that two functions share: open and pointed cups."""
        unary = [each.columns[0] for each in self.left.values() if each.arity == 1]
        groups = Multiset(values for values in unary if 2 <= len(values) <= MAX_ROW)
        for values, count in groups.items():
            marks = [mark.key for mark in self._marks(values) if len(mark.columns[0]) > 1]
            if count >= 2 and len(marks) >= 2 and not values <= set(self.evidence.roles):
                facts = [(key, 0, Part.MARK) for key in marks]
                reason = "properties of the same things"
                self.boards.append(row_board(axis_of(values, self.chains), facts, reason))
                self._take(marks)


def _with_boards(
    found: list[tuple[FluentTable, tuple[int, ...]]], roles: set[str]
) -> list[tuple[FluentTable, tuple[int, ...]]]:
    """Put the argument that names one of several boards before that of the place.

    All the facts have it, with the same values, and the initial state has most places once for
    each of these.
    """
    values = [
        {
            each
            for i, each in enumerate(fluent.columns)
            if i not in columns and len(columns) == 1 and not each & roles
        }
        for fluent, columns in found
    ]
    shared = [each for each in set.intersection(*values) if 1 < len(each) <= MAX_BOARDS]
    for names in sorted(shared, key=sorted):
        index = [fluent.columns.index(names) for fluent, _ in found]
        if any(
            len(fluent.initial) > 1 and repeats(fluent, columns, i)
            for (fluent, columns), i in zip(found, index, strict=True)
        ):
            return [
                (fluent, (i, *columns)) for (fluent, columns), i in zip(found, index, strict=True)
            ]
    return found


def _is_stacking(fluent: FluentTable) -> bool:
    """Whether things stand on each other: no circle, and nothing on two things or on itself."""
    below = {row[0]: row[1] for row in fluent.initial} if fluent.arity == 2 else {}
    if not below or len(below) != len(fluent.initial):
        return False
    shared = fluent.columns[0] & fluent.columns[1]
    rows = fluent.rows
    if len(shared) < 2 or (rows is not None and any(row[0] == row[1] for row in rows)):
        return False
    if rows is None and all(value.lstrip("-").isdigit() for value in shared):
        return False
    for thing in below:
        steps = 0
        while thing in below and steps <= len(below):
            thing = below[thing]
            steps += 1
        if steps > len(below):
            return False
    return len(below) == 1 or any(support in below for support in below.values())


def _is_holding(fluent: FluentTable, roles: set[str]) -> bool:
    """Whether each of some things is on one of fewer holders, which are other words."""
    if fluent.arity != 2 or fluent.columns[0] & fluent.columns[1]:
        return False
    if any(value in roles or value.lower() in BLANK_WORDS for value in fluent.columns[1]):
        return False
    things = [row[0] for row in fluent.initial]
    return (
        len(things) > 1
        and len(set(things)) == len(things) == len(fluent.columns[0])
        and 1 < len(fluent.columns[1]) < len(things) * 2
    )


def move_patterns(boards: Sequence[Board], links: Links) -> tuple[MovePattern, ...]:
    """Find what the arguments of moves can name on the boards."""
    places: dict[Argument, list[tuple[int, int]]] = {}
    contents: dict[Argument, set[int]] = {}
    for number, board in enumerate(boards):
        for pattern in board.patterns:
            stands_on = pattern.content if board.shape is Shape.STACKS else ()
            for group in (pattern.place, pattern.end, stands_on):
                for position, column in enumerate(group):
                    places.setdefault((pattern.name, pattern.arity, column), []).append(
                        (number, position)
                    )
            for column in pattern.content:
                contents.setdefault((pattern.name, pattern.arity, column), set()).add(number)
    moves = sorted({move[:2] for move in links})
    return tuple(
        MovePattern(
            name,
            arity,
            tuple(_slots(links.get((name, arity, i)), places) for i in range(arity)),
            tuple(_contents(links.get((name, arity, i), {}), contents) for i in range(arity)),
        )
        for name, arity in moves
    )


def _slots(
    facts: Mapping[Argument, int] | None,
    places: Mapping[Argument, list[tuple[int, int]]],
) -> tuple[tuple[int, int], ...] | None:
    """The positions of keys that an argument shares variables with, most often first."""
    if not facts:
        return None
    counts: Multiset[tuple[int, int]] = Multiset()
    for fact, count in facts.items():
        for slot in places.get(fact, ()):
            counts[slot] += count
    return tuple(slot for slot, _ in sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _contents(
    facts: Mapping[Argument, int], contents: Mapping[Argument, set[int]]
) -> tuple[int, ...]:
    return tuple(sorted({number for fact in facts for number in contents.get(fact, ())}))
