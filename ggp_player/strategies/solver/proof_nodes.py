"""The records of the proof search, and the expansion of nodes. These kernels take arrays only.

All values are integers from 0 to 100, seen from one role, "mine".
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import (
    GOALS_VIEW,
    GOALS_VIEW_PROGRAM,
    MOVES_VIEW,
    MOVES_VIEW_PROGRAM,
    ONE,
    ZERO,
    BlockView,
    advance,
    call_evaluator,
    count_bits,
    evaluate_transition,
    evaluate_view,
    inlined_kernel,
    is_set,
    kernel,
    load_states,
    make_all_canonical,
    next_bit,
    prefetch,
    read_lanes,
)
from ggp_player.strategies.patterns import (
    Indices,
    PatternTables,
    Scratch,
    Weights,
    add_up,
    find_entries,
    find_indices,
    find_phases,
    follow_moves,
)
from ggp_player.strategies.solver.block_kernels import (
    Words,
    clear_moves,
    goal_of,
    hash_of,
    set_move,
)

LOWEST, HIGHEST, NEUTRAL = 0, 100, 50
"""The range of values, and the value of a state at the horizon."""


FACTS = np.dtype(
    [
        ("move", np.int32),  # that led here, by its index among the moves of all roles
        ("role", np.int32),  # that has a choice, or SEVERAL
        ("width", np.int32),  # how many moves that role has
        ("low", np.int32),  # bounds of the value
        ("high", np.int32),
        ("first_child", np.int32),  # or NOT_EXPANDED, or TOO_WIDE
        ("end_child", np.int32),  # the node after the last child
        ("batch", np.int32),  # the number of the block in which it was expanded
        ("key", np.int32),  # that siblings are ordered by
        ("symmetry", np.int32),  # that makes the state canonical
        ("estimate", np.int32),  # the value by the evaluation
        ("logit", np.float32),  # that the estimate is of
    ]
)
"""What is known of a node."""

NOT_EXPANDED, TOO_WIDE = -1, -2
SEVERAL = -1


class Nodes(NamedTuple):
    """The nodes on the path and those beside them: for each level twice the lanes of a block.

    The first half is for children of siblings, the second for children of cousins.
    ``states`` uint64 (n, words), ``legal`` uint64 (n, words): packed. ``hashes`` uint64 (n, 2): of
    the canonical state. ``facts`` ``FACTS`` (n,). ``sums`` float32 (n, phases): what the evaluation
    adds up to.
    """

    states: Words
    legal: Words
    hashes: NDArray[np.uint64]
    facts: NDArray[np.void]


FRAME = np.dtype(
    [
        ("node", np.int32),
        ("depth", np.int32),  # that is left, in steps
        ("alpha", np.int32),
        ("beta", np.int32),
        ("first_alpha", np.int32),  # with which the search began
        ("first_beta", np.int32),
        ("best", np.int32),  # value so far
        ("best_move", np.int32),
        ("index", np.int32),  # of the child that is searched, in order; -1 before they are ordered
        ("count", np.int32),  # of the children to search
        ("scouts", np.int32),  # whether the child is searched with a null window first
    ]
)
"""A node on the path from the root, while it is searched."""


class Stack(NamedTuple):
    """The stack of the search.

    ``frames`` ``FRAME`` (levels,). ``order`` int32 (levels, lanes): the children to search, best
    first. ``history`` int32 (moves,): a history heuristic, which counts how often and how deep a
    move has cut. ``batches`` int32 (levels, 2): the numbers of the blocks in which those nodes of a
    level were expanded whose children are still there.
    """

    frames: NDArray[np.void]
    order: NDArray[np.int32]
    history: NDArray[np.int32]
    batches: NDArray[np.int32]


CONTROL = np.dtype(
    [
        ("level", np.int64),  # the top of the stack
        ("node_count", np.int64),
        ("block_count", np.int64),  # of the blocks that were evaluated for them
        ("lanes", np.int64),  # to fill while the first of some nodes may be the only one needed
        ("mine", np.int64),  # the role whose value is searched
        ("age", np.int64),  # of the table, 0 to 255
        ("problem", np.int64),  # NO_PROBLEM or SIMULTANEOUS
        ("last_level", np.int64),  # the deepest that captures are followed to
    ]
)
"""The state of the search between two slices."""

NO_PROBLEM, SIMULTANEOUS = 0, 1


class StateEvaluation(NamedTuple):
    """What states are worth that no search has decided: a logistic function of a logit.

    ``weights`` float32 (entries + 1, phases): what each entry of the ``tables`` adds to the logit
    that "mine" wins, in each phase; the last row is always added. Without columns there is no
    evaluation: all states are worth ``NEUTRAL``. A move that changes the value by at least
    ``swing`` in favour of its role is followed beyond the horizon.
    """

    tables: PatternTables
    weights: Weights
    swing: int


class ParentPatterns(NamedTuple):
    """What is known of the nodes that are expanded in a block, and of their children.

    ``indices`` uint16 (lanes, tables): those of the parents. ``places`` int64 (lanes,): the row of
    each child's parent. ``phases`` int32 (lanes,) and ``logits`` float32 (lanes, 1): those of the
    children.
    """

    indices: Indices
    places: NDArray[np.int64]
    phases: NDArray[np.int32]
    logits: Weights
    scratch: Scratch


class ProofSearch(NamedTuple):
    """Everything that a search works with. ``control`` ``CONTROL`` (1,).

    ``table`` uint64 (n, 2) is a transposition table in buckets of four: hashes, combined with the
    entries by exclusive or, and entries. An entry holds, from the lowest byte on: low, high, low
    and high at the depth, depth plus 1, age, and in two bytes the best move in the canonical state
    plus 1.
    """

    block: BlockView
    nodes: Nodes
    stack: Stack
    table: Words
    control: NDArray[np.void]
    evaluation: StateEvaluation
    patterns: ParentPatterns


@kernel
def place_root(search: ProofSearch, state: Words) -> None:
    """Make a state, uint64 (1, words), the root of the tree."""
    block, nodes = search.block, search.nodes
    load_states(block, state, np.zeros(1, np.int64))
    evaluate_view(block)
    for word in range(state.shape[1]):
        nodes.states[0, word] = state[0, word]
    _describe(search, 0, np.full(1, -1))


@kernel
def _describe(search: ProofSearch, base: int, parents: NDArray[np.int64]) -> None:
    """Fill in the facts of the nodes from ``base`` on, whose states are in the block.

    ``parents`` int64 (nodes,): the parent of each, -1 for the root.
    """
    count = len(parents)
    block, nodes, facts = search.block, search.nodes, search.nodes.facts
    mine = search.control[0].mine
    read_lanes(block.rows, block.legal, block.move_offsets[-1], nodes.legal[base : base + count])
    size = np.uint64(len(search.table) - 4)
    canonical = nodes.states[base : base + count]
    spare = np.empty(canonical.shape[1], np.uint64)
    if len(block.symmetries.facts) > 1:
        canonical = canonical.copy()
        elements = facts["symmetry"][base : base + count]
        make_all_canonical(block.symmetries, canonical, spare, elements)
    _add_up_patterns(search, base, parents)
    logits = search.patterns.logits
    is_evaluated = search.evaluation.weights.shape[1] > 0
    for lane in range(count):
        node = base + lane
        nodes.hashes[node, 0] = hash_of(canonical, lane, 0)
        nodes.hashes[node, 1] = hash_of(canonical, lane, 1)
        bucket = np.int64(nodes.hashes[node, 1] & size)
        prefetch(search.table.ctypes.data + 16 * int(bucket))
        facts[node].low, facts[node].high = LOWEST, HIGHEST
        facts[node].first_child = NOT_EXPANDED
        if is_set(block.rows, block.terminal, lane):
            facts[node].low = facts[node].high = goal_of(block, mine, lane)
        else:
            _find_chooser(facts, nodes.legal, block.move_offsets, node, mine)
        facts[node].estimate = NEUTRAL
        if is_evaluated:
            facts[node].logit = logits[lane, 0]
            facts[node].estimate = estimate_of(logits[lane, 0])


@inlined_kernel
def estimate_of(logit: float) -> int:
    """The value that a logit stands for; it is between what wins and what loses."""
    return int(LOWEST + 1.5 + (HIGHEST - LOWEST - 2) / (1.0 + math.exp(-logit)))


@kernel
def _add_up_patterns(search: ProofSearch, base: int, parents: NDArray[np.int64]) -> None:
    """Evaluate the nodes from ``base`` on by those of their parents; -1 for the root."""
    evaluation, nodes, patterns = search.evaluation, search.nodes, search.patterns
    tables, weights, logits = evaluation.tables, evaluation.weights, patterns.logits
    count = len(parents)
    if weights.shape[1] == 0:
        return
    find_phases(tables, nodes.states, base, patterns.phases[:count])
    if parents[0] < 0:
        entries = patterns.scratch.entries
        find_indices(tables, nodes.states, base, patterns.indices, 0)
        find_entries(tables, patterns.indices, 0, entries)
        logits[0, 0] = add_up(weights, entries, np.uint32(patterns.phases[0]))
        return
    before = (nodes.states, patterns.indices)
    after = (nodes.states, patterns.phases)
    follow_moves(
        tables, weights, before, parents, patterns.places, after, base, logits, patterns.scratch
    )


@kernel
def _find_chooser(
    facts: NDArray[np.void], legal: Words, move_offsets: NDArray[np.int64], node: int, mine: int
) -> None:
    """Find the role that has a choice in a node, and how many moves it has."""
    facts[node].role, facts[node].width = mine, 1
    stuck, choosing = False, 0
    for role in range(len(move_offsets) - 1):
        width = count_bits(legal, node, move_offsets[role], move_offsets[role + 1])
        if width > 1:
            choosing += 1
            facts[node].role, facts[node].width = role, width
        elif width == 0:
            stuck = True
            if role == mine:
                # A role without a move is worth 0, as in minimax.
                facts[node].high = LOWEST
    if choosing > 1:
        facts[node].role = SEVERAL
    if stuck and facts[node].high == HIGHEST:
        facts[node].low = HIGHEST


@inlined_kernel
def expand(search: ProofSearch, parents: NDArray[np.int32], base: int) -> None:
    """Expand nodes in one block; their children become the nodes from ``base`` on."""
    block, nodes, facts = search.block, search.nodes, search.nodes.facts
    total = 0
    for parent in parents:
        total += facts[parent].width
    chosen = np.empty(total, np.int64)
    clear_moves(block)
    lane, batch = 0, search.control[0].block_count
    patterns = search.patterns
    for place in range(len(parents)):
        parent = parents[place]
        find_indices(search.evaluation.tables, nodes.states, parent, patterns.indices, place)
        facts[parent].first_child, facts[parent].batch = base + lane, batch
        chooser, width = facts[parent].role, facts[parent].width
        for role in range(len(block.move_offsets) - 1):
            last = block.move_offsets[role + 1]
            move = next_bit(nodes.legal, parent, block.move_offsets[role], last)
            for i in range(width):
                set_move(block, lane + i, move)
                if role == chooser:
                    facts[base + lane + i].move = move
                    move = next_bit(nodes.legal, parent, move + 1, last)
        chosen[lane : lane + width] = parent
        patterns.places[lane : lane + width] = place
        lane += width
        facts[parent].end_child = base + lane
    load_states(block, nodes.states, chosen)
    _evaluate_moves(block)
    evaluate_transition(block)
    advance(block)
    _evaluate_children(block, total)
    read_lanes(block.rows, block.next, block.fluent_count, nodes.states[base : base + total])
    _describe(search, base, chosen)
    search.control[0].node_count += total
    search.control[0].block_count += 1


@kernel
def _evaluate_moves(block: BlockView) -> None:
    """Evaluate the view without goals: what a transition needs, and whether states are terminal."""
    code = block.addresses
    call_evaluator(code[MOVES_VIEW], block.rows.ctypes.data, code[MOVES_VIEW_PROGRAM])


@kernel
def _evaluate_children(block: BlockView, count: int) -> None:
    """Evaluate the view, with goals that are expensive only if one of the states is terminal."""
    if not block.deferred_goals:
        evaluate_view(block)
        return
    _evaluate_moves(block)
    terminal = ZERO
    for word in range(count >> 6):
        terminal |= block.rows[block.terminal, word]
    if count & 63:
        used = (ONE << np.uint64(count & 63)) - ONE
        terminal |= block.rows[block.terminal, count >> 6] & used
    if terminal != ZERO:
        code = block.addresses
        call_evaluator(code[GOALS_VIEW], block.rows.ctypes.data, code[GOALS_VIEW_PROGRAM])
