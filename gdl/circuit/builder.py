"""From ground rules to an and-inverter graph.

Atoms are defined one after the other, each after those that its rules mention; atoms that depend
on each other become a cycle. Rules that differ only in the move they need are merged into one
with a set of moves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from itertools import product as product_of
from typing import TypeAlias

import numpy as np

from gdl.circuit.aig import FALSE, TRUE, AndInverterGraph, Cycle, is_contradiction
from gdl.circuit.options import ALL_PASSES, CircuitPasses
from gdl.datalog import strongly_connected_components
from gdl.errors import RulesetError
from gdl.grounding import GroundProgram

Product: TypeAlias = frozenset[int]
"""The literals of a conjunction."""

MoveSet: TypeAlias = tuple[int, frozenset[int]]
"""A role, by its index, and the literals of some of its moves, of which it makes one."""

Group: TypeAlias = tuple[MoveSet | None, Product]
"""A conjunction of literals and, perhaps, of a role's move being one of a set."""

MAX_SET_GROUPS = 4
"""A set of moves with exceptions is expanded where it is used if it has at most so many groups."""

MAX_PRODUCT_GROUPS = 16
"""A product is expanded to at most so many groups."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The atoms that are given: facts of the state first, then the moves of each role.

    ``fluents`` and ``moves`` hold ground atoms' numbers; ``moves`` is one sequence per role.
    """

    fluents: Sequence[int]
    moves: Sequence[Sequence[int]]


@dataclass(slots=True)
class AtomCircuit:
    """A graph with the literal of every ground atom."""

    graph: AndInverterGraph
    literal_of: dict[int, int] = field(default_factory=dict)


def build(
    program: GroundProgram, inputs: Inputs, passes: CircuitPasses = ALL_PASSES
) -> AtomCircuit:
    """Build the graph of a ground program, definitions before uses.

    Raises :class:`gdl.RulesetError` where an atom depends on its own negation.
    """
    return _Builder(program, inputs, passes).build()


