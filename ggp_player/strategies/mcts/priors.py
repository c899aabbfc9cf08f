"""A prior over moves: how likely each is to be best, by what patterns say of the states behind it.

A node that is expanded waits until all moves of as many such nodes as fit into a block are made and
evaluated together. Until then it is a leaf.

Sources: C. Rosin, Multi-armed bandits with episode context (2011); D. Silver et al., Mastering the
game of Go with deep neural networks and tree search (2016).
"""

from __future__ import annotations

import math

import numpy as np

from gdl.engine.kernel_library import (
    inlined_kernel,
    kernel,
    observe,
    publish,
)
from ggp_player.strategies.mcts.arrays import (
    PARTS,
    GameArrays,
    Settings,
    TreeArrays,
)
from ggp_player.strategies.mcts.memory import (
    USED_LANES,
    WAITED_STEPS,
    WAITING_NODES,
    Memory,
    PriorArrays,
)
from ggp_player.strategies.mcts.pools import add_pending, live_child
from ggp_player.strategies.patterns import evaluate_moves, find_indices

EXPANDED, WAITING = 1, 2
"""Whether a node that has edges can be descended from, or waits for priors."""

MOST_STEPS = 8
"""Nodes wait for so many steps at most."""

UNIFORM = 0.1
"""The part of the prior that is the same for all moves of a node."""


@inlined_kernel
def has_room(priors: PriorArrays, choices: int) -> bool:
    """Whether a node of so many moves can wait for priors, or will never get any."""
    lanes = len(priors.parents)
    if priors.weights.shape[1] == 0 or choices > lanes:
        return True
    if priors.counts[USED_LANES] + choices <= lanes:
        return True
    priors.counts[WAITED_STEPS] = MOST_STEPS
    return False


@kernel
def wait_for_priors(tree: TreeArrays, priors: PriorArrays, node: int) -> None:
    """Let a node wait, at which one role alone has a choice, and make its moves in the block."""
    mover = tree.nodes[node].mover
    first, choices = tree.roles[node, mover].first_edge, tree.roles[node, mover].choices
    lanes, counts, block = len(priors.parents), priors.counts, priors.block
    if priors.weights.shape[1] == 0 or choices < 2 or choices > lanes:
        return
    place, begin = counts[WAITING_NODES], counts[USED_LANES]
    rows, offsets, first_row = block.rows, block.move_offsets, block.moves
    for i in range(choices):
        lane = begin + i
        bit = np.uint64(1) << np.uint64(lane & 63)
        for role in range(len(offsets) - 1):
            move = -1 - tree.roles[node, role].first_edge
            if role == mover:
                move = tree.edges[first + i].move
            rows[first_row + offsets[role] + move, lane >> 6] |= bit
        priors.parents[lane] = place
    for word in range(priors.states.shape[1]):
        priors.states[place, word] = tree.state[node, word]
    priors.nodes[place], priors.serials[place] = node, tree.nodes[node].serial
    priors.first_lanes[place] = begin
    counts[WAITING_NODES], counts[USED_LANES] = place + 1, begin + choices
    tree.nodes[node].is_expanded = WAITING


@inlined_kernel
def give_priors_in_time(memory: Memory, settings: Settings) -> None:
    """Give the nodes that wait their priors, where it is time for that."""
    counts = memory.priors.counts
    if counts[WAITING_NODES] == 0:
        return
    counts[WAITED_STEPS] += 1
    is_full = 4 * counts[USED_LANES] >= 3 * len(memory.priors.parents)
    if is_full or counts[WAITED_STEPS] >= MOST_STEPS:
        give_priors(memory, settings)


