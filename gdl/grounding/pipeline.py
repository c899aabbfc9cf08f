"""From a ruleset to its ground rules: the passes over rules, then gringo."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic

from gdl.datalog import FlatRules, SymbolTable, flatten_rules, renamed
from gdl.errors import GroundingLimitError
from gdl.grounding.gringo import GroundingBudget, GroundProgram, ground
from gdl.grounding.options import RulePasses
from gdl.grounding.passes import RuleAnalysis
from gdl.language import MACHINE_RELATIONS, Ruleset

USUAL = 3_000_000
"""Where there would be more ground rules, they are analysed more closely and restated first."""


@dataclass(frozen=True, slots=True)
class GroundGame:
    """A game's ground rules, with what their numbers stand for."""

    ruleset: Ruleset
    flat: FlatRules
    vocabulary: SymbolTable
    program: GroundProgram


def ground_game(ruleset: Ruleset, passes: RulePasses, budget: GroundingBudget) -> GroundGame:
    """Apply the passes over rules, and ground. Raises as :func:`gdl.compile` does."""
    vocabulary = SymbolTable()
    flat = flatten_rules(ruleset, MACHINE_RELATIONS)
    if not (passes.split_rules or passes.guard_relations):
        program = ground_program(flat, vocabulary, budget)
    elif not (passes.split_rules and passes.guard_relations):
        rules = RuleAnalysis(flat, vocabulary).simpler_rules(passes)
        program = ground_program(replace(flat, rules=rules), vocabulary, budget)
    else:
        program = _ground_in_two_attempts(flat, vocabulary, passes, budget)
    return GroundGame(ruleset, flat, vocabulary, program)


def _ground_in_two_attempts(
    flat: FlatRules, vocabulary: SymbolTable, passes: RulePasses, budget: GroundingBudget
) -> GroundProgram:
    """Ground simpler rules; where there are too many, narrow them and ground those."""
    began = monotonic()
    analysis = RuleAnalysis(flat, vocabulary)
    if analysis.is_hopeless():
        analysis = analysis.narrowed() or analysis
    else:
        try:
            simple = replace(flat, rules=analysis.simpler_rules(passes))
            usual = replace(budget, rules=min(budget.rules, USUAL))
            return ground_program(simple, vocabulary, usual)
        except GroundingLimitError:
            narrowed = analysis.narrowed()
            if narrowed is None:
                raise
            analysis = narrowed
    left = budget.seconds - (monotonic() - began)
    if left <= 0:
        raise GroundingLimitError(f"grounding takes over {budget.seconds:g} seconds")
    simple = replace(flat, rules=analysis.simpler_rules(passes))
    return ground_program(simple, vocabulary, replace(budget, seconds=left))


def ground_program(
    flat: FlatRules, vocabulary: SymbolTable, budget: GroundingBudget
) -> GroundProgram:
    """Ground the rules; the rows of all that a machine answers for are kept."""
    shown = [("role", 1), ("goal", 2), ("terminal", 0), ("sees", 2)]
    for relation, _ in flat.fluents:
        shown += [relation, renamed(relation, "init"), renamed(relation, "next")]
    for relation, _ in flat.moves:
        shown += [relation, renamed(relation, "legal")]
    return ground(flat.rules, flat.flows(), shown, vocabulary, budget)
