"""A tree search on one block of lanes, as an object: arrays and kernels behind a small door."""

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
    JOINTS,
    NODES,
    PLAYOUTS,
    REFUTED,
    ROOT,
    STATES,
    Settings,
    TreeArrays,
    Words,
    new_game,
    new_memory,
    new_tree,
)
from ggp_player.strategies.mcts.compaction import Copying, copy_tree
from ggp_player.strategies.mcts.nodes import child_of, node_of
from ggp_player.strategies.mcts.regret_matching import fill_matrix, new_matrix, settle
from ggp_player.strategies.mcts.search_loop import cancel, fly
from ggp_player.strategies.mcts.simultaneous import is_matrix
from ggp_player.strategies.textbook import moves_by_chance

BYTES = 192 * 2**20
"""Memory for a tree and its copy: what is copied must not take a good part of a play clock."""

LEAST_LANES, MOST_LANES = 8, 48
"""Lanes of a leaf: with fewer a block has too many leaves, with more too few."""

LEAF_WORK = 1_500_000
"""Gates, times steps, that the playouts of a leaf evaluate at most if their number is free."""

LINE = 40
"""Joint moves of a line that is shown."""

FULL_ENOUGH = 0.5
"""The part of the nodes beyond which those that are out of reach are let go with a step."""

KEPT = 0.5
"""The part of the nodes that is kept when they run out."""


@dataclass(frozen=True, slots=True)
class TriedMove:
    """What the search knows of a move at the root.

    ``place`` is the move's among the role's moves. ``value`` is the mean goal value, 0 to 100, of
    ``visits`` playouts; ``low`` and ``high`` are proved bounds of it. ``share`` is how often it
    should be made where others move at once, 0 for all moves where that is not known.
    """

    place: int
    value: float
    visits: int
    low: int
    high: int
    share: float = 0.0


