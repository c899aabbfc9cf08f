"""Playouts follow the rules and depend on nothing but their seed."""

from __future__ import annotations

from itertools import pairwise

import pytest

import gdl
from gdl.playouts import Ending, Step, play_out, randomness
from tests.support.paths import GAMES
from tests.support.tiny_games import COUNTING, machine_of


def test_a_playout_goes_from_the_initial_state_to_a_terminal_one() -> None:
    machine = machine_of(COUNTING)
    steps = list(play_out(machine, randomness(1, 0)))
    assert [step.number for step in steps] == [0, 1, 2, 3]
    assert [[str(fact) for fact in step.state] for step in steps] == [
        ["(at 0)"],
        ["(at 1)"],
        ["(at 2)"],
        ["(at 3)"],
    ]
    assert [step.ending for step in steps] == [None, None, None, Ending.TERMINAL]
    assert [len(step.options[1]) for step in steps[:-1]] == [1, 2, 1]
    assert (steps[-1].options, steps[-1].joint_move) == ((), None)


@pytest.mark.parametrize("name", ["ticTacToe", "tron", "kalah"])
def test_moves_are_legal_and_lead_to_the_next_state(name: str) -> None:
    machine = gdl.interpret(gdl.load(GAMES / f"{name}.kif"))
    steps = list(play_out(machine, randomness(3, 1), 20))
    for step, following in pairwise(steps):
        assert step.joint_move is not None
        for role, move, options in zip(machine.roles, step.joint_move, step.options, strict=True):
            assert options == machine.legal_moves(step.state, role)
            assert move in options
        assert following.state == machine.next_state(step.state, step.joint_move)


def test_a_playout_stops_at_the_step_limit() -> None:
    machine = machine_of(COUNTING)
    steps = list(play_out(machine, randomness(1, 0), 2))
    assert [step.ending for step in steps] == [None, None, Ending.STEP_LIMIT]
    assert steps[-1].joint_move is None
    assert list(play_out(machine, randomness(1, 0), 0)) == [
        Step(0, machine.initial_state(), steps[0].options, ending=Ending.STEP_LIMIT)
    ]


def test_a_playout_stops_where_a_role_has_no_move() -> None:
    machine = machine_of("(role a) (role b) (legal a go) (<= terminal (true end))")
    (step,) = play_out(machine, randomness(1, 0))
    assert step.ending is Ending.NO_MOVE
    assert [len(options) for options in step.options] == [1, 0]


def test_one_seed_gives_one_playout() -> None:
    machine = gdl.interpret(gdl.load(GAMES / "connectFour.kif"))

    def moves(seed: int, number: int) -> list[object]:
        return [step.joint_move for step in play_out(machine, randomness(seed, number))]

    assert moves(5, 0) == moves(5, 0)
    assert moves(5, 0) != moves(5, 1)
    assert moves(5, 0) != moves(6, 0)


def test_every_move_is_played_sooner_or_later() -> None:
    machine, random = gdl.interpret(gdl.load(GAMES / "ticTacToe.kif")), randomness(1, 0)
    firsts = {next(play_out(machine, random, 1)).joint_move for _ in range(100)}
    assert len(firsts) == 9
