"""The nodes of the proof search, and how a block makes them. These kernels take arrays only.

All values are integers from 0 to 100, seen from one role, "mine".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import (
    allocating_kernel,
    inlined_kernel,
    is_set,
    make_all_canonical,
    population,
)
from ggp_player.strategies.solver.lane_kernels import (
    FLUENTS,
    LEGAL,
    MOVES,
    NEXT,
    TERMINAL,
    Rows,
    Words,
    advance,
    clear_moves,
    evaluate,
    goal_of,
    hash_of,
    load_states,
    next_bit,
    prefetch,
    read_rows,
    set_move,
)

LOWEST, HIGHEST, NEUTRAL = 0, 100, 50
"""The range of values, and the value of a state at the horizon."""


class Nodes(NamedTuple):
    """The nodes on the path and their siblings: ``lanes`` of them for each level of the tree.

    ``states`` uint64 (n, words), ``legal`` uint64 (n, words): packed. ``hashes`` uint64 (n, 2): of
    the least image, the first never 0. ``facts`` int32 (n, 9): see the places below.
    """

    states: Words
    legal: Words
    hashes: NDArray[np.uint64]
    facts: NDArray[np.int32]


MOVE, ROLE, WIDTH, LOW, HIGH, FIRST, LAST, KEY, IMAGE = range(9)
"""Places in ``Nodes.facts``: the move that led here, by its place among all moves; the role that
has a choice, and how many moves; bounds of the value; the children, where they are expanded (a
first child of ``NOT_EXPANDED`` or ``TOO_WIDE`` says otherwise); what the node is ordered by; which
symmetry makes the least image of its state."""

NOT_EXPANDED, TOO_WIDE = -1, -2
SEVERAL = -1
"""The role of a node in which several have a choice."""


class Stack(NamedTuple):
    """The search's stack. ``frames`` int32 (levels, 8): the places below. ``order`` int32 (levels,
    lanes): the children to search, best first. ``history`` int32 (moves,): how often and how deep
    a move has cut."""

    frames: NDArray[np.int32]
    order: NDArray[np.int32]
    history: NDArray[np.int32]


NODE, DEPTH, ALPHA, BETA, BEST, BEST_MOVE, INDEX, COUNT = range(8)
"""Places in a frame: the node; the depth left; the window; the best value and its move; which child
is being searched (-1 before the first look), of how many."""


class ProofSearch(NamedTuple):
    """All that a search works with. ``control`` int64 (5,): the places below.

    ``table`` uint64 (n, 2) is a transposition table in buckets of four: hashes and entries. An
    entry holds, from the lowest byte on: low, high, low and high at the depth, depth, age, and in
    two bytes the best move in the least image and 1.
    """

    rows: Rows
    nodes: Nodes
    stack: Stack
    table: Words
    control: NDArray[np.int64]


LEVEL, NODE_COUNT, MINE, AGE, PROBLEM = range(5)
"""Indices in ``ProofSearch.control``: the present level of the stack; nodes looked at; my role; the
table's age, 0 to 255; what is in the way."""

NO_PROBLEM, SIMULTANEOUS = 0, 1

LANES_FOR_FIRST = 64
"""States are moved into a block and out of it in so many lanes at a time."""


@allocating_kernel
def place_root(search: ProofSearch, state: Words) -> None:
    """Make a state, uint64 (1, words), the root of the tree."""
    rows, nodes = search.rows, search.nodes
    load_states(rows, state, np.zeros(1, np.int64))
    evaluate(rows, rows.view_code)
    nodes.states[0] = state[0]
    _describe(search, 0, 1)


