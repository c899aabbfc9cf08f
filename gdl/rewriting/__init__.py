"""Rewriting: what is known of flattened rules, and passes that restate them with the same answers.

In comes a :class:`RuleAnalysis`, out come rules. Most modules have one pass, and most passes are
for huge games alone. :mod:`gdl.grounding.passes` lists them in their order, where each applies, and
why.
"""

from gdl.rewriting.alternatives import expand_cases, expand_disjunctions, merge_alternatives
from gdl.rewriting.argument_passes import reduce_arguments, specialize_arguments
from gdl.rewriting.functional_dependencies import functional_columns, split_functional_joins
from gdl.rewriting.inlining import inline_relations
from gdl.rewriting.magic_guards import guard_wide_relations, relaxed_relation, without_atoms
from gdl.rewriting.rule_analysis import ReachableRows, RuleAnalysis, RulePasses, analyse_rules
from gdl.rewriting.rule_decomposition import decompose_rules
from gdl.rewriting.static_relations import (
    expand_products,
    find_constant_fluents,
    make_constants_static,
)

__all__ = [
    "ReachableRows",
    "RuleAnalysis",
    "RulePasses",
    "analyse_rules",
    "decompose_rules",
    "expand_cases",
    "expand_disjunctions",
    "expand_products",
    "find_constant_fluents",
    "functional_columns",
    "guard_wide_relations",
    "inline_relations",
    "make_constants_static",
    "merge_alternatives",
    "reduce_arguments",
    "relaxed_relation",
    "specialize_arguments",
    "split_functional_joins",
    "without_atoms",
]
