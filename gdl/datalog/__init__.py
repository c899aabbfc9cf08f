"""Inside the reasoner: join plans, and the Python functions that they are compiled to."""

from gdl.datalog.cardinality import Statistics
from gdl.datalog.dependencies import (
    Graph,
    Level,
    components,
    dependency_graph,
    is_recursive,
    levels,
    reachable,
    shortest_way,
)
from gdl.datalog.domains import (
    EMPTY,
    Domain,
    Domains,
    FunctionKey,
    Position,
    domains_of,
    variable_domains,
)
from gdl.datalog.flat_rules import (
    MACHINE_RELATIONS,
    FlatRules,
    flat_rules,
    goal_value,
    index_of_role,
    is_of_the_language,
    ordered_roles,
    renamed,
)
from gdl.datalog.join_plan import Columns
from gdl.datalog.normal_form import substitute, unify
from gdl.datalog.program import Context, Program
from gdl.datalog.python_codegen import Access
from gdl.datalog.semi_naive import Table
from gdl.datalog.symbol_table import FunctionTable, Key, Vocabulary, ids_of, key_of

__all__ = [
    "EMPTY",
    "MACHINE_RELATIONS",
    "Access",
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
    "Position",
    "Program",
    "Statistics",
    "Table",
    "Vocabulary",
    "components",
    "dependency_graph",
    "domains_of",
    "flat_rules",
    "goal_value",
    "ids_of",
    "index_of_role",
    "is_of_the_language",
    "is_recursive",
    "key_of",
    "levels",
    "ordered_roles",
    "reachable",
    "renamed",
    "shortest_way",
    "substitute",
    "unify",
    "variable_domains",
]
