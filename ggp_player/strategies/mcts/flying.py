"""The hot loop: lanes play, and when they end their results go up and new leaves come down.

Each step evaluates the view of all lanes, takes in the playouts that have ended, chooses moves,
and evaluates the transition. Idle lanes are given to new leaves: a leaf's lanes hold the state of
a node, and, where its child is not known yet, make one move that is forced before they play at
random. That a child is made thus costs no evaluation of its own.

All of it is compiled as one function: to pass the arrays on would take longer than the work.
"""

from __future__ import annotations

import numpy as np

from gdl.propnet.calls import (
    GOALS_VIEW,
    GOALS_VIEW_PROGRAM,
    MERGE,
    MOVES_VIEW,
    PUT,
    SELECT,
    TRANSITION,
    TRANSITION_PROGRAM,
    VIEW,
    call_evaluator,
    call_merge,
    call_put,
    call_select,
)
from gdl.propnet.images import make_least
from gdl.propnet.jit import inlined_kernel, kernel
from gdl.propnet.lane_bits import (
    ONE,
    ZERO,
    first_lane,
    get_state,
    goal_values,
    is_set,
    lowest,
    population,
)
from ggp_player.strategies.mcts.arrays import (
    FREE,
    FRESH,
    FULL,
    MARK,
    MAX_DEPTH,
    PLAYOUTS,
    REFUTED,
    ROOT,
    STATES,
    STEP,
    Flights,
    Game,
    Lanes,
    Memory,
    Settings,
    Tree,
    Words,
)
from ggp_player.strategies.mcts.nodes import (
    NO_NODE,
    back_up,
    choose,
    expand,
    find_child,
    find_node,
    has_bounds,
    is_proved,
    prove_path,
    set_child,
    share_moves,
    take_off,
)

PROVED, LEAF, MISSING = range(3)
"""How a descent ends: at a node whose value is known, at one to play from, or before a child
that is yet to be made."""

REFILL = 64
"""Idle lanes for which it is worth looking for new leaves."""

PATIENCE = 64
"""Descents to proved nodes in a row before lanes are left idle for a step."""


@kernel
def fly(memory: Memory, settings: Settings, steps: int) -> None:
    """Search for so many steps, or until the root is proved or a pool is full."""
    game, lanes, flights, tree, counts, _ = memory
    view = MOVES_VIEW if game.late_goals else VIEW
    for _ in range(steps):
        idle = _idle(lanes)
        if idle >= REFILL:
            _refill(memory, settings, idle)
        if counts[FULL] or counts[REFUTED] or is_proved(tree, counts[ROOT]):
            return
        call_evaluator(game.code[view], lanes.rows.ctypes.data, game.code[view + 1])
        _look(memory, settings)
        _land(memory, settings)
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
def _idle(lanes: Lanes) -> int:
    """Return how many lanes play nothing."""
    idle = 64 * lanes.alive.shape[0]
    for word in range(lanes.alive.shape[0]):
        idle -= population(lanes.alive[word])
    return idle


@inlined_kernel
def _view_goals(game: Game, lanes: Lanes) -> None:
    """Bring the goal rows up to date with the view of this step."""
    if game.late_goals:
        rows = lanes.rows.ctypes.data
        call_evaluator(game.code[GOALS_VIEW], rows, game.code[GOALS_VIEW_PROGRAM])


# ---------------------------------------------------------------------- new leaves


@inlined_kernel
def _refill(memory: Memory, settings: Settings, idle: int) -> None:
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
    _put_state(game, lanes, state, mask)
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
def _put_state(game: Game, lanes: Lanes, state: Words, mask: Words) -> None:
    """Write a packed state, uint64 (S,), into the lanes of a mask, uint64 (W,)."""
    fluents = lanes.rows.ctypes.data + 8 * mask.shape[0] * game.fluents
    put, count = game.code[PUT], game.fluent_count
    call_put(put, fluents, count, state.ctypes.data, mask.ctypes.data)


@inlined_kernel
def _set_moves(flights: Flights, tree: Tree, flight: int) -> None:
    """Note the joint move of a path's last step."""
    step = flights.length[flight] - 1
    node = flights.nodes[flight, step]
    for role in range(flights.moves.shape[1]):
        edge = flights.edges[flight, step, role]
        move = tree.move[edge] if edge >= 0 else -1 - tree.first[node, role]
        flights.moves[flight, role] = move


@inlined_kernel
def _copy_path(flights: Flights, origin: int, flight: int) -> None:
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


# ---------------------------------------------------------------------- a step


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
                _view_goals(game, lanes)
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
def _land(memory: Memory, settings: Settings) -> None:
    """Stop the lanes that have ended; count their playouts once there are enough idle lanes."""
    game, lanes, _, _, counts, _ = memory
    expired = counts[STEP] % 256 == 255
    for word in range(lanes.alive.shape[0]):
        alive = lanes.alive[word]
        ended = lanes.rows[game.terminal, word] & alive
        if expired:
            ended |= _expired(lanes, counts[STEP] - settings.longest, word)
        counts[STATES] += population(alive)
        lanes.alive[word] = alive & ~ended
        lanes.over[word] |= ended
    if _idle(lanes) >= REFILL:
        _view_goals(game, lanes)
        _count_playouts(memory, settings)


