"""Symmetries: permutations of facts, moves and roles that leave the rules as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from gdl.analysis.evidence import Symmetry
from gdl.analysis.symmetry.automorphisms import AutomorphismSearch, Permutation
from gdl.analysis.symmetry.rule_graph import RuleGraph, build_rule_graph
from gdl.engine import PropnetStateMachine
from gdl.errors import GroundingLimitError

Name = TypeVar("Name")

MAX_GENERATORS = 16
"""Generators kept; their products are symmetries too."""


def find_symmetries(machine: PropnetStateMachine) -> tuple[Symmetry, ...]:
    """Find generators of a game's symmetry group, proved from its ground rules.

    There are none where the rules have too many instances to search.
    """
    try:
        graph = build_rule_graph(machine.ruleset, machine.roles)
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
