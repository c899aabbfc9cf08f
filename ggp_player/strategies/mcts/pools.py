"""The pools of nodes, edges and joint moves: look-up, allocation, and recycling of old nodes.

A pool that has run full goes on: nodes through which no descent has led for long are taken out of
the tree one by one, as new ones are needed. So there is no pause, however large the tree is. What
points to a recycled node (an edge, a joint move) notices by its serial number; a move whose child
is gone keeps its visits and its proved bounds.

A descent takes no lock. It pins a node before it reads it, by a pending visit, and then looks again
whether the node is still that which the edge led to. Whoever recycles a node claims it first, which
nobody can who finds a pending visit; once it is claimed nobody can pin it.

Nor does it take a lock to find the node of a state, or to insert one, which is done at the head of
a bucket's list. What is removed from these lists is, with the tree's lock acquired; who goes
through a list meanwhile may be led astray to another one, and then finds nothing. So a state has
two nodes now and then, which costs what would have been learned of it by another path.
"""

from __future__ import annotations

import numpy as np

from gdl.engine.kernel_library import (
    acquire,
    add_to_int32,
    field_offset,
    hash_of,
    inlined_kernel,
    kernel,
    mixed,
    observe,
    prefetch,
    publish,
    release,
    replace_int32,
    replace_int64,
)
from ggp_player.strategies.mcts.arrays import (
    DESCENTS,
    EDGE,
    EDGES,
    FREE_JOINT_MOVE,
    FREE_NODE,
    JOINT_MOVES,
    NODE,
    NODES,
    OLD,
    RECYCLED,
    ROOT,
    SWEPT,
    UNEXPANDED,
    UNKNOWN_VALUE,
    GameArrays,
    Indices,
    Ints,
    TreeArrays,
    Words,
)
from ggp_player.strategies.mcts.memory import NEXT_EDGE, SPARE_EDGES, SPARE_NODES, Share

NO_NODE, LINKING = -1, -2
"""Stand for the child of an edge that leads to none, and to which a thread links one."""

CLAIMED = -(2**30)
"""The pending visits of a node that is free or being recycled."""

_NODE_SIZE, _PENDING = NODE.itemsize, field_offset(NODE, "pending")
_EDGE_SIZE, _CHILD = EDGE.itemsize, field_offset(EDGE, "child")

NODES_AT_ONCE, EDGES_AT_ONCE, SMALL_PART = 64, 1024, 256
"""Nodes that one of several threads takes at once, and edges that any thread does, or such a part
of all where that is less; a step that needs more takes what it needs."""

LONGEST_LIST = 256
"""Nodes of a bucket that are looked at; there are as many only where one was led astray."""

MAX_SWEPT = 2048
"""Nodes that are looked at for one that may be recycled, before younger ones are taken too."""

MAX_SWEEPS = 64
"""Attempts at that: as often the limit of age moves on by an eighth of what is left."""

# ---------------------------------------------------------------------- nodes


@inlined_kernel
def find_or_add_node(game: GameArrays, tree: TreeArrays, counts: Ints, state: Words) -> int:
    """Find the node of a packed state, or add it; -1 if there is no room.

    Nobody else may work on the tree.
    """
    node = pin_node(tree, state)
    if node < 0:
        node = allocate_node(game, tree, counts)
        if node < 0:
            return NO_NODE
        insert_node(game, tree, node, state, counts[DESCENTS])
    add_pending(tree, node, -1)
    return node


@kernel
def _bucket(tree: TreeArrays, key: np.uint64) -> int:
    return int(np.int64(key >> np.uint64(20)) & (tree.buckets.shape[0] - 1))


@inlined_kernel
def prefetch_bucket(tree: TreeArrays, state: Words) -> None:
    """Begin to fetch what :func:`pin_node` will read first."""
    bucket = _bucket(tree, hash_of(state))
    prefetch(tree.buckets.ctypes.data + tree.buckets.itemsize * bucket)


