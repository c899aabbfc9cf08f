"""Datalog: a general evaluator for rules with functions, disjunctions and stratified negation.

A ruleset comes in. :func:`flatten_rules` brings its rules into normal form (:mod:`.normal_form`),
checks what they depend on (:mod:`.dependencies`), finds what each argument can hold
(:mod:`.domains`) and makes functions part of the relations (:mod:`.flattening`): these
:class:`FlatRules` go to the grounder too. :class:`Program` turns them into Python functions that
fill tables of rows on demand. Start reading in :mod:`.flat_rules`, then :mod:`.program`.

A program interns terms in its :class:`SymbolTable`, orders bodies by :mod:`.join_plan`, which the
:class:`CardinalityEstimator` tells sizes and costs, and writes the functions in
:mod:`.python_codegen`: :mod:`.table_functions` without recursion, :mod:`.semi_naive` with it, where
:mod:`.magic_sets` restrict a call to what it asks for.
"""

from gdl.datalog.dependencies import (
    Graph,
    dependency_graph,
    is_recursive,
    levels,
    reachable,
    shortest_path,
    strongly_connected_components,
)
from gdl.datalog.domains import (
    EMPTY_DOMAIN,
    ArgumentPosition,
    Domain,
    Domains,
    FunctionKey,
    domains_of,
    variable_domains,
)
from gdl.datalog.flat_rules import (
    FlatRules,
    counterpart,
    flatten_rules,
    goal_value,
    index_of_role,
    is_keyword_relation,
    ordered_roles,
)
from gdl.datalog.join_plan import CardinalityEstimator, Columns
from gdl.datalog.normal_form import expand_all, unify
from gdl.datalog.program import Context, Program
from gdl.datalog.python_codegen import AccessPath
from gdl.datalog.rule_index import RuleIndex, StaticTables
from gdl.datalog.semi_naive import Table
from gdl.datalog.symbol_table import FunctionTable, Key, SymbolTable, ids_of, key_of

__all__ = [
    "EMPTY_DOMAIN",
    "AccessPath",
    "ArgumentPosition",
    "CardinalityEstimator",
    "Columns",
    "Context",
    "Domain",
    "Domains",
    "FlatRules",
    "FunctionKey",
    "FunctionTable",
    "Graph",
    "Key",
    "Program",
    "RuleIndex",
    "StaticTables",
    "SymbolTable",
    "Table",
    "counterpart",
    "dependency_graph",
    "domains_of",
    "expand_all",
    "flatten_rules",
    "goal_value",
    "ids_of",
    "index_of_role",
    "is_keyword_relation",
    "is_recursive",
    "key_of",
    "levels",
    "ordered_roles",
    "reachable",
    "shortest_path",
    "strongly_connected_components",
    "unify",
    "variable_domains",
]
