"""The whole game as a tree of histories with information sets: its extensive form.

Roles that move at once stand one below the other in the tree, and none sees the moves above it of
the same step. Nodes are laid out level by level, so that values can be computed by arrays.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl import Term
from ggp_player.belief import ROOT, InformationSets, StepObservation
from ggp_player.strategies.information_sets.game_graph import Choice, GameGraph, Vertex

CHANCE = -1
"""The player of a node where a role moves that moves by chance."""

MAX_LINE_STEPS = 200
"""The longest line of play in a tree that is built."""


@dataclass(frozen=True, slots=True)
class TreeLevel:
    """The nodes of one level that have children; the arrays of edges are in the nodes' order.

    ``nodes`` int64 (n,): their numbers. ``players`` int64 (n,): who moves in each, or CHANCE. Per
    edge, int64 (e,): ``parents``, the index among ``nodes``; ``children``, the number of the node
    it leads to; ``actions``, the number of the move in its information set, -1 for chance.
    ``chances`` float64 (e,): the probability of a move by chance, 1 elsewhere.
    """

    nodes: NDArray[np.int64]
    players: NDArray[np.int64]
    parents: NDArray[np.int64]
    children: NDArray[np.int64]
    actions: NDArray[np.int64]
    chances: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class InformationSet:
    """What a player must decide: its moves, which are actions ``first`` and the following."""

    player: int
    first: int
    moves: tuple[Term, ...]

    @property
    def actions(self) -> slice:
        """The actions, one for each move."""
        return slice(self.first, self.first + len(self.moves))


@dataclass(frozen=True, slots=True)
class ExtensiveForm:
    """A game tree with information sets.

    ``levels`` from the root down; ``goals`` float64 (nodes, roles), those of terminal nodes.
    ``sets`` are the information sets, by role and number in its ``information``; which of them an
    action is in says ``set_of_action``, int64 (actions,).
    """

    players: tuple[int, ...]
    levels: tuple[TreeLevel, ...]
    goals: NDArray[np.float64]
    sets: Mapping[tuple[int, int], InformationSet]
    set_of_action: NDArray[np.int64]
    information: tuple[InformationSets, ...]

    def find(self, role: int, observations: Sequence[StepObservation]) -> InformationSet | None:
        """The information set of a role that was told these things; None where there is none."""
        number = ROOT
        for step in observations:
            if step.move is None or step.percepts is None:
                return None
            number = self.information[role].after(number, step.move, step.percepts)
        return self.sets.get((role, number))


_EdgeRow: TypeAlias = tuple[int, int, int, float]
"""What a :class:`TreeLevel` has of an edge: parent, child, action and chance."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A history, within a step: the moves of the first roles are chosen."""

    number: int
    vertex: int
    sets: tuple[int, ...]
    chosen: Choice = ()


def estimated_leaves(graph: GameGraph, random: Random) -> float:
    """Estimate the number of leaves of the game tree by a random line of play.

    The mean over many lines is unbiased. Infinite where the line does not end.

    Source: D. E. Knuth, Estimating the efficiency of backtrack programs (1975).
    """
    leaves, number = 1.0, graph.number(graph.machine.initial_state())
    for _ in range(MAX_LINE_STEPS):
        vertex = graph.vertices[number]
        if vertex.is_terminal:
            return leaves
        for moves in vertex.legal:
            leaves *= len(moves)
        choice = tuple([random.randrange(len(moves)) for moves in vertex.legal])
        number = graph.step(number, choice).target
    return float("inf")


class ExtensiveFormBuilder:
    """Builds the extensive form of a game of at most ``max_nodes`` nodes, level by level."""

    def __init__(self, graph: GameGraph, max_nodes: int) -> None:
        self._graph = graph
        self._max_nodes = max_nodes
        self._information = tuple(InformationSets() for _ in graph.chance)
        self._goals: list[tuple[float, ...]] = []
        self._levels: list[TreeLevel] = []
        self._sets: dict[tuple[int, int], InformationSet] = {}
        self._actions = 0

    def build(self) -> Generator[None, None, ExtensiveForm | None]:
        """Build the tree; yield now and then. Returns None where it is too large."""
        roles = len(self._graph.chance)
        start = self._graph.number(self._graph.machine.initial_state())
        self._goals = [(0.0,) * roles]
        level = [_Node(0, start, (ROOT,) * roles)]
        while level:
            nodes: list[tuple[int, int]] = []
            edges: list[_EdgeRow] = []
            following: list[_Node] = []
            for done, node in enumerate(level):
                following.extend(self._children(node, nodes, edges))
                if len(self._goals) > self._max_nodes:
                    return None
                if done % 256 == 0:
                    yield
            if nodes:
                columns = *zip(*nodes, strict=True), *zip(*edges, strict=True)
                self._levels.append(TreeLevel(*map(np.array, columns)))
            level = following
        return self._finished()

    def _children(
        self, node: _Node, nodes: list[tuple[int, int]], edges: list[_EdgeRow]
    ) -> Iterator[_Node]:
        """Yield the nodes after one; goes through roles without a choice, which make no nodes."""
        vertex = self._graph.vertices[node.vertex]
        if vertex.is_terminal:
            self._goals[node.number] = vertex.goals
            return
        role = len(node.chosen)
        moves = vertex.legal[role]
        first = self._first_action(role, node.sets[role], moves)
        is_chance = self._graph.chance[role]
        nodes.append((node.number, CHANCE if is_chance else role))
        for index in range(len(moves)):
            child = self._child(node, vertex, index)
            action, chance = (-1, 1 / len(moves)) if is_chance else (first + index, 1.0)
            edges.append((len(nodes) - 1, child.number, action, chance))
            yield child

    def _child(self, node: _Node, vertex: Vertex, index: int) -> _Node:
        chosen = (*node.chosen, index)
        number = len(self._goals)
        self._goals.append((0.0,) * len(self._graph.chance))
        if len(chosen) < len(vertex.legal):
            return _Node(number, node.vertex, node.sets, chosen)
        edge = self._graph.step(node.vertex, chosen)
        seen = self._graph.percepts_of(node.vertex, chosen)
        joint_move = vertex.joint_move(chosen)
        sets = tuple(
            information.after(before, move, percepts)
            for information, before, move, percepts in zip(
                self._information, node.sets, joint_move, seen, strict=True
            )
        )
        return _Node(number, edge.target, sets)

    def _first_action(self, role: int, number: int, moves: tuple[Term, ...]) -> int:
        if self._graph.chance[role]:
            return -1
        found = self._sets.get((role, number))
        if found is None:
            found = InformationSet(role, self._actions, moves)
            self._sets[role, number] = found
            self._actions += len(moves)
        return found.first

    def _finished(self) -> ExtensiveForm:
        sizes = [len(found.moves) for found in self._sets.values()]
        return ExtensiveForm(
            players=tuple(r for r, by_chance in enumerate(self._graph.chance) if not by_chance),
            levels=tuple(self._levels),
            goals=np.array(self._goals),
            sets=self._sets,
            set_of_action=np.repeat(np.arange(len(sizes)), sizes),
            information=self._information,
        )
