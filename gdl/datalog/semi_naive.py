"""The functions behind accesses to recursive relations.

A component of relations defined through each other is evaluated semi-naively, one new row at a
time: each new row is joined with all rows known by then. Of two rows that belong together, the
one that is taken up later finds the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

from gdl.datalog.join_plan import Columns, Exists, Step, Test, make_plan
from gdl.datalog.magic_sets import Adornment, demand_rules, facts_relation
from gdl.datalog.python_codegen import Access, FunctionWriter, Growing, key_text, parameters
from gdl.datalog.rule_index import occurrences
from gdl.datalog.symbol_table import Key
from gdl.datalog.table_functions import Workshop
from gdl.errors import RulesetError
from gdl.language import Atom, Literal, RelationKey, Rule, names_in

Table: TypeAlias = set[Key] | frozenset[Key]
Component: TypeAlias = tuple[RelationKey, ...]


class RecursionWorkshop(Workshop, Protocol):
    """A workshop that remembers which components have an evaluator."""

    def evaluator(self, component: Component, write: Callable[[str], list[str]]) -> str:
        """Return the name of the function that fills a component's tables, written once."""
        ...


def write_recursive(workshop: RecursionWorkshop, access: Access) -> list[str]:
    """Write the table of a recursive relation: its component's evaluator fills all tables."""
    component = workshop.rulebook.component_of(access.relation)
    name = workshop.evaluator(component, lambda name: _write_component(workshop, name, component))
    return [
        f"def {access.name}({parameters(access.level)}):",
        f"    {name}({parameters(access.level)})",
        f"    return {access.place}",
    ]


def write_asked(workshop: RecursionWorkshop, access: Access) -> list[str]:
    """Write the call of a recursive relation: demand and answers grow from call to call."""
    start = Adornment(access.relation, access.bound)
    adorned = _adorn(workshop, start)
    fixpoint = _Fixpoint(workshop, access, [k for a in adorned for k in (a.demand, a.answers)])
    fixpoint.writer.indent = 2
    fixpoint.write_rules()
    asked, answers = fixpoint.growing[start.demand].table, fixpoint.growing[start.answers]
    found = answers.table
    if access.bound:
        index = answers.index(access.bound, access.free)
        found = f"{index}.get(key, NONE)" if access.free else f"key in {index}"
    level, arguments = access.level, [f"a{i}" for i in access.bound]
    return [
        f"def {access.name}_new({parameters(level)}):",
        *fixpoint.table_lines(),
        *fixpoint.writer.prologue,
        f"    def run({parameters(level)}):",
        *fixpoint.writer.lines,
        f"    def ask({parameters(level, 'key')}):",
        f"        if key not in {asked}:",
        f"            add_{asked}(key)",
        "            try:",
        f"                run({parameters(level)})",
        "            except BaseException:  # what is half done must not be taken for whole",
        f"                {access.place} = None",
        "                raise",
        f"        return {found}",
        f"    {access.place} = ask",
        "    return ask",
        f"def {access.name}({parameters(level, *arguments)}):",
        f"    ask = {access.place}",
        f"    if ask is None: ask = {access.name}_new({parameters(level)})",
        f"    return ask({parameters(level, key_text(arguments))})",
    ]


