"""Kernels of the proof search: alpha-beta whose nodes are expanded a block of siblings at a time.

They take arrays only. The stack of the search is an array too, so that the search can pause after
any number of nodes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import inlined_kernel, kernel
from ggp_player.strategies.solver.proof_nodes import (
    HIGHEST,
    LANES_FOR_FIRST,
    LOWEST,
    NEUTRAL,
    NO_PROBLEM,
    NOT_EXPANDED,
    SEVERAL,
    SIMULTANEOUS,
    TOO_WIDE,
    ProofSearch,
    expand,
)
from ggp_player.strategies.solver.proof_table import (
    best_known_move,
    byte_of,
    find_entry,
    recall,
    remember,
)

PAUSED, FINISHED, REFUSED = range(3)
"""The results of :func:`search_on`."""


@kernel
def begin(search: ProofSearch, depth: int) -> None:
    """Begin to search the root to a depth of at least 1."""
    control, frames = search.control[0], search.stack.frames
    control.level = 0
    _push(frames, 0, 0, depth)
    frames[0].alpha, frames[0].beta = LOWEST, HIGHEST
    history = search.stack.history
    for move in range(len(history)):
        history[move] >>= 1


@kernel
def _push(frames: NDArray[np.void], level: int, node: int, depth: int) -> None:
    """Put a node on the stack, to be searched to a depth; the window is left to the caller."""
    frames[level].node, frames[level].depth = node, depth
    frames[level].best_move = frames[level].index = -1
    frames[level].count = 0


@kernel
def search_on(search: ProofSearch, budget: int) -> int:
    """Search until about ``budget`` more nodes are visited, or the depth is finished.

    Returns ``PAUSED``, ``FINISHED`` or, where several roles have a choice at once, ``REFUSED``.
    """
    control, frames, facts = search.control[0], search.stack.frames, search.nodes.facts
    stop = control.node_count + budget
    while control.node_count < stop:
        level = control.level
        frame = frames[level]
        if frame.index < 0:
            if facts[frame.node].first_child == NOT_EXPANDED:
                _expand_siblings(search, level)
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
            parent = frames[level - 1]
            _improve(search, level - 1, frame.node, value)
            parent.index += 1
    return PAUSED


@inlined_kernel
def _expand_siblings(search: ProofSearch, level: int) -> None:
    """Expand a node, and with it as many of the siblings after it as fit into a block.

    If the node is the first of them, a cutoff may make the others needless: they get few lanes.
    """
    frames, facts = search.stack.frames, search.nodes.facts
    lanes = search.stack.order.shape[1]
    node = frames[level].node
    batch = np.empty(lanes, np.int32)
    batch[0], count, total = node, 1, facts[node].width
    base = (level + 1) * lanes
    if facts[node].role == SEVERAL:
        search.control[0].problem = SIMULTANEOUS
        return
    if total > lanes:
        facts[node].first_child = facts[node].end_child = TOO_WIDE
        return
    if level > 0:
        order, above = search.stack.order[level - 1], frames[level - 1]
        _forget_children(facts, above.node)
        if above.index == 0:
            lanes = min(lanes, LANES_FOR_FIRST)
        for i in range(above.index + 1, above.count):
            sibling = order[i]
            width = facts[sibling].width
            if facts[sibling].low == facts[sibling].high or facts[sibling].role == SEVERAL:
                continue
            if total + width <= lanes:
                batch[count] = sibling
                count += 1
                total += width
    expand(search, batch[:count], base)


@kernel
def _forget_children(facts: NDArray[np.void], node: int) -> None:
    """Mark the children of a node as not expanded: their children are overwritten."""
    for child in range(facts[node].first_child, facts[node].end_child):
        facts[child].first_child = NOT_EXPANDED


@inlined_kernel
def _order_children(search: ProofSearch, level: int) -> None:
    """Use the values of the children that need no search, and order the others."""
    frame, facts = search.stack.frames[level], search.nodes.facts
    node, depth = frame.node, frame.depth
    mine = facts[node].role == search.control[0].mine
    frame.best = LOWEST - 1 if mine else HIGHEST + 1
    if facts[node].first_child == TOO_WIDE:
        return
    _forget_children(facts, node)
    known = best_known_move(search, node)
    becomes = search.block.symmetries.moves[facts[node].symmetry]
    order, history = search.stack.order[level], search.stack.history
    count = 0
    for child in range(facts[node].first_child, facts[node].end_child):
        low, high, guess = facts[child].low, facts[child].high, NEUTRAL
        if low < high and depth > 1:
            low, high, guess = recall(search, child, depth - 1)
        elif low < high:
            low = high = NEUTRAL
        if low == high:
            _improve(search, level, child, low)
            if frame.alpha >= frame.beta:
                frame.count = 0
                return
            continue
        key = (guess if mine else HIGHEST - guess) << 20
        key += min(history[facts[child].move], (1 << 20) - 1)
        facts[child].key = 1 << 30 if becomes[facts[child].move] == known else key
        index = count
        while index and facts[order[index - 1]].key < facts[child].key:
            order[index] = order[index - 1]
            index -= 1
        order[index] = child
        count += 1
    frame.count = count


@inlined_kernel
def _descend(search: ProofSearch, level: int) -> None:
    """Push the next child, or use the bounds in the table if they decide."""
    frames = search.stack.frames
    frame = frames[level]
    child = search.stack.order[level, frame.index]
    low, high, _ = recall(search, child, frame.depth - 1)
    if low == high or low >= frame.beta or high <= frame.alpha:
        _improve(search, level, child, low if low >= frame.beta else high)
        frame.index += 1
        return
    _push(frames, level + 1, child, frame.depth - 1)
    frames[level + 1].alpha, frames[level + 1].beta = frame.alpha, frame.beta
    search.control[0].level = level + 1


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
        return NEUTRAL
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
    alpha, beta = LOWEST, HIGHEST
    if level:
        alpha, beta = search.stack.frames[level - 1].alpha, search.stack.frames[level - 1].beta
    least = low if value <= alpha else value
    most = high if value >= beta else value
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
        depth = 0
        recall(search, child, 0)
        entry = find_entry(search.table, search.nodes.hashes, child)
        if entry >= 0:
            depth = byte_of(search.table[entry, 1], 4)
        found[count, 0], found[count, 1] = facts[child].move, facts[child].low
        found[count, 2], found[count, 3] = facts[child].high, depth
        count += 1
    return count
