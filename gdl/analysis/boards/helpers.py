"""Facts on a board that only help the rules: they are not drawn, or only where nothing else is.

Two kinds are found, of which no goal depends on either. A *helper* has no content, and says where
the next piece will lie: rules for ``next`` put another fact on the place that it names, as ``room``
does in connect four. What is said *aside* has content, as the pieces of the board do on which goals
depend: it tells more of a place, as that a role has been told what lies there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gdl.analysis.boards.layout import Board, FactPattern, Part, function_of
from gdl.datalog import FunctionKey, dependency_graph, reachable
from gdl.language import Function, Rule, Ruleset, Term, body_atoms

GOAL, NEXT, TRUE, DOES = ("goal", 2), ("next", 1), ("true", 1), ("does", 2)

_THINGS = (Part.PIECE, Part.MARK)


def with_helpers(boards: Sequence[Board], ruleset: Ruleset) -> tuple[Board, ...]:
    """Say of the facts on each board which only help the rules."""
    judged = _judged(ruleset)
    return tuple(replace(board, patterns=_patterns(board, ruleset, judged)) for board in boards)


def _judged(ruleset: Ruleset) -> frozenset[FunctionKey]:
    """The functions of the facts on which goals depend."""
    relations = {GOAL, *reachable(dependency_graph(ruleset.rules), [GOAL])}
    rules = (rule for rule in ruleset.rules if rule.head.relation in relations)
    return frozenset(function_of(fact) for rule in rules for fact in _facts(rule))


def _patterns(
    board: Board, ruleset: Ruleset, judged: frozenset[FunctionKey]
) -> tuple[FactPattern, ...]:
    pieces = [
        each
        for each in board.patterns
        if each.content and each.part in _THINGS and (each.name, each.arity) in judged
    ]
    found = []
    for pattern in board.patterns:
        part = pattern.part
        if pieces and part in _THINGS and (pattern.name, pattern.arity) not in judged:
            if pattern.content:
                part = Part.ASIDE
            elif any(
                _shows_where(pattern, piece, rule) for piece in pieces for rule in ruleset.rules
            ):
                part = Part.HELPER
        found.append(replace(pattern, part=part))
    return tuple(found)


def _shows_where(helper: FactPattern, piece: FactPattern, rule: Rule) -> bool:
    """Whether a move puts a piece on the place that the helper names."""
    if rule.head.relation != NEXT or function_of(rule.head.args[0]) != (piece.name, piece.arity):
        return False
    if all(atom.relation != DOES for atom, positive in body_atoms(rule) if positive):
        return False
    place = _place(rule.head.args[0], piece)
    return any(
        function_of(fact) == (helper.name, helper.arity) and _place(fact, helper) == place
        for fact in _facts(rule)
    )


def _place(fact: Term, pattern: FactPattern) -> tuple[Term, ...]:
    return tuple(fact.args[i] for i in pattern.place) if isinstance(fact, Function) else ()


def _facts(rule: Rule) -> Iterator[Term]:
    """The facts that a rule asks for."""
    for atom, positive in body_atoms(rule):
        if positive and atom.relation == TRUE:
            yield atom.args[0]
