"""Kernels of the proof search: alpha-beta whose nodes are expanded a block at a time.

They take arrays only. The stack of the search is an array too, so that the search can pause after
any number of nodes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import inlined_kernel, kernel
from ggp_player.strategies.solver.proof_nodes import (
    HIGHEST,
    LOWEST,
    NO_PROBLEM,
    SEVERAL,
    SIMULTANEOUS,
    TOO_WIDE,
    ProofSearch,
    estimate_of,
    expand,
)
from ggp_player.strategies.solver.proof_table import (
    NO_ENTRY,
    best_known_move,
    depth_of,
    find_entry,
    recall,
    remember,
)

REDUCTION = 0.6
"""By so many steps, times the logarithms of the depth and of one more than the children before
them, moves after the first are searched less deep."""

FUTILE_DEPTH = 4
"""Nodes of this depth at most, in steps, can be left at their estimates."""

FUTILE_MARGIN = 0.8
"""An estimate that is to cut there has to do so with a logit that is worse by so much a step."""

MAX_CAPTURES = 12
"""Moves that are followed beyond the horizon, one after another."""

PAUSED, FINISHED, REFUSED = range(3)
"""The results of :func:`search_on`."""


@kernel
def begin(search: ProofSearch, depth: int) -> None:
    """Begin to search the root to a depth of at least 1."""
    control, frames = search.control[0], search.stack.frames
    control.level = 0
    control.last_level = min(depth + MAX_CAPTURES, len(frames) - 2)
    _push(frames, 0, 0, depth, (LOWEST, HIGHEST))
    history = search.stack.history
    for move in range(len(history)):
        history[move] >>= 1


@kernel
def _push(
    frames: NDArray[np.void], level: int, node: int, depth: int, window: tuple[int, int]
) -> None:
    """Put a node on the stack, to be searched to a depth with a window."""
    frame = frames[level]
    frame.node, frame.depth = node, depth
    frame.alpha, frame.beta = window
    frame.first_alpha, frame.first_beta = window
    frame.best_move = frame.index = -1
    frame.count = frame.scouts = 0


@kernel
def search_on(search: ProofSearch, budget: int) -> int:
    """Search until about ``budget`` more nodes are visited, or the depth is finished.

    Returns ``PAUSED``, ``FINISHED`` or, where several roles have a choice at once, ``REFUSED``.
    """
    control, frames = search.control[0], search.stack.frames
    stop = control.node_count + budget
    while control.node_count < stop:
        level = control.level
        frame = frames[level]
        if frame.index < 0:
            if not _is_expanded(search, level, frame.node):
                _expand_block(search, level)
            if control.problem != NO_PROBLEM:
                return REFUSED
            _order_children(search, level)
            frame.index = 0
        elif frame.index < frame.count and frame.alpha < frame.beta:
            _descend(search, level)
        else:
            value = _pop(search, level)
            if level == 0:
                return FINISHED
            control.level = level - 1
            _settle(search, level - 1, frame.node, value)
    return PAUSED


@inlined_kernel
def _is_expanded(search: ProofSearch, level: int, node: int) -> bool:
    """Whether the children of a node at a level are there, or it has too many."""
    known, batches = search.nodes.facts[node], search.stack.batches[level]
    if known.first_child < 0:
        return bool(known.first_child == TOO_WIDE)
    return bool(known.batch == batches[0] or known.batch == batches[1])


@inlined_kernel
def _expand_block(search: ProofSearch, level: int) -> None:
    """Expand a node, and with it as many of those that may come next as fit into a block.

    They are the siblings after it. If it is the first of them, but the node above is not, then a
    cutoff will probably make its siblings needless and its cousins come next: they are the likely
    first children of the nodes after the one above.
    """
    frames, facts, control = search.stack.frames, search.nodes.facts, search.control[0]
    lanes = search.stack.order.shape[1]
    node = frames[level].node
    if facts[node].role == SEVERAL:
        control.problem = SIMULTANEOUS
        return
    if facts[node].width > lanes:
        facts[node].first_child = facts[node].end_child = TOO_WIDE
        return
    has_cousins = level > 1 and frames[level - 1].index == 0 and frames[level - 2].index > 0
    part = 1 if has_cousins else 0
    base = (2 * level + 2 + part) * lanes
    batch = np.empty(lanes, np.int32)
    batch[0], count, total = node, 1, facts[node].width
    if level > 0:
        above = level - 1 - part
        order, index = search.stack.order[above], frames[above].index
        lanes = min(lanes, control.lanes * (1 + index))
        for i in range(index + 1, frames[above].count):
            other = _likely_child(search, level - 1, order[i]) if has_cousins else order[i]
            if other < 0 or total + facts[other].width > lanes:
                continue
            if not _is_decided(search, level, other):
                batch[count] = other
                count += 1
                total += facts[other].width
    search.stack.batches[level, part] = control.block_count
    expand(search, batch[:count], base)


@inlined_kernel
def _is_decided(search: ProofSearch, level: int, node: int) -> bool:
    """Whether a node beside the one at a level, above 0, will be settled without its children."""
    known = search.nodes.facts[node]
    if known.low == known.high or known.role == SEVERAL:
        return True
    return _can_be_left(search, level - 1, node, search.stack.frames[level].depth)


@inlined_kernel
def _likely_child(search: ProofSearch, level: int, node: int) -> int:
    """The child that would be searched first at a node beside the one at a level, above 0.

    -1 if it would be settled without, or is not expanded.
    """
    facts, is_horizon = search.nodes.facts, search.stack.frames[level].depth == 0
    if facts[node].first_child < 0 or not _is_expanded(search, level, node):
        return -1
    if _is_decided(search, level, node):
        return -1
    known = best_known_move(search, node)
    found, greatest = -1, -1
    for child in range(facts[node].first_child, facts[node].end_child):
        low, high, guess = _known_value(search, level, child)
        if low == high or (is_horizon and not _is_capture(search, node, child)):
            continue
        key = _key_of(search, node, child, guess, known)
        if key > greatest:
            found, greatest = child, key
    return found


@inlined_kernel
def _order_children(search: ProofSearch, level: int) -> None:
    """Use the values of the children that need no search, and order the others."""
    frame, facts = search.stack.frames[level], search.nodes.facts
    node, depth = frame.node, frame.depth
    mine = facts[node].role == search.control[0].mine
    frame.best = LOWEST - 1 if mine else HIGHEST + 1
    if facts[node].first_child == TOO_WIDE:
        return
    if depth == 0:
        _stand_pat(search, level)
        if frame.alpha >= frame.beta:
            frame.count = 0
            return
    known = best_known_move(search, node)
    order, count = search.stack.order[level], 0
    for child in range(facts[node].first_child, facts[node].end_child):
        low, high, guess = _known_value(search, level, child)
        if low == high:
            _improve(search, level, child, low)
            if frame.alpha >= frame.beta:
                frame.count = 0
                return
        elif depth > 0 or _is_capture(search, node, child):
            facts[child].key = _key_of(search, node, child, guess, known)
            _insert(order, count, facts, child)
            count += 1
    frame.count = count


@inlined_kernel
def _known_value(search: ProofSearch, level: int, child: int) -> tuple[int, int, int]:
    """Return the bounds of a child that hold at the depth of its search, and an estimate."""
    depth, known = search.stack.frames[level].depth, search.nodes.facts[child]
    if known.low == known.high:
        return int(known.low), int(known.high), int(known.low)
    if depth > 1 or (
        search.evaluation.weights.shape[1] > 0 and level < search.control[0].last_level
    ):
        return recall(search, child, max(0, depth - 1))
    return int(known.estimate), int(known.estimate), int(known.estimate)


@inlined_kernel
def _key_of(search: ProofSearch, node: int, child: int, guess: int, known: int) -> int:
    """What a child is ordered by, the greatest first.

    ``guess`` is an estimate of its value, ``known`` the node's best move in the table.
    """
    facts = search.nodes.facts
    move = facts[child].move
    if search.block.symmetries.moves[facts[node].symmetry, move] == known:
        return 1 << 30
    if facts[node].role != search.control[0].mine:
        guess = HIGHEST - guess
    return int((guess << 20) + min(search.stack.history[move], (1 << 20) - 1))


@inlined_kernel
def _insert(order: NDArray[np.int32], count: int, facts: NDArray[np.void], child: int) -> None:
    """Insert a node into an order of ``count`` nodes, the highest key first."""
    index = count
    while index and facts[order[index - 1]].key < facts[child].key:
        order[index] = order[index - 1]
        index -= 1
    order[index] = child


@inlined_kernel
def _descend(search: ProofSearch, level: int) -> None:
    """Push the next child, or use the bounds in the table if they decide."""
    frame = search.stack.frames[level]
    child = search.stack.order[level, frame.index]
    depth = max(0, frame.depth - 1 - _reduction(search, level, child))
    low, high, _ = recall(search, child, depth)
    if low < high and _can_be_left(search, level, child, depth):
        _settle(search, level, child, search.nodes.facts[child].estimate)
    elif low == high or low >= frame.beta or high <= frame.alpha:
        _settle(search, level, child, low if low >= frame.beta else high)
    else:
        alpha, beta = frame.alpha, frame.beta
        if frame.scouts and search.nodes.facts[frame.node].role == search.control[0].mine:
            beta = alpha + 1
        elif frame.scouts:
            alpha = beta - 1
        _push(search.stack.frames, level + 1, child, depth, (alpha, beta))
        search.control[0].level = level + 1


@inlined_kernel
def _reduction(search: ProofSearch, level: int, child: int) -> int:
    """By how much less deep a late move is searched at first (late-move reductions)."""
    frame = search.stack.frames[level]
    if not frame.scouts or search.evaluation.weights.shape[1] == 0:
        return 0
    if frame.depth < 3 or _is_capture(search, frame.node, child):
        return 0
    return int(REDUCTION * math.log(frame.depth) * math.log(1 + frame.index))


@inlined_kernel
def _settle(search: ProofSearch, level: int, child: int, value: int) -> None:
    """Take the value of the child that was searched, or search it again as the best move so far."""
    frame = search.stack.frames[level]
    mine = search.nodes.facts[frame.node].role == search.control[0].mine
    improves = value > frame.alpha if mine else value < frame.beta
    if frame.scouts and improves:
        cuts = value >= frame.beta if mine else value <= frame.alpha
        if not cuts or _reduction(search, level, child) > 0:
            frame.scouts = 0
            return
    _improve(search, level, child, value)
    frame.index += 1
    frame.scouts = 1


@inlined_kernel
def _can_be_left(search: ProofSearch, level: int, child: int, depth: int) -> bool:
    """Whether a child can be left at its estimate, which cuts.

    It can at the horizon; near it, if it cuts by a margin (reverse futility pruning).
    """
    stands = _stands_pat(search, level, child)
    if depth == 0 or not stands:
        return stands
    frame, known = search.stack.frames[level], search.nodes.facts[child]
    if depth > FUTILE_DEPTH or not frame.scouts or search.evaluation.weights.shape[1] == 0:
        return False
    if known.role == search.control[0].mine:
        return bool(estimate_of(known.logit - FUTILE_MARGIN * depth) >= frame.beta)
    return bool(estimate_of(known.logit + FUTILE_MARGIN * depth) <= frame.alpha)


@inlined_kernel
def _stands_pat(search: ProofSearch, level: int, child: int) -> bool:
    """Whether the role that moves at a child can leave it at the estimate, and so cut."""
    frame, known = search.stack.frames[level], search.nodes.facts[child]
    if known.role == search.control[0].mine:
        return bool(known.estimate >= frame.beta)
    return bool(known.estimate <= frame.alpha)


@inlined_kernel
def _stand_pat(search: ProofSearch, level: int) -> None:
    """Let the role that moves at the horizon leave it at the estimate."""
    frame = search.stack.frames[level]
    known = search.nodes.facts[frame.node]
    frame.best = known.estimate
    if known.role == search.control[0].mine:
        frame.alpha = max(frame.alpha, frame.best)
    else:
        frame.beta = min(frame.beta, frame.best)


@inlined_kernel
def _is_capture(search: ProofSearch, node: int, child: int) -> bool:
    """Whether the move to a child changes the estimate much, in favour of the role that moves."""
    facts = search.nodes.facts
    gain = facts[child].estimate - facts[node].estimate
    if facts[node].role != search.control[0].mine:
        gain = -gain
    return bool(gain >= search.evaluation.swing)


@inlined_kernel
def _improve(search: ProofSearch, level: int, child: int, value: int) -> None:
    """Update the best value and the window of the node at a level by a child's value."""
    frame, facts = search.stack.frames[level], search.nodes.facts
    mine = facts[frame.node].role == search.control[0].mine
    if (value > frame.best) if mine else (value < frame.best):
        frame.best, frame.best_move = value, facts[child].move
        if mine:
            frame.alpha = max(frame.alpha, value)
        else:
            frame.beta = min(frame.beta, value)
        if frame.alpha >= frame.beta:
            history, move = search.stack.history, facts[child].move
            history[move] = min(1 << 24, history[move] + frame.depth * frame.depth)


