"""Nodes of the tree: expansion, the choice of an edge, visits and values.

Functions that every playout needs are compiled into the search loop itself (``inlined_kernel``):
passing all these arrays takes longer than most of the functions do.
"""

from __future__ import annotations

import math

import numpy as np

from gdl.engine.kernel_library import (
    ZERO,
    acquire,
    add_to_float64,
    add_to_int64,
    add_to_uint16,
    elements_fixing,
    field_offset,
    inlined_kernel,
    is_canonical,
    is_set,
    kernel,
    publish,
    release,
    replace_int32,
)
from ggp_player.strategies.mcts.arrays import (
    EDGE,
    EXPANDING,
    NODE,
    PARTS,
    ROLE,
    TOGETHER,
    UNEXPANDED,
    UNKNOWN_VALUE,
    GameArrays,
    Ints,
    Settings,
    Sums,
    TreeArrays,
    is_complement,
    mean_of_descents,
)
from ggp_player.strategies.mcts.memory import (
    FREE_STANDS,
    LaneArrays,
    Memory,
    PendingLeaves,
    Stands,
)
from ggp_player.strategies.mcts.pools import (
    NO_NODE,
    add_pending,
    allocate_edges,
    find_joint_child,
    free_edges,
    is_settled,
    joint_hash,
    live_child,
    set_joint_child,
    set_live_child,
)
from ggp_player.strategies.mcts.priors import (
    EXPANDED,
    has_room,
    judge_move,
    wait_for_priors,
)
from ggp_player.strategies.mcts.simultaneous import (
    SIMULTANEOUS,
    has_matrix,
    select_by_regret,
    update_regrets,
)

# ---------------------------------------------------------------------- children


@inlined_kernel
def find_child(tree: TreeArrays, node: int, edges: np.ndarray) -> int:
    """The node behind the edges, int32 (R,), that the roles choose; -1 if not known."""
    mover = tree.nodes[node].mover
    if mover >= 0:
        return live_child(tree, edges[mover])
    return find_joint_child(tree, joint_hash(tree, node, edges))


@inlined_kernel
def set_child(tree: TreeArrays, counts: Ints, node: int, edges: np.ndarray, child: int) -> None:
    """Record the node behind the edges that the roles choose.

    What is proved of it the edge takes over later, with the bounds of its value: another thread may
    prove it at this moment.
    """
    mover = tree.nodes[node].mover
    if mover >= 0:
        edge = tree.edges[edges[mover]]
        edge.is_proved = 0
        edge.rival = UNKNOWN_VALUE
        set_live_child(tree, edges[mover], child)
    else:
        set_joint_child(tree, counts, node, edges, child)


# ---------------------------------------------------------------------- expansion


_NODE_SIZE, _NODE_MOVER = NODE.itemsize, field_offset(NODE, "mover")


@kernel
def expand(memory: Memory, node: int, lane: int) -> None:
    """Add the edges of a node: the moves that are legal in a lane of the evaluated block.

    Where one role alone has a choice, only one move of each orbit under the symmetries that fix the
    state gets an edge; where nobody has, the only move of the first role gets one. The node stays a
    leaf if a role has no legal move, or if there is no room for edges. Where another thread expands
    it nothing is done.
    """
    _, block, _, tree, _, _, _ = memory
    address = tree.nodes.ctypes.data + _NODE_SIZE * node + _NODE_MOVER
    if not replace_int32(address, UNEXPANDED, EXPANDING):
        return
    movers, mover = _find_movers(memory.game, tree, node, block, lane)
    if movers >= 0 and _add_all_edges(memory, node, lane, movers, mover):
        tree.nodes[node].mover = mover
        publish()
        tree.nodes[node].is_expanded = EXPANDED
        if movers == 1 and not memory.game.chance[mover]:
            wait_for_priors(tree, memory.priors, node)
    else:
        tree.nodes[node].mover = UNEXPANDED


