"""One search tree on one block of lanes: the object around the arrays and kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gdl.engine import Engine, Playouts, PropnetStateMachine, SymmetryGroup, as_words, packed_state
from gdl.engine.kernel_library import make_canonical
from gdl.language import Term
from gdl.state_machine import State
from ggp_player.strategies.mcts.arrays import (
    EDGES,
    EDGES_PER_NODE,
    FULL,
    JOINT_MOVES,
    NODES,
    PLAYOUTS,
    REFUTED,
    ROOT,
    Settings,
    TreeArrays,
    Words,
    new_game,
    new_memory,
    new_tree,
    state_words,
)
from ggp_player.strategies.mcts.compaction import TreeCopy, copy_tree
from ggp_player.strategies.mcts.nodes import find_child, find_or_add_node
from ggp_player.strategies.mcts.regret_matching import fill_matrix, new_matrix, solve_matrix
from ggp_player.strategies.mcts.search_loop import cancel_pending_leaves, run_search
from ggp_player.strategies.mcts.simultaneous import has_matrix

TREE_BYTES = 192 * 2**20
"""Memory for a tree and its copy; copying must not take a large part of a play clock."""

MIN_LEAF_LANES, MAX_LEAF_LANES = 8, 48
"""Lanes of a leaf: with fewer a block has too many leaves, with more too few."""

MAX_LEAF_WORK = 1_500_000
"""Gates, times steps, that a leaf's playouts evaluate at most where ``leaf_lanes`` is 0."""

MAX_LINE_LENGTH = 40
"""The most joint moves of a line that is shown."""

COMPACTION_THRESHOLD = 0.5
"""The part of the node pool in use above which a new root drops the nodes out of its reach."""

KEPT_FRACTION = 0.5
"""The part of the nodes that compaction keeps when the pool is full."""


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """What the search knows of a move at the root.

    ``index`` is the move's among the role's moves. ``value`` is the mean goal value, 0 to 100, of
    ``visits`` playouts; ``low`` and ``high`` are proved bounds of it. ``probability`` is how often
    to make it at a simultaneous-move root; 0 for all moves elsewhere.
    """

    index: int
    value: float
    visits: int
    low: int
    high: int
    probability: float = 0.0


