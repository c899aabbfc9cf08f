"""Proofs about every step of a match, by a SAT solver.

The circuit is unrolled once: a state in which play goes on, called *before*, and the one *after*
any legal joint move. What no such pair shows cannot happen in a match, except in its initial state.
The solver considers all states in which the invariants proved so far hold, reachable or not: that
a claim is unsatisfiable is a proof, that it is satisfiable means nothing.

Source: the solver is clasp, M. Gebser et al., Conflict-driven answer set solving (2012).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import clingo

from gdl.analysis.evidence.gate_graph import GateGraph, Segment

MAX_GATES = 40_000
"""Larger circuits are not reasoned about: to load one takes a second or so."""

CONFLICTS = 2_000
"""After so many conflicts the solver gives up a query."""

WORK = 8_000_000
"""Conflicts allowed for one query, times the gates: large circuits take longer for each."""

ROUNDS = 300
"""How many times refuted claims are removed before the rest is given up."""

REFUTED_AT_ONCE = (16, 1)
"""How many claims one counterexample must refute; many at first, which takes fewer queries."""

GIVING_UP = 10
"""What a query that the solver gives up costs, in queries."""

QUERY_BUDGET = 150_000
"""Queries to the solver, times the gates, that are granted at a time: about a second."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Solver literals of a state's fluents and view."""

    fluents: tuple[int, ...]
    legal: tuple[int, ...]
    terminal: int
    goals: tuple[int, ...]


