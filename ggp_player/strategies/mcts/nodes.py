"""Nodes of the tree: finding, bounds, the choice among moves, and backing up.

What every playout needs is compiled into the hot loop itself: to pass all arrays to a function
takes longer than most of these functions do.
"""

from __future__ import annotations

import math

import numpy as np

from gdl.engine.kernel_library import (
    ZERO,
    elements_fixing,
    hash_of,
    inlined_kernel,
    is_canonical,
    is_set,
    kernel,
)
from ggp_player.strategies.mcts.arrays import (
    EDGES,
    FULL,
    NODES,
    GameArrays,
    Ints,
    Lanes,
    PendingLeaves,
    Settings,
    TreeArrays,
    Words,
)
from ggp_player.strategies.mcts.simultaneous import (
    SEVERAL,
    choose_by_regret,
    has_matrix,
    joint_child,
    joint_key,
    note_regrets,
    prove_joint,
    set_joint_child,
)

NO_NODE = -1


@kernel
def node_of(game: GameArrays, tree: TreeArrays, counts: Ints, state: Words) -> int:
    """Return the node of a packed state, made if there is none; -1 if full."""
    return find_node(game, tree, counts, state)


@inlined_kernel
def find_node(game: GameArrays, tree: TreeArrays, counts: Ints, state: Words) -> int:
    """Do what :func:`node_of` does."""
    key = hash_of(state)
    place = _node_place(tree, state, key)
    if tree.table[place] >= 0:
        return tree.table[place]
    node = counts[NODES]
    if node == tree.visits.shape[0]:
        counts[FULL] = 1
        return NO_NODE
    counts[NODES] += 1
    tree.table[place] = node
    tree.hash[node] = key
    for word in range(state.shape[0]):
        tree.state[node, word] = state[word]
    for role in range(game.floor.shape[0]):
        tree.low[node, role] = game.floor[role]
        tree.high[node, role] = game.ceiling[role]
        tree.total[node, role] = 0.0
    tree.choices[node, 0] = tree.visits[node] = tree.flying[node] = tree.joint[node] = 0
    return node


@kernel
def _node_place(tree: TreeArrays, state: Words, key: np.uint64) -> int:
    """Return where a state is in the table of nodes, or where it would be."""
    mask = tree.table.shape[0] - 1
    place = np.int64(key >> np.uint64(20)) & mask
    while tree.table[place] >= 0:
        node = tree.table[place]
        if tree.hash[node] == key and _is_state(tree, node, state):
            break
        place = (place + 1) & mask
    return place


@kernel
def _is_state(tree: TreeArrays, node: int, state: Words) -> bool:
    for word in range(state.shape[0]):  # noqa: SIM110, as kernels have no generators
        if tree.state[node, word] != state[word]:
            return False
    return True


@kernel
def child_of(tree: TreeArrays, node: int, edges: np.ndarray) -> int:
    """Return the node after the edges, int32 (R,), that the roles choose, -1 if not known."""
    return find_child(tree, node, edges)


@inlined_kernel
def find_child(tree: TreeArrays, node: int, edges: np.ndarray) -> int:
    """Do what :func:`child_of` does."""
    mover = tree.mover[node]
    if mover >= 0:
        return tree.child[edges[mover]]
    return joint_child(tree, joint_key(tree, node, edges))


@inlined_kernel
def set_child(tree: TreeArrays, counts: Ints, node: int, edges: np.ndarray, child: int) -> None:
    """Remember the node after the edges that the roles choose."""
    mover = tree.mover[node]
    if mover >= 0:
        tree.child[edges[mover]] = child
    else:
        set_joint_child(tree, counts, node, edges, child)


@kernel
def expand(
    game: GameArrays, tree: TreeArrays, counts: Ints, node: int, block: Lanes, lane: int
) -> None:
    """Give a node the edges of the moves that are legal in a lane of an evaluated block.

    Of moves that are images of each other, where the state is its own image, the only role with a
    choice gets one. Nothing is given where a role has no legal move, or where the edges run out.
    """
    needed = _count_choices(game, tree, node, block, lane)
    if needed < 0:
        return
    if counts[EDGES] + needed > tree.move.shape[0]:
        tree.choices[node, 0] = 0
        counts[FULL] = 1
        return
    fixing, mover = ZERO, tree.mover[node]
    if mover >= 0 and not game.chance[mover]:
        fixing = elements_fixing(game.images, tree.state[node])
    for role in range(game.chance.shape[0]):
        if tree.choices[node, role] > 1 or (needed == 1 and role == 0):
            tree.first[node, role] = counts[EDGES]
            for move in range(game.offsets[role], game.offsets[role + 1]):
                is_legal = is_set(block.rows, game.legal + move, lane)
                if is_legal and is_canonical(game.images, fixing, move):
                    edge = counts[EDGES]
                    counts[EDGES] += 1
                    tree.move[edge] = move - game.offsets[role]
                    tree.child[edge] = NO_NODE
                    tree.tries[edge] = tree.airborne[edge] = 0
                    tree.score[edge] = 0.0
                    tree.fellows[edge] = 0
                    tree.gain[edge] = 0.0
                    tree.joined[edge] = 0
                    tree.regret[edge] = 0.0
                    tree.least[edge] = game.floor[role]
                    tree.most[edge] = game.ceiling[role]
            tree.choices[node, role] = counts[EDGES] - tree.first[node, role]


