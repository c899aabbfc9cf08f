"""The ground rules of a game as a graph, whose automorphisms are symmetries of the game.

Ground rules depend neither on names nor on the order of the arguments in tables such as the lines
of a board. Unlike those of the circuit, their conjunctions are not factored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gdl.datalog import FlatRules, SymbolTable, counterpart, goal_value, reachable
from gdl.grounding import GroundingBudget, GroundProgram, Row, RulePasses, ground_game
from gdl.language import Constant, Function, Ruleset, Term

SYMMETRY_BUDGET = GroundingBudget(rules=100_000, cpu_seconds=10, memory=2**31)
"""With more ground rules, no symmetries are searched."""


class VertexKind(IntEnum):
    """What a vertex represents."""

    ALWAYS = 0
    ATOM = 1
    TERMINAL = 2
    RULE = 3
    FLUENT = 4
    FLUENT_AT_START = 5
    MOVE = 6
    ROLE = 7
    PERCEPT = 8
    GOAL = 9
    """A goal's kind is this plus its value."""


_DEFINED = {VertexKind.ATOM, VertexKind.RULE}
"""Vertices that are needed only where others refer to them."""


class Link(IntEnum):
    """What an edge means: from rules to atoms, from fluents and moves to atoms, from roles."""

    HEAD = 1
    BODY = 2
    NEGATED = 3
    TRUE = 4
    NEXT = 5
    DOES = 6
    LEGAL = 7
    OF_ROLE = 8
    HOLDS = 9


@dataclass(frozen=True, slots=True)
class RuleGraph:
    """A graph with kinds of vertices, int64 (vertices,), and edges, int64 (edges, 3).

    An edge has its origin, its target and its link. ``facts``, ``moves`` and ``roles`` say what
    some vertices represent; moves come with their role.
    """

    kinds: NDArray[np.int64]
    edges: NDArray[np.int64]
    facts: Mapping[int, Term]
    moves: Mapping[int, tuple[Constant, Term]]
    roles: Mapping[int, Constant]


def build_rule_graph(
    ruleset: Ruleset, roles: Sequence[Constant], *, with_goals: bool = True
) -> RuleGraph:
    """Build the graph of a ruleset's ground rules, or of those that do not say who wins.

    Raises :class:`gdl.GroundingLimitError` if there are too many.
    """
    game = ground_game(ruleset, RulePasses.none(), SYMMETRY_BUDGET)
    builder = _GraphBuilder(game.program, game.symbols, with_goals=with_goals)
    builder.build(game.flat, roles)
    return builder.graph()


