"""The arrays of the tree search: plain data that the kernels work on, and what each row means.

Several threads may grow one tree. Each of them has a block of its own, with its lanes and pending
leaves; the tree and its counts are shared. Descents and backpropagation take no lock: they add to
visits and values as others do, and what they stand on is pinned, see :mod:`.pools`. Judged values
they write: where two write at once, a later descent brings the value up to date. Nodes are found,
added and expanded without a lock, too; who expands one claims it. Whoever allocates nodes, proves
or recycles them has acquired the tree's lock, and so has whoever reads or changes joint moves.

``R`` is the number of roles, ``W`` the words of a block, ``S`` the words of a packed state, ``N``
the nodes, ``E`` the edges, ``J`` the joint moves, ``L`` the lanes. Nodes and edges are named by
their index; -1 is none. Values are goal values: 0 to 100 in bounds (uint8), in hundredths in sums.

What a kernel reads together stands together: a node, an edge, and what a node knows of a role are
records of NumPy's structured types. Links of lists hold one more than an index, and 0 at the end,
so that memory that was never written is an empty tree. A tree of millions of nodes lies in main
memory, and a descent takes as long as the memory that it has to wait for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl import Constant
from gdl.circuit.winning_moves.builder import WinningMoves
from gdl.engine import Block, Engine, SymmetryGroup, trivial_group
from gdl.engine.kernel_library import CACHE_LINE, inlined_kernel, kernel, new_lock, unshared_zeros
from gdl.language import moves_by_chance

Ints = NDArray[np.int64]
Indices = NDArray[np.int32]
Words = NDArray[np.uint64]
Values = NDArray[np.uint8]
Sums = NDArray[np.float64]
Records = NDArray[Any]

MAX_DEPTH = 256
"""Moves from the root to a leaf at most; a longer line of play is played out from there."""

NODE = np.dtype(
    [
        ("hash", np.uint64),
        ("last_descent", np.int64),
        ("visits", np.int32),
        ("pending", np.int32),
        ("mover", np.int32),
        ("next", np.int32),
        ("first_joint_move", np.int32),
        ("serial", np.uint16),
        ("is_expanded", np.uint8),
        ("is_proved", np.uint8),
    ]
)
"""A node.

``hash`` of its state. ``last_descent``: the number of the last descent through it. ``visits`` and
``pending``: descents through it that have ended, and that are under way (the virtual loss), which
keep it from being recycled; ``CLAIMED`` and less while nobody may use it.
``mover``: the only role with a choice, or ``SIMULTANEOUS`` (-2) where several have one; before it
is expanded ``UNEXPANDED``, or ``EXPANDING``. ``next``: the next node in the same bucket of the hash
table, or on the list of free nodes.
``first_joint_move``: the head of the list of its joint moves. ``serial``: how often the node was
recycled. ``is_proved``: whether nothing below it can change its value any more.
"""

UNEXPANDED, EXPANDING = -3, -4
"""Stand for the mover of a node without edges, and of one to which a thread adds them."""

ROLE = np.dtype(
    [
        ("total", np.float64),
        ("first_edge", np.int32),
        ("choices", np.int32),
        ("low", np.uint8),
        ("high", np.uint8),
        ("judged", np.uint16),
        ("spare", np.uint32),
    ]
)
"""What a node knows of a role.

``total``: the sum of the values of its descents; of two rivals with a constant sum only the first
one has it, see :func:`.mean_of_descents`. ``first_edge``: the first edge of the role's
moves, or -1 - move where it has no choice; ``choices``: the number of its legal moves. ``low`` and
``high``: proved bounds of the value. ``judged``: what the node is worth to the role by minimax or
max^n over what patterns say, in parts of ``PARTS``; 0 where they say nothing.
"""

EDGE = np.dtype(
    [
        ("total", np.float64),
        ("move", np.int32),
        ("child", np.int32),
        ("visits", np.int32),
        ("pending", np.uint16),
        ("serial", np.uint16),
        ("low", np.uint8),
        ("high", np.uint8),
        ("is_proved", np.uint8),
        ("rival", np.uint8),
        ("prior", np.uint16),
        ("judged", np.uint16),
    ]
)
"""A move of a role at a node.

