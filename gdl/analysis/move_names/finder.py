"""The search for names: what the words of moves mean, and which of them a reader needs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from time import process_time
from typing import TypeAlias

from gdl.analysis.boards import (
    ARGUMENT,
    Board,
    BoardLayout,
    MovePattern,
    Part,
    Shape,
    function_of,
    words_of,
)
from gdl.analysis.move_names.names import NOOP, CellNames, MoveNames, MoveTemplate, joined
from gdl.errors import GdlError
from gdl.language import Constant, Function, Term
from gdl.playouts import play_out, randomness
from gdl.state_machine import RuledMachine, StateMachine

SAMPLED_STATES = 200
"""States of the random playouts."""

SAMPLED_STEPS = 60
"""Joint moves of a playout; the next one begins then."""

SAMPLED_MOVES = 20_000
"""Moves that are looked at, over all."""

SAMPLE_SECONDS = 0.5
"""CPU seconds that the playouts may take; what has been seen by then counts."""

WAITING_SHARE = 0.25
"""In how much of the states a role has a move alone that is there only to wait."""

COVERED_SHARE = 0.5
"""How much of a board moves name where no rule shows that they do."""

MoveFunction: TypeAlias = tuple[str, int]
"""A function of moves: its name and number of arguments."""

_Cells: TypeAlias = tuple[tuple[int, int], ...]
"""The first argument of each cell that moves name, and its board."""

_UNLIKE_PIECES = frozenset({Part.COUNT, Part.SIDE, Part.EDGE})

_SPOTS = frozenset({Shape.SQUARES, Shape.HEXES, Shape.POINTS})
"""Boards whose cells are positions; those of others are things: heaps, pits, pegs."""


def find_move_names(
    machine: RuledMachine, layout: BoardLayout, seconds: float = SAMPLE_SECONDS
) -> MoveNames:
    """Find the names of a game's moves, by its layout and random playouts.

    The same rules give the same names, as the playouts are bounded by their numbers of states and
    moves, unless they would take more than so many ``seconds`` of CPU time. Where the rules go
    wrong, what was seen before counts.
    """
    sample = _Sample(machine, seconds)
    written = {
        function_of(rule.head.args[1])
        for rule in machine.ruleset.rules
        if rule.head.relation == ("legal", 2) and isinstance(rule.head.args[1], Function)
    }
    return _Finder(layout, sample, written).found()


@lru_cache(maxsize=16)
def names_without_play(layout: BoardLayout) -> MoveNames:
    """Find the names of moves by the layout alone, as where the rules take too long."""
    return _Finder(layout, None, set()).found()


class _Sample:
    """The moves that were legal in random playouts, by function and by role."""

    def __init__(self, machine: StateMachine, seconds: float) -> None:
        self.moves: dict[MoveFunction, dict[Constant, dict[tuple[str, ...], None]]] = {}
        self._chosen: set[str] = set()
        self._forced: Counter[str] = Counter()
        self._states = 0
        end, moves = process_time() + seconds, 0
        for options in _states(machine):
            self._states += 1
            counts = list(map(len, options))
            for role, legal in zip(machine.roles, options, strict=True):
                self._look(role, legal, others_choose=max(counts) > 1)
            moves += sum(counts)
            if moves > SAMPLED_MOVES or process_time() > end:
                return

    def _look(self, role: Constant, legal: Sequence[Term], *, others_choose: bool) -> None:
        for move in legal:
            if isinstance(move, Function) and all(isinstance(a, Constant) for a in move.args):
                of_role = self.moves.setdefault(function_of(move), {}).setdefault(role, {})
                of_role[words_of(move)] = None
            elif isinstance(move, Constant) and len(legal) > 1:
                self._chosen.add(move.name.lower())
        if len(legal) == 1 and isinstance(legal[0], Constant):
            self._forced[legal[0].name.lower()] += others_choose

    @property
    def waiting(self) -> frozenset[str]:
        """Bare moves that are always the only one of their role, often while others choose."""
        least = self._states * WAITING_SHARE
        often = (name for name, count in self._forced.items() if count > least)
        found = {name for name in often if not self._is_choice(name)}
        return frozenset(found if self._is_choice(NOOP) else {*found, NOOP})

    def _is_choice(self, name: str) -> bool:
        return name in self._chosen


def _states(machine: StateMachine) -> Iterator[tuple[tuple[Term, ...], ...]]:
    """Yield the legal moves of each role in the states of random playouts."""
    states = 0
    with suppress(GdlError, RecursionError):
        for number in range(SAMPLED_STATES):
            for step in play_out(machine, randomness(0, number), SAMPLED_STEPS):
                if not step.options or states == SAMPLED_STATES:
                    break
                states += 1
                yield step.options
            if not states or states == SAMPLED_STATES:
                return


class _Finder:
    """Finds a template for each function of moves."""

    def __init__(
        self, layout: BoardLayout, sample: _Sample | None, written: Iterable[MoveFunction]
    ) -> None:
        self._layout = layout
        self._seen = sample.moves if sample is not None else {}
        self._waiting = sample.waiting if sample is not None else frozenset({NOOP})
        self._functions = sorted({*self._seen, *layout.move_patterns, *written})
        self._lines = [_lines_of(board) for board in layout.boards]

    def found(self) -> MoveNames:
        """All templates, the boards' cells, and the moves that only wait."""
        cells = {function: self._cells(function) for function in self._functions}
        known = [each for each in dict.fromkeys(cells.values()) if each]
        templates = {
            function: self._template(function, each or self._as_others(function, known))
            for function, each in cells.items()
        }
        boards = tuple(_cell_names(board, self._layout) for board in self._layout.boards)
        words = dict(self._layout.words)
        names = MoveNames(tuple(templates.values()), boards, self._waiting, words)
        confused = set(_confused(names, templates, self._seen))
        said = (
            replace(t, with_name=t.with_name or key in confused) for key, t in templates.items()
        )
        return replace(names, templates=tuple(said))

    def _template(self, function: MoveFunction, cells: _Cells) -> MoveTemplate:
        """How the moves of a function are said that name these cells."""
        text = self._layout.move_texts.get(function[0], "")
        if text and max(map(int, ARGUMENT.findall(text)), default=0) <= function[1]:
            return MoveTemplate(*function, text=text)
        pattern, rows = self._pattern(function), self._rows(function)
        taken = {i + k for i, board in cells for k in range(self._size(board))}
        lines = () if cells else self._line(pattern, rows)
        taken |= {i for i, _, _ in lines}
        side = self._side(cells, rows, function[1])
        taken |= set() if side is None else {side}
        if not taken:
            return MoveTemplate(*function)
        seen = self._seen.get(function, {})
        others = [i for i in range(function[1]) if i not in taken]
        constants = [(i, _constants(seen, i)) for i in others if len(rows) > 1]
        constants = [(i, words) for i, words in constants if words]
        told = [i for i in others if i not in dict(constants)]
        return MoveTemplate(
            *function,
            cells=cells,
            lines=lines,
            constants=tuple(constants),
            with_name=not all(self._is_piece(pattern, rows, i) for i in told),
            side=side,
        )

    def _side(self, cells: _Cells, rows: Sequence[tuple[str, ...]], arity: int) -> int | None:
        """The argument that always says to which corner a move draws from its only cell."""
        if len(cells) != 1 or not rows:
            return None
        ((start, number),) = cells
        ends, size = self._layout.boards[number].far_corners, self._size(number)
        return next(
            (i for i in range(arity) if all((r[i], r[start : start + size]) in ends for r in rows)),
            None,
        )

    def _pattern(self, function: MoveFunction) -> MovePattern:
        nothing = MovePattern(*function, (None,) * function[1], ((),) * function[1])
        return self._layout.move_patterns.get(function, nothing)

    def _rows(self, function: MoveFunction) -> list[tuple[str, ...]]:
        return [words for of_role in self._seen.get(function, {}).values() for words in of_role]

    def _size(self, board: int) -> int:
        return self._layout.boards[board].key_length

    # ------------------------------------------------------------------ cells and lines

    def _cells(self, function: MoveFunction) -> _Cells:
        """The cells that all moves of a function name, by rules that share variables with facts.

        Otherwise by what moves name: where nothing in the rules shows it, a board is meant by moves
        that have cells in all their arguments, which are most of its cells.
        """
        pattern, rows = self._pattern(function), self._rows(function)
        for number, board in enumerate(self._layout.boards):
            is_shown = any(n == number for slots in pattern.places for n, _ in slots or ())
            if board.shape not in _SPOTS or not (is_shown or rows):
                continue
            found = self._cells_on(pattern, rows, number)
            size = board.key_length
            if is_shown and found:
                return found
            if size > 1 and found and len(found) * size == pattern.arity:
                named = {row[i : i + size] for row in rows for i, _ in found}
                if len(named) >= len(board.places) * COVERED_SHARE:
                    return found
        return ()

    def _cells_on(
        self, pattern: MovePattern, rows: Sequence[tuple[str, ...]], number: int
    ) -> _Cells:
        """The runs of arguments that are cells of a board; those that rules show go first."""
        board = self._layout.boards[number]
        size = board.key_length
        found: list[tuple[int, int]] = []
        for start in range(pattern.arity - size + 1):
            slots = pattern.places[start : start + size]
            shown = [slot is not None and (number, k) in slot for k, slot in enumerate(slots)]
            others = [
                bool(slot) or bool(pattern.contents[start + k])
                for k, slot in enumerate(slots)
                if not shown[k]
            ]
            if not any(others) and all(row[start : start + size] in board.index for row in rows):
                found.append((-sum(shown), start))
        taken: set[int] = set()
        chosen: list[int] = []
        for _, start in sorted(found):
            if not taken & set(range(start, start + size)):
                taken |= set(range(start, start + size))
                chosen.append(start)
        return tuple((start, number) for start in sorted(chosen))

    def _as_others(self, function: MoveFunction, known: Iterable[_Cells]) -> _Cells:
        """The cells that moves of other functions have in the same arguments."""
        rows = self._rows(function)
        for cells in known:
            sizes = {number: self._size(number) for _, number in cells}
            if min(sizes.values()) > 1 and all(
                start + sizes[n] <= function[1]
                and all(
                    row[start : start + sizes[n]] in self._layout.boards[n].index for row in rows
                )
                for start, n in cells
            ):
                return cells
        return ()

    def _line(
        self, pattern: MovePattern, rows: Sequence[tuple[str, ...]]
    ) -> tuple[tuple[int, str, int], ...]:
        """The one argument that is a whole column or row of a board."""
        found = []
        for i, slots in enumerate(pattern.places):
            for number, position in (slots or ())[:1]:
                kind, words = self._lines[number].get(position, ("", frozenset()))
                if kind and all(row[i] in words for row in rows):
                    found.append((i, kind, number))
        return tuple(found) if len(found) == 1 else ()

    def _is_piece(self, pattern: MovePattern, rows: Iterable[tuple[str, ...]], i: int) -> bool:
        """Whether an argument is a piece, which says what moves or comes without a verb."""
        boards = [self._layout.boards[number] for number in pattern.contents[i]]
        parts = {fact.part for board in boards for fact in board.patterns}
        is_number = any(row[i].isdigit() for row in rows)
        return Part.PIECE in parts and not parts & _UNLIKE_PIECES and not is_number


