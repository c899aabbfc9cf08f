"""From ground rules to an and-inverter graph.

Atoms are defined one after the other, each after those that its rules mention; atoms that depend
on each other become a cycle. Rules that differ only in the move they need are merged into one
with a set of moves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise
from itertools import product as product_of

import numpy as np

from gdl.circuit.aig import FALSE, TRUE, AndInverterGraph, Cycle, is_contradiction
from gdl.circuit.arrays import Integers, ranges
from gdl.circuit.factoring import sums_of_products
from gdl.circuit.move_sets import MAX_PRODUCT_GROUPS, Group, MoveSet, MoveSets, Product
from gdl.circuit.options import ALL_PASSES, CircuitPasses
from gdl.circuit.products import Products, concatenated, possible_products
from gdl.circuit.rule_table import Cycles, RuleTable
from gdl.datalog import strongly_connected_components
from gdl.errors import RulesetError
from gdl.grounding import NO_ATOM, GroundProgram

MIN_RULES_AT_ONCE = 300
"""Atoms with fewer rules are defined one by one, which is faster."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The atoms that are given: facts of the state first, then the moves of each role.

    ``fluents`` and ``moves`` hold ground atoms' numbers, int64; ``moves`` is one array per role.
    """

    fluents: Integers
    moves: Sequence[Integers]


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


def build(
    program: GroundProgram, inputs: Inputs, passes: CircuitPasses = ALL_PASSES
) -> AtomCircuit:
    """Build the graph of a ground program, definitions before uses.

    Raises :class:`gdl.RulesetError` where an atom depends on its own negation.
    """
    return _Builder(program, inputs, passes).build()


class _Builder:
    def __init__(self, program: GroundProgram, inputs: Inputs, passes: CircuitPasses) -> None:
        atoms = np.concatenate([np.zeros(1, dtype=np.int64), inputs.fluents, *inputs.moves])
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
        first = self.graph.input(len(inputs.fluents))
        ends = [first + 2 * n for n in accumulate(map(len, inputs.moves), initial=0)]
        self.sets = MoveSets(self.graph, [range(*ends, 2) for ends in pairwise(ends)])

    def build(self) -> AtomCircuit:
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
        if len(rules) < MIN_RULES_AT_ONCE:
            self._define_one_by_one(atoms)
            return
        lengths = self.rules.starts[rules + 1] - self.rules.starts[rules]
        mentioned = self.rules.literals[ranges(self.rules.starts[rules], lengths)]
        products = possible_products(
            np.searchsorted(atoms, self.rules.heads[rules]),
            np.repeat(np.arange(len(rules)), lengths),
            self.literals[mentioned],
        )
        if not self.group_moves:
            self._assign_all(atoms, sums_of_products(self.graph, products, len(atoms)))
            return
        is_used = self.is_used[atoms]
        merged = self.sets.merge(self._expand_sets(products), is_used)
        values = sums_of_products(self.graph, merged.products, len(atoms))
        self.sets.remember(merged, values, is_used)
        self._assign_all(atoms, values)

    def _expand_sets(self, products: Products) -> Products:
        """Expand the products that hold disjunctions of sets of moves."""
        is_expanded = self.sets.need_expansion(products)
        owners, expanded = [], []
        for owner, product in products.chosen(is_expanded).listed():
            found = self.sets.expanded(product)
            expanded += found
            owners += [owner] * len(found)
        added = possible_products(
            np.array(owners, dtype=np.int64),
            np.repeat(np.arange(len(expanded)), list(map(len, expanded))),
            np.array(list(chain.from_iterable(expanded)), dtype=np.int64),
        )
        return concatenated([products.chosen(~is_expanded), added])

    def _define_one_by_one(self, atoms: Integers) -> None:
        for atom in atoms.tolist():
            self._assign(atom, self._define(self._products_of(atom), bool(self.is_used[atom])))

    def _products_of(self, atom: int) -> list[list[int]]:
        """The literals of each body of an atom."""
        starts = self.rules.starts[self.rules.first[atom] : self.rules.first[atom + 1] + 1]
        literals = self.literals[self.rules.literals[starts[0] : starts[-1]]].tolist()
        return [literals[i:j] for i, j in pairwise((starts - starts[0]).tolist())]

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
                self._assign(atom, self._define(self._literals_of(bodies)))
            elif self._simplify(members):
                own = {atom: self.bodies[atom] for atom in members}
                worklist += strongly_connected_components(_dependencies(own))[::-1]
            else:
                self._define_cycle(members)

    def _literals_of(self, bodies: Iterable[Sequence[int]]) -> list[list[int]]:
        return [[int(self.literals[one]) for one in body] for body in bodies]

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

    def _define(self, bodies: Iterable[Sequence[int]], is_used: bool = True) -> int:
        """Define an atom by the literals of its bodies."""
        products = list(_possible(bodies))
        if not self.group_moves or all(map(self.sets.literals.isdisjoint, products)):
            return self.graph.sum_of_products(products)
        groups = self._grouped(products)
        literal = self.graph.sum_of_products([self._product(*group) for group in groups])
        if is_used and groups:
            self.sets.add(literal, groups)
        return literal

    def _grouped(self, products: Sequence[Product]) -> list[Group]:
        """Merge products that differ only in the move of one role: one set for all their moves."""
        groups: dict[tuple[int, Product], list[frozenset[int]]] = defaultdict(list)
        plain: list[Group] = []
        for product in products:
            for moves, rest in self._expanded(product):
                if moves is None:
                    plain.append((None, rest))
                else:
                    groups[moves[0], rest].append(moves[1])
        return plain + [
            ((role, sets[0] if len(sets) == 1 else frozenset().union(*sets)), rest)
            for (role, rest), sets in groups.items()
        ]

    def _expanded(self, product: Product) -> list[Group]:
        """Expand a product to a disjunction of products that hold at most one set of moves.

        A role makes one move: it is in two sets if and only if it is in their intersection.
        """
        known = product & self.sets.literals
        if not known:
            return [(None, product)]
        expanded: list[Group] = [(None, product - known)]
        groups = {literal: self.sets.groups(literal) for literal in known}
        for literal in sorted(known, key=lambda literal: (len(groups[literal]), literal)):
            if len(expanded) * len(groups[literal]) > MAX_PRODUCT_GROUPS and len(expanded) > 1:
                expanded = [(moves, rest | {literal}) for moves, rest in expanded]
            else:
                pairs = product_of(expanded, groups[literal])
                expanded = [group for pair in pairs if (group := self._both(*pair)) is not None]
        return expanded

    def _both(self, one: Group, other: Group) -> Group | None:
        """Conjoin two groups; None if the conjunction cannot hold."""
        moves, also = one[0], other[0]
        if moves is None or also is None:
            rest = one[1] | other[1] if other[1] else one[1]
            moves = moves or also
        elif moves[0] == also[0]:
            rest = one[1] | other[1]
            moves = moves[0], moves[1] & also[1]
        else:
            rest = one[1] | self._product(also, other[1])
        is_new = rest is not one[1]
        impossible = (is_new and is_contradiction(rest)) or (moves is not None and not moves[1])
        return None if impossible else (moves, rest)

    def _product(self, moves: MoveSet | None, rest: Product) -> Product:
        """Add a set of moves to a product as one literal."""
        return rest if moves is None else (rest | {self.sets.set_literal(moves)}) - {TRUE}

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
        nodes = {atom: self.graph.new_node() for atom in component}
        for atom, node in nodes.items():
            self._assign(atom, node)
        definitions = {
            atom: self._define(self._literals_of(self.bodies[atom])) for atom in component
        }
        feedback = tuple((nodes[atom] >> 1, definitions[atom]) for atom in component)
        self.graph.cycles.append(Cycle(first, len(self.graph), feedback))


def _possible(bodies: Iterable[Sequence[int]]) -> Iterator[Product]:
    """Yield the conjunctions of the bodies that can hold."""
    for body in bodies:
        product = frozenset(body)
        if TRUE in product:
            product -= {TRUE}
        if FALSE not in product and not (len(product) > 1 and is_contradiction(product)):
            yield product


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
