"""What a page shows of a rulesheet before a match of it: its roles, or what is wrong with it.

It is found out where the rules of strangers are evaluated: in :mod:`.drawing_process`.
"""

from __future__ import annotations

from dataclasses import dataclass

import gdl
from gdl import GdlError, RulesetError, State
from gdl.errors import Problem, Severity, Source
from gdl.language import moves_by_chance
from gdl.state_machine import RuledMachine
from gdl.validation.validator import validate
from ggp_player.protocol import state_text

MAX_PROBLEMS = 20
"""Problems that are shown of a rulesheet."""


@dataclass(frozen=True, slots=True)
class ShownProblem:
    """A problem of a rulesheet. ``line`` and ``column`` count from 1; 0 is no place in the text.

    ``excerpt`` is the line, and below it carets under what is meant.
    """

    severity: str
    sentence: str
    line: int = 0
    column: int = 0
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class GameFound:
    """What is found of a rulesheet: it can be played where it has ``roles``.

    ``has_percepts`` says that roles are told something by ``sees``.
    """

    roles: tuple[str, ...] = ()
    has_percepts: bool = False
    problems: tuple[ShownProblem, ...] = ()


def find_game(text: str) -> tuple[GameFound, str]:
    """Check a rulesheet and begin to play it; return what is found, and the initial state."""
    source = Source(text)
    problems = _shown(source, validate(source))
    if any(problem.severity == Severity.ERROR for problem in problems):
        return GameFound(problems=problems), ""
    try:
        ruleset = gdl.parse(text)
        machine = gdl.interpret(ruleset)
        state = machine.initial_state()
        _check(machine, state)
    except GdlError as error:
        sentence = ShownProblem(Severity.ERROR, str(error))
        return GameFound(problems=(sentence, *problems)), ""
    roles = tuple(map(str, machine.roles))
    return GameFound(roles, ruleset.has_percepts, problems), state_text(state)


def _check(machine: RuledMachine, state: State) -> None:
    """Raise :class:`RulesetError` where nobody could make a first move."""
    if all(map(moves_by_chance, machine.roles)):
        raise RulesetError("there is no role that a player could take")
    for role in machine.roles:
        if not machine.is_terminal(state) and not machine.legal_moves(state, role):
            raise RulesetError(f"{role} has no legal move in the initial state")


def _shown(source: Source, problems: tuple[Problem, ...]) -> tuple[ShownProblem, ...]:
    """The problems for a page, errors first."""
    errors_first = sorted(problems, key=lambda one: one.severity != Severity.ERROR)
    return tuple(
        ShownProblem(
            one.severity, one.message, *source.position(one.span[0]), source.excerpt(one.span)
        )
        for one in errors_first[:MAX_PROBLEMS]
    )
