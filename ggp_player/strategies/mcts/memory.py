"""What one thread of a search works with: lanes, pending leaves, stands, and moves without priors.

``R``, ``W``, ``S`` and ``L`` are those of :mod:`.arrays`, where the tree is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Block
from gdl.engine.kernel_library import BlockView, unshared_zeros
from ggp_player.strategies.mcts.arrays import (
    MAX_DEPTH,
    GameArrays,
    Indices,
    Ints,
    Sums,
    TreeArrays,
    Values,
    Words,
    new_counts,
    new_tree,
    state_words,
)
from ggp_player.strategies.patterns.pattern_tables import (
    NO_TABLES,
    Children,
    PatternTables,
    Scratch,
    Weights,
    new_children,
    new_scratch,
)


class LaneArrays(NamedTuple):
    """The block in which a thread's playouts run, and which leaf each of them belongs to.

    ``rows`` uint64 (rows, W), ``flat_rows`` a view of it as one line; ``scratch`` and ``random`` as
    the choice of moves needs them. ``playing`` uint64 (W,): lanes whose playout goes on;
    ``finished`` uint64 (W,): lanes whose playout has ended and is yet to be counted. ``leaf`` int32
    (L,): the pending leaf of each lane. ``step`` int64 (1,): steps of the block so far;
    ``start_step`` int64 (L,): the step in which each lane's playout began. ``winners`` uint64 (R,
    W): the lanes in which a role can win at once. Scratch: ``mask`` uint64 (W,), ``spare`` uint64
    (S,), ``values`` uint8 (R,).
    """

    rows: Words
    flat_rows: Words
    scratch: Words
    random: Words
    playing: Words
    finished: Words
    leaf: Indices
    step: Ints
    start_step: Ints
    winners: Words
    mask: Words
    spare: Words
    values: Values


FREE_STANDS, STAND, BUDGET = range(3)
"""Indices into ``counts`` of stands: height of the stack ``free``, the stand at which descents
begin now, -1 if none, and how many leaves it still gets."""


class Stands(NamedTuple):
    """Nodes at which several descents in a row begin, and what these add to the path above them.

    There is room for as many as there are lanes. ``length`` int32 (L,), ``nodes`` int32 (L, D + 1)
    and ``edges`` int32 (L, D, R): the path from the root, as for leaves. ``pending`` int32 (L,):
    leaves below it that are under way, and one while descents begin at it. ``visits`` int32 (L,)
    and ``totals`` float64 (L, R): descents that have ended, and the sum of their values. ``free``
    int32 (L,): a stack of unused stands; ``counts`` int64 (3,): see :data:`FREE_STANDS`.
    """

    length: Indices
    nodes: Indices
    edges: Indices
    pending: Indices
    visits: Indices
    totals: Sums
    free: Indices
    counts: Ints


FREE_LEAVES, NEW_LEAVES = range(2)
"""Indices into ``counts`` of the pending leaves: heights of the stacks ``free`` and ``new``."""


class PendingLeaves(NamedTuple):
    """Leaves whose playouts are under way: each a path from the root, with lanes at its end.

    There is room for as many as there are lanes; ``D`` is the longest path. ``length`` int32 (L,):
    edges of the path. ``nodes`` int32 (L, D + 1): its nodes, -1 where not known. ``edges`` int32
    (L, D, R): for each step and role the edge followed, -1 for a role without a choice.
    ``forced_moves`` int32 (L, R): the joint move that the lanes still have to make where
    ``forced``, uint8 (L,), is set. ``lane_count`` int32 (L,): lanes in all; ``playing`` int32 (L,):
    those whose playout goes on. ``totals`` float64 (L, R): the sum of the goal values of those that
    have ended. ``masks`` uint64 (L, W): the lanes. ``states`` uint64 (L, S): the packed state from
    which new lanes start or, once they have made a forced move, to which it led. ``winner`` int32
    (L,): the role that the last view has shown to win at once. ``free`` int32 (L,): a stack of
    unused leaves; ``new`` int32 (L,): a stack of leaves whose lanes were filled after the last
    view; ``counts`` int64 (2,): their heights. ``stand`` int32 (L,): the stand, one of ``stands``,
    at which the descent to the leaf began, -1 where that was the root.
    """

    length: Indices
    nodes: Indices
    edges: Indices
    forced_moves: Indices
    lane_count: Indices
    playing: Indices
    totals: Sums
    forced: Values
    masks: Words
    states: Words
    winner: Indices
    free: Indices
    new: Indices
    counts: Ints
    stand: Indices
    stands: Stands


WAITING_NODES, USED_LANES, WAITED_STEPS = range(3)
"""Indices into ``counts`` of priors: nodes that wait, their moves, and steps of waiting."""


class PriorArrays(NamedTuple):
    """Nodes that wait for priors of their moves, and what these are found with.

    ``weights`` float32 (entries + 1, phases * outputs) of the entries of ``tables``; without
    columns no move gets a prior. The states that moves lead to are evaluated in ``block``, which no
    playout uses. ``nodes`` int32 (L,) and their ``serials`` uint16 (L,): the nodes that wait;
    ``states`` uint64 (L, S): theirs; ``indices`` uint16 (L, tables): those into the tables.
    ``first_lanes`` int32 (L,): the first lane of each. ``parents`` int64 (L,): for each lane which
    of the nodes its move begins at. ``children``: the states behind the moves. ``counts`` int64
    (3,): see :data:`WAITING_NODES`.
    """

    block: BlockView
    tables: PatternTables
    weights: Weights
    nodes: Indices
    serials: NDArray[np.uint16]
    states: Words
    indices: NDArray[np.uint16]
    first_lanes: Indices
    parents: Ints
    children: Children
    scratch: Scratch
    counts: Ints


def new_priors(block: Block, tables: PatternTables, weights: Weights) -> PriorArrays:
    """Make room for nodes that wait for priors. For what weights are see :class:`PriorArrays`."""
    lanes, words = block.lanes, state_words(block.engine)
    outputs = max(1, weights.shape[1] // tables.phase_count)
    return PriorArrays(
        block=block.arrays(),
        tables=tables,
        weights=weights,
        nodes=np.zeros(lanes, np.int32),
        serials=np.zeros(lanes, np.uint16),
        states=np.zeros((lanes, words), np.uint64),
        indices=np.zeros((lanes, len(tables.sizes)), np.uint16),
        first_lanes=np.zeros(lanes, np.int32),
        parents=np.zeros(lanes, np.int64),
        children=new_children(lanes, words, outputs),
        scratch=new_scratch(tables, weights),
        counts=unshared_zeros(3, np.int64),
    )


SPARE_NODES, NEXT_EDGE, SPARE_EDGES, DESCENT, LEFT_DESCENTS, ENDED_PLAYOUTS = range(6)
"""Indices into ``counts`` of a thread's share: the height of the stack ``nodes``; its next edge,
and how many edges from that on are its own; the number of its last descent, and how many numbers
after that are its own; playouts yet to be added to those of all."""


class Share(NamedTuple):
    """What a thread takes from all at once, and uses up or adds to for some time.

    Threads that write to the same memory wait for each other, so they do it seldom. ``nodes`` int32
    (L,): a stack of nodes that are allocated, and not yet in the tree. ``counts`` int64 (6,): see
    :data:`SPARE_NODES`.
    """

    nodes: Indices
    counts: Ints


def new_share(lanes: int) -> Share:
    """The share of a thread that has not taken anything yet."""
    return Share(unshared_zeros(lanes, np.int32), unshared_zeros(ENDED_PLAYOUTS + 1, np.int64))


class Memory(NamedTuple):
    """Everything that a thread of a search works on, as one argument.

    ``lanes``, ``leaves``, ``priors`` and ``share`` are its own, the rest is shared.
    """

    game: GameArrays
    lanes: LaneArrays
    leaves: PendingLeaves
    tree: TreeArrays
    counts: Ints
    priors: PriorArrays
    share: Share


def new_memory(blocks: Sequence[Block], game: GameArrays, nodes: int) -> list[Memory]:
    """Allocate memory for a search of at most so many nodes, by a thread for each block."""
    engine = blocks[0].engine
    most = max(engine.layout.move_counts)
    tree = new_tree(nodes, state_words(engine), engine.roles, most, is_shared=len(blocks) > 1)
    counts = new_counts()
    return [
        Memory(
            game,
            _new_lanes(block),
            _new_leaves(block),
            tree,
            counts,
            new_priors(block, NO_TABLES, np.zeros((1, 0), np.float32)),
            new_share(block.lanes),
        )
        for block in blocks
    ]


def _new_lanes(block: Block) -> LaneArrays:
    words, lanes, roles = block.engine.words, block.lanes, block.engine.roles
    return LaneArrays(
        rows=block.rows,
        flat_rows=block.rows.reshape(-1),
        scratch=block.scratch,
        random=block.random,
        playing=unshared_zeros(words, np.uint64),
        finished=unshared_zeros(words, np.uint64),
        leaf=unshared_zeros(lanes, np.int32),
        step=unshared_zeros(1, np.int64),
        start_step=unshared_zeros(lanes, np.int64),
        winners=unshared_zeros((roles, words), np.uint64),
        mask=unshared_zeros(words, np.uint64),
        spare=unshared_zeros(state_words(block.engine), np.uint64),
        values=unshared_zeros(roles, np.uint8),
    )


def _new_leaves(block: Block) -> PendingLeaves:
    words, lanes, roles = block.engine.words, block.lanes, block.engine.roles
    stands = Stands(
        length=unshared_zeros(lanes, np.int32),
        nodes=unshared_zeros((lanes, MAX_DEPTH + 1), np.int32),
        edges=unshared_zeros((lanes, MAX_DEPTH, roles), np.int32),
        pending=unshared_zeros(lanes, np.int32),
        visits=unshared_zeros(lanes, np.int32),
        totals=unshared_zeros((lanes, roles), np.float64),
        free=unshared_zeros(lanes, np.int32),
        counts=unshared_zeros(3, np.int64),
    )
    stands.free[:] = np.arange(lanes)[::-1]
    stands.counts[:] = lanes, -1, 0
    leaves = PendingLeaves(
        length=unshared_zeros(lanes, np.int32),
        nodes=unshared_zeros((lanes, MAX_DEPTH + 1), np.int32),
        edges=unshared_zeros((lanes, MAX_DEPTH, roles), np.int32),
        forced_moves=unshared_zeros((lanes, roles), np.int32),
        lane_count=unshared_zeros(lanes, np.int32),
        playing=unshared_zeros(lanes, np.int32),
        totals=unshared_zeros((lanes, roles), np.float64),
        forced=unshared_zeros(lanes, np.uint8),
        masks=unshared_zeros((lanes, words), np.uint64),
        states=unshared_zeros((lanes, state_words(block.engine)), np.uint64),
        winner=unshared_zeros(lanes, np.int32),
        free=unshared_zeros(lanes, np.int32),
        new=unshared_zeros(lanes, np.int32),
        counts=unshared_zeros(2, np.int64),
        stand=unshared_zeros(lanes, np.int32),
        stands=stands,
    )
    leaves.free[:] = np.arange(lanes)[::-1]
    leaves.counts[FREE_LEAVES] = lanes
    return leaves