@allocating_kernel
def _describe(search: ProofSearch, base: int, count: int) -> None:
    """Note what the view says of nodes; ``count`` of them, from ``base`` on, are in the lanes."""
    rows, nodes, facts = search.rows, search.nodes, search.nodes.facts
    mine = search.control[MINE]
    read_rows(rows, rows.first[LEGAL], rows.move_ends[-1], nodes.legal[base : base + count])
    size = np.uint64(len(search.table) - 4)
    least = nodes.states[base : base + count]
    spare = np.empty(least.shape[1], np.uint64)
    if len(rows.images.facts) > 1:
        least = least.copy()
        make_all_canonical(rows.images, least, spare, facts[base : base + count, IMAGE])
    for lane in range(count):
        node = base + lane
        # In the table 0 says that there is no entry.
        nodes.hashes[node, 0] = max(hash_of(least, lane, 0), np.uint64(1))
        nodes.hashes[node, 1] = hash_of(least, lane, 1)
        bucket = np.int64(nodes.hashes[node, 1] & size)
        prefetch(search.table.ctypes.data + 16 * int(bucket))
        facts[node, LOW], facts[node, HIGH] = LOWEST, HIGHEST
        facts[node, FIRST] = NOT_EXPANDED
        if is_set(rows.block, rows.first[TERMINAL], lane):
            facts[node, LOW] = facts[node, HIGH] = goal_of(rows, mine, lane)
        else:
            _find_chooser(facts, nodes.legal, rows.move_ends, node, mine)


@allocating_kernel
def _find_chooser(
    facts: NDArray[np.int32], legal: Words, move_ends: NDArray[np.int64], node: int, mine: int
) -> None:
    """Note which role has a choice in a node, and how many moves."""
    facts[node, ROLE], facts[node, WIDTH] = mine, 1
    stuck, choosing = False, 0
    for role in range(len(move_ends) - 1):
        width = _count_bits(legal, node, move_ends[role], move_ends[role + 1])
        if width > 1:
            choosing += 1
            facts[node, ROLE], facts[node, WIDTH] = role, width
        elif width == 0:
            stuck = True
            if role == mine:
                # Without a move there is nothing to hope for, as in minimax.
                facts[node, HIGH] = LOWEST
    if choosing > 1:
        facts[node, ROLE] = SEVERAL
    if stuck and facts[node, HIGH] == HIGHEST:
        facts[node, LOW] = HIGHEST


@allocating_kernel
def _count_bits(bits: Words, node: int, first: int, last: int) -> int:
    count = 0
    for word in range(first >> 6, (last + 63) >> 6):
        value = bits[node, word]
        if first > 64 * word:
            value &= ~np.uint64(0) << np.uint64(first - 64 * word)
        if last < 64 * word + 64:
            value &= (np.uint64(1) << np.uint64(last - 64 * word)) - np.uint64(1)
        count += population(value)
    return count


@inlined_kernel
def expand(search: ProofSearch, parents: NDArray[np.int32], base: int) -> None:
    """Expand nodes together: their children are put from ``base`` on, and described."""
    rows, nodes, facts = search.rows, search.nodes, search.nodes.facts
    total = 0
    for parent in parents:
        total += facts[parent, WIDTH]
    chosen = np.empty(total, np.int64)
    clear_moves(rows)
    lane = 0
    for parent in parents:
        facts[parent, FIRST] = base + lane
        chooser, width = facts[parent, ROLE], facts[parent, WIDTH]
        for role in range(len(rows.move_ends) - 1):
            last = rows.move_ends[role + 1]
            move = next_bit(nodes.legal, parent, rows.move_ends[role], last)
            for i in range(width):
                set_move(rows, lane + i, move)
                if role == chooser:
                    facts[base + lane + i, MOVE] = move
                    move = next_bit(nodes.legal, parent, move + 1, last)
        chosen[lane : lane + width] = parent
        lane += width
        facts[parent, LAST] = base + lane
    load_states(rows, nodes.states, chosen)
    evaluate(rows, rows.view_code)
    evaluate(rows, rows.transition_code)
    advance(rows)
    evaluate(rows, rows.view_code)
    fluents = rows.first[MOVES] - rows.first[FLUENTS]
    read_rows(rows, rows.first[NEXT], fluents, nodes.states[base : base + total])
    _describe(search, base, total)
    search.control[NODE_COUNT] += total
