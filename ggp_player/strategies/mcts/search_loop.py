"""The hot loop: lanes play, and when they end their results go up and new leaves come down.

Each step evaluates the view of all lanes, takes in the playouts that have ended, chooses moves,
and evaluates the transition. Idle lanes are given to new leaves: a leaf's lanes hold the state of
a node, and, where its child is not known yet, make one move that is forced before they play at
random. That a child is made thus costs no evaluation of its own. How leaves are found is in
:mod:`.launching`, what becomes of playouts that end in :mod:`.landing`.

All of it is compiled as one function: to pass the arrays on would take longer than the work.
"""

from __future__ import annotations

import numpy as np

from gdl.engine.kernel_library import (
    MASKED_COPY,
    MOVES_VIEW,
    SELECT,
    TRANSITION,
    TRANSITION_PROGRAM,
    VIEW,
    ZERO,
    call_evaluator,
    call_masked_copy,
    call_select,
    first_lane,
    get_state,
    goal_values,
    inlined_kernel,
    is_set,
    kernel,
    make_canonical,
)
from ggp_player.strategies.mcts.arrays import (
    FREE,
    FRESH,
    FULL,
    REFUTED,
    ROOT,
    STEP,
    GameArrays,
    Lanes,
    Memory,
    PendingLeaves,
    Settings,
)
from ggp_player.strategies.mcts.backpropagation import REFILL, idle_lanes, land, view_goals
from ggp_player.strategies.mcts.nodes import (
    back_up,
    expand,
    find_node,
    has_bounds,
    is_proved,
    prove_path,
    set_child,
)
from ggp_player.strategies.mcts.selection import put_state, refill


@kernel
def fly(memory: Memory, settings: Settings, steps: int) -> None:
    """Search for so many steps, or until the root is proved or a pool is full."""
    game, lanes, flights, tree, counts, _ = memory
    view = MOVES_VIEW if game.late_goals else VIEW
    for _ in range(steps):
        idle = idle_lanes(lanes)
        if idle >= REFILL:
            refill(memory, settings, idle)
        if counts[FULL] or counts[REFUTED] or is_proved(tree, counts[ROOT]):
            return
        call_evaluator(game.code[view], lanes.rows.ctypes.data, game.code[view + 1])
        _look(memory, settings)
        land(memory, settings)
        _move(game, lanes, flights, counts)
        if settings.equivalence:
            _note_moves(game, lanes)
        _arrive(memory)
        counts[STEP] += 1


@kernel
def cancel(memory: Memory) -> None:
    """Take all flights back, as if they had never begun."""
    _, lanes, flights, tree, counts, _ = memory
    for flight in range(flights.pending.shape[0]):
        if flights.pending[flight] > 0:
            for role in range(flights.sums.shape[1]):
                flights.sums[flight, role] = 0.0
            back_up(tree, flights, flight, 0)
            flights.pending[flight] = 0
    for place in range(flights.free.shape[0]):
        flights.free[place] = flights.free.shape[0] - 1 - place
    counts[FREE] = flights.free.shape[0]
    counts[FRESH] = 0
    for word in range(lanes.alive.shape[0]):
        lanes.alive[word] = lanes.over[word] = ZERO


@inlined_kernel
def _look(memory: Memory, settings: Settings) -> None:
    """Settle the leaves whose state the view has just shown for the first time."""
    game, lanes, flights, tree, counts, _ = memory
    kept, viewed = 0, False
    for number in range(counts[FRESH]):
        flight = flights.fresh[number]
        if flights.forced[flight]:
            flights.fresh[kept] = flight
            kept += 1
            continue
        leaf = flights.nodes[flight, flights.length[flight]]
        if leaf < 0:
            continue
        lane = first_lane(flights.masks[flight])
        if is_set(lanes.rows, game.terminal, lane):
            if not settings.proofs:
                continue
            if not viewed:
                view_goals(game, lanes)
                viewed = True
            goal_values(lanes.rows, game.goals, game.goal_table, lane, lanes.values)
            for role in range(lanes.values.shape[0]):
                tree.low[leaf, role] = tree.high[leaf, role] = lanes.values[role]
            total = np.int64(lanes.values[game.first]) + np.int64(lanes.values[game.second])
            if game.sum >= 0 and total != game.sum:
                counts[REFUTED] = 1
            prove_path(game, tree, flights, flight, flights.length[flight] - 1)
        elif tree.choices[leaf, 0] == 0 and (tree.visits[leaf] > 0 or leaf == counts[ROOT]):
            expand(game, tree, counts, leaf, lanes, lane)
    counts[FRESH] = kept


