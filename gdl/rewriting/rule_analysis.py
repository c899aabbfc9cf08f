"""What the passes know of a game's rules: the domains of arguments and the sizes of relations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.datalog import (
    EMPTY_DOMAIN,
    CardinalityEstimator,
    Domain,
    Domains,
    FlatRules,
    Program,
    RuleIndex,
    StaticTables,
    SymbolTable,
    counterpart,
    dependency_graph,
    domains_of,
    levels,
    strongly_connected_components,
)
from gdl.language import (
    Atom,
    Constant,
    Level,
    Literal,
    RelationKey,
    Rule,
    Variable,
    by_relation,
    names_in,
)


@dataclass(frozen=True, kw_only=True)
class RulePasses:
    """Which passes are applied to rules before grounding; none of them changes an answer.

    The passes of every game come first, then those that huge games need besides.
    """

    constant_fluents: bool = True
    """Read facts of the state that never change as static."""
    inline_relations: bool = True
    """Replace a large relation of a single rule by the body of that rule."""
    project_moves: bool = True
    """Let decomposition use projections of moves to the arguments that are needed."""
    decompose_rules: bool = True
    """Make several rules with few variables of one with many."""
    magic_guards: bool = True
    """Ground wide relations only for the arguments that are demanded of them."""
    bound_fluents: bool = True
    """Explore a few fluents alone, and leave out the facts that no state of theirs holds."""
    functional_dependencies: bool = True
    """Divide joins of values of which a state holds one for each key."""
    relaxed_reachability: bool = True
    """Ground the relaxed game first, for exact domains and sizes."""
    expand_disjunctions: bool = True
    """Make a rule for each alternative of a disjunction that ties variables."""
    merge_alternatives: bool = True
    """Merge rules that differ in the relation of one atom."""
    expand_cases: bool = True
    """Replace relations that only compare their arguments by their cases."""
    specialize_arguments: bool = True
    """Give a relation one version for each set of arguments that its rules constrain."""
    reduce_arguments: bool = True
    """Replace a wide negated relation by relations of fewer arguments."""

    @classmethod
    def none(cls) -> RulePasses:
        """No pass: the rules are ground as they are."""
        return cls(**{each.name: False for each in fields(RulePasses)})


MIN_RESTATED_SIZE = 1_000.0
"""Rules with at most so many instances, and relations of at most so many rows, are left alone."""

VariableDomains: TypeAlias = Mapping[str, Domain]
"""What each variable of a rule can be, by name."""

UnaryFacts: TypeAlias = Mapping[RelationKey, set[str]]
"""The relations of one argument that are stated as facts alone, with their constants."""


@dataclass(frozen=True, slots=True)
class ReachableRows:
    """What relations can hold in any state: ``values`` by argument, ``sizes`` by relation.

    A size is the number of rows, with the number of different values in each column. ``rows`` are
    those of facts and moves, by the numbers of their terms; ``tables``, int32 (rows, arity), are
    those of all relations that depend on the state, as long as these are not restated.
    """

    values: Domains = field(default_factory=dict)
    sizes: Mapping[RelationKey, tuple[int, list[int]]] = field(default_factory=dict)
    rows: Mapping[RelationKey, Collection[tuple[int, ...]]] = field(default_factory=dict)
    tables: Mapping[RelationKey, NDArray[np.int32]] = field(default_factory=dict)


@dataclass(frozen=True)
class RuleAnalysis:
    """Flattened rules with what is known of them; passes lead from one analysis to the next.

    ``switches`` say which passes apply. ``projects_moves`` says whether decomposition may project
    moves, ``is_huge`` whether a pass for huge games has been applied. ``reachable`` is what the
    relaxed game has shown, if it was ground. ``stated`` are rows, by the numbers of their terms,
    that are given to the grounder beside the rules.
    """

    flat: FlatRules
    symbols: SymbolTable
    switches: RulePasses
    domains: Domains
    estimator: CardinalityEstimator
    reachable: ReachableRows | None = None
    is_huge: bool = False
    projects_moves: bool = False
    stated: Mapping[RelationKey, Collection[tuple[int, ...]]] = field(default_factory=dict)
    static_tables: StaticTables = field(default_factory=StaticTables)

    @property
    def rules(self) -> Sequence[Rule]:
        """The rules, definitions first."""
        return self.flat.rules

    @cached_property
    def definitions(self) -> Mapping[RelationKey, Sequence[Rule]]:
        """The rules by the relation that they define."""
        return by_relation(self.rules)

    @cached_property
    def unary_facts(self) -> UnaryFacts:
        """The relations of one argument that are stated as facts alone."""
        return {
            relation: {str(rule.head.args[0]) for rule in own}
            for relation, own in self.definitions.items()
            if relation[1] == 1
            and all(not rule.body and isinstance(rule.head.args[0], Constant) for rule in own)
        }

    @cached_property
    def level_of(self) -> Callable[[RelationKey], Level]:
        """Map each relation to what it depends on: nothing, the state, or moves too."""
        graph = dependency_graph(self.rules)
        level = levels(graph, strongly_connected_components(graph), _given_levels(self.flat))
        return lambda relation: level.get(relation, Level.STATIC)

    def is_large(self, rule: Rule) -> bool:
        """Return True if a rule has enough instances to be restated."""
        return self.estimator.instances(rule.body, names_in(rule.body)) > MIN_RESTATED_SIZE

    def is_wide(self, relation: RelationKey) -> bool:
        """Return True if a relation can have enough rows to be replaced by others."""
        return self.estimator.domain_size(relation) > MIN_RESTATED_SIZE

    def is_implied(self, literal: Literal, bound: set[str], values: VariableDomains) -> bool:
        """Return True if a literal says no more of a bound variable than its domain does."""
        if not isinstance(literal, Atom) or literal.relation not in self.unary_facts:
            return False
        (term,) = literal.args
        if not isinstance(term, Variable) or term.name not in bound:
            return False
        known = values.get(term.name, EMPTY_DOMAIN)  # Empty also where nothing is known.
        return len(known) > 0 and is_within(known, self.unary_facts[literal.relation])

    def with_rules(self, rules: Iterable[Rule]) -> RuleAnalysis:
        """Keep all that is known, for rules that add auxiliary relations of recorded sizes."""
        return replace(self, flat=replace(self.flat, rules=list(rules)))

    def restated(self, rules: Iterable[Rule]) -> RuleAnalysis:
        """Analyse rules that define other relations than these."""
        flat = replace(self.flat, rules=list(rules))
        reachable = self.reachable and replace(self.reachable, tables={})
        return _analysed(replace(self, flat=flat, reachable=reachable))

    def as_huge(self) -> RuleAnalysis:
        """Let the passes restate what they leave alone in other games."""
        return replace(self, is_huge=True)

    def with_reachable(self, reachable: ReachableRows) -> RuleAnalysis:
        """Analyse the same rules by what the relaxed game has shown."""
        return _analysed(replace(self, reachable=reachable, is_huge=True))


def analyse_rules(flat: FlatRules, symbols: SymbolTable, switches: RulePasses) -> RuleAnalysis:
    """Find the domains of the rules' arguments, and estimate how many rows relations can have."""
    nothing = CardinalityEstimator(RuleIndex((), {}, symbols), {})
    return _analysed(RuleAnalysis(flat, symbols, switches, {}, nothing))