class _GraphBuilder:
    """Collects vertices and edges; the first vertices are the atoms, by number."""

    def __init__(self, program: GroundProgram, symbols: SymbolTable, *, with_goals: bool) -> None:
        self._program = program
        self._symbols = symbols
        self._with_goals = with_goals
        atoms = [int(program.heads.max(initial=0)), int(np.abs(program.literals).max(initial=0))]
        atoms += [atom for rows in program.rows.values() for atom in rows.values()]
        self.kinds: list[int] = [VertexKind.ALWAYS, *[VertexKind.ATOM] * max(atoms)]
        self.edges: list[tuple[int, int, int]] = []
        self.facts: dict[int, Term] = {}
        self.moves: dict[int, tuple[Constant, Term]] = {}
        self.roles: dict[int, Constant] = {}

    def build(self, flat: FlatRules, roles: Sequence[Constant]) -> None:
        """Add the vertices and edges of rules, fluents and roles."""
        ends = self._program.rows["terminal", 0]
        if ends.get(()):
            self.kinds[ends[()]] = VertexKind.TERMINAL
        self._rules()
        self._fluents(flat)
        for role in roles:
            self._role(flat, role)

    def graph(self) -> RuleGraph:
        """The graph without what nothing refers to, such as tables that grounding has used up."""
        needed = self._needed()
        used = np.array(sorted(needed), dtype=np.int64)
        kept = sorted({edge for edge in self.edges if edge[0] in needed and edge[1] in needed})
        edges = np.array(kept, dtype=np.int64).reshape(-1, 3)
        number = np.zeros(len(self.kinds), dtype=np.int64)
        number[used] = np.arange(len(used))
        edges[:, :2] = number[edges[:, :2]]
        return RuleGraph(
            np.array(self.kinds, dtype=np.int64)[used],
            edges,
            {int(number[vertex]): fact for vertex, fact in self.facts.items()},
            {int(number[vertex]): move for vertex, move in self.moves.items()},
            {int(number[vertex]): role for vertex, role in self.roles.items()},
        )

    def _needed(self) -> set[int]:
        """The named vertices, and those that they are defined through."""
        through: dict[int, list[int]] = defaultdict(list)
        for origin, target, link in self.edges:
            if link == Link.HEAD:
                origin, target = target, origin
            through[origin].append(target)
        named = (vertex for vertex, kind in enumerate(self.kinds) if kind not in _DEFINED)
        return reachable(through, named)

    def _vertex(self, kind: int) -> int:
        self.kinds.append(kind)
        return len(self.kinds) - 1

    def _rules(self) -> None:
        literals = self._program.literals.tolist()
        starts = self._program.starts.tolist()
        seen: set[tuple[int, frozenset[int]]] = set()
        for number, head in enumerate(self._program.heads.tolist()):
            body = frozenset(literals[starts[number] : starts[number + 1]])
            if (head, body) in seen:
                continue
            seen.add((head, body))
            rule = self._vertex(VertexKind.RULE)
            self.edges.append((rule, head, Link.HEAD))
            for literal in body:
                link = Link.NEGATED if literal < 0 else Link.BODY
                self.edges.append((rule, abs(literal), link))

    def _fluents(self, flat: FlatRules) -> None:
        rows = self._program.rows
        for relation, function in flat.fluents:
            starting, following = (
                rows[counterpart(relation, "init")],
                rows[counterpart(relation, "next")],
            )
            for row, atom in rows[relation].items():
                kind = VertexKind.FLUENT_AT_START if row in starting else VertexKind.FLUENT
                fluent = self._vertex(kind)
                self.edges.append((fluent, atom, Link.TRUE))
                if row in following:
                    self.edges.append((fluent, following[row], Link.NEXT))
                self.facts[fluent] = self._term(row, function and function[0])

    def _role(self, flat: FlatRules, role: Constant) -> None:
        rows = self._program.rows
        number = self._symbols.constant(role.name)
        vertex = self._vertex(VertexKind.ROLE)
        self.roles[vertex] = role
        for relation, function in flat.moves:
            legal = rows[counterpart(relation, "legal")]
            for row, atom in _of(rows[relation], number):
                move = self._vertex(VertexKind.MOVE)
                self.edges.append((vertex, move, Link.OF_ROLE))
                self.edges.append((move, atom, Link.DOES))
                if row in legal:
                    self.edges.append((move, legal[row], Link.LEGAL))
                self.moves[move] = (role, self._term(row[1:], function and function[0]))
        for _, atom in _of(rows["sees", 2], number):
            self._owned(vertex, VertexKind.PERCEPT, atom)
        for row, atom in _of(rows["goal", 2], number):
            value = goal_value(self._symbols.decode(row[1]))
            if self._with_goals and value is not None:
                self._owned(vertex, VertexKind.GOAL + value, atom)

    def _owned(self, role: int, kind: int, atom: int) -> None:
        vertex = self._vertex(kind)
        self.edges.append((role, vertex, Link.OF_ROLE))
        self.edges.append((vertex, atom, Link.HOLDS))

    def _term(self, row: Row, function: str | None) -> Term:
        terms = tuple(map(self._symbols.decode, row))
        return terms[0] if function is None else Function(function, terms)


def _of(rows: Mapping[Row, int], role: int) -> Iterator[tuple[Row, int]]:
    return ((row, atom) for row, atom in rows.items() if row[0] == role)
