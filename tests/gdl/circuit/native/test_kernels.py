"""Kernels give what NumPy and Python give for the same circuits, gate by gate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import gdl
from gdl.circuit import CompiledGame, CompileOptions, arrays, compile_ground_game
from gdl.circuit.aig import AndInverterGraph, Cycle
from gdl.circuit.arrays import Integers, distinct, grouped, rising, sorting_order
from gdl.circuit.layout import DepthFirst
from gdl.grounding import GroundingBudget, ground_game
from tests.support.circuits import INPUTS
from tests.support.compiled_games import rules_of

pairs = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=30)
numbers = st.lists(st.one_of(st.integers(0, 9), st.integers(0, 2**63 - 1)), max_size=60)


@pytest.fixture
def always_native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl.circuit.builder.MIN_RULES", 0)
    monkeypatch.setattr("gdl.circuit.arrays.MIN_SORTED_NATIVELY", 0)


def twins() -> tuple[AndInverterGraph, AndInverterGraph]:
    return AndInverterGraph(INPUTS), AndInverterGraph(INPUTS, is_native=True)


def literals_in(graph: AndInverterGraph, chosen: Integers) -> Integers:
    found: Integers = chosen % (2 * len(graph))
    return found


def assert_equal_graphs(plain: AndInverterGraph, native: AndInverterGraph) -> None:
    assert np.array_equal(plain.left, native.left)
    assert np.array_equal(plain.right, native.right)


@given(st.lists(pairs, max_size=5), pairs)
def test_gates_are_the_same(
    rounds: list[list[tuple[int, int]]], single: list[tuple[int, int]]
) -> None:
    plain, native = twins()
    for chosen in rounds:
        left, right = literals_in(plain, np.array(chosen, dtype=np.int64).reshape(-1, 2)).T
        assert np.array_equal(plain.and2_all(left, right), native.and2_all(left, right))
        for one, other in single:
            one, other = one % (2 * len(plain)), other % (2 * len(plain))
            assert plain.and2(one, other) == native.and2(one, other)
    assert_equal_graphs(plain, native)


def grown(steps: list[tuple[int, int]]) -> tuple[AndInverterGraph, AndInverterGraph]:
    graphs = twins()
    for graph in graphs:
        graph.cycles.append(Cycle(len(graph), len(graph) + 1, ((graph.new_node() >> 1, 3),)))
        for one, other in steps:
            graph.and2(one % (2 * len(graph)), other % (2 * len(graph)))
    return graphs


@given(pairs, st.lists(st.integers(0, 60), max_size=4), st.lists(st.integers(0, 60), max_size=3))
def test_cones_are_the_same(
    steps: list[tuple[int, int]], wanted: list[int], following: list[int]
) -> None:
    plain, native = grown(steps)
    literals = literals_in(plain, np.array(wanted, dtype=np.int64)).tolist()
    after = literals_in(plain, np.array(following, dtype=np.int64)).tolist()
    assert np.array_equal(plain.cone(literals, after), native.cone(literals, after))


@given(pairs, st.lists(st.integers(0, 30), max_size=4))
def test_depth_first_orders_are_the_same(steps: list[tuple[int, int]], first: list[int]) -> None:
    plain, native = grown(steps)
    nodes = np.arange(1 + INPUTS, len(plain))
    roots = [int(nodes[index % len(nodes)]) for index in first]
    found = [DepthFirst(graph).order(nodes, roots) for graph in (plain, native)]
    assert np.array_equal(found[0], found[1])
    assert sorted(found[0].tolist()) == nodes.tolist()


@given(numbers)
def test_numbers_are_sorted_and_grouped(values: list[int]) -> None:
    given_values = np.array(values, dtype=np.int64)
    least, arrays.MIN_SORTED_NATIVELY = arrays.MIN_SORTED_NATIVELY, 0
    try:
        assert rising(given_values).tolist() == sorted(values)
        assert distinct(given_values).tolist() == sorted(set(values))
        order = np.argsort(given_values, kind="stable")
        assert np.array_equal(sorting_order(given_values), order)
        groups = astuple(grouped(given_values))
    finally:
        arrays.MIN_SORTED_NATIVELY = least
    value, first, index, count = np.unique(
        given_values, return_index=True, return_inverse=True, return_counts=True
    )
    for found, wanted in zip(groups, (value, first, count, index), strict=True):
        assert np.array_equal(found, wanted)


GAMES = ("amazons", "breakthrough", "draughts", "hex", "pancakes", "starHalma", "ticTacToe", "tron")
"""Games with many moves, with cycles and without, for one role and for two."""


def programs(game: CompiledGame) -> Iterator[NDArray[Any]]:
    for program in (game.layout.moves_view, game.layout.view, game.layout.transition):
        yield from (program.gates, program.segments, program.feedback)


@pytest.mark.parametrize("name", GAMES)
def test_circuits_are_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = ground_game(rules_of(name), CompileOptions(), GroundingBudget())
    with monkeypatch.context() as patch:
        for module in ("arrays", "builder"):
            patch.setattr(f"gdl.circuit.{module}.has_native_code", lambda: False)
        plain = compile_ground_game(game, CompileOptions())
    with monkeypatch.context() as patch:
        patch.setattr("gdl.circuit.builder.MIN_RULES", 0)
        patch.setattr("gdl.circuit.arrays.MIN_SORTED_NATIVELY", 0)
        native = compile_ground_game(game, CompileOptions())
    assert all(map(np.array_equal, programs(plain), programs(native)))
    assert np.array_equal(plain.relevant, native.relevant)
    assert plain.layout.rows == native.layout.rows


@pytest.mark.usefixtures("always_native")
@pytest.mark.parametrize("switch", ["structural_hashing", "two_level_rewriting", "group_moves"])
def test_passes_can_be_left_out(switch: str) -> None:
    machine = gdl.compile(
        rules_of("breakthrough"), CompileOptions(GroundingBudget(), **{switch: False})
    )
    state = machine.initial_state()
    assert len(machine.legal_moves(state, machine.roles[0])) > 10
