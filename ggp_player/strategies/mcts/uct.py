"""UCT with one playout at a time: the yardstick for the search that plays many at once.

It runs on the same compiled engine, in a block of one word, with kernels of its own. It leaves out
what is to be measured: parallel playouts, proofs, transpositions, and a tree kept between moves.
Where its memory is full the tree grows no more; playouts go on from its frontier.

Sources: L. Kocsis and C. Szepesvari, Bandit based Monte-Carlo planning (2006); C. Browne et al., A
survey of Monte Carlo tree search methods (2012), algorithm 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from gdl.engine import Engine, PropnetStateMachine, as_words, packed_state
from gdl.engine.kernel_library import (
    SCATTER,
    SELECT,
    TRANSITION,
    TRANSITION_PROGRAM,
    VIEW,
    VIEW_PROGRAM,
    call_evaluator,
    call_scatter,
    call_select,
    copy_memory,
    goal_values,
    is_set,
    kernel,
)
from ggp_player.search_memory import search_memory
from ggp_player.strategies import Choice, Counts, EngineStrategy, Limit, Method, Position
from ggp_player.strategies.mcts.arrays import (
    GameArrays,
    Indices,
    Ints,
    Sums,
    Values,
    Words,
    new_game,
    state_words,
)

EDGES_PER_NODE = 8
"""Room for edges. Most nodes are leaves and have none; memory that is not used is not taken."""

MIN_NODES = 1024
"""The least nodes of a tree, however little memory it is given."""

MAX_NODES = 2**31 // EDGES_PER_NODE
"""The most, as edges are named by 32 bits."""

MAX_DEPTH = 5000
PLAYOUTS = 200
"""Playouts between two choices."""


class Uct(EngineStrategy):
    """Starts a new tree for each move, with one playout at a time. Refuses interpreted rules.

    The tree takes the memory of :func:`.search_memory`.
    """

    name = "uct"
    method = Method.SINGLE_PLAYOUTS

    def __init__(self, exploration: Annotated[float, Field(ge=0)] = 0.7) -> None:
        self.exploration = exploration
        self._engine: Engine | None = None
        self._playouts = 0

    @property
    def work(self) -> int:
        """Playouts so far."""
        return self._playouts

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the most visited move after each slice of playouts, without end."""
        machine = self.machine_of(position)
        yield Choice.first_of(position.legal_moves)
        if self._engine is None:
            self._engine = machine.new_engine(words=1)
            self._engine.compile()
        nodes = nodes_in(search_memory(), len(machine.roles))
        tree = new_uct_tree(machine, self._engine, position.random.getrandbits(32), nodes)
        tree.state[:] = as_words(packed_state(machine, position.state))[0]
        role = machine.roles.index(position.role)
        while True:
            playouts = position.work_until(int(tree.counts[2]), PLAYOUTS)
            run_playouts(tree, self.exploration, playouts)
            self._playouts += playouts
            first = tree.first_edge[0, role]
            best = first + int(np.argmax(tree.visits[first : first + tree.choices[0, role]]))
            value = 100 * tree.total[best] / max(1, tree.visits[best])
            counts = Counts(playouts=int(tree.counts[2]), nodes=int(tree.counts[0]))
            limit = Limit.NODES if is_full(tree) else None
            move = machine.moves[role][tree.move[best]]
            yield Choice(move, float(value), counts=counts, limit=limit)


class UctTree(NamedTuple):
    """The tree, and the block of one word whose first lane plays.

    Per node and role: ``first_edge`` and ``choices``. Per edge: ``move``, ``visits`` and ``total``,
    the sum of the goal values in hundredths. ``child`` int32 (nodes, 2): first child and next
    sibling of a node; ``incoming`` int32 (nodes, R): the edges that lead to it. ``path`` int32
    (depth, R): the edges of the current playout. ``counts`` int64 (3,): nodes, edges and playouts.
    There is no room for more nodes and edges than the arrays have.
    """

    game: GameArrays
    rows: Words
    scratch: Words
    random: Words
    state: Words
    first_edge: Indices
    choices: Indices
    move: Indices
    visits: Indices
    total: Sums
    child: Indices
    incoming: Indices
    path: Indices
    values: Values
    lane: Words
    counts: Ints


