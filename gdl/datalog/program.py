"""Programs: flattened rules, compiled to Python functions that fill tables on demand.

A program writes a function for every access to a relation that somebody asks for, and for those
that this one needs in turn. Static relations are evaluated while the program is built,
definitions first, so that later plans know their true sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias

from gdl.datalog.cardinality import CardinalityEstimator
from gdl.datalog.domains import Domains
from gdl.datalog.join_plan import Columns, prefers_call
from gdl.datalog.python_codegen import Access
from gdl.datalog.rule_index import RuleIndex
from gdl.datalog.semi_naive import alternating_fixpoint, write_asked, write_recursive
from gdl.datalog.symbol_table import Key, SymbolTable, ids_of, key_of
from gdl.datalog.table_functions import write_call, write_index, write_table
from gdl.language import Level, RelationKey, Rule

Context: TypeAlias = list[Any]
"""Tables, indexes and memos by slot, None where not yet evaluated."""

MAX_STATIC_COST = 3e6
"""The estimated cost up to which a static relation is evaluated whole in advance."""


class Program:
    """Accesses to relations, compiled from flattened rules.

    ``given`` are the relations whose tables the caller puts into the first slots of a context,
    in order, with their levels; ``domains`` bound the values in each column. ``sizes`` has the
    number of slots of a context at each level; ``static`` is the context of what is static.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        given: Mapping[RelationKey, Level],
        domains: Domains,
        vocabulary: SymbolTable,
    ) -> None:
        self.vocabulary = vocabulary
        self.rulebook = RuleIndex(rules, given, vocabulary)
        self.statistics = CardinalityEstimator(self.rulebook, domains)
        self.static: Context = []
        self.sizes = [0, 0, 0]
        self._accesses: dict[tuple[RelationKey, Columns, Columns, bool], Access] = {}
        self._evaluators: dict[tuple[RelationKey, ...], str] = {}
        self._agenda: list[Callable[[], list[str]]] = []
        self._sources: list[str] = []
        self._names = 0
        self._namespace: dict[str, Any] = {"ONCE": (None,), "NONE": (), "S": self.static}
        self._namespace["alternating_fixpoint"] = alternating_fixpoint
        for relation, level in given.items():
            every = tuple(range(relation[1]))
            access = self._new_access(relation, (), every, level)
            self._accesses[relation, (), every, False] = access

    def prepare(self, fluents: Mapping[RelationKey, RelationKey]) -> None:
        """Evaluate what is static and estimate the rest, definitions first.

        ``fluents`` maps each given relation of the state to the static one that has its rows in
        the initial state, the best guess at its size.
        """
        for relation in self.rulebook.order:
            if not self.statistics.is_estimated(relation) and self._is_static(relation):
                self.statistics.estimate(relation)
                if self.statistics.table_cost(relation) <= MAX_STATIC_COST:
                    access = self.table(relation, (), tuple(range(relation[1])))
                    self.statistics.measure(relation, self.function(access)())
        for fluent, initial in fluents.items():
            self.statistics.guess_fluent(fluent, self.statistics.rows(initial))
        for relation in self.rulebook.order:
            if not self.statistics.is_estimated(relation):
                self.statistics.estimate(relation)

    def _is_static(self, relation: RelationKey) -> bool:
        return self.rulebook.level_of(relation) is Level.STATIC

    # ------------------------------------------------------------------ accesses

    def table(self, relation: RelationKey, bound: Columns, free: Columns) -> Access:
        """Return the access to a set of rows, or to an index from bound to free columns."""
        every = tuple(range(relation[1]))
        if bound == every:
            bound, free = (), every
        elif not bound and not free:
            free = every
        return self._access(relation, bound, free, called=False)

    def call(self, relation: RelationKey, bound: Columns, free: Columns) -> Access:
        """Return the access that evaluates one key at a time and remembers the result."""
        return self._access(relation, bound, free, called=True)

    def calls(self, relation: RelationKey, bound: Columns, times: float) -> bool:
        """Tell whether the relation is better called than evaluated whole."""
        statistics = self.statistics
        if not statistics.table_cost(relation) or statistics.call_cost(relation, bound) is None:
            return False
        return relation[1] == 0 or prefers_call(statistics, relation, bound, times)

    def is_joint_move(self, relation: RelationKey) -> bool:
        """Tell whether the relation holds the joint move: a row per role at most."""
        return self.rulebook.given.get(relation) is Level.TRANSITION

    def _access(
        self, relation: RelationKey, bound: Columns, free: Columns, *, called: bool
    ) -> Access:
        key = relation, bound, free, called
        known = self._accesses.get(key)
        if known is None:
            known = self._new_access(relation, bound, free, self.rulebook.level_of(relation))
            self._accesses[key] = known
            self._agenda.append(partial(_writer_of(self, known, called), self, known))
        return known

    def _new_access(
        self, relation: RelationKey, bound: Columns, free: Columns, level: Level
    ) -> Access:
        slot = self.sizes[level]
        self.sizes[level] += 1
        if level is Level.STATIC:
            self.static.append(None)
        return Access(relation, bound, free, level, self._new_name("t"), slot)

    # ------------------------------------------------------------------ compiling

    def function(self, access: Access) -> Callable[..., Any]:
        """Return the compiled function of an access, for the contexts below its level."""
        self.compile()
        found: Callable[..., Any] = self._namespace[access.name]
        return found

    def compile(self) -> None:
        """Write and load the functions of every access asked for, and of those they need."""
        start = len(self._sources)
        while self._agenda:
            self._sources.append("\n".join(self._agenda.pop()()))
        for table in self.vocabulary.functions():
            self._namespace[f"f{table.number}_make"] = table.make
            self._namespace[f"f{table.number}_id"] = table.id_of.get
            self._namespace[f"f{table.number}_arguments"] = table.arguments_of.get
        # Our own source, in which only numbers stand for what a rulesheet says.
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
        """Return the name of the set of a relation's facts, as the rulesheet states them."""
        name = self._new_name("k")
        self._namespace[name] = self.rulebook.facts_of(relation)
        return name

    def fact_index(self, access: Access) -> str | None:
        """Return the name of an index of the facts by an access's key, None without facts."""
        facts = self.rulebook.facts_of(access.relation)
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
    program: Program, access: Access, called: bool
) -> Callable[[Program, Access], list[str]]:
    is_recursive = bool(program.rulebook.component_of(access.relation))
    if called:
        return write_asked if is_recursive else write_call
    if access.bound or len(access.free) < access.relation[1]:
        return write_index
    return write_recursive if is_recursive else write_table
