"""Tree compaction: copy the part of a tree that is still useful to another set of arrays."""

from __future__ import annotations

from typing import NamedTuple

from gdl.engine.kernel_library import kernel
from ggp_player.strategies.mcts.arrays import (
    EDGES,
    JOINT_MOVES,
    NODES,
    ROOT,
    GameArrays,
    Indices,
    Ints,
    TreeArrays,
)
from ggp_player.strategies.mcts.nodes import NO_NODE, find_or_add_node, has_bounds
from ggp_player.strategies.mcts.simultaneous import SIMULTANEOUS, set_joint_child


class TreeCopy(NamedTuple):
    """The two trees of a copy.

    ``counts`` belongs to the old tree at first and to the new one, which must be empty, afterwards.
    ``new_nodes`` int32 (N,): the new index of each old node, -1 where it is not copied;
    ``old_nodes`` int32 (N,): the old index of each new node; ``edges`` int32 (R,) is scratch.
    """

    game: GameArrays
    old: TreeArrays
    new: TreeArrays
    counts: Ints
    new_nodes: Indices
    old_nodes: Indices
    edges: Indices


@kernel
def copy_tree(copy: TreeCopy, min_visits: int) -> None:
    """Copy what can be reached from the root through nodes of at least ``min_visits``.

    Nodes with proved bounds are copied too. No leaf may be pending.
    """
    old, counts = copy.old, copy.counts
    root = counts[ROOT]
    counts[NODES] = counts[EDGES] = counts[JOINT_MOVES] = 0
    counts[ROOT] = _copy_node(copy, root, 0)
    done = 0
    while done < counts[NODES]:
        node = copy.old_nodes[done]
        if old.choices[node, 0] > 0:
            _copy_edges(copy, node, done)
            if old.mover[node] == SIMULTANEOUS:
                _copy_joint_moves(copy, node, done, min_visits)
            else:
                _copy_children(copy, node, done, min_visits)
        done += 1


@kernel
def _copy_node(copy: TreeCopy, node: int, min_visits: int) -> int:
    """Copy an old node unless it is there already or not worth it; return its new index or -1."""
    old, new = copy.old, copy.new
    if node < 0 or copy.new_nodes[node] >= 0:
        return copy.new_nodes[node] if node >= 0 else NO_NODE
    if old.visits[node] < min_visits and not has_bounds(copy.game, old, node):
        return NO_NODE
    copied = find_or_add_node(copy.game, new, copy.counts, old.state[node])
    copy.new_nodes[node] = copied
    copy.old_nodes[copied] = node
    new.mover[copied] = old.mover[node]
    new.visits[copied] = old.visits[node]
    for role in range(old.first_edge.shape[1]):
        new.first_edge[copied, role] = old.first_edge[node, role]
        new.choices[copied, role] = old.choices[node, role]
        new.total[copied, role] = old.total[node, role]
        new.low[copied, role] = old.low[node, role]
        new.high[copied, role] = old.high[node, role]
    return copied


@kernel
def _copy_edges(copy: TreeCopy, node: int, copied: int) -> None:
    old, new, counts = copy.old, copy.new, copy.counts
    for role in range(old.first_edge.shape[1]):
        first, count = old.first_edge[node, role], old.choices[node, role]
        if first < 0:
            continue
        start = counts[EDGES]
        counts[EDGES] += count
        new.first_edge[copied, role] = start
        for index in range(count):
            origin, target = first + index, start + index
            new.move[target] = old.move[origin]
            new.edge_visits[target] = old.edge_visits[origin]
            new.edge_total[target] = old.edge_total[origin]
            new.amaf_visits[target] = old.amaf_visits[origin]
            new.amaf_total[target] = old.amaf_total[origin]
            new.known_joint_moves[target] = 0
            new.regret[target] = old.regret[origin]
            new.edge_low[target] = old.edge_low[origin]
            new.edge_high[target] = old.edge_high[origin]
            new.edge_pending_visits[target] = 0
            new.child[target] = NO_NODE


@kernel
def _copy_children(copy: TreeCopy, node: int, copied: int, min_visits: int) -> None:
    old, new = copy.old, copy.new
    mover = old.mover[node]
    first, start = old.first_edge[node, mover], new.first_edge[copied, mover]
    for index in range(old.choices[node, mover]):
        new.child[start + index] = _copy_node(copy, old.child[first + index], min_visits)


@kernel
def _copy_joint_moves(copy: TreeCopy, node: int, copied: int, min_visits: int) -> None:
    old, new = copy.old, copy.new
    index = old.first_joint_move[node]
    edges = copy.edges
    while index > 0:
        child = _copy_node(copy, old.joint_child[index - 1], min_visits)
        if child >= 0:
            for role in range(edges.shape[0]):
                edge = old.joint_edges[index - 1, role]
                edges[role] = edge
                if edge >= 0:
                    edges[role] += new.first_edge[copied, role] - old.first_edge[node, role]
            set_joint_child(new, copy.counts, copied, edges, child)
        index = old.next_joint_move[index - 1]
