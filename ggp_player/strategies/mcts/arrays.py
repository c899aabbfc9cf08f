"""The arrays of the tree search: plain data that the kernels work on, and what each row means.

``R`` is the number of roles, ``W`` the words of a block, ``S`` the words of a packed state, ``N``
the nodes, ``E`` the edges, ``J`` the slots for joint moves, ``L`` the lanes. Nodes and edges are
named by their index; -1 is none. Values are goal values: 0 to 100 in bounds (uint8), in hundredths
in sums (float64).

The records are tuples of arrays, not structured arrays: their arrays differ in length, and a kernel
that walks one column reads contiguous memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl import Constant
from gdl.engine import Block, Engine, SymmetryGroup, trivial_group
from ggp_player.strategies.textbook import moves_by_chance

Ints = NDArray[np.int64]
Indices = NDArray[np.int32]
Words = NDArray[np.uint64]
Values = NDArray[np.uint8]
Sums = NDArray[np.float64]

MAX_DEPTH = 256
"""Moves from the root to a leaf at most; a longer line of play is played out from there."""

EDGES_PER_NODE = 8
"""Room for edges: most nodes are leaves and have none yet."""


class GameArrays(NamedTuple):
    """What the kernels know of a game.

    ``code`` int64: see :meth:`gdl.engine.block.Engine.addresses`. ``deferred_goals``: whether goals
    are evaluated only when they are needed. The next seven are first rows and numbers of rows; see
    :mod:`gdl.circuit.layout`. ``offsets`` int64 (R + 1,): where each role's moves begin.
    ``goal_table`` int64 (goals, 2): role and value of each goal row. ``chance`` uint8 (R,): whether
    a role moves by chance. ``floor`` and ``ceiling`` uint8 (R,): the least and the greatest goal
    value of each role. Of the states that ``symmetries`` map to one another only the canonical one
    has a node. ``constant_sum`` is the sum that the goal values of ``first_rival`` and
    ``second_rival`` always have; -1 where it varies, or where the game has not two rivals.
    """

    code: Ints
    deferred_goals: bool
    fluents: int
    fluent_count: int
    moves: int
    legal: int
    terminal: int
    goals: int
    next: int
    offsets: Ints
    goal_table: Ints
    chance: Values
    floor: Values
    ceiling: Values
    symmetries: SymmetryGroup
    first_rival: int = 0
    second_rival: int = 0
    constant_sum: int = -1


class LaneArrays(NamedTuple):
    """The block in which playouts run, and which leaf each of them belongs to.

    ``rows`` uint64 (rows, W), ``flat_rows`` a view of it as one line; ``scratch`` and ``random`` as
    the choice of moves needs them. ``playing`` uint64 (W,): lanes whose playout goes on;
    ``finished`` uint64 (W,): lanes whose playout has ended and is yet to be counted. ``leaf`` int32
    (L,): the pending leaf of each lane. ``start_step`` int64 (L,): the step in which its playout
    began. ``moves_made`` uint64 (moves * W,): the moves made since then, as in the block's move
    rows; ``just_started`` uint64 (W,): the lanes that were filled in this step. ``results``
    float32 (L, R): goal values of the playouts that have ended, in hundredths. Scratch: ``mask``
    uint64 (W,), ``state`` and ``spare`` uint64 (S,), ``values`` uint8 (R,).
    """

    rows: Words
    flat_rows: Words
    scratch: Words
    random: Words
    playing: Words
    finished: Words
    leaf: Indices
    start_step: Ints
    moves_made: Words
    just_started: Words
    results: NDArray[np.float32]
    mask: Words
    state: Words
    spare: Words
    values: Values


class PendingLeaves(NamedTuple):
    """Leaves whose playouts are under way: each a path from the root, with lanes at its end.

    There is room for as many as there are lanes; ``D`` is the longest path. ``length`` int32 (L,):
    edges of the path. ``nodes`` int32 (L, D + 1): its nodes, -1 where not known. ``edges`` int32
    (L, D, R): for each step and role the edge followed, -1 for a role without a choice.
    ``forced_moves`` int32 (L, R): the joint move that the lanes still have to make where
    ``forced``, uint8 (L,), is set. ``lane_count`` int32 (L,): lanes in all; ``playing`` int32 (L,):
    those whose playout goes on. ``totals`` float64 (L, R): the sum of the goal values of those that
    have ended. ``masks`` uint64 (L, W): the lanes. ``amaf_visits`` int32 (L, moves) and
    ``amaf_totals`` float32 (L, moves): how many of the playouts had each move in them, and the sum
    of its role's goal values in those. ``free`` int32 (L,): a stack of unused leaves; ``new`` int32
    (L,): a stack of leaves whose lanes were filled after the last view.
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
    amaf_visits: Indices
    amaf_totals: NDArray[np.float32]
    free: Indices
    new: Indices


