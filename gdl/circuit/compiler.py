"""From a ruleset to a compiled game: ground rules, a graph of gates, and its layout.

Each step is a function of its own; :class:`CompileOptions` says which passes apply.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import AndInverterGraph
from gdl.circuit.builder import AtomCircuit, CircuitBuilder
from gdl.circuit.cube_extraction import extract_cubes
from gdl.circuit.ground_symbols import GroundSymbols, SymbolKind
from gdl.circuit.layout import Layout, Outputs, lay_out
from gdl.circuit.options import CircuitPasses, CompileOptions
from gdl.datalog import FlatRules, counterpart, goal_value, ordered_roles
from gdl.grounding import NO_ATOM, GroundGame, GroundRows, ground_game
from gdl.language import Constant, Ruleset, Term


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
    moves: tuple[Sequence[Term], ...]
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
        self.fluents = GroundSymbols(list(self._fluents(game.flat)), self.symbols.decode)
        self.moves = [
            GroundSymbols(list(self._moves(game.flat, role)), self.symbols.decode)
            for role in self.roles
        ]

    def compiled(self, passes: CircuitPasses) -> CompiledGame:
        """Build the graph and lay it out."""
        moves = [own.atoms() for own in self.moves]
        circuit = CircuitBuilder(self.program, self.fluents.atoms(), moves, passes).build()
        goals = sorted(
            (role, value, literal)
            for role, term, literal in self._owned(circuit, "goal")
            if (value := goal_value(term)) is not None
        )
        percepts = sorted(self._owned(circuit, "sees"), key=lambda seen: (seen[0], str(seen[1])))
        outputs = Outputs(
            legal=[literal for own in self.moves for literal in self._all(circuit, own, "legal")],
            terminal=circuit.literal(self.program.rows["terminal", 0].get((), NO_ATOM)),
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
            facts=tuple(self.fluents),
            moves=tuple(self.moves),
            initial=self._initial(),
            goal_table=[(role, value) for role, value, _ in goals],
            percepts=[(role, term) for role, term, _ in percepts],
            relevant=_relevant(graph, outputs),
            ground_rules=len(self.program.heads),
            layout=lay_out(graph, len(self.fluents), counts, outputs),
        )

    def _initial(self) -> NDArray[np.uint8]:
        holds: NDArray[np.uint8] = (self._atoms(self.fluents, "init") != NO_ATOM).astype(np.uint8)
        return holds

    def _fluents(self, flat: FlatRules) -> Iterator[SymbolKind]:
        """Yield the kinds of ground fluents."""
        for relation, function in flat.fluents:
            rows = self.program.rows[relation]
            yield SymbolKind(relation, function and function[0], relation[1], rows)

    def _moves(self, flat: FlatRules, role: Constant) -> Iterator[SymbolKind]:
        """Yield the kinds of ground moves of a role."""
        role_id = self.symbols.constant(role.name)
        for relation, function in flat.moves:
            rows = self.program.rows[relation]
            own = rows.arguments[:, 0] == role_id
            rows = GroundRows(rows.arguments[own], rows.atoms[own])
            yield SymbolKind(relation, function and function[0], relation[1] - 1, rows)

    def _owned(self, circuit: AtomCircuit, name: str) -> Iterator[tuple[int, Term, int]]:
        """Yield role, term and literal of every goal, or of every percept."""
        for row, atom in self.program.rows[name, 2].items():
            role, term = map(self.symbols.decode, row)
            if role in self.roles:
                yield self.roles.index(Constant(str(role))), term, circuit.literal(atom)

    def _atoms(self, symbols: GroundSymbols, name: str) -> NDArray[np.int64]:
        """The atoms that make each fluent ``next`` or ``init``, or each move ``legal``."""
        return symbols.atoms_in(lambda relation: self.program.rows[counterpart(relation, name)])

    def _all(self, circuit: AtomCircuit, symbols: GroundSymbols, name: str) -> list[int]:
        """List the literals that make each fluent ``next``, or each move ``legal``."""
        literals: list[int] = circuit.literals(self._atoms(symbols, name)).tolist()
        return literals


def _relevant(graph: AndInverterGraph, outputs: Outputs) -> NDArray[np.uint8]:
    wanted = [*outputs.legal, outputs.terminal, *outputs.goals]
    marks = np.zeros(len(graph), dtype=np.uint8)
    marks[graph.cone(wanted, outputs.next)] = 1
    return marks[1 : 1 + len(outputs.next)]