@inlined_kernel
def _add_all_edges(memory: Memory, node: int, lane: int, movers: int, mover: int) -> bool:
    """Add the edges of all roles at a node; return whether there was room."""
    game, _, _, tree, counts, priors, _ = memory
    fixing = ZERO
    if movers == 1 and not game.chance[mover]:
        if not has_room(priors, tree.roles[node, mover].choices):
            return False
        fixing = elements_fixing(game.symmetries, tree.state[node])
    if movers > 1:
        counts[TOGETHER] = 1
    for role in range(game.chance.shape[0]):
        needed = tree.roles[node, role].choices > 1 or (movers == 0 and role == 0)
        if needed and not _add_edges(memory, node, role, fixing, lane):
            _drop_edges(tree, node, role)
            return False
    return True


@kernel
def _find_movers(
    game: GameArrays, tree: TreeArrays, node: int, block: LaneArrays, lane: int
) -> tuple[int, int]:
    """Find out who has a choice at a node; return how many, -1 if a role has no move, and who."""
    movers, mover = 0, 0
    for role in range(game.chance.shape[0]):
        count = 0
        for move in range(game.offsets[role], game.offsets[role + 1]):
            if is_set(block.rows, game.legal + move, lane):
                count += 1
                tree.roles[node, role].first_edge = -1 - (move - game.offsets[role])
        tree.roles[node, role].choices = count
        if count == 0:
            return -1, mover
        if count > 1:
            movers += 1
            mover = role if movers == 1 else SIMULTANEOUS
    return movers, mover


@kernel
def _add_edges(memory: Memory, node: int, role: int, fixing: np.uint64, lane: int) -> bool:
    """Add the edges of a role at a node; return whether there was room."""
    game, block, _, tree, counts, _, share = memory
    count = 0
    for move in range(game.offsets[role], game.offsets[role + 1]):
        if is_set(block.rows, game.legal + move, lane):
            count += is_canonical(game.symmetries, fixing, move)
    first = allocate_edges(game, tree, counts, share, count)
    if first < 0:
        return False
    tree.roles[node, role].first_edge = first
    tree.roles[node, role].choices = count
    edge = first
    for move in range(game.offsets[role], game.offsets[role + 1]):
        is_legal = is_set(block.rows, game.legal + move, lane)
        if is_legal and is_canonical(game.symmetries, fixing, move):
            _fill_edge(game, tree, edge, role, move - game.offsets[role])
            if counts[TOGETHER]:
                tree.regret[edge] = 0.0
                tree.known_joint_moves[edge] = 0
            edge += 1
    return True


@kernel
def _fill_edge(game: GameArrays, tree: TreeArrays, edge: int, role: int, move: int) -> None:
    record = tree.edges[edge]
    record.move = move
    record.child = NO_NODE
    record.visits = 0
    record.pending = 0
    record.total = 0.0
    record.low = game.floor[role]
    record.high = game.ceiling[role]
    record.is_proved = 0
    record.rival = UNKNOWN_VALUE
    record.prior = 0
    record.judged = 0


@kernel
def _drop_edges(tree: TreeArrays, node: int, last_role: int) -> None:
    """Free the edges that the roles before one have got at a node."""
    acquire(tree.lock)
    for role in range(last_role):
        if tree.roles[node, role].first_edge >= 0:
            free_edges(tree, tree.roles[node, role].first_edge, tree.roles[node, role].choices)
    release(tree.lock)


# ---------------------------------------------------------------------- selection