def _constants(seen: Mapping[Constant, Iterable[tuple[str, ...]]], i: int) -> frozenset[str]:
    """The words of an argument, where it is the same in all moves of each role."""
    words = [{row[i].lower() for row in rows} for rows in seen.values()]
    return frozenset().union(*words) if all(len(each) == 1 for each in words) else frozenset()


def _confused(
    names: MoveNames,
    templates: Mapping[MoveFunction, MoveTemplate],
    seen: Mapping[MoveFunction, Mapping[Constant, Iterable[tuple[str, ...]]]],
) -> Iterator[MoveFunction]:
    """Yield the functions whose moves are not told from those of others without their names."""
    bare = [key for key, template in templates.items() if not template.with_name]
    owners: dict[tuple[Constant, str], set[MoveFunction]] = defaultdict(set)
    alike: dict[tuple[object, ...], list[MoveFunction]] = defaultdict(list)
    for key in bare:
        alike[_form(templates[key])].append(key)
        for role, rows in seen.get(key, {}).items():
            for row in rows:
                owners[role, names.said(templates[key], row)].add(key)
    for functions in owners.values():
        if len(functions) > 1:
            yield from functions
    for group in alike.values():
        if len(group) > 1:
            yield from (key for key in group if not seen.get(key))


def _form(template: MoveTemplate) -> tuple[object, ...]:
    """What a name without the function's looks like."""
    return template.cells, template.lines, template.arity - len(template.constants)