@kernel
def pin_node(tree: TreeArrays, state: Words) -> int:
    """The node of a packed state, with one pending visit more; -1 where it is not in the tree."""
    key = hash_of(state)
    node = tree.buckets[_bucket(tree, key)] - 1
    for _ in range(LONGEST_LIST):
        if node < 0:
            break
        if _is_state(tree, node, state, key):
            pending = add_pending(tree, node, 1)
            observe()
            if pending >= 0 and _is_state(tree, node, state, key):
                return int(node)
            add_pending(tree, node, -1)
        node = tree.nodes[node].next - 1
    return NO_NODE


@kernel
def _is_state(tree: TreeArrays, node: int, state: Words, key: np.uint64) -> bool:
    if tree.nodes[node].hash != key:
        return False
    for word in range(state.shape[0]):  # noqa: SIM110, as kernels have no generators
        if tree.state[node, word] != state[word]:
            return False
    return True


@kernel
def allocate_node(game: GameArrays, tree: TreeArrays, counts: Ints) -> int:
    """Allocate a node, and claim it; -1 if there is no room. The lock must be acquired."""
    if counts[FREE_NODE] == 0:
        if counts[NODES] < tree.nodes.shape[0]:
            counts[NODES] += 1
            record = tree.nodes[counts[NODES] - 1]
            record.pending, record.last_descent = CLAIMED, -1
            return int(counts[NODES] - 1)
        if not _recycle_one(game, tree, counts):
            return NO_NODE
    node = counts[FREE_NODE] - 1
    counts[FREE_NODE] = tree.nodes[node].next
    return int(node)