@inlined_kernel
def select_edge(
    game: GameArrays, tree: TreeArrays, settings: Settings, node: int, role: int
) -> int:
    """Select the edge of the highest upper confidence bound (UCT).

    Pending visits count too, but not that of the descent which selects. Where moves have priors, a
    move's bound is the higher the likelier it is to be best (PUCT), and what patterns say it is
    worth, compared to the best, counts as some visits with that value. Moves of proved value, and
    moves that cannot be better than what is assured, are pruned while there are others. A role that
    moves by chance makes its moves equally often. At simultaneous-move nodes regret matching
    chooses.

    Sources: L. Kocsis and C. Szepesvari, Bandit based Monte-Carlo planning (2006); M. Winands et
    al., Monte-Carlo tree search solver (2008); A. Liu et al., Watch the unobserved (2020); for
    values as visits, S. Gelly and D. Silver, Combining online and offline knowledge in UCT (2007).
    """
    own = tree.roles[node, role]
    first = own.first_edge
    last = first + own.choices
    alone = tree.nodes[node].mover == role
    visits, pending = tree.nodes[node].visits, tree.nodes[node].pending - 1
    spread = settings.exploration * game.spread[role] * math.sqrt(math.log(visits + pending + 1.0))
    guidance = settings.guidance * game.spread[role] * math.sqrt(visits + pending) / PARTS
    mean = mean_of_descents(game, tree, node, role) if visits else 0.5
    best, best_value = -1, -1e30
    if game.chance[role]:
        best = _least_visited(tree, first, last)
    elif settings.uniform > 0.0 and has_matrix(tree, node):
        best = select_by_regret(tree, settings, node, role)
    for prune in (True, False):
        if best >= 0:
            break
        for edge in range(first, last):
            move = tree.edges[edge]
            if prune and _is_pruned(game, tree, edge, own.low, alone):
                continue
            tries = float(move.visits) + float(move.pending)
            if move.prior:
                told = mean - (own.judged - float(move.judged)) / PARTS
                value = (move.total + settings.trust * told) / (move.visits + settings.trust)
                value += settings.minimax_share * (move.judged / PARTS - value)
                bonus = guidance * move.prior / (1.0 + tries)
            else:
                value = move.total / move.visits if move.visits else mean
                bonus = spread / math.sqrt(max(1.0, tries))
            value = min(max(value, 0.01 * move.low - settings.rivalry), 0.01 * move.high) + bonus
            if value > best_value:
                best, best_value = edge, value
    return best


@inlined_kernel
def _is_pruned(game: GameArrays, tree: TreeArrays, edge: int, assured: int, alone: bool) -> bool:
    """Whether a descent through an edge cannot show anything new.

    Among moves that are as good for the mover the one that is worse for the others is made, so a
    move that can only be as good counts where goals have no constant sum.
    """
    move = tree.edges[edge]
    if not alone or game.constant_sum >= 0:
        return bool(move.high <= assured or move.low == move.high or move.is_proved)
    return bool(move.high < assured or is_settled(tree, edge))


@kernel
def _least_visited(tree: TreeArrays, first: int, last: int) -> int:
    least = first
    fewest = np.int64(1) << 40
    for edge in range(first, last):
        visits = np.int64(tree.edges[edge].visits) + np.int64(tree.edges[edge].pending)
        if visits < fewest:
            least, fewest = edge, visits
    return least


# ---------------------------------------------------------------------- visits and values


_NODE_VISITS = field_offset(NODE, "visits")
_ROLE_SIZE, _ROLE_TOTAL = ROLE.itemsize, field_offset(ROLE, "total")
_EDGE_SIZE, _EDGE_VISITS = EDGE.itemsize, field_offset(EDGE, "visits")
_EDGE_TOTAL, _EDGE_PENDING = field_offset(EDGE, "total"), field_offset(EDGE, "pending")


@inlined_kernel
def add_pending_to_edges(tree: TreeArrays, edges: np.ndarray, number: int) -> None:
    """Add pending visits to the edges, int32 (R,), that the roles choose at a node."""
    for role in range(edges.shape[0]):
        if edges[role] >= 0:
            address = tree.edges.ctypes.data + _EDGE_SIZE * edges[role] + _EDGE_PENDING
            add_to_uint16(address, number, tree.is_shared)


