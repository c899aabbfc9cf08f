"""Proved bounds of values, and the solution concept that they follow.

Each role wants as much as possible for itself and, where moves are equally good for it, as little
as possible for the others together: that is how matches are scored. So the bounds of a node where
one role moves are those of the moves that it might make:

- the mover gets at least the best lower bound, and at most the best upper bound, of its moves
- a move whose upper bound is below the best lower bound will not be made
- of two rivals, the one that waits gets at most what it gets by any move that is sure to be best
  for the mover, and at least the least that any move gives it that might be made
- among more roles, those that wait get what some move gives them that might be made; when all
  such moves are proved, the mover makes the first of those that give the others least

Where the goals of two rivals have a constant sum that is minimax. A role that moves by chance makes
all moves equally often, and values are means, their bounds rounded outwards. Where roles move at
the same time, see :mod:`.simultaneous`.

Sources: M. Winands et al., Monte-Carlo tree search solver (2008); T. Cazenave and A. Saffidine,
Score bounded Monte-Carlo tree search (2010); C. Luckhardt and K. Irani, An algorithmic solution of
n-person games (1986), on max^n, where ties are left open.
"""

from __future__ import annotations

import numpy as np

from gdl.engine.kernel_library import ONE, ZERO, inlined_kernel, is_set, kernel
from ggp_player.strategies.mcts.arrays import GameArrays, LaneArrays, PendingLeaves, TreeArrays
from ggp_player.strategies.mcts.pools import live_child
from ggp_player.strategies.mcts.simultaneous import SIMULTANEOUS, update_joint_bounds


@inlined_kernel
def is_proved(tree: TreeArrays, node: int) -> bool:
    """Whether nothing below a node can change its value any more."""
    return bool(tree.nodes[node].is_proved)


@inlined_kernel
def has_bounds(game: GameArrays, tree: TreeArrays, node: int) -> bool:
    """Whether anything is proved of the node's value."""
    for role in range(game.floor.shape[0]):
        own = tree.roles[node, role]
        if own.low > game.floor[role] or own.high < game.ceiling[role]:
            return True
    return bool(tree.nodes[node].is_proved)


@kernel
def prove_terminal(game: GameArrays, tree: TreeArrays, node: int, values: np.ndarray) -> bool:
    """Set the value of a terminal node, uint8 (R,); return whether it fits the constant sum."""
    for role in range(values.shape[0]):
        value = np.uint8(0) if game.chance[role] else values[role]
        tree.roles[node, role].low = tree.roles[node, role].high = value
    tree.nodes[node].is_proved = 1
    if game.constant_sum < 0:
        return True
    return int(values[game.first_rival]) + int(values[game.second_rival]) == game.constant_sum


@kernel
def prove_win(game: GameArrays, tree: TreeArrays, node: int, block: LaneArrays, lane: int) -> bool:
    """Prove that a role wins at a node, if in a lane it can do so at once; return whether it can.

    What it leaves to others is known where goals have a constant sum.
    """
    word, bit = lane >> 6, np.uint64(lane & 63)
    for role in range(block.winners.shape[0]):
        if (block.winners[role, word] >> bit) & ONE == ZERO or game.chance[role]:
            continue
        best = game.ceiling[role]
        if tree.nodes[node].is_expanded and tree.roles[node, role].first_edge >= 0:
            _mark_winning_edges(game, tree, node, role, block, lane)
        tree.roles[node, role].low = tree.roles[node, role].high = best
        if game.constant_sum >= 0:
            _apply_constant_sum(game, tree, node, game.first_rival, game.second_rival)
            _apply_constant_sum(game, tree, node, game.second_rival, game.first_rival)
            tree.nodes[node].is_proved = 1
        return True
    return False


@kernel
def _mark_winning_edges(
    game: GameArrays, tree: TreeArrays, node: int, role: int, block: LaneArrays, lane: int
) -> None:
    own = tree.roles[node, role]
    for edge in range(own.first_edge, own.first_edge + own.choices):
        move = game.offsets[role] + tree.edges[edge].move
        if is_set(block.rows, game.winning + move, lane):
            tree.edges[edge].low = tree.edges[edge].high = game.ceiling[role]
            tree.edges[edge].is_proved = np.uint8(game.constant_sum >= 0)


@kernel
def backpropagate_bounds(
    game: GameArrays, tree: TreeArrays, leaves: PendingLeaves, leaf: int, last: int
) -> None:
    """Update the bounds of a path's nodes from the step ``last`` upwards, while they change."""
    for step in range(last, -1, -1):
        if not update_bounds(game, tree, leaves.nodes[leaf, step], leaves.edges[leaf, step]):
            return


@kernel
def update_bounds(game: GameArrays, tree: TreeArrays, node: int, edges: np.ndarray) -> bool:
    """Update a node's bounds from those behind the edges; return whether they changed."""
    if not tree.nodes[node].is_expanded or tree.nodes[node].is_proved:
        return False
    mover = tree.nodes[node].mover
    if mover == SIMULTANEOUS:
        changed = update_joint_bounds(game, tree, node, edges)
    else:
        _update_edge(tree, edges[mover], mover)
        changed = _update_mover_bounds(game, tree, node, mover)
    if changed and game.constant_sum >= 0:
        _apply_constant_sum(game, tree, node, game.first_rival, game.second_rival)
        _apply_constant_sum(game, tree, node, game.second_rival, game.first_rival)
    if changed and _is_exact(tree, node):
        tree.nodes[node].is_proved = 1
    return changed


@kernel
def _update_edge(tree: TreeArrays, edge: int, mover: int) -> None:
    """Take over what is proved of the child."""
    child, move = live_child(tree, edge), tree.edges[edge]
    if child >= 0:
        move.low = max(move.low, tree.roles[child, mover].low)
        move.high = min(move.high, tree.roles[child, mover].high)
        move.is_proved = tree.nodes[child].is_proved