@inlined_kernel
def _move(game: GameArrays, lanes: Lanes, flights: PendingLeaves, counts: np.ndarray) -> None:
    """Choose the moves of all lanes, forced ones included, and make them."""
    words = lanes.alive.shape[0]
    rows = lanes.rows.ctypes.data
    row_bytes = 8 * words
    for role in range(game.chance.shape[0]):
        call_select(
            game.code[SELECT],
            rows + row_bytes * (game.legal + game.offsets[role]),
            rows + row_bytes * (game.moves + game.offsets[role]),
            game.offsets[role + 1] - game.offsets[role],
            lanes.scratch.ctypes.data,
            lanes.random.ctypes.data,
        )
    if counts[FRESH] > 0:
        _force(game, lanes, flights, counts)
    call_evaluator(game.code[TRANSITION], rows, game.code[TRANSITION_PROGRAM])
    # Lanes that are over keep their last state, of which the goals are still to be seen.
    target, origin = rows + row_bytes * game.fluents, rows + row_bytes * game.next
    call_masked_copy(
        game.code[MASKED_COPY], target, origin, game.fluent_count, lanes.alive.ctypes.data
    )


@inlined_kernel
def _force(game: GameArrays, lanes: Lanes, flights: PendingLeaves, counts: np.ndarray) -> None:
    """Replace the moves of lanes that have one to make; all fresh flights' lanes do."""
    words = lanes.alive.shape[0]
    roles = game.chance.shape[0]
    kept = lanes.kept
    for word in range(words):
        kept[word] = ~ZERO
    for number in range(counts[FRESH]):
        mask = flights.masks[flights.fresh[number]]
        for word in range(words):
            kept[word] &= ~mask[word]
    for move in range(game.moves, game.moves + game.offsets[roles]):
        for word in range(words):
            lanes.cells[move * words + word] &= kept[word]
    for number in range(counts[FRESH]):
        flight = flights.fresh[number]
        for role in range(roles):
            move = game.moves + game.offsets[role] + flights.moves[flight, role]
            for word in range(words):
                lanes.rows[move, word] |= flights.masks[flight, word]


@kernel
def _note_moves(game: GameArrays, lanes: Lanes) -> None:
    """Add the moves just made to those of each lane's playout."""
    words = lanes.alive.shape[0]
    # Unsigned places cannot count from the end, and the loop becomes one of vectors.
    first, count = np.uint64(game.moves * words), np.uint64(words)
    for move in range(lanes.played.shape[0] // words):
        cell = np.uint64(move) * count
        for word in range(np.uint64(words)):
            place = cell + np.uint64(word)
            before = lanes.played[place] & ~lanes.new[np.uint64(word)]
            made = lanes.cells[first + place] & lanes.alive[np.uint64(word)]
            lanes.played[place] = before | made
    for word in range(words):
        lanes.new[word] = ZERO


@inlined_kernel
def _arrive(memory: Memory) -> None:
    """Name the nodes that forced moves have led to."""
    game, lanes, flights, tree, counts, _ = memory
    for number in range(counts[FRESH]):
        flight = flights.fresh[number]
        last = flights.length[flight]
        lane = first_lane(flights.masks[flight])
        get_state(lanes.rows, game.fluents, game.fluent_count, lane, lanes.state)
        if make_canonical(game.images, lanes.state, lanes.spare):
            put_state(game, lanes, lanes.state, flights.masks[flight])
        child = find_node(game, tree, counts, lanes.state)
        flights.forced[flight] = 0
        flights.nodes[flight, last] = child
        if child >= 0:
            tree.flying[child] += flights.size[flight]
            before = flights.nodes[flight, last - 1]
            set_child(tree, counts, before, flights.edges[flight, last - 1], child)
            if has_bounds(game, tree, child):
                prove_path(game, tree, flights, flight, last - 1)
