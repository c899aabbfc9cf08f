"""Places to search are reproducible, belong to one role, and are not decided."""

from __future__ import annotations

import pytest

import gdl
from gdl import StateMachine
from ggp_player.lab.profile.places import (
    beginning_and_middle,
    place_to_search,
    searching_role,
)
from ggp_player.search_memory import search_memory, set_search_memory
from ggp_player.strategies import Position
from ggp_player.strategies.solver import Proof


@pytest.fixture(scope="module")
def compiled() -> StateMachine:
    return gdl.compile(gdl.load("ticTacToe"))


@pytest.fixture(scope="module")
def interpreted() -> StateMachine:
    return gdl.interpret(gdl.load("ticTacToe"))


def test_the_role_is_the_first_with_a_choice(interpreted: StateMachine) -> None:
    assert str(searching_role(interpreted)) == "cross"
    assert str(searching_role(gdl.interpret(gdl.load("pig")))) != "random"


def test_the_middle_is_half_of_a_playout(interpreted: StateMachine) -> None:
    first, middle = beginning_and_middle(interpreted, 0)
    assert first == 0
    assert 2 <= middle <= 4


def test_a_place_comes_after_its_plies_and_has_a_choice(compiled: StateMachine) -> None:
    role = searching_role(compiled)
    places = [place_to_search(compiled, role, plies, seed=0) for plies in (1, 2, 2)]
    for place in places:
        assert place is not None
        assert place.number == 2
        assert len(compiled.legal_moves(place.state, role)) > 1
    assert places[1] == places[2]


def test_decided_states_are_left_out() -> None:
    machine = gdl.compile(gdl.load("connectFour"))
    role = searching_role(machine)
    place = place_to_search(machine, role, 14, seed=0)
    assert place is not None
    proof = Proof(nodes=1000)
    *_, last = proof.search(Position(machine, place.state, role))
    assert not last.proved


def test_interpreted_rules_have_the_first_place(interpreted: StateMachine) -> None:
    place = place_to_search(interpreted, searching_role(interpreted), 2, seed=3)
    assert place is not None
    assert place.number == 2


def test_after_the_end_there_is_none(compiled: StateMachine) -> None:
    assert place_to_search(compiled, searching_role(compiled), 30, seed=0) is None


def test_memory_is_as_before(compiled: StateMachine) -> None:
    before = search_memory()
    set_search_memory(2**27)
    place_to_search(compiled, searching_role(compiled), 2, seed=0)
    assert search_memory() == 2**27
    set_search_memory(before)