class TreeArrays(NamedTuple):
    """Nodes, edges and joint moves, in pools of fixed size.

    Per node: ``state`` uint64 (N, S), packed; ``hash`` uint64 (N,). ``mover`` int32 (N,): the only
    role with a choice, or ``SIMULTANEOUS`` (-2) where several have one. ``first_edge`` int32 (N,
    R): the first edge of a role's moves, or -1 - move where the role has no choice. ``choices``
    int32 (N, R): the number of legal moves, 0 before expansion. ``visits`` and ``pending_visits``
    int32 (N,): playouts through the node that have ended and that are under way (the virtual loss).
    ``total`` float64 (N, R): the sum of the goal values. ``low``, ``high`` uint8 (N, R): proved
    bounds of the value.

    Per edge: ``move`` int32 (E,), its index among the role's moves; ``edge_visits``,
    ``edge_pending_visits`` int32 (E,) and ``edge_total`` float64 (E,) as for nodes, of the role's
    own goal values; ``child`` int32 (E,): the node behind it, where the role alone has a choice.
    ``amaf_visits`` int32 (E,) and ``amaf_total`` float64 (E,): visits and total of all playouts
    through the node in which the role made the move at any time ("all moves as first"). At
    simultaneous-move nodes: ``known_joint_moves`` int32 (E,), how many joint moves with this move
    are in the tree; ``regret`` float64 (E,), the cumulative regret; ``edge_low``, ``edge_high``
    uint8 (E,), proved bounds of the move's value.

    ``table`` int32 (a power of two,): nodes by the hash of their state, -1 where empty.

    Joint moves at simultaneous-move nodes have a hash table of their own, ``J`` a power of two:
    ``joint_hash`` uint64 (J,), the hash of node and edges, 0 where empty; ``joint_child`` int32
    (J,), the node behind it; ``joint_edges`` int32 (J, R). ``first_joint_move`` int32 (N,) and
    ``next_joint_move`` int32 (J,) link the joint moves of a node: each is an index plus one, 0 at
    the end. ``joint_final`` uint8 (J,): whether the child is proved and the node's bounds include
    it.
    """

    state: Words
    hash: Words
    mover: Indices
    first_edge: Indices
    choices: Indices
    visits: Indices
    pending_visits: Indices
    total: Sums
    low: Values
    high: Values
    move: Indices
    edge_visits: Indices
    edge_pending_visits: Indices
    edge_total: Sums
    child: Indices
    amaf_visits: Indices
    amaf_total: Sums
    known_joint_moves: Indices
    regret: Sums
    edge_low: Values
    edge_high: Values
    table: Indices
    joint_hash: Words
    joint_child: Indices
    joint_edges: Indices
    first_joint_move: Indices
    next_joint_move: Indices
    joint_final: Values


class Settings(NamedTuple):
    """The parameters of the search.

    ``exploration`` weighs the unknown against the good. ``leaf_lanes`` playouts start from each
    leaf; 0 adapts their number to the cost of a playout. At most ``fan`` children of a node are
    expanded together. ``rave_equivalence`` is the number of visits of a move at which its own mean
    and its AMAF value weigh the same; 0 switches AMAF values off. Without ``proofs`` terminal
    states prove nothing. A playout is given up after ``max_playout_steps``. At simultaneous-move
    nodes roles choose by regret matching, mixed with the part ``uniform`` of uniformly random
    moves; if that is 0, each role follows its own upper confidence bounds.
    """

    exploration: float = 0.6
    leaf_lanes: int = 0
    fan: int = 16
    rave_equivalence: int = 0
    proofs: bool = True
    max_playout_steps: int = 5000
    uniform: float = 0.1


(
    ROOT,
    NODES,
    EDGES,
    JOINT_MOVES,
    FREE_LEAVES,
    NEW_LEAVES,
    STEP,
    PLAYOUTS,
    FULL,
    DESCENTS,
    REFUTED,
) = range(11)
"""Indices into ``counts``, int64 (11,), the state of the search as a whole:

- ``ROOT``: the node at which every path begins
- ``NODES``, ``EDGES``, ``JOINT_MOVES``: how many of each are in use
- ``FREE_LEAVES``, ``NEW_LEAVES``: heights of the stacks ``free`` and ``new`` of the pending leaves
- ``STEP``: steps of the block so far
- ``PLAYOUTS``: playouts that have ended
- ``FULL``: 1 if nodes, edges or joint moves have run out, so that the tree has to be compacted
- ``DESCENTS``: descents from the root so far
- ``REFUTED``: 1 if a terminal state has refuted the assumed constant sum
"""


class Memory(NamedTuple):
    """Everything that a search works on, as one argument.

    ``last_descents`` int32 (N,): the number of the last descent through each node.
    """

    game: GameArrays
    lanes: LaneArrays
    leaves: PendingLeaves
    tree: TreeArrays
    counts: Ints
    last_descents: Indices