``move``: its index among the role's moves. ``visits``, ``pending`` and ``total`` as for nodes, the
total in the role's utility. ``child``: the node behind it, where the role alone has a choice;
``serial``: that node's, without which the child has been recycled since. ``low``, ``high``,
``is_proved``: what is proved of the value behind it; ``rival``: the exact value of the other of two
rivals there, ``UNKNOWN_VALUE`` where it is not known. These outlive the child. ``prior``: how
likely the move is to be best by what patterns say, in parts of ``PARTS``, 0 where they say nothing;
``judged``: what it is worth by them. On the list of free edges ``child`` is the next.
"""

PARTS = 65535
"""What stands for 1 in priors and judged values."""

UNKNOWN_VALUE = 255
"""Stands for a value that is not known."""

JOINT_MOVE = np.dtype(
    [
        ("hash", np.uint64),
        ("child", np.int32),
        ("next", np.int32),
        ("next_of_node", np.int32),
        ("serial", np.uint16),
        ("is_final", np.uint8),
        ("spare", np.uint8),
    ]
)
"""A joint move at a simultaneous-move node that leads to a node of the tree.

``hash`` of node and edges; ``child`` and its ``serial`` as for edges. ``next``: the next in the
same bucket of the hash table, or on the list of those that are free; ``next_of_node``: the next of
the same node. ``is_final``: whether the child is proved and the node's bounds include it.
"""


class GameArrays(NamedTuple):
    """What the kernels know of a game.

    ``code`` int64: see :meth:`gdl.engine.block.Engine.addresses`. ``deferred_goals``: whether goals
    are evaluated only when they are needed. The next seven are first rows and numbers of rows; see
    :mod:`gdl.circuit.layout`. ``offsets`` int64 (R + 1,): where each role's moves begin.
    ``goal_table`` int64 (goals, 2): role and value of each goal row. ``chance`` uint8 (R,): whether
    a role moves by chance. ``floor`` and ``ceiling`` uint8 (R,): the least and the greatest goal
    value of each role, 0 for those that move by chance. ``spread`` float64 (R,): how far the values
    of playouts lie apart, as a part of what they can at most. ``winning``: the first of the rows
    that say which moves win at once, -1 where there are none; ``winning_moves`` int64 (any,): the
    moves of all roles that ever do, in their order. Of the states that ``symmetries`` map to one
    another only the canonical one has a node. ``first_rival`` and ``second_rival`` are the roles
    that choose, where there are two; otherwise both are -1. ``constant_sum`` is the sum that their
    goal values always have; -1 where it varies.
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
    spread: Sums
    winning: int
    winning_moves: Ints
    symmetries: SymmetryGroup
    first_rival: int = -1
    second_rival: int = -1
    constant_sum: int = -1


class TreeArrays(NamedTuple):
    """Nodes, edges and joint moves, in pools of fixed size, and the lock for changing them.

    ``lock`` int64 (2,): see :func:`gdl.engine.kernel_library.acquire`; ``is_shared``: whether there
    are several threads. ``nodes`` :data:`NODE` (N,), ``roles`` :data:`ROLE` (N, R), ``state``
    uint64 (N, S), packed. ``edges`` :data:`EDGE` (E,).
    ``buckets`` int32 (a power of two,): links to the first node of each bucket of the hash table.
    ``free_edges`` int32 (any,): for each number of edges a link to the first run of so many that is
    free.

    For simultaneous-move nodes: ``regret`` float64 (E,), the cumulative regret of a move;
    ``known_joint_moves`` int32 (E,), how many joint moves with it are in the tree;
    ``joint_moves`` :data:`JOINT_MOVE` (J,), ``joint_edges`` int32 (J, R), and ``joint_buckets``
    int32 (a power of two,) as ``buckets``.
    """

    lock: Ints
    is_shared: bool
    nodes: Records
    roles: Records
    state: Words
    edges: Records
    buckets: Indices
    free_edges: Indices
    regret: Sums
    known_joint_moves: Indices
    joint_moves: Records
    joint_edges: Indices
    joint_buckets: Indices


