"""Relaxed reachability: the rows that relations can have in any state, found by grounding.

The domains of arguments are found one argument at a time, so that files and ranks of a board
that share a relation are mixed. Here the relaxed game is ground instead, in which every fact that
is ever possible holds at once and nothing that depends on the state is negated. Its rows are
whole, so that each column holds exactly what the argument can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import starmap

import numpy as np
from numpy.typing import NDArray

from gdl.datalog import ArgumentPosition, Domain, SymbolTable, dependency_graph, reachable
from gdl.grounding.gringo import GrounderInput, GroundingBudget, StatedRows, ground
from gdl.grounding.ground_rows import GroundRows
from gdl.language import Atom, Level, RelationKey, Rule, Variable, atoms_of
from gdl.rewriting.magic_guards import relaxed_relation, without_atoms
from gdl.rewriting.rule_analysis import ReachableRows, RuleAnalysis

RELAXATION_BUDGET = GroundingBudget(rules=2_000_000, cpu_seconds=15)
"""What grounding the relaxed game may take."""

FIRST_BUDGET = GroundingBudget(rules=500_000, cpu_seconds=10)
"""What it may take before the rules are restated."""

MAX_RELAXED_ROWS = 1_000_000
"""Atoms of relations with more rows are left out of the relaxed game where nothing needs them."""


def relax(analysis: RuleAnalysis) -> GrounderInput:
    """Relax a game's rules.

    Where the facts and moves of the relaxed game are known already, they are stated: its rules are
    then not recursive through a step, and are instantiated once.
    """
    estimator = analysis.estimator
    size = estimator.rows if analysis.reachable else estimator.domain_size
    level_of, flows = analysis.level_of, list(analysis.flat.flows())
    target_of = dict(flows)
    relaxed = [
        _relaxed(rule, level_of, size)
        for rule in analysis.rules
        if not _keeps_fact(rule, target_of)
    ]
    targets = list(dict.fromkeys(target for _, target in flows))
    stated = analysis.reachable.rows if analysis.reachable else {}
    if analysis.reachable is None:
        relaxed += starmap(_flow_rule, flows)
    ends = dict.fromkeys(relation for flow in flows for relation in flow)
    wanted = reachable(dependency_graph(relaxed), list(ends))
    needed = [rule for rule in relaxed if rule.head.relation in wanted]
    derived = {rule.head.relation: None for rule in needed if rule.body}
    shown = [r for r in derived if level_of(r) is not Level.STATIC or r in targets]
    return GrounderInput(rules=needed, stated=stated, shown=[*shown, *targets])


def find_reachable_rows(
    relaxed: GrounderInput, analysis: RuleAnalysis, budget: GroundingBudget
) -> ReachableRows:
    """Ground the relaxed game of some rules, and read its rows.

    Raises :class:`gdl.GroundingLimitError` where they are too many.
    """
    given = replace(relaxed, is_large=budget.rules >= RELAXATION_BUDGET.rules)
    rows = ground(given, analysis.symbols, budget).rows
    return _read(rows, list(analysis.flat.flows()), analysis.symbols)


def _keeps_fact(rule: Rule, target_of: Mapping[RelationKey, RelationKey]) -> bool:
    """Check whether a rule only says that a fact stays, which finds nothing in the relaxed game.

    There all facts stay. Such a rule can be the most expensive one: it joins a fact with all moves
    that do not change it.
    """
    target = target_of.get(rule.head.relation)
    return target is not None and Atom(target[0], rule.head.args) in rule.body


def _flow_rule(origin: RelationKey, target: RelationKey) -> Rule:
    columns = tuple(Variable(str(i)) for i in range(origin[1]))
    return Rule(Atom(target[0], columns), (Atom(origin[0], columns),))


def _read(
    rows: Mapping[RelationKey, GroundRows],
    flows: Sequence[tuple[RelationKey, RelationKey]],
    symbols: SymbolTable,
) -> ReachableRows:
    """Read domains and sizes off the rows; the origin of a flow can hold what its target can."""
    columns_of = {relation: list(map(_distinct, own.arguments.T)) for relation, own in rows.items()}
    values = {
        ArgumentPosition(True, *relation, column): _domain(held, symbols)
        for flow in flows
        for relation in flow
        for column, held in enumerate(columns_of[flow[1]])
    }
    sizes = {
        relation: (len(own), [len(held) for held in columns_of[relation]])
        for relation, own in rows.items()
    }
    sizes |= {origin: sizes[target] for origin, target in flows if origin in sizes}
    tables = {relation: own.arguments for relation, own in rows.items()}
    return ReachableRows(values, sizes, {target: rows[target] for _, target in flows}, tables)


def _distinct(numbers: NDArray[np.int32]) -> list[int]:
    found: list[int] = np.bincount(numbers).nonzero()[0].tolist()
    return found


def reachable_facts(analysis: RuleAnalysis) -> StatedRows:
    """Return the facts and moves of the relaxed game that no rule defines yet.

    What is possible in a state then follows from them and not from the rules for the state
    before, so that the rules are not recursive through a step and are instantiated once.
    """
    rows = analysis.reachable.rows if analysis.reachable else {}
    relaxed = {relaxed_relation(relation): own for relation, own in rows.items()}
    return {each: own for each, own in relaxed.items() if each not in analysis.definitions}


def _domain(values: Iterable[int], symbols: SymbolTable) -> Domain:
    domain = Domain()
    for value in values:
        domain.add(Domain.of(symbols.decode(value)))
    return domain


def _relaxed(
    rule: Rule, level_of: Callable[[RelationKey], Level], size: Callable[[RelationKey], float]
) -> Rule:
    """Relax a rule: the result holds whenever the rule does in any state."""
    if level_of(rule.head.relation) is Level.STATIC:
        return rule
    body = [
        part
        for part in rule.body
        if isinstance(part, Atom)
        or all(level_of(atom.relation) is Level.STATIC for atom, _ in atoms_of(part))
    ]
    atoms = [part for part in body if isinstance(part, Atom)]
    wide = [atom for atom in atoms if size(atom.relation) > MAX_RELAXED_ROWS]
    wide.sort(key=lambda atom: -size(atom.relation))
    return without_atoms(Rule(rule.head, tuple(body), rule.span), wide)
