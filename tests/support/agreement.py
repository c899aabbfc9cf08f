"""Comparing a state machine with the oracle: all answers, as sets, in random play."""

from __future__ import annotations

import random
from collections.abc import Sequence

from gdl import State, StateMachine, Term
from tests.support.oracle import Facts, Oracle, of_role


def texts(terms: Sequence[Term] | State | frozenset[Term]) -> list[str]:
    """Return the terms' texts, sorted."""
    return sorted(map(str, terms))


def assert_agreement(machine: StateMachine, oracle: Oracle, seed: int, steps: int) -> int:
    """Play at random and compare every answer; return the number of states compared.

    The oracle is asked first: if it finds no model, a machine may refuse to answer too.
    """
    chance = random.Random(seed)
    facts = oracle.initial_state()
    state = machine.initial_state()
    assert machine.roles == oracle.roles
    for step in range(steps):
        assert texts(state) == texts(facts), f"state at step {step}"
        assert len(state) == len(facts)
        options = _compare_views(machine, state, oracle.model(facts))
        if not all(options):
            return step + 1
        moves = [chance.choice(moves) for moves in options]
        model = oracle.model(facts, moves)
        _compare_percepts(machine, state, moves, model)
        state = machine.next_state(state, moves)
        facts = frozenset(row[0] for row in model.rows(("next", 1)))
    return steps


def _compare_views(machine: StateMachine, state: State, model: Facts) -> list[tuple[Term, ...]]:
    options = [machine.legal_moves(state, role) for role in machine.roles]
    for role, moves in zip(machine.roles, options, strict=True):
        assert list(map(str, moves)) == texts(of_role(model, "legal", role)), f"moves of {role}"
        names = map(str, of_role(model, "goal", role))
        values = sorted({int(name) for name in names if name.isdigit()})
        assert list(machine.goals(state, role)) == values, f"goals of {role}"
        assert machine.goal(state, role) == min(values, default=None)
    assert machine.is_terminal(state) == bool(model.rows(("terminal", 0)))
    return options


def _compare_percepts(
    machine: StateMachine, state: State, moves: Sequence[Term], model: Facts
) -> None:
    for role in machine.roles:
        seen = machine.percepts(state, moves, role)
        assert list(map(str, seen)) == texts(of_role(model, "sees", role)), f"percepts of {role}"