@kernel
def take_nodes(game: GameArrays, tree: TreeArrays, counts: Ints, share: Share, least: int) -> None:
    """Allocate nodes for the next steps of a thread, at least so many if there is room."""
    if tree.is_shared:
        least = max(least, min(NODES_AT_ONCE, tree.nodes.shape[0] // SMALL_PART))
    acquire(tree.lock)
    spare = share.counts[SPARE_NODES]
    while share.counts[SPARE_NODES] < least:
        node = allocate_node(game, tree, counts)
        if node < 0:
            break
        share.nodes[share.counts[SPARE_NODES]] = node
        share.counts[SPARE_NODES] += 1
    _reverse(share.nodes, spare, share.counts[SPARE_NODES])
    release(tree.lock)


@inlined_kernel
def _reverse(stack: Indices, first: int, last: int) -> None:
    """Reverse a part of a stack, so that its nodes are used in the order in which they lie."""
    while first < last - 1:
        last -= 1
        stack[first], stack[last] = stack[last], stack[first]
        first += 1


@kernel
def free_node(tree: TreeArrays, counts: Ints, node: int) -> None:
    """Put a claimed node, which is not in the tree, on the free list, with the lock acquired."""
    record = tree.nodes[node]
    record.last_descent = -1
    record.next = counts[FREE_NODE]
    counts[FREE_NODE] = node + 1


@kernel
def insert_node(game: GameArrays, tree: TreeArrays, node: int, state: Words, descent: int) -> int:
    """Insert an allocated node as that of a packed state, with one pending visit of a descent.

    Return it, or that which another thread has inserted meanwhile; then it is still claimed.
    """
    key = hash_of(state)
    _fill_node(game, tree, node, state, key, descent)
    bucket = _bucket(tree, key)
    address = tree.buckets.ctypes.data + tree.buckets.itemsize * bucket
    while True:
        first = tree.buckets[bucket]
        other = pin_node(tree, state)
        if other >= 0:
            return other
        tree.nodes[node].next = first
        publish()
        if replace_int32(address, first, node + 1):
            add_pending(tree, node, 1 - CLAIMED)
            return node


@kernel
def _fill_node(
    game: GameArrays, tree: TreeArrays, node: int, state: Words, key: np.uint64, descent: int
) -> None:
    """Make a node that of a state; it has not been visited yet."""
    for word in range(state.shape[0]):
        tree.state[node, word] = state[word]
    record = tree.nodes[node]
    record.hash = key
    record.last_descent = descent
    record.visits = 0
    record.mover = UNEXPANDED
    record.first_joint_move = 0
    record.is_expanded = 0
    record.is_proved = 0
    for role in range(game.floor.shape[0]):
        tree.roles[node, role].total = 0.0
        tree.roles[node, role].low = game.floor[role]
        tree.roles[node, role].high = game.ceiling[role]
        tree.roles[node, role].judged = 0


@inlined_kernel
def live_child(tree: TreeArrays, edge: int) -> int:
    """The node behind an edge; -1 where it is not, or no longer, in the tree."""
    child = tree.edges[edge].child
    if child >= 0 and tree.nodes[child].serial != tree.edges[edge].serial:
        child = NO_NODE
    return int(child)


@inlined_kernel
def set_live_child(tree: TreeArrays, edge: int, child: int) -> None:
    """Let an edge lead to a node; who reads that meanwhile sees the old node, none, or it.

    Nothing happens where another thread does so at that moment.
    """
    record = tree.edges[edge]
    address, before = tree.edges.ctypes.data + _EDGE_SIZE * edge + _CHILD, record.child
    if before == LINKING or not replace_int32(address, before, LINKING):
        return
    record.serial = tree.nodes[child].serial
    publish()
    record.child = child


@inlined_kernel
def add_pending(tree: TreeArrays, node: int, number: int) -> int:
    """Add to the pending visits of a node; return how many there were."""
    address = tree.nodes.ctypes.data + _NODE_SIZE * node + _PENDING
    return add_to_int32(address, number, tree.is_shared)


@inlined_kernel
def pin_child(tree: TreeArrays, edge: int) -> int:
    """The node behind an edge, with one pending visit more; -1 where it is not in the tree."""
    child = live_child(tree, edge)
    if child < 0:
        return NO_NODE
    pending = add_pending(tree, child, 1)
    if tree.is_shared:
        observe()
        if pending < 0 or live_child(tree, edge) != child:
            add_pending(tree, child, -1)
            return NO_NODE
    return child


@inlined_kernel
def is_settled(tree: TreeArrays, edge: int) -> bool:
    """Whether the node behind an edge is proved, and the values of all roles there are known."""
    move = tree.edges[edge]
    return bool(move.is_proved and (live_child(tree, edge) >= 0 or move.rival != UNKNOWN_VALUE))


# ---------------------------------------------------------------------- edges


@kernel
def allocate_edges(
    game: GameArrays, tree: TreeArrays, counts: Ints, share: Share, count: int
) -> int:
    """Allocate a run of edges, and return the first; -1 if there is no room.

    It acquires the lock where the thread has none left that have never been in use.
    """
    if share.counts[SPARE_EDGES] < count and not _take_edges(tree, counts, share, count):
        acquire(tree.lock)
        reused = _reuse_edges(game, tree, counts, count)
        release(tree.lock)
        return int(reused)
    first = share.counts[NEXT_EDGE]
    share.counts[NEXT_EDGE] += count
    share.counts[SPARE_EDGES] -= count
    return int(first)


@kernel
def _take_edges(tree: TreeArrays, counts: Ints, share: Share, least: int) -> bool:
    """Take a run of edges that have never been in use, at least so many; False if there is none.

    What is left of the one before is freed.
    """
    number = max(least, min(EDGES_AT_ONCE, tree.edges.shape[0] // SMALL_PART))
    address = counts.ctypes.data + counts.itemsize * EDGES
    while True:
        first = counts[EDGES]
        if first + number > tree.edges.shape[0]:
            number = least
        if first + number > tree.edges.shape[0]:
            return False
        if replace_int64(address, first, first + number):
            break
    if share.counts[SPARE_EDGES] > 0:
        acquire(tree.lock)
        free_edges(tree, share.counts[NEXT_EDGE], share.counts[SPARE_EDGES])
        release(tree.lock)
    share.counts[NEXT_EDGE], share.counts[SPARE_EDGES] = first, number
    return True


@kernel
def _reuse_edges(game: GameArrays, tree: TreeArrays, counts: Ints, count: int) -> int:
    """Take a run of edges from the free lists, and recycle nodes until there is one."""
    while True:
        size = count
        while size < tree.free_edges.shape[0] and tree.free_edges[size] == 0:
            size += 1
        if size < tree.free_edges.shape[0]:
            first = tree.free_edges[size] - 1
            tree.free_edges[size] = tree.edges[first].child
            if size > count:
                free_edges(tree, first + count, size - count)
            return int(first)
        if not _recycle_one(game, tree, counts):
            return -1


@kernel
def free_edges(tree: TreeArrays, first: int, count: int) -> None:
    """Put a run of edges on the free list; the lock must be acquired."""
    tree.edges[first].child = tree.free_edges[count]
    tree.free_edges[count] = first + 1


# ---------------------------------------------------------------------- joint moves


@kernel
def joint_hash(tree: TreeArrays, node: int, edges: np.ndarray) -> np.uint64:
    """Hash a node and the edges, int32 (R,), that the roles choose there."""
    key = mixed(np.uint64(node + 1))
    for role in range(edges.shape[0]):
        key = mixed(key ^ np.uint64(edges[role] + 1))
    return key


@kernel
def find_joint_move(tree: TreeArrays, key: np.uint64) -> int:
    """The joint move of a hash; -1 where it is not in the tree."""
    index = tree.joint_buckets[_joint_bucket(tree, key)] - 1
    while index >= 0 and tree.joint_moves[index].hash != key:
        index = tree.joint_moves[index].next - 1
    return int(index)


@kernel
def find_joint_child(tree: TreeArrays, key: np.uint64) -> int:
    """The node behind the joint move of a hash; -1 where it is not in the tree."""
    index = find_joint_move(tree, key)
    return live_joint_child(tree, index) if index >= 0 else NO_NODE


@kernel
def live_joint_child(tree: TreeArrays, index: int) -> int:
    """The node behind a joint move; -1 where it is no longer in the tree."""
    child = tree.joint_moves[index].child
    if tree.nodes[child].serial != tree.joint_moves[index].serial:
        child = NO_NODE
    return int(child)


@kernel
def set_joint_child(
    tree: TreeArrays, counts: Ints, node: int, edges: np.ndarray, child: int
) -> None:
    """Record the node behind a joint move; nothing happens where the pool is full."""
    key = joint_hash(tree, node, edges)
    index = find_joint_move(tree, key)
    if index < 0:
        index = _add_joint_move(tree, counts, node, edges, key)
    if index >= 0:
        tree.joint_moves[index].child = child
        tree.joint_moves[index].serial = tree.nodes[child].serial
        tree.joint_moves[index].is_final = 0


@kernel
def _add_joint_move(
    tree: TreeArrays, counts: Ints, node: int, edges: np.ndarray, key: np.uint64
) -> int:
    if counts[FREE_JOINT_MOVE] > 0:
        index = counts[FREE_JOINT_MOVE] - 1
        counts[FREE_JOINT_MOVE] = tree.joint_moves[index].next
    elif counts[JOINT_MOVES] < tree.joint_moves.shape[0]:
        index = counts[JOINT_MOVES]
        counts[JOINT_MOVES] += 1
    else:
        return -1
    joint_move = tree.joint_moves[index]
    joint_move.hash = key
    for role in range(edges.shape[0]):
        tree.joint_edges[index, role] = edges[role]
        if edges[role] >= 0:
            tree.known_joint_moves[edges[role]] += 1
    bucket = _joint_bucket(tree, key)
    joint_move.next = tree.joint_buckets[bucket]
    tree.joint_buckets[bucket] = index + 1
    joint_move.next_of_node = tree.nodes[node].first_joint_move
    tree.nodes[node].first_joint_move = index + 1
    return int(index)


@kernel
def _joint_bucket(tree: TreeArrays, key: np.uint64) -> int:
    return int(np.int64(key >> np.uint64(20)) & (tree.joint_buckets.shape[0] - 1))


@kernel
def _free_joint_moves(tree: TreeArrays, counts: Ints, node: int) -> None:
    index = tree.nodes[node].first_joint_move - 1
    while index >= 0:
        following = tree.joint_moves[index].next_of_node - 1
        _unlink_joint_move(tree, index)
        tree.joint_moves[index].next = counts[FREE_JOINT_MOVE]
        counts[FREE_JOINT_MOVE] = index + 1
        index = following


@kernel
def _unlink_joint_move(tree: TreeArrays, index: int) -> None:
    bucket = _joint_bucket(tree, tree.joint_moves[index].hash)
    before = tree.joint_buckets[bucket] - 1
    if before == index:
        tree.joint_buckets[bucket] = tree.joint_moves[index].next
        return
    while tree.joint_moves[before].next != index + 1:
        before = tree.joint_moves[before].next - 1
    tree.joint_moves[before].next = tree.joint_moves[index].next


# ---------------------------------------------------------------------- recycling


@kernel
def _recycle_one(game: GameArrays, tree: TreeArrays, counts: Ints) -> bool:
    """Recycle one old node; return whether there was one.

    A pointer sweeps the pool, as in the clock algorithm for pages of memory. Nodes on the paths of
    pending leaves stay, and so does the root. Nodes of proved value do not: what is proved of them
    stands in the edges that lead there.

    Source: A. Tanenbaum and H. Bos, Modern Operating Systems (2014), section 3.4.5.
    """
    for _ in range(MAX_SWEEPS):
        for _ in range(MAX_SWEPT):
            node = counts[SWEPT]
            counts[SWEPT] = node + 1 if node + 1 < counts[NODES] else 0
            if _is_old(tree, counts, node) and _claim(tree, node):
                _recycle(game, tree, counts, node)
                return True
        counts[OLD] += 1 + (counts[DESCENTS] - counts[OLD]) // 8
    return False


@kernel
def _is_old(tree: TreeArrays, counts: Ints, node: int) -> bool:
    record = tree.nodes[node]
    is_free = record.last_descent < 0
    return bool(
        not is_free
        and record.last_descent < counts[OLD]
        and record.pending == 0
        and node != counts[ROOT]
    )


@kernel
def _claim(tree: TreeArrays, node: int) -> bool:
    """Claim a node for recycling; return False where a descent has pinned it meanwhile."""
    address = tree.nodes.ctypes.data + _NODE_SIZE * node + _PENDING
    return replace_int32(address, 0, CLAIMED)


@kernel
def _recycle(game: GameArrays, tree: TreeArrays, counts: Ints, node: int) -> None:
    """Take a node out of the tree, with its edges and joint moves, and put it on the free list."""
    record = tree.nodes[node]
    _remove_from_bucket(tree, node)
    if record.is_expanded:
        for role in range(game.chance.shape[0]):
            if tree.roles[node, role].first_edge >= 0:
                first, count = tree.roles[node, role].first_edge, tree.roles[node, role].choices
                free_edges(tree, first, count)
        _free_joint_moves(tree, counts, node)
    record.serial += np.uint16(1)
    free_node(tree, counts, node)
    counts[RECYCLED] += 1


@kernel
def _remove_from_bucket(tree: TreeArrays, node: int) -> None:
    """Remove a node from its bucket's list, at whose head others may be inserted meanwhile."""
    record = tree.nodes[node]
    bucket = _bucket(tree, record.hash)
    address = tree.buckets.ctypes.data + tree.buckets.itemsize * bucket
    if replace_int32(address, node + 1, record.next):
        return
    before = tree.buckets[bucket] - 1
    while tree.nodes[before].next != node + 1:
        before = tree.nodes[before].next - 1
    tree.nodes[before].next = record.next