class _Builder:
    def __init__(self, program: GroundProgram, inputs: Inputs, passes: CircuitPasses) -> None:
        moves = [atom for role in inputs.moves for atom in role]
        self.circuit = AtomCircuit(AndInverterGraph(len(inputs.fluents) + len(moves), passes))
        self.graph = self.circuit.graph
        mentioned = np.abs(program.literals)
        last = max(program.heads.max(initial=0), mentioned.max(initial=0), *moves, *inputs.fluents)
        # Of an atom, and at its negative index, from the end, of its negation.
        self.literals = [FALSE] * (last + 1) + [TRUE] * last
        self._assign(0, TRUE)
        for number, atom in enumerate([*inputs.fluents, *moves]):
            if atom:
                self._assign(atom, self.graph.input(number))
        self.program = program
        self.bodies = _bodies(program, self.circuit.literal_of)
        self.used = np.bincount(mentioned, minlength=last + 1).tolist()
        self.group_moves = passes.group_moves
        self.role_moves: list[frozenset[int]] = []
        self.groups: dict[int, tuple[Group, ...]] = {}
        number = len(inputs.fluents)
        for role, atoms in enumerate(inputs.moves):
            literals = [self.graph.input(number + i) for i in range(len(atoms))]
            number += len(atoms)
            self.role_moves.append(frozenset(literals))
            for one in literals:
                self.groups[one] = (((role, frozenset([one])), frozenset()),)

    def build(self) -> AtomCircuit:
        worklist = self._components(self.bodies)
        while worklist:
            component = worklist.pop()
            atom, bodies = component[0], self.bodies[component[0]]
            if len(component) == 1 and not any(-atom in body for body in bodies):
                self._assign(atom, self._define(bodies, self.used[atom] > 0))
            elif self._simplify(component):
                worklist += self._components(component)
            else:
                self._define_cycle(component)
        return self.circuit

    def _components(self, atoms: Iterable[int]) -> list[tuple[int, ...]]:
        """Group the atoms that depend on each other; uses come before definitions."""
        return strongly_connected_components(
            _dependencies({atom: self.bodies[atom] for atom in atoms})
        )[::-1]

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
        self.circuit.literal_of[atom] = literal
        self.literals[atom], self.literals[-atom] = literal, literal ^ 1 if atom else literal

    def _define(self, bodies: Iterable[Sequence[int]], is_used: bool = True) -> int:
        products = list(self._products(bodies))
        if not self.group_moves or all(map(self.groups.keys().isdisjoint, products)):
            return self.graph.sum_of_products(products)
        groups = self._grouped(products)
        literal = self.graph.sum_of_products([self._product(*group) for group in groups])
        if is_used and groups and _is_almost_set(groups):
            self.groups[literal] = tuple(groups)
        return literal

    def _products(self, bodies: Iterable[Sequence[int]]) -> Iterator[Product]:
        """Yield the conjunctions of the bodies that can hold."""
        literal = self.literals.__getitem__
        for body in bodies:
            product = frozenset(map(literal, body))
            if TRUE in product:
                product -= {TRUE}
            if FALSE not in product and not (len(product) > 1 and is_contradiction(product)):
                yield product

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
        if self.groups.keys().isdisjoint(product):
            return [(None, product)]
        known = product & self.groups.keys()
        expanded: list[Group] = [(None, product - known)]
        for literal in sorted(known, key=lambda literal: (len(self.groups[literal]), literal)):
            if len(expanded) * len(self.groups[literal]) > MAX_PRODUCT_GROUPS and len(expanded) > 1:
                expanded = [(moves, rest | {literal}) for moves, rest in expanded]
            else:
                pairs = product_of(expanded, self.groups[literal])
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
        """Add a set of moves to a product as one literal.

        A set of most of the role's moves is the negation of the others.
        """
        if moves is None:
            return rest
        role, chosen = moves
        if 2 * len(chosen) > len(self.role_moves[role]):
            literal = self.graph.or_(self.role_moves[role] - chosen) ^ 1
        else:
            literal = self.graph.or_(chosen)
        return (rest | {literal}) - {TRUE}

    def _negates_itself(self, component: Sequence[int]) -> bool:
        members = set(component)
        bodies = (body for atom in component for body in self.bodies[atom])
        return any(one < 0 and -one in members for body in bodies for one in body)

    @cached_property
    def _asked(self) -> set[int]:
        """The atoms on which the answers of a machine depend.

        Rules that contradict themselves elsewhere are harmless: the reasoner never meets them.
        """
        worklist = [atom for rows in self.program.rows.values() for atom in rows.values()]
        asked: set[int] = set()
        while worklist:
            atom = worklist.pop()
            if atom not in asked:
                asked.add(atom)
                worklist += [abs(one) for body in self.bodies.get(atom, ()) for one in body]
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
        definitions = {atom: self._define(self.bodies[atom]) for atom in component}
        feedback = tuple((nodes[atom] >> 1, definitions[atom]) for atom in component)
        self.graph.cycles.append(Cycle(first, len(self.graph), feedback))


def _is_almost_set(groups: Sequence[Group]) -> bool:
    """Return True if groups are sets of moves, except for a few with one more literal."""
    others = [len(rest) for _, rest in groups]
    is_set = max(others) == 0 or (
        len(groups) <= MAX_SET_GROUPS and min(others) == 0 and max(others) == 1
    )
    return is_set and all(moves is not None for moves, _ in groups)


def _bodies(program: GroundProgram, given: Container[int]) -> dict[int, list[list[int]]]:
    """Collect the bodies of every atom that rules define.

    A rule whose body holds its own head says nothing, and is left out.
    """
    bodies: dict[int, list[list[int]]] = {}
    literals = program.literals.tolist()
    starts = program.starts.tolist()
    for number, head in enumerate(program.heads.tolist()):
        if head not in given:
            own = bodies.setdefault(head, [])
            body = literals[starts[number] : starts[number + 1]]
            if head not in body:
                own.append(body)
    return bodies


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