@kernel
def give_priors(memory: Memory, settings: Settings) -> None:
    """Give the nodes that wait their priors."""
    tree, priors = memory.tree, memory.priors
    counts = priors.counts
    waiting, used = counts[WAITING_NODES], counts[USED_LANES]
    if waiting == 0:
        return
    states, indices, parents = priors.states, priors.indices, priors.parents[:used]
    for place in range(waiting):
        find_indices(priors.tables, states, place, indices, place)
    block, before = priors.block, (states, indices)
    evaluate_moves(
        block, priors.tables, priors.weights, before, parents, priors.children, priors.scratch
    )
    for place in range(waiting):
        node = priors.nodes[place]
        record = tree.nodes[node]
        is_there = add_pending(tree, node, 1) >= 0
        observe()
        if is_there and record.serial == priors.serials[place] and record.is_expanded == WAITING:
            _give(memory.game, tree, settings, priors, node, priors.first_lanes[place])
            publish()
            record.is_expanded = EXPANDED
        add_pending(tree, node, -1)
    counts[WAITING_NODES] = counts[USED_LANES] = counts[WAITED_STEPS] = 0
    block.rows[block.moves : block.moves + block.move_offsets[-1]] = 0


@kernel
def _give(
    game: GameArrays,
    tree: TreeArrays,
    settings: Settings,
    priors: PriorArrays,
    node: int,
    begin: int,
) -> None:
    """Fill in the edges of a node, whose moves are those of the lanes from one on."""
    mover, logits = tree.nodes[node].mover, priors.children.logits
    temperature = settings.temperature
    first, choices = tree.roles[node, mover].first_edge, tree.roles[node, mover].choices
    output, sign = mover, 1.0
    if mover >= logits.shape[1]:
        output, sign = 0, -1.0
    most, total, best = -1e30, 0.0, begin
    for lane in range(begin, begin + choices):
        if sign * logits[lane, output] > most:
            most, best = sign * logits[lane, output], lane
    for lane in range(begin, begin + choices):
        total += math.exp((sign * logits[lane, output] - most) / temperature)
    for i in range(choices):
        logit = sign * logits[begin + i, output]
        share = math.exp((logit - most) / temperature) / total
        prior = (1.0 - UNIFORM) * share + UNIFORM / choices
        edge = tree.edges[first + i]
        edge.prior = int(1 + (PARTS - 1) * prior)
        edge.judged = int(1 + (PARTS - 1) * _chance(logit))
    set_judged(game, tree, node, mover, int(1 + (PARTS - 1) * _chance(most)))
    if game.constant_sum < 0:
        for role in range(logits.shape[1]):
            if role != mover:
                judged = int(1 + (PARTS - 1) * _chance(logits[best, role]))
                tree.roles[node, role].judged = judged


@inlined_kernel
def set_judged(game: GameArrays, tree: TreeArrays, node: int, role: int, judged: int) -> None:
    """Note what a node is worth to a role by what patterns say, and to its rival, if it has one."""
    tree.roles[node, role].judged = judged
    if game.constant_sum >= 0:
        other = game.first_rival + game.second_rival - role
        tree.roles[node, other].judged = PARTS + 1 - judged


@inlined_kernel
def judge_move(game: GameArrays, tree: TreeArrays, node: int, edge: int, child: int) -> None:
    """Back up what patterns say from a child, by minimax or, without a constant sum, by max^n.

    Source: M. Lanctot et al., Monte Carlo tree search with heuristic evaluations using implicit
    minimax backups (2014).
    """
    mover = tree.nodes[node].mover
    if mover < 0 or game.chance[mover] or child < 0:
        return
    move, own = tree.edges[edge], tree.roles[node, mover]
    judged = tree.roles[child, mover].judged
    if judged == 0 or judged == move.judged or (own.choices > 1 and move.prior == 0):
        return
    move.judged = judged
    best = own.first_edge
    for each in range(own.first_edge, own.first_edge + own.choices):
        if tree.edges[each].judged > tree.edges[best].judged:
            best = each
    set_judged(game, tree, node, mover, tree.edges[best].judged)
    if game.constant_sum < 0:
        behind = child if best == edge else live_child(tree, best)
        for role in range(tree.roles.shape[1]):
            if role != mover and behind >= 0 and tree.roles[behind, role].judged != 0:
                tree.roles[node, role].judged = tree.roles[behind, role].judged


@inlined_kernel
def _chance(logit: float) -> float:
    """The goal value of a logit, from 0 to 1."""
    return 1.0 / (1.0 + math.exp(-logit))
