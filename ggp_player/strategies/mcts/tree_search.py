"""One search tree, grown by one thread or several: the object around the arrays and kernels."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np

from gdl.engine import (
    Block,
    Engine,
    Playouts,
    PropnetStateMachine,
    SymmetryGroup,
    as_words,
    packed_state,
)
from gdl.engine.kernel_library import make_canonical
from gdl.language import Term
from gdl.state_machine import State
from ggp_player.strategies import BranchReport, tally
from ggp_player.strategies.mcts.arrays import (
    DESCENTS,
    MINIMAX_SHARE,
    NODES,
    PLAYOUTS,
    RECYCLED,
    REFUTED,
    ROOT,
    STEPS_LEFT,
    UNKNOWN_VALUE,
    GameArrays,
    Settings,
    Words,
    bytes_per_node,
    empty_tree,
    mean_of_descents,
    new_counts,
    new_game,
)
from ggp_player.strategies.mcts.memory import (
    LEFT_DESCENTS,
    SPARE_EDGES,
    SPARE_NODES,
    Memory,
    new_memory,
    new_priors,
)
from ggp_player.strategies.mcts.nodes import find_child
from ggp_player.strategies.mcts.pools import find_or_add_node, live_child
from ggp_player.strategies.mcts.search_loop import cancel_pending_leaves, run_search
from ggp_player.strategies.mcts.simultaneous import (
    fill_matrix,
    has_matrix,
    new_matrix,
    solve_matrix,
)
from ggp_player.strategies.patterns.pattern_tables import PatternTables, Weights

TREE_BYTES = 2**30
"""Memory for a tree unless another is given."""

MIN_LEAF_LANES, MAX_LEAF_LANES = 4, 12
"""Lanes of a leaf: with fewer a block has too many leaves, with more too few."""

MAX_LEAF_WORK = 2_000_000
"""Gates, times steps, that a leaf's playouts evaluate at most where ``leaf_lanes`` is 0."""

MIN_NODES = 1024
"""The least nodes of a tree, however little memory it is given."""

MIN_SPREAD = 0.1
"""The least spread of values, as playouts from the first state need not show all."""

MAX_LINE_LENGTH = 40
"""The most joint moves of a line that is shown."""

MAX_BRANCHES, MAX_CHILDREN, MAX_PLIES = 40, 4, 4
"""The most joint moves of the tree that is shown: of all, after each, and one after another."""


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """What the search knows of a move at the root.

    ``index`` is the move's among the role's moves. ``value`` is the mean goal value, 0 to 100, of
    ``visits`` playouts; ``low`` and ``high`` are proved bounds of it. ``probability`` is how often
    to make it at a simultaneous-move root; 0 for all moves elsewhere. ``others`` is what the other
    roles get at most, together, as far as that is proved; 0 for all moves where goals have a
    constant sum.
    """

    index: int
    value: float
    visits: int
    low: int
    high: int
    probability: float = 0.0
    others: int = 0


@dataclass(slots=True)
class _Twig:
    """A joint move of the tree that is shown, while that is made.

    It is made in the state ``before`` and leads to ``node``, -1 where that is not in the tree. The
    root has no joint move.
    """

    joint_move: tuple[Term, ...]
    value: float | None
    visits: int
    node: int
    before: State
    ply: int = 0
    children: list[_Twig] = field(default_factory=list)

    def report(self) -> BranchReport:
        """Make it and what follows it into a report."""
        children = tuple(twig.report() for twig in self.children)
        return BranchReport(self.joint_move, self.value, self.visits, children)


