"""The process that evaluates a rulesheet for the manager: rules come from strangers.

It reads a request a line and answers each with a line, within bounds of memory of its own, and ends
with the manager. It has one game, and the states of all matches that are played of it by this
process. Who asks bounds the time, and ends the process where it takes too long.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

import gdl
from gdl import GdlError, State, StateMachine, Term
from gdl.language import moves_by_chance
from gdl.system import end_with_parent, limit_memory

MAX_MEMORY = 2 * 2**30
"""Bytes of address space of the process."""

MAX_LEGAL_MOVES = 100_000
"""The most legal moves of a role that a match goes on with."""


@dataclass(frozen=True, slots=True)
class EvaluatedState:
    """A state and all that the manager has to know of it.

    ``legal`` and ``goals`` have an entry for each role, ``percepts`` those of the joint move that
    led here.
    """

    facts: tuple[str, ...] = ()
    is_terminal: bool = False
    legal: tuple[tuple[str, ...], ...] = ()
    goals: tuple[int | None, ...] = ()
    percepts: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class RulesAnswer:
    """What a request gets: ``error`` is a sentence where it cannot be done."""

    roles: tuple[str, ...] = ()
    position: EvaluatedState | None = None
    error: str = ""


ANSWERS = TypeAdapter(RulesAnswer)


@dataclass(slots=True)
class RulesEvaluator:
    """Answers the requests: ``load`` first, then ``begin``, ``advance`` and ``end`` for matches."""

    machine: StateMachine | None = None
    has_percepts: bool = False
    states: dict[str, State] = field(default_factory=dict)

    def answer(self, request: dict[str, Any]) -> RulesAnswer:
        """Do what a request asks for; an error of the rules is part of the answer."""
        try:
            match request["kind"]:
                case "load":
                    return self._load(request["rules"])
                case "begin":
                    return self._begin(request["session"])
                case "advance":
                    return self._advance(request["session"], request["moves"])
                case _:
                    self.states.pop(request["session"], None)
                    return RulesAnswer()
        except (GdlError, RecursionError, MemoryError) as error:
            return RulesAnswer(error=str(error) or type(error).__name__)

    def _load(self, rules: str) -> RulesAnswer:
        ruleset = gdl.parse(rules)
        self.machine = gdl.interpret(ruleset)
        self.has_percepts = ruleset.has_percepts
        roles = self.machine.roles
        if all(map(moves_by_chance, roles)):
            return RulesAnswer(error="expected a role for a player: (role ROLE); found none")
        position = self._position(self.machine.initial_state(), ())
        return RulesAnswer(tuple(map(str, roles)), position)

    def _begin(self, session: str) -> RulesAnswer:
        assert self.machine is not None
        self.states[session] = state = self.machine.initial_state()
        return RulesAnswer(position=self._position(state, ()))

    def _advance(self, session: str, moves: Sequence[str]) -> RulesAnswer:
        assert self.machine is not None
        before = self.states[session]
        joint_move = tuple(map(gdl.parse_term, moves))
        self.states[session] = state = self.machine.next_state(before, joint_move)
        percepts: tuple[tuple[str, ...], ...] = ()
        if self.has_percepts:
            percepts = tuple(
                _texts(self.machine.percepts(before, joint_move, role))
                for role in self.machine.roles
            )
        return RulesAnswer(position=self._position(state, percepts))

    def _position(self, state: State, percepts: tuple[tuple[str, ...], ...]) -> EvaluatedState:
        machine = self.machine
        assert machine is not None
        facts = tuple(sorted(map(str, state)))
        if machine.is_terminal(state):
            goals = tuple(machine.goal(state, role) for role in machine.roles)
            return EvaluatedState(facts, is_terminal=True, goals=goals, percepts=percepts)
        legal = tuple(_texts(machine.legal_moves(state, role)) for role in machine.roles)
        if any(len(moves) > MAX_LEGAL_MOVES for moves in legal):
            raise GdlError(f"a role has more than {MAX_LEGAL_MOVES} legal moves")
        return EvaluatedState(facts, legal=legal, percepts=percepts)


def _texts(terms: Sequence[Term]) -> tuple[str, ...]:
    return tuple(map(str, terms))


def main() -> None:
    """RulesAnswer requests until there are no more; the parent's process id is the argument."""
    end_with_parent(int(sys.argv[1]))
    limit_memory(MAX_MEMORY)
    evaluator = RulesEvaluator()
    answers = os.fdopen(os.dup(1), "wb")
    for line in sys.stdin.buffer:
        answers.write(to_json(evaluator.answer(from_json(line))) + b"\n")
        answers.flush()
