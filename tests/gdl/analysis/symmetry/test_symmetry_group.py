"""The group of all symmetries that keep every role."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from gdl.analysis.symmetry.symmetry import find_symmetries
from gdl.analysis.symmetry.symmetry_group import generated_group
from gdl.engine.canonical_state import MAX_ELEMENTS, SymmetryGroup
from gdl.engine.machine import PropnetStateMachine
from tests.support.analysed_games import compiled
from tests.support.compiled_games import machine_of


def group_of(machine: PropnetStateMachine) -> SymmetryGroup:
    return generated_group(machine, find_symmetries(machine))


@pytest.mark.parametrize(
    ("name", "order"),
    [("ticTacToe", 8), ("connectFour", 2), ("dotsAndBoxes", 16), ("chess", 1), ("handDuel", 1)],
)
def test_the_groups_of_games(name: str, order: int) -> None:
    group = group_of(machine_of(name))
    assert len(group.facts) == len(group.moves) == order
    assert group.facts[0].tolist() == list(range(group.facts.shape[1]))


@pytest.mark.parametrize("name", ["ticTacToe", "pentago", "dotsAndBoxes"])
def test_a_group_is_closed(name: str) -> None:
    group = group_of(machine_of(name))
    elements = np.hstack([group.facts, group.facts.shape[1] + group.moves])
    known = set(map(tuple, elements.tolist()))
    assert len(known) == len(elements)
    assert all(tuple(a[b].tolist()) in known for a, b in product(elements, repeat=2))


def test_a_group_that_is_too_large_is_not_taken_whole() -> None:
    rules = "(role a) (<= (legal a (take ?x)) (item ?x) (not (true (has ?x)))) (goal a 100)"
    rules += "(<= (next (has ?x)) (true (has ?x))) (<= (next (has ?x)) (does a (take ?x)))"
    rules += "(<= terminal (not open)) (<= open (item ?x) (not (true (has ?x))))"
    group = group_of(compiled(rules + " ".join(f"(item {n})" for n in range(6))))
    assert 1 < len(group.facts) <= MAX_ELEMENTS


@pytest.mark.parametrize("name", ["ticTacToe", "breakthrough", "nineBoards", "dotsAndBoxes"])
def test_play_goes_the_same_way_in_every_image(name: str) -> None:
    machine = machine_of(name)
    group = group_of(machine)
    for facts, moves in zip(group.facts[1:], group.moves[1:], strict=True):
        assert_same_play(machine, facts, moves, Random(7))


def assert_same_play(
    machine: PropnetStateMachine, facts: np.ndarray, moves: np.ndarray, random: Random
) -> None:
    """Play a match and its image; both have the same moves and goals at each step."""
    names = [(role, move) for role in range(len(machine.roles)) for move in machine.moves[role]]
    becomes = {name: names[index] for name, index in zip(names, moves.tolist(), strict=True)}
    state = image = machine.initial_state()
    while not machine.is_terminal(state):
        joint_move = []
        for index, role in enumerate(machine.roles):
            legal = machine.legal_moves(state, role)
            expected = {becomes[index, move] for move in legal}
            assert expected == {(index, move) for move in machine.legal_moves(image, role)}
            joint_move.append(random.choice(legal))
        state = machine.next_state(state, joint_move)
        image = machine.next_state(image, [becomes[i, m][1] for i, m in enumerate(joint_move)])
        expected_bits = np.zeros(len(facts), np.uint8)
        expected_bits[facts] = machine.bits(state)
        assert machine.bits(image).tolist() == expected_bits.tolist()
    assert machine.is_terminal(image)
    for role in machine.roles:
        assert machine.goals(state, role) == machine.goals(image, role)


def test_symmetries_that_exchange_roles_are_left_out() -> None:
    machine = machine_of("handDuel")
    assert any(symmetry.roles for symmetry in find_symmetries(machine))
    assert len(group_of(machine).facts) == 1


def test_without_symmetries_nothing_changes() -> None:
    assert len(generated_group(machine_of("ticTacToe"), ()).facts) == 1