class TreeSearch:
    """Searches from a root state, step by step; keeps its tree when the root changes.

    With one thread the same seed, states and steps give the same tree. With more, each has a block
    of lanes of its own, and all of them grow the one tree. States that ``symmetries`` map to one
    another share a node, and so do moves, where the symmetry fixes the state.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        settings: Settings,
        seed: int = 0,
        memory: int = TREE_BYTES,
        symmetries: SymmetryGroup | None = None,
        threads: int = 1,
    ) -> None:
        self.machine = machine
        self.settings = settings
        self.engine: Engine = machine.engine
        if settings.decisive:
            machine.engine.add_winning_moves()
        blocks = [machine.engine.block(seed + number) for number in range(threads)]
        node_count = max(MIN_NODES, memory // bytes_per_node(self.engine))
        game = new_game(blocks[0], machine.roles, symmetries)
        self.memories = new_memory(blocks, game, node_count)
        """What each thread works on: the same tree, and lanes and pending leaves of its own."""
        self._root_state: State | None = None
        self.playout_length = 1
        """The mean length of random playouts from the first state, in steps."""
        self._probe_game(blocks[0])
        self.is_idle = False
        """Whether no playout is under way, as every node that the search selects is proved."""
        self._roles = range(len(machine.roles))

    @property
    def memory(self) -> Memory:
        """What the first thread works on."""
        return self.memories[0]

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        """The threads but the first, which is that of the caller."""
        return ThreadPoolExecutor(len(self.memories) - 1)

    @property
    def playouts(self) -> int:
        """Playouts that have ended so far."""
        return int(self.memory.counts[PLAYOUTS])

    @property
    def descents(self) -> int:
        """Descents so far, from the root and from stands."""
        spare = sum(int(memory.share.counts[LEFT_DESCENTS]) for memory in self.memories)
        return int(self.memory.counts[DESCENTS]) - spare

    @property
    def nodes(self) -> int:
        """Nodes that were ever added to the tree."""
        spare = sum(int(memory.share.counts[SPARE_NODES]) for memory in self.memories)
        return int(self.memory.counts[NODES] + self.memory.counts[RECYCLED]) - spare

    def set_root(self, state: State) -> None:
        """Make a state the root."""
        if self._root_state is not None and self._root_state == state:
            return
        self._root_state = state
        self._cancel_pending_leaves()
        root = self._find_node(state)
        if root < 0:
            self._clear()
            root = self._find_node(state)
        self.memory.counts[ROOT] = root
        if not self.memory.tree.nodes[root]["is_expanded"]:
            self._forget_bounds(root)

    def _forget_bounds(self, node: int) -> None:
        """Forget what is proved of a node without edges, which a choice of moves needs."""
        game, tree = self.memory.game, self.memory.tree
        tree.nodes[node]["is_proved"] = 0
        tree.roles[node]["low"], tree.roles[node]["high"] = game.floor, game.ceiling

    def guide(
        self, tables: PatternTables, weights: Weights, minimax_share: float = MINIMAX_SHARE
    ) -> None:
        """Give moves priors, and a part of their values, by what patterns say.

        ``weights`` float32 (entries + 1, phases * outputs): logits of goal values, of the first of
        two rivals alone, or of each role. For ``minimax_share`` see :class:`.Settings`. The tree
        begins again, but where that alone is new, or where there are no patterns and were none.
        """
        self.settings = self.settings._replace(minimax_share=minimax_share)
        priors = self.memory.priors
        is_same = tables is priors.tables and weights is priors.weights
        if is_same or not (weights.shape[1] or priors.weights.shape[1]):
            return
        self._cancel_pending_leaves()
        self._clear()
        self.memories = [
            memory._replace(priors=new_priors(self.engine.block(0), tables, weights))
            for memory in self.memories
        ]
        if self._root_state is not None:
            self.memory.counts[ROOT] = self._find_node(self._root_state)

    def run(self, steps: int) -> None:
        """Search for at most so many steps of the block of each thread, on average."""
        playouts, descents, nodes = self.playouts, self.descents, self.nodes
        self.memory.game.code[:] = self.engine.addresses()
        for memory in self.memories:
            memory.priors.block.addresses[:] = self.engine.addresses()
        self.memory.counts[STEPS_LEFT] = steps * len(self.memories)
        others = [
            self._pool.submit(run_search, memory, self.settings) for memory in self.memories[1:]
        ]
        run_search(self.memory, self.settings)
        for other in others:
            other.result()
        tally(
            playouts=self.playouts - playouts,
            descents=self.descents - descents,
            nodes=self.nodes - nodes,
        )
        self.is_idle = not any(memory.lanes.playing.any() for memory in self.memories)
        if self.memory.counts[REFUTED]:
            self.is_idle = False
            self._forget_constant_sum()

    @property
    def is_proved(self) -> bool:
        """Whether nothing more can be found out about the value of the root."""
        return bool(self.memory.tree.nodes[self.memory.counts[ROOT]]["is_proved"])

    def bounds(self, role: int) -> tuple[int, int]:
        """The proved bounds of the root's value for a role."""
        own = self.memory.tree.roles[self.memory.counts[ROOT], role]
        return int(own["low"]), int(own["high"])

    def ceiling(self, role: int) -> int:
        """The greatest goal value of a role."""
        return int(self.memory.game.ceiling[role])

    def moves(self, role: int) -> Sequence[MoveStatistics]:
        """The statistics of a role's moves at the root; none before it is expanded.

        Of moves that a symmetry maps to one another there may be only one.
        """
        tree = self.memory.tree
        root = int(self.memory.counts[ROOT])
        edges = self._edges(root, role)
        if not tree.nodes[root]["is_expanded"] or not edges:
            return []
        assert self._root_state is not None
        own = self._actual_moves(self._root_state)[role]
        found = []
        for edge, probability in zip(edges, self._probabilities(role), strict=True):
            move = tree.edges[edge]
            found.append(
                MoveStatistics(
                    index=own[move["move"]],
                    value=self._value(edge, role),
                    visits=int(move["visits"]),
                    low=int(move["low"]),
                    high=int(move["high"]),
                    probability=probability,
                    others=self._most_for_others(edge, role),
                )
            )
        return found

    def _most_for_others(self, edge: int, role: int) -> int:
        """What the roles other than one get at most behind its edge; 0 for a constant sum."""
        tree, game = self.memory.tree, self.memory.game
        if game.constant_sum >= 0:
            return 0
        child = int(live_child(tree, edge))
        if child < 0 and tree.edges[edge]["rival"] != UNKNOWN_VALUE:
            return int(tree.edges[edge]["rival"])
        highs = tree.roles[child]["high"] if child >= 0 else game.ceiling
        return int(highs.sum(where=game.chance == 0)) - int(highs[role])

    def _value(self, edge: int, role: int) -> float:
        """The mean goal value of a move of a role; 0 where it was not tried."""
        tree, move = self.memory.tree, self.memory.tree.edges[edge]
        if not move["visits"]:
            return 0.0
        if self.memory.game.constant_sum < 0:
            # The edge has the role's utility, in which the values of others take part.
            child = int(live_child(tree, edge))
            if child >= 0 and tree.nodes[child]["visits"]:
                return self._mean(child, role)
        return 100 * float(move["total"]) / int(move["visits"])

    def _mean(self, node: int, role: int) -> float:
        """The mean goal value of a role behind a visited node."""
        return 100 * float(mean_of_descents(self.memory.game, self.memory.tree, node, role))

    def _edges(self, node: int, role: int) -> range:
        """The edges of a role at a node; none where it has no choice."""
        own = self.memory.tree.roles[node, role]
        first = int(own["first_edge"])
        return range(first, first + int(own["choices"])) if first >= 0 else range(0)

    def _probabilities(self, role: int) -> list[float]:
        """Compute how often a role should make each of its moves at a simultaneous-move root."""
        tree, root = self.memory.tree, int(self.memory.counts[ROOT])
        choices = tree.roles[root]["choices"]
        if (
            not self.settings.uniform
            or not has_matrix(tree, root)
            or not tree.nodes[root]["visits"]
        ):
            return [0.0] * int(choices[role])
        matrix = new_matrix(choices)
        fill_matrix(self.memory.game, tree, root, matrix)
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
        while node >= 0 and tree.nodes[node]["is_expanded"] and len(line) < MAX_LINE_LENGTH:
            edges = [
                self._most_visited(node, r, forced if r == role else None) for r in self._roles
            ]
            moves = [
                int(tree.edges[edge]["move"])
                if edge >= 0
                else -1 - int(tree.roles[node, r]["first_edge"])
                for r, edge in zip(self._roles, edges, strict=True)
            ]
            if any(edge >= 0 and not tree.edges[edge]["visits"] for edge in edges):
                break
            line.append(tuple(self.machine.moves[r][own[r][moves[r]]] for r in self._roles))
            node = int(find_child(tree, node, np.array(edges, np.int32)))
            state = self.machine.next_state(state, line[-1])
            own = self._actual_moves(state)
            forced = None
        return tuple(line)

    def _most_visited(self, node: int, role: int, index: int | None) -> int:
        """A role's most visited edge, or the one of a move; -1 without a choice."""
        records, edges = self.memory.tree.edges, self._edges(node, role)
        if not edges:
            return -1
        if index is not None:
            return next(edge for edge in edges if records[edge]["move"] == index)
        return max(edges, key=lambda edge: (int(records[edge]["visits"]), -edge))

    def branches(self, role: int) -> dict[int, BranchReport]:
        """The tree of the most visited lines, by the index of the role's move at the root.

        It ends where several roles have a choice, and is empty where they have one at the root.
        Where a position is reached in several ways, the visits of what follows are shared out.
        """
        tree, root = self.memory.tree, int(self.memory.counts[ROOT])
        if self._root_state is None or tree.nodes[root]["mover"] != role:
            return {}
        own = self._actual_moves(self._root_state)[role]
        visits = sum(int(tree.edges[edge]["visits"]) for edge in self._edges(root, role))
        top = grown = _Twig((), None, visits, root, self._root_state)
        waiting: list[tuple[int, int, _Twig, _Twig]] = []
        for number in range(MAX_BRANCHES + 1):
            twigs = self._twigs(grown, role) if grown.ply < MAX_PLIES else []
            for place, twig in enumerate(twigs):
                heappush(waiting, (-twig.visits, MAX_CHILDREN * number + place, grown, twig))
            if not waiting or number == MAX_BRANCHES:
                break
            _, _, parent, grown = heappop(waiting)
            parent.children.append(grown)
        indices = {self.machine.moves[role][index]: index for index in own}
        return {indices[twig.joint_move[role]]: twig.report() for twig in top.children}

    def _twigs(self, grown: _Twig, role: int) -> list[_Twig]:
        """The most visited joint moves behind a node, the most visited first."""
        tree, node = self.memory.tree, grown.node
        if node < 0 or not tree.nodes[node]["is_expanded"] or tree.nodes[node]["mover"] < 0:
            return []
        mover = int(tree.nodes[node]["mover"])
        edges = self._edges(node, mover)
        visits = tree.edges[edges.start : edges.stop]["visits"]
        share = min(1.0, grown.visits / max(1, int(visits.sum())))
        state = grown.before
        if grown.joint_move:
            state = self.machine.next_state(state, grown.joint_move)
        own = self._actual_moves(state)
        moves = (-1 - tree.roles[node]["first_edge"]).tolist()
        found = []
        for place in np.argsort(-visits, kind="stable")[:MAX_CHILDREN].tolist():
            if (shared := int(share * visits[place])) == 0:
                break
            edge = edges[place]
            moves[mover] = int(tree.edges[edge]["move"])
            joint_move = tuple(self.machine.moves[r][own[r][moves[r]]] for r in self._roles)
            value = self._value_behind(edge, mover, role)
            child = int(live_child(tree, edge))
            found.append(_Twig(joint_move, value, shared, child, state, grown.ply + 1))
        return found

    def _value_behind(self, edge: int, mover: int, role: int) -> float | None:
        """The mean goal value of a role behind a visited edge of the mover, within its bounds."""
        tree, child = self.memory.tree, int(live_child(self.memory.tree, edge))
        if mover == role:
            known, value = tree.edges[edge], self._value(edge, role)
        elif child >= 0 and tree.nodes[child]["visits"]:
            known, value = tree.roles[child, role], self._mean(child, role)
        else:
            return None
        return min(max(value, float(known["low"])), float(known["high"]))

    # ------------------------------------------------------------------ arrays

    def _probe_game(self, block: Block) -> None:
        """Run one playout in each lane to choose ``leaf_lanes`` and to look for a constant sum."""
        block.load(self.machine.bits(self.machine.initial_state())[None, :])
        ended = block.play(self.settings.max_playout_steps, refill=False)
        self.playout_length = max(1, ended.states // max(1, int(ended.ended.sum())))
        self.settings = self._with_leaf_lanes(self.settings)
        self._measure_spread(ended)
        choosers = np.flatnonzero(self.memory.game.chance == 0)
        if len(choosers) == 2:
            self._note_rivals(ended, *map(int, choosers))

    def _with_leaf_lanes(self, settings: Settings) -> Settings:
        """Choose ``leaf_lanes`` where it is 0: as many as take as long as selecting a leaf."""
        if settings.leaf_lanes:
            return settings
        lanes = MAX_LEAF_WORK // (self.engine.layout.gate_count * self.playout_length)
        return settings._replace(leaf_lanes=min(MAX_LEAF_LANES, max(MIN_LEAF_LANES, lanes)))

    def _measure_spread(self, ended: Playouts) -> None:
        """Note how far the values of playouts lie apart: 1 where half are 0 and half are 100."""
        values = ended.goals[ended.ended > 0] / ended.ended[ended.ended > 0, None]
        if len(values):
            spread = np.clip(values.std(axis=0) / 50, MIN_SPREAD, 1)
            self.memory.game.spread[:] = spread

    def _note_rivals(self, ended: Playouts, first: int, second: int) -> None:
        """Note the two roles that choose, and the sum of their goals where it did not vary.

        The search checks the sum at every terminal state that it proves.
        """
        sums = np.unique(ended.goals[ended.ended > 0][:, [first, second]].sum(axis=1))
        constant = int(sums[0]) if len(sums) == 1 else -1
        self._set_game(
            self.memory.game._replace(first_rival=first, second_rival=second, constant_sum=constant)
        )

    def _forget_constant_sum(self) -> None:
        """Start again with an empty tree: its bounds rested on a sum that is not constant."""
        assert self._root_state is not None
        self._cancel_pending_leaves()
        self._set_game(self.memory.game._replace(constant_sum=-1))
        self._clear()
        self.memory.counts[ROOT] = self._find_node(self._root_state)

    def _set_game(self, game: GameArrays) -> None:
        self.memories = [memory._replace(game=game) for memory in self.memories]

    def _cancel_pending_leaves(self) -> None:
        """Drop the pending leaves of all threads."""
        for memory in self.memories:
            cancel_pending_leaves(memory, self.settings)

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

    def _clear(self) -> None:
        """Empty the tree; no leaf may be pending."""
        empty_tree(self.memory.tree, self.memory.counts)
        counts = new_counts()
        for kept in (PLAYOUTS, DESCENTS):
            counts[kept] = self.memory.counts[kept]
        self.memory.counts[:] = counts
        for memory in self.memories:
            memory.lanes.step[:] = 0
            memory.share.counts[[SPARE_NODES, SPARE_EDGES]] = 0
