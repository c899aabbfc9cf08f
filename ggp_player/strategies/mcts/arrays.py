"""The arrays of the tree search: plain data that the kernels work on.

``R`` is the number of roles, ``W`` the words of a block, ``S`` the words of a packed state. Nodes
and edges are named by their index; -1 is none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Block, Engine, SymmetryGroup, trivial_group

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

    ``code`` int64: see :meth:`gdl.engine.block.Engine.addresses`. ``late_goals``: whether goals
    are evaluated only when they are wanted. The next seven are first rows and numbers of rows; see
    :mod:`gdl.circuit.layout`. ``offsets`` int64 (R + 1,): where each role's moves begin.
    ``goal_table`` int64 (goals, 2): role and value of each goal row. ``chance`` uint8 (R,): whether
    a role moves by chance. ``floor`` and ``ceiling`` uint8 (R,): the least and the greatest goal
    value of each role. Of states that are ``images`` of each other the least has a node for all.
    ``sum`` is what the goal values of ``first`` and ``second`` always add up to, -1 where they do
    not, or where the game has not two rivals.
    """

    code: Ints
    late_goals: bool
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
    images: SymmetryGroup
    first: int = 0
    second: int = 0
    sum: int = -1


class Lanes(NamedTuple):
    """The block that plays, and who plays in it.

    ``rows`` uint64 (rows, W), ``cells`` the same as one line, ``scratch`` and ``random`` as the
    choice of moves needs them. ``alive`` uint64 (W,): the lanes in which a playout goes on;
    ``over`` uint64 (W,): those in which one has ended and is yet to be counted.
    ``flight`` int32 (lanes,): which flight each lane belongs to. ``begun`` int64 (lanes,): the
    step in which it began. ``played`` uint64 (moves * W,): the moves made since then, as in the
    block's move rows; ``new`` uint64 (W,): the lanes that were filled in this step. ``results``
    float32 (lanes, R): goal values of the playouts that are over, in hundredths. Scratch:
    ``kept`` uint64 (W,), ``state`` and ``spare`` uint64 (S,), ``values`` uint8 (R,).
    """

    rows: Words
    cells: Words
    scratch: Words
    random: Words
    alive: Words
    over: Words
    flight: Indices
    begun: Ints
    played: Words
    new: Words
    results: NDArray[np.float32]
    kept: Words
    state: Words
    spare: Words
    values: Values


class PendingLeaves(NamedTuple):
    """Leaves in flight: each is a path from the root with lanes that play on from its end.

    ``F`` is the number of lanes, ``D`` the longest path. ``length`` int32 (F,): edges of the
    path. ``nodes`` int32 (F, D + 1): nodes of the path, -1 where not known. ``edges`` int32
    (F, D, R): for each step and role the edge gone along, -1 for a role without a choice.
    ``moves`` int32 (F, R): the joint move that the lanes still have to make where ``forced``,
    uint8 (F,), says so. ``size`` int32 (F,): lanes in all; ``pending`` int32 (F,): those still
    playing. ``sums`` float64 (F, R): goal values of those that have ended, in hundredths.
    ``masks`` uint64 (F, W): the lanes. ``made`` int32 (F, moves) and ``gains`` float32 (F,
    moves): how many of the playouts had each move in them, and its role's goal values in them.
    ``free`` int32 (F,): a stack of unused flights; ``fresh`` int32 (F,): flights whose lanes
    were filled after the last view.
    """

    length: Indices
    nodes: Indices
    edges: Indices
    moves: Indices
    size: Indices
    pending: Indices
    sums: Sums
    forced: Values
    masks: Words
    made: Indices
    gains: NDArray[np.float32]
    free: Indices
    fresh: Indices