@inlined_kernel
def _pop(search: ProofSearch, level: int) -> int:
    """Finish the node at a level: put bounds from its children into the table, return its value."""
    frame, facts = search.stack.frames[level], search.nodes.facts
    node = frame.node
    if facts[node].first_child == TOO_WIDE:
        return int(facts[node].estimate)
    mine = facts[node].role == search.control[0].mine
    low = high = LOWEST if mine else HIGHEST
    for child in range(facts[node].first_child, facts[node].end_child):
        if mine:
            low, high = max(low, facts[child].low), max(high, facts[child].high)
        else:
            low, high = min(low, facts[child].low), min(high, facts[child].high)
    low, high = max(low, facts[node].low), min(high, facts[node].high)
    facts[node].low, facts[node].high = low, high
    value = max(low, min(high, frame.best))
    least = low if value <= frame.first_alpha else value
    most = high if value >= frame.first_beta else value
    remember(search, node, (least, most), frame.depth, frame.best_move)
    return int(value)


@kernel
def list_moves(search: ProofSearch, found: NDArray[np.int64]) -> int:
    """List the root's children in ``found``, int64 (moves, 4): move, low, high, depth of the proof.

    Returns their number.
    """
    facts = search.nodes.facts
    count = 0
    if facts[0].first_child < 0:
        return 0
    for child in range(facts[0].first_child, facts[0].end_child):
        recall(search, child, 0)
        entry = find_entry(search.table, search.nodes.hashes, child)
        depth = depth_of(entry) if entry != NO_ENTRY else 0
        found[count, 0], found[count, 1] = facts[child].move, facts[child].low
        found[count, 2], found[count, 3] = facts[child].high, depth
        count += 1
    return count