def _analysed(analysis: RuleAnalysis) -> RuleAnalysis:
    """Analyse the rules of an analysis, of which all else is kept but what passes have allowed."""
    flat, reachable = analysis.flat, analysis.reachable
    given = _given_levels(flat)
    known = reachable or ReachableRows()
    domains = domains_of(flat.rules, () if reachable else flat.column_flows(), known.values)
    program = Program(flat.rules, given, domains, analysis.symbols)
    initially = {relation: counterpart(relation, "init") for relation, _ in flat.fluents}
    program.prepare(initially, analysis.static_tables)
    for relation, (rows, sizes) in known.sizes.items():
        program.estimator.set_upper_bound(relation, rows, sizes)
    unknown = [relation for relation in given if relation not in known.sizes]
    program.estimator.assume_upper_bounds(program.rule_index.order, unknown)
    return replace(analysis, domains=domains, estimator=program.estimator, projects_moves=False)


def is_within(domain: Domain, constants: set[str]) -> bool:
    """Return True if a domain holds nothing but some of the constants."""
    return not domain.functions and domain.constants <= constants


def _given_levels(flat: FlatRules) -> dict[RelationKey, Level]:
    """Levels of the relations that the match gives: facts of the state, and moves."""
    return {relation: Level.VIEW for relation, _ in flat.fluents} | {
        relation: Level.TRANSITION for relation, _ in flat.moves
    }
