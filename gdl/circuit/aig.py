"""The and-inverter graph (AIG): AND gates of two inputs, with negation on the wires.

Literals are those of the AIGER format: twice a node's number, plus one where it is complemented.
Node 0 is the constant false, so that literal 0 is false and literal 1 is true. The nodes after it
are the inputs; the gates come last, each after the nodes that it reads. Structural hashing makes
equal gates one.

Source: A. Biere, The AIGER and-inverter graph format (2007); R. Brummayer and A. Biere, Local
two-level and-inverter graph minimization without blowup (2006).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from gdl.circuit.options import ALL_PASSES, CircuitPasses

FALSE = 0
TRUE = 1


def is_contradiction(literals: Set[int]) -> bool:
    """Return True if some literal is there together with its complement."""
    return len({literal >> 1 for literal in literals}) < len(literals)


@dataclass(frozen=True, slots=True)
class Cycle:
    """Gates ``first`` to ``last`` (exclusive) that define nodes through each other.

    ``feedback`` pairs each node that is read before it is defined with the literal that defines
    it. The value is the least fixpoint: the nodes start as false and can only become true.
    """

    first: int
    last: int
    feedback: tuple[tuple[int, int], ...]


class AndInverterGraph:
    """A graph that grows by gates: ``left`` and ``right`` are the literals that each node reads."""

    def __init__(self, inputs: int, passes: CircuitPasses = ALL_PASSES) -> None:
        self.inputs = inputs
        self.passes = passes
        self.left: list[int] = [FALSE] * (1 + inputs)
        self.right: list[int] = [FALSE] * (1 + inputs)
        self.cycles: list[Cycle] = []
        self._known: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self.left)

    def input(self, number: int) -> int:
        """Return the literal of an input, counted from 0."""
        return 2 * (1 + number)

    def new_node(self) -> int:
        """Return the literal of a node that is defined later, by a cycle's feedback."""
        self.left.append(FALSE)
        self.right.append(FALSE)
        return 2 * (len(self.left) - 1)

    def and2(self, left: int, right: int) -> int:
        """Conjoin two literals; a gate is made only where no literal has the value."""
        if left > right:
            left, right = right, left
        if left == FALSE or left == right ^ 1:
            return FALSE
        if left in (TRUE, right):
            return right
        known = self._known.get((left, right))
        if known is not None:
            return known
        implied = self._rewritten(left, right) if self.passes.two_level_rewriting else None
        if implied is None:
            self.left.append(left)
            self.right.append(right)
            implied = 2 * (len(self.left) - 1)
        if self.passes.structural_hashing:
            self._known[left, right] = implied
        return implied

    def _rewritten(self, left: int, right: int) -> int | None:
        """Conjoin two literals of which one is a gate that reads the other; None if neither is."""
        for one, other in ((left, right), (right, left)):
            node = other >> 1
            first, second = self.left[node], self.right[node]
            if one in (first, second):  # x and (x and y); x and not (x and y) is x and not y
                return other if not other & 1 else self.and2(one, (first + second - one) ^ 1)
            if one ^ 1 in (first, second):  # x and (not x and y); x and not (not x and y)
                return one if other & 1 else FALSE
        return None

    def and_(self, literals: Iterable[int]) -> int:
        """Conjoin any number of literals."""
        distinct = literals if isinstance(literals, frozenset) else set(literals)
        if len(distinct) > 2 and is_contradiction(distinct):
            return FALSE
        ordered = sorted(distinct)
        result = ordered[0] if ordered else TRUE
        for literal in ordered[1:]:
            result = self.and2(result, literal)
        return result

    def balanced_and(self, literals: Sequence[int]) -> int:
        """Conjoin literals as a tree, whose gates processors can evaluate at the same time."""
        if len(literals) < 2:
            return literals[0] if literals else TRUE
        if len(literals) == 2:
            return self.and2(literals[0], literals[1])
        half = (len(literals) + 1) // 2
        left, right = literals[:half], literals[half:]
        return self.and2(self.balanced_and(left), self.balanced_and(right))

    def or_(self, literals: Iterable[int]) -> int:
        """Disjoin any number of literals."""
        return self.and_(literal ^ 1 for literal in literals) ^ 1

    def sum_of_products(self, products: Sequence[frozenset[int]]) -> int:
        """Disjoin conjunctions, with common literals factored out.

        Source: R. Brayton, Factoring logic functions (1987), there called quick factoring.
        """
        if len(products) == 1:
            return self.and_(products[0])
        terms: list[int] = []
        pending = list(dict.fromkeys(products))
        if not self.passes.factoring:
            return self.or_(map(self.and_, pending))
        if frozenset() in pending:
            return TRUE
        counts = Counter(chain.from_iterable(pending))
        while pending:
            most = max(counts.values())
            if most < 2:
                terms += [self.and_(product) for product in pending]
                break
            best = min(literal for literal, count in counts.items() if count == most)
            inside = [product for product in pending if best in product]
            quotient = self.sum_of_products([product - {best} for product in inside])
            terms.append(self.and2(best, quotient))
            pending = [product for product in pending if best not in product]
            for literal in chain.from_iterable(inside):
                counts[literal] -= 1
        return self.or_(terms)

    def cone(self, literals: Iterable[int], following: Sequence[int] = ()) -> list[int]:
        """List the nodes that the literals depend on, inputs included, in rising order.

        The first inputs depend on the ``following`` literals in turn, one for each.
        """
        needed = bytearray(len(self.left))
        reads_too = {node: [literal] for node, literal in enumerate(following, 1)}
        for cycle in self.cycles:
            read = [
                literal for node, definition in cycle.feedback for literal in (2 * node, definition)
            ]
            reads_too |= dict.fromkeys((node for node, _ in cycle.feedback), read)
        worklist = [literal >> 1 for literal in literals]
        for node in worklist:
            needed[node] = 1
        while worklist:
            node = worklist.pop()
            for literal in (self.left[node], self.right[node], *reads_too.get(node, ())):
                other = literal >> 1
                if not needed[other]:
                    needed[other] = 1
                    worklist.append(other)
        return [node for node, is_needed in enumerate(needed) if is_needed]