MINIMAX_SHARE = 0.3
"""The part of a move's value that is what patterns say, backed up by minimax, if nothing is known
of how well they tell moves apart."""


class Settings(NamedTuple):
    """The parameters of the search.

    ``exploration`` weighs the unknown against the good. ``leaf_lanes`` playouts start from each
    leaf; 0 adapts their number to the cost of a playout. At most ``fan`` children of a node are
    expanded together. Without ``proofs`` terminal states prove nothing. A playout is given up after
    ``max_playout_steps``. At simultaneous-move nodes roles choose by regret matching, mixed with
    the part ``uniform`` of uniformly random moves; if that is 0, each role follows its own upper
    confidence bounds. Where goals have no constant sum, a role's utility is its own value less the
    part ``rivalry`` of the mean of the others'. With ``decisive`` a node where a role can win at
    once is proved. Where moves have priors, ``guidance`` weighs these in place of ``exploration``;
    they are the more alike the higher the ``temperature``, in logits. What patterns say a move is
    worth counts as so many visits as their ``trust``, and the part ``minimax_share`` of a move's
    value is what they say, backed up by minimax or max^n; it is set when they are given. Where
    roles move at once, ``leaf_weight`` is the part of a leaf's value that patterns say. Some
    ``batch`` leaves in a row are selected below one node, the stand; with 1 each descent begins at
    the root.
    """

    exploration: float = 0.25
    leaf_lanes: int = 0
    fan: int = 16
    proofs: bool = True
    max_playout_steps: int = 5000
    uniform: float = 0.1
    rivalry: float = 0.1
    decisive: bool = True
    guidance: float = 1.5
    temperature: float = 0.5
    trust: float = 16.0
    minimax_share: float = 0.0
    batch: int = 16
    leaf_weight: float = 0.5


_LINE = CACHE_LINE // np.dtype(np.int64).itemsize
"""Counts in a cache line."""

ROOT, REFUTED, TOGETHER = range(3)
NODES, FREE_NODE, JOINT_MOVES, FREE_JOINT_MOVE, SWEPT, OLD, RECYCLED = range(_LINE, _LINE + 7)
EDGES, DESCENTS, STEPS_LEFT, PLAYOUTS = range(2 * _LINE, 6 * _LINE, _LINE)
"""Indices into ``counts``, int64 (any,), the state of the tree as a whole.

What threads write without the lock is in cache lines of its own, apart from what they often read.

- ``ROOT``: the node at which every path begins
- ``NODES``, ``EDGES``, ``JOINT_MOVES``: how many of each have ever been in use
- ``FREE_NODE``, ``FREE_JOINT_MOVE``: links to the first of those that are free again
- ``STEPS_LEFT``: steps that the threads together have yet to make
- ``PLAYOUTS``: playouts that have ended
- ``DESCENTS``: descents so far, from the root and from stands
- ``REFUTED``: 1 if a terminal state has refuted the assumed constant sum
- ``SWEPT``: the node that is looked at next when nodes are to be recycled
- ``OLD``: nodes whose last descent came before this one may be recycled
- ``RECYCLED``: nodes that have been recycled so far
- ``TOGETHER``: 1 if there is a node at which several roles have a choice
"""


@inlined_kernel
def is_complement(game: GameArrays, role: int) -> bool:
    """Whether what a role gets is what its rival leaves of a constant sum, and not kept."""
    return game.constant_sum >= 0 and role == game.second_rival


