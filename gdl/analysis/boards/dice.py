"""Numbers that chance throws: no places, though two of them look like coordinates.

Apart from grids, which are found in what facts can be: this looks at how rules make them.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdl.analysis.boards.evidence import RulesEvidence
from gdl.analysis.boards.grids import Grid, GridFacts
from gdl.analysis.boards.layout import function_of
from gdl.datalog import dependency_graph, reachable
from gdl.language import (
    Atom,
    Constant,
    Function,
    Not,
    RelationKey,
    Rule,
    Term,
    body_atoms,
    moves_by_chance,
    variables_in,
)


def are_thrown(evidence: RulesEvidence, grid: Grid) -> bool:
    """Whether the numbers of a grid's facts are thrown or said anew, and chance throws some.

    These facts are kept as a whole or not at all, so that there is one of each function at a time,
    or one for each role. What chance puts on a board is kept by its place.
    """
    if not any(role.lower() == "random" for role in evidence.roles):
        return False
    graph = dependency_graph(evidence.ruleset.rules)
    dynamic = {relation for relation in graph if ("true", 1) in reachable(graph, [relation])}
    by_chance = False
    for facts in grid.facts:
        made = [rule for rule in _rules_of(evidence, facts) if not _keeps(rule, facts)]
        if not made or not all(_is_said(rule, facts, dynamic) for rule in made):
            return False
        by_chance = by_chance or any(map(_is_by_chance, made))
    return by_chance


def _rules_of(evidence: RulesEvidence, facts: GridFacts) -> Iterable[Rule]:
    for rule in evidence.ruleset.rules:
        fact = rule.head.args[0] if rule.head.relation == ("next", 1) else None
        if isinstance(fact, Function) and function_of(fact) == facts.fluent.key:
            yield rule


def _numbers(fact: Term, facts: GridFacts) -> set[Term]:
    assert isinstance(fact, Function)
    return {fact.args[i] for i in facts.pair}


def _keeps(rule: Rule, facts: GridFacts) -> bool:
    """Whether a fact stays unless something happens that does not ask for its numbers."""
    kept = Atom("true", (rule.head.args[0],))
    numbers = _numbers(rule.head.args[0], facts)
    others = [literal for literal in rule.body if literal != kept]
    return (
        len(others) < len(rule.body)
        and any(isinstance(literal, Not) for literal in others)
        and not any(numbers & set(variables_in(literal)) for literal in others)
    )


def _is_said(rule: Rule, facts: GridFacts, dynamic: set[RelationKey]) -> bool:
    """Whether the numbers come from a move, and depend on no fact."""
    numbers = _numbers(rule.head.args[0], facts)
    asked = [atom for atom, _ in body_atoms(rule)]
    return any(atom.relation == ("does", 2) for atom in asked) and not any(
        numbers & set(variables_in(atom))
        for atom in asked
        if atom.relation == ("true", 1) or atom.relation in dynamic
    )


def _is_by_chance(rule: Rule) -> bool:
    movers = (atom.args[0] for atom, _ in body_atoms(rule) if atom.relation == ("does", 2))
    return any(isinstance(mover, Constant) and moves_by_chance(mover) for mover in movers)
