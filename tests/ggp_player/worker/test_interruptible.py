"""A interruptible machine is the machine itself until it is to stop."""

from contextlib import suppress
from random import Random

import pytest

import gdl
from ggp_player.strategies import Position
from ggp_player.strategies.textbook.sequential_planning import SequentialPlanning
from ggp_player.worker.interruptible import InterruptibleMachine, SearchInterrupted

STAIRS = """
(role you) (init (at 0)) (after 0 1) (after 1 2) (after 2 3) (after 3 4)
(<= (legal you up) (true (at ?n)) (after ?n ?m)) (<= (legal you down) (true (at ?m)) (after ?n ?m))
(<= (next (at ?m)) (does you up) (true (at ?n)) (after ?n ?m))
(<= (next (at ?n)) (does you down) (true (at ?m)) (after ?n ?m))
(<= terminal (true (at 4)))
(<= (goal you 90) (true (at 4))) (<= (goal you 0) (not (true (at 4))))
"""


def test_answers_are_those_of_the_machine(fields: str) -> None:
    machine = gdl.interpret(gdl.parse(fields))
    interruptible: gdl.StateMachine = InterruptibleMachine(machine, lambda: False)
    state, role = machine.initial_state(), machine.roles[0]
    assert interruptible.roles == machine.roles
    assert interruptible.initial_state() == state
    assert interruptible.legal_moves(state, role) == machine.legal_moves(state, role)
    moves = tuple(machine.legal_moves(state, each)[0] for each in machine.roles)
    assert interruptible.next_state(state, moves) == machine.next_state(state, moves)
    assert interruptible.percepts(state, moves, role) == machine.percepts(state, moves, role)
    assert interruptible.is_terminal(state) == machine.is_terminal(state)
    assert interruptible.goal(state, role) == machine.goal(state, role)
    assert interruptible.goals(state, role) == machine.goals(state, role)


def test_what_takes_time_is_not_done_any_more(fields: str) -> None:
    machine = gdl.interpret(gdl.parse(fields))
    interruptible = InterruptibleMachine(machine, lambda: True)
    state = interruptible.initial_state()
    moves = tuple(machine.legal_moves(state, role)[0] for role in machine.roles)
    with pytest.raises(SearchInterrupted):
        interruptible.legal_moves(state, machine.roles[0])
    with pytest.raises(SearchInterrupted):
        interruptible.next_state(state, moves)


@pytest.mark.parametrize("questions", range(1, 30))
def test_planning_goes_on_after_it_was_stopped_anywhere(questions: int) -> None:
    """States that were half looked at are looked at again, so that what is proved is true."""
    machine = gdl.interpret(gdl.parse(STAIRS))
    left = questions

    def should_stop() -> bool:
        nonlocal left
        left -= 1
        return left == 0

    interruptible = InterruptibleMachine(machine, should_stop)
    position = Position(interruptible, machine.initial_state(), machine.roles[0], Random(1))
    strategy = SequentialPlanning()
    for _ in range(questions):
        with suppress(SearchInterrupted):
            list(strategy.search(position))
    assert left <= 0, "it was stopped"
    choice = list(strategy.search(position))[-1]
    assert (choice.value, choice.proved) == (90, True)
