"""The graph gives the same steps as the machine, one by one and together."""

from itertools import product

import pytest

from ggp_player.strategies.information_sets.game_graph import Choice, GameGraph, Vertex
from tests.support.compiled_games import machine_of, reasoner_of


def choices_at(vertex: Vertex) -> list[Choice]:
    """All joint moves in a state."""
    return list(product(*(range(len(moves)) for moves in vertex.legal)))


@pytest.mark.parametrize("machine_for", [machine_of, reasoner_of])
def test_steps_are_those_of_the_machine(machine_for: object) -> None:
    assert callable(machine_for)
    machine = machine_for("kuhnPoker")
    one, all_at_once = GameGraph(machine), GameGraph(machine)
    start = one.number(machine.initial_state())
    all_at_once.number(machine.initial_state())
    choices = choices_at(one.vertices[start])
    assert len(choices) == 6
    all_at_once.make_all([(start, choice) for choice in choices])
    for choice in choices:
        joint_move = one.vertices[start].joint_move(choice)
        after = machine.next_state(machine.initial_state(), joint_move)
        seen = [
            frozenset(machine.percepts(machine.initial_state(), joint_move, r))
            for r in machine.roles
        ]
        for graph in (one, all_at_once):
            assert graph.vertices[graph.step(start, choice).target].state == after
            assert list(graph.percepts_of(start, choice)) == seen


def test_options_are_equal_where_moves_are() -> None:
    machine = machine_of("kuhnPoker")
    graph = GameGraph(machine)
    start = graph.number(machine.initial_state())
    after = [graph.vertices[graph.step(start, c).target] for c in choices_at(graph.vertices[start])]
    assert len({vertex.options for vertex in after}) == 1
    assert after[0].options != graph.vertices[start].options
    graph.forget()
    assert graph.number(machine.initial_state()) == 0
