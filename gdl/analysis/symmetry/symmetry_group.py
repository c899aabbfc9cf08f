"""The group that symmetries generate, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import TypeAlias

import numpy as np

from gdl.analysis.evidence import Symmetry
from gdl.engine import MAX_ELEMENTS, PropnetStateMachine, SymmetryGroup, group_of_permutations

Element: TypeAlias = tuple[int, ...]
"""The image of each fluent, then of each move: moves are numbered after the fluents."""


def generated_group(machine: PropnetStateMachine, symmetries: Sequence[Symmetry]) -> SymmetryGroup:
    """Generate the group of those symmetries of a machine's game that keep every role.

    A generator is left out if it exchanges roles or facts that the machine does not know, or if
    the group would be too large with it.
    """
    size = len(machine.facts) + sum(map(len, machine.moves))
    group = [tuple(range(size))]
    used: list[Element] = []
    for generator in _generators(machine, symmetries):
        larger = _generated([*used, generator], size)
        if len(larger) <= MAX_ELEMENTS:
            used.append(generator)
            group = larger
    elements = np.array(group, dtype=np.int32)
    facts, moves = np.split(elements, [len(machine.facts)], axis=1)
    return group_of_permutations(
        np.ascontiguousarray(facts), np.ascontiguousarray(moves - facts.shape[1])
    )


def _generators(machine: PropnetStateMachine, symmetries: Sequence[Symmetry]) -> Iterator[Element]:
    moves = [
        (role, move) for role, own in zip(machine.roles, machine.moves, strict=True) for move in own
    ]
    fluent_of = dict(zip(machine.facts, count()))
    move_of = dict(zip(moves, count(len(fluent_of))))
    for symmetry in symmetries:
        becomes = [fluent_of.get(symmetry.facts.get(fact, fact), -1) for fact in machine.facts]
        becomes += [move_of.get(symmetry.moves.get(move, move), -1) for move in moves]
        if not symmetry.roles and -1 not in becomes:
            yield tuple(becomes)


def _generated(generators: Sequence[Element], size: int) -> list[Element]:
    """Generate the group of some permutations, the identity first, or part of one too large."""
    group = {tuple(range(size)): None}
    worklist = list(group)
    while worklist and len(group) <= MAX_ELEMENTS:
        element = worklist.pop()
        for generator in generators:
            product = tuple(generator[index] for index in element)
            if product not in group:
                group[product] = None
                worklist.append(product)
    return list(group)
