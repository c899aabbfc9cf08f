"""Two machines for one game, side by side: whole sets of answers, state after state."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

import gdl
from gdl import Ruleset, State, StateMachine, Term
from gdl.circuit import CompileOptions
from gdl.engine.machine import PropnetStateMachine


def assert_lockstep(machine: StateMachine, reference: StateMachine, states: int, seed: int) -> None:
    """Play at random, match after match, and compare every answer for so many states."""
    chance = random.Random(seed)
    assert machine.roles == reference.roles
    state, expected = machine.initial_state(), reference.initial_state()
    for number in range(states):
        options = compare_views(machine, state, reference, expected)
        if reference.is_terminal(expected) or not all(options):
            state, expected = machine.initial_state(), reference.initial_state()
            if number == 0:
                return
            continue
        moves = [chance.choice(own) for own in options]
        compare_percepts(machine, state, reference, expected, moves)
        state = machine.next_state(state, moves)
        expected = reference.next_state(expected, moves)


def assert_as_reasoner(
    game: Ruleset, states: int, matches: int = 1, options: CompileOptions | None = None
) -> PropnetStateMachine:
    """Compile a game, and compare it with the reasoner, by as many seeds; return the machine."""
    machine, reasoner = gdl.compile(game, options), gdl.interpret(game)
    for seed in range(matches):
        assert_lockstep(machine, reasoner, states, seed)
    return machine


def compare_views(
    machine: StateMachine, state: State, reference: StateMachine, expected: State
) -> list[tuple[Term, ...]]:
    """Compare facts, legal moves, goals and the end; return the legal moves of each role."""
    assert set(state) == set(expected)
    assert len(state) == len(expected)
    assert machine.is_terminal(state) == reference.is_terminal(expected)
    options = []
    for role in reference.roles:
        moves = reference.legal_moves(expected, role)
        assert machine.legal_moves(state, role) == moves, f"moves of {role}"
        assert machine.goals(state, role) == reference.goals(expected, role), f"goals of {role}"
        assert machine.goal(state, role) == reference.goal(expected, role)
        options.append(moves)
    return options


def compare_percepts(
    machine: StateMachine,
    state: State,
    reference: StateMachine,
    expected: State,
    moves: Sequence[Term],
) -> None:
    for role in reference.roles:
        seen = reference.percepts(expected, moves, role)
        assert machine.percepts(state, moves, role) == seen, f"percepts of {role}"


def assert_block_lockstep(
    machine: PropnetStateMachine, reference: StateMachine, steps: int, lanes: Sequence[int]
) -> None:
    """Play at random in all lanes at once, and follow some of them in the reference."""
    block = machine.block(seed=3)
    states = [reference.initial_state() for _ in lanes]
    start = block.states()
    offsets = np.cumsum([0, *map(len, machine.moves)])
    for _ in range(steps):
        block.view()
        facts, legal, goals = block.states(), block.legal(), block.goals()
        terminal = block.terminal()
        moves = block.choose()
        block.move(moves)
        percepts, after = block.percepts(), block.states()
        for number, lane in enumerate(lanes):
            state = states[number]
            assert {f for f, b in zip(machine.facts, facts[lane], strict=True) if b} == set(state)
            assert terminal[lane] == reference.is_terminal(state)
            table = machine.engine.goal_table[goals[lane].nonzero()[0]].tolist()
            joint: list[Term] = []
            for index, role in enumerate(reference.roles):
                own = slice(int(offsets[index]), int(offsets[index + 1]))
                found = _picked(machine.moves[index], legal[lane, own])
                assert found == reference.legal_moves(state, role)
                assert tuple(v for r, v in table if r == index) == reference.goals(state, role)
                joint += _picked(machine.moves[index], moves[lane, own])
            if terminal[lane] or len(joint) < len(reference.roles):
                states[number] = reference.initial_state()
                after[lane] = start[lane]
                continue
            for index, role in enumerate(reference.roles):
                seen = [
                    term
                    for (r, term), holds in zip(machine.percept_rows, percepts[lane], strict=True)
                    if holds and r == index
                ]
                assert sorted(map(str, seen)) == [
                    str(term) for term in reference.percepts(state, joint, role)
                ]
            states[number] = reference.next_state(state, joint)
        block.load(after)


def _picked(moves: Sequence[Term], bits: np.ndarray) -> tuple[Term, ...]:
    return tuple(moves[index] for index in bits.nonzero()[0].tolist())
