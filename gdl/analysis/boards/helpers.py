"""Facts on a board that only help the rules: they are not drawn, or only where nothing else is.

Two kinds are found, of which no goal depends on either. A *helper* has no content, and says where
the next piece will lie: rules for ``next`` put another fact on the place that it names, as ``room``
does in connect four. What is said *aside* has content, as the pieces of the board do on which goals
depend: it tells more of a place, as that a role has been told what lies there. Where goals depend
on numbers of places, such as those of connected groups, and other facts say which role's the places
are, these are the pieces, and the numbers are said aside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gdl.analysis.boards.axes import order_of
from gdl.analysis.boards.evidence import RulesEvidence
from gdl.analysis.boards.layout import Board, FactPattern, Part, function_of
from gdl.datalog import FunctionKey, dependency_graph, reachable
from gdl.language import Function, Rule, Ruleset, Term, body_atoms

GOAL, NEXT, TRUE, DOES = ("goal", 2), ("next", 1), ("true", 1), ("does", 2)

_THINGS = (Part.PIECE, Part.MARK)


def with_helpers(boards: Sequence[Board], evidence: RulesEvidence) -> tuple[Board, ...]:
    """Say of the facts on each board which only help the rules."""
    judged = _judged(evidence.ruleset)
    return tuple(replace(board, patterns=_patterns(board, evidence, judged)) for board in boards)


def _judged(ruleset: Ruleset) -> frozenset[FunctionKey]:
    """The functions of the facts on which goals depend."""
    relations = {GOAL, *reachable(dependency_graph(ruleset.rules), [GOAL])}
    rules = (rule for rule in ruleset.rules if rule.head.relation in relations)
    return frozenset(function_of(fact) for rule in rules for fact in _facts(rule))


def _patterns(
    board: Board, evidence: RulesEvidence, judged: frozenset[FunctionKey]
) -> tuple[FactPattern, ...]:
    ruleset = evidence.ruleset
    things = [each for each in board.patterns if each.content and each.part in _THINGS]
    pieces = [each for each in things if (each.name, each.arity) in judged]
    owned = [each for each in things if _names_roles(each, evidence)]
    if pieces and owned and all(_is_numbered(each, evidence) for each in pieces):
        return tuple(
            replace(each, part=Part.ASIDE) if each in pieces else each for each in board.patterns
        )
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


def _names_roles(pattern: FactPattern, evidence: RulesEvidence) -> bool:
    columns = evidence.fluents[pattern.name, pattern.arity].columns
    return all(columns[i] <= set(evidence.roles) for i in pattern.content)


def _is_numbered(pattern: FactPattern, evidence: RulesEvidence) -> bool:
    columns = evidence.fluents[pattern.name, pattern.arity].columns
    return all(order_of(columns[i], ()) is not None for i in pattern.content)


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
