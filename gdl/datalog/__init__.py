"""Inside the reasoner: join plans, and the Python functions that they are compiled to."""

from gdl.datalog.cardinality import CardinalityEstimator
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
    EMPTY,
    ArgumentPosition,
    Domain,
    Domains,
    FunctionKey,
    domains_of,
    variable_domains,
)
from gdl.datalog.flat_rules import (
    FlatRules,
    flatten_rules,
    goal_value,
    index_of_role,
    is_keyword_relation,
    ordered_roles,
    renamed,
)
from gdl.datalog.join_plan import Columns
from gdl.datalog.normal_form import unify
from gdl.datalog.program import Context, Program
from gdl.datalog.python_codegen import Access
from gdl.datalog.semi_naive import Table
from gdl.datalog.symbol_table import FunctionTable, Key, SymbolTable, ids_of, key_of
from gdl.language import Level

__all__ = [
    "EMPTY",
    "Access",
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
    "Level",
    "Program",
    "SymbolTable",
    "Table",
    "dependency_graph",
    "domains_of",
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
    "renamed",
    "shortest_path",
    "strongly_connected_components",
    "unify",
    "variable_domains",
]