@inlined_kernel
def _count_playouts(memory: Memory, settings: Settings) -> None:
    """Take in the results of the playouts that are over; goals must have been evaluated."""
    game, lanes, flights, _, _, _ = memory
    over = lanes.over
    for word in range(over.shape[0]):
        if over[word] != ZERO:
            _take_values(game, lanes, flights, word, over[word])
    if settings.equivalence:
        _note_results(game, lanes, over)
        _take_moves(game, lanes, flights, over)
    for word in range(over.shape[0]):
        left = over[word]
        over[word] = ZERO
        while left != ZERO:
            flight = lanes.flight[word * 64 + lowest(left)]
            left &= left - ONE
            flights.pending[flight] -= 1
            if flights.pending[flight] == 0:
                _end_flight(memory, settings, flight)


@inlined_kernel
def _take_values(game: Game, lanes: Lanes, flights: Flights, word: int, over: np.uint64) -> None:
    """Add the goal values of a word's playouts that are over to those of their flights.

    The lowest of several goal values of a role counts.
    """
    role, unvalued = -1, over
    for goal in range(game.goal_table.shape[0]):
        if game.goal_table[goal, 0] != role:
            role, unvalued = game.goal_table[goal, 0], over
        given = lanes.rows[game.goals + goal, word] & unvalued
        unvalued &= ~given
        value = 0.01 * game.goal_table[goal, 1]
        while given != ZERO and value > 0.0:
            lane = word * 64 + lowest(given)
            given &= given - ONE
            flights.sums[lanes.flight[lane], role] += value


@kernel
def _note_results(game: Game, lanes: Lanes, over: Words) -> None:
    """Note the goal values of each playout that is over."""
    for word in range(over.shape[0]):
        left = over[word]
        while left != ZERO:
            lane = word * 64 + lowest(left)
            left &= left - ONE
            goal_values(lanes.rows, game.goals, game.goal_table, lane, lanes.values)
            for role in range(lanes.values.shape[0]):
                lanes.results[lane, role] = np.float32(0.01 * lanes.values[role])


@inlined_kernel
def _end_flight(memory: Memory, settings: Settings, flight: int) -> None:
    """Tell the path of a flight of which the last playout has ended."""
    game, _, flights, tree, counts, _ = memory
    if settings.equivalence:
        share_moves(game, tree, flights, flight)
    back_up(tree, flights, flight, flights.size[flight])
    counts[PLAYOUTS] += flights.size[flight]
    flights.free[counts[FREE]] = flight
    counts[FREE] += 1


@kernel
def _expired(lanes: Lanes, limit: int, word: int) -> np.uint64:
    """Return the living lanes of a word that began before a step."""
    found, alive = ZERO, lanes.alive[word]
    for bit in range(64):
        if (alive >> np.uint64(bit)) & ONE and lanes.begun[word * 64 + bit] < limit:
            found |= ONE << np.uint64(bit)
    return found


@inlined_kernel
def _move(game: Game, lanes: Lanes, flights: Flights, counts: np.ndarray) -> None:
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
    call_merge(game.code[MERGE], target, origin, game.fluent_count, lanes.alive.ctypes.data)


@inlined_kernel
def _force(game: Game, lanes: Lanes, flights: Flights, counts: np.ndarray) -> None:
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
def _note_moves(game: Game, lanes: Lanes) -> None:
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


@kernel
def _take_moves(game: Game, lanes: Lanes, flights: Flights, ended: Words) -> None:
    """Add the moves of playouts that have ended, with their values, to those of the flights."""
    words = ended.shape[0]
    for role in range(game.chance.shape[0]):
        for move in range(game.offsets[role], game.offsets[role + 1]):
            first = np.uint64(move * words)
            some = ZERO
            for word in range(np.uint64(words)):
                some |= lanes.played[first + np.uint64(word)] & ended[np.uint64(word)]
            if some == ZERO:
                continue
            for word in range(words):
                found = lanes.played[move * words + word] & ended[word]
                while found != ZERO:
                    lane = word * 64 + lowest(found)
                    found &= found - ONE
                    flights.made[lanes.flight[lane], move] += 1
                    flights.gains[lanes.flight[lane], move] += lanes.results[lane, role]


@inlined_kernel
def _arrive(memory: Memory) -> None:
    """Name the nodes that forced moves have led to."""
    game, lanes, flights, tree, counts, _ = memory
    for number in range(counts[FRESH]):
        flight = flights.fresh[number]
        last = flights.length[flight]
        lane = first_lane(flights.masks[flight])
        get_state(lanes.rows, game.fluents, game.fluent_count, lane, lanes.state)
        if make_least(game.images, lanes.state, lanes.spare):
            _put_state(game, lanes, lanes.state, flights.masks[flight])
        child = find_node(game, tree, counts, lanes.state)
        flights.forced[flight] = 0
        flights.nodes[flight, last] = child
        if child >= 0:
            tree.flying[child] += flights.size[flight]
            before = flights.nodes[flight, last - 1]
            set_child(tree, counts, before, flights.edges[flight, last - 1], child)
            if has_bounds(game, tree, child):
                prove_path(game, tree, flights, flight, last - 1)
