"""Recycling: the part of a tree that is still of use, copied to other arrays."""

from __future__ import annotations

from typing import NamedTuple

from gdl.engine.kernel_library import kernel
from ggp_player.strategies.mcts.arrays import (
    EDGES,
    JOINTS,
    NODES,
    ROOT,
    GameArrays,
    Indices,
    Ints,
    TreeArrays,
)
from ggp_player.strategies.mcts.nodes import NO_NODE, has_bounds, node_of
from ggp_player.strategies.mcts.simultaneous import SEVERAL, set_joint_child


class Copying(NamedTuple):
    """What a copy is made from and to.

    ``counts`` are those of the old tree and become those of the new one, which must be empty.
    ``names`` int32 (N,): each old node's new name, -1 where it has none; ``origins`` int32 (N,):
    each new node's old name; ``edges`` int32 (R,) is scratch.
    """

    game: GameArrays
    old: TreeArrays
    new: TreeArrays
    counts: Ints
    names: Indices
    origins: Indices
    edges: Indices


@kernel
def copy_tree(copying: Copying, least: int) -> None:
    """Copy what can be reached from the root by nodes of at least so many visits.

    Nodes of which something is proved are copied too. No flight may be under way.
    """
    old, counts = copying.old, copying.counts
    root = counts[ROOT]
    counts[NODES] = counts[EDGES] = counts[JOINTS] = 0
    counts[ROOT] = _copied(copying, root, 0)
    done = 0
    while done < counts[NODES]:
        node = copying.origins[done]
        if old.choices[node, 0] > 0:
            _copy_edges(copying, node, done)
            if old.mover[node] == SEVERAL:
                _copy_joint_moves(copying, node, done, least)
            else:
                _copy_children(copying, node, done, least)
        done += 1


@kernel
def _copied(copying: Copying, node: int, least: int) -> int:
    """Return the new name of an old node, which is copied if it is worth it; -1 if not."""
    old, new = copying.old, copying.new
    if node < 0 or copying.names[node] >= 0:
        return copying.names[node] if node >= 0 else NO_NODE
    if old.visits[node] < least and not has_bounds(copying.game, old, node):
        return NO_NODE
    name = node_of(copying.game, new, copying.counts, old.state[node])
    copying.names[node] = name
    copying.origins[name] = node
    new.mover[name] = old.mover[node]
    new.visits[name] = old.visits[node]
    for role in range(old.first.shape[1]):
        new.first[name, role] = old.first[node, role]
        new.choices[name, role] = old.choices[node, role]
        new.total[name, role] = old.total[node, role]
        new.low[name, role] = old.low[node, role]
        new.high[name, role] = old.high[node, role]
    return name


@kernel
def _copy_edges(copying: Copying, node: int, name: int) -> None:
    old, new, counts = copying.old, copying.new, copying.counts
    for role in range(old.first.shape[1]):
        first, count = old.first[node, role], old.choices[node, role]
        if first < 0:
            continue
        start = counts[EDGES]
        counts[EDGES] += count
        new.first[name, role] = start
        for place in range(count):
            origin, target = first + place, start + place
            new.move[target] = old.move[origin]
            new.tries[target] = old.tries[origin]
            new.score[target] = old.score[origin]
            new.fellows[target] = old.fellows[origin]
            new.gain[target] = old.gain[origin]
            new.joined[target] = 0
            new.regret[target] = old.regret[origin]
            new.least[target] = old.least[origin]
            new.most[target] = old.most[origin]
            new.airborne[target] = 0
            new.child[target] = NO_NODE


@kernel
def _copy_children(copying: Copying, node: int, name: int, least: int) -> None:
    old, new = copying.old, copying.new
    mover = old.mover[node]
    first, start = old.first[node, mover], new.first[name, mover]
    for place in range(old.choices[node, mover]):
        new.child[start + place] = _copied(copying, old.child[first + place], least)


@kernel
def _copy_joint_moves(copying: Copying, node: int, name: int, least: int) -> None:
    old, new = copying.old, copying.new
    place = old.joint[node]
    edges = copying.edges
    while place > 0:
        child = _copied(copying, old.after[place - 1], least)
        if child >= 0:
            for role in range(edges.shape[0]):
                edge = old.chosen[place - 1, role]
                edges[role] = edge
                if edge >= 0:
                    edges[role] += new.first[name, role] - old.first[node, role]
            set_joint_child(new, copying.counts, name, edges, child)
        place = old.other[place - 1]
