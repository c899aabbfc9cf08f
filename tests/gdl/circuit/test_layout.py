"""Layouts give every node a row of its own, in an order in which gates can be evaluated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.circuit.aig import FALSE, TRUE
from gdl.circuit.builder import AtomCircuit
from gdl.circuit.layout import GateProgram, Layout, Outputs, lay_out
from gdl.engine.block import aligned_rows
from tests.support.circuits import circuit_of, stratified
from tests.support.example_counts import examples
from tests.support.slow_blocks import evaluate
from tests.support.truth_tables import Rules, table_of_input, tables_of_nodes, value_of

FLUENTS, MOVES = 3, (2, 1)
INPUTS = FLUENTS + sum(MOVES)
"""2 ** INPUTS is 64: one word has a lane for each assignment."""


def layout_of(circuit: AtomCircuit, view: Sequence[int], later: Sequence[int]) -> Layout:
    """Lay out a circuit whose atoms ``view`` are all goals, and ``later`` all percepts."""
    literal = circuit.literal
    return lay_out(
        circuit.graph,
        FLUENTS,
        MOVES,
        Outputs(
            legal=[TRUE, FALSE, circuit.graph.input(0)],
            terminal=circuit.graph.input(1) ^ 1,
            goals=[literal(atom) for atom in view],
            percepts=[literal(atom) for atom in later],
            next=[circuit.graph.input(i) for i in (2, 0, 4)],
        ),
    )


def read_before_written(program: GateProgram, written: set[int]) -> set[int]:
    """Return the rows that gates read before anything has written them; add those written."""
    missing = set()
    for first, last, first_loop, last_loop in program.segments.tolist():
        written.update(program.feedback[first_loop:last_loop, 0].tolist())
        for row, left, right in program.gates[first:last].tolist():
            missing |= {left >> 1, right >> 1} - written
            written.add(row)
        missing |= {literal >> 1 for _, literal in program.feedback[first_loop:last_loop].tolist()}
        missing -= written
    return missing


cases = settings(max_examples=examples(3, 40))


@cases
@given(stratified(FLUENTS), st.data())
def test_rows_and_order(case: tuple[Rules, list[list[int]]], data: st.DataObject) -> None:
    rules, strata = case
    circuit = circuit_of(shifted(rules), FLUENTS, MOVES)
    atoms = [atom + sum(MOVES) for stratum in strata for atom in stratum]
    view, later = (data.draw(st.lists(st.sampled_from(atoms), max_size=4)) for _ in range(2))
    layout = layout_of(circuit, view, later)
    ends = [
        (1, layout.fluents),
        (layout.fluents + FLUENTS, layout.moves),
        (layout.legal + sum(MOVES), layout.terminal),
        (layout.terminal + 1, layout.goals),
        (layout.goals + len(view), layout.percepts),
        (layout.percepts + len(later), layout.next),
        (layout.next + FLUENTS, layout.rows),
    ]
    assert all(end == start for end, start in ends)
    assert layout.moves + sum(MOVES) <= layout.legal
    fluents = set(range(1 + FLUENTS))
    written = set(fluents)
    assert read_before_written(layout.view, written) == set()
    assert not written & set(range(layout.moves, layout.moves + sum(MOVES)))
    written |= set(range(layout.moves, layout.moves + sum(MOVES)))
    assert read_before_written(layout.transition, written) == set()
    rows = [row for p in (layout.view, layout.transition) for row in p.gates[:, 0].tolist()]
    assert len(set(rows)) == len(rows)
    assert {*rows} | written <= set(range(layout.rows))
    for program in (layout.view, layout.transition):
        segments = program.segments.tolist()
        assert [s[0] for s in segments] == [0, *(s[1] for s in segments[:-1])]
        assert segments[-1][1] == len(program.gates)


def shifted(rules: Rules) -> Rules:
    """Return rules over fluents as rules of a game that has moves too."""
    moves = sum(MOVES)

    def shift(literal: int) -> int:
        return literal + moves * (1 if literal > 0 else -1) * (abs(literal) > FLUENTS)

    return [(shift(head), [shift(literal) for literal in body]) for head, body in rules]


@cases
@given(stratified(INPUTS), st.data())
def test_a_laid_out_network_has_the_values_of_the_network(
    case: tuple[Rules, list[list[int]]], data: st.DataObject
) -> None:
    rules, strata = case
    circuit = circuit_of(rules, FLUENTS, MOVES)
    atoms = st.lists(st.sampled_from([atom for stratum in strata for atom in stratum]), max_size=5)
    later = data.draw(atoms)
    layout = layout_of(circuit, [], later)
    rows = aligned_rows(layout.rows, 1)
    for number in range(INPUTS):
        rows[1 + number] = table_of_input(number, INPUTS)
    evaluate(layout.view, rows)
    evaluate(layout.transition, rows)
    tables = tables_of_nodes(circuit.graph)
    expected = [value_of(circuit.literal(atom), tables, INPUTS) for atom in later]
    assert rows[layout.percepts :][: len(later), 0].tolist() == expected
    legal = [2**64 - 1, 0, table_of_input(0, INPUTS)]
    assert rows[layout.legal :][: sum(MOVES), 0].tolist() == legal
    following = [table_of_input(i, INPUTS) for i in (2, 0, 4)]
    assert rows[layout.next :][:FLUENTS, 0].tolist() == following


SHARED = [(10, [1, 2]), (10, [11]), (11, [10, 3]), (20, [1, 2])]
"""Atoms 10 and 11 are a cycle, in which the gate of 20 is made first."""


@pytest.mark.parametrize(
    ("view", "later", "loops"),
    [([20], [], (0, 0)), ([20], [10], (0, 2)), ([10], [20], (2, 0)), ([20], [20], (0, 0))],
)
def test_a_cycle_is_repeated_only_where_it_is_needed(
    view: list[int], later: list[int], loops: tuple[int, int]
) -> None:
    layout = layout_of(circuit_of(SHARED, FLUENTS, MOVES), view, later)
    assert (len(layout.view.feedback), len(layout.transition.feedback)) == loops


def test_what_the_view_computes_is_not_computed_again() -> None:
    layout = layout_of(circuit_of([(10, [1, 2]), (11, [10, 3])], FLUENTS, MOVES), [10], [10, 11])
    assert ands(layout.view) == 1
    assert ands(layout.transition) == 1


def ands(program: GateProgram) -> int:
    return int(np.count_nonzero(program.gates[:, 2] != TRUE))


def test_an_empty_network() -> None:
    layout = lay_out(circuit_of([], 0).graph, 0, [], Outputs([], FALSE, [], [], []))
    assert (layout.rows, len(layout.view.gates), len(layout.transition.gates)) == (2, 1, 0)
    assert layout.transition.segments.shape == (0, 4)


def test_a_gate_that_is_an_output_is_written_to_its_row() -> None:
    """The second output of the same value, a negated one and an input are copied."""
    circuit = circuit_of([(10, [1, 2]), (11, [2, 3])], FLUENTS, MOVES)
    both, other = circuit.literal_of[10], circuit.literal_of[11]
    outputs = Outputs([both, both, 2], both ^ 1, [other], [], [2, 2, 2])
    layout = lay_out(circuit.graph, FLUENTS, MOVES, outputs)
    written = layout.view.gates[:, 0].tolist()
    assert written[0] == layout.legal
    assert layout.goals in written[: layout.moves_view.gates.shape[0] + 1]
    copies = {row for row, _, right in layout.view.gates.tolist() if right == TRUE}
    assert copies == {layout.legal + 1, layout.legal + 2, layout.terminal}
    assert layout.legal == 1 + INPUTS, "no gate has a row of its own"
    assert list(layout.outputs) == list(range(layout.legal, layout.rows))


def test_goals_alone_are_left_out_where_only_moves_are_asked_for() -> None:
    rules = [(10, [1, 2]), (11, [10, 3]), (12, [1, 3]), (13, [12, 2])]
    circuit = circuit_of(rules, FLUENTS, MOVES)
    at = circuit.literal_of
    outputs = Outputs([2, 2, 2], at[10], [at[11], at[13]], [], [at[12], 2, 2])
    layout = lay_out(circuit.graph, FLUENTS, MOVES, outputs)
    assert ands(layout.view) == 4
    assert ands(layout.moves_view) == 2, "for the end, and what a goal and the transition share"
    assert ands(layout.goals_view) == 2
    assert ands(layout.transition) == 0


@cases
@given(stratified(INPUTS), st.data())
def test_a_step_needs_no_goals(case: tuple[Rules, list[list[int]]], data: st.DataObject) -> None:
    """The view begins with the gates for moves, and the transition reads no others."""
    rules, strata = case
    circuit = circuit_of(rules, FLUENTS, MOVES)
    atoms = st.lists(st.sampled_from([atom for stratum in strata for atom in stratum]), max_size=4)
    layout = layout_of(circuit, data.draw(atoms), data.draw(atoms))
    first, whole = layout.moves_view, layout.view
    assert np.array_equal(whole.gates[: len(first.gates)], first.gates)
    assert np.array_equal(whole.segments[: len(first.segments)], first.segments)
    assert np.array_equal(whole.feedback[: len(first.feedback)], first.feedback)
    inputs = aligned_rows(layout.rows, 1)
    for number in range(INPUTS):
        inputs[1 + number] = table_of_input(number, INPUTS)
    with_goals, without = inputs.copy(), inputs.copy()
    for rows, view in ((with_goals, whole), (without, first)):
        evaluate(view, rows)
        evaluate(layout.transition, rows)
    read = [*range(layout.legal, layout.goals), *range(layout.percepts, layout.rows)]
    assert np.array_equal(with_goals[read], without[read])
    evaluate(layout.goals_view, without)
    assert np.array_equal(with_goals, without), "the rest of the view gives the goals afterwards"
