"""The hot loop of the strong search: nearly all of the time of a Monte Carlo search is spent here.

The other hot loop is that of bare playouts, without a tree: :mod:`gdl.engine.kernels.play`.

Each step fills idle lanes with new leaves (:mod:`.selection`), evaluates the view of all lanes,
expands the leaves that it shows for the first time (:mod:`.nodes`), counts the playouts that have
ended (:mod:`.backpropagation`), chooses moves, and evaluates the transition. The lanes of a leaf
start from the state of a node; where its child is not yet in the tree, they first make the forced
move that leads there, and then play at random. So adding a child takes no evaluation of its own.

Several threads may run it on one tree, each with a block of its own. Most of the work takes no
lock: what is done in a block, selecting leaves and backpropagation, unless several roles may have a
choice, expanding leaves, and finding and linking children. The tree's lock is acquired to allocate
nodes, which a thread does for many steps at once, and to take over what is proved.

All of it is compiled into one function: passing the arrays on would take longer than the work.
"""

from __future__ import annotations

from gdl.engine.kernel_library import (
    MASKED_COPY,
    MOVES_VIEW,
    SELECT,
    TRANSITION,
    TRANSITION_PROGRAM,
    VIEW,
    WINNING_VIEW,
    WINNING_VIEW_PROGRAM,
    ZERO,
    acquire,
    add_to_int64,
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
    release,
)
from ggp_player.strategies.mcts.arrays import (
    PLAYOUTS,
    REFUTED,
    ROOT,
    STEPS_LEFT,
    TOGETHER,
    GameArrays,
    Ints,
    Settings,
    TreeArrays,
)
from ggp_player.strategies.mcts.backpropagation import (
    MIN_IDLE_LANES,
    backpropagate_freed,
    count_idle_lanes,
    evaluate_goals,
    free_finished_leaves,
    stop_finished_lanes,
)
from ggp_player.strategies.mcts.bounds import (
    NOBODY,
    backpropagate_bounds,
    find_winner,
    has_bounds,
    is_proved,
    prove_terminal,
    prove_win,
)
from ggp_player.strategies.mcts.memory import (
    DESCENT,
    ENDED_PLAYOUTS,
    FREE_LEAVES,
    NEW_LEAVES,
    SPARE_NODES,
    LaneArrays,
    Memory,
    PendingLeaves,
)
from ggp_player.strategies.mcts.nodes import backpropagate, expand, leave_stand, set_child
from ggp_player.strategies.mcts.pools import (
    insert_node,
    pin_node,
    prefetch_bucket,
    take_nodes,
)
from ggp_player.strategies.mcts.priors import give_priors, give_priors_in_time
from ggp_player.strategies.mcts.selection import (
    end_stand,
    fill_idle_lanes,
    load_new_leaves,
    scatter_state,
)

NOTHING, STATES, ENDS = range(3)
"""What the view has shown of new leaves: nothing yet, their states, or terminal states too."""


OVER, PLAYOUTS_ONLY, WINS = range(3)
"""How a search goes on: not at all, or with playouts, or looking for wins at once, too."""

CHUNK = 8
"""Steps that a thread takes at once from those that are left to all."""


@kernel
def run_search(memory: Memory, settings: Settings) -> None:
    """Search until no steps are left, the root is proved, or the constant sum is refuted."""
    game, lanes, leaves, _, _, _, _ = memory
    steps, moved, outlook = 0, 0, OVER
    while True:
        idle, known = count_idle_lanes(lanes), leaves.counts[NEW_LEAVES]
        if steps == 0 or moved > 0 or idle >= MIN_IDLE_LANES:
            steps, outlook = _grow_tree(memory, settings, moved, steps, idle)
            load_new_leaves(game, lanes, leaves, known)
        if steps == 0 or outlook == OVER:
            break
        _evaluate_view(game, lanes, outlook)
        outlook = _update_tree(memory, settings, outlook)
        give_priors_in_time(memory, settings)
        moved = _make_step(memory)
        steps -= 1
    _count_playouts(memory)


@inlined_kernel
def _count_playouts(memory: Memory) -> None:
    """Add the playouts of this thread to those of all."""
    _, _, _, tree, counts, _, share = memory
    address = counts.ctypes.data + counts.itemsize * PLAYOUTS
    add_to_int64(address, share.counts[ENDED_PLAYOUTS], tree.is_shared)
    share.counts[ENDED_PLAYOUTS] = 0


