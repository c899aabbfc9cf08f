"""Tables over tuples of cells, and what they say of a state, as kernels take them.

Each table has an entry for every combination of the digits of its cells. A state has one index
into each table; a move changes the indices of those tables alone whose cells it changes. An entry
has a weight for each *phase*, which is who moves, where a cell of the rules says so.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import (
    ONE,
    BlockView,
    advance,
    evaluate_transition,
    evaluate_view,
    inlined_kernel,
    is_set,
    kernel,
    load_states,
    lowest,
    read_lanes,
)
from ggp_player.strategies.patterns.cells import Cell

Words: TypeAlias = NDArray[np.uint64]
Indices: TypeAlias = NDArray[np.uint16]
Numbers: TypeAlias = NDArray[np.uint32]
Weights: TypeAlias = NDArray[np.float32]

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""Fluents, each with what it adds to the index into a table."""

CERTAIN = 30.0
"""The logit of a goal value of 100."""


class PatternTables(NamedTuple):
    """Tables, and how fluents lead to their entries.

    A fluent adds ``offsets`` uint16 (n,) to the indices of the tables ``reached`` uint32 (n,); its
    own are those from ``starts`` uint32 (fluents + 1,) on. The entries of a table are ``sizes``
    uint32 (tables,), from ``firsts`` uint32 (tables,) on; symmetric tables have the same. A state
    is in the phase of the first of the ``phases`` int32 (phases,), which are fluents, that holds,
    and without one in phase 0.

    All are unsigned but the last, so that kernels need not ask whether an index is negative.
    """

    starts: Numbers
    reached: Numbers
    offsets: Indices
    firsts: Numbers
    sizes: Numbers
    phases: NDArray[np.int32]

    @property
    def entries(self) -> int:
        """The number of entries: symmetric tables share theirs."""
        return int((self.firsts + self.sizes).max(initial=0))

    @property
    def phase_count(self) -> int:
        """The number of phases, at least one."""
        return max(1, len(self.phases))


def lay_out_tables(
    cells: Sequence[Cell],
    tuples: Sequence[tuple[int, ...]],
    phases: Sequence[int],
    fluent_count: int,
    images: NDArray[np.int32] | None = None,
    alike: Sequence[Sequence[tuple[int, ...]]] = (),
) -> PatternTables:
    """Make tables over tuples of cells, for states of so many fluents.

    ``images`` int32 (elements, fluents): what symmetries make of each fluent. What they make of a
    tuple has a table of its own, but the same weights. Those that change the phase are left out.
    Tuples that are ``alike``, in groups, have tables over how many of their cells have each digit,
    too, and all of a group the same weights.
    """
    elements = np.arange(fluent_count)[None, :] if images is None else images
    kept = elements[(elements[:, phases] == phases).all(axis=1)].tolist()
    layout, known = _Layout(fluent_count), set[frozenset[frozenset[int]]]()
    for members in tuples:
        pairs, size = _pairs_of(cells, members)
        if _classes(pairs) in known:
            continue
        mapped = _images_of(pairs, kept)
        known.update(map(_classes, mapped))
        layout.add(mapped, size)
    for group in alike:
        counted = [_counts_of(cells, members) for members in group]
        mapped = [image for pairs, _ in counted for image in _images_of(pairs, kept)]
        layout.add(list(dict.fromkeys(mapped)), max(size for _, size in counted))
    reached = [pair for of_fluent in layout.reached for pair in of_fluent]
    return PatternTables(
        np.cumsum([0, *map(len, layout.reached)]).astype(np.uint32),
        np.array([table for table, _ in reached], np.uint32),
        np.array([offset for _, offset in reached], np.uint16),
        np.array(layout.firsts, np.uint32),
        np.array(layout.sizes, np.uint32),
        np.array(phases, np.int32),
    )


class _Layout:
    """Tables so far: their first entries and sizes, and what each fluent adds to which indices."""

    def __init__(self, fluent_count: int) -> None:
        self.reached: list[list[tuple[int, int]]] = [[] for _ in range(fluent_count)]
        self.firsts: list[int] = []
        self.sizes: list[int] = []
        self._entries = 0

    def add(self, tables: Sequence[Pairs], size: int) -> None:
        """Add tables that share their weights, each with what fluents add to its index."""
        for pairs in tables:
            for fluent, offset in pairs:
                self.reached[fluent].append((len(self.sizes), offset))
            self.firsts.append(self._entries)
            self.sizes.append(size)
        self._entries += size


def _images_of(pairs: Pairs, elements: Sequence[Sequence[int]]) -> list[Pairs]:
    """What symmetries make of a table's pairs, the first of those that say the same."""
    found: dict[frozenset[frozenset[int]], Pairs] = {}
    for element in elements:
        mapped = tuple(sorted((element[fluent], n) for fluent, n in pairs))
        found.setdefault(_classes(mapped), mapped)
    return list(found.values())