@kernel
def _count_choices(game: GameArrays, tree: TreeArrays, node: int, block: Lanes, lane: int) -> int:
    """Note who has a choice at a node; return how many edges it needs, -1 where one is stuck."""
    needed, movers = 0, 0
    tree.mover[node] = 0
    for role in range(game.chance.shape[0]):
        count = 0
        for move in range(game.offsets[role], game.offsets[role + 1]):
            if is_set(block.rows, game.legal + move, lane):
                count += 1
                tree.first[node, role] = -1 - (move - game.offsets[role])
        tree.choices[node, role] = count
        if count == 0:
            tree.choices[node, 0] = 0
            return -1
        if count > 1:
            movers += 1
            tree.mover[node] = role if movers == 1 else SEVERAL
            needed += count
    return max(needed, 1)


@inlined_kernel
def is_proved(tree: TreeArrays, node: int) -> bool:
    """Tell whether the node's value is known for every role."""
    for role in range(tree.low.shape[1]):  # noqa: SIM110, as kernels have no generators
        if tree.low[node, role] != tree.high[node, role]:
            return False
    return True


@inlined_kernel
def has_bounds(game: GameArrays, tree: TreeArrays, node: int) -> bool:
    """Tell whether anything is proved of the node's value."""
    for role in range(tree.low.shape[1]):
        if tree.low[node, role] > game.floor[role] or tree.high[node, role] < game.ceiling[role]:
            return True
    return False


@inlined_kernel
def choose(game: GameArrays, tree: TreeArrays, settings: Settings, node: int, role: int) -> int:
    """Return the edge that a role follows: the one that could be best, by what is known of each.

    Moves that cannot be better than what is assured are left out, and so are those whose value
    is known, while there are others. A role that moves by chance takes its moves equally often.

    Sources: L. Kocsis and C. Szepesvari, Bandit based Monte-Carlo planning (2006); M. Winands et
    al., Monte-Carlo tree search solver (2008); A. Liu et al., Watch the unobserved (2020).
    """
    first, last = tree.first[node, role], tree.first[node, role] + tree.choices[node, role]
    alone = tree.mover[node] == role
    visits = tree.visits[node]
    spread = settings.exploration * math.sqrt(math.log(visits + tree.flying[node] + 1.0))
    mean = tree.total[node, role] / visits if visits else 0.5
    best, best_value = -1, -1e30
    if game.chance[role]:
        best = _least_tried(tree, first, last)
    elif settings.uniform > 0.0 and has_matrix(tree, node):
        best = choose_by_regret(tree, settings, node, role)
    for prune in (True, False):
        if best >= 0:
            break
        for edge in range(first, last):
            tries, airborne = tree.tries[edge], tree.airborne[edge]
            value = tree.score[edge] / tries if tries else mean
            if settings.equivalence and tree.fellows[edge]:
                weight = math.sqrt(settings.equivalence / (settings.equivalence + 3.0 * tries))
                value += weight * (tree.gain[edge] / tree.fellows[edge] - value)
            child = tree.child[edge] if alone else NO_NODE
            if child >= 0 or not alone:
                low = tree.low[child, role] if alone else tree.least[edge]
                high = tree.high[child, role] if alone else tree.most[edge]
                if prune and (high <= tree.low[node, role] or low == high):
                    continue
                value = min(max(value, 0.01 * low), 0.01 * high)
            value += spread / math.sqrt(max(1.0, tries + airborne))
            if value > best_value:
                best, best_value = edge, value
    return best


@kernel
def _least_tried(tree: TreeArrays, first: int, last: int) -> int:
    least = first
    for edge in range(first + 1, last):
        if tree.tries[edge] + tree.airborne[edge] < tree.tries[least] + tree.airborne[least]:
            least = edge
    return least


