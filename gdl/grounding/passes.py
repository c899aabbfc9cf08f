"""The passes over rules, in their order: what each is for, its switch, and what it saves.

A game is first ground after the passes of ``Where.GAME``. Where that would make too many ground
rules, it is ground a second time after those of ``Where.HUGE_GAME``: the same passes, with others
before them. The relaxed game, which tells the sizes of a huge one, is itself simplified by the
passes of ``Where.RELAXED_GAME``. :mod:`gdl.grounding.pipeline` decides between the attempts.

No pass changes an answer. All of them make fewer ground rules, or make room for a pass that does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Flag, auto
from functools import partial

from gdl.errors import GroundingLimitError
from gdl.grounding.gringo import GroundingBudget
from gdl.grounding.projected_game import bound_fluents
from gdl.grounding.relaxed_reachability import (
    FIRST_BUDGET,
    RELAXATION_BUDGET,
    find_reachable_rows,
    reachable_facts,
    relax,
)
from gdl.language import Rule
from gdl.rewriting.alternatives import expand_cases, expand_disjunctions, merge_alternatives
from gdl.rewriting.argument_passes import reduce_arguments, specialize_arguments
from gdl.rewriting.functional_dependencies import (
    make_constants_static,
    split_functional_joins,
)
from gdl.rewriting.inlining import inline_relations
from gdl.rewriting.magic_guards import guard_wide_relations
from gdl.rewriting.rule_analysis import RuleAnalysis, RulePasses
from gdl.rewriting.rule_decomposition import decompose_rules


class Where(Flag):
    """The rules that a pass is applied to: see the module."""

    GAME = auto()
    HUGE_GAME = auto()
    RELAXED_GAME = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """A step from one analysis of the rules to the next.

    ``switch`` is the field of :class:`RulePasses` that turns it off. ``saves`` gives the ground
    rules of a few games of the collection without the pass and with it, all others switched on.
    """

    switch: str
    apply: Callable[[RuleAnalysis], RuleAnalysis]
    where: Where
    reason: str
    saves: str


def passes_on(switches: RulePasses) -> list[Pass]:
    """The passes that are switched on, in their order."""
    return [each for each in PASSES if getattr(switches, each.switch)]


def run_passes(analysis: RuleAnalysis, where: Where) -> RuleAnalysis:
    """Apply the passes that are switched on for some rules, in their order."""
    for each in passes_on(analysis.switches):
        if where in each.where:
            analysis = each.apply(analysis)
    return analysis


RuleRewriting = Callable[[RuleAnalysis], Iterable[Rule]]


def _restating(rewrite: RuleRewriting) -> Callable[[RuleAnalysis], RuleAnalysis]:
    """Analyse the rules anew afterwards, if they have changed: they define other relations."""

    def apply(analysis: RuleAnalysis) -> RuleAnalysis:
        rules = list(rewrite(analysis))
        return analysis if rules == list(analysis.rules) else analysis.restated(rules)

    return apply


def _extending(rewrite: RuleRewriting) -> Callable[[RuleAnalysis], RuleAnalysis]:
    """Keep the analysis: the relations stay, and the pass records the sizes of those it adds."""
    return lambda analysis: analysis.with_rules(rewrite(analysis))


def _find_reachable_rows(analysis: RuleAnalysis, budget: GroundingBudget) -> RuleAnalysis:
    """Ground the relaxed game; where it is too large, go on with what is known already."""
    relaxed = relax(analysis)
    simple = run_passes(analysis.with_rules(relaxed.rules), Where.RELAXED_GAME)
    try:
        found = find_reachable_rows(replace(relaxed, rules=simple.rules), analysis, budget)
    except GroundingLimitError:
        return analysis
    return analysis.with_reachable(found)


EVERYWHERE = Where.GAME | Where.HUGE_GAME | Where.RELAXED_GAME

PASSES = (
    Pass(
        switch="constant_fluents",
        apply=_restating(make_constants_static),
        where=Where.GAME | Where.HUGE_GAME,
        reason="Walls that are part of the state would be walked through in the relaxed game.",
        saves="mummymaze1p: 638,130 to 31,574; mummymaze2p: 9,401 to 2,080.",
    ),
    Pass(
        switch="bound_fluents",
        apply=_restating(bound_fluents),
        where=Where.HUGE_GAME,
        reason="All facts hold at once in the relaxed game, so that no end of a match bounds them.",
        saves="small_dominion: over 8,000,000 to 818,480.",
    ),
    Pass(
        switch="functional_dependencies",
        apply=_restating(split_functional_joins),
        where=Where.HUGE_GAME,
        reason="A rule that says nine things of nine cells joins all their values for each.",
        saves="sudoku: not ground at all to 27,530.",
    ),
    Pass(
        switch="relaxed_reachability",
        apply=partial(_find_reachable_rows, budget=FIRST_BUDGET),
        where=Where.HUGE_GAME,
        reason="Exact domains and sizes guide the rest; domains by argument mix files and ranks.",
        saves="chess: 2,462,881 to 1,101,101.",
    ),
    Pass(
        switch="expand_disjunctions",
        apply=_restating(expand_disjunctions),
        where=Where.HUGE_GAME,
        reason="A disjunction holds the variables of all its alternatives, so that none is free.",
        saves="farmers: over 8,000,000 to 794,906.",
    ),
    Pass(
        switch="merge_alternatives",
        apply=_restating(merge_alternatives),
        where=Where.HUGE_GAME,
        reason="Rules that differ in one atom are joined once, over the union of their relations.",
        saves="chess: 1,240,013 to 1,101,101.",
    ),
    Pass(
        switch="expand_cases",
        apply=_restating(expand_cases),
        where=Where.HUGE_GAME,
        reason="A relation that only compares its arguments ties variables that no case needs.",
        saves="chess: 2,302,465 to 1,101,101.",
    ),
    Pass(
        switch="specialize_arguments",
        apply=_restating(specialize_arguments),
        where=Where.HUGE_GAME,
        reason="Most rules of a wide relation do not look at all of its arguments.",
        saves="chess: 4,937,217 to 1,101,101.",
    ),
    Pass(
        switch="reduce_arguments",
        apply=_restating(reduce_arguments),
        where=Where.HUGE_GAME,
        reason="The same for relations that are negated, which have to be replaced otherwise.",
        saves="chess: 3,363,693 to 1,101,101.",
    ),
    Pass(
        switch="relaxed_reachability",
        apply=partial(_find_reachable_rows, budget=RELAXATION_BUDGET),
        where=Where.HUGE_GAME,
        reason="The restated rules have relations of their own, whose sizes decomposition needs.",
        saves="Counted with the first time.",
    ),
    Pass(
        switch="inline_relations",
        apply=_extending(inline_relations),
        where=EVERYWHERE,
        reason="A variable can be eliminated only where all literals that hold it are in sight.",
        saves="mummymaze1p: not ground at all to 31,574; 26,001 to 12,001 in a test of inlining.",
    ),
    Pass(
        switch="project_moves",
        apply=lambda analysis: replace(analysis, projects_moves=True),
        where=EVERYWHERE,
        reason="A move has many arguments, of which either side of a decomposition needs a few.",
        saves="skirmish: 297,852 to 47,424; checkers: 338,827 to 76,127; hex: 77,983 to 44,703.",
    ),
    Pass(
        switch="decompose_rules",
        apply=_extending(decompose_rules),
        where=EVERYWHERE,
        reason="A rule has an instance for every combination of all its variables.",
        saves="skirmish: over 2,000,000 to 47,424; hex: 646,983 to 44,703.",
    ),
    Pass(
        switch="magic_guards",
        apply=_extending(guard_wide_relations),
        where=Where.GAME | Where.HUGE_GAME,
        reason="A wide relation has millions of rows, of which its users can meet thousands.",
        saves="chineseCheckers6: 1,496,583 to 16,010; checkers: 261,647 to 76,127.",
    ),
    Pass(
        switch="relaxed_reachability",
        apply=lambda analysis: replace(analysis, stated=reachable_facts(analysis)),
        where=Where.HUGE_GAME,
        reason="Rules that are recursive through a step are joined anew for the facts of each.",
        saves="No rules, but time: alexChess is ground in 1.4 s of CPU time, not in 11.",
    ),
)
"""All passes over rules, in their order. Guards come last, as auxiliary relations need them too."""
