"""From a ruleset to its ground rules: flattening, the passes over rules, then gringo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic

from gdl.datalog import FlatRules, SymbolTable, counterpart, flatten_rules
from gdl.errors import GroundingLimitError
from gdl.grounding.gringo import (
    GrounderInput,
    GroundingBudget,
    GroundProgram,
    StatedRows,
    ground,
)
from gdl.grounding.passes import Where, passes_on, run_passes
from gdl.language import MACHINE_RELATIONS, RelationKey, Ruleset, body_atoms
from gdl.rewriting.magic_guards import relaxed_relation
from gdl.rewriting.rule_analysis import RuleAnalysis, RulePasses, analyse_rules

FIRST_ATTEMPT = GroundingBudget(rules=1_000_000, cpu_seconds=2)
"""A game that takes more to ground is ground again after the passes for huge games.

Most games take a tenth of a second, and few that end at all more than one: what takes longer is
mostly instantiated anew for the facts of every step.
"""

MORE_FACTS = 30_000
"""A game with more possible facts and moves may take so many times as much ..."""

MAX_TIMES = 4.0
"""... up to this: to ground a large game twice takes longer than the passes save."""

MAX_NEGATED_ROWS = 10_000_000
"""A game that negates a relation which can have more rows counts as huge before it is ground."""


MANY_FACTS = 40_000
"""Where more facts and moves may be possible, many ground rules are expected."""


@dataclass(frozen=True, slots=True)
class GroundGame:
    """A game's ground rules, with what their numbers stand for."""

    ruleset: Ruleset
    flat: FlatRules
    symbols: SymbolTable
    program: GroundProgram


def ground_game(ruleset: Ruleset, passes: RulePasses, budget: GroundingBudget) -> GroundGame:
    """Apply the passes over rules, and ground. Raises as :func:`gdl.compile` does."""
    symbols = SymbolTable()
    flat = flatten_rules(ruleset, MACHINE_RELATIONS)
    analysis = analyse_rules(flat, symbols, passes)
    if passes_on(passes):
        program = _ground_in_attempts(analysis, budget)
    else:
        program = ground_program(analysis, budget)
    return GroundGame(ruleset, flat, symbols, program)


def _ground_in_attempts(analysis: RuleAnalysis, budget: GroundingBudget) -> GroundProgram:
    """Ground after the passes of every game; where there are too many rules, as a huge game."""
    began = monotonic()
    if all(Where.GAME in each.where for each in passes_on(analysis.switches)):
        return ground_program(run_passes(analysis, Where.GAME), budget)
    if not _negates_huge_relation(analysis):
        try:
            at_first = run_passes(analysis, Where.GAME)
            facts = _possible_facts(analysis)
            first_budget = _first_budget(budget, facts)
            return ground_program(at_first, first_budget, is_large=facts > MANY_FACTS)
        except GroundingLimitError:
            pass
    analysis = run_passes(analysis.as_huge(), Where.HUGE_GAME)
    left = budget.seconds - (monotonic() - began)
    if left <= 0:
        raise GroundingLimitError(f"grounding takes over {budget.seconds:g} seconds")
    return ground_program(analysis, replace(budget, seconds=left), is_large=True)


def _first_budget(budget: GroundingBudget, facts: float) -> GroundingBudget:
    """Lower a budget to what the first attempt may take with so many possible facts and moves."""
    times = min(MAX_TIMES, max(1.0, facts / MORE_FACTS))
    return replace(
        budget,
        rules=min(budget.rules, int(times * FIRST_ATTEMPT.rules)),
        cpu_seconds=min(budget.cpu_seconds, int(times * FIRST_ATTEMPT.cpu_seconds)),
    )


def _possible_facts(analysis: RuleAnalysis) -> float:
    """Estimate how many facts and moves are possible."""
    given = (*analysis.flat.fluents, *analysis.flat.moves)
    return sum(analysis.estimator.rows(relation) for relation, _ in given)


def _negates_huge_relation(analysis: RuleAnalysis) -> bool:
    return any(
        not positive and analysis.estimator.domain_size(atom.relation) > MAX_NEGATED_ROWS
        for rule in analysis.rules
        for atom, positive in body_atoms(rule)
    )


def ground_program(
    analysis: RuleAnalysis, budget: GroundingBudget, *, is_large: bool = False
) -> GroundProgram:
    """Ground the rules, keeping the rows of all relations that a machine answers for."""
    flat, stated = analysis.flat, analysis.stated
    shown = [("role", 1), ("goal", 2), ("terminal", 0), ("sees", 2)]
    for relation, _ in flat.fluents:
        shown += [relation, counterpart(relation, "init"), counterpart(relation, "next")]
    for relation, _ in flat.moves:
        shown += [relation, counterpart(relation, "legal")]
    flows = _flows(flat, stated)
    given = GrounderInput(
        rules=flat.rules, flows=flows, shown=shown, stated=stated, is_large=is_large
    )
    return ground(given, analysis.symbols, budget)


def _flows(flat: FlatRules, stated: StatedRows) -> Iterator[tuple[RelationKey, RelationKey]]:
    """Yield the flows of a match, from relations of the relaxed game where the rules have them.

    These are static, so that the rules of the game are not recursive through a step, and are
    instantiated once and not anew for the facts of every step.
    """
    defined = {rule.head.relation for rule in flat.rules} | {
        r for r, rows in stated.items() if rows
    }
    for origin, target in flat.flows():
        relaxed = (relaxed_relation(target), relaxed_relation(origin))
        yield next((each for each in relaxed if each in defined), origin), target
