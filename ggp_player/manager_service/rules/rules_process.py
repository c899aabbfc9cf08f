"""The process that evaluates a rulesheet for the manager: rules come from strangers.

It reads a request a line and answers each with a line, within bounds of memory of its own, and ends
with the manager. It has one game, and of each match that this process plays of it the latest state
and, up to a bound, what the match record has of the others. Who asks bounds the time, and ends the
process where it takes too long.

States stay here: the manager is told what can be done, in bounded answers. A match whose legal
moves or percepts are larger cannot be played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

import gdl
from gdl import GdlError
from gdl.language import moves_by_chance
from gdl.state_machine import RuledMachine
from gdl.system.helper_process import answer_lines, begin_helper
from ggp_player.match_rules import LocalRules, MatchPosition

MAX_MEMORY = 2 * 2**30
"""Bytes of address space of the process."""

MAX_LEGAL_MOVES = 100_000
"""The most legal moves of a role that a match goes on with."""

MAX_MOVE = 1_000
"""Characters of a legal move."""

MAX_LEGAL = 4 * 2**20
"""Characters of all legal moves of a position together."""

MAX_PERCEPTS = 65_536
"""Characters of all percepts of a joint move together."""

MAX_ANSWER = 16 * 2**20
"""Bytes of an answer; only the states of a record come near it."""

NO_MEMORY = "the rules take more memory than there is for them"
"""Why a match cannot be played on."""


@dataclass(frozen=True, slots=True)
class RulesAnswer:
    """What a request gets: ``error`` is a sentence where it cannot be done."""

    roles: tuple[str, ...] = ()
    position: MatchPosition | None = None
    states: tuple[str, ...] | None = None
    error: str = ""


ANSWERS = TypeAdapter(RulesAnswer)


@dataclass(slots=True)
class RulesEvaluator:
    """Answers the requests: ``load`` first, then the others, each for a match."""

    machine: RuledMachine | None = None
    matches: dict[str, LocalRules] = field(default_factory=dict)

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
                case "states":
                    return RulesAnswer(states=self.matches[request["session"]].states())
                case _:
                    self.matches.pop(request["session"], None)
                    return RulesAnswer()
        except (GdlError, RecursionError) as error:
            return RulesAnswer(error=str(error) or type(error).__name__)
        except MemoryError:
            return RulesAnswer(error=NO_MEMORY)

    def _load(self, rules: str) -> RulesAnswer:
        ruleset = gdl.parse(rules)
        self.machine = gdl.interpret(ruleset)
        roles = self.machine.roles
        if all(map(moves_by_chance, roles)):
            return RulesAnswer(error="expected a role for a player: (role ROLE); found none")
        self._checked(LocalRules(self.machine, recorded=0).begin())
        return RulesAnswer(tuple(map(str, roles)))

    def _begin(self, session: str) -> RulesAnswer:
        assert self.machine is not None
        self.matches[session] = match = LocalRules(self.machine)
        return self._checked(match.begin())

    def _advance(self, session: str, moves: Sequence[str]) -> RulesAnswer:
        return self._checked(self.matches[session].advance(tuple(map(gdl.parse_term, moves))))

    def _checked(self, position: MatchPosition) -> RulesAnswer:
        """Return an answer with the position. Raises :class:`GdlError` where it is too large."""
        assert self.machine is not None
        for role, moves in zip(self.machine.roles, position.legal, strict=False):
            _check(f"the legal moves of {role}", len(moves), MAX_LEGAL_MOVES)
            longest = max(map(len, moves), default=0)
            _check(f"the characters of a legal move of {role}", longest, MAX_MOVE)
        _check("the characters of all legal moves", _characters(position.legal), MAX_LEGAL)
        _check("the characters of all percepts", _characters(position.percepts), MAX_PERCEPTS)
        return RulesAnswer(position=position)


def _check(what: str, found: int, most: int) -> None:
    if found > most:
        raise GdlError(f"{what} are {found:,}; expected at most {most:,}")


def _characters(texts: Iterable[Iterable[str]]) -> int:
    return sum(len(text) for one in texts for text in one)


def answer_line(answer: RulesAnswer) -> bytes:
    """Write an answer as a line, or in its place that it is too long."""
    try:
        line = to_json(answer) + b"\n"
    except MemoryError:
        return to_json(RulesAnswer(error=NO_MEMORY)) + b"\n"
    if len(line) <= MAX_ANSWER:
        return line
    return to_json(RulesAnswer(error=f"the rules need an answer of {len(line):,} bytes")) + b"\n"


def main() -> None:
    """Answer requests until there are no more."""
    begin_helper(MAX_MEMORY)
    evaluator = RulesEvaluator()
    answer_lines(lambda line: answer_line(evaluator.answer(from_json(line))))
