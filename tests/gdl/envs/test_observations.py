"""Observations say what a role may know, in the right place, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import gdl
from gdl.engine import PropnetStateMachine, Stepper, random_actions
from gdl.envs.observations import hides_information, observation_of
from gdl.envs.seats import EpisodeSettings, plan_all
from gdl.language import parse_term
from tests.support.compiled_games import NAMES, machine_of
from tests.support.marks import thorough

PERFECT = [
    "ticTacToe",
    "hex",
    "eightPuzzle",
    *thorough("connectFour", "nineBoards", "amazons"),
]
HIDDEN = [
    "phantomTicTacToe",
    "pig",
    *thorough("codeBreaker", "fourCups", "diceRace"),
]
BOARDS = {
    "connectFour": (5, 6, 7),
    "ticTacToe": (4, 3, 3),
    "hex": (4, 6, 6),
    "breakthrough": (4, 8, 8),
}


def some_states(machine: PropnetStateMachine) -> np.ndarray:
    """States of random play: uint8 (lanes, fluents)."""
    block = machine.block(seed=3)
    for _ in range(5):
        block.view()
        block.step()
    return block.states()[::40]


@pytest.mark.parametrize("game", PERFECT)
@pytest.mark.parametrize("kind", ["auto", "facts"])
def test_the_state_can_be_read_from_what_is_observed(game: str, kind) -> None:
    machine = machine_of(game)
    observation = observation_of(machine, kind=kind)
    assert observation.size == np.prod(observation.shape)
    first = machine.engine.layout.fluents
    assert set(observation.rows.tolist()) - {0} == {first + i for i in range(len(machine.facts))}
    for bits in some_states(machine):
        rows = np.zeros(machine.engine.layout.rows, dtype=np.uint8)
        rows[first : first + len(bits)] = bits
        seen = rows[observation.rows].reshape(observation.shape)
        facts = {str(fact) for fact in machine.state(bits)}
        told = {name for name, plane in zip(observation.names, seen, strict=True) if plane.any()}
        for name in observation.names:
            if "?" not in name:
                assert (name in told) == (name in facts)


@pytest.mark.parametrize("game", BOARDS)
def test_boards_are_planes(game: str) -> None:
    assert observation_of(machine_of(game), kind="board").shape == BOARDS[game]


def test_a_disc_is_where_it_was_dropped() -> None:
    machine = machine_of("connectFour")
    observation = observation_of(machine)
    plane = observation.names.index("(disc ? ? red)")
    rows = observation.rows.reshape(observation.shape)[plane]
    facts = machine.engine.layout.fluents
    names = [[str(machine.facts[row - facts]) for row in line] for line in rows]
    assert names[5][3] == "(disc 4 1 red)"  # the lowest row is the last
    assert names[0][0] == "(disc 1 6 red)"


def test_a_game_without_a_board_is_refused_and_observed_as_facts() -> None:
    machine = machine_of("nim")
    with pytest.raises(ValueError, match="no board is found in the rules of nim"):
        observation_of(machine, kind="board")
    assert observation_of(machine).names == tuple(map(str, machine.facts))


@pytest.mark.parametrize("game", HIDDEN)
def test_where_information_is_hidden_only_percepts_and_own_moves_are_seen(game: str) -> None:
    machine = machine_of(game)
    assert hides_information(machine)
    with pytest.raises(ValueError, match="percepts"):
        observation_of(machine)
    with pytest.raises(ValueError, match="percepts"):
        observation_of(machine, 0, "board")
    plan = plan_all(machine, "auto", EpisodeSettings())
    stepper, random = Stepper(machine, 20, plan.stepping), np.random.default_rng(0)
    result = stepper.reset()
    assert not result.observations.any()
    for _ in range(6):
        before = [machine.state(bits) for bits in stepper.states()]
        ends = np.cumsum([len(moves) for moves in plan.actions])[:-1]
        masks = np.split(result.masks, ends, axis=1)
        actions = np.stack([random_actions(mask, random) for mask in masks], axis=1)
        result = stepper.step(actions)
        after = [machine.state(bits) for bits in stepper.states()]
        for lane in np.flatnonzero(~result.terminated):
            assert seen_in(plan, result.observations[lane]) in possible(
                machine, plan, (before[lane], after[lane]), actions[lane]
            )


def seen_in(plan, observed: np.ndarray) -> tuple[frozenset[str], ...]:
    """What each player is told, as texts."""
    ends = np.cumsum([observation.size for observation in plan.observations])[:-1]
    parts = zip(plan.observations, np.split(observed, ends), strict=True)
    return tuple(
        frozenset(name for name, bit in zip(o.names, bits, strict=True) if bit) for o, bits in parts
    )


def possible(machine, plan, states, actions) -> set[tuple[frozenset[str], ...]]:
    """What players can be told, over the moves of chance that lead to the state after."""
    before, after = states
    chosen = dict(zip(plan.roles, actions, strict=True))
    options: list[list[gdl.Term]] = [[]]
    for role, name in enumerate(machine.roles):
        if role in chosen:
            moves = (machine.moves[role][chosen[role]],)
        else:
            moves = machine.legal_moves(before, name)
        options = [[*option, move] for option in options for move in moves]
    found = set()
    for joint in options:
        if machine.next_state(before, joint) == after:
            told = []
            for role in plan.roles:
                seen = machine.percepts(before, joint, machine.roles[role])
                told.append(frozenset([f"(did {joint[role]})", *(f"(sees {s})" for s in seen)]))
            found.add(tuple(told))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("game", NAMES)
def test_every_game_of_ours_can_be_observed(game: str) -> None:
    machine = machine_of(game)
    role = 0 if hides_information(machine) else None
    observation = observation_of(machine, role)
    assert observation.size == np.prod(observation.shape) > 0
    for name in observation.names:
        fact = name.replace("?", "0")
        assert str(parse_term(fact)) == fact