def new_memory(engine: Engine, block: Block, game: GameArrays, nodes: int) -> Memory:
    """Allocate memory for a search of at most so many nodes."""
    words, lanes, roles = engine.words, block.lanes, engine.roles
    size, moves = state_words(engine), sum(engine.layout.move_counts)
    counts = np.zeros(REFUTED + 1, dtype=np.int64)
    counts[FREE_LEAVES] = lanes
    return Memory(
        game,
        LaneArrays(
            rows=block.rows,
            flat_rows=block.rows.reshape(-1),
            scratch=block.scratch,
            random=block.random,
            playing=np.zeros(words, np.uint64),
            finished=np.zeros(words, np.uint64),
            leaf=np.zeros(lanes, np.int32),
            start_step=np.zeros(lanes, np.int64),
            moves_made=np.zeros(moves * words, np.uint64),
            just_started=np.zeros(words, np.uint64),
            results=np.zeros((lanes, roles), np.float32),
            mask=np.zeros(words, np.uint64),
            state=np.zeros(size, np.uint64),
            spare=np.zeros(size, np.uint64),
            values=np.zeros(roles, np.uint8),
        ),
        _new_leaves(lanes, words, roles, moves),
        new_tree(nodes, EDGES_PER_NODE * nodes, size, roles),
        counts,
        np.zeros(nodes, np.int32),
    )


def state_words(engine: Engine) -> int:
    """The 64-bit words of a packed state."""
    return -(-engine.layout.fluent_count // 64)


def new_game(
    engine: Engine, roles: Sequence[Constant], symmetries: SymmetryGroup | None = None
) -> GameArrays:
    """Collect what the kernels need to know of a game."""
    layout, table = engine.layout, engine.goal_table.clip((0, 0), (engine.roles, 100))
    values = [table[table[:, 0] == role, 1] for role in range(engine.roles)]
    return GameArrays(
        code=engine.addresses(),
        deferred_goals=engine.deferred_goals,
        fluents=layout.fluents,
        fluent_count=layout.fluent_count,
        moves=layout.moves,
        legal=layout.legal,
        terminal=layout.terminal,
        goals=layout.goals,
        next=layout.next,
        offsets=np.cumsum([0, *layout.move_counts]).astype(np.int64),
        goal_table=table,
        chance=np.array([moves_by_chance(role) for role in roles], np.uint8),
        floor=np.zeros(engine.roles, np.uint8),  # a role for which no goal holds gets 0
        ceiling=np.array([max(own, default=0) for own in values], np.uint8),
        symmetries=symmetries or trivial_group(layout),
    )


def new_tree(nodes: int, edges: int, words: int, roles: int) -> TreeArrays:
    """Allocate an empty tree; ``words`` are those of a packed state."""
    table = 1 << (2 * nodes - 1).bit_length()
    return TreeArrays(
        state=np.zeros((nodes, words), np.uint64),
        hash=np.zeros(nodes, np.uint64),
        mover=np.zeros(nodes, np.int32),
        first_edge=np.zeros((nodes, roles), np.int32),
        choices=np.zeros((nodes, roles), np.int32),
        visits=np.zeros(nodes, np.int32),
        pending_visits=np.zeros(nodes, np.int32),
        total=np.zeros((nodes, roles), np.float64),
        low=np.zeros((nodes, roles), np.uint8),
        high=np.zeros((nodes, roles), np.uint8),
        move=np.zeros(edges, np.int32),
        edge_visits=np.zeros(edges, np.int32),
        edge_pending_visits=np.zeros(edges, np.int32),
        edge_total=np.zeros(edges, np.float64),
        child=np.zeros(edges, np.int32),
        amaf_visits=np.zeros(edges, np.int32),
        amaf_total=np.zeros(edges, np.float64),
        known_joint_moves=np.zeros(edges, np.int32),
        regret=np.zeros(edges, np.float64),
        edge_low=np.zeros(edges, np.uint8),
        edge_high=np.zeros(edges, np.uint8),
        table=np.full(table, -1, np.int32),
        joint_hash=np.zeros(table, np.uint64),
        joint_child=np.zeros(table, np.int32),
        joint_edges=np.zeros((table, roles), np.int32),
        first_joint_move=np.zeros(nodes, np.int32),
        next_joint_move=np.zeros(table, np.int32),
        joint_final=np.zeros(table, np.uint8),
    )


def _new_leaves(lanes: int, words: int, roles: int, moves: int) -> PendingLeaves:
    return PendingLeaves(
        length=np.zeros(lanes, np.int32),
        nodes=np.zeros((lanes, MAX_DEPTH + 1), np.int32),
        edges=np.zeros((lanes, MAX_DEPTH, roles), np.int32),
        forced_moves=np.zeros((lanes, roles), np.int32),
        lane_count=np.zeros(lanes, np.int32),
        playing=np.zeros(lanes, np.int32),
        totals=np.zeros((lanes, roles), np.float64),
        forced=np.zeros(lanes, np.uint8),
        masks=np.zeros((lanes, words), np.uint64),
        amaf_visits=np.zeros((lanes, moves), np.int32),
        amaf_totals=np.zeros((lanes, moves), np.float32),
        free=np.arange(lanes, dtype=np.int32)[::-1].copy(),
        new=np.zeros(lanes, np.int32),
    )