class TreeArrays(NamedTuple):
    """Nodes and edges, in pools of fixed size.

    Per node: ``state`` uint64 (N, S), packed; ``hash`` uint64 (N,). ``mover`` int32 (N,): the
    role that alone has a choice, -2 where several have. ``first`` int32 (N, R): the first edge of
    a role's moves, or -1 - move where the role has no choice. ``choices`` int32 (N, R): the
    number of legal moves, 0 before expansion. ``visits`` and ``flying`` int32 (N,): playouts that
    came through and that are on their way. ``total`` float64 (N, R): the sum of goal values in
    hundredths. ``low``, ``high`` uint8 (N, R): proved bounds of the value.

    Per edge: ``move`` int32 (E,), by its place among the role's moves; ``tries``, ``airborne``
    int32 (E,) as visits and flying; ``score`` float64 (E,): the sum of the role's own goal
    values; ``child`` int32 (E,): the node after it, for the only role with a choice. ``fellows``
    int32 (E,), ``gain`` float64 (E,): as tries and score, of all playouts through the node in
    which the role made the move at some time. Where several roles have a choice: ``joined`` int32
    (E,), how many joint moves with the move are known; ``regret`` float64 (E,), what the move would
    have brought over what came; ``least``, ``most`` uint8 (E,), proved bounds of what it brings.

    ``table`` int32 (a power of two,): nodes by the hash of their state, -1 where empty.

    Joint moves of several choices are in a table of their own, ``J`` a power of two: ``key``
    uint64 (J,), the mixed hash of node and edges, 0 where empty; ``after`` int32 (J,), the node
    after it; ``chosen`` int32 (J, R), the edges; ``joint`` int32 (N,) and ``other`` int32 (J,):
    the first and the next place, plus one, of a node's joint moves; ``told`` uint8 (J,): whether
    all is known of the node after it, and taken into account.
    """

    state: Words
    hash: Words
    mover: Indices
    first: Indices
    choices: Indices
    visits: Indices
    flying: Indices
    total: Sums
    low: Values
    high: Values
    move: Indices
    tries: Indices
    airborne: Indices
    score: Sums
    child: Indices
    fellows: Indices
    gain: Sums
    joined: Indices
    regret: Sums
    least: Values
    most: Values
    table: Indices
    key: Words
    after: Indices
    chosen: Indices
    joint: Indices
    other: Indices
    told: Values


class Settings(NamedTuple):
    """How the search goes about it.

    ``exploration`` weighs the unknown against the good. ``leaf_lanes`` lanes play from each leaf, 0
    for more in games of short and cheap playouts; ``fan`` children of a node are tried together at
    most. Up to about ``equivalence`` tries of a move, all playouts that have it in them count as
    much as those that begin with it; 0 for never. Without ``proofs`` nothing is known of a value
    but by playouts. A playout of ``longest`` steps is given up. Roles that move at once choose by
    regret matching, but make the part ``uniform`` of their moves at random; if it is 0, each
    follows what looks best to it.
    """

    exploration: float = 0.6
    leaf_lanes: int = 0
    fan: int = 16
    equivalence: int = 0
    proofs: bool = True
    longest: int = 5000
    uniform: float = 0.1


(
    ROOT,
    NODES,
    EDGES,
    JOINTS,
    FREE,
    FRESH,
    STEP,
    PLAYOUTS,
    STATES,
    FULL,
    MARK,
    REFUTED,
) = range(12)
"""Places in ``counts``, int64 (12,): the root; the nodes, edges and joint moves in use; the
heights of the stacks ``free`` and ``fresh``; steps made, playouts ended, states gone through;
whether a pool is full; the number of the last descent; and whether a terminal state has refuted
the constant sum."""

COUNTS = 12


class Memory(NamedTuple):
    """Everything a search works on, for one argument instead of six."""

    game: GameArrays
    lanes: Lanes
    flights: PendingLeaves
    tree: TreeArrays
    counts: Ints
    marks: Indices
    """int32 (N,): the last descent that came through each node."""