def _pairs_of(cells: Sequence[Cell], members: tuple[int, ...]) -> tuple[Pairs, int]:
    """What each fluent adds to the index into a table over some cells, and the table's size."""
    pairs: list[tuple[int, int]] = []
    stride = 1
    for member in members:
        cell = cells[member]
        for fluent, digit in zip(cell.fluents, cell.digits, strict=True):
            pairs.append((fluent, digit * stride))
        stride *= cell.radix
    return tuple(pairs), stride


def _counts_of(cells: Sequence[Cell], members: tuple[int, ...]) -> tuple[Pairs, int]:
    """The same of a table over how many of some cells have each digit but 0."""
    base = len(members) + 1
    pairs = [
        (fluent, base ** (digit - 1))
        for member in members
        for fluent, digit in zip(cells[member].fluents, cells[member].digits, strict=True)
    ]
    return tuple(pairs), base ** (max(cells[member].radix for member in members) - 1)


def _classes(pairs: Pairs) -> frozenset[frozenset[int]]:
    """Which fluents count alike: tables of the same classes say the same, whatever the digits."""
    members: dict[int, list[int]] = defaultdict(list)
    for fluent, offset in pairs:
        members[offset].append(fluent)
    return frozenset(map(frozenset, members.values()))


NO_TABLES = lay_out_tables([], [], [], 0)
"""No tables, for states of any number of fluents."""


@kernel
def find_phases(
    tables: PatternTables, states: Words, first: int, phases: NDArray[np.int32]
) -> None:
    """Find the phases of some packed states, from row ``first`` on: int32 (n,)."""
    turns = tables.phases
    for i in range(len(phases)):
        phases[i] = 0
        for phase in range(len(turns)):
            fluent = turns[phase]
            if states[first + i, fluent >> 6] >> np.uint64(fluent & 63) & ONE:
                phases[i] = phase
                break


@kernel
def find_indices(
    tables: PatternTables, states: Words, row: int, indices: Indices, place: int
) -> None:
    """Find the indices of a packed state, by its row, into all tables: row ``place``."""
    starts, reached, offsets = tables.starts, tables.reached, tables.offsets
    if len(reached) == 0:
        return
    for table in range(indices.shape[1]):
        indices[place, table] = 0
    for word in range(states.shape[1]):
        left = states[row, word]
        while left != 0:
            fluent = 64 * word + lowest(left)
            for i in range(starts[fluent], starts[fluent + 1]):
                indices[place, reached[i]] += offsets[i]
            left &= left - ONE


@inlined_kernel
def find_entries(tables: PatternTables, indices: Indices, row: int, entries: Numbers) -> None:
    """Find the entries of a state, whose indices are a row: uint32 (tables,)."""
    firsts, sizes = tables.firsts, tables.sizes
    for table in range(len(sizes)):
        last = sizes[table] - np.uint32(1)
        entries[table] = firsts[table] + min(np.uint32(indices[row, table]), last)


@inlined_kernel
def sum_of(weights: Weights, entries: Numbers, count: np.uint64, column: np.uint32) -> np.float32:
    """The sum of the weights of the first so many entries in a column.

    There are four sums, as no addition has to wait for those before it then.
    """
    one, two, three, four = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    whole = count & ~np.uint64(3)
    for i in range(np.uint64(0), whole, np.uint64(4)):
        one += weights[entries[i], column]
        two += weights[entries[i + np.uint64(1)], column]
        three += weights[entries[i + np.uint64(2)], column]
        four += weights[entries[i + np.uint64(3)], column]
    for i in range(whole, count):
        one += weights[entries[i], column]
    return (one + two) + (three + four)


@inlined_kernel
def add_up(weights: Weights, entries: Numbers, column: np.uint32) -> np.float32:
    """Add up the weights of all entries of a state in a column.

    ``weights`` float32 (entries + 1, columns): the last row is always added.
    """
    bias: np.float32 = weights[len(weights) - 1, column]
    return bias + sum_of(weights, entries, np.uint64(len(entries)), column)


class Scratch(NamedTuple):
    """What :func:`follow_moves` works with.

    All are (tables,), but ``stamps``, which has one more, and ``sums`` (columns,): those of the
    state whose moves are followed, in the phases of its children.
    """

    touched: Numbers
    stamps: NDArray[np.int64]
    moved: Indices
    old: Numbers
    new: Numbers
    entries: Numbers
    sums: Weights


def new_scratch(tables: PatternTables, weights: Weights) -> Scratch:
    """Make scratch for kernels."""
    touched, old, new, entries = (np.zeros_like(tables.sizes) for _ in range(4))
    moved, sums = np.zeros(len(touched), np.uint16), np.zeros(weights.shape[1], np.float32)
    stamps = np.zeros(len(touched) + 1, np.int64)
    return Scratch(touched, stamps, moved, old, new, entries, sums)


@inlined_kernel
def _add_up_phase(
    weights: Weights, entries: Numbers, phase: int, outputs: int, sums: Weights
) -> None:
    for output in range(outputs):
        column = np.uint32(phase * outputs + output)
        sums[column] = add_up(weights, entries, column)


