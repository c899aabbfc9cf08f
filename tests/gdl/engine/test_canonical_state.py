"""Symmetry groups: each orbit has one canonical state, and what fixes a state is found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gdl.engine.canonical_state import (
    SymmetryGroup,
    elements_fixing,
    group_of_permutations,
    is_canonical,
    make_canonical,
)

SIZE = 70
"""Fluents: more than a word has."""


def turned(step: int) -> SymmetryGroup:
    """Return the group that turns the last fluents of a state in circles of several lengths."""
    cycles = [range(1, 7), range(30, 33), range(60, SIZE, 5)]
    turn = np.arange(SIZE, dtype=np.int32)
    for cycle in cycles:
        turn[list(cycle)] = np.roll(cycle, step)
    elements = [np.arange(SIZE, dtype=np.int32)]
    while (following := turn[elements[-1]]).tolist() != elements[0].tolist():
        elements.append(following)
    facts = np.array(elements)
    return group_of_permutations(facts, facts)


groups = st.integers(1, 5).map(turned)
states = st.sets(st.integers(0, SIZE - 1) | st.sampled_from([*range(1, 7), 30, 31, 32, 60, 65]))


def packed(fluents: Sequence[int] | set[int]) -> np.ndarray:
    bits = np.zeros(128, np.uint8)
    bits[list(fluents)] = 1
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)


def orbit_of(group: SymmetryGroup, fluents: set[int]) -> list[set[int]]:
    return [set(facts[list(fluents)].tolist()) for facts in group.facts]


@given(groups, states)
def test_all_states_of_an_orbit_have_the_same_canonical_state(
    group: SymmetryGroup, fluents: set[int]
) -> None:
    orbit = orbit_of(group, fluents)
    first_true = min(sorted(set(range(SIZE)) - image) for image in orbit)
    for image in orbit:
        state = packed(image)
        element = make_canonical(group, state, np.empty_like(state))
        assert state.tolist() == packed(set(group.facts[element][list(image)].tolist())).tolist()
        assert state.tolist() == packed(set(range(SIZE)) - set(first_true)).tolist()
        assert make_canonical(group, state, np.empty_like(state)) == 0


@given(groups, states)
def test_what_fixes_a_state_merges_the_moves_that_it_exchanges(
    group: SymmetryGroup, fluents: set[int]
) -> None:
    orbit = orbit_of(group, fluents)
    fixing = [element for element, image in enumerate(orbit) if image == fluents]
    found = elements_fixing(group, packed(fluents))
    assert found == sum(1 << element for element in fixing if element)
    for move in range(SIZE):
        mapped = [group.moves[element, move] for element in fixing]
        assert is_canonical(group, found, move) == (move == min(mapped))
