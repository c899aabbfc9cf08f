"""The hot loop of the strong search: nearly all of the time of a Monte Carlo search is spent here.

The other hot loop is that of bare playouts, without a tree: :mod:`gdl.engine.kernels.play`.

Each step fills idle lanes with new leaves (:mod:`.selection`), evaluates the view of all lanes,
expands the leaves that it shows for the first time (:mod:`.nodes`), counts the playouts that have
ended (:mod:`.backpropagation`), chooses moves, and evaluates the transition. The lanes of a leaf
start from the state of a node; where its child is not yet in the tree, they first make the forced
move that leads there, and then play at random. So adding a child takes no evaluation of its own.

Several threads may run it on one tree, each with a block of its own. Only one at a time changes the
tree, with its lock acquired: after the view, when leaves are expanded and proved, and after the
transition, when new children are linked. Selecting leaves and backpropagation take no lock, unless
several roles may have a choice; nor does anything that is done in a block.

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
    FREE_LEAVES,
    NEW_LEAVES,
    LaneArrays,
    Memory,
    PendingLeaves,
)
from ggp_player.strategies.mcts.nodes import backpropagate, expand, leave_stand, set_child
from ggp_player.strategies.mcts.pools import add_pending, find_or_add_node, prefetch_bucket
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
    game, lanes, leaves, _, _, _ = memory
    steps, moved, outlook = 0, 0, OVER
    while True:
        idle, known = count_idle_lanes(lanes), leaves.counts[NEW_LEAVES]
        if steps == 0 or moved > 0 or idle >= MIN_IDLE_LANES:
            steps, outlook = _grow_tree(memory, settings, moved, steps, idle)
            load_new_leaves(game, lanes, leaves, known)
        if steps == 0 or outlook == OVER:
            return
        _evaluate_view(game, lanes, outlook)
        outlook = _update_tree(memory, settings, outlook)
        give_priors_in_time(memory, settings)
        moved = _make_step(memory)
        steps -= 1


@inlined_kernel
def _grow_tree(
    memory: Memory, settings: Settings, moved: int, steps: int, idle: int
) -> tuple[int, int]:
    """Link the new leaves that have moved, and select others for idle lanes.

    Return how many steps this thread has still to make, after taking some where it had none, and
    the outlook.
    """
    game, _, _, tree, counts, _ = memory
    if moved > 0 or steps == 0:
        acquire(tree.lock)
        _link_new_children(memory, moved)
        if steps == 0:
            steps = _take_steps(counts)
        release(tree.lock)
    if steps > 0 and idle >= MIN_IDLE_LANES:
        fill_idle_lanes(memory, settings, idle)
    return steps, _outlook(game, settings, tree, counts)


@inlined_kernel
def _update_tree(memory: Memory, settings: Settings, outlook: int) -> int:
    """Take over to the tree what the view has shown, and return the outlook."""
    game, lanes, leaves, tree, counts, _ = memory
    is_enough = stop_finished_lanes(game, lanes, settings) >= MIN_IDLE_LANES
    seen = _look_at_new_leaves(game, lanes, leaves, outlook)
    if is_enough or (seen == ENDS and settings.proofs):
        evaluate_goals(game, lanes)
    freed = leaves.counts[FREE_LEAVES]
    if is_enough:
        free_finished_leaves(game, lanes, leaves)
    if seen != NOTHING:
        acquire(tree.lock)
        _evaluate_new_leaves(memory, settings)
        release(tree.lock)
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
    game, lanes, leaves, _, _, _ = memory
    _choose_moves(game, lanes)
    moved = leaves.counts[NEW_LEAVES]
    if moved > 0:
        _apply_forced_moves(game, lanes, leaves)
    _make_moves(game, lanes)
    _read_new_states(memory)
    lanes.step[0] += 1
    return moved


@inlined_kernel
def _take_steps(counts: Ints) -> int:
    """Take some of the steps that are left; return how many."""
    steps = min(CHUNK, counts[STEPS_LEFT])
    counts[STEPS_LEFT] -= steps
    return steps


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
    game, lanes, leaves, tree, _, _ = memory
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
def _evaluate_new_leaves(memory: Memory, settings: Settings) -> None:
    """Expand or prove the new leaves whose state the view has just shown."""
    game, lanes, leaves, tree, counts, _ = memory
    kept = 0
    for number in range(leaves.counts[NEW_LEAVES]):
        leaf = leaves.new[number]
        if leaves.forced[leaf]:
            leaves.new[kept] = leaf
            kept += 1
            continue
        node = leaves.nodes[leaf, leaves.length[leaf]]
        if node < 0:
            continue
        lane = first_lane(leaves.masks[leaf])
        if is_set(lanes.rows, game.terminal, lane):
            if not settings.proofs:
                continue
            goal_values(lanes.rows, game.goals, game.goal_table, lane, lanes.values)
            if not prove_terminal(game, tree, node, lanes.values):
                counts[REFUTED] = 1
            backpropagate_bounds(game, tree, leaves, leaf, leaves.length[leaf] - 1)
            continue
        if not tree.nodes[node].is_expanded and (
            tree.nodes[node].visits > 0 or node == counts[ROOT]
        ):
            expand(memory, node, lane)
        if settings.proofs and leaves.winner[leaf] != NOBODY:
            prove_win(game, tree, node, leaves.winner[leaf], lanes, lane)
            backpropagate_bounds(game, tree, leaves, leaf, leaves.length[leaf] - 1)
    leaves.counts[NEW_LEAVES] = kept


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
    game, lanes, leaves, tree, _, _ = memory
    for number in range(leaves.counts[NEW_LEAVES]):
        leaf = leaves.new[number]
        lane, state = first_lane(leaves.masks[leaf]), leaves.states[leaf]
        get_state(lanes.rows, game.fluents, game.fluent_count, lane, state)
        if make_canonical(game.symmetries, state, lanes.spare):
            scatter_state(game, lanes, state, leaves.masks[leaf])
        prefetch_bucket(tree, state)


@inlined_kernel
def _link_new_children(memory: Memory, count: int) -> None:
    """Find or add the nodes of the first ``count`` new leaves, and link them to their parents."""
    game, _, leaves, tree, counts, _ = memory
    for number in range(count):
        leaf = leaves.new[number]
        last = leaves.length[leaf]
        child = find_or_add_node(game, tree, counts, leaves.states[leaf])
        leaves.forced[leaf] = 0
        leaves.nodes[leaf, last] = child
        if child >= 0:
            add_pending(tree, child, 1)
            before = leaves.nodes[leaf, last - 1]
            set_child(tree, counts, before, leaves.edges[leaf, last - 1], child)
            if has_bounds(game, tree, child):
                backpropagate_bounds(game, tree, leaves, leaf, last - 1)