@inlined_kernel
def _grow_tree(
    memory: Memory, settings: Settings, moved: int, steps: int, idle: int
) -> tuple[int, int]:
    """Link the new leaves that have moved, and select others for idle lanes.

    Return how many steps this thread has still to make, after taking some where it had none, and
    the outlook.
    """
    game, _, _, tree, counts, _, _ = memory
    if moved > 0:
        _find_new_children(memory, moved)
        _link_new_children(memory, moved)
    if steps == 0:
        steps = _take_steps(tree, counts)
    if steps > 0 and idle >= MIN_IDLE_LANES:
        fill_idle_lanes(memory, settings, idle)
    return steps, _outlook(game, settings, tree, counts)


@inlined_kernel
def _update_tree(memory: Memory, settings: Settings, outlook: int) -> int:
    """Take over to the tree what the view has shown, and return the outlook."""
    game, lanes, leaves, tree, counts, _, _ = memory
    is_enough = stop_finished_lanes(game, lanes, settings) >= MIN_IDLE_LANES
    seen = _look_at_new_leaves(game, lanes, leaves, outlook)
    if is_enough or (seen == ENDS and settings.proofs):
        evaluate_goals(game, lanes)
    freed = leaves.counts[FREE_LEAVES]
    if is_enough:
        free_finished_leaves(game, lanes, leaves)
    if seen != NOTHING:
        _expand_new_leaves(memory)
        _prove_new_leaves(memory, settings)
    if is_enough:
        is_locked = counts[TOGETHER] > 0
        if is_locked:
            acquire(tree.lock)
        backpropagate_freed(memory, settings, freed)
        if is_locked:
            release(tree.lock)
    return _outlook(game, settings, tree, counts)


@inlined_kernel
def _make_step(memory: Memory) -> int:
    """Make a move in all lanes whose playout goes on; return how many new leaves have moved."""
    game, lanes, leaves, _, _, _, _ = memory
    _choose_moves(game, lanes)
    moved = leaves.counts[NEW_LEAVES]
    if moved > 0:
        _apply_forced_moves(game, lanes, leaves)
    _make_moves(game, lanes)
    _read_new_states(memory)
    lanes.step[0] += 1
    return moved


@inlined_kernel
def _take_steps(tree: TreeArrays, counts: Ints) -> int:
    """Take some of the steps that are left; return how many."""
    address = counts.ctypes.data + counts.itemsize * STEPS_LEFT
    return max(0, min(CHUNK, add_to_int64(address, -CHUNK, tree.is_shared)))


@inlined_kernel
def _outlook(game: GameArrays, settings: Settings, tree: TreeArrays, counts: Ints) -> int:
    """Find out how the search goes on.

    It is over where the root is proved or the constant sum refuted. Wins at once are not looked for
    where several roles have a choice.
    """
    if counts[REFUTED] or is_proved(tree, counts[ROOT]):
        return OVER
    is_decisive = settings.decisive and game.winning >= 0 and not counts[TOGETHER]
    return WINS if is_decisive else PLAYOUTS_ONLY


@kernel
def cancel_pending_leaves(memory: Memory, settings: Settings) -> None:
    """Drop all pending leaves of a thread, as if they had never been selected."""
    game, lanes, leaves, tree, _, _, _ = memory
    give_priors(memory, settings)
    end_stand(memory, settings)
    for leaf in range(leaves.playing.shape[0]):
        if leaves.playing[leaf] > 0:
            backpropagate(game, tree, settings, leaves, leaf, 0)
            if leaves.stand[leaf] >= 0:
                leave_stand(game, tree, settings, leaves.stands, leaves.stand[leaf])
            leaves.playing[leaf] = 0
    for index in range(leaves.free.shape[0]):
        leaves.free[index] = leaves.free.shape[0] - 1 - index
    leaves.counts[FREE_LEAVES] = leaves.free.shape[0]
    leaves.counts[NEW_LEAVES] = 0
    for word in range(lanes.playing.shape[0]):
        lanes.playing[word] = lanes.finished[word] = ZERO


@inlined_kernel
def _evaluate_view(game: GameArrays, lanes: LaneArrays, outlook: int) -> None:
    """Evaluate what is needed to choose moves, and who can win at once if that is looked for."""
    view = MOVES_VIEW if game.deferred_goals else VIEW
    call_evaluator(game.code[view], lanes.rows.ctypes.data, game.code[view + 1])
    if outlook == WINS:
        _find_winners(game, lanes)