class TreeSearch:
    """Searches from a state, by steps; keeps what it knows when the state changes.

    The same seed, states and steps give the same tree. Of states that are ``images`` of each other
    the tree has one, and of moves that are, where a state is its own image.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        settings: Settings,
        seed: int = 0,
        memory: int = BYTES,
        images: SymmetryGroup | None = None,
    ) -> None:
        self.machine = machine
        self.settings = settings
        self.engine: Engine = machine.engine
        chance = np.array(list(map(moves_by_chance, machine.roles)), np.uint8)
        self._block = machine.engine.block(seed)
        self._node_count = _nodes_in(memory // 2, self.engine)
        game = new_game(self.engine, chance, images)
        self.memory = new_memory(self.engine, self._block, game, self._node_count)
        self._root_state: State | None = None
        self._spare: TreeArrays | None = None
        self._names = np.zeros(self._node_count, np.int32)
        self._origins = np.zeros(self._node_count, np.int32)
        self._try_out()
        self.recycled = 0
        self.is_idle = False
        """Whether nothing is left to be played out, as all that the search comes to is proved."""
        self._roles = range(len(machine.roles))

    @property
    def playouts(self) -> int:
        """Playouts that have ended so far."""
        return int(self.memory.counts[PLAYOUTS])

    @property
    def states(self) -> int:
        """States that playouts went through so far."""
        return int(self.memory.counts[STATES])

    @property
    def nodes(self) -> int:
        """Nodes of the tree."""
        return int(self.memory.counts[NODES])

    def set_root(self, state: State) -> None:
        """Search from a state from now on."""
        if self._root_state is not None and self._root_state == state:
            return
        self._root_state = state
        counts = self.memory.counts
        cancel(self.memory)
        if counts[NODES] > FULL_ENOUGH * self._node_count or counts[FULL]:
            self._restart_at(state)
        else:
            counts[ROOT] = self._node(state)

    def run(self, steps: int) -> None:
        """Search for at most so many steps of the block."""
        self.memory.game.code[:] = self.engine.addresses()
        fly(self.memory, self.settings, steps)
        self.is_idle = not self.memory.lanes.alive.any()
        if self.memory.counts[REFUTED]:
            self.is_idle = False
            self._forget_constant_sum()
        elif self.memory.counts[FULL]:
            self.is_idle = False
            cancel(self.memory)
            self.recycle()

    def recycle(self) -> None:
        """Copy the tree below the root; the least visited nodes go if it would be too much."""
        self.recycled += 1
        memory = self.memory
        used = int(memory.counts[NODES])
        least = 0
        if memory.counts[FULL]:
            kept = int(KEPT * used)
            least = int(np.partition(memory.tree.visits[:used], used - kept)[used - kept]) + 1
        memory.counts[FULL] = 0
        new = self._other_tree()
        self._names.fill(-1)
        edges = np.zeros(self.engine.roles, np.int32)
        names, origins = self._names, self._origins
        copying = Copying(memory.game, memory.tree, new, memory.counts, names, origins, edges)
        copy_tree(copying, least)
        self._spare = memory.tree
        self.memory = memory._replace(tree=new)
        memory.marks.fill(0)

    @property
    def is_proved(self) -> bool:
        """Whether the value of the root is known for every role."""
        tree, root = self.memory.tree, self.memory.counts[ROOT]
        return bool((tree.low[root] == tree.high[root]).all())

    def bounds(self, role: int) -> tuple[int, int]:
        """Return proved bounds of the root's value for a role."""
        tree, root = self.memory.tree, self.memory.counts[ROOT]
        return int(tree.low[root, role]), int(tree.high[root, role])

    def moves(self, role: int) -> Sequence[TriedMove]:
        """Return what is known of a role's moves at the root; none before it is expanded.

        Of moves that are images of each other there may be only one.
        """
        tree = self.memory.tree
        root = int(self.memory.counts[ROOT])
        first = int(tree.first[root, role])
        if tree.choices[root, 0] == 0 or first < 0:
            return []
        assert self._root_state is not None
        own = self._own_moves(self._root_state)[role]
        found = []
        edges = range(first, first + int(tree.choices[root, role]))
        for edge, share in zip(edges, self._shares(role), strict=True):
            tries = int(tree.tries[edge])
            value = 100 * float(tree.score[edge]) / tries if tries else 0.0
            low, high = int(tree.least[edge]), int(tree.most[edge])
            child = int(tree.child[edge])
            if tree.mover[root] == role and child >= 0:
                low, high = int(tree.low[child, role]), int(tree.high[child, role])
            found.append(TriedMove(own[tree.move[edge]], value, tries, low, high, share))
        return found

    def _shares(self, role: int) -> list[float]:
        """Return how often a role should make each of its moves at the root."""
        tree, root = self.memory.tree, int(self.memory.counts[ROOT])
        choices = tree.choices[root]
        if not self.settings.uniform or not is_matrix(tree, root) or not tree.visits[root]:
            return [0.0] * int(choices[role])
        matrix = new_matrix(choices)
        fill_matrix(tree, root, matrix)
        settle(self.memory.game, matrix)
        first, last = matrix.offsets[role : role + 2]
        return list(map(float, matrix.average[first:last]))

    def line(self, role: int, place: int) -> tuple[tuple[Term, ...], ...]:
        """Return the joint moves that are visited most, after a role's move at the root."""
        tree, node = self.memory.tree, int(self.memory.counts[ROOT])
        line: list[tuple[Term, ...]] = []
        assert self._root_state is not None
        state, own = self._root_state, self._own_moves(self._root_state)
        forced: int | None = own[role].index(place)
        while node >= 0 and tree.choices[node, 0] and len(line) < LINE:
            edges = [
                self._most_visited(node, r, forced if r == role else None) for r in self._roles
            ]
            moves = [
                int(tree.move[edge]) if edge >= 0 else -1 - int(tree.first[node, r])
                for r, edge in zip(self._roles, edges, strict=True)
            ]
            if any(edge >= 0 and not tree.tries[edge] for edge in edges):
                break
            line.append(tuple(self.machine.moves[r][own[r][moves[r]]] for r in self._roles))
            node = int(child_of(tree, node, np.array(edges, np.int32)))
            state = self.machine.next_state(state, line[-1])
            own = self._own_moves(state)
            forced = None
        return tuple(line)

    def _most_visited(self, node: int, role: int, place: int | None) -> int:
        """Return a role's most visited edge, or the one of a move; -1 without a choice."""
        tree = self.memory.tree
        first = int(tree.first[node, role])
        if first < 0:
            return -1
        edges = range(first, first + int(tree.choices[node, role]))
        if place is not None:
            return next(edge for edge in edges if tree.move[edge] == place)
        return max(edges, key=lambda edge: (int(tree.tries[edge]), -edge))

    # ------------------------------------------------------------------ arrays

    def _try_out(self) -> None:
        """Let one random playout in each lane tell what the search supposes of the game."""
        self._block.load(self.machine.bits(self.machine.initial_state())[None, :])
        ended = self._block.play(self.settings.longest, refill=False)
        if not self.settings.leaf_lanes:
            lanes = _affordable_lanes(self.engine, ended)
            self.settings = self.settings._replace(leaf_lanes=lanes)
        rivals = np.flatnonzero(self.memory.game.chance == 0)
        if len(rivals) == 2:
            self._suppose_constant_sum(ended, *map(int, rivals))

    def _suppose_constant_sum(self, ended: Playouts, first: int, second: int) -> None:
        """Suppose that what two rivals got together in some playouts is what they always get."""
        sums = np.unique(ended.goals[ended.ended > 0][:, [first, second]].sum(axis=1))
        if len(sums) == 1:
            game = self.memory.game._replace(first=first, second=second, sum=int(sums[0]))
            self.memory = self.memory._replace(game=game)

    def _forget_constant_sum(self) -> None:
        """Begin anew: what was proved rested on a sum that is not constant."""
        assert self._root_state is not None
        cancel(self.memory)
        game = self.memory.game._replace(sum=-1)
        self.memory = self.memory._replace(game=game)
        self.memory.counts[REFUTED] = 0
        self._clear()
        self.memory.counts[ROOT] = self._node(self._root_state)

    def _node(self, state: State) -> int:
        memory = self.memory
        return int(node_of(memory.game, memory.tree, memory.counts, self._least(state)[0]))

    def _least(self, state: State) -> tuple[Words, int]:
        """Return the least image of a state, packed, and which element of the group makes it."""
        packed = as_words(packed_state(self.machine, state))[0]
        return packed, make_canonical(self.memory.game.images, packed, self.memory.lanes.spare)

    def _own_moves(self, state: State) -> list[list[int]]:
        """Return for each role what the moves of the least image are in a state, by place."""
        game = self.memory.game
        own = np.argsort(game.images.moves[self._least(state)[1]])
        return [(own[i:j] - i).tolist() for i, j in pairwise(game.offsets.tolist())]

    def _restart_at(self, state: State) -> None:
        """Keep what can be reached from a state."""
        counts = self.memory.counts
        counts[FULL] = 0
        root = self._node(state)
        if root < 0:
            self._clear()
            root = self._node(state)
        counts[ROOT] = root
        self.recycle()

    def _clear(self) -> None:
        self.memory, self._spare = self.memory._replace(tree=self._other_tree()), self.memory.tree
        self.memory.counts[[NODES, EDGES, JOINTS]] = 0
        self.memory.counts[FULL] = 0

    def _other_tree(self) -> TreeArrays:
        """Return the tree that is not in use, emptied."""
        tree = self.memory.tree
        if self._spare is None:
            words, roles = tree.state.shape[1], tree.low.shape[1]
            self._spare = new_tree(len(tree.visits), len(tree.move), words, roles)
        self._spare.table.fill(-1)
        # Where one role at a time has a choice, which is most games, there is nothing to empty.
        if self._spare.key.any():
            self._spare.key.fill(0)
        return self._spare


def _affordable_lanes(engine: Engine, ended: Playouts) -> int:
    """Return how many playouts of a leaf take about twice the time of finding it."""
    playouts = max(1, int(ended.ended.sum()))
    work = engine.layout.gate_count * max(1, ended.states // playouts)
    return min(MOST_LANES, max(LEAST_LANES, LEAF_WORK // work))


def _nodes_in(memory: int, engine: Engine) -> int:
    """Return how many nodes, with their edges, fit into so many bytes; at least a thousand."""
    least = 1024
    words = -(-engine.layout.fluent_count // 64)
    tree = new_tree(least, EDGES_PER_NODE * least, words, engine.roles)
    return max(least, least * memory // sum(array.nbytes for array in tree))
