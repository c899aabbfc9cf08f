"""Symmetries: permutations of facts, moves and roles that leave the rules as they are.

:func:`find_symmetries` finds generators of their group, :func:`generated_group` multiplies these
out. :func:`likely_group` asks less of what goals say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from random import Random
from typing import TypeAlias, TypeVar

import numpy as np

from gdl.analysis.evidence.findings import Symmetry
from gdl.analysis.symmetry.automorphisms import AutomorphismSearch, Permutation
from gdl.analysis.symmetry.rule_graph import RuleGraph, build_rule_graph
from gdl.engine import MAX_ELEMENTS, PropnetStateMachine, SymmetryGroup, group_of_permutations
from gdl.errors import GroundingLimitError
from gdl.playouts import play_out
from gdl.state_machine import State

Name = TypeVar("Name")

Element: TypeAlias = tuple[int, ...]
"""The image of each fluent, then of each move: moves are numbered after the fluents."""

MAX_GENERATORS = 16
"""Generators kept; their products are symmetries too."""

ENDS, MOST_STEPS = 30, 200
"""Playouts after which a likely symmetry has kept the goals, and the steps of each at most."""


def find_symmetries(machine: PropnetStateMachine) -> tuple[Symmetry, ...]:
    """Find generators of a game's symmetry group, proved from its ground rules.

    There are none where the rules have too many instances to search.
    """
    return _search(machine, with_goals=True)


def _search(machine: PropnetStateMachine, *, with_goals: bool) -> tuple[Symmetry, ...]:
    try:
        graph = build_rule_graph(machine.ruleset, machine.roles, with_goals=with_goals)
    except GroundingLimitError:
        return ()
    search = AutomorphismSearch(graph.kinds, graph.edges)
    wanted = np.array([*graph.roles, *graph.moves, *graph.facts], dtype=np.int64)
    found = []
    for permutation in search.generators(wanted):
        symmetry = _symmetry(graph, permutation)
        if symmetry.moves or symmetry.roles:
            found.append(symmetry)
        if len(found) == MAX_GENERATORS:
            break
    return tuple(found)


def _symmetry(graph: RuleGraph, permutation: Permutation) -> Symmetry:
    becomes = permutation.tolist()

    def changes(names: Mapping[int, Name]) -> dict[Name, Name]:
        pairs = ((name, names[becomes[vertex]]) for vertex, name in names.items())
        return {name: image for name, image in pairs if name != image}

    return Symmetry(changes(graph.facts), changes(graph.moves), changes(graph.roles))


def generated_group(machine: PropnetStateMachine, symmetries: Sequence[Symmetry]) -> SymmetryGroup:
    """Generate the group of those symmetries of a machine's game that keep every role.

    A generator is left out if it exchanges roles or facts that the machine does not know, or if
    the group would be too large with it.
    """
    return _group_of(machine, _generators(machine, symmetries))


def likely_group(machine: PropnetStateMachine, random: Random) -> SymmetryGroup:
    """Generate the group of symmetries of all rules but goals that have kept these in playouts.

    Rules that count one square after the other, to say who has most, have no symmetries, but what
    they say has. Nothing is proved of goals. It is otherwise as :func:`generated_group`.
    """
    found = list(_generators(machine, _search(machine, with_goals=False)))
    if found:
        ends = [_end_of_playout(machine, random) for _ in range(ENDS)]
        found = [each for each in found if all(_keeps_goals(machine, each, end) for end in ends)]
    return _group_of(machine, found)


def _end_of_playout(machine: PropnetStateMachine, random: Random) -> State:
    *_, last = play_out(machine, random, MOST_STEPS)
    return last.state


def _keeps_goals(machine: PropnetStateMachine, symmetry: Element, state: State) -> bool:
    """Whether all roles have the same goals in a state as in its image."""
    bits = machine.bits(state)
    image_bits = np.zeros_like(bits)
    image_bits[list(symmetry[: len(bits)])] = bits
    image = machine.state(image_bits)
    return all(machine.goals(state, role) == machine.goals(image, role) for role in machine.roles)


def _group_of(machine: PropnetStateMachine, generators: Iterable[Element]) -> SymmetryGroup:
    size = len(machine.facts) + sum(map(len, machine.moves))
    group = [tuple(range(size))]
    used: list[Element] = []
    for generator in generators:
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
