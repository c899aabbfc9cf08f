"""The functions behind accesses to relations without recursion: tables, indexes and calls."""

from __future__ import annotations

from typing import Protocol

from gdl.datalog.cardinality import CardinalityEstimator
from gdl.datalog.join_plan import make_plan
from gdl.datalog.python_codegen import Access, FunctionWriter, Library, key_text, parameters
from gdl.datalog.rule_index import RuleIndex
from gdl.language import Atom, RelationKey, Rule, variables_of


class Workshop(Library, Protocol):
    """What writing functions needs of the program that they become part of."""

    rulebook: RuleIndex
    statistics: CardinalityEstimator

    def fact_set(self, relation: RelationKey) -> str:
        """Return the name of the set of a relation's facts."""
        ...

    def fact_index(self, access: Access) -> str | None:
        """Return the name of an index of the facts by an access's key, None without facts."""
        ...


def write_table(workshop: Workshop, access: Access) -> list[str]:
    """Write the function that evaluates a whole relation."""
    writer = FunctionWriter(workshop, access.level)
    writer.line(f"out = set({workshop.fact_set(access.relation)})")
    rules = workshop.rulebook.rules_of(access.relation)
    if rules:
        writer.line("add = out.add")
    for rule in rules:
        steps = workshop.statistics.plan(rule, ()).steps
        writer.rule(rule, steps, lambda w, row: w.line(f"add({row})"))
    writer.line(f"{access.place} = out")
    writer.line("return out")
    return [f"def {access.name}({parameters(access.level)}):", *writer.lines]


def write_index(workshop: Workshop, access: Access) -> list[str]:
    """Write the function that makes an index, or a set of some columns, from a table."""
    every = tuple(range(access.relation[1]))
    table = workshop.table(access.relation, (), every)
    columns = [f"c{i}" for i in every]
    bound = key_text([columns[i] for i in access.bound])
    free = key_text([columns[i] for i in access.free])
    rows = f"for {key_text(columns)} in {table.local}"
    lines = [f"def {access.name}({parameters(access.level)}):"]
    lines += ["    " + line for line in table.fetch()]
    if not access.bound or not access.free:
        lines += [f"    out = {{{bound if access.bound else free} {rows}}}"]
    else:
        projects = len(access.bound) + len(access.free) < access.relation[1]
        new, add = ("set()", "add") if projects else ("[]", "append")
        lines += [
            "    out = {}",
            f"    {rows}:",
            f"        key = {bound}",
            "        if key not in out:",
            f"            out[key] = {new}",
            f"        out[key].{add}({free})",
        ]
    return [*lines, f"    {access.place} = out", "    return out"]


def write_call(workshop: Workshop, access: Access) -> list[str]:
    """Write the function that evaluates a relation for one key and remembers the result.

    The result is a set of the free columns' rows or, without free columns, a truth value.
    """
    arguments = [f"a{i}" for i in access.bound]
    key = key_text(arguments)
    writer = FunctionWriter(workshop, access.level)
    writer.line(f"memo = {access.place}")
    writer.line(f"if memo is None: memo = {access.place} = {{}}")
    writer.line(f"out = memo.get({key})")
    writer.line("if out is not None: return out")
    facts = workshop.fact_index(access)
    if access.free:
        writer.line(f"out = set({facts}.get({key}, NONE))" if facts else "out = set()")
    elif facts:
        writer.line(f"if {key} in {facts}:")
        writer.line(f"    memo[{key}] = True")
        writer.line("    return True")
    for rule in workshop.rulebook.rules_of(access.relation):
        _write_called_rule(writer, rule, access, key)
    writer.line(f"memo[{key}] = {'out' if access.free else 'False'}")
    writer.line("return out" if access.free else "return False")
    return [f"def {access.name}({parameters(access.level, *arguments)}):", *writer.lines]


def _write_called_rule(writer: FunctionWriter, rule: Rule, access: Access, key: str) -> None:
    arguments = rule.head.args
    known = {v.name for i in access.bound for v in variables_of(arguments[i])}
    wanted = {v.name for i in access.free for v in variables_of(arguments[i])} - known
    statistics = writer.library.statistics
    plan = make_plan(statistics, rule.body, known, wanted)
    head = Atom(rule.head.name, tuple(arguments[i] for i in access.free))

    def success(writer: FunctionWriter, row: str) -> None:
        if access.free:
            writer.line(f"out.add({row})")
        else:
            writer.line(f"memo[{key}] = True")
            writer.line("return True")

    given = [(arguments[i], f"a{i}") for i in access.bound]
    writer.rule(Rule(head, rule.body), plan.steps, success, given)