class Prover:
    """Proves what can never hold. Its literals are the solver's: negated by a minus sign.

    The same queries get the same answers: the bound is on conflicts, not on time.
    """

    def __init__(self, circuit: GateGraph) -> None:
        self._circuit = circuit
        self._limit = min(CONFLICTS, max(50, WORK // max(1, circuit.gate_count)))
        self._solver = clingo.Control(logger=_ignore)
        self._backend = self._solver.backend()
        self._assumed: list[int] = []
        self._budget = QUERY_BUDGET
        with self._backend:
            self._true = self._backend.add_atom()
            self._backend.add_rule([self._true])
            inputs = [self._free() for _ in (*circuit.fluents, *circuit.moves)]
            count = len(circuit.fluents)
            self.moves = tuple(inputs[count:])
            before = self._rows(inputs)
            self._gates((*circuit.view, *circuit.transition), before)
            self.before = self._frame(before)
            following = [_literal(before, literal) for literal in circuit.next]
            after = self._rows([*following, *self.moves])
            self._gates(circuit.view, after)
            self.after = self._frame(after)
            self._require_a_step()

    def grant(self, share: float = 1) -> None:
        """Set the budget to the queries of about a second, or a share of it."""
        self._budget = round(QUERY_BUDGET * share)

    # ------------------------------------------------------------------ building claims

    def any_of(self, literals: Iterable[int]) -> int:
        """Build a literal for the disjunction of some literals."""
        with self._backend:
            result = self._backend.add_atom()
            for literal in literals:
                self._backend.add_rule([result], [literal])
        return result

    def all_of(self, literals: Iterable[int]) -> int:
        """Build a literal for the conjunction of some literals."""
        with self._backend:
            result = self._backend.add_atom()
            self._backend.add_rule([result], list(literals))
        return result

    def at_least(self, bound: int, weighted: Iterable[tuple[int, int]]) -> int:
        """Build a literal for "the weights of the true literals add up to the bound"."""
        with self._backend:
            result = self._backend.add_atom()
            self._backend.add_weight_rule([result], bound, list(weighted))
        return result

    def rises(self, fluent: int) -> int:
        """Build a literal for "the fluent becomes true in the step"."""
        return self.all_of([-self.before.fluents[fluent], self.after.fluents[fluent]])

    def falls(self, fluent: int) -> int:
        """Build a literal for "the fluent becomes false in the step"."""
        return self.all_of([self.before.fluents[fluent], -self.after.fluents[fluent]])

    def has_choice(self, role: int) -> int:
        """Build a literal for "the role has several legal moves before the step"."""
        legal = self.before.legal
        return self.at_least(2, [(legal[move], 1) for move in self._circuit.moves_of(role)])

    # ------------------------------------------------------------------ proving claims

    def never(self, claims: Sequence[int]) -> list[bool]:
        """Check for each claim, a literal, whether it provably never holds."""
        open_claims = dict(enumerate(claims))
        picked = {number: self._activated(claim) for number, claim in open_claims.items()}
        some = self.any_of(picked.values())
        for _ in range(ROUNDS):
            if not open_claims:
                break
            shut = [-picked[number] for number in picked if number not in open_claims]
            model = self._model([some, *shut], open_claims, self._limit)
            if model is None:
                return [False] * len(claims)
            if not model:
                return [number in open_claims for number in range(len(claims))]
            for number in model:
                del open_claims[number]
        return [False] * len(claims)

    def prove_invariants(self, candidates: Sequence[tuple[int, int]]) -> list[bool]:
        """Find the candidates that are inductive together, and assume these invariants from now on.

        Each candidate is a pair of literals: it is violated before, and after the step. The caller
        must know that the initial state violates none. Where the solver gives up, the first
        half of the remaining candidates is dropped: let the hardest come first.
        """
        wanted = dict(enumerate(candidates))
        activations = {}
        broken = {}
        for number, (fails, breaks) in wanted.items():
            with self._backend:
                activations[number] = self._free()
                self._backend.add_rule([], [activations[number], fails])
                broken[number] = self._backend.add_atom()
                self._backend.add_rule([broken[number]], [activations[number], breaks])
        for bound in [bound for bound in REFUTED_AT_ONCE if bound <= len(candidates)]:
            many = self.at_least(bound, [(claim, 1) for claim in broken.values()])
            while True:
                fixed = [a if number in wanted else -a for number, a in activations.items()]
                asked = {number: broken[number] for number in wanted}
                limit = self._limit if bound == 1 else self._limit // 10
                refuted = self._model([many, *fixed], asked, limit)
                if refuted is None and bound == 1:
                    refuted = list(wanted)[: -(-len(wanted) // 2)]
                if not refuted:
                    break
                for number in refuted:
                    del wanted[number]
        self._assumed += [a if number in wanted else -a for number, a in activations.items()]
        return [number in wanted for number in range(len(candidates))]

    def _model(
        self, assumptions: Sequence[int], asked: dict[int, int], limit: int
    ) -> list[int] | None:
        """Solve, and list the claims true in the model: empty if there is none, None if unknown."""
        found: list[int] = []
        self._budget -= self._circuit.gate_count
        if self._budget < 0:
            return None

        configuration: Any = self._solver.configuration
        configuration.solve.solve_limit = str(limit)

        def read(model: clingo.Model) -> None:
            found.extend(number for number, claim in asked.items() if model.is_true(claim))

        with self._solver.solve(
            assumptions=[*self._assumed, *assumptions], on_model=read, yield_=False, async_=True
        ) as handle:
            result = handle.get()
        if result.unsatisfiable:
            return []
        if result.satisfiable:
            return found
        self._budget -= GIVING_UP * self._circuit.gate_count * limit // self._limit
        return None

    # ------------------------------------------------------------------ encoding the circuit

    def _free(self) -> int:
        atom = self._backend.add_atom()
        self._backend.add_rule([atom], choice=True)
        return atom

    def _activated(self, claim: int) -> int:
        """Build a literal that implies the claim and can be deactivated."""
        with self._backend:
            free = self._free()
            result = self._backend.add_atom()
            self._backend.add_rule([result], [free, claim])
        return result

    def _rows(self, inputs: Sequence[int]) -> list[int]:
        rows = [-self._true] * self._circuit.rows
        for row, literal in zip(
            (*self._circuit.fluents, *self._circuit.moves), inputs, strict=True
        ):
            rows[row] = literal
        return rows

    def _gates(self, segments: Iterable[Segment], rows: list[int]) -> None:
        """Encode gates. A cycle may take any of its fixpoints, of which the least is one."""
        backend = self._backend
        for segment in segments:
            for row, _ in segment.feedback:
                rows[row] = backend.add_atom()
            for row, left, right in segment.gates:
                rows[row] = backend.add_atom()
                backend.add_rule([rows[row]], [_literal(rows, left), _literal(rows, right)])
            for row, literal in segment.feedback:
                backend.add_rule([rows[row]], [_literal(rows, literal)])

    def _frame(self, rows: list[int]) -> Frame:
        circuit = self._circuit
        return Frame(
            tuple(rows[row] for row in circuit.fluents),
            tuple(_literal(rows, literal) for literal in circuit.legal),
            _literal(rows, circuit.terminal),
            tuple(_literal(rows, literal) for literal in circuit.goals),
        )

    def _require_a_step(self) -> None:
        """Require that play goes on before the step and that each role makes one legal move."""
        backend = self._backend
        backend.add_rule([], [self.before.terminal])
        for role in range(len(self._circuit.offsets) - 1):
            own = [self.moves[move] for move in self._circuit.moves_of(role)]
            several, some = backend.add_atom(), backend.add_atom()
            backend.add_weight_rule([several], 2, [(move, 1) for move in own])
            backend.add_rule([], [several])
            backend.add_weight_rule([some], 1, [(move, 1) for move in own])
            backend.add_rule([], [-some])
        for move, legal in zip(self.moves, self.before.legal, strict=True):
            backend.add_rule([], [move, -legal])


def _literal(rows: Sequence[int], literal: int) -> int:
    return -rows[literal >> 1] if literal & 1 else rows[literal >> 1]


def _ignore(code: clingo.MessageCode, message: str) -> None:
    """Drop the solver's warnings."""