@inlined_kernel
def mean_of_descents(game: GameArrays, tree: TreeArrays, node: int, role: int) -> float:
    """The mean value for a role of the descents through a visited node, in hundredths."""
    visits = tree.nodes[node].visits
    if is_complement(game, role):
        return 0.01 * game.constant_sum - tree.roles[node, game.first_rival].total / visits
    return float(tree.roles[node, role].total / visits)


@kernel
def mean_value(game: GameArrays, tree: TreeArrays, node: int, role: int) -> float:
    """The mean value of a visited node's playouts, in hundredths, clipped to the proved bounds."""
    mean = mean_of_descents(game, tree, node, role)
    return min(max(mean, 0.01 * tree.roles[node, role].low), 0.01 * tree.roles[node, role].high)


def new_counts() -> Ints:
    """The counts of an empty tree."""
    return unshared_zeros(PLAYOUTS + 1, np.int64)


def state_words(engine: Engine) -> int:
    """The 64-bit words of a packed state."""
    return -(-engine.layout.fluent_count // 64)


def new_game(
    block: Block, roles: Sequence[Constant], symmetries: SymmetryGroup | None = None
) -> GameArrays:
    """Collect what the kernels need to know of a game, and where it stands in a block."""
    engine, winning = block.engine, block.winning_moves
    layout, table = engine.layout, engine.goal_table.clip((0, 0), (engine.roles, 100))
    values = [table[table[:, 0] == role, 1] for role in range(engine.roles)]
    ceiling = [
        0 if moves_by_chance(role) else max(own, default=0)
        for role, own in zip(roles, values, strict=True)
    ]
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
        ceiling=np.array(ceiling, np.uint8),
        spread=np.ones(engine.roles),
        winning=-1 if winning is None else winning.first,
        winning_moves=_winning_moves(winning),
        symmetries=symmetries or trivial_group(layout),
    )


EDGES_PER_NODE = 6
"""Room for edges. Most nodes are leaves and have none; memory that is not used is not taken."""


def new_tree(
    nodes: int, words: int, roles: int, most_choices: int, *, is_shared: bool = False
) -> TreeArrays:
    """Allocate an empty tree; ``words`` are those of a packed state."""
    edges = EDGES_PER_NODE * nodes
    joint_moves = 2 * nodes
    return TreeArrays(
        lock=new_lock(),
        is_shared=is_shared,
        nodes=np.zeros(nodes, NODE),
        roles=np.zeros((nodes, roles), ROLE),
        state=np.zeros((nodes, words), np.uint64),
        edges=np.zeros(edges, EDGE),
        buckets=np.zeros(_power_of_two(nodes), np.int32),
        free_edges=np.zeros(most_choices + 1, np.int32),
        regret=np.zeros(edges),
        known_joint_moves=np.zeros(edges, np.int32),
        joint_moves=np.zeros(joint_moves, JOINT_MOVE),
        joint_edges=np.zeros((joint_moves, roles), np.int32),
        joint_buckets=np.zeros(_power_of_two(joint_moves), np.int32),
    )


def empty_tree(tree: TreeArrays, counts: Ints) -> None:
    """Forget all nodes, edges and joint moves; ``counts`` says what has been in use."""
    links = [tree.buckets, tree.free_edges]
    if counts[JOINT_MOVES]:
        links.append(tree.joint_buckets)
    for each in links:
        each[each != 0] = 0  # memory that was never written stays unwritten


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


def _winning_moves(winning: WinningMoves | None) -> Ints:
    rows = np.zeros(0, np.int64) if winning is None else winning.moves
    return np.ascontiguousarray(rows, np.int64)


def bytes_per_node(engine: Engine) -> int:
    """The memory that a node takes with its edges, where roles move in turn."""
    words = state_words(engine)
    node = NODE.itemsize + engine.roles * ROLE.itemsize + 8 * words + 8
    return node + EDGES_PER_NODE * EDGE.itemsize
