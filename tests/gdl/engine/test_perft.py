"""Joint moves made in blocks lead where single ones do, and are counted right."""

from __future__ import annotations

import random
import tomllib
from itertools import islice

import numpy as np
import pytest

import gdl
from gdl.engine import perft as blocks
from gdl.engine.device import DeviceExpander
from gdl.engine.machine import PropnetState, PropnetStateMachine
from gdl.engine.successors import Expander, expand, packed_state
from tests.support.compiled_games import NAMES, SAMPLE, SMALL, machine_of, reasoner_of
from tests.support.paths import ROOT

RECORD = tomllib.loads((ROOT / "tests" / "perft" / "perft.toml").read_text("utf-8"))

QUICK = 20_000
"""Counts up to here are made in the ordinary test run."""


def counts(quick: bool) -> list[object]:
    return [
        pytest.param(name, depth, count, id=f"{name}-{depth}", marks=marks)
        for name in NAMES
        for depth, count in enumerate(RECORD[name]["counts"], 1)
        if (count <= QUICK) is quick
        for marks in [[] if name in SAMPLE or not quick else [pytest.mark.thorough]]
    ]


@pytest.mark.parametrize(("name", "depth", "count"), counts(quick=True))
def test_counts_on_record(name: str, depth: int, count: int) -> None:
    assert blocks.perft(machine_of(name), depth) == count


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "depth", "count"), counts(quick=False))
def test_larger_counts_on_record(name: str, depth: int, count: int) -> None:
    assert blocks.perft(machine_of(name), depth) == count


def test_the_whole_of_tic_tac_toe() -> None:
    known = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0]
    machine = machine_of("ticTacToe")
    assert [blocks.perft(machine, depth) for depth in range(11)] == [1, *known]


@pytest.mark.parametrize("batch", [1, 7, 600])
def test_the_size_of_a_batch_does_not_matter(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BATCH", batch)
    assert blocks.perft(machine_of("ticTacToe"), 5) == 15120


@pytest.mark.parametrize(("name", "depth"), [("ticTacToe", 5), ("handDuel", 3), ("pig", 4)])
def test_a_device_counts_the_same(name: str, depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """More states than lanes, several roles with a choice, chance."""
    monkeypatch.setattr(blocks, "DEVICE_LANES", 192)
    machine = machine_of(name)
    assert blocks.perft(machine, depth, device="host") == blocks.perft(machine, depth)
    assert blocks.divide(machine, 2, "host") == blocks.divide(machine, 2)


def test_a_device_makes_the_same_children() -> None:
    machine = machine_of("handDuel")
    states = states_of(machine, 150, seed=3)
    packed = np.concatenate([packed_state(machine, state) for state in states])
    device = DeviceExpander(machine.engine, machine.device_block(64, "host"))
    host = Expander(machine.engine)
    assert device.choice_counts(packed).tolist() == host.choice_counts(packed).tolist()
    found, expected = (
        [
            np.concatenate([getattr(children, name) for children in each.expand(packed)])
            for name in ("parents", "moves", "states")
        ]
        for each in (device, host)
    )
    assert all(np.array_equal(*pair) for pair in zip(found, expected, strict=True))


def test_numbers_of_paths_may_pass_64_bits() -> None:
    machine = gdl.compile(
        gdl.parse(
            "(role a) (role b) (init x) (<= (next x) (true x))"
            + "".join(f"(legal a {i}) (legal b {i})" for i in range(10))
        )
    )
    assert blocks.perft(machine, 1) == 10**2
    assert blocks.perft(machine, 40) == 10**80


@pytest.mark.parametrize("name", SMALL)
def test_divided_counts(name: str) -> None:
    found, expected = (
        blocks.divide(machine_of(name), 2),
        gdl.divide(reasoner_of(name), 2),
    )
    assert found == expected
    assert list(found) == list(expected)


# ---------------------------------------------------------------------- expansion


def states_of(machine: PropnetStateMachine, count: int, seed: int) -> list[gdl.State]:
    """Return states of random play, terminal ones among them."""
    chance = random.Random(seed)
    states = [machine.initial_state()]
    while len(states) < count:
        moves = list(islice(gdl.joint_moves(machine, states[-1]), 50))
        over = machine.is_terminal(states[-1]) or not moves
        start = machine.initial_state()
        states.append(start if over else machine.next_state(states[-1], chance.choice(moves)))
    return states


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_children_are_the_states_after_the_joint_moves(name: str) -> None:
    machine = machine_of(name)
    for state in states_of(machine, 3, seed=1):
        children = expand(machine, state)
        if machine.is_terminal(state):
            assert children == {}
            continue
        assert list(children) == list(gdl.joint_moves(machine, state))
        for moves, child in islice(children.items(), 5):
            assert child == machine.next_state(state, moves)
            assert hash(child) == hash(machine.next_state(state, moves))


@pytest.mark.parametrize(
    ("name", "words"), [("ticTacToe", 8), ("biddingTicTacToe", 1), ("handDuel", 1)]
)
def test_many_states_at_once(name: str, words: int) -> None:
    """More parents than lanes, more children than lanes, terminal states in between."""
    machine = machine_of(name, words)
    states = states_of(machine, 70 * words, seed=2)
    packed = np.concatenate([packed_state(machine, state) for state in states])
    expander = Expander(machine.engine)
    found = [
        (parent, tuple(own[index] for own, index in zip(machine.moves, indices, strict=True)), bits)
        for children in expander.expand(packed)
        for parent, indices, bits in zip(
            children.parents.tolist(), children.moves.tolist(), children.states, strict=True
        )
    ]
    expected = [
        (parent, moves)
        for parent, state in enumerate(states)
        if not machine.is_terminal(state)
        for moves in gdl.joint_moves(machine, state)
    ]
    assert [(parent, moves) for parent, moves, _ in found] == expected
    for parent, moves, bits in found[::17]:
        after = machine.next_state(states[parent], moves)
        assert PropnetState(machine.facts, bits.tobytes()) == after
    options = [
        [
            0 if machine.is_terminal(s) else len(machine.legal_moves(s, role))
            for role in machine.roles
        ]
        for s in states
    ]
    assert expander.choice_counts(packed).tolist() == options


def test_only_the_moves_to_be_tried_are_made() -> None:
    machine = machine_of("ticTacToe")
    state = machine.initial_state()
    corner = np.array([str(move) in ("(put a1)", "noop") for own in machine.moves for move in own])
    expander = Expander(machine.engine, lambda legal: legal & corner)
    (children,) = expander.expand(packed_state(machine, state))
    moves = tuple(own[index] for own, index in zip(machine.moves, children.moves[0], strict=True))
    assert [str(move) for move in moves] == ["(put a1)", "noop"]
    assert PropnetState(machine.facts, children.states.tobytes()) == machine.next_state(
        state, moves
    )


def test_no_states_have_no_children() -> None:
    machine = machine_of("ticTacToe")
    nothing = packed_state(machine, machine.initial_state())[:0]
    expander = Expander(machine.engine)
    assert list(expander.expand(nothing)) == []
    assert expander.choice_counts(nothing).shape == (0, 2)


def test_more_joint_moves_than_can_be_numbered_are_refused() -> None:
    roles = [f"r{i}" for i in range(20)]
    facts = "".join(f"(role {role})" for role in roles)
    facts += "".join(f"(legal {role} {move})" for role in roles for move in range(10))
    machine = gdl.compile(gdl.parse(facts + "(init x)"))
    with pytest.raises(gdl.ResourceLimitError, match="joint moves"):
        expand(machine, machine.initial_state())
    assert blocks.perft(machine, 1) == 10**20
