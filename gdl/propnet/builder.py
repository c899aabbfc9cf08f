"""Building: from ground rules to a network."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gdl.dependencies import components
from gdl.errors import RulesetError
from gdl.grounder import GroundProgram
from gdl.propnet.network import FALSE, TRUE, Cycle, Network

Product: TypeAlias = frozenset[int]
"""The literals of a conjunction."""

MoveSet: TypeAlias = tuple[int, frozenset[int]]
"""A role, by its place, and some of its moves' literals, of which it does one."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The atoms that are given: facts of the state first, then the moves of each role.

    ``fluents`` and ``moves`` hold ground atoms' numbers; ``moves`` is one sequence per role.
    """

    fluents: Sequence[int]
    moves: Sequence[Sequence[int]]


@dataclass(slots=True)
class Circuit:
    """A network with the literal of every ground atom."""

    network: Network
    literal_of: dict[int, int] = field(default_factory=dict)


def build(program: GroundProgram, inputs: Inputs, group_moves: bool = True) -> Circuit:
    """Build the network of a ground program, definitions before uses.

    With ``group_moves`` rules that differ only in the move they ask for are merged, using that
    each role makes exactly one move. Raises :class:`gdl.RulesetError` where an atom depends on
    its own negation.
    """
    return _Builder(program, inputs, group_moves).build()


class _Builder:
    def __init__(self, program: GroundProgram, inputs: Inputs, group_moves: bool) -> None:
        moves = [atom for role in inputs.moves for atom in role]
        self.circuit = Circuit(Network(len(inputs.fluents) + len(moves)))
        self.network = self.circuit.network
        self.literal_of = self.circuit.literal_of
        self.literal_of[0] = TRUE
        for number, atom in enumerate([*inputs.fluents, *moves]):
            if atom:
                self.literal_of[atom] = self.network.input(number)
        self.given = set(self.literal_of)
        self.bodies = _bodies(program, self.given)
        self.group_moves = group_moves
        self.role_moves: list[frozenset[int]] = []
        self.move_sets: dict[int, tuple[MoveSet, ...]] = {}
        number = len(inputs.fluents)
        for role, atoms in enumerate(inputs.moves):
            literals = [self.network.input(number + i) for i in range(len(atoms))]
            number += len(atoms)
            self.role_moves.append(frozenset(literals))
            self.move_sets.update((one, ((role, frozenset([one])),)) for one in literals)

    def build(self) -> Circuit:
        for component in components(_dependencies(self.bodies)):
            if len(component) == 1 and not self._is_recursive(component[0]):
                atom = component[0]
                self.literal_of[atom] = self._define(self.bodies.get(atom, ()))
            else:
                self._define_cycle(component)
        return self.circuit

    def _is_recursive(self, atom: int) -> bool:
        return any(abs(literal) == atom for body in self.bodies.get(atom, ()) for literal in body)

    def _define(self, bodies: Iterable[Sequence[int]]) -> int:
        products: list[Product] = []
        for body in bodies:
            product = frozenset(self._literal(literal) for literal in body) - {TRUE}
            if FALSE not in product and not any(literal ^ 1 in product for literal in product):
                products.append(product)
        if not self.group_moves:
            return self.network.sum_of_products(products)
        groups = self._grouped(products)
        literal = self.network.sum_of_products([self._product(*group) for group in groups])
        sets = tuple(moves for moves, rest in groups if moves is not None and not rest)
        if sets and len(sets) == len(groups):
            self.move_sets[literal] = sets
        return literal

    def _literal(self, signed: int) -> int:
        literal = self.literal_of.get(abs(signed), FALSE)
        return literal ^ 1 if signed < 0 else literal

    def _grouped(self, products: Sequence[Product]) -> list[tuple[MoveSet | None, Product]]:
        """Merge products that differ in one role's move only: one set for all their moves."""
        groups: dict[tuple[int, Product], set[int]] = defaultdict(set)
        plain: list[tuple[MoveSet | None, Product]] = []
        for product in products:
            choice = next((literal for literal in product if literal in self.move_sets), None)
            if choice is None:
                plain.append((None, product))
            else:
                for role, moves in self.move_sets[choice]:
                    groups[role, product - {choice}] |= moves
        return plain + [((role, frozenset(m)), rest) for (role, rest), m in groups.items()]

    def _product(self, moves: MoveSet | None, rest: Product) -> Product:
        """Return a product with a set of moves as one literal.

        Where they are most of the role's moves, it is the negation of the others.
        """
        if moves is None:
            return rest
        role, chosen = moves
        others = self.role_moves[role] - chosen
        if len(others) < len(chosen):
            literal = self.network.or_(others) ^ 1
        else:
            literal = self.network.or_(chosen)
        return (rest | {literal}) - {TRUE}

    def _define_cycle(self, component: Sequence[int]) -> None:
        """Define atoms through each other: each gets a node to be read before it is known."""
        members = set(component)
        for atom in component:
            for body in self.bodies[atom]:
                if any(literal < 0 and -literal in members for literal in body):
                    raise RulesetError("a ground atom depends on its own negation")
        first = len(self.network)
        nodes = {atom: self.network.new_node() for atom in component}
        self.literal_of.update(nodes)
        definitions = {atom: self._define(self.bodies[atom]) for atom in component}
        feedback = tuple((nodes[atom] >> 1, definitions[atom]) for atom in component)
        self.network.cycles.append(Cycle(first, len(self.network), feedback))


def _bodies(program: GroundProgram, given: set[int]) -> dict[int, list[list[int]]]:
    """Return the bodies of every atom that rules define."""
    bodies: dict[int, list[list[int]]] = {}
    literals = program.literals.tolist()
    starts = program.starts.tolist()
    for number, head in enumerate(program.heads.tolist()):
        if head not in given:
            bodies.setdefault(head, []).append(literals[starts[number] : starts[number + 1]])
    return bodies


def _dependencies(bodies: Mapping[int, Sequence[Sequence[int]]]) -> dict[int, list[int]]:
    """Return, for each defined atom, the defined atoms that its bodies mention."""
    return {
        atom: [
            target
            for target in dict.fromkeys(abs(literal) for body in own for literal in body)
            if target in bodies
        ]
        for atom, own in bodies.items()
    }