def nodes_in(memory: int, roles: int) -> int:
    """How many nodes fit into so many bytes, with their edges."""
    own = (3 * roles + 2) * np.dtype(np.int32).itemsize
    edge = 2 * np.dtype(np.int32).itemsize + np.dtype(np.float64).itemsize
    return min(MAX_NODES, max(MIN_NODES, memory // (own + EDGES_PER_NODE * edge)))


def new_uct_tree(machine: PropnetStateMachine, engine: Engine, seed: int, nodes: int) -> UctTree:
    """Allocate a tree of at most so many nodes; the only one, the root, is not yet expanded."""
    block, roles = engine.block(seed), engine.roles
    game = new_game(block, machine.roles)
    # The root has edges, whatever there is no room for.
    edges = max(EDGES_PER_NODE * nodes, 2 * int(game.offsets[-1]))
    return UctTree(
        game,
        block.rows,
        block.scratch,
        block.random,
        np.zeros(state_words(engine), np.uint64),
        np.zeros((nodes, roles), np.int32),
        np.zeros((nodes, roles), np.int32),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.int32),
        np.zeros(edges),
        np.zeros((nodes, 2), np.int32),
        np.zeros((nodes, roles), np.int32),
        np.zeros((MAX_DEPTH, roles), np.int32),
        np.zeros(roles, np.uint8),
        np.array([2**64 - 1], np.uint64),
        np.array([1, 0, 0], np.int64),
    )


def is_full(tree: UctTree) -> bool:
    """Whether the tree grows no more."""
    nodes, edges, _ = tree.counts.tolist()
    widest = int(tree.game.offsets[-1])
    return nodes == len(tree.child) or edges + widest > len(tree.move)


@kernel
def run_playouts(tree: UctTree, exploration: float, playouts: int) -> None:
    """Select, expand, play out and backpropagate, so many times."""
    game, rows = tree.game, tree.rows
    for _ in range(playouts):
        fluents = rows.ctypes.data + 8 * game.fluents
        state, lane = tree.state.ctypes.data, tree.lane.ctypes.data
        call_scatter(game.code[SCATTER], fluents, game.fluent_count, state, lane)
        call_evaluator(game.code[VIEW], rows.ctypes.data, game.code[VIEW_PROGRAM])
        node, depth = 0, 0
        while node >= 0 and depth < MAX_DEPTH and not is_set(rows, game.terminal, 0):
            if tree.choices[node, 0] == 0 and not _expand(tree, node):
                break
            for role in range(tree.values.shape[0]):
                tree.path[depth, role] = _select(tree, exploration, node, role)
            node = _child(tree, node, tree.path[depth])
            _step(tree, depth)
            depth += 1
        steps = 0
        while steps < MAX_DEPTH and not is_set(rows, game.terminal, 0):
            _step(tree, -1)
            steps += 1
        goal_values(rows, game.goals, game.goal_table, 0, tree.values)
        for step in range(depth):
            for role in range(tree.values.shape[0]):
                tree.visits[tree.path[step, role]] += 1
                tree.total[tree.path[step, role]] += 0.01 * tree.values[role]
        tree.counts[2] += 1


@kernel
def _expand(tree: UctTree, node: int) -> bool:
    """Give a node its edges; return whether there was room for them."""
    game = tree.game
    if tree.counts[1] + game.offsets[tree.values.shape[0]] > tree.move.shape[0]:
        return False
    for role in range(tree.values.shape[0]):
        tree.first_edge[node, role] = tree.counts[1]
        for move in range(game.offsets[role + 1] - game.offsets[role]):
            if is_set(tree.rows, game.legal + game.offsets[role] + move, 0):
                tree.move[tree.counts[1]] = move
                tree.counts[1] += 1
        tree.choices[node, role] = tree.counts[1] - tree.first_edge[node, role]
    return True


@kernel
def _select(tree: UctTree, exploration: float, node: int, role: int) -> int:
    """Select the edge of the highest upper confidence bound; unvisited edges come first."""
    first = tree.first_edge[node, role]
    last = first + tree.choices[node, role]
    visits = 0
    for edge in range(first, last):
        visits += tree.visits[edge]
    best, best_bound = first, -1.0
    for edge in range(first, last):
        own = tree.visits[edge]
        if own == 0:
            return edge
        bound = tree.total[edge] / own + exploration * math.sqrt(math.log(visits) / own)
        if tree.game.chance[role]:
            bound = -own
        if bound > best_bound or edge == first:
            best, best_bound = edge, bound
    return best


@kernel
def _child(tree: UctTree, node: int, edges: NDArray[np.int32]) -> int:
    """Find the node behind the edges; where there is none, add it if there is room; return -1."""
    child = tree.child[node, 0]
    while child > 0:
        same = True
        for role in range(tree.values.shape[0]):
            same = same and tree.incoming[child, role] == edges[role]
        if same:
            return child
        child = tree.child[child, 1]
    if tree.counts[0] == tree.child.shape[0]:
        return -1
    child = tree.counts[0]
    tree.counts[0] += 1
    for role in range(tree.values.shape[0]):
        tree.incoming[child, role] = edges[role]
    tree.child[child, 1] = tree.child[node, 0]
    tree.child[node, 0] = child
    return -1


@kernel
def _step(tree: UctTree, depth: int) -> None:
    """Make the moves of a step of the path, or random ones where ``depth`` is -1."""
    game = tree.game
    rows = tree.rows.ctypes.data
    for role in range(tree.values.shape[0]):
        first, last = game.offsets[role], game.offsets[role + 1]
        moves = rows + 8 * (game.moves + first)
        if depth >= 0:
            for move in range(first, last):
                tree.rows[game.moves + move, 0] = 0
            tree.rows[game.moves + first + tree.move[tree.path[depth, role]], 0] = 1
        else:
            legal, scratch = rows + 8 * (game.legal + first), tree.scratch.ctypes.data
            random, select = tree.random.ctypes.data, game.code[SELECT]
            call_select(select, legal, moves, last - first, scratch, random)
    call_evaluator(game.code[TRANSITION], rows, game.code[TRANSITION_PROGRAM])
    copy_memory(rows + 8 * game.fluents, rows + 8 * game.next, 8 * game.fluent_count)
    call_evaluator(game.code[VIEW], rows, game.code[VIEW_PROGRAM])
