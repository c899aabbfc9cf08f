"""Kernels of the proof search: alpha-beta whose nodes are expanded a block of siblings at a time.

They take arrays only. The search keeps its stack in arrays, so that it can stop after any number
of nodes and go on later.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import allocating_kernel, inlined_kernel
from ggp_player.strategies.solver.proof_nodes import (
    ALPHA,
    BEST,
    BEST_MOVE,
    BETA,
    COUNT,
    DEPTH,
    FIRST,
    HIGH,
    HIGHEST,
    IMAGE,
    INDEX,
    KEY,
    LANES_FOR_FIRST,
    LAST,
    LEVEL,
    LOW,
    LOWEST,
    MINE,
    MOVE,
    NEUTRAL,
    NO_PROBLEM,
    NODE,
    NODE_COUNT,
    NOT_EXPANDED,
    PROBLEM,
    ROLE,
    SEVERAL,
    SIMULTANEOUS,
    TOO_WIDE,
    WIDTH,
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
"""What :func:`search_on` comes back with."""


@allocating_kernel
def begin(search: ProofSearch, depth: int) -> None:
    """Begin a search of the root to a depth, at least 1."""
    control, frames = search.control, search.stack.frames
    control[LEVEL] = 0
    _open(frames, 0, 0, depth)
    frames[0, ALPHA], frames[0, BETA] = LOWEST, HIGHEST
    search.stack.history[:] >>= 1


@allocating_kernel
def _open(frames: NDArray[np.int32], level: int, node: int, depth: int) -> None:
    frames[level, NODE], frames[level, DEPTH] = node, depth
    frames[level, BEST_MOVE] = frames[level, INDEX] = -1
    frames[level, COUNT] = 0


@allocating_kernel
def search_on(search: ProofSearch, budget: int) -> int:
    """Search until about ``budget`` more nodes were looked at, or the depth is finished.

    Returns ``PAUSED``, ``FINISHED`` or, where several roles have a choice at once, ``REFUSED``.
    """
    control, frames, facts = search.control, search.stack.frames, search.nodes.facts
    stop = control[NODE_COUNT] + budget
    while control[NODE_COUNT] < stop:
        level = control[LEVEL]
        frame = frames[level]
        if frame[INDEX] < 0:
            if facts[frame[NODE], FIRST] == NOT_EXPANDED:
                _expand_siblings(search, level)
            if control[PROBLEM] != NO_PROBLEM:
                return REFUSED
            _look(search, level)
            frame[INDEX] = 0
        elif frame[INDEX] < frame[COUNT] and frame[ALPHA] < frame[BETA]:
            _descend(search, level)
        else:
            value = _close(search, level)
            if level == 0:
                return FINISHED
            control[LEVEL] = level - 1
            parent = frames[level - 1]
            _improve(search, level - 1, frame[NODE], value)
            parent[INDEX] += 1
    return PAUSED


@inlined_kernel
def _expand_siblings(search: ProofSearch, level: int) -> None:
    """Expand a node, and with it the siblings that may follow it, as many as a block holds.

    Where the node is the first of them, the others may not be needed: they get few lanes.
    """
    frames, facts = search.stack.frames, search.nodes.facts
    lanes = search.stack.order.shape[1]
    node = frames[level, NODE]
    batch = np.empty(lanes, np.int32)
    batch[0], count, total = node, 1, facts[node, WIDTH]
    base = (level + 1) * lanes
    if facts[node, ROLE] == SEVERAL:
        search.control[PROBLEM] = SIMULTANEOUS
        return
    if total > lanes:
        facts[node, FIRST] = facts[node, LAST] = TOO_WIDE
        return
    if level > 0:
        order, above = search.stack.order[level - 1], frames[level - 1]
        _forget_children(facts, above[NODE])
        if above[INDEX] == 0:
            lanes = min(lanes, LANES_FOR_FIRST)
        for i in range(above[INDEX] + 1, above[COUNT]):
            sibling = order[i]
            width = facts[sibling, WIDTH]
            if facts[sibling, LOW] == facts[sibling, HIGH] or facts[sibling, ROLE] == SEVERAL:
                continue
            if total + width <= lanes:
                batch[count] = sibling
                count += 1
                total += width
    expand(search, batch[:count], base)


@allocating_kernel
def _forget_children(facts: NDArray[np.int32], node: int) -> None:
    """Note that the children of a node's children are no longer there."""
    for child in range(facts[node, FIRST], facts[node, LAST]):
        facts[child, FIRST] = NOT_EXPANDED


