"""Truth tables, and what graphs and ground programs say by them.

A truth table of n inputs is an integer of 2**n bits: bit ``a`` is the value where input ``i`` is
bit ``i`` of ``a``. Everything here is as plain as can be, to be compared with what is fast.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdl.circuit.aig import AndInverterGraph
from gdl.grounding import GroundProgram, GroundRows, Row
from gdl.language import RelationKey
from tests.support.grounding import ground_rows

Rules = Sequence[tuple[int, Sequence[int]]]
"""Ground rules: an atom and the body that defines it, negated atoms negative."""


def everything(inputs: int) -> int:
    """Return the truth table of the constant true."""
    return 2 ** (2**inputs) - 1


def table_of_input(number: int, inputs: int) -> int:
    """Return the truth table of an input."""
    return sum(1 << a for a in range(2**inputs) if a >> number & 1)


def tables_of_nodes(graph: AndInverterGraph) -> list[int]:
    """Return the truth table of every node, cycles at their least fixpoint."""
    inputs = graph.inputs
    tables = [0] * len(graph)
    for number in range(inputs):
        tables[1 + number] = table_of_input(number, inputs)
    starts = {cycle.first: cycle for cycle in graph.cycles}
    node = 1 + inputs
    while node < len(graph):
        cycle = starts.get(node)
        if cycle is None:
            _evaluate(graph, tables, node)
            node += 1
            continue
        early = {node for node, _ in cycle.feedback}
        before = None
        while before != tables:
            before = list(tables)
            for inside in range(cycle.first, cycle.last):
                if inside not in early:
                    _evaluate(graph, tables, inside)
            for feedback, definition in cycle.feedback:
                tables[feedback] = value_of(definition, tables, inputs)
        node = cycle.last
    return tables


def _evaluate(graph: AndInverterGraph, tables: list[int], node: int) -> None:
    sides = (graph.left[node], graph.right[node])
    left, right = (value_of(side, tables, graph.inputs) for side in sides)
    tables[node] = left & right


def value_of(literal: int, tables: Sequence[int], inputs: int) -> int:
    """Return the truth table of a graph's literal."""
    table = tables[literal >> 1]
    return table ^ everything(inputs) if literal & 1 else table


# ---------------------------------------------------------------------- ground programs


def ground_program(rules: Rules) -> GroundProgram:
    """Rules as the grounder gives them; all of their heads are asked for."""
    starts = np.cumsum([0, *(len(body) for _, body in rules)]).astype(np.int64)
    literals = np.array([literal for _, body in rules for literal in body], dtype=np.int32)
    heads = [head for head, _ in rules]
    shown: dict[Row, int] = {(head,): head for head in heads}
    rows: dict[RelationKey, GroundRows] = {("shown", 1): ground_rows(shown, 1)}
    return GroundProgram(np.array(heads, dtype=np.int32), starts, literals, rows)


def tables_of_atoms(rules: Rules, strata: Sequence[Sequence[int]], inputs: int) -> dict[int, int]:
    """Return the truth table of every atom; atom ``1 + i`` is input ``i``.

    ``strata`` lists the other atoms, those that are negated before those that negate them.
    """
    tables = {1 + number: table_of_input(number, inputs) for number in range(inputs)}
    for stratum in strata:
        tables |= dict.fromkeys(stratum, 0)
        before = None
        while before != tables:
            before = dict(tables)
            for head, body in rules:
                if head in stratum:
                    tables[head] |= _body(body, tables, inputs)
    return tables


def _body(body: Sequence[int], tables: dict[int, int], inputs: int) -> int:
    value = everything(inputs)
    for literal in body:
        table = tables.get(abs(literal), 0)
        value &= table if literal > 0 else table ^ everything(inputs)
    return value
