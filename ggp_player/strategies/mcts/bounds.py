"""Proved bounds of values, and the solution concept that they follow.

Each role wants as much as possible for itself and, where moves are equally good for it, as little
as possible for the others together: that is how matches are scored. So the bounds of a node where
one role moves are those of the moves that it might make:

- the mover gets at least the best lower bound, and at most the best upper bound, of its moves
- a move is refuted if another is sure to be better: its upper bound is below the best lower bound,
  or it can only be as good for the mover, and is sure to give the others more
- those that wait get what some move gives them that is not refuted; where the mover's value is
  exact, together at most what a move gives them that is sure to be best for the mover
- when all moves that are not refuted have exact values, the mover makes the first of them

Where the goals of two rivals have a constant sum that is minimax. With two rivals the value is that
of every order of the moves, as no two moves are equally good for both; among more roles the first
move decides. A role that moves by chance makes all moves equally often, and values are means, their
bounds rounded outwards. Where roles move at the same time, see :mod:`.simultaneous`.

Sources: M. Winands et al., Monte-Carlo tree search solver (2008); T. Cazenave and A. Saffidine,
Score bounded Monte-Carlo tree search (2010); C. Luckhardt and K. Irani, An algorithmic solution of
n-person games (1986), on max^n, where ties are left open.
"""

from __future__ import annotations

import numpy as np

from gdl.engine.kernel_library import ONE, ZERO, inlined_kernel, is_set, kernel
from ggp_player.strategies.mcts.arrays import (
    UNKNOWN_VALUE,
    GameArrays,
    TreeArrays,
)
from ggp_player.strategies.mcts.memory import (
    LaneArrays,
    PendingLeaves,
)
from ggp_player.strategies.mcts.pools import is_settled, live_child
from ggp_player.strategies.mcts.simultaneous import SIMULTANEOUS, update_joint_bounds

NOBODY = -1
"""Stands for the winner where no role can win at once."""


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
def find_winner(game: GameArrays, block: LaneArrays, lane: int) -> int:
    """The role that in a lane moves alone and can win at once; ``NOBODY`` where there is none.

    The rows of winning moves tell only of a role that moves alone.
    """
    word, bit = lane >> 6, np.uint64(lane & 63)
    for role in range(block.winners.shape[0]):
        if (block.winners[role, word] >> bit) & ONE == ZERO or game.chance[role]:
            continue
        if _moves_alone(game, role, block, lane):
            return role
    return NOBODY


@kernel
def prove_win(
    game: GameArrays, tree: TreeArrays, node: int, role: int, block: LaneArrays, lane: int
) -> None:
    """Prove that a role wins at a node, as it can do so at once in a lane.

    What it leaves to others is known where goals have a constant sum.
    """
    best = game.ceiling[role]
    if tree.nodes[node].is_expanded and tree.roles[node, role].first_edge >= 0:
        _mark_winning_edges(game, tree, node, role, block, lane)
    tree.roles[node, role].low = tree.roles[node, role].high = best
    if game.constant_sum >= 0:
        _apply_constant_sum(game, tree, node, game.first_rival, game.second_rival)
        _apply_constant_sum(game, tree, node, game.second_rival, game.first_rival)
        tree.nodes[node].is_proved = 1


@kernel
def _moves_alone(game: GameArrays, mover: int, block: LaneArrays, lane: int) -> bool:
    """Whether all roles but one have a single legal move in a lane."""
    for role in range(game.chance.shape[0]):
        count = 0
        for move in range(game.offsets[role], game.offsets[role + 1]):
            count += is_set(block.rows, game.legal + move, lane)
        if role != mover and count != 1:
            return False
    return True


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
        _update_edge(game, tree, edges[mover], mover)
        changed = _update_mover_bounds(game, tree, node, mover)
    if changed and game.constant_sum >= 0:
        _apply_constant_sum(game, tree, node, game.first_rival, game.second_rival)
        _apply_constant_sum(game, tree, node, game.second_rival, game.first_rival)
    if changed and _is_exact(tree, node):
        tree.nodes[node].is_proved = 1
    return changed


