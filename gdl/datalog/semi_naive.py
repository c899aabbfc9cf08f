"""Semi-naive evaluation: functions for recursive relations.

Relations that are defined through each other are a component and are evaluated together, one new
row at a time: each is joined with all rows known by then. Of two rows that join, the one that is
taken up later finds the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from gdl.datalog.join_plan import Columns, Exists, Filter, Step, make_plan
from gdl.datalog.magic_sets import Adornment, facts_relation, magic_rules
from gdl.datalog.python_codegen import (
    AccessPath,
    FixpointTable,
    FunctionWriter,
    key_text,
    parameters,
)
from gdl.datalog.rule_index import occurrences
from gdl.datalog.symbol_table import Key, sizes_of_columns
from gdl.errors import RulesetError
from gdl.language import Atom, Literal, RelationKey, Rule, names_in

if TYPE_CHECKING:
    from gdl.datalog.program import Program

Table: TypeAlias = set[Key] | frozenset[Key]
"""The rows of a relation."""

Component: TypeAlias = tuple[RelationKey, ...]
"""Relations that are defined through each other."""


def write_recursive_table(program: Program, access: AccessPath) -> list[str]:
    """Write the table of a recursive relation: its component's evaluator fills all its tables."""
    component = program.rule_index.component_of(access.relation)
    name = program.evaluator(component, lambda name: _write_component(program, name, component))
    return [
        f"def {access.name}({parameters(access.level)}):",
        f"    {name}({parameters(access.level)})",
        f"    return {access.slot_text}",
    ]


def write_recursive_call(program: Program, access: AccessPath) -> list[str]:
    """Write the call of a recursive relation: magic and answer tables grow from call to call."""
    start = Adornment(access.relation, access.bound)
    adorned = _adorn(program, start)
    fixpoint = _FixpointWriter(program, access, [k for a in adorned for k in (a.magic, a.answers)])
    fixpoint.writer.indent = 2
    fixpoint.write_rules()
    asked, answers = fixpoint.tables[start.magic].name, fixpoint.tables[start.answers]
    found = answers.name
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
        "            except BaseException:  # no later call may see half a fixpoint",
        f"                {access.slot_text} = None",
        "                raise",
        f"        return {found}",
        f"    {access.slot_text} = ask",
        "    return ask",
        f"def {access.name}({parameters(level, *arguments)}):",
        f"    ask = {access.slot_text}",
        f"    if ask is None: ask = {access.name}_new({parameters(level)})",
        f"    return ask({parameters(level, key_text(arguments))})",
    ]