@inlined_kernel
def backpropagate(
    game: GameArrays,
    tree: TreeArrays,
    settings: Settings,
    leaves: PendingLeaves,
    leaf: int,
    visits: int,
) -> None:
    """Add a leaf's values to the nodes and edges of its path, whose pending visit ends.

    ``visits`` is 0 for a leaf that is cancelled, otherwise 1. What is above the leaf's stand gets
    the sum of all leaves below it, when the last has ended. A node is unpinned last.
    """
    values, length, stand = leaves.totals[leaf], leaves.length[leaf], leaves.stand[leaf]
    first = leaves.stands.length[stand] if stand >= 0 else 0
    if settings.minimax_share > 0.0:
        _judge_path(game, tree, leaves.nodes[leaf], leaves.edges[leaf], first, length)
    for step in range(first, length + 1):
        node = leaves.nodes[leaf, step]
        if node < 0:
            continue
        if visits > 0 and step < length and has_matrix(tree, node):
            update_regrets(game, tree, leaves, leaf, step)
        edges = leaves.edges[leaf, min(step, length - 1)]
        _add_descents(game, tree, settings, node, edges, values, step < length, visits, 1)
    if stand >= 0:
        leaves.stands.visits[stand] += visits
        for role in range(values.shape[0]):
            leaves.stands.totals[stand, role] += visits * values[role]


@inlined_kernel
def leave_stand(
    game: GameArrays, tree: TreeArrays, settings: Settings, stands: Stands, stand: int
) -> None:
    """Note that a leaf below a stand has ended, or that no more descents begin at it.

    After the last the sums are added to the path that leads there, and the stand is free.
    """
    stands.pending[stand] -= 1
    if stands.pending[stand] > 0:
        return
    values, visits, length = stands.totals[stand], stands.visits[stand], stands.length[stand]
    if settings.minimax_share > 0.0:
        _judge_path(game, tree, stands.nodes[stand], stands.edges[stand], 0, length)
    for step in range(length):
        node, edges = stands.nodes[stand, step], stands.edges[stand, step]
        _add_descents(game, tree, settings, node, edges, values, True, visits, settings.batch)
    add_pending(tree, stands.nodes[stand, length], -1)
    stands.free[stands.counts[FREE_STANDS]] = stand
    stands.counts[FREE_STANDS] += 1


@inlined_kernel
def _judge_path(
    game: GameArrays, tree: TreeArrays, nodes: np.ndarray, edges: np.ndarray, first: int, last: int
) -> None:
    """Back up what patterns say along a path, int32 (D + 1,) and (D, R), from its end."""
    for step in range(last - 1, first - 1, -1):
        node = nodes[step]
        mover = tree.nodes[node].mover
        if mover >= 0 and edges[step, mover] >= 0:
            judge_move(game, tree, node, edges[step, mover], nodes[step + 1])


@inlined_kernel
def _add_descents(
    game: GameArrays,
    tree: TreeArrays,
    settings: Settings,
    node: int,
    edges: np.ndarray,
    values: Sums,
    goes_on: bool,
    visits: int,
    pending: int,
) -> None:
    """Add visits, with the sums of their values, to a node and, if a path goes on, to its edges."""
    # The visits ended and those pending, which come after them, are one addition.
    ended = visits - (pending << 32)
    for role in range(values.shape[0]):
        if not is_complement(game, role):
            place = tree.roles.shape[1] * node + role
            address = tree.roles.ctypes.data + _ROLE_SIZE * place + _ROLE_TOTAL
            gain = values[role] if visits > 0 else 0.0
            add_to_float64(address, gain, tree.is_shared)
        if goes_on and edges[role] >= 0:
            edge = tree.edges.ctypes.data + _EDGE_SIZE * edges[role]
            gain = utility(game, settings, values, role) if visits > 0 else 0.0
            add_to_float64(edge + _EDGE_TOTAL, gain, tree.is_shared)
            add_to_int64(edge + _EDGE_VISITS, ended, tree.is_shared)
    address = tree.nodes.ctypes.data + _NODE_SIZE * node + _NODE_VISITS
    add_to_int64(address, ended, tree.is_shared)


@inlined_kernel
def utility(game: GameArrays, settings: Settings, values: Sums, role: int) -> float:
    """What values, float64 (R,) in hundredths, are worth to a role.

    Where goals have no constant sum that is its own value, and in part how little the others get.
    """
    others, count = 0.0, 0
    if game.constant_sum < 0:
        for other in range(values.shape[0]):
            if other != role and not game.chance[other]:
                others += values[other]
                count += 1
    return float(values[role] - settings.rivalry * others / max(count, 1))
