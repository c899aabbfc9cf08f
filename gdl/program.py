"""Programs: flattened rules, compiled to Python functions that fill tables on demand.

A program knows each relation's level, keeps the statistics that plans are made from, and writes
a function for every access that somebody asks for. Static relations are evaluated while the
program is built, definitions first, so that later plans know their true sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, TypeAlias

from gdl.codegen import PARAMETERS, Access, FunctionWriter, Growing
from gdl.demand import Adornment, demand_rules, facts_relation
from gdl.dependencies import Level, components, dependency_graph, is_recursive, levels
from gdl.domains import EMPTY, Domains, Position
from gdl.errors import RulesetError
from gdl.plans import Columns, Exists, Plan, Step, Test, make_plan, prefers_call
from gdl.ruleset import Atom, Literal, RelationKey, Rule, atoms_of, variables_in
from gdl.terms import variables_of
from gdl.vocabulary import Key, Vocabulary, ids_of, key_of

Table: TypeAlias = set[Key] | frozenset[Key]
Context: TypeAlias = list[Any]
"""Tables, indexes and memos by slot, None where not yet evaluated."""

MAX_STATIC_COST = 3e6
"""The estimated cost up to which a static relation is evaluated whole in advance."""

LONG_BODY = 20
"""Bodies with more literals are not planned anew for every combination of bound columns."""

RECURSIVE_SHARE = 0.6
"""A recursive relation is guessed to have as many rows as its domain, to this power."""

RECURSIVE_COST = 5.0
"""The guessed cost of a row of a recursive relation."""

DEMAND_COST = 20.0
"""The guessed cost of asking a recursive relation for a key, besides that of the rows found."""

FLUENT_ROWS = 8.0
"""The rows that a kind of fluent is guessed to have where the initial state has none."""


class Program:
    """Accesses to relations, compiled from rules.

    ``given`` are the relations whose tables the caller puts into the first slots of a context,
    in order, with their levels; ``domains`` bound the values in each column.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        given: Mapping[RelationKey, Level],
        domains: Domains,
        vocabulary: Vocabulary,
    ) -> None:
        self.vocabulary = vocabulary
        self.static: Context = []
        self.sizes = [0, 0, 0]
        self._domains = domains
        self._rules: dict[RelationKey, list[Rule]] = {}
        self._facts: dict[RelationKey, set[Key]] = {}
        for rule in rules:
            self._file(rule)
        graph = dependency_graph([r for rules in self._rules.values() for r in rules])
        order = components(graph)
        self._level = levels(graph, order, given)
        self._component = {r: c for c in order for r in c if is_recursive(graph, c)}
        self._unaskable = {r for r, c in self._component.items() if self._has_inner_negation(c)}
        self._given = dict(given)
        self._rows: dict[RelationKey, float] = {}
        self._table_cost: dict[RelationKey, float] = {}
        self._call_cost: dict[tuple[RelationKey, Columns], float] = {}
        self._distinct: dict[tuple[RelationKey, int], float] = {}
        self._accesses: dict[tuple[RelationKey, Columns, Columns, bool], Access] = {}
        self._agenda: list[Callable[[], list[str]]] = []
        self._sources: list[str] = []
        self._names = 0
        self._namespace: dict[str, Any] = {"ONCE": (None,), "NONE": (), "S": self.static}
        self._namespace["alternating_fixpoint"] = alternating_fixpoint
        for relation, level in given.items():
            self._give(relation, level)
        self._order = order

    def _file(self, rule: Rule) -> None:
        if rule.body:
            self._rules.setdefault(rule.head.relation, []).append(rule)
        else:
            row = key_of([self.vocabulary.encode(term) for term in rule.head.args])
            self._facts.setdefault(rule.head.relation, set()).add(row)

    def _give(self, relation: RelationKey, level: Level) -> None:
        every = tuple(range(relation[1]))
        self._accesses[relation, (), every, False] = self._new_access(relation, (), every, level)
        self._table_cost[relation] = 0.0

    # ------------------------------------------------------------------ building

    def prepare(self, fluents: Mapping[RelationKey, RelationKey]) -> None:
        """Evaluate what is static and estimate the rest, definitions first.

        ``fluents`` maps each given relation of the state to the static one that has its rows in
        the initial state, the best guess at its size.
        """
        ordered = [relation for component in self._order for relation in component]
        ordered += [relation for relation in self._facts if relation not in self._level]
        for relation in ordered:
            if self._level_of(relation) is Level.STATIC and relation not in self._given:
                self._prepare_static(relation)
        for fluent, initial in fluents.items():
            self._rows[fluent] = self.rows(initial) or min(FLUENT_ROWS, self._domain_size(fluent))
        for relation in ordered:
            if relation not in self._table_cost:
                self._estimate(relation)

    def _prepare_static(self, relation: RelationKey) -> None:
        self._estimate(relation)
        if self._table_cost[relation] > MAX_STATIC_COST:
            return
        table = self.function(self.table(relation, (), tuple(range(relation[1]))))()
        self._rows[relation] = float(len(table))
        self._table_cost[relation] = 0.0
        columns = zip(*map(ids_of, table), strict=True)
        for column, values in enumerate(columns):
            self._distinct[relation, column] = float(len(set(values)))

    def _estimate(self, relation: RelationKey) -> None:
        limit = self._domain_size(relation)
        facts = float(len(self._facts.get(relation, ())))
        if relation in self._component:
            rows = facts + limit**RECURSIVE_SHARE
            self._rows[relation], self._table_cost[relation] = rows, RECURSIVE_COST * rows
            return
        plans = [self._plan(rule, ()) for rule in self._rules.get(relation, ())]
        self._rows[relation] = min(limit, facts + sum(plan.rows for plan in plans))
        self._table_cost[relation] = 1.0 + facts + sum(plan.cost for plan in plans)

    def _domain_size(self, relation: RelationKey) -> float:
        return prod(self.distinct(relation, column) for column in range(relation[1]))

    def _plan(self, rule: Rule, bound: Columns) -> Plan:
        known, wanted = set(), set()
        for column, term in enumerate(rule.head.args):
            (known if column in bound else wanted).update(v.name for v in variables_of(term))
        return make_plan(self, rule.body, known, wanted - known)

    # ------------------------------------------------------------------ catalogue

    def rows(self, relation: RelationKey) -> float:
        """Return the estimated number of rows, exact where the relation is static."""
        return self._rows.get(relation, 0.0)

    def distinct(self, relation: RelationKey, column: int) -> float:
        """Return the estimated number of different values in a column, at least 1."""
        known = self._distinct.get((relation, column))
        if known is None:
            domain = self._domains.get(Position(True, *relation, column), EMPTY)
            known = self._distinct[relation, column] = float(max(1, len(domain)))
        return known

    def table_cost(self, relation: RelationKey) -> float:
        """Return the estimated cost of evaluating the whole relation; 0 where it is at hand."""
        return self._table_cost.get(relation, 0.0)

    def call_cost(self, relation: RelationKey, bound: Columns) -> float | None:
        """Return the estimated cost of one call, None where the relation cannot be called."""
        if relation in self._given or relation in self._unaskable:
            return None
        key = relation, bound
        if key not in self._call_cost:
            self._call_cost[key] = self._estimate_call(relation, bound)
        return self._call_cost[key]

    def _estimate_call(self, relation: RelationKey, bound: Columns) -> float:
        """Estimate by planning the rules, or, where they are long, from the table's cost."""
        rules = self._rules.get(relation, ())
        share = prod(self.distinct(relation, column) for column in bound)
        if relation in self._component:
            return DEMAND_COST + RECURSIVE_COST * self.rows(relation) / share
        if all(len(rule.body) <= LONG_BODY for rule in rules):
            return sum(self._plan(rule, bound).cost for rule in rules)
        return self._table_cost.get(relation, 0.0) / share + sum(len(rule.body) for rule in rules)

    # ------------------------------------------------------------------ library

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
        if self.call_cost(relation, bound) is None or not self.table_cost(relation):
            return False
        return relation[1] == 0 or prefers_call(self, relation, bound, times)

    def is_given_row(self, relation: RelationKey) -> bool:
        """Tell whether the relation holds the joint move: a row per role at most."""
        return self._given.get(relation) is Level.TRANSITION

    def outline(self, parameters: str, lines: list[str]) -> str:
        """Add a helper function and return its name."""
        name = self._new_name("o")
        self._sources.append("\n".join([f"def {name}({parameters}):", *lines]))
        return name

    def function(self, access: Access) -> Callable[..., Any]:
        """Return the compiled function of an access, for the contexts below its level."""
        self.compile()
        found: Callable[..., Any] = self._namespace[access.name]
        return found

    def source(self) -> str:
        """Return all the Python written so far."""
        return "\n\n".join(self._sources)

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

    def _level_of(self, relation: RelationKey) -> Level:
        return self._level.get(relation, Level.STATIC)

    def _new_name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}{self._names}"

    def _new_access(
        self, relation: RelationKey, bound: Columns, free: Columns, level: Level
    ) -> Access:
        slot = self.sizes[level]
        self.sizes[level] += 1
        if level is Level.STATIC:
            self.static.append(None)
        return Access(relation, bound, free, level, self._new_name("t"), slot)

    def _access(
        self, relation: RelationKey, bound: Columns, free: Columns, *, called: bool
    ) -> Access:
        key = relation, bound, free, called
        known = self._accesses.get(key)
        if known is None:
            known = self._new_access(relation, bound, free, self._level_of(relation))
            self._accesses[key] = known
            self._agenda.append(partial(self._writer_of(known, called), known))
        return known

    def _writer_of(self, access: Access, called: bool) -> Callable[[Access], list[str]]:
        if called:
            return self._write_ask if access.relation in self._component else self._write_call
        if len(access.free) < access.relation[1]:
            return self._write_index
        if access.relation in self._component:
            return self._write_recursive
        return self._write_table

    # ------------------------------------------------------------------ functions

    def _fact_set(self, relation: RelationKey) -> str:
        """Return the name of the set of a relation's facts, as the rulesheet states them."""
        name = self._new_name("k")
        self._namespace[name] = self._facts.get(relation, set())
        return name

    def _write_table(self, access: Access) -> list[str]:
        writer = FunctionWriter(self, access.level)
        writer.line(f"out = set({self._fact_set(access.relation)})")
        rules = self._rules.get(access.relation, ())
        if rules:
            writer.line("add = out.add")
        for rule in rules:
            plan = self._plan(rule, ())
            writer.rule(rule, plan.steps, lambda w, row: w.line(f"add({row})"))
        writer.line(f"{access.context}[{access.slot}] = out")
        writer.line("return out")
        return [f"def {access.name}({PARAMETERS[access.level]}):", *writer.lines]

    def _write_index(self, access: Access) -> list[str]:
        every = tuple(range(access.relation[1]))
        table = self.table(access.relation, (), every)
        columns = [f"c{i}" for i in every]
        bound = _key([columns[i] for i in access.bound])
        free = _key([columns[i] for i in access.free])
        row = _key(columns)
        lines = [f"def {access.name}({PARAMETERS[access.level]}):"]
        lines += ["    " + line for line in table.fetch()]
        if not access.bound or not access.free:
            lines += [f"    out = {{{bound if access.bound else free} for {row} in _{table.name}}}"]
        else:
            projects = len(access.bound) + len(access.free) < access.relation[1]
            new, add = ("set()", "add") if projects else ("[]", "append")
            lines += [
                "    out = {}",
                f"    for {row} in _{table.name}:",
                f"        key = {bound}",
                "        if key not in out:",
                f"            out[key] = {new}",
                f"        out[key].{add}({free})",
            ]
        return [*lines, f"    {access.context}[{access.slot}] = out", "    return out"]

    def _write_call(self, access: Access) -> list[str]:
        relation, level = access.relation, access.level
        arguments = [f"a{i}" for i in access.bound]
        key = _key(arguments)
        writer = FunctionWriter(self, level)
        writer.line(f"memo = {access.context}[{access.slot}]")
        writer.line(f"if memo is None: memo = {access.context}[{access.slot}] = {{}}")
        writer.line(f"out = memo.get({key})")
        writer.line("if out is not None: return out")
        facts = self._namespace[self._fact_index(access)]
        fact_name = f"k{self._names}"
        if access.free:
            writer.line(f"out = set({fact_name}.get({key}, NONE))" if facts else "out = set()")
        elif facts:
            writer.line(f"if {key} in {fact_name}:")
            writer.line(f"    memo[{key}] = True")
            writer.line("    return True")
        for rule in self._rules.get(relation, ()):
            self._write_called_rule(writer, rule, access, key)
        writer.line(f"memo[{key}] = {'out' if access.free else 'False'}")
        writer.line("return out" if access.free else "return False")
        parameters = ", ".join([*filter(None, [PARAMETERS[level]]), *arguments])
        return [f"def {access.name}({parameters}):", *writer.lines]

    def _write_called_rule(
        self, writer: FunctionWriter, rule: Rule, access: Access, key: str
    ) -> None:
        wanted = {v.name for i in access.free for v in variables_of(rule.head.args[i])}
        known = {v.name for i in access.bound for v in variables_of(rule.head.args[i])}
        plan = make_plan(self, rule.body, known, wanted - known)
        given = [(rule.head.args[i], f"a{i}") for i in access.bound]
        head = Atom(rule.head.name, tuple(rule.head.args[i] for i in access.free))

        def success(writer: FunctionWriter, row: str) -> None:
            if access.free:
                writer.line(f"out.add({row})")
            else:
                writer.line(f"memo[{key}] = True")
                writer.line("return True")

        writer.rule(Rule(head, rule.body), plan.steps, success, given)

    def _fact_index(self, access: Access) -> str:
        """Return the name of the facts' rows, by the key of the bound columns."""
        name = self._new_name("k")
        index: dict[Key, set[Key]] = {}
        for row in self._facts.get(access.relation, ()):
            ids = ids_of(row)
            key = key_of([ids[i] for i in access.bound])
            index.setdefault(key, set()).add(key_of([ids[i] for i in access.free]))
        self._namespace[name] = index
        return name

    # ------------------------------------------------------------------ recursion

    def _write_recursive(self, access: Access) -> list[str]:
        """Write the table of a recursive relation: its component fills all its tables."""
        component = self._component[access.relation]
        every = [self.table(relation, (), tuple(range(relation[1]))) for relation in component]
        name = self._evaluator(component, every)
        lines = [f"def {access.name}({PARAMETERS[access.level]}):"]
        lines += [f"    {name}({PARAMETERS[access.level]})"]
        return [*lines, f"    return {access.context}[{access.slot}]"]

    def _evaluator(self, component: tuple[RelationKey, ...], tables: Sequence[Access]) -> str:
        key = component[0], (), (), True
        if key not in self._accesses:
            level = tables[0].level
            self._accesses[key] = self._new_access(component[0], (), (), level)
            name = self._accesses[key].name
            self._sources.append("\n".join(self._write_component(name, component, tables)))
        return self._accesses[key].name

    def _write_component(
        self, name: str, component: tuple[RelationKey, ...], tables: Sequence[Access]
    ) -> list[str]:
        level = tables[0].level
        growing = {
            relation: Growing(f"r{i}", {}, f"n{i}") for i, relation in enumerate(component)
        }
        writer = FunctionWriter(self, level, growing)
        self._write_fixpoint(writer, component, growing)
        results = ", ".join(f"{t.context}[{t.slot}]" for t in tables)
        parameters = [*filter(None, [PARAMETERS[level]])]
        numbers = range(len(component))
        if not self._has_inner_negation(component):
            header = [f"def {name}({', '.join(parameters)}):"]
            ending = [f"    {results}, = {', '.join(f'r{i}' for i in numbers)},"]
            return [*header, *self._fixpoint_lines(writer, component, growing), *ending]
        inner = ", ".join([*parameters, *(f"n{i}" for i in numbers)])
        step = [f"def {name}_step({inner}):", *self._fixpoint_lines(writer, component, growing)]
        step += [f"    return ({''.join(f'r{i}, ' for i in numbers)})"]
        names = ", ".join(sorted({relation[0] for relation in component}))
        complement = ", ".join(f"n{i}" for i in numbers)
        outer = [
            f"def {name}({', '.join(parameters)}):",
            f"    step = lambda {complement}: {name}_step({inner})",
            f"    {results}, = alternating_fixpoint(step, {len(component)}, {names!r})",
        ]
        return [*step, *outer]

    def _fixpoint_lines(
        self,
        writer: FunctionWriter,
        component: tuple[RelationKey, ...],
        growing: Mapping[RelationKey, Growing],
    ) -> list[str]:
        """Return a component's evaluation: growing tables, then the rules."""
        return [*self._growing_lines(component, growing), *writer.prologue, *writer.lines]

    def _growing_lines(
        self, component: tuple[RelationKey, ...], growing: Mapping[RelationKey, Growing]
    ) -> list[str]:
        """Return the making of growing tables, each with an agenda and indexes kept up to date."""
        lines: list[str] = []
        for relation in component:
            local = growing[relation]
            columns = [f"c{i}" for i in range(relation[1])]
            lines += [f"    {local.table} = set()", f"    w_{local.table} = []"]
            lines += [f"    {index} = {{}}" for index in local.indexes.values()]
            lines += [
                f"    def add_{local.table}(row):",
                f"        if row in {local.table}: return",
                f"        {local.table}.add(row)",
                f"        w_{local.table}.append(row)",
            ]
            if local.indexes:
                lines.append(f"        {_key(columns)} = row")
            for (bound, free), index in local.indexes.items():
                key, value = _key([columns[i] for i in bound]), _key([columns[i] for i in free])
                lines.append(f"        {index}.setdefault({key}, []).append({value})")
        return lines

    def _write_ask(self, access: Access) -> list[str]:
        """Write the call of a recursive relation: its demand and answers grow from call to call."""
        start = Adornment(access.relation, access.bound)
        adorned = self._adorn(start)
        component = tuple(key for a in adorned for key in (a.demand, a.answers))
        growing = {relation: Growing(f"r{i}", {}, "") for i, relation in enumerate(component)}
        writer = FunctionWriter(self, access.level, growing)
        writer.indent = 2
        self._write_fixpoint(writer, component, growing)
        asked, answers = growing[start.demand].table, growing[start.answers]
        found = answers.table
        if access.bound:
            name = f"{found}_{len(answers.indexes)}"
            index = answers.indexes.setdefault((access.bound, access.free), name)
            found = f"{index}.get(key, NONE)" if access.free else f"key in {index}"
        context = PARAMETERS[access.level]
        arguments = [f"a{i}" for i in access.bound]
        parameters = ", ".join([*filter(None, [context]), *arguments])
        return [
            f"def {access.name}_new({context}):",
            *self._growing_lines(component, growing),
            *writer.prologue,
            f"    def run({context}):",
            *writer.lines,
            f"    def ask({', '.join([*filter(None, [context]), 'key'])}):",
            f"        if key not in {asked}:",
            f"            add_{asked}(key)",
            f"            run({context})",
            f"        return {found}",
            f"    {access.context}[{access.slot}] = ask",
            "    return ask",
            f"def {access.name}({parameters}):",
            f"    ask = {access.context}[{access.slot}]",
            f"    if ask is None: ask = {access.name}_new({context})",
            f"    return ask({', '.join([*filter(None, [context]), _key(arguments)])})",
        ]

    def _adorn(self, start: Adornment) -> list[Adornment]:
        """Add the rules that a demand leads to, and return their adornments."""
        component = self._component[start.relation]
        found = demand_rules(
            start, component, lambda relation: self._rules.get(relation, ()), self._order_of
        )
        for relation in component:
            self._facts[facts_relation(relation)] = self._facts.get(relation, set())
            self._rows[facts_relation(relation)] = float(len(self._facts.get(relation, ())))
        for adornment in found:
            self._describe(adornment)
        for rule in (rule for rules in found.values() for rule in rules):
            self._rules[rule.head.relation].append(rule)
        return list(found)

    def _describe(self, adornment: Adornment) -> None:
        """Make room for an adornment's rules; its sizes are guessed from its relation's."""
        relation = adornment.relation
        for key in (adornment.demand, adornment.answers):
            self._rules[key] = []
            self._rows[key] = self.rows(relation)
        for column in range(relation[1]):
            self._distinct[adornment.answers, column] = self.distinct(relation, column)
        for index, column in enumerate(adornment.bound):
            self._distinct[adornment.demand, index] = self.distinct(relation, column)

    def _order_of(self, rule: Rule, bound: Columns) -> list[Literal]:
        return list(_literals(self._plan(rule, bound).steps))

    def _write_fixpoint(
        self,
        writer: FunctionWriter,
        component: tuple[RelationKey, ...],
        growing: Mapping[RelationKey, Growing],
    ) -> None:
        """Write the semi-naive evaluation of a component, one new row at a time.

        A new row is joined with all rows known by then; whichever of two rows is taken up later
        finds the other.
        """
        rules = [rule for relation in component for rule in self._rules.get(relation, ())]
        for relation in component:
            if relation not in self._facts:
                continue
            writer.line(f"for row in {self._fact_set(relation)}: add_{growing[relation].table}(row)")
        for rule in rules:
            if not any(self._occurrences(rule, relation) for relation in component):
                self._write_delta(writer, rule, rule, None, growing)
        agendas = [f"w_{growing[relation].table}" for relation in component]
        writer.line(f"while {' or '.join(agendas)}:")
        writer.indent += 1
        for relation, agenda in zip(component, agendas, strict=True):
            writer.line(f"while {agenda}:")
            writer.indent += 1
            writer.line(f"row = {agenda}.pop()")
            columns = [f"c{i}" for i in range(relation[1])]
            if columns:
                writer.line(f"{_key(columns)} = row")
            for rule in rules:
                for occurrence in self._occurrences(rule, relation):
                    rest = tuple(part for part in rule.body if part is not occurrence)
                    self._write_delta(
                        writer, rule, Rule(rule.head, rest), occurrence, growing
                    )
            writer.indent -= 1
        writer.indent -= 1

    def _write_delta(
        self,
        writer: FunctionWriter,
        rule: Rule,
        rest: Rule,
        delta: Atom | None,
        growing: Mapping[RelationKey, Growing],
    ) -> None:
        known = {v.name for v in variables_in(delta)} if delta else set()
        wanted = {v.name for v in variables_in(rule.head)}
        plan = make_plan(self, rest.body, known, wanted - known)
        given = [(term, f"c{i}") for i, term in enumerate(delta.args)] if delta else []
        add = f"add_{growing[rule.head.relation].table}"
        writer.rule(rest, plan.steps, lambda w, row: w.line(f"{add}({row})"), given)

    def _occurrences(self, rule: Rule, relation: RelationKey) -> list[Atom]:
        return [part for part in rule.body if isinstance(part, Atom) and part.relation == relation]

    def _has_inner_negation(self, component: tuple[RelationKey, ...]) -> bool:
        return any(
            atom.relation in component and not positive
            for relation in component
            for rule in self._rules.get(relation, ())
            for literal in rule.body
            for atom, positive in atoms_of(literal)
        )


def alternating_fixpoint(
    step: Callable[..., tuple[Table, ...]], width: int, names: str
) -> tuple[Table, ...]:
    """Return the model of a component in which negation runs through a cycle of relations.

    ``step`` returns the least model with negated atoms looked up in fixed tables. Starting from
    empty ones, its results enclose the model from above and from below in turn. Where the two
    meet, no ground atom depends on its own negation. Raises :class:`gdl.RulesetError` otherwise.

    Source: A. Van Gelder, The alternating fixpoint of logic programs with negation (1993).
    """
    low: tuple[Table, ...] = (frozenset[Key](),) * width
    high = step(*low)
    while True:
        next_low = step(*high)
        next_high = step(*next_low)
        if next_low == low and next_high == high:
            break
        low, high = next_low, next_high
    if low != high:
        raise RulesetError(f"negation runs in a circle through ground atoms of: {names}")
    return low


def _literals(steps: Iterable[Step]) -> Iterator[Literal]:
    for step in steps:
        if isinstance(step, Exists):
            yield from _literals(step.steps)
        else:
            yield step.literal if isinstance(step, Test) else step.atom


def _key(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
