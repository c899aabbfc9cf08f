"""Symmetries, the automorphisms that they come from, and the group that they generate."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.analysis import Symmetry
from gdl.analysis.evidence.disjoint_sets import DisjointSets
from gdl.analysis.symmetry.automorphisms import AutomorphismSearch
from gdl.analysis.symmetry.symmetry import find_symmetries, generated_group, likely_group
from gdl.engine.canonical_state import MAX_ELEMENTS, SymmetryGroup
from gdl.engine.machine import PropnetStateMachine
from tests.support.analysed_games import SCALES, compiled, structure_of
from tests.support.compiled_games import machine_of
from tests.support.marks import thorough
from tests.support.paths import CORPUS

SYMMETRIC = ["ticTacToe", "breakthrough", "handDuel", "pegSolitaire"]


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


# ---------------------------------------------------------------------- the generated group


def group_of(machine: PropnetStateMachine) -> SymmetryGroup:
    return generated_group(machine, find_symmetries(machine))


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("ticTacToe", 8),
        ("connectFour", 2),
        ("dotsAndBoxes", 16),
        ("quarto", 64),
        ("handDuel", 1),
        pytest.param("chess", 1, marks=pytest.mark.thorough),
    ],
)
def test_the_groups_of_games(name: str, order: int) -> None:
    group = group_of(machine_of(name))
    assert len(group.facts) == len(group.moves) == order
    assert group.facts[0].tolist() == list(range(group.facts.shape[1]))


@pytest.mark.corpus
def test_rules_that_write_out_what_stays_are_searched_too() -> None:
    """They have 40,000 instances, one for each square and move."""
    machine = gdl.compile(gdl.load(CORPUS / "rulesheets" / "breakthrough.kif"))
    assert len(group_of(machine).facts) == 2


@pytest.mark.parametrize("name", ["ticTacToe", "dotsAndBoxes", *thorough("pentago")])
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


@pytest.mark.parametrize(
    "name",
    [
        "ticTacToe",
        "breakthrough",
        "dotsAndBoxes",
        *thorough("nineBoards"),
    ],
)
def test_play_goes_the_same_way_in_every_image(name: str) -> None:
    machine = machine_of(name)
    group = group_of(machine)
    for facts, moves in zip(group.facts[1:], group.moves[1:], strict=True):
        assert_same_play_by_index(machine, facts, moves, Random(7))


def assert_same_play_by_index(
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


# ---------------------------------------------------------------------- likely symmetries


@pytest.mark.parametrize(
    ("name", "proved", "likely"),
    [("reversi", 1, 4), ("dotsAndBoxes", 16, 64), ("ticTacToe", 8, 8), ("kuhnPoker", 1, 1)],
)
def test_goals_that_count_in_some_order_hide_no_likely_symmetry(
    name: str, proved: int, likely: int
) -> None:
    machine = machine_of(name)
    assert len(group_of(machine).facts) == proved
    assert len(likely_group(machine, Random(1)).facts) == likely


@pytest.mark.parametrize("name", ["reversi", "dotsAndBoxes"])
def test_play_goes_the_same_way_through_a_likely_symmetry(name: str) -> None:
    machine = machine_of(name)
    group = likely_group(machine, Random(1))
    for facts, moves in zip(group.facts[1:], group.moves[1:], strict=True):
        assert_same_play_by_index(machine, facts, moves, Random(7))


def test_what_changes_a_goal_is_no_likely_symmetry() -> None:
    """Two boxes, of which one is worth more."""
    rules = """
        (role a) (box left) (box right)
        (<= (legal a (open ?box)) (box ?box))
        (<= (next (opened ?box)) (does a (open ?box)))
        (<= terminal (true (opened ?box)))
        (<= (goal a {}) (true (opened left)))
        (<= (goal a 40) (not (true (opened left))))
    """
    orders = [len(likely_group(compiled(rules.format(goal)), Random(1)).facts) for goal in (40, 60)]
    assert orders == [2, 1]
