"""The analysis of a game's rules, and the passes over rules, before they are ground."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from gdl.datalog import (
    FlatRules,
    Level,
    Program,
    SymbolTable,
    dependency_graph,
    domains_of,
    levels,
    renamed,
    strongly_connected_components,
)
from gdl.grounding.argument_reduction import (
    RuleKnowledge,
    join_alternatives,
    take_apart_negated,
    write_out_cases,
)
from gdl.grounding.argument_specialization import set_apart_idle_arguments
from gdl.grounding.magic_guards import guard_wide_relations
from gdl.grounding.options import RulePasses
from gdl.grounding.relaxed_reachability import Possible, find_possible, relax
from gdl.grounding.rule_decomposition import Splitter
from gdl.language import RelationKey, Rule, atoms_of

NARROWING = (join_alternatives, write_out_cases, set_apart_idle_arguments, take_apart_negated)
"""The passes over huge rules in their order; each takes rules and what is known of them."""

HOPELESS = 10_000_000
"""Rules that negate a relation that can have more rows are restated before any grounding."""


class RuleAnalysis:
    """What is known of flattened rules: the domains of their arguments and their sizes.

    ``possible`` is what the relaxed game has shown, if it was ground.
    """

    def __init__(
        self,
        flat: FlatRules,
        vocabulary: SymbolTable,
        possible: Possible | None = None,
    ) -> None:
        self._flat = flat
        self._vocabulary = vocabulary
        self._moves = {relation: Level.TRANSITION for relation, _ in flat.moves}
        self._given = {relation: Level.VIEW for relation, _ in flat.fluents} | self._moves
        flows = () if possible else flat.column_flows()
        self._is_huge = possible is not None
        possible = possible or Possible()
        self._domains = domains_of(flat.rules, flows, possible.values)
        program = Program(flat.rules, self._given, self._domains, vocabulary)
        program.prepare({relation: renamed(relation, "init") for relation, _ in flat.fluents})
        self._statistics = program.estimator
        for relation, (rows, sizes) in possible.sizes.items():
            self._statistics.set_upper_bound(relation, rows, sizes)
        unknown = [relation for relation in self._given if relation not in possible.sizes]
        self._statistics.assume_upper_bounds(program.rule_index.order, unknown)

    def simpler_rules(self, passes: RulePasses) -> list[Rule]:
        """Return the rules in the form that has the fewest ground instances."""
        rules = self._flat.rules
        if passes.split_rules:
            rules = self._split(rules)
        if passes.guard_relations:
            level_of = self._levels(rules)
            rules = guard_wide_relations(rules, self._flat.flows(), level_of, self._statistics)
        return rules

    def is_hopeless(self) -> bool:
        """Tell whether to ground the rules as they are is not worth an attempt."""
        return any(
            not positive and self._statistics.domain_size(atom.relation) > HOPELESS
            for rule in self._flat.rules
            for part in rule.body
            for atom, positive in atoms_of(part)
        )

    def narrowed(self) -> RuleAnalysis | None:
        """Return the analysis of rules in which huge relations have fewer arguments.

        There is none where it is too much work to find what is possible.
        """
        flat, vocabulary = self._flat, self._vocabulary
        possible = self._possible(self._statistics.domain_size)
        if not possible.sizes:
            return None
        analysis = RuleAnalysis(flat, vocabulary, possible)
        for apply in NARROWING:
            flat = replace(flat, rules=list(apply(flat.rules, analysis._knowledge())))
            analysis = RuleAnalysis(flat, vocabulary, possible)
        possible = analysis._possible(analysis._statistics.rows)
        return RuleAnalysis(flat, vocabulary, possible) if possible.sizes else analysis

    def _possible(self, size: Callable[[RelationKey], float]) -> Possible:
        """Return what the relaxed game shows; ``size`` tells how many rows a relation can have."""
        rules = self._flat.rules
        game = relax(rules, self._flat.flows(), self._levels(rules), size)
        return find_possible(replace(game, rules=self._split(game.rules)), self._vocabulary)

    def _split(self, rules: Iterable[Rule]) -> list[Rule]:
        splitter = Splitter(self._statistics, self._moves, self._domains, self._is_huge)
        return splitter.split(rules)

    def _knowledge(self) -> RuleKnowledge:
        """Return what is known of the rules before they are split."""
        return RuleKnowledge(self._levels(self._flat.rules), self._statistics, self._domains)

    def _levels(self, rules: Iterable[Rule]) -> Callable[[RelationKey], Level]:
        graph = dependency_graph(rules)
        level = levels(graph, strongly_connected_components(graph), self._given)
        return lambda relation: level.get(relation, Level.STATIC)
