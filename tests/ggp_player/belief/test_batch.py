"""Compiled rules answer by blocks what the interpreter answers one by one."""

from itertools import product
from random import Random

import pytest

import gdl
from ggp_player.belief import batch_machine
from ggp_player.belief.batch import Joint, Told
from tests.support.compiled_games import machine_of, reasoner_of


def steps_of(name: str, machine: gdl.StateMachine) -> tuple[list[gdl.State], list[Joint]]:
    """All joint moves of some states."""
    random, state = Random(name), machine.initial_state()
    states, joint_moves = [], []
    for _ in range(4):
        moves = [machine.legal_moves(state, role) for role in machine.roles]
        for joint_move in product(*moves):
            states.append(state)
            joint_moves.append(joint_move)
        state = machine.next_state(state, tuple(map(random.choice, moves)))
        if machine.is_terminal(state):
            break
    return states, joint_moves


@pytest.mark.parametrize("name", ["codeBreaker", "kuhnPoker", "phantomTicTacToe"])
def test_both_give_the_same_answers(name: str) -> None:
    found = []
    for machine in (machine_of(name), reasoner_of(name)):
        states, joint_moves = steps_of(name, machine)
        batch = batch_machine(machine)
        views = [(v.is_terminal, tuple(map(frozenset, v.legal))) for v in batch.views(states)]
        outcomes = list(batch.outcomes(states, joint_moves))
        told = Told(0, outcomes[-1].percepts[0])
        agreeing = [one.number for one in batch.outcomes(states, joint_moves, told)]
        after = [(facts(one.state), one.percepts, one.number in agreeing) for one in outcomes]
        found.append((views, joint_moves, after))
        assert len(outcomes) == len(states)
        assert len(outcomes) - 1 in agreeing
    assert found[0] == found[1]


def facts(state: gdl.State) -> frozenset[str]:
    return frozenset(map(str, state))


def test_what_a_role_can_never_see_is_in_no_outcome() -> None:
    machine = machine_of("kuhnPoker")
    states, joint_moves = steps_of("kuhnPoker", machine)
    batch = batch_machine(machine)
    assert not list(batch.outcomes(states, joint_moves, Told(0, [gdl.parse_term("thunder")])))