def alternating_fixpoint(
    step: Callable[..., tuple[Table, ...]], width: int, names: str
) -> tuple[Table, ...]:
    """Return the model of a component in which negation runs through a cycle of relations.

    ``step`` returns the least model with negated atoms looked up in ``width`` fixed tables.
    Starting from empty ones, its results enclose the model from above and from below in turn.
    Where the two meet, no ground atom depends on its own negation. Raises
    :class:`gdl.RulesetError` otherwise.

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


def _write_component(workshop: Workshop, name: str, component: Component) -> list[str]:
    tables = [workshop.table(relation, (), tuple(range(relation[1]))) for relation in component]
    level = tables[0].level
    fixpoint = _Fixpoint(workshop, tables[0], component)
    fixpoint.write_rules()
    places = ", ".join(table.place for table in tables)
    results = ", ".join(growing.table for growing in fixpoint.growing.values())
    body = [*fixpoint.table_lines(), *fixpoint.writer.prologue, *fixpoint.writer.lines]
    if not workshop.rulebook.negates_itself(component):
        return [f"def {name}({parameters(level)}):", *body, f"    {places}, = {results},"]
    negated = [growing.complement or "" for growing in fixpoint.growing.values()]
    relations = ", ".join(sorted({relation[0] for relation in component}))
    return [
        f"def {name}_step({parameters(level, *negated)}):",
        *body,
        f"    return ({results},)",
        f"def {name}({parameters(level)}):",
        f"    step = lambda {', '.join(negated)}: {name}_step({parameters(level, *negated)})",
        f"    {places}, = alternating_fixpoint(step, {len(component)}, {relations!r})",
    ]


class _Fixpoint:
    """Writes the evaluation of relations that grow together."""

    def __init__(
        self, workshop: Workshop, access: Access, component: Sequence[RelationKey]
    ) -> None:
        self.workshop = workshop
        negates = workshop.rulebook.negates_itself(component)
        self.growing: Mapping[RelationKey, Growing] = {
            relation: Growing(f"r{i}", {}, f"n{i}" if negates else None)
            for i, relation in enumerate(component)
        }
        self.writer = FunctionWriter(workshop, access.level, self.growing)

    def table_lines(self) -> list[str]:
        """Return the making of the tables, each with an agenda and its indexes.

        Indexes are known only after the rules are written.
        """
        lines: list[str] = []
        for relation, growing in self.growing.items():
            table = growing.table
            columns = [f"c{i}" for i in range(relation[1])]
            lines += [f"    {table} = set()", f"    todo_{table} = []"]
            lines += [f"    {index} = {{}}" for index in growing.indexes.values()]
            lines += [
                f"    def add_{table}(row):",
                f"        if row in {table}: return",
                f"        {table}.add(row)",
                f"        todo_{table}.append(row)",
            ]
            if growing.indexes:
                lines.append(f"        {key_text(columns)} = row")
            for (bound, free), index in growing.indexes.items():
                key = key_text([columns[i] for i in bound])
                value = key_text([columns[i] for i in free])
                lines.append(f"        {index}.setdefault({key}, []).append({value})")
        return lines

    def write_rules(self) -> None:
        """Write what starts the tables, then the loops that take up new rows until none is left."""
        writer, rulebook = self.writer, self.workshop.rulebook
        rules = [rule for relation in self.growing for rule in rulebook.rules_of(relation)]
        for relation, growing in self.growing.items():
            if rulebook.facts_of(relation):
                facts = self.workshop.fact_set(relation)
                writer.line(f"for row in {facts}: add_{growing.table}(row)")
        for rule in rules:
            if not any(occurrences(rule, relation) for relation in self.growing):
                self._write_rule(rule, None)
        agendas = [f"todo_{growing.table}" for growing in self.growing.values()]
        writer.line(f"while {' or '.join(agendas)}:")
        writer.indent += 1
        for relation, agenda in zip(self.growing, agendas, strict=True):
            self._write_agenda(relation, agenda, rules)
        writer.indent -= 1

    def _write_agenda(self, relation: RelationKey, agenda: str, rules: Iterable[Rule]) -> None:
        writer = self.writer
        writer.line(f"while {agenda}:")
        writer.indent += 1
        writer.line(f"row = {agenda}.pop()")
        if relation[1]:
            writer.line(f"{key_text([f'c{i}' for i in range(relation[1])])} = row")
        for rule in rules:
            for occurrence in occurrences(rule, relation):
                self._write_rule(rule, occurrence)
        writer.indent -= 1

    def _write_rule(self, rule: Rule, new: Atom | None) -> None:
        """Write a rule, applied to a new row of one of its atoms if there is such an atom."""
        rest = Rule(rule.head, tuple(part for part in rule.body if part is not new))
        known = names_in([new] if new else ())
        wanted = names_in([rule.head]) - known
        plan = make_plan(self.workshop.statistics, rest.body, known, wanted)
        given = [(term, f"c{i}") for i, term in enumerate(new.args)] if new else []
        add = f"add_{self.growing[rule.head.relation].table}"
        self.writer.rule(rest, plan.steps, lambda w, row: w.line(f"{add}({row})"), given)


def _adorn(workshop: Workshop, start: Adornment) -> list[Adornment]:
    """File the rules that a demand leads to, and return their adornments."""
    rulebook, statistics = workshop.rulebook, workshop.statistics

    def order(rule: Rule, bound: Columns) -> list[Literal]:
        return list(_literals(statistics.plan(rule, bound).steps))

    component = rulebook.component_of(start.relation)
    found = demand_rules(start, component, rulebook.rules_of, order)
    for relation in component:
        facts = facts_relation(relation)
        rulebook.redefine_facts(facts, rulebook.facts_of(relation))
        statistics.measure(facts, rulebook.facts_of(relation))
    rules = [rule for filed in found.values() for rule in filed]
    for adornment in found:
        every = tuple(range(adornment.relation[1]))
        for key, columns in ((adornment.demand, adornment.bound), (adornment.answers, every)):
            rulebook.redefine(key, [rule for rule in rules if rule.head.relation == key])
            statistics.liken(key, adornment.relation, columns)
    return list(found)


def _literals(steps: Iterable[Step]) -> Iterator[Literal]:
    for step in steps:
        if isinstance(step, Exists):
            yield from _literals(step.steps)
        else:
            yield step.literal if isinstance(step, Test) else step.atom
