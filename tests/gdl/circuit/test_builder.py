"""Circuits say of every atom what its ground rules say."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.circuit import aig
from gdl.circuit.aig import FALSE, TRUE
from gdl.circuit.builder import AtomCircuit
from tests.support.circuits import circuit_of, stratified
from tests.support.truth_tables import (
    Rules,
    everything,
    table_of_input,
    tables_of_atoms,
    tables_of_nodes,
    value_of,
)

FLUENTS = 3


@pytest.fixture(autouse=True, scope="module", params=[0, 200], ids=["at_once", "one_by_one"])
def min_at_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test conjoins literals in arrays, and one by one."""
    least = {"MIN_PAIRS_AT_ONCE": request.param, "MIN_LITERALS_AT_ONCE": request.param}
    with patch.multiple(aig, **least):
        yield


def tables_of(circuit: AtomCircuit, atoms: Sequence[int]) -> dict[int, int]:
    tables = tables_of_nodes(circuit.graph)
    inputs = circuit.graph.inputs
    return {a: value_of(circuit.literal(a), tables, inputs) for a in atoms}


@given(stratified(FLUENTS), st.booleans())
def test_random_programs(case: tuple[Rules, list[list[int]]], group: bool) -> None:
    rules, strata = case
    expected = tables_of_atoms(rules, strata, FLUENTS)
    circuit = circuit_of(rules, FLUENTS, group=group)
    atoms = [atom for stratum in strata for atom in stratum]
    assert tables_of(circuit, atoms) == {atom: expected[atom] for atom in atoms}


MOVES = (3, 2)
ONE_MOVE_EACH = sum(
    1 << a
    for a in range(2 ** (1 + sum(MOVES)))
    if (a >> 1 & 7).bit_count() == 1 and (a >> 4).bit_count() == 1
)
"""Where each role makes exactly one move: one fluent, three moves of one role, two of another."""


@given(stratified(1 + sum(MOVES)))
def test_merging_moves_changes_nothing_where_each_role_makes_one(
    case: tuple[Rules, list[list[int]]],
) -> None:
    rules, strata = case
    expected = tables_of_atoms(rules, strata, 1 + sum(MOVES))
    atoms = [atom for stratum in strata for atom in stratum]
    found = tables_of(circuit_of(rules, 1, MOVES), atoms)
    assert {a: t & ONE_MOVE_EACH for a, t in found.items()} == {
        a: expected[a] & ONE_MOVE_EACH for a in atoms
    }


def test_a_frame_axiom_becomes_the_denial_of_one_move() -> None:
    """next <= true, does m1; next <= true, does m2; ... for all moves but the last."""
    rules = [(20, [1, 2 + move]) for move in range(9)]
    merged = circuit_of(rules, 1, [10])
    plain = circuit_of(rules, 1, [10], group=False)
    assert len(merged.graph) == 1 + 11 + 1
    assert len(plain.graph) > len(merged.graph) + 5


def test_any_move_of_a_role_is_no_condition() -> None:
    circuit = circuit_of([(20, [1, 2]), (20, [1, 3]), (21, [2]), (21, [3])], 1, [2])
    assert circuit.literal_of[20] == circuit.literal_of[1]
    assert circuit.literal_of[21] == TRUE


def test_a_set_of_moves_can_have_a_name() -> None:
    """Rules that ask for a relation of some moves are merged like those that ask for moves."""
    rules = [(20, [2]), (20, [3]), (30, [1, 20]), (30, [1, 4])]
    circuit = circuit_of(rules, 1, [3])
    assert circuit.literal_of[30] == circuit.literal_of[1]


def test_facts_and_atoms_without_rules() -> None:
    circuit = circuit_of([(20, []), (21, [20, -50]), (22, [50])], 1)
    assert [circuit.literal_of[atom] for atom in (0, 20, 21, 22)] == [TRUE, TRUE, TRUE, FALSE]


def test_inputs_have_no_definition() -> None:
    """What gringo says of an input's atom is that it may be chosen; rules for it are left out."""
    circuit = circuit_of([(1, []), (20, [1])], 1)
    assert circuit.literal_of[20] == circuit.graph.input(0)


def test_paths_are_the_least_fixpoint() -> None:
    """Reachability around a ring of nodes: no node reaches another by its own word alone."""
    edges = [1, 2, 3]
    reach = [10, 11, 12]
    rules = [(reach[i], [edges[i]]) for i in range(1)]
    rules += [(reach[(i + 1) % 3], [reach[i], edges[(i + 1) % 3]]) for i in range(3)]
    circuit = circuit_of(rules, 3)
    (cycle,) = circuit.graph.cycles
    assert len(cycle.feedback) == 3
    first, second, third = (table_of_input(i, 3) for i in range(3))
    assert tables_of(circuit, reach) == {
        10: first,
        11: first & second,
        12: first & second & third,
    }


def test_cycles_that_do_not_depend_on_each_other_come_one_after_the_other() -> None:
    """What reads the first of two cycles comes after the second, and a third cycle after that."""
    rings = [(10, 11, 1), (20, 21, 2), (40, 41, 30)]
    rules = [(one, [other]) for one, other, _ in rings]
    rules += [(other, [one, 3]) for one, other, _ in rings]
    rules += [(one, [start]) for one, _, start in rings]
    circuit = circuit_of([*rules, (30, [11, 21])], 3)
    first, second, third = circuit.graph.cycles
    assert first.last == second.first
    assert second.last < third.first
    one, two, gate = (table_of_input(i, 3) for i in range(3))
    both = one & two & gate
    assert tables_of(circuit, [10, 21, 30, 40]) == {10: one, 21: two & gate, 30: both, 40: both}


def test_a_cycle_that_nothing_starts_is_false() -> None:
    circuit = circuit_of([(10, [11]), (11, [10]), (12, [-10])], 1)
    assert tables_of(circuit, [10, 11, 12]) == {10: 0, 11: 0, 12: everything(1)}


def test_an_atom_that_asks_for_itself_alone_is_a_cycle() -> None:
    circuit = circuit_of([(10, [10]), (10, [1, 10]), (10, [2])], 2)
    assert tables_of(circuit, [10]) == {10: table_of_input(1, 2)}


@pytest.mark.parametrize(
    "rules", [[(10, [-10])], [(10, [11]), (11, [-10, 1])], [(10, [1]), (10, [11]), (11, [-10])]]
)
def test_an_atom_that_depends_on_its_own_negation_is_refused(rules: Rules) -> None:
    with pytest.raises(gdl.RulesetError, match="own negation"):
        circuit_of(rules, 1)


@pytest.mark.thorough
def test_long_chains_do_not_exhaust_the_stack() -> None:
    length = 2 * sys.getrecursionlimit()
    rules = [(10 + i, [11 + i]) for i in range(length)] + [(10 + length, [1])]
    circuit = circuit_of(rules, 1)
    assert circuit.literal_of[10] == circuit.literal_of[1]