@inlined_kernel
def _look(search: ProofSearch, level: int) -> None:
    """Value the children that need no search, and put the others into order."""
    frame, facts = search.stack.frames[level], search.nodes.facts
    node, depth = frame[NODE], frame[DEPTH]
    mine = facts[node, ROLE] == search.control[MINE]
    frame[BEST] = LOWEST - 1 if mine else HIGHEST + 1
    if facts[node, FIRST] == TOO_WIDE:
        return
    _forget_children(facts, node)
    known, images = best_known_move(search, node), search.rows.images.moves[facts[node, IMAGE]]
    order, history = search.stack.order[level], search.stack.history
    count = 0
    for child in range(facts[node, FIRST], facts[node, LAST]):
        low, high, guess = facts[child, LOW], facts[child, HIGH], NEUTRAL
        if low < high and depth > 1:
            low, high, guess = recall(search, child, depth - 1)
        elif low < high:
            low = high = NEUTRAL
        if low == high:
            _improve(search, level, child, low)
            if frame[ALPHA] >= frame[BETA]:
                frame[COUNT] = 0
                return
            continue
        key = (guess if mine else HIGHEST - guess) << 20
        key += min(history[facts[child, MOVE]], (1 << 20) - 1)
        facts[child, KEY] = 1 << 30 if images[facts[child, MOVE]] == known else key
        place = count
        while place and facts[order[place - 1], KEY] < facts[child, KEY]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = child
        count += 1
    frame[COUNT] = count


@inlined_kernel
def _descend(search: ProofSearch, level: int) -> None:
    """Search the next child, or take its value from the table where that decides."""
    frames = search.stack.frames
    frame = frames[level]
    child = search.stack.order[level, frame[INDEX]]
    low, high, _ = recall(search, child, frame[DEPTH] - 1)
    if low == high or low >= frame[BETA] or high <= frame[ALPHA]:
        _improve(search, level, child, low if low >= frame[BETA] else high)
        frame[INDEX] += 1
        return
    _open(frames, level + 1, child, frame[DEPTH] - 1)
    frames[level + 1, ALPHA], frames[level + 1, BETA] = frame[ALPHA], frame[BETA]
    search.control[LEVEL] = level + 1


@inlined_kernel
def _improve(search: ProofSearch, level: int, child: int, value: int) -> None:
    """Let a child's value count for its parent, the node at a level."""
    frame, facts = search.stack.frames[level], search.nodes.facts
    mine = facts[frame[NODE], ROLE] == search.control[MINE]
    if (value > frame[BEST]) if mine else (value < frame[BEST]):
        frame[BEST], frame[BEST_MOVE] = value, facts[child, MOVE]
        if mine:
            frame[ALPHA] = max(frame[ALPHA], value)
        else:
            frame[BETA] = min(frame[BETA], value)
        if frame[ALPHA] >= frame[BETA]:
            history, move = search.stack.history, facts[child, MOVE]
            history[move] = min(1 << 24, history[move] + frame[DEPTH] * frame[DEPTH])


@inlined_kernel
def _close(search: ProofSearch, level: int) -> int:
    """Settle the node at a level: bounds from its children, into the table; return its value."""
    frame, facts = search.stack.frames[level], search.nodes.facts
    node = frame[NODE]
    if facts[node, FIRST] == TOO_WIDE:
        return NEUTRAL
    mine = facts[node, ROLE] == search.control[MINE]
    low = high = LOWEST if mine else HIGHEST
    for child in range(facts[node, FIRST], facts[node, LAST]):
        if mine:
            low, high = max(low, facts[child, LOW]), max(high, facts[child, HIGH])
        else:
            low, high = min(low, facts[child, LOW]), min(high, facts[child, HIGH])
    low, high = max(low, facts[node, LOW]), min(high, facts[node, HIGH])
    facts[node, LOW], facts[node, HIGH] = low, high
    value = max(low, min(high, frame[BEST]))
    alpha, beta = LOWEST, HIGHEST
    if level:
        alpha, beta = search.stack.frames[level - 1, ALPHA], search.stack.frames[level - 1, BETA]
    least = low if value <= alpha else value
    most = high if value >= beta else value
    remember(search, node, (least, most), frame[DEPTH], frame[BEST_MOVE])
    return int(value)


@allocating_kernel
def list_moves(search: ProofSearch, found: NDArray[np.int64]) -> int:
    """List the root's children: int64 (moves, 4) gets move, low, high, depth of the proof.

    Returns how many there are.
    """
    facts = search.nodes.facts
    count = 0
    if facts[0, FIRST] < 0:
        return 0
    for child in range(facts[0, FIRST], facts[0, LAST]):
        depth = 0
        recall(search, child, 0)
        place = find_entry(search.table, search.nodes.hashes, child)
        if place >= 0:
            depth = byte_of(search.table[place, 1], 4)
        found[count, 0], found[count, 1] = facts[child, MOVE], facts[child, LOW]
        found[count, 2], found[count, 3] = facts[child, HIGH], depth
        count += 1
    return count
