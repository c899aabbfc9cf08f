"""Ground rules by the atom that they define, and in which order atoms can be defined."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from gdl.circuit.arrays import (
    Integers,
    Mask,
    distinct,
    ends_of_rows,
    first_of_rows,
    ranges,
    sorting_order,
)
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
        kept = kept[sorting_order(program.heads[kept].astype(np.int64))]
        lengths = lengths[kept]
        self.heads = program.heads[kept].astype(np.int64)
        self.starts = ends_of_rows(lengths)
        self.literals = program.literals[ranges(program.starts[kept], lengths)].astype(np.int64)
        self.first = first_of_rows(self.heads, len(is_given))

    def rules_of(self, atoms: Integers) -> Integers:
        """The indices of the rules of some atoms, one atom after the other."""
        return ranges(self.first[atoms], self.first[atoms + 1] - self.first[atoms])

    def bodies_of(self, atom: int) -> list[list[int]]:
        """The bodies of an atom."""
        starts = self.starts[self.first[atom] : self.first[atom + 1] + 1].tolist()
        return [self.literals[start:end].tolist() for start, end in pairwise(starts)]

    def mentioned_by(self, atom: int) -> Integers:
        """The atoms that the bodies of an atom mention, each once: int64 (n,)."""
        begin, end = self.starts[self.first[atom : atom + 2]]
        return distinct(np.abs(self.literals[begin:end]))

    def definition_order(self) -> DependencyOrder:
        """The order in which atoms can be defined: each after those that its rules mention."""
        head = np.repeat(self.heads, np.diff(self.starts))
        return DependencyOrder(head, np.abs(self.literals), ~self.is_defined)


class Cycles:
    """The atoms of rules that depend on each other, while others are defined in an ``order``."""

    def __init__(self, rules: RuleTable, order: DependencyOrder) -> None:
        self._rules = rules
        self._order = order

    def ready(self) -> list[tuple[int, ...]]:
        """List cycles all whose other needs are done; there is at least one unless none is left.

        What the order yields of itself must be done. Mark the cycles as done before the next call.
        """
        found = []
        while self._left and self._is_ready(self._left[-1]):
            found.append(self._left.pop())
        return found

    def _is_ready(self, component: Sequence[int]) -> bool:
        needed = {target for atom in component for target in self._needs[atom]}
        return bool(self._order.is_done[list(needed.difference(component))].all())

    @cached_property
    def _needs(self) -> dict[int, list[int]]:
        """What each atom needs of those in or between cycles, at the time of the first call."""
        core = self._order.needed_by_each_other()
        is_in = np.zeros(len(self._order.is_done), dtype=np.bool_)
        is_in[core] = True
        needs = {}
        for atom in core.tolist():
            mentioned = self._rules.mentioned_by(atom)
            needs[atom] = mentioned[is_in[mentioned]].tolist()
        return needs

    @cached_property
    def _left(self) -> list[tuple[int, ...]]:
        """The cycles that are not done yet, each before those that it depends on."""
        components = strongly_connected_components(self._needs)[::-1]
        return [own for own in components if len(own) > 1 or own[0] in self._needs[own[0]]]
