"""Tiny games for a single question each; the oracle confirms the answers for the whole state."""

from __future__ import annotations

from collections.abc import Iterable

import gdl
from gdl import StateMachine
from tests.support.agreement import assert_agreement
from tests.support.oracle import Oracle

COUNTING = """
(role a) (role b) (init (at 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(legal a go) (legal b wait) (<= (legal b stay) (true (at 1)))
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
(<= terminal (true (at 3)))
(goal a 100) (goal b 0) (<= (goal b 50) (true (at 3)))
"""
"""Counts to 3; ``b`` has a choice in the second state, and two goal values in the last."""

NUMBERS = " ".join(f"(succ {i} {i + 1})" for i in range(60))


def machine_of(text: str) -> StateMachine:
    """Return the reasoner for a rulesheet."""
    return gdl.interpret(gdl.parse(text))


def interpret(text: str) -> StateMachine:
    """Return the reasoner for a rulesheet, after comparing it with the oracle for a few steps."""
    rules = gdl.parse(text)
    assert_agreement(gdl.interpret(rules), Oracle(rules), seed=0, steps=3)
    return gdl.interpret(rules)


def texts(terms: Iterable[gdl.Term]) -> list[str]:
    """Return the terms as text, sorted."""
    return sorted(map(str, terms))


def legal(text: str) -> list[str]:
    """Return the legal moves, in the initial state, of a game whose only role is r."""
    machine = interpret(f"(role r) {text}")
    return texts(machine.legal_moves(machine.initial_state(), machine.roles[0]))


def goals(text: str) -> tuple[int, ...]:
    """Return the goal values of r in the initial state."""
    machine = interpret(f"(role r) {text}")
    return machine.goals(machine.initial_state(), machine.roles[0])


def is_terminal(text: str) -> bool:
    """Return True if the initial state is terminal."""
    machine = interpret(f"(role r) {text}")
    return machine.is_terminal(machine.initial_state())


def after(text: str, *moves: str) -> list[str]:
    """Return the state after a joint move in the initial state."""
    machine = interpret(text)
    joint_move = [gdl.parse_term(move) for move in moves]
    return texts(machine.next_state(machine.initial_state(), joint_move))


def legal_unchecked(text: str) -> list[str]:
    """Return the legal moves without asking the oracle.

    The oracle cannot solve equalities, and is too slow for large rulesheets.
    """
    machine = gdl.interpret(gdl.parse(f"(role r) {text}"))
    return texts(machine.legal_moves(machine.initial_state(), machine.roles[0]))