def _lines_of(board: Board) -> dict[int, tuple[str, frozenset[str]]]:
    """For positions of a key: whether equal words lie in a column or a row, and these words."""
    found: dict[int, tuple[str, frozenset[str]]] = {}
    size = board.key_length
    panel = len(board.panels[0].key) if board.panels else 0
    if board.shape is not Shape.SQUARES or size - panel < 2:  # places have a name of their own
        return found
    for position in (size - 2, size - 1):
        words = frozenset(place.key[position] for place in board.places)
        for kind, spots in (
            ("column", _spots(board, position, "x")),
            ("row", _spots(board, position, "y")),
        ):
            if all(len(each) == 1 for each in spots.values()):
                found.setdefault(position, (kind, words))
    return found


def _spots(board: Board, position: int, way: str) -> Mapping[tuple[str, ...], set[float]]:
    """Where the places lie that share a word at a position of their keys, on each panel."""
    found: dict[tuple[str, ...], set[float]] = defaultdict(set)
    for place in board.places:
        found[*place.key[: board.key_length - 2], place.key[position]].add(getattr(place, way))
    return found


def _own_names(board: Board, layout: BoardLayout) -> dict[str, str]:
    """What cells are called: by the labels beside them, otherwise as people say their words."""
    columns = {label.x: label.text for label in board.labels if label.line == "column"}
    rows = {label.y: label.text for label in board.labels if label.line == "row"}
    found = {}
    for place in board.places:
        said = " ".join(layout.words.get(word.lower(), word) for word in place.key)
        if board.shape is Shape.POINTS and place.x in columns and place.y in rows:
            said = joined(columns[place.x], rows[place.y])
        found[" ".join(place.key).lower()] = said
    return {key: said for key, said in found.items() if said != key}


def _cell_names(board: Board, layout: BoardLayout) -> CellNames:
    """How the cells of a board are called: as its labels say, the column before the row."""
    size = board.key_length
    panel = len(board.panels[0].key) if board.panels else 0
    if size - panel != 2 or board.shape not in (Shape.SQUARES, Shape.HEXES):
        return CellNames(size, names=_own_names(board, layout))
    is_row = all(len(each) == 1 for each in _spots(board, size - 2, "y").values())
    column, row = (size - 1, size - 2) if is_row else (size - 2, size - 1)
    columns = {label.word: label.text for label in board.labels if label.line == "column"}
    rows = {label.word: label.text for label in board.labels if label.line == "row"}
    names = CellNames(
        size,
        (column, row),
        {p.key[column].lower(): columns.get(p.key[column], p.key[column]) for p in board.places},
        {p.key[row].lower(): rows.get(p.key[row], p.key[row]) for p in board.places},
    )
    ends: dict[str, dict[str, str]] = defaultdict(dict)
    for (side, key), end in board.far_corners.items():
        ends[side.lower()][names.name(key) or ""] = names.name(end) or ""
    return replace(names, ends=dict(ends))