@inlined_kernel
def back_up(tree: TreeArrays, flights: PendingLeaves, flight: int, playouts: int) -> None:
    """Add the sums of a flight's playouts to all nodes and edges of its path."""
    sums = flights.sums[flight]
    length = flights.length[flight]
    for step in range(length + 1):
        node = flights.nodes[flight, step]
        if node < 0:
            continue
        tree.visits[node] += playouts
        tree.flying[node] -= flights.size[flight]
        for role in range(sums.shape[0]):
            tree.total[node, role] += sums[role]
            if step < length and flights.edges[flight, step, role] >= 0:
                edge = flights.edges[flight, step, role]
                tree.tries[edge] += playouts
                tree.score[edge] += sums[role]
                tree.airborne[edge] -= flights.size[flight]
        if playouts > 0 and step < length and has_matrix(tree, node):
            note_regrets(tree, flights, flight, step, playouts)


@kernel
def share_moves(game: GameArrays, tree: TreeArrays, flights: PendingLeaves, flight: int) -> None:
    """Tell every node of a path of the moves that were made in the flight's playouts."""
    length, size = flights.length[flight], flights.size[flight]
    for step in range(length):
        for role in range(game.chance.shape[0]):
            edge = flights.edges[flight, step, role]
            if edge >= 0:
                move = game.offsets[role] + tree.move[edge]
                flights.made[flight, move] = size
                flights.gains[flight, move] = flights.sums[flight, role]
    for step in range(length + 1):
        node = flights.nodes[flight, step]
        if node < 0 or tree.choices[node, 0] == 0:
            continue
        for role in range(game.chance.shape[0]):
            first = tree.first[node, role]
            if first >= 0:
                for edge in range(first, first + tree.choices[node, role]):
                    move = game.offsets[role] + tree.move[edge]
                    tree.fellows[edge] += flights.made[flight, move]
                    tree.gain[edge] += flights.gains[flight, move]


@inlined_kernel
def take_off(tree: TreeArrays, flights: PendingLeaves, flight: int) -> None:
    """Mark the nodes and edges of a flight's path as being on the way."""
    size, length = flights.size[flight], flights.length[flight]
    for step in range(length + 1):
        node = flights.nodes[flight, step]
        if node >= 0:
            tree.flying[node] += size
        for role in range(flights.edges.shape[2]):
            if step < length and flights.edges[flight, step, role] >= 0:
                tree.airborne[flights.edges[flight, step, role]] += size


@kernel
def prove_path(
    game: GameArrays, tree: TreeArrays, flights: PendingLeaves, flight: int, last: int
) -> None:
    """Bring the bounds of a path's nodes up to date, from the ``last`` step up to the root."""
    for step in range(last, -1, -1):
        if not _prove(game, tree, flights.nodes[flight, step], flights.edges[flight, step]):
            return


@kernel
def _prove(game: GameArrays, tree: TreeArrays, node: int, edges: np.ndarray) -> bool:
    """Bring a node's bounds up to date with those after the edges; tell whether they changed."""
    if tree.choices[node, 0] == 0:
        return False
    if tree.mover[node] == SEVERAL:
        changed = prove_joint(game, tree, node, edges)
    else:
        changed = _prove_alone(game, tree, node)
    if changed and game.sum >= 0:
        _mirror(game, tree, node, game.first, game.second)
        _mirror(game, tree, node, game.second, game.first)
    return changed


@kernel
def _prove_alone(game: GameArrays, tree: TreeArrays, node: int) -> bool:
    """Do so at a node where one role has a choice.

    It is assured of the best of its moves' lower bounds. The others can only rely on the worst:
    what the mover prefers is not assumed.
    """
    mover = tree.mover[node]
    first, last = tree.first[node, mover], tree.first[node, mover] + tree.choices[node, mover]
    changed = False
    for role in range(tree.low.shape[1]):
        least, most = game.ceiling[role], game.floor[role]
        best_low = game.floor[role]
        for edge in range(first, last):
            child = tree.child[edge]
            low = tree.low[child, role] if child >= 0 else game.floor[role]
            high = tree.high[child, role] if child >= 0 else game.ceiling[role]
            least, most = min(least, low), max(most, high)
            best_low = max(best_low, low)
        if role == mover and not game.chance[role]:
            least = best_low
        if least > tree.low[node, role] or most < tree.high[node, role]:
            tree.low[node, role] = max(least, tree.low[node, role])
            tree.high[node, role] = min(most, tree.high[node, role])
            changed = True
    return changed


@kernel
def _mirror(game: GameArrays, tree: TreeArrays, node: int, role: int, rival: int) -> None:
    """Take over what is proved of a rival's value in a game of constant sum."""
    tree.low[node, role] = max(tree.low[node, role], game.sum - tree.high[node, rival])
    tree.high[node, role] = min(tree.high[node, role], game.sum - tree.low[node, rival])