@kernel
def follow_moves(
    tables: PatternTables,
    weights: Weights,
    before: tuple[Words, Indices],
    parents: NDArray[np.int64],
    places: NDArray[np.int64],
    after: tuple[Words, NDArray[np.int32]],
    first: int,
    logits: Weights,
    scratch: Scratch,
) -> None:
    """Evaluate states that are a move away from others: ``logits`` float32 (n, outputs).

    ``before`` are the states and indices of these others, ``parents`` int64 (n,) their rows of
    states, and ``places`` int64 (n,) those of indices. ``after`` are the states, from row ``first``
    on, and the phases, int32 (n,). Only the tables that a move touches are looked up, and all of
    them once for each state whose moves follow one another.
    """
    starts, reached, offsets = tables.starts, tables.reached, tables.offsets
    firsts, sizes = tables.firsts, tables.sizes
    states, indices = before
    next_states, phases = after
    outputs = logits.shape[1]
    touched, stamps, moved = scratch.touched, scratch.stamps, scratch.moved
    old, new, entries, sums = scratch.old, scratch.new, scratch.entries, scratch.sums
    stamp, known = stamps[len(stamps) - 1], 0
    for i in range(len(parents)):
        parent, place, child, count = parents[i], places[i], first + i, np.uint64(0)
        stamp += 1
        if i == 0 or place != places[i - 1]:
            find_entries(tables, indices, place, entries)
            known = 0
        if not known >> phases[i] & 1:
            known |= 1 << phases[i]
            _add_up_phase(weights, entries, phases[i], outputs, sums)
        for word in range(states.shape[1]):
            old_bits = states[parent, word]
            changed = old_bits ^ next_states[child, word]
            while changed != 0:
                bit = lowest(changed)
                fluent = 64 * word + bit
                is_lost = old_bits >> np.uint64(bit) & ONE != 0
                for j in range(starts[fluent], starts[fluent + 1]):
                    table, offset = reached[j], offsets[j]
                    if stamps[table] != stamp:
                        stamps[table] = stamp
                        moved[table] = indices[place, table]
                        touched[count] = table
                        count += ONE
                    moved[table] += -offset if is_lost else offset
                changed &= changed - ONE
        for j in range(count):
            table = touched[j]
            last = sizes[table] - np.uint32(1)
            old[j] = entries[table]
            new[j] = firsts[table] + min(np.uint32(moved[table]), last)
        for output in range(outputs):
            column = np.uint32(phases[i] * outputs + output)
            change = sum_of(weights, new, count, column) - sum_of(weights, old, count, column)
            logits[i, output] = sums[column] + change
    stamps[len(stamps) - 1] = stamp


class Children(NamedTuple):
    """The states that moves lead to, one in each lane of a block.

    ``states`` uint64 (lanes, words): packed. ``ends`` uint8 (lanes,): which are terminal.
    ``logits`` float32 (lanes, outputs): what they are worth. ``phases`` int32 (lanes,).
    """

    states: Words
    ends: NDArray[np.uint8]
    logits: Weights
    phases: NDArray[np.int32]


def new_children(lanes: int, words: int, outputs: int) -> Children:
    """Make room for as many states as a block has lanes."""
    return Children(
        np.zeros((lanes, words), np.uint64),
        np.zeros(lanes, np.uint8),
        np.zeros((lanes, outputs), np.float32),
        np.zeros(lanes, np.int32),
    )


@kernel
def evaluate_moves(
    block: BlockView,
    tables: PatternTables,
    weights: Weights,
    before: tuple[Words, Indices],
    parents: NDArray[np.int64],
    children: Children,
    scratch: Scratch,
) -> None:
    """Make the moves that stand in a block, and evaluate the states that they lead to.

    ``before`` are states and their indices, ``parents`` int64 (n,) their row for each of the first
    lanes. What is terminal is worth its goals. The block has the view of these states then.
    """
    used = len(parents)
    load_states(block, before[0], parents)
    evaluate_view(block)
    evaluate_transition(block)
    advance(block)
    evaluate_view(block)
    read_lanes(block.rows, block.next, block.fluent_count, children.states[:used])
    find_phases(tables, children.states, 0, children.phases[:used])
    after, logits = (children.states, children.phases), children.logits
    follow_moves(tables, weights, before, parents, parents, after, 0, logits, scratch)
    _judge_ends(block, children.ends, logits, used)


@kernel
def _judge_ends(block: BlockView, ends: NDArray[np.uint8], logits: Weights, total: int) -> None:
    """Note which of the first so many lanes are terminal, and put in the logits of their goals.

    ``ends`` uint8 (lanes,), ``logits`` float32 (lanes, outputs).
    """
    rows, terminal, goals, goal_table = block.rows, block.terminal, block.goals, block.goal_table
    for i in range(total):
        ends[i] = is_set(rows, terminal, i)
        if not ends[i]:
            continue
        for output in range(logits.shape[1]):
            goal = 0
            for row in range(len(goal_table) - 1, -1, -1):
                if goal_table[row, 0] == output and is_set(rows, goals + row, i):
                    goal = goal_table[row, 1]
            if goal <= 0:
                logits[i, output] = -CERTAIN
            elif goal >= 100:
                logits[i, output] = CERTAIN
            else:
                logits[i, output] = math.log(goal / (100.0 - goal))
