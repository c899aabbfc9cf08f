"""New leaves: idle lanes are given to the ends of descents from the root."""

from __future__ import annotations

import numpy as np

from gdl.engine.kernel_library import SCATTER, ZERO, call_scatter, inlined_kernel, lowest
from ggp_player.strategies.mcts.arrays import (
    FREE,
    FRESH,
    MARK,
    MAX_DEPTH,
    ROOT,
    STEP,
    GameArrays,
    Lanes,
    Memory,
    PendingLeaves,
    Settings,
    TreeArrays,
    Words,
)
from ggp_player.strategies.mcts.nodes import (
    NO_NODE,
    back_up,
    choose,
    find_child,
    is_proved,
    prove_path,
    take_off,
)

PROVED, LEAF, MISSING = range(3)
"""How a descent ends: at a node whose value is known, at one to play from, or before a child
that is yet to be made."""

PATIENCE = 64
"""Descents to proved nodes in a row before lanes are left idle for a step."""


@inlined_kernel
def refill(memory: Memory, settings: Settings, idle: int) -> None:
    """Give idle lanes to new leaves."""
    _, _, flights, _, counts, _ = memory
    vain = 0
    while idle >= settings.leaf_lanes and counts[FREE] > 0 and vain < PATIENCE:
        flight = flights.free[counts[FREE] - 1]
        end = _descend(memory, settings, flight)
        if end == PROVED:
            vain += 1
            _take_value(memory, flight, settings.leaf_lanes)
            continue
        vain = 0
        counts[FREE] -= 1
        idle -= _launch(memory, settings, flight, idle, end == MISSING)
        if end == MISSING:
            idle -= _launch_siblings(memory, settings, flight, idle)


@inlined_kernel
def _descend(memory: Memory, settings: Settings, flight: int) -> int:
    """Go down from the root, and write the path into a flight; tell how it ends."""
    game, _, flights, tree, counts, marks = memory
    counts[MARK] += 1
    node = counts[ROOT]
    depth = 0
    while True:
        flights.nodes[flight, depth] = node
        flights.length[flight] = depth
        if is_proved(tree, node):
            return PROVED
        if tree.choices[node, 0] == 0 or depth == MAX_DEPTH or marks[node] == counts[MARK]:
            return LEAF
        marks[node] = counts[MARK]
        edges = flights.edges[flight, depth]
        for role in range(edges.shape[0]):
            edges[role] = -1
            if tree.first[node, role] >= 0:
                edges[role] = choose(game, tree, settings, node, role)
        node = find_child(tree, node, edges)
        depth += 1
        if node < 0:
            flights.nodes[flight, depth] = NO_NODE
            flights.length[flight] = depth
            return MISSING


@inlined_kernel
def _take_value(memory: Memory, flight: int, playouts: int) -> None:
    """Back up the value of a path that ends at a proved node, as so many playouts' result.

    The node may have been proved on another path: those above it may not know yet.
    """
    game, _, flights, tree, _, _ = memory
    leaf = flights.nodes[flight, flights.length[flight]]
    prove_path(game, tree, flights, flight, flights.length[flight] - 1)
    flights.size[flight] = 0
    for role in range(flights.sums.shape[1]):
        flights.sums[flight, role] = 0.01 * tree.low[leaf, role] * playouts
    back_up(tree, flights, flight, playouts)


@inlined_kernel
def _launch(memory: Memory, settings: Settings, flight: int, idle: int, forced: bool) -> int:
    """Give idle lanes to a flight, at most ``idle``; return how many it has got."""
    game, lanes, flights, tree, counts, _ = memory
    size = min(settings.leaf_lanes, idle)
    step = flights.length[flight] - 1 if forced else flights.length[flight]
    mask = flights.masks[flight]
    found = 0
    for word in range(mask.shape[0]):
        mask[word] = ZERO
        open_lanes = ~lanes.alive[word]
        while open_lanes != ZERO and found < size:
            bit = open_lanes & (ZERO - open_lanes)
            open_lanes ^= bit
            mask[word] |= bit
            lane = word * 64 + lowest(bit)
            lanes.flight[lane] = flight
            lanes.begun[lane] = counts[STEP]
            found += 1
        lanes.alive[word] |= mask[word]
        lanes.new[word] |= mask[word]
    state = tree.state[flights.nodes[flight, step]]
    put_state(game, lanes, state, mask)
    flights.forced[flight] = forced
    if forced:
        _set_moves(flights, tree, flight)
    flights.size[flight] = found
    flights.pending[flight] = found
    for role in range(flights.sums.shape[1]):
        flights.sums[flight, role] = 0.0
    if settings.equivalence:
        for move in range(flights.made.shape[1]):
            flights.made[flight, move] = 0
            flights.gains[flight, move] = np.float32(0.0)
    flights.fresh[counts[FRESH]] = flight
    counts[FRESH] += 1
    take_off(tree, flights, flight)
    return found


@inlined_kernel
def put_state(game: GameArrays, lanes: Lanes, state: Words, mask: Words) -> None:
    """Write a packed state, uint64 (S,), into the lanes of a mask, uint64 (W,)."""
    fluents = lanes.rows.ctypes.data + 8 * mask.shape[0] * game.fluents
    put, count = game.code[SCATTER], game.fluent_count
    call_scatter(put, fluents, count, state.ctypes.data, mask.ctypes.data)


@inlined_kernel
def _set_moves(flights: PendingLeaves, tree: TreeArrays, flight: int) -> None:
    """Note the joint move of a path's last step."""
    step = flights.length[flight] - 1
    node = flights.nodes[flight, step]
    for role in range(flights.moves.shape[1]):
        edge = flights.edges[flight, step, role]
        move = tree.move[edge] if edge >= 0 else -1 - tree.first[node, role]
        flights.moves[flight, role] = move


@inlined_kernel
def _copy_path(flights: PendingLeaves, origin: int, flight: int) -> None:
    length = flights.length[origin]
    flights.length[flight] = length
    for step in range(length):
        flights.nodes[flight, step] = flights.nodes[origin, step]
        for role in range(flights.edges.shape[2]):
            flights.edges[flight, step, role] = flights.edges[origin, step, role]
    flights.nodes[flight, length] = NO_NODE


@inlined_kernel
def _launch_siblings(memory: Memory, settings: Settings, origin: int, idle: int) -> int:
    """Launch flights to other children of the same node that are yet to be made."""
    _, _, flights, tree, counts, _ = memory
    length = flights.length[origin]
    node = flights.nodes[origin, length - 1]
    mover = tree.mover[node]
    if mover < 0 or settings.fan < 2:
        return 0
    used, children = 0, 1
    first = tree.first[node, mover]
    for edge in range(first, first + tree.choices[node, mover]):
        if used >= idle or children >= settings.fan or counts[FREE] == 0:
            break
        if tree.child[edge] >= 0 or tree.airborne[edge] > 0:
            continue
        counts[FREE] -= 1
        flight = flights.free[counts[FREE]]
        _copy_path(flights, origin, flight)
        flights.edges[flight, length - 1, mover] = edge
        used += _launch(memory, settings, flight, idle - used, True)
        children += 1
    return used