def new_memory(engine: Engine, block: Block, game: GameArrays, nodes: int) -> Memory:
    """Return memory for a search of at most so many nodes."""
    words, lanes, roles = engine.words, block.lanes, engine.roles
    size = -(-engine.layout.fluent_count // 64)
    moves = sum(engine.layout.move_counts)
    counts = np.zeros(COUNTS, dtype=np.int64)
    counts[FREE] = lanes
    return Memory(
        game,
        Lanes(
            block.rows,
            block.rows.reshape(-1),
            block.scratch,
            block.random,
            np.zeros(words, np.uint64),
            np.zeros(words, np.uint64),
            np.zeros(lanes, np.int32),
            np.zeros(lanes, np.int64),
            np.zeros(moves * words, np.uint64),
            np.zeros(words, np.uint64),
            np.zeros((lanes, roles), np.float32),
            np.zeros(words, np.uint64),
            np.zeros(size, np.uint64),
            np.zeros(size, np.uint64),
            np.zeros(roles, np.uint8),
        ),
        _new_flights(lanes, words, roles, moves),
        new_tree(nodes, EDGES_PER_NODE * nodes, size, roles),
        counts,
        np.zeros(nodes, np.int32),
    )


def new_game(
    engine: Engine, chance: NDArray[np.uint8], images: SymmetryGroup | None = None
) -> GameArrays:
    """Return what the kernels know of a game; ``chance`` tells which roles move by chance."""
    layout, table = engine.layout, engine.goal_table.clip((0, 0), (engine.roles, 100))
    values = [table[table[:, 0] == role, 1] for role in range(engine.roles)]
    return GameArrays(
        engine.addresses(),
        engine.deferred_goals,
        layout.fluents,
        layout.fluent_count,
        layout.moves,
        layout.legal,
        layout.terminal,
        layout.goals,
        layout.next,
        np.cumsum([0, *layout.move_counts]).astype(np.int64),
        table,
        chance,
        np.zeros(engine.roles, np.uint8),  # a role for whom no goal holds has 0
        np.array([max(own, default=0) for own in values], np.uint8),
        images or trivial_group(layout),
    )


def new_tree(nodes: int, edges: int, state_words: int, roles: int) -> TreeArrays:
    """Return an empty tree."""
    table = 1 << (2 * nodes - 1).bit_length()
    return TreeArrays(
        np.zeros((nodes, state_words), np.uint64),
        np.zeros(nodes, np.uint64),
        np.zeros(nodes, np.int32),
        np.zeros((nodes, roles), np.int32),
        np.zeros((nodes, roles), np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros((nodes, roles), np.float64),
        np.zeros((nodes, roles), np.uint8),
        np.zeros((nodes, roles), np.uint8),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.float64),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.float64),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.float64),
        np.zeros(edges, np.uint8),
        np.zeros(edges, np.uint8),
        np.full(table, -1, np.int32),
        np.zeros(table, np.uint64),
        np.zeros(table, np.int32),
        np.zeros((table, roles), np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(table, np.int32),
        np.zeros(table, np.uint8),
    )


def _new_flights(lanes: int, words: int, roles: int, moves: int) -> PendingLeaves:
    return PendingLeaves(
        length=np.zeros(lanes, np.int32),
        nodes=np.zeros((lanes, MAX_DEPTH + 1), np.int32),
        edges=np.zeros((lanes, MAX_DEPTH, roles), np.int32),
        moves=np.zeros((lanes, roles), np.int32),
        size=np.zeros(lanes, np.int32),
        pending=np.zeros(lanes, np.int32),
        sums=np.zeros((lanes, roles), np.float64),
        forced=np.zeros(lanes, np.uint8),
        masks=np.zeros((lanes, words), np.uint64),
        made=np.zeros((lanes, moves), np.int32),
        gains=np.zeros((lanes, moves), np.float32),
        free=np.arange(lanes, dtype=np.int32)[::-1].copy(),
        fresh=np.zeros(lanes, np.int32),
    )