def alternating_fixpoint(
    step: Callable[..., tuple[Table, ...]], width: int, names: str
) -> tuple[Table, ...]:
    """Compute the model of a component in which negation runs through a cycle of relations.

    ``step`` returns the least model with negated atoms looked up in ``width`` fixed tables.
    Starting from empty ones, its results bound the model from above and from below in turn. If the
    bounds meet, they are the model. Raises :class:`gdl.RulesetError` otherwise: then some ground
    atom depends on its own negation.

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
        raise RulesetError(f"negation runs in a cycle through ground atoms of: {names}")
    return low


def _write_component(program: Program, name: str, component: Component) -> list[str]:
    tables = [program.table(relation, (), tuple(range(relation[1]))) for relation in component]
    level = tables[0].level
    fixpoint = _FixpointWriter(program, tables[0], component)
    fixpoint.write_rules()
    slots = ", ".join(table.slot_text for table in tables)
    results = ", ".join(table.name for table in fixpoint.tables.values())
    body = [*fixpoint.table_lines(), *fixpoint.writer.prologue, *fixpoint.writer.lines]
    if not program.rule_index.negates_itself(component):
        return [f"def {name}({parameters(level)}):", *body, f"    {slots}, = {results},"]
    negated = [table.complement or "" for table in fixpoint.tables.values()]
    relations = ", ".join(sorted({relation[0] for relation in component}))
    return [
        f"def {name}_step({parameters(level, *negated)}):",
        *body,
        f"    return ({results},)",
        f"def {name}({parameters(level)}):",
        f"    step = lambda {', '.join(negated)}: {name}_step({parameters(level, *negated)})",
        f"    {slots}, = alternating_fixpoint(step, {len(component)}, {relations!r})",
    ]


class _FixpointWriter:
    """Writes the fixpoint of relations that are evaluated together."""

    def __init__(
        self, program: Program, access: AccessPath, component: Sequence[RelationKey]
    ) -> None:
        self.program = program
        negates = program.rule_index.negates_itself(component)
        self.tables: Mapping[RelationKey, FixpointTable] = {
            relation: FixpointTable(f"r{i}", {}, f"n{i}" if negates else None)
            for i, relation in enumerate(component)
        }
        self.writer = FunctionWriter(program, access.level, self.tables)

    def table_lines(self) -> list[str]:
        """Write the definitions of the tables, each with its delta (the new rows) and its indexes.

        The indexes are known only after the rules are written.
        """
        lines: list[str] = []
        for relation, table in self.tables.items():
            name = table.name
            columns = [f"c{i}" for i in range(relation[1])]
            lines += [f"    {name} = set()", f"    delta_{name} = []"]
            lines += [f"    {index} = {{}}" for index in table.indexes.values()]
            lines += [
                f"    def add_{name}(row):",
                f"        if row in {name}: return",
                f"        {name}.add(row)",
                f"        delta_{name}.append(row)",
            ]
            if table.indexes:
                lines.append(f"        {key_text(columns)} = row")
            for (bound, free), index in table.indexes.items():
                key = key_text([columns[i] for i in bound])
                value = key_text([columns[i] for i in free])
                lines.append(f"        {index}.setdefault({key}, []).append({value})")
        return lines

    def write_rules(self) -> None:
        """Write the facts and the rules without recursion, then the loops over new rows."""
        writer, rule_index = self.writer, self.program.rule_index
        rules = [rule for relation in self.tables for rule in rule_index.rules_of(relation)]
        for relation, table in self.tables.items():
            if rule_index.facts_of(relation):
                facts = self.program.fact_set(relation)
                writer.line(f"for row in {facts}: add_{table.name}(row)")
        for rule in rules:
            if not any(occurrences(rule, relation) for relation in self.tables):
                self._write_rule(rule, None)
        deltas = [f"delta_{table.name}" for table in self.tables.values()]
        writer.line(f"while {' or '.join(deltas)}:")
        writer.indent += 1
        for relation, delta in zip(self.tables, deltas, strict=True):
            self._write_loop(relation, delta, rules)
        writer.indent -= 1

    def _write_loop(self, relation: RelationKey, delta: str, rules: Iterable[Rule]) -> None:
        """Write the loop over the new rows of a relation."""
        writer = self.writer
        writer.line(f"while {delta}:")
        writer.indent += 1
        writer.line(f"row = {delta}.pop()")
        if relation[1]:
            writer.line(f"{key_text([f'c{i}' for i in range(relation[1])])} = row")
        for rule in rules:
            for occurrence in occurrences(rule, relation):
                self._write_rule(rule, occurrence)
        writer.indent -= 1

    def _write_rule(self, rule: Rule, new: Atom | None) -> None:
        """Write a rule; the variables of the ``new`` atom have the values of the new row."""
        rest = Rule(rule.head, tuple(part for part in rule.body if part is not new))
        known = names_in([new] if new else ())
        wanted = names_in([rule.head]) - known
        plan = make_plan(self.program.estimator, rest.body, known, wanted)
        given = [(term, f"c{i}") for i, term in enumerate(new.args)] if new else []
        add = f"add_{self.tables[rule.head.relation].name}"
        self.writer.rule(rest, plan.steps, lambda w, row: w.line(f"{add}({row})"), given)


def _adorn(program: Program, start: Adornment) -> list[Adornment]:
    """Add the magic rules for a call to the rule index, and return their adornments."""
    rule_index, estimator = program.rule_index, program.estimator

    def order(rule: Rule, bound: Columns) -> list[Literal]:
        return list(_literals(estimator.plan(rule, bound).steps))

    component = rule_index.component_of(start.relation)
    found = magic_rules(start, component, rule_index.rules_of, order)
    for relation in component:
        facts, rows = facts_relation(relation), rule_index.facts_of(relation)
        rule_index.replace_facts(facts, rows)
        estimator.set_exact(facts, len(rows), sizes_of_columns(rows))
    rules = [rule for filed in found.values() for rule in filed]
    for adornment in found:
        every = tuple(range(adornment.relation[1]))
        for key, columns in ((adornment.magic, adornment.bound), (adornment.answers, every)):
            rule_index.replace_rules(key, [rule for rule in rules if rule.head.relation == key])
            estimator.copy_estimate(key, adornment.relation, columns)
    return list(found)


def _literals(steps: Iterable[Step]) -> Iterator[Literal]:
    for step in steps:
        if isinstance(step, Exists):
            yield from _literals(step.steps)
        else:
            yield step.literal if isinstance(step, Filter) else step.atom
