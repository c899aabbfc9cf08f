"""The network: AND gates of two inputs, with negation on the wires.

A *literal* is an integer: twice a node's number, plus one where it is negated. Node 0 is the
constant false, so that literal 0 is false and literal 1 is true. The nodes after it are the
inputs; the gates come last, each after its inputs. A gate that equals another is that other one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from gdl.circuit.options import ALL_PASSES, Passes

FALSE = 0
TRUE = 1


def is_contradiction(literals: Set[int]) -> bool:
    """Tell whether some literal is there with its negation too."""
    return len({literal >> 1 for literal in literals}) < len(literals)


@dataclass(frozen=True, slots=True)
class Cycle:
    """Gates ``first`` to ``last`` (exclusive) that define nodes through each other.

    ``feedback`` pairs each node that is read before it is known with the literal that defines
    it. The least fixpoint is wanted: the nodes start as false and can only become true.
    """

    first: int
    last: int
    feedback: tuple[tuple[int, int], ...]


class AndInverterGraph:
    """Grows by gates; see the module for what nodes and literals are."""

    def __init__(self, inputs: int, passes: Passes = ALL_PASSES) -> None:
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
        """Return the literal of a conjunction; a gate is made only where none has the value."""
        if left > right:
            left, right = right, left
        if left == FALSE or left == right ^ 1:
            return FALSE
        if left in (TRUE, right):
            return right
        known = self._known.get((left, right))
        if known is not None:
            return known
        implied = self._absorbed(left, right) if self.passes.absorb else None
        if implied is None:
            self.left.append(left)
            self.right.append(right)
            implied = 2 * (len(self.left) - 1)
        if self.passes.share_gates:
            self._known[left, right] = implied
        return implied

    def _absorbed(self, left: int, right: int) -> int | None:
        """Return a conjunction's value where one side is a gate that tells of the other."""
        for one, other in ((left, right), (right, left)):
            node = other >> 1
            first, second = self.left[node], self.right[node]
            if one in (first, second):  # x and (x and y); x and not (x and y) is x and not y
                return other if not other & 1 else self.and2(one, (first + second - one) ^ 1)
            if one ^ 1 in (first, second):  # x and (not x and y); x and not (not x and y)
                return one if other & 1 else FALSE
        return None

    def and_(self, literals: Iterable[int]) -> int:
        """Return the literal of a conjunction of any number of literals."""
        distinct = literals if isinstance(literals, frozenset) else set(literals)
        if len(distinct) > 2 and is_contradiction(distinct):
            return FALSE
        ordered = sorted(distinct)
        result = ordered[0] if ordered else TRUE
        for literal in ordered[1:]:
            result = self.and2(result, literal)
        return result

    def balanced_and(self, literals: Sequence[int]) -> int:
        """Return the same as a tree, of which processors do several gates at once."""
        if len(literals) < 2:
            return literals[0] if literals else TRUE
        if len(literals) == 2:
            return self.and2(literals[0], literals[1])
        half = (len(literals) + 1) // 2
        left, right = literals[:half], literals[half:]
        return self.and2(self.balanced_and(left), self.balanced_and(right))

    def or_(self, literals: Iterable[int]) -> int:
        """Return the literal of a disjunction of any number of literals."""
        return self.and_(literal ^ 1 for literal in literals) ^ 1

    def or2(self, left: int, right: int) -> int:
        """Return the literal of a disjunction."""
        return self.and2(left ^ 1, right ^ 1) ^ 1

    def sum_of_products(self, products: Sequence[frozenset[int]]) -> int:
        """Return the literal of a disjunction of conjunctions, with common literals factored out.

        Source: R. Brayton, Factoring logic functions (1987), there called quick factoring.
        """
        if len(products) == 1:
            return self.and_(products[0])
        terms: list[int] = []
        pending = list(dict.fromkeys(products))
        if not self.passes.factor:
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
        """Return the nodes that the literals depend on, inputs included, in rising order.

        The first inputs in turn depend on the ``following`` literals, one for each.
        """
        needed = bytearray(len(self.left))
        besides = {node: [literal] for node, literal in enumerate(following, 1)}
        for cycle in self.cycles:
            read = [
                literal for node, definition in cycle.feedback for literal in (2 * node, definition)
            ]
            besides |= dict.fromkeys((node for node, _ in cycle.feedback), read)
        agenda = [literal >> 1 for literal in literals]
        for node in agenda:
            needed[node] = 1
        while agenda:
            node = agenda.pop()
            for literal in (self.left[node], self.right[node], *besides.get(node, ())):
                other = literal >> 1
                if not needed[other]:
                    needed[other] = 1
                    agenda.append(other)
        return [node for node, is_needed in enumerate(needed) if is_needed]
