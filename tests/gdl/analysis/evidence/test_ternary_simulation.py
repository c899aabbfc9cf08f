"""Ternary simulation and supports agree with what the machine says of states."""

from __future__ import annotations

import numpy as np
import pytest

from gdl.analysis.evidence.gate_graph import fanin_cone, gate_graph_of
from gdl.analysis.evidence.influence_graph import bit_indices, supports
from gdl.analysis.evidence.ternary_simulation import simulate_ternary
from tests.support.analysed_games import evidence_of
from tests.support.compiled_games import machine_of

GAMES = ["ticTacToe", "connectFour", "nim", "biddingTicTacToe", "hex", "eightPuzzle"]
"""Games with and without cycles in their circuits."""


@pytest.mark.parametrize("name", GAMES)
def test_known_states_give_the_view_that_the_lanes_give(name: str) -> None:
    evidence = evidence_of(name)
    circuit, samples = evidence.circuit, evidence.samples
    states = samples.states[:200]
    all_cases = (1 << len(states)) - 1
    fluents = [(sum(int(bit) << i for i, bit in enumerate(column)),) * 2 for column in states.T]
    known = simulate_ternary(circuit, fluents, all_cases, {})
    ends = sum(int(end) << i for i, end in enumerate(samples.terminal[:200]))
    assert known.holds(circuit.terminal) == ends
    assert known.holds(circuit.terminal ^ 1) == all_cases & ~ends
    for move, literal in enumerate(circuit.legal):
        column = samples.legal[:200, move]
        assert known.holds(literal) == sum(int(bit) << i for i, bit in enumerate(column))


@pytest.mark.parametrize("name", GAMES)
def test_what_is_certain_of_the_next_state_comes_true(name: str) -> None:
    machine = machine_of(name)
    circuit = gate_graph_of(machine.engine.layout)
    state = machine.initial_state()
    fluents = [(int(bit), int(bit)) for bit in machine.bits(state)]
    known = simulate_ternary(circuit, fluents, 1, {})
    moves = tuple(machine.legal_moves(state, role)[0] for role in machine.roles)
    after = machine.bits(machine.next_state(state, moves))
    for fluent, literal in enumerate(circuit.next):
        if known.holds(literal) or known.holds(literal ^ 1):
            assert known.holds(literal) == after[fluent]


@pytest.mark.parametrize("name", GAMES)
def test_nothing_but_its_support_changes_whether_a_move_is_legal(name: str) -> None:
    """Flip what a move's legality does not depend on: the legality stays."""
    evidence = evidence_of(name)
    circuit = evidence.circuit
    found = supports(circuit)
    block = evidence.machine.engine.block()
    states = evidence.samples.states[: block.lanes].copy()
    block.load(states)
    block.view()
    before = block.legal()[: len(states)]
    support = {row - circuit.fluents.start for row in bit_indices(found[circuit.legal[0] >> 1])}
    free = [f for f in range(len(circuit.fluents)) if f not in support]
    states[:, free] ^= np.random.default_rng(1).integers(
        0, 2, size=(len(states), len(free)), dtype=np.uint8
    )
    block.load(states)
    block.view()
    running = ~evidence.samples.terminal[: len(states)] & ~block.terminal()[: len(states)]
    after = block.legal()[: len(states)]
    assert running.any()
    assert (before[running, 0] == after[running, 0]).all()


@pytest.mark.parametrize("name", GAMES)
def test_a_part_of_a_circuit_says_the_same(name: str) -> None:
    evidence = evidence_of(name)
    circuit = evidence.circuit
    part = fanin_cone(circuit, [circuit.terminal])
    states = evidence.samples.states[:60]
    fluents = [(sum(int(bit) << i for i, bit in enumerate(column)),) * 2 for column in states.T]
    all_cases = (1 << len(states)) - 1
    whole = simulate_ternary(circuit, fluents, all_cases, {}).holds(circuit.terminal)
    assert simulate_ternary(part, fluents, all_cases, {}).holds(circuit.terminal) == whole


def test_bit_indices() -> None:
    assert bit_indices(0) == []
    assert bit_indices(0b101001) == [0, 3, 5]
