"""From ground rules to an and-inverter graph.

Atoms are defined one after the other, each after those that its rules mention; atoms that depend
on each other become a cycle. Rules that differ only in the move they need are merged into one
with a set of moves.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise

import numpy as np

from gdl.circuit.aig import FALSE, TRUE, AndInverterGraph, Cycle
from gdl.circuit.arrays import Integers, Mask, ranges
from gdl.circuit.factoring import sums_of_products
from gdl.circuit.move_sets import MoveSets
from gdl.circuit.options import CircuitPasses
from gdl.circuit.products import Products, concatenated, possible_products
from gdl.circuit.rule_table import Cycles, RuleTable
from gdl.datalog import strongly_connected_components
from gdl.errors import RulesetError
from gdl.grounding import NO_ATOM, GroundProgram


@dataclass(slots=True)
class AtomCircuit:
    """A graph with the literal of every ground atom.

    ``literal_of``, int64 (atoms,), is ``FALSE`` where no rule defines an atom.
    """

    graph: AndInverterGraph
    literal_of: Integers

    def literal(self, atom: int) -> int:
        """Return the literal of an atom; ``FALSE`` for an atom that no rule mentions."""
        return int(self.literals(np.array([atom]))[0])

    def literals(self, atoms: Integers) -> Integers:
        """The literals of atoms: int64 (n,) in and out, ``FALSE`` for ``NO_ATOM``."""
        found = np.full(len(atoms), FALSE)
        is_known = (atoms != NO_ATOM) & (atoms < len(self.literal_of))
        found[is_known] = self.literal_of[atoms[is_known]]
        return found


class CircuitBuilder:
    """Builds the graph of a ground program.

    Given are the atoms of ``fluents``, facts of the state, and of ``moves``, for each role: int64
    (n,) each. They are the inputs of the graph, in this order.
    """

    def __init__(
        self,
        program: GroundProgram,
        fluents: Integers,
        moves: Sequence[Integers],
        passes: CircuitPasses,
    ) -> None:
        atoms = np.concatenate([np.zeros(1, dtype=np.int64), fluents, *moves])
        self.graph = AndInverterGraph(len(atoms) - 1, passes)
        mentioned = np.abs(program.literals)
        last = max(int(each.max(initial=0)) for each in (program.heads, mentioned, atoms))
        # Of an atom, and at its negative index, from the end, of its negation.
        self.last = last
        self.literals = np.full(2 * last + 1, FALSE, dtype=np.int64)
        self.literals[last + 1 :] = TRUE
        self._assign_all(atoms, np.arange(0, 2 * len(atoms), 2))
        self._assign(0, TRUE)
        is_given = np.zeros(last + 1, dtype=np.bool_)
        is_given[atoms] = True
        self.program = program
        self.rules = RuleTable(program, is_given)
        self.bodies: dict[int, list[list[int]]] = {}
        self.is_used = np.bincount(mentioned, minlength=last + 1) > 0
        self.group_moves = passes.group_moves
        first = self.graph.input(len(fluents))
        ends = [first + 2 * n for n in accumulate(map(len, moves), initial=0)]
        self.sets = MoveSets(self.graph, [range(*ends, 2) for ends in pairwise(ends)])

    def build(self) -> AtomCircuit:
        """Build it, definitions before uses.

        Raises :class:`gdl.RulesetError` where an atom depends on its own negation.
        """
        order = self.rules.definition_order()
        cycles = Cycles(self.rules, order)
        atoms = order.ready()
        while True:
            while len(atoms):
                self._define_atoms(atoms)
                atoms = order.after(atoms)
            components = cycles.ready()
            if not components:
                return AtomCircuit(self.graph, self.literals[: self.last + 1])
            for component in components:
                self._define_component(component)
            atoms = order.after(np.array([atom for own in components for atom in own]))

    def _define_atoms(self, atoms: Integers) -> None:
        """Define atoms that mention none of each other: int64 (n,), rising."""
        rules = self.rules.rules_of(atoms)
        lengths = self.rules.starts[rules + 1] - self.rules.starts[rules]
        mentioned = self.rules.literals[ranges(self.rules.starts[rules], lengths)]
        products = possible_products(
            np.searchsorted(atoms, self.rules.heads[rules]),
            np.repeat(np.arange(len(rules)), lengths),
            self.literals[mentioned],
        )
        self._assign_all(atoms, self._sums(products, self.is_used[atoms]))

    def _sums(self, products: Products, is_used: Mask) -> Integers:
        """Make the gates of sums; other rules mention those that are used: bool (sums,)."""
        if not self.group_moves or not self.sets.are_in(products):
            return sums_of_products(self.graph, products, len(is_used))
        merged = self.sets.merge(self._expand_sets(products), is_used)
        values = sums_of_products(self.graph, merged.products, len(is_used))
        self.sets.remember(merged, values, is_used)
        return values

    def _expand_sets(self, products: Products) -> Products:
        """Expand the products that hold disjunctions of sets of moves."""
        is_expanded = self.sets.need_expansion(products)
        if not is_expanded.any():
            return products
        owners, expanded = [], []
        for owner, product in products.chosen(is_expanded).listed():
            found = self.sets.expanded(product)
            expanded += found
            owners += [owner] * len(found)
        return concatenated([products.chosen(~is_expanded), _products(owners, expanded)])

    def _assign_all(self, atoms: Integers, literals: Integers) -> None:
        self.literals[atoms], self.literals[-atoms] = literals, literals ^ 1

    def _define_component(self, component: Sequence[int]) -> None:
        """Define atoms that depend on each other, unless what is known already says otherwise."""
        self.bodies = {atom: self.rules.bodies_of(atom) for atom in component}
        worklist = [tuple(component)]
        while worklist:
            members = worklist.pop()
            atom = members[0]
            bodies = self.bodies[atom]
            if len(members) == 1 and not any(-atom in body for body in bodies):
                self._assign(atom, self._sum_of(bodies))
            elif self._simplify(members):
                own = {atom: self.bodies[atom] for atom in members}
                worklist += strongly_connected_components(_dependencies(own))[::-1]
            else:
                self._define_cycle(members)

    def _sum_of(self, bodies: Sequence[Sequence[int]]) -> int:
        """Make the gates of a sum, given by its bodies; it often needs none."""
        match bodies:
            case []:
                return FALSE
            case [[]]:
                return TRUE
            case [[literal]]:
                return int(self.literals[literal])
            case _:
                return int(self._sums_of([bodies])[0])

    def _sums_of(self, definitions: Sequence[Sequence[Sequence[int]]]) -> Integers:
        """Make the gates of sums, each given by its bodies: int64 (sums,)."""
        owners = [owner for owner, bodies in enumerate(definitions) for _ in bodies]
        bodies = [self.literals[body] for body in chain.from_iterable(definitions)]
        return self._sums(_products(owners, bodies), np.ones(len(definitions), dtype=np.bool_))

    def _simplify(self, component: Sequence[int]) -> bool:
        """Drop what is known already from the rules of a component; return True if anything was."""
        members = set(component)
        before = [self.bodies[atom] for atom in component]
        for atom, bodies in zip(component, before, strict=True):
            possible = [body for body in bodies if self._can_hold(body, members)]
            left = [self._unknown(body, members) for body in possible]
            self.bodies[atom] = left if all(left) else [[]]
        return before != [self.bodies[atom] for atom in component]

    def _can_hold(self, body: Sequence[int], members: Container[int]) -> bool:
        return not any(
            -literal in body if abs(literal) in members else self.literals[literal] == FALSE
            for literal in body
        )

    def _unknown(self, body: Sequence[int], members: Container[int]) -> list[int]:
        return [one for one in body if abs(one) in members or self.literals[one] != TRUE]

    def _assign(self, atom: int, literal: int) -> None:
        self.literals[atom], self.literals[-atom] = literal, literal ^ 1 if atom else literal

    def _negates_itself(self, component: Sequence[int]) -> bool:
        members = set(component)
        bodies = (body for atom in component for body in self.bodies[atom])
        return any(one < 0 and -one in members for body in bodies for one in body)

    @cached_property
    def _asked(self) -> set[int]:
        """The atoms on which the answers of a machine depend.

        Rules that contradict themselves elsewhere are harmless: the reasoner never meets them.
        """
        worklist = [atom for rows in self.program.rows.values() for atom in rows.atoms.tolist()]
        asked: set[int] = set()
        while worklist:
            atom = worklist.pop()
            if atom not in asked:
                asked.add(atom)
                worklist += self.rules.mentioned_by(atom).tolist()
        return asked

    def _define_cycle(self, component: Sequence[int]) -> None:
        """Define atoms through each other: each has a node that is read before it is defined."""
        if self._negates_itself(component):
            if not self._asked.isdisjoint(component):
                raise RulesetError("a ground atom depends on its own negation")
            for atom in component:
                self._assign(atom, FALSE)
            return
        first = len(self.graph)
        nodes = np.array([self.graph.new_node() for _ in component])
        self._assign_all(np.array(component), nodes)
        definitions = self._sums_of([self.bodies[atom] for atom in component])
        feedback = tuple(zip((nodes >> 1).tolist(), definitions.tolist(), strict=True))
        self.graph.cycles.append(Cycle(first, len(self.graph), feedback))


def _products(owners: Sequence[int], literals: Sequence[Collection[int] | Integers]) -> Products:
    """Make products of the literals of each, which may be in any order."""
    return possible_products(
        np.array(owners, dtype=np.int64),
        np.repeat(np.arange(len(literals)), list(map(len, literals))),
        np.array(list(chain.from_iterable(literals)), dtype=np.int64),
    )


def _dependencies(bodies: Mapping[int, Sequence[Sequence[int]]]) -> dict[int, list[int]]:
    """Map each defined atom to the defined atoms that its bodies mention."""
    return {
        atom: [
            target
            for target in dict.fromkeys(map(abs, chain.from_iterable(own)))
            if target in bodies
        ]
        for atom, own in bodies.items()
    }
