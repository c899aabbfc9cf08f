"""Symmetries, and the automorphisms that they come from."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.analysis import Symmetry
from gdl.analysis.evidence.disjoint_sets import DisjointSets
from gdl.analysis.symmetry.automorphisms import AutomorphismSearch
from gdl.analysis.symmetry.symmetry import find_symmetries
from tests.support.analysed_games import SCALES, compiled, structure_of
from tests.support.compiled_games import machine_of

SYMMETRIC = ["ticTacToe", "connectFour", "breakthrough", "tron", "handDuel", "pegSolitaire"]


def moves_by(symmetry: Symmetry) -> dict[str, str]:
    return {str(move): str(becomes) for (_, move), (_, becomes) in symmetry.moves.items()}


def test_the_mirror_of_connect_four() -> None:
    (mirror,) = structure_of("connectFour").symmetries
    assert moves_by(mirror) == {f"(drop {n})": f"(drop {8 - n})" for n in (1, 2, 3, 5, 6, 7)}
    assert not mirror.roles


def test_the_square_has_eight_symmetries() -> None:
    squares = [f"(put {column}{row})" for row in "123" for column in "abc"]
    generators = [moves_by(found) for found in structure_of("ticTacToe").symmetries]
    group = {tuple(squares)}
    worklist = list(group)
    while worklist:
        current = worklist.pop()
        for generator in generators:
            image = tuple(generator.get(square, square) for square in current)
            if image not in group:
                group.add(image)
                worklist.append(image)
    assert len(group) == 8


def test_roles_can_be_exchanged() -> None:
    exchanged = [
        {str(a): str(b) for a, b in s.roles.items()} for s in structure_of("handDuel").symmetries
    ]
    assert {"left": "right", "right": "left"} in exchanged


def test_scales_can_be_exchanged() -> None:
    (exchange,) = find_symmetries(compiled(SCALES))
    assert moves_by(exchange)["(up a)"] == "(up b)"


def test_a_number_too_large_for_a_goal_is_none() -> None:
    rules = "(role r) (init a) (legal r go) (legal r stay) (<= (next a) (true a)) (goal r 1{})"
    (exchange,) = find_symmetries(compiled(rules.format("0" * 20)))
    assert moves_by(exchange) == {"go": "stay", "stay": "go"}


@pytest.mark.parametrize("name", SYMMETRIC)
def test_play_goes_the_same_way_through_a_symmetry(name: str) -> None:
    machine = machine_of(name)
    found = structure_of(name).symmetries
    assert found
    for symmetry in found:
        assert_same_play(machine, symmetry, Random(5))


def assert_same_play(machine: gdl.StateMachine, symmetry: Symmetry, random: Random) -> None:
    """Play a match and its image; both have the same moves and goals at each step."""
    roles = machine.roles
    image_of = {role: symmetry.roles.get(role, role) for role in roles}
    state = image = machine.initial_state()
    while not machine.is_terminal(state):
        chosen: dict[gdl.Constant, gdl.Term] = {}
        mirrored: dict[gdl.Constant, gdl.Term] = {}
        for role in roles:
            moves = machine.legal_moves(state, role)
            images = [symmetry.moves.get((role, move), (image_of[role], move)) for move in moves]
            assert {owner for owner, _ in images} == {image_of[role]}
            assert {m for _, m in images} == set(machine.legal_moves(image, image_of[role]))
            index = random.randrange(len(moves))
            chosen[role] = moves[index]
            mirrored[image_of[role]] = images[index][1]
        state = machine.next_state(state, [chosen[role] for role in roles])
        image = machine.next_state(image, [mirrored[role] for role in roles])
        assert {symmetry.facts.get(fact, fact) for fact in state} == set(image)
    assert machine.is_terminal(image)
    for role in roles:
        assert machine.goals(state, role) == machine.goals(image, image_of[role])


def cycle(count: int) -> tuple[np.ndarray, np.ndarray]:
    edges = [(i, (i + 1) % count, 0) for i in range(count)]
    return np.zeros(count, dtype=np.int64), np.array(edges, dtype=np.int64)


def test_a_directed_cycle_can_be_turned() -> None:
    kinds, edges = cycle(6)
    found = list(AutomorphismSearch(kinds, edges).generators(np.arange(6)))
    assert found
    orbits = DisjointSets(6)
    for permutation in found:
        for vertex in range(6):
            orbits.join((vertex, int(permutation[vertex])))
    assert len(orbits.sets()) == 1


def test_a_marked_cycle_cannot_be_turned() -> None:
    kinds, edges = cycle(6)
    kinds[2] = 1
    assert list(AutomorphismSearch(kinds, edges).generators(np.arange(6))) == []


@given(
    st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 1)), min_size=1, max_size=20
    ),
    st.lists(st.integers(0, 1), min_size=8, max_size=8),
)
def test_automorphisms_keep_kinds_and_edges(
    pairs: list[tuple[int, int, int]], kinds: list[int]
) -> None:
    edges = np.array(sorted(set(pairs)), dtype=np.int64)
    for found in AutomorphismSearch(np.array(kinds), edges).generators(np.arange(8)):
        assert sorted(found.tolist()) == list(range(8))
        assert [kinds[vertex] for vertex in found] == kinds
        assert {(int(found[a]), int(found[b]), label) for a, b, label in pairs} == set(pairs)