@kernel
def _is_exact(tree: TreeArrays, node: int) -> bool:
    for role in range(tree.roles.shape[1]):
        if tree.roles[node, role].low != tree.roles[node, role].high:
            return False
    return True


@kernel
def _tighten(tree: TreeArrays, node: int, role: int, low: np.int64, high: np.int64) -> bool:
    """Take over bounds of a role's value where they are tighter; return whether they are."""
    own = tree.roles[node, role]
    changed = bool(low > own.low or high < own.high)
    own.low, own.high = max(own.low, np.uint8(low)), min(own.high, np.uint8(high))
    return changed


@kernel
def _apply_constant_sum(
    game: GameArrays, tree: TreeArrays, node: int, role: int, rival: int
) -> None:
    """Tighten a role's bounds by those of its rival, as their values have a constant sum."""
    other = tree.roles[node, rival]
    low = max(game.constant_sum - np.int64(other.high), np.int64(0))
    high = min(game.constant_sum - np.int64(other.low), np.int64(100))
    _tighten(tree, node, role, low, high)


@kernel
def _update_mover_bounds(game: GameArrays, tree: TreeArrays, node: int, mover: int) -> bool:
    """Update the bounds of a node where one role has a choice; return whether they changed."""
    if game.chance[mover]:
        return _update_chance_bounds(game, tree, node, mover)
    first = tree.roles[node, mover].first_edge
    last = first + tree.roles[node, mover].choices
    low, high = np.int64(game.floor[mover]), np.int64(game.floor[mover])
    for edge in range(first, last):
        low = max(low, np.int64(tree.edges[edge].low))
        high = max(high, np.int64(tree.edges[edge].high))
    changed = _tighten(tree, node, mover, low, high)
    if game.constant_sum < 0:
        for role in range(game.chance.shape[0]):
            if role != mover and not game.chance[role]:
                changed = _update_waiting_role(game, tree, node, mover, role) or changed
    if _all_open_moves_are_proved(tree, node, mover):
        if game.constant_sum < 0 and game.first_rival < 0:
            _take_over_best_move(game, tree, node, mover)
        tree.nodes[node].is_proved = 1
        changed = True
    return changed


@kernel
def _update_waiting_role(
    game: GameArrays, tree: TreeArrays, node: int, mover: int, role: int
) -> bool:
    """Update the bounds of a role that waits, from the moves that might be made."""
    own = tree.roles[node, mover]
    least, most = np.int64(game.ceiling[role]), np.int64(game.floor[role])
    assured = np.int64(game.ceiling[role])
    for edge in range(own.first_edge, own.first_edge + own.choices):
        move, child = tree.edges[edge], live_child(tree, edge)
        if move.high < own.low:
            continue
        low, high = np.int64(game.floor[role]), np.int64(game.ceiling[role])
        if child >= 0:
            low, high = (
                np.int64(tree.roles[child, role].low),
                np.int64(tree.roles[child, role].high),
            )
        least, most = min(least, low), max(most, high)
        if move.low == own.high:
            assured = min(assured, high)
    if game.first_rival >= 0:
        most = min(most, assured)
    return _tighten(tree, node, role, min(least, most), most)


@kernel
def _all_open_moves_are_proved(tree: TreeArrays, node: int, mover: int) -> bool:
    own = tree.roles[node, mover]
    for edge in range(own.first_edge, own.first_edge + own.choices):
        move = tree.edges[edge]
        if move.high >= own.low and not move.is_proved:
            return False
    return True


@kernel
def _take_over_best_move(game: GameArrays, tree: TreeArrays, node: int, mover: int) -> None:
    """Take over the values of the proved move that is best for the mover, then worst for others."""
    own = tree.roles[node, mover]
    best, best_own, best_others = -1, np.int64(-1), np.int64(0)
    for edge in range(own.first_edge, own.first_edge + own.choices):
        child = live_child(tree, edge)
        if child < 0 or tree.edges[edge].high < own.low:
            continue
        others = np.int64(0)
        for role in range(game.chance.shape[0]):
            if role != mover:
                others += np.int64(tree.roles[child, role].low)
        value = np.int64(tree.edges[edge].low)
        if value > best_own or (value == best_own and others < best_others):
            best, best_own, best_others = child, value, others
    if best >= 0:
        for role in range(game.chance.shape[0]):
            tree.roles[node, role].low = tree.roles[best, role].low
            tree.roles[node, role].high = tree.roles[best, role].high


@kernel
def _update_chance_bounds(game: GameArrays, tree: TreeArrays, node: int, mover: int) -> bool:
    """Update the bounds of a node where chance moves: the means of the bounds of all moves."""
    first, count = tree.roles[node, mover].first_edge, np.int64(tree.roles[node, mover].choices)
    changed, open_moves = False, np.int64(0)
    for edge in range(first, first + count):
        child = live_child(tree, edge)
        tree.edges[edge].is_proved = np.uint8(child >= 0 and tree.nodes[child].is_proved)
        open_moves += not tree.edges[edge].is_proved
    for role in range(game.chance.shape[0]):
        lows, highs = np.int64(0), np.int64(0)
        for edge in range(first, first + count):
            child = live_child(tree, edge)
            low, high = np.int64(game.floor[role]), np.int64(game.ceiling[role])
            if child >= 0:
                low = np.int64(tree.roles[child, role].low)
                high = np.int64(tree.roles[child, role].high)
            lows, highs = lows + low, highs + high
        changed = _tighten(tree, node, role, lows // count, -(-highs // count)) or changed
    if open_moves == 0:
        tree.nodes[node].is_proved = 1
        changed = True
    return changed