@kernel
def _update_edge(game: GameArrays, tree: TreeArrays, edge: int, mover: int) -> None:
    """Take over what is proved of the child."""
    child, move = live_child(tree, edge), tree.edges[edge]
    if child < 0:
        return
    move.low = max(move.low, tree.roles[child, mover].low)
    move.high = min(move.high, tree.roles[child, mover].high)
    move.is_proved = tree.nodes[child].is_proved
    if game.first_rival >= 0 and move.is_proved and _is_exact(tree, child):
        rival = game.second_rival if mover == game.first_rival else game.first_rival
        move.rival = tree.roles[child, rival].low


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
    low, high = np.int64(game.floor[mover]), np.int64(game.floor[mover])
    for edge in range(first, first + tree.roles[node, mover].choices):
        low = max(low, np.int64(tree.edges[edge].low))
        high = max(high, np.int64(tree.edges[edge].high))
    changed = _tighten(tree, node, mover, low, high)
    if game.constant_sum >= 0:
        is_settled = _all_open_moves_are_proved(tree, node, mover)
    else:
        most = _most_for_others(game, tree, node, mover)
        changed = _update_waiting_roles(game, tree, node, mover, most) or changed
        is_settled = _take_over_best_move(game, tree, node, mover, most)
    if is_settled:
        tree.nodes[node].is_proved = 1
    return changed or is_settled


@kernel
def _all_open_moves_are_proved(tree: TreeArrays, node: int, mover: int) -> bool:
    """Whether all moves that might be best for the mover are proved."""
    own = tree.roles[node, mover]
    for edge in range(own.first_edge, own.first_edge + own.choices):
        move = tree.edges[edge]
        if move.high >= own.low and not move.is_proved:
            return False
    return True


# ---------------------------------------------------------------------- without a constant sum


@inlined_kernel
def _bounds_behind(
    game: GameArrays, tree: TreeArrays, edge: int, role: int
) -> tuple[np.int64, np.int64]:
    """What a role that waits, but not chance, gets at least and at most by a move."""
    child, rival = live_child(tree, edge), tree.edges[edge].rival
    if child >= 0:
        return np.int64(tree.roles[child, role].low), np.int64(tree.roles[child, role].high)
    if rival != UNKNOWN_VALUE:
        return np.int64(rival), np.int64(rival)
    return np.int64(game.floor[role]), np.int64(game.ceiling[role])


@kernel
def _most_for_others(game: GameArrays, tree: TreeArrays, node: int, mover: int) -> np.int64:
    """What the others get at most, together, by a move that assures the mover's lower bound."""
    own, least = tree.roles[node, mover], np.int64(1) << 40
    for edge in range(own.first_edge, own.first_edge + own.choices):
        if tree.edges[edge].low == own.low:
            total = np.int64(0)
            for role in range(game.chance.shape[0]):
                if role != mover and not game.chance[role]:
                    total += _bounds_behind(game, tree, edge, role)[1]
            least = min(least, total)
    return least


@kernel
def _is_refuted(
    game: GameArrays, tree: TreeArrays, node: int, mover: int, edge: int, most: np.int64
) -> bool:
    """Whether another move is sure to be better; ``most`` is that of :func:`_most_for_others`."""
    own, move = tree.roles[node, mover], tree.edges[edge]
    if move.high != own.low:
        return bool(move.high < own.low)
    total = np.int64(0)
    for role in range(game.chance.shape[0]):
        if role != mover and not game.chance[role]:
            total += _bounds_behind(game, tree, edge, role)[0]
    return bool(total > most)


@kernel
def _update_waiting_roles(
    game: GameArrays, tree: TreeArrays, node: int, mover: int, most: np.int64
) -> bool:
    """Update the bounds of the roles that wait; return whether they changed."""
    own, changed = tree.roles[node, mover], False
    for role in range(game.chance.shape[0]):
        if role == mover or game.chance[role]:
            continue
        low, high = np.int64(game.ceiling[role]), np.int64(game.floor[role])
        for edge in range(own.first_edge, own.first_edge + own.choices):
            if not _is_refuted(game, tree, node, mover, edge, most):
                at_least, at_most = _bounds_behind(game, tree, edge, role)
                low, high = min(low, at_least), max(high, at_most)
        if own.low == own.high:
            high = min(high, most)
        changed = _tighten(tree, node, role, min(low, high), high) or changed
    return changed


@kernel
def _take_over_best_move(
    game: GameArrays, tree: TreeArrays, node: int, mover: int, most: np.int64
) -> bool:
    """Take over the values of the first of the best moves; return whether all of them are proved.

    Where chance leaves them inexact, the node keeps the bounds of all.
    """
    own, best, is_exact = tree.roles[node, mover], -1, True
    for edge in range(own.first_edge, own.first_edge + own.choices):
        if _is_refuted(game, tree, node, mover, edge, most):
            continue
        if not is_settled(tree, edge):
            return False
        child = live_child(tree, edge)
        is_exact = is_exact and (child < 0 or _is_exact(tree, child))
        best = edge if best < 0 else best
    if best >= 0 and is_exact:
        for role in range(game.chance.shape[0]):
            if role != mover and not game.chance[role]:
                value = np.uint8(_bounds_behind(game, tree, best, role)[0])
                tree.roles[node, role].low = tree.roles[node, role].high = value
    return best >= 0


# ---------------------------------------------------------------------- chance


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