@inlined_kernel
def _find_winners(game: GameArrays, lanes: LaneArrays) -> None:
    """Find the lanes in which a role can win at once, into ``winners``."""
    rows = lanes.rows.ctypes.data
    call_evaluator(game.code[WINNING_VIEW], rows, game.code[WINNING_VIEW_PROGRAM])
    words = lanes.playing.shape[0]
    for role in range(lanes.winners.shape[0]):
        for word in range(words):
            lanes.winners[role, word] = ZERO
    role = 0
    for move in game.winning_moves:
        while move >= game.offsets[role + 1]:
            role += 1
        if game.chance[role]:
            continue
        for word in range(words):
            lanes.winners[role, word] |= lanes.flat_rows[(game.winning + move) * words + word]


@inlined_kernel
def _look_at_new_leaves(
    game: GameArrays, lanes: LaneArrays, leaves: PendingLeaves, outlook: int
) -> int:
    """Look at the new leaves whose state the view has shown, and note who wins at once there."""
    seen = NOTHING
    for number in range(leaves.counts[NEW_LEAVES]):
        leaf = leaves.new[number]
        if leaves.forced[leaf]:
            continue
        seen = max(seen, STATES)
        lane = first_lane(leaves.masks[leaf])
        leaves.winner[leaf] = NOBODY
        if is_set(lanes.rows, game.terminal, lane):
            seen = ENDS
        elif outlook == WINS:
            leaves.winner[leaf] = find_winner(game, lanes, lane)
    return seen


@inlined_kernel
def _expand_new_leaves(memory: Memory) -> None:
    """Expand the new leaves whose state the view has just shown."""
    game, lanes, leaves, tree, counts, _, _ = memory
    for number in range(leaves.counts[NEW_LEAVES]):
        leaf = leaves.new[number]
        node = leaves.nodes[leaf, leaves.length[leaf]]
        if leaves.forced[leaf] or node < 0 or tree.nodes[node].is_expanded:
            continue
        lane = first_lane(leaves.masks[leaf])
        is_due = tree.nodes[node].visits > 0 or node == counts[ROOT]
        if is_due and not is_set(lanes.rows, game.terminal, lane):
            expand(memory, node, lane)


@inlined_kernel
def _prove_new_leaves(memory: Memory, settings: Settings) -> None:
    """Prove what the view has just shown of new leaves, and leave those yet to be shown."""
    leaves, tree = memory.leaves, memory.tree
    kept, is_locked = 0, False
    for number in range(leaves.counts[NEW_LEAVES]):
        leaf = leaves.new[number]
        if leaves.forced[leaf]:
            leaves.new[kept] = leaf
            kept += 1
        elif settings.proofs and leaves.nodes[leaf, leaves.length[leaf]] >= 0:
            lane = first_lane(leaves.masks[leaf])
            is_terminal = is_set(memory.lanes.rows, memory.game.terminal, lane)
            if not is_terminal and leaves.winner[leaf] == NOBODY:
                continue
            if not is_locked:
                acquire(tree.lock)
                is_locked = True
            _prove_leaf(memory, leaf, lane, is_terminal)
    if is_locked:
        release(tree.lock)
    leaves.counts[NEW_LEAVES] = kept


@inlined_kernel
def _prove_leaf(memory: Memory, leaf: int, lane: int, is_terminal: bool) -> None:
    """Prove a leaf that is terminal, or where somebody can win at once; the lock is acquired."""
    game, lanes, leaves, tree, counts, _, _ = memory
    node = leaves.nodes[leaf, leaves.length[leaf]]
    if is_terminal:
        goal_values(lanes.rows, game.goals, game.goal_table, lane, lanes.values)
        if not prove_terminal(game, tree, node, lanes.values):
            counts[REFUTED] = 1
    else:
        prove_win(game, tree, node, leaves.winner[leaf], lanes, lane)
    backpropagate_bounds(game, tree, leaves, leaf, leaves.length[leaf] - 1)


@inlined_kernel
def _choose_moves(game: GameArrays, lanes: LaneArrays) -> None:
    """Choose the moves of all lanes at random."""
    rows = lanes.rows.ctypes.data
    row_bytes = 8 * lanes.playing.shape[0]
    for role in range(game.chance.shape[0]):
        call_select(
            game.code[SELECT],
            rows + row_bytes * (game.legal + game.offsets[role]),
            rows + row_bytes * (game.moves + game.offsets[role]),
            game.offsets[role + 1] - game.offsets[role],
            lanes.scratch.ctypes.data,
            lanes.random.ctypes.data,
        )


@inlined_kernel
def _make_moves(game: GameArrays, lanes: LaneArrays) -> None:
    """Make the moves in all lanes whose playout goes on."""
    rows = lanes.rows.ctypes.data
    row_bytes = 8 * lanes.playing.shape[0]
    call_evaluator(game.code[TRANSITION], rows, game.code[TRANSITION_PROGRAM])
    # Lanes that have finished keep their last state, as its goals are still to be evaluated.
    target, origin = rows + row_bytes * game.fluents, rows + row_bytes * game.next
    call_masked_copy(
        game.code[MASKED_COPY], target, origin, game.fluent_count, lanes.playing.ctypes.data
    )


