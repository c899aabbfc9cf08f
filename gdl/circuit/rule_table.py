"""Ground rules by the atom that they define, and in which order atoms can be defined."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from gdl.circuit.arrays import Integers, Mask, distinct, ends_of_rows, ranges
from gdl.circuit.dependency_order import DependencyOrder
from gdl.datalog import strongly_connected_components
from gdl.grounding import GroundProgram


class RuleTable:
    """The rules of a program, sorted by head, in compressed sparse rows.

    ``heads`` is int64 (rules,). The body of rule ``i`` is ``literals[starts[i] : starts[i + 1]]``,
    the rules of atom ``a`` are those from ``first[a]`` to ``first[a + 1]``. ``is_defined``, bool
    (atoms,), marks the atoms that have rules. Rules for given atoms are left out, and so are rules
    whose body holds their head, which say nothing.
    """

    def __init__(self, program: GroundProgram, is_given: Mask) -> None:
        lengths = np.diff(program.starts)
        rule = np.repeat(np.arange(len(lengths)), lengths)
        is_kept = ~is_given[program.heads]
        self.is_defined = np.zeros(len(is_given), dtype=np.bool_)
        self.is_defined[program.heads[is_kept]] = True
        is_kept[rule[program.literals == program.heads[rule]]] = False
        kept = np.flatnonzero(is_kept)
        kept = kept[np.argsort(program.heads[kept], kind="stable")]
        lengths = lengths[kept]
        self.heads = program.heads[kept].astype(np.int64)
        self.starts = ends_of_rows(lengths)
        self.literals = program.literals[ranges(program.starts[kept], lengths)].astype(np.int64)
        self.first = np.searchsorted(self.heads, np.arange(len(is_given) + 1))

    def rules_of(self, atoms: Integers) -> Integers:
        """The indices of the rules of some atoms, one atom after the other."""
        return ranges(self.first[atoms], self.first[atoms + 1] - self.first[atoms])

    def bodies_of(self, atom: int) -> list[list[int]]:
        """The bodies of an atom."""
        starts = self.starts[self.first[atom] : self.first[atom + 1] + 1].tolist()
        return [self.literals[start:end].tolist() for start, end in pairwise(starts)]

    def mentioned_by(self, atom: int) -> list[int]:
        """The atoms that the bodies of an atom mention, each once."""
        begin, end = self.starts[self.first[atom : atom + 2]]
        atoms: list[int] = distinct(np.abs(self.literals[begin:end])).tolist()
        return atoms

    def definition_order(self) -> DependencyOrder:
        """The order in which atoms can be defined: each after those that its rules mention."""
        head = np.repeat(self.heads, np.diff(self.starts))
        return DependencyOrder(head, np.abs(self.literals), ~self.is_defined)

    def cycles(self, order: DependencyOrder) -> Iterator[tuple[int, ...]]:
        """Yield the atoms that depend on each other, of those that are not defined yet.

        Everything else that a cycle depends on comes before it.
        """
        rest = np.flatnonzero(~order.is_done).tolist()
        graph = {atom: self.mentioned_by(atom) for atom in rest}
        graph = {atom: [each for each in own if each in graph] for atom, own in graph.items()}
        for component in strongly_connected_components(graph):
            if len(component) > 1 or component[0] in graph[component[0]]:
                yield component
