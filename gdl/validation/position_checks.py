"""Position checks: what is wrong with a single state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from gdl.errors import Severity
from gdl.language import Function, Ruleset, Term
from gdl.reasoner import ask
from gdl.state_machine import State, StateMachine

Options: TypeAlias = tuple[tuple[Term, ...], ...]
"""Every role's legal moves, in role order; empty in a terminal state."""

HIGHEST_GOAL = 100

POSITION_CODES = frozenset(
    {
        "no-legal-move",
        "no-goal",
        "goal-range",
        "several-goals",
        "undeclared-fact",
        "undeclared-move",
    }
)
"""The codes of the problems that show in a single state, without the playout around it."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The facts that ``base`` lists, and the pairs of role and move that ``input`` lists.

    None stands for a relation that the rulesheet does not define.
    """

    facts: frozenset[Term] | None = None
    moves: frozenset[tuple[Term, Term]] | None = None


def declared_in(ruleset: Ruleset) -> Declared:
    """Evaluate the ``base`` and ``input`` relations of a ruleset.

    Raises :class:`gdl.RulesetError` and :class:`gdl.ResourceLimitError` as :func:`gdl.ask` does.
    """
    defined = {rule.head.name for rule in ruleset.rules}
    facts = moves = None
    if "base" in defined:
        facts = frozenset(atom.args[0] for atom in ask(ruleset, "(base ?fact)"))
    if "input" in defined:
        asked = ask(ruleset, "(input ?role ?move)")
        moves = frozenset((atom.args[0], atom.args[1]) for atom in asked)
    return Declared(facts, moves)


@dataclass(frozen=True, slots=True)
class PositionProblem:
    """One thing wrong with a state; problems with the same code and subject are of one kind."""

    severity: Severity
    code: str
    subject: str
    message: str


def check_position(
    machine: StateMachine, state: State, options: Options, declared: Declared
) -> tuple[PositionProblem, ...]:
    """Return the problems of a state in which the roles have the given legal moves."""
    problems = _without_moves(machine, options) if options else _at_the_end(machine, state)
    return (*problems, *_undeclared(machine, declared, state, options))


def _without_moves(machine: StateMachine, options: Options) -> Iterator[PositionProblem]:
    for role, moves in zip(machine.roles, options, strict=True):
        if not moves:
            message = f"{role} has no legal move though the match is not over"
            yield PositionProblem(Severity.ERROR, "no-legal-move", str(role), message)


def _at_the_end(machine: StateMachine, state: State) -> Iterator[PositionProblem]:
    for role in machine.roles:
        goals = machine.goals(state, role)
        if not goals:
            message = f"{role} has no goal value, an integer from 0 to 100, at the end"
            yield PositionProblem(Severity.ERROR, "no-goal", str(role), message)
        elif goals[-1] > HIGHEST_GOAL:
            message = f"{role} has the goal value {goals[-1]} at the end; the highest is 100"
            yield PositionProblem(Severity.ERROR, "goal-range", str(role), message)
        elif len(goals) > 1:
            values = ", ".join(map(str, goals))
            message = f"{role} has several goal values at the end, {values}: the lowest counts"
            yield PositionProblem(Severity.WARNING, "several-goals", str(role), message)


def _undeclared(
    machine: StateMachine, declared: Declared, state: State, options: Options
) -> Iterator[PositionProblem]:
    if declared.facts is not None:
        for fact in sorted(set(state) - declared.facts, key=str):
            message = f"the fact {fact} is reached, which 'base' does not list"
            yield PositionProblem(Severity.WARNING, "undeclared-fact", _kind(fact), message)
    if declared.moves is not None:
        for role, moves in zip(machine.roles, options, strict=bool(options)):
            for move in moves:
                if (role, move) not in declared.moves:
                    message = f"the move {move} of {role} is legal, which 'input' does not list"
                    subject = f"{role} {_kind(move)}"
                    yield PositionProblem(Severity.WARNING, "undeclared-move", subject, message)


def _kind(term: Term) -> str:
    """Return name and arity, by which facts and moves of one kind are recognised."""
    return f"{term.name}/{len(term.args)}" if isinstance(term, Function) else str(term)
