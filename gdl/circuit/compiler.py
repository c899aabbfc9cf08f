"""From a ruleset to a compiled game: ground rules, a graph of gates, and its layout.

Each step is a function of its own; :class:`CompileOptions` says which passes apply.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import FALSE, AndInverterGraph
from gdl.circuit.builder import NO_ATOM, AtomCircuit, Inputs, build
from gdl.circuit.cube_extraction import extract_cubes
from gdl.circuit.layout import Layout, Outputs, lay_out
from gdl.circuit.options import CircuitPasses, CompileOptions
from gdl.datalog import FlatRules, counterpart, goal_value, ordered_roles
from gdl.grounding import GroundGame, Row, ground_game
from gdl.language import Constant, Function, RelationKey, Ruleset, Term

Symbol: TypeAlias = tuple[RelationKey, Row, Term]
"""A ground fluent or move: its relation and row, and the fact or move that it stands for."""


@dataclass(frozen=True, slots=True)
class CompiledGame:
    """What a machine is built from.

    ``initial`` is uint8 (fluents,), the state in which a match begins. ``goal_table`` has role
    and value of every goal row, ``percepts`` role and percept of every percept row. ``relevant``,
    uint8 (fluents,), marks the fluents that legal moves, the end or goals of this state or of a
    later one can depend on.
    """

    roles: tuple[Constant, ...]
    facts: tuple[Term, ...]
    moves: tuple[tuple[Term, ...], ...]
    initial: NDArray[np.uint8]
    goal_table: list[tuple[int, int]]
    percepts: list[tuple[int, Term]]
    relevant: NDArray[np.uint8]
    ground_rules: int
    layout: Layout


def compile_game(ruleset: Ruleset, options: CompileOptions) -> CompiledGame:
    """Compile a ruleset. Raises as :func:`gdl.compile` does."""
    with _garbage_collector_paused():
        return compile_ground_game(ground_game(ruleset, options, options.budget), options)


@contextmanager
def _garbage_collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would scan millions of sets that it cannot free."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def compile_ground_game(game: GroundGame, passes: CircuitPasses) -> CompiledGame:
    """Build the graph of a ground game, apply the passes over circuits, and lay it out."""
    return _GameCompiler(game).compiled(passes)


class _GameCompiler:
    """Builds and lays out what a machine answers for, by the atoms of a ground program."""

    def __init__(self, game: GroundGame) -> None:
        self.symbols = game.symbols
        self.program = game.program
        self.roles = ordered_roles(
            game.ruleset, (self.symbols.decode(row[0]) for row in self.program.rows["role", 1])
        )
        self.fluents = self._fluents(game.flat)
        self.moves = [self._moves(game.flat, role) for role in self.roles]

    def compiled(self, passes: CircuitPasses) -> CompiledGame:
        """Build the graph and lay it out."""
        circuit = build(self.program, self.inputs(), passes)
        goals, percepts = self._goals(circuit), self._seen(circuit)
        outputs = Outputs(
            legal=[literal for own in self.moves for literal in self._all(circuit, own, "legal")],
            terminal=self._literal(circuit, self.program.rows["terminal", 0].get(())),
            goals=[literal for _, _, literal in goals],
            percepts=[literal for _, _, literal in percepts],
            next=self._all(circuit, self.fluents, "next"),
        )
        graph = circuit.graph
        if passes.cube_extraction:
            graph, literals = extract_cubes(graph, outputs.all())
            outputs = outputs.replaced(literals)
        counts = [len(own) for own in self.moves]
        return CompiledGame(
            roles=self.roles,
            facts=tuple(term for _, _, term in self.fluents),
            moves=tuple(tuple(term for _, _, term in own) for own in self.moves),
            initial=self._initial(),
            goal_table=[(role, value) for role, value, _ in goals],
            percepts=[(role, term) for role, term, _ in percepts],
            relevant=_relevant(graph, outputs),
            ground_rules=len(self.program.heads),
            layout=lay_out(graph, len(self.fluents), counts, outputs),
        )

    def inputs(self) -> Inputs:
        """The atoms of the fluents and of each role's moves."""
        return Inputs(
            [self.program.rows[relation][row] for relation, row, _ in self.fluents],
            [[self.program.rows[relation][row] for relation, row, _ in own] for own in self.moves],
        )

    def _initial(self) -> NDArray[np.uint8]:
        rows = self.program.rows
        holds = [row in rows[counterpart(relation, "init")] for relation, row, _ in self.fluents]
        return np.array(holds, dtype=np.uint8)

    def _fluents(self, flat: FlatRules) -> list[Symbol]:
        """List the ground fluents, sorted by the text of their facts."""
        return self._sorted_symbols(
            (relation, row, function and function[0], row)
            for relation, function in flat.fluents
            for row in self.program.rows[relation]
        )

    def _moves(self, flat: FlatRules, role: Constant) -> list[Symbol]:
        """List the ground moves of a role, sorted by their text."""
        role_id = self.symbols.constant(role.name)
        return self._sorted_symbols(
            (relation, row, function and function[0], row[1:])
            for relation, function in flat.moves
            for row in self.program.rows[relation]
            if row[0] == role_id
        )

    def _sorted_symbols(
        self, atoms: Iterable[tuple[RelationKey, Row, str | None, Row]]
    ) -> list[Symbol]:
        """Make the symbols of relations, rows, functions and their arguments; sort them by text.

        Of moves there can be hundreds of thousands, with few arguments: these become text once.
        """
        terms: dict[int, Term] = {}
        texts: dict[int, str] = {}
        found = []
        for relation, row, function, arguments in atoms:
            for each in arguments:
                if each not in terms:
                    terms[each] = self.symbols.decode(each)
                    texts[each] = str(terms[each])
            text = " ".join(map(texts.__getitem__, arguments))
            term = terms[arguments[0]]
            if function is not None:
                text = f"({function} {text})"
                term = Function(function, tuple(map(terms.__getitem__, arguments)))
            found.append((text, (relation, row, term)))
        return [symbol for _, symbol in sorted(found, key=itemgetter(0))]

    def _goals(self, circuit: AtomCircuit) -> list[tuple[int, int, int]]:
        """List role, value and literal of every goal, sorted in this order."""
        found = []
        for row, atom in self.program.rows["goal", 2].items():
            role, value = (self.symbols.decode(term) for term in row)
            number = goal_value(value)
            if number is not None and role in self.roles:
                literal = self._literal(circuit, atom)
                found.append((self.roles.index(Constant(str(role))), number, literal))
        return sorted(found)

    def _seen(self, circuit: AtomCircuit) -> list[tuple[int, Term, int]]:
        """List role, percept and literal of every percept, sorted by role and text."""
        found = []
        for row, atom in self.program.rows["sees", 2].items():
            role, percept = (self.symbols.decode(term) for term in row)
            if role in self.roles:
                index = self.roles.index(Constant(str(role)))
                found.append((index, percept, self._literal(circuit, atom)))
        return sorted(found, key=lambda seen: (seen[0], str(seen[1])))

    def _all(self, circuit: AtomCircuit, symbols: Sequence[Symbol], name: str) -> list[int]:
        """List the literals that make each fluent ``next``, or each move ``legal``."""
        rows: dict[RelationKey, Mapping[Row, int]] = {
            relation: self.program.rows[counterpart(relation, name)]
            for relation in {relation for relation, _, _ in symbols}
        }
        found = [rows[relation].get(row, NO_ATOM) for relation, row, _ in symbols]
        return list(circuit.literals(np.array(found, dtype=np.int64)).tolist())

    def _literal(self, circuit: AtomCircuit, atom: int | None) -> int:
        return FALSE if atom is None else circuit.literal(atom)


def _relevant(graph: AndInverterGraph, outputs: Outputs) -> NDArray[np.uint8]:
    wanted = [*outputs.legal, outputs.terminal, *outputs.goals]
    marks = np.zeros(len(graph), dtype=np.uint8)
    marks[graph.cone(wanted, outputs.next)] = 1
    return marks[1 : 1 + len(outputs.next)]