class TreeSearch:
    """Searches from a root state, step by step; keeps its tree when the root changes.

    The same seed, states and steps give the same tree. States that ``symmetries`` map to one
    another share a node, and so do moves, where the symmetry fixes the state.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        settings: Settings,
        seed: int = 0,
        memory: int = TREE_BYTES,
        symmetries: SymmetryGroup | None = None,
    ) -> None:
        self.machine = machine
        self.settings = settings
        self.engine: Engine = machine.engine
        self._block = machine.engine.block(seed)
        self._node_count = _nodes_in(memory // 2, self.engine)
        game = new_game(self.engine, machine.roles, symmetries)
        self.memory = new_memory(self.engine, self._block, game, self._node_count)
        self._root_state: State | None = None
        self._spare: TreeArrays | None = None
        self._new_nodes = np.zeros(self._node_count, np.int32)
        self._old_nodes = np.zeros(self._node_count, np.int32)
        self._probe_game()
        self.compactions = 0
        self.is_idle = False
        """Whether no playout is under way, as every node that the search selects is proved."""
        self._roles = range(len(machine.roles))

    @property
    def playouts(self) -> int:
        """Playouts that have ended so far."""
        return int(self.memory.counts[PLAYOUTS])

    @property
    def nodes(self) -> int:
        """Nodes of the tree."""
        return int(self.memory.counts[NODES])

    def set_root(self, state: State) -> None:
        """Make a state the root."""
        if self._root_state is not None and self._root_state == state:
            return
        self._root_state = state
        counts = self.memory.counts
        cancel_pending_leaves(self.memory)
        if counts[NODES] > COMPACTION_THRESHOLD * self._node_count or counts[FULL]:
            self._restart_at(state)
        else:
            counts[ROOT] = self._find_node(state)

    def run(self, steps: int) -> None:
        """Search for at most so many steps of the block; compact the tree if it is full."""
        self.memory.game.code[:] = self.engine.addresses()
        run_search(self.memory, self.settings, steps)
        self.is_idle = not self.memory.lanes.playing.any()
        if self.memory.counts[REFUTED]:
            self.is_idle = False
            self._forget_constant_sum()
        elif self.memory.counts[FULL]:
            self.is_idle = False
            cancel_pending_leaves(self.memory)
            self.compact()

    def compact(self) -> None:
        """Copy the tree below the root; drop the least visited nodes if a pool is full."""
        self.compactions += 1
        memory = self.memory
        used, min_visits = int(memory.counts[NODES]), 0
        if memory.counts[FULL]:
            kept = int(KEPT_FRACTION * used)
            visits = np.partition(memory.tree.visits[:used], used - kept)
            min_visits = int(visits[used - kept]) + 1
        memory.counts[FULL] = 0
        new = self._spare_tree()
        self._new_nodes.fill(-1)
        edges = np.zeros(self.engine.roles, np.int32)
        nodes = self._new_nodes, self._old_nodes
        copy_tree(TreeCopy(memory.game, memory.tree, new, memory.counts, *nodes, edges), min_visits)
        self._spare = memory.tree
        self.memory = memory._replace(tree=new)
        memory.last_descents.fill(0)

    @property
    def is_proved(self) -> bool:
        """Whether the value of the root is proved for every role."""
        tree, root = self.memory.tree, self.memory.counts[ROOT]
        return bool((tree.low[root] == tree.high[root]).all())

    def bounds(self, role: int) -> tuple[int, int]:
        """The proved bounds of the root's value for a role."""
        tree, root = self.memory.tree, self.memory.counts[ROOT]
        return int(tree.low[root, role]), int(tree.high[root, role])

    def moves(self, role: int) -> Sequence[MoveStatistics]:
        """The statistics of a role's moves at the root; none before it is expanded.

        Of moves that a symmetry maps to one another there may be only one.
        """
        tree = self.memory.tree
        root = int(self.memory.counts[ROOT])
        first = int(tree.first_edge[root, role])
        if tree.choices[root, 0] == 0 or first < 0:
            return []
        assert self._root_state is not None
        own = self._actual_moves(self._root_state)[role]
        found = []
        edges = range(first, first + int(tree.choices[root, role]))
        for edge, probability in zip(edges, self._probabilities(role), strict=True):
            visits = int(tree.edge_visits[edge])
            value = 100 * float(tree.edge_total[edge]) / visits if visits else 0.0
            low, high = int(tree.edge_low[edge]), int(tree.edge_high[edge])
            child = int(tree.child[edge])
            if tree.mover[root] == role and child >= 0:
                low, high = int(tree.low[child, role]), int(tree.high[child, role])
            index = own[tree.move[edge]]
            found.append(MoveStatistics(index, value, visits, low, high, probability))
        return found

    def _probabilities(self, role: int) -> list[float]:
        """Compute how often a role should make each of its moves at a simultaneous-move root."""
        tree, root = self.memory.tree, int(self.memory.counts[ROOT])
        choices = tree.choices[root]
        if not self.settings.uniform or not has_matrix(tree, root) or not tree.visits[root]:
            return [0.0] * int(choices[role])
        matrix = new_matrix(choices)
        fill_matrix(tree, root, matrix)
        solve_matrix(self.memory.game, matrix)
        first, last = matrix.offsets[role : role + 2]
        return list(map(float, matrix.average_strategy[first:last]))

    def line(self, role: int, index: int) -> tuple[tuple[Term, ...], ...]:
        """The most visited line of joint moves that begins with a role's move at the root."""
        tree, node = self.memory.tree, int(self.memory.counts[ROOT])
        line: list[tuple[Term, ...]] = []
        assert self._root_state is not None
        state, own = self._root_state, self._actual_moves(self._root_state)
        forced: int | None = own[role].index(index)
        while node >= 0 and tree.choices[node, 0] and len(line) < MAX_LINE_LENGTH:
            edges = [
                self._most_visited(node, r, forced if r == role else None) for r in self._roles
            ]
            moves = [
                int(tree.move[edge]) if edge >= 0 else -1 - int(tree.first_edge[node, r])
                for r, edge in zip(self._roles, edges, strict=True)
            ]
            if any(edge >= 0 and not tree.edge_visits[edge] for edge in edges):
                break
            line.append(tuple(self.machine.moves[r][own[r][moves[r]]] for r in self._roles))
            node = int(find_child(tree, node, np.array(edges, np.int32)))
            state = self.machine.next_state(state, line[-1])
            own = self._actual_moves(state)
            forced = None
        return tuple(line)

    def _most_visited(self, node: int, role: int, index: int | None) -> int:
        """A role's most visited edge, or the one of a move; -1 without a choice."""
        tree = self.memory.tree
        first = int(tree.first_edge[node, role])
        if first < 0:
            return -1
        edges = range(first, first + int(tree.choices[node, role]))
        if index is not None:
            return next(edge for edge in edges if tree.move[edge] == index)
        return max(edges, key=lambda edge: (int(tree.edge_visits[edge]), -edge))

    # ------------------------------------------------------------------ arrays

    def _probe_game(self) -> None:
        """Run one playout in each lane to choose ``leaf_lanes`` and to look for a constant sum."""
        self._block.load(self.machine.bits(self.machine.initial_state())[None, :])
        ended = self._block.play(self.settings.max_playout_steps, refill=False)
        if not self.settings.leaf_lanes:
            lanes = _affordable_lanes(self.engine, ended)
            self.settings = self.settings._replace(leaf_lanes=lanes)
        rivals = np.flatnonzero(self.memory.game.chance == 0)
        if len(rivals) == 2:
            self._assume_constant_sum(ended, *map(int, rivals))

    def _assume_constant_sum(self, ended: Playouts, first: int, second: int) -> None:
        """Assume that the rivals' goal values always add up to what they did in some playouts.

        The search checks this at every terminal state that it proves.
        """
        sums = np.unique(ended.goals[ended.ended > 0][:, [first, second]].sum(axis=1))
        if len(sums) == 1:
            game = self.memory.game._replace(
                first_rival=first, second_rival=second, constant_sum=int(sums[0])
            )
            self.memory = self.memory._replace(game=game)

    def _forget_constant_sum(self) -> None:
        """Start again with an empty tree: its bounds rested on a sum that is not constant."""
        assert self._root_state is not None
        cancel_pending_leaves(self.memory)
        game = self.memory.game._replace(constant_sum=-1)
        self.memory = self.memory._replace(game=game)
        self.memory.counts[REFUTED] = 0
        self._clear()
        self.memory.counts[ROOT] = self._find_node(self._root_state)

    def _find_node(self, state: State) -> int:
        memory, packed = self.memory, self._canonical(state)[0]
        return int(find_or_add_node(memory.game, memory.tree, memory.counts, packed))

    def _canonical(self, state: State) -> tuple[Words, int]:
        """The canonical state, packed, and the group element that maps the state to it."""
        packed = as_words(packed_state(self.machine, state))[0]
        return packed, make_canonical(self.memory.game.symmetries, packed, self.memory.lanes.spare)

    def _actual_moves(self, state: State) -> list[list[int]]:
        """For each role, the index in a state of each of the canonical state's moves."""
        game = self.memory.game
        own = np.argsort(game.symmetries.moves[self._canonical(state)[1]])
        return [(own[i:j] - i).tolist() for i, j in pairwise(game.offsets.tolist())]

    def _restart_at(self, state: State) -> None:
        """Make a state the root, and keep only what can be reached from it."""
        counts = self.memory.counts
        counts[FULL] = 0
        root = self._find_node(state)
        if root < 0:
            self._clear()
            root = self._find_node(state)
        counts[ROOT] = root
        self.compact()

    def _clear(self) -> None:
        """Replace the tree by an empty one."""
        self.memory, self._spare = self.memory._replace(tree=self._spare_tree()), self.memory.tree
        self.memory.counts[[NODES, EDGES, JOINT_MOVES]] = 0
        self.memory.counts[FULL] = 0

    def _spare_tree(self) -> TreeArrays:
        """The tree that is not in use, emptied."""
        tree = self.memory.tree
        if self._spare is None:
            words, roles = tree.state.shape[1], tree.low.shape[1]
            self._spare = new_tree(len(tree.visits), len(tree.move), words, roles)
        self._spare.table.fill(-1)
        # Most games have no simultaneous-move nodes, and so nothing to clear here.
        if self._spare.joint_hash.any():
            self._spare.joint_hash.fill(0)
        return self._spare


def _affordable_lanes(engine: Engine, ended: Playouts) -> int:
    """The number of playouts of a leaf that take about twice as long as selecting it."""
    playouts = max(1, int(ended.ended.sum()))
    work = engine.layout.gate_count * max(1, ended.states // playouts)
    return min(MAX_LEAF_LANES, max(MIN_LEAF_LANES, MAX_LEAF_WORK // work))


def _nodes_in(memory: int, engine: Engine) -> int:
    """The number of nodes, with their edges, that fit into so many bytes; at least 1,024."""
    least = 1024
    tree = new_tree(least, EDGES_PER_NODE * least, state_words(engine), engine.roles)
    return max(least, least * memory // sum(array.nbytes for array in tree))
