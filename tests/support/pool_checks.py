"""Checks that the pools of a search tree are consistent: nothing in them is lost or used twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from ggp_player.strategies.mcts.arrays import (
    EDGES,
    FREE_JOINT_MOVE,
    FREE_NODE,
    JOINT_MOVES,
    NODES,
    Ints,
    TreeArrays,
)
from ggp_player.strategies.mcts.memory import NEXT_EDGE, SPARE_EDGES, SPARE_NODES
from ggp_player.strategies.mcts.tree_search import TreeSearch


def links(first: int, following: Any) -> Iterator[int]:
    """The indices on a list whose links hold one more, and 0 at its end."""
    while first > 0:
        yield first - 1
        first = int(following[first - 1])


def check_runs(tree: TreeArrays, counts: Ints, used: list[tuple[int, int]]) -> None:
    """Check that runs in use and free runs together are all edges that were ever in use."""
    free = [
        (first, size)
        for size in range(1, len(tree.free_edges))
        for first in links(int(tree.free_edges[size]), tree.edges["child"])
    ]
    covered = list(chain.from_iterable(range(i, i + size) for i, size in used + free))
    assert sorted(covered) == list(range(int(counts[EDGES])))
    assert counts[EDGES] <= len(tree.edges)


def pending_nodes(search: TreeSearch) -> set[int]:
    """The nodes on the paths of the leaves whose playouts are under way."""
    return {
        int(node)
        for leaves in (memory.leaves for memory in search.memories)
        for leaf in np.flatnonzero(leaves.playing > 0)
        for node in leaves.nodes[leaf, : leaves.length[leaf] + 1]
        if node >= 0
    }


def check_pools(search: TreeSearch) -> None:
    """Check that each node, edge and joint move of the pools is either in use or free."""
    tree, counts = search.memory.tree, search.memory.counts
    used = int(counts[NODES])
    nodes = tree.nodes[:used]
    live = np.flatnonzero(nodes["last_descent"] >= 0).tolist()
    in_buckets = [n for first in tree.buckets for n in links(int(first), tree.nodes["next"])]
    free = list(links(int(counts[FREE_NODE]), tree.nodes["next"]))
    spare = [
        int(node)
        for share in (memory.share for memory in search.memories)
        for node in share.nodes[: share.counts[SPARE_NODES]]
    ]
    assert sorted(in_buckets) == live
    assert sorted(in_buckets + free + spare) == list(range(used))
    expanded = [node for node in live if tree.nodes[node]["is_expanded"]]
    runs = [
        (int(own["first_edge"]), int(own["choices"]))
        for node in expanded
        for own in tree.roles[node]
        if own["first_edge"] >= 0
    ]
    shares = [memory.share.counts for memory in search.memories]
    runs += [(int(each[NEXT_EDGE]), int(each[SPARE_EDGES])) for each in shares]
    check_runs(tree, counts, runs)
    joint = tree.joint_moves
    of_nodes = [
        index
        for node in expanded
        for index in links(int(tree.nodes[node]["first_joint_move"]), joint["next_of_node"])
    ]
    unused = list(links(int(counts[FREE_JOINT_MOVE]), joint["next"]))
    hashed = [i for first in tree.joint_buckets for i in links(int(first), joint["next"])]
    assert sorted(of_nodes) == sorted(hashed)
    assert sorted(of_nodes + unused) == list(range(int(counts[JOINT_MOVES])))
    assert counts[JOINT_MOVES] <= len(joint)
