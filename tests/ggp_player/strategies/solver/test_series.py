"""Games in series are solved subgame by subgame, with the values of a complete enumeration."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gdl
from gdl.analysis import Decomposition, analyse
from gdl.engine.machine import PropnetStateMachine
from ggp_player.strategies.base import Position, Strategy
from ggp_player.strategies.selection.auto import choose_for_compiled
from ggp_player.strategies.selection.portfolio import Portfolio
from ggp_player.strategies.solver.enumeration import Enumeration
from ggp_player.strategies.solver.finished_subgames import FinishedSubgames
from ggp_player.strategies.solver.series import Series
from tests.support.compiled_games import machine_of
from tests.support.part_games import Walks, two_rows
from tests.support.paths import CORPUS
from tests.support.small_games import compiled, sampled, solution_of
from tests.support.tree_games import last_choice, play, position

SCORES = """
(<= (goal ?role ?value) (score 1 ?role ?a) (score 2 ?role ?b) (sum ?a ?b ?value))
(<= (score ?game ?role 50) (won ?game ?role))
(<= (score ?game ?role 0) (opponent ?role ?other) (won ?game ?other))
(<= (score ?game ?role 25) (game ?game) (role ?role) (not (decided ?game)))
(<= (decided ?game) (won ?game ?role))
(sum 0 0 0) (sum 0 25 25) (sum 0 50 50) (sum 25 0 25) (sum 25 25 50) (sum 25 50 75)
(sum 50 0 50) (sum 50 25 75) (sum 50 50 100)
"""

SEEN_LATER = """
(<= (goal ?role 100) (true (mark 2 3 ?role)) (true (mark 1 3 ?role)))
(<= (goal ?role 50) (role ?role) (not (owner ?role)) (not (beaten ?role)))
(<= (goal ?role 0) (beaten ?role))
(<= (owner ?role) (true (mark 2 3 ?role)) (true (mark 1 3 ?role)))
(<= (beaten ?role) (opponent ?role ?other) (owner ?other))
"""
"""The goals are not who has won, but who has the square in the middle of both rows."""

TWO_ROWS = {"scores": two_rows(SCORES), "seen later": two_rows(SEEN_LATER)}


def decomposition_of(machine: PropnetStateMachine) -> Decomposition:
    decomposition = analyse(machine).decomposition
    assert decomposition is not None
    return decomposition


def arrows(last: int) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    """Return walks from node 0 on, each node with one to three arrows, the last with none."""
    targets = st.lists(st.integers(0, last), min_size=1, max_size=3, unique=True)
    nodes = st.lists(targets.map(tuple), min_size=last, max_size=last)
    return nodes.map(lambda found: ((*found[0], last), *found[1:], ()))


walks = st.builds(
    Walks,
    arrows=st.tuples(arrows(3), arrows(4)),
    prizes=st.lists(st.sampled_from((0, 20, 50, 100)), min_size=2, max_size=5).map(tuple),
    wheel_seen=st.booleans(),
)


def assert_values_of_all_states(machine: PropnetStateMachine, count: int) -> None:
    """In so many states of playouts, bounds are those that a complete enumeration finds."""
    solution, series = solution_of(Enumeration(), machine), Series(decomposition_of(machine))
    last_choice(series, position(machine))
    for state in sampled(machine, count, Random(2)):
        for role in machine.roles:
            here = Position(machine, state, role)
            assert [report.bounds for report in series.report(here)] == (
                [report.bounds for report in solution.report(here)]
            )


@pytest.mark.parametrize("rules", TWO_ROWS.values(), ids=TWO_ROWS)
def test_values_are_those_of_all_states(rules: str) -> None:
    assert_values_of_all_states(compiled(rules), 25)


def test_machine_code_makes_no_difference() -> None:
    machine = gdl.compile(gdl.parse(TWO_ROWS["scores"]))
    before = last_choice(Series(decomposition_of(machine)), position(machine))
    machine.warm_up()
    assert last_choice(Series(decomposition_of(machine)), position(machine)) == before


@pytest.mark.thorough
@settings(max_examples=8, deadline=None)
@given(walks)
def test_values_of_walks_are_those_of_all_states(rules: Walks) -> None:
    machine = gdl.compile(gdl.parse(str(rules)))
    decomposition = decomposition_of(machine)
    assume(FinishedSubgames(machine, decomposition).stages)
    assert_values_of_all_states(machine, 20)


@pytest.mark.parametrize("rules", TWO_ROWS.values(), ids=TWO_ROWS)
def test_far_fewer_states_are_enumerated(rules: str) -> None:
    machine = compiled(rules)
    states = solution_of(Enumeration(), machine).states
    found = last_choice(Series(decomposition_of(machine)), position(machine)).counts.states
    assert found is not None
    assert 3 * found < states


@pytest.mark.corpus
def test_a_game_with_too_many_states_to_enumerate_is_solved() -> None:
    machine = gdl.compile(gdl.load(CORPUS / "rulesheets" / "ticTacToeSerial.kif"))
    choice = last_choice(Series(decomposition_of(machine)), position(machine))
    assert (choice.value, choice.proved) == (50, True)


def test_it_wins_when_it_can() -> None:
    machine = compiled(TWO_ROWS["scores"])
    decomposition = decomposition_of(machine)
    best = last_choice(Series(decomposition), position(machine)).value
    for seed in range(5):
        goals = play(machine, [Series(decomposition), Enumeration()], Random(seed))
        assert goals[0] == best


def test_games_without_subgames_are_left_alone() -> None:
    machine = machine_of("ticTacToe")
    assert list(Series(decomposition_of(machine)).search(position(machine))) == []


def test_an_order_that_is_not_proved_is_not_relied_on() -> None:
    machine = machine_of("countThenLine")
    assert decomposition_of(machine).in_series.value
    assert list(Series(decomposition_of(machine)).search(position(machine))) == []


def test_auto_has_it_in_its_portfolio() -> None:
    assert Series in provers_of(compiled(TWO_ROWS["scores"]))
    assert Series not in provers_of(machine_of("nim"))


def provers_of(machine: PropnetStateMachine) -> set[type[Strategy]]:
    chosen = choose_for_compiled(machine, analyse(machine), 1, learn=False)
    assert isinstance(chosen, Portfolio)
    return {type(prover) for prover in chosen.provers}


def test_other_machines_are_refused() -> None:
    machine = gdl.interpret(gdl.parse(TWO_ROWS["scores"]))
    assert (
        Series(Decomposition()).refusal(machine)
        == "series needs the compiled machine, and these rules are interpreted"
    )
