"""Programs: flattened rules, compiled to Python functions that fill tables on demand.

A program writes a function for every access path that somebody asks for, and for those that this
one needs in turn. Static relations are evaluated while the program is built, definitions before
their uses, so that later plans know their true sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias

from gdl.datalog.domains import Domains
from gdl.datalog.join_plan import CardinalityEstimator, Columns, prefers_call
from gdl.datalog.python_codegen import AccessPath
from gdl.datalog.rule_index import RuleIndex, StaticTables
from gdl.datalog.semi_naive import alternating_fixpoint, write_recursive_call, write_recursive_table
from gdl.datalog.symbol_table import Key, SymbolTable, ids_of, key_of, sizes_of_columns
from gdl.datalog.table_functions import write_call, write_index, write_table
from gdl.language import Level, RelationKey, Rule

Context: TypeAlias = list[Any]
"""Tables, indexes and memos by slot, None until they are evaluated."""

MAX_STATIC_COST = 3e6
"""The estimated cost up to which a static relation is evaluated in advance."""


class Program:
    """Flattened rules, compiled to a function for each access path.

    ``given`` are the relations whose tables the caller puts into the first slots of a context,
    in order, with their levels; ``domains`` bound the values in each column. ``sizes`` are the
    numbers of slots of a context by level; ``static`` is the context of what is static.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        given: Mapping[RelationKey, Level],
        domains: Domains,
        symbols: SymbolTable,
    ) -> None:
        self.symbols = symbols
        self.rule_index = RuleIndex(rules, given, symbols)
        self.estimator = CardinalityEstimator(self.rule_index, domains)
        self.static: Context = []
        self.sizes = [0, 0, 0]
        self._accesses: dict[tuple[RelationKey, Columns, Columns, bool], AccessPath] = {}
        self._evaluators: dict[tuple[RelationKey, ...], str] = {}
        self._worklist: list[Callable[[], list[str]]] = []
        self._sources: list[str] = []
        self._names = 0
        self._namespace: dict[str, Any] = {"ONCE": (None,), "NONE": (), "S": self.static}
        self._namespace["alternating_fixpoint"] = alternating_fixpoint
        for relation, level in given.items():
            every = tuple(range(relation[1]))
            access = self._new_access(relation, (), every, level)
            self._accesses[relation, (), every, False] = access

    def prepare(
        self,
        fluents: Mapping[RelationKey, RelationKey],
        static_tables: StaticTables | None = None,
    ) -> None:
        """Evaluate what is static and estimate the rest, definitions before their uses.

        ``fluents`` maps each given relation of the state to the static one that has its rows in
        the initial state, the best estimate of its size. ``static_tables`` are those of other
        programs with the same symbols; what is found there is a set of facts from then on.
        """
        tables = static_tables or StaticTables()
        for relation in self.rule_index.order:
            if not self.estimator.is_estimated(relation) and self._is_static(relation):
                self._prepare_static(relation, tables)
        for fluent, initial in fluents.items():
            self.estimator.estimate_fluent(fluent, self.estimator.rows(initial))
        for relation in self.rule_index.order:
            if not self.estimator.is_estimated(relation):
                self.estimator.estimate(relation)

    def _prepare_static(self, relation: RelationKey, tables: StaticTables) -> None:
        known = tables.find(relation, self.rule_index)
        if known is not None:
            self.estimator.set_exact(relation, len(known.rows), known.sizes)
            self.rule_index.replace_rules(relation, ())
            self.rule_index.replace_facts(relation, known.rows)
            return
        tables.forget(relation)
        self.estimator.estimate(relation)
        if self.estimator.table_cost(relation) <= MAX_STATIC_COST:
            access = self.table(relation, (), tuple(range(relation[1])))
            rows: set[Key] = self.function(access)()
            sizes = sizes_of_columns(rows)
            self.estimator.set_exact(relation, len(rows), sizes)
            tables.keep(relation, self.rule_index, rows, sizes)

    def _is_static(self, relation: RelationKey) -> bool:
        return self.rule_index.level_of(relation) is Level.STATIC

    # ------------------------------------------------------------------ access paths

    def table(self, relation: RelationKey, bound: Columns, free: Columns) -> AccessPath:
        """Return the access path to a set of rows, or to an index from bound to free columns."""
        every = tuple(range(relation[1]))
        if bound == every:
            bound, free = (), every
        elif not bound and not free:
            free = every
        return self._access(relation, bound, free, called=False)

    def call(self, relation: RelationKey, bound: Columns, free: Columns) -> AccessPath:
        """Return the access path that evaluates one key at a time and memoizes the result."""
        return self._access(relation, bound, free, called=True)

    def should_call(self, relation: RelationKey, bound: Columns, times: float) -> bool:
        """Check whether the relation is better called than evaluated whole."""
        estimator = self.estimator
        if not estimator.table_cost(relation) or estimator.call_cost(relation, bound) is None:
            return False
        return relation[1] == 0 or prefers_call(estimator, relation, bound, times)

    def is_joint_move(self, relation: RelationKey) -> bool:
        """Check whether the relation holds the joint move: at most a row for each role."""
        return self.rule_index.given.get(relation) is Level.TRANSITION

    def _access(
        self, relation: RelationKey, bound: Columns, free: Columns, *, called: bool
    ) -> AccessPath:
        key = relation, bound, free, called
        known = self._accesses.get(key)
        if known is None:
            known = self._new_access(relation, bound, free, self.rule_index.level_of(relation))
            self._accesses[key] = known
            self._worklist.append(partial(_writer_of(self, known, called), self, known))
        return known

    def _new_access(
        self, relation: RelationKey, bound: Columns, free: Columns, level: Level
    ) -> AccessPath:
        slot = self.sizes[level]
        self.sizes[level] += 1
        if level is Level.STATIC:
            self.static.append(None)
        return AccessPath(relation, bound, free, level, self._new_name("t"), slot)

    # ------------------------------------------------------------------ compiling

    def function(self, access: AccessPath) -> Callable[..., Any]:
        """Return an access path's compiled function, which takes the contexts up to its level."""
        self.compile()
        found: Callable[..., Any] = self._namespace[access.name]
        return found

    def compile(self) -> None:
        """Write and load the functions of all access paths asked for, and of those they need."""
        start = len(self._sources)
        while self._worklist:
            self._sources.append("\n".join(self._worklist.pop()()))
        for table in self.symbols.functions():
            self._namespace[f"f{table.number}_make"] = table.make
            self._namespace[f"f{table.number}_id"] = table.id_of.get
            self._namespace[f"f{table.number}_arguments"] = table.arguments_of.get
        # The source is our own: what comes from a rulesheet is in it as numbers only.
        exec(compile("\n\n".join(self._sources[start:]), "<rules>", "exec"), self._namespace)

    def source(self) -> str:
        """Return all the Python written so far."""
        return "\n\n".join(self._sources)

    def helper(self, parameters: str, lines: list[str]) -> str:
        """Add a helper function and return its name."""
        name = self._new_name("h")
        self._sources.append("\n".join([f"def {name}({parameters}):", *lines]))
        return name

    def evaluator(
        self, component: tuple[RelationKey, ...], write: Callable[[str], list[str]]
    ) -> str:
        """Return the name of the function that fills a component's tables, written once."""
        if component not in self._evaluators:
            name = self._evaluators[component] = self._new_name("e")
            self._sources.append("\n".join(write(name)))
        return self._evaluators[component]

    def fact_set(self, relation: RelationKey) -> str:
        """Return the name of the set of a relation's facts."""
        name = self._new_name("k")
        self._namespace[name] = self.rule_index.facts_of(relation)
        return name

    def fact_index(self, access: AccessPath) -> str | None:
        """Return the name of an index of the facts by an access path's key, None without facts."""
        facts = self.rule_index.facts_of(access.relation)
        if not facts:
            return None
        index: dict[Key, set[Key]] = {}
        for ids in map(ids_of, facts):
            key = key_of([ids[i] for i in access.bound])
            index.setdefault(key, set()).add(key_of([ids[i] for i in access.free]))
        name = self._new_name("k")
        self._namespace[name] = index
        return name

    def _new_name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}{self._names}"


def _writer_of(
    program: Program, access: AccessPath, called: bool
) -> Callable[[Program, AccessPath], list[str]]:
    is_recursive = bool(program.rule_index.component_of(access.relation))
    if called:
        return write_recursive_call if is_recursive else write_call
    if access.bound or len(access.free) < access.relation[1]:
        return write_index
    return write_recursive_table if is_recursive else write_table