@inlined_kernel
def _apply_forced_moves(game: GameArrays, lanes: LaneArrays, leaves: PendingLeaves) -> None:
    """Replace the random moves of the new leaves' lanes by their forced moves."""
    words = lanes.playing.shape[0]
    roles = game.chance.shape[0]
    unforced = lanes.mask
    for word in range(words):
        unforced[word] = ~ZERO
    for number in range(leaves.counts[NEW_LEAVES]):
        mask = leaves.masks[leaves.new[number]]
        for word in range(words):
            unforced[word] &= ~mask[word]
    for move in range(game.moves, game.moves + game.offsets[roles]):
        for word in range(words):
            lanes.flat_rows[move * words + word] &= unforced[word]
    for number in range(leaves.counts[NEW_LEAVES]):
        leaf = leaves.new[number]
        for role in range(roles):
            move = game.moves + game.offsets[role] + leaves.forced_moves[leaf, role]
            for word in range(words):
                lanes.rows[move, word] |= leaves.masks[leaf, word]


@inlined_kernel
def _read_new_states(memory: Memory) -> None:
    """Read the states that forced moves have led to, make them canonical, and prefetch nodes."""
    game, lanes, leaves, tree, _, _, _ = memory
    for number in range(leaves.counts[NEW_LEAVES]):
        leaf = leaves.new[number]
        lane, state = first_lane(leaves.masks[leaf]), leaves.states[leaf]
        get_state(lanes.rows, game.fluents, game.fluent_count, lane, state)
        if make_canonical(game.symmetries, state, lanes.spare):
            scatter_state(game, lanes, state, leaves.masks[leaf])
        prefetch_bucket(tree, state)


@inlined_kernel
def _find_new_children(memory: Memory, count: int) -> None:
    """Find the nodes of the first ``count`` new leaves, and allocate what is not in the tree.

    What is found is pinned, and its leaf is no longer forced; what is allocated is to be inserted.
    """
    game, _, leaves, tree, counts, _, share = memory
    missing = 0
    for number in range(count):
        leaf = leaves.new[number]
        child = pin_node(tree, leaves.states[leaf])
        leaves.nodes[leaf, leaves.length[leaf]] = child
        leaves.forced[leaf] = child < 0
        missing += child < 0
    if missing > share.counts[SPARE_NODES]:
        take_nodes(game, tree, counts, share, missing)
    for number in range(count):
        leaf = leaves.new[number]
        if leaves.forced[leaf] and share.counts[SPARE_NODES] > 0:
            share.counts[SPARE_NODES] -= 1
            leaves.nodes[leaf, leaves.length[leaf]] = share.nodes[share.counts[SPARE_NODES]]


@inlined_kernel
def _link_new_children(memory: Memory, count: int) -> None:
    """Insert the nodes that were allocated for the first ``count`` new leaves; link all of these.

    The lock is acquired where something is proved of a node, or where several roles may have a
    choice.
    """
    game, _, leaves, tree, counts, _, _ = memory
    for number in range(count):
        leaf = leaves.new[number]
        last = leaves.length[leaf]
        child = leaves.nodes[leaf, last]
        if leaves.forced[leaf]:
            leaves.forced[leaf] = 0
            child = _insert(memory, leaf, child)
            leaves.nodes[leaf, last] = child
        if child < 0:
            continue
        is_bounded = has_bounds(game, tree, child)
        is_locked = is_bounded or counts[TOGETHER] > 0
        if is_locked:
            acquire(tree.lock)
        set_child(tree, counts, leaves.nodes[leaf, last - 1], leaves.edges[leaf, last - 1], child)
        if is_bounded:
            backpropagate_bounds(game, tree, leaves, leaf, last - 1)
        if is_locked:
            release(tree.lock)


@inlined_kernel
def _insert(memory: Memory, leaf: int, node: int) -> int:
    """Insert an allocated node as that of a leaf; return it or that which is there, -1 if none."""
    game, _, leaves, tree, _, _, share = memory
    if node < 0:
        return node
    child = insert_node(game, tree, node, leaves.states[leaf], share.counts[DESCENT])
    if child != node:
        tree.nodes[node].last_descent = -1
        share.nodes[share.counts[SPARE_NODES]] = node
        share.counts[SPARE_NODES] += 1
    return child
