"""Functions for relations without recursion: tables, indexes and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.datalog.join_plan import make_plan
from gdl.datalog.python_codegen import (
    AccessPath,
    FunctionWriter,
    key_text,
    parameters,
)
from gdl.language import Atom, Rule, variables_of

if TYPE_CHECKING:
    from gdl.datalog.program import Program


def write_table(program: Program, access: AccessPath) -> list[str]:
    """Write the function that evaluates a whole relation."""
    writer = FunctionWriter(program, access.level)
    writer.line(f"out = set({program.fact_set(access.relation)})")
    rules = program.rule_index.rules_of(access.relation)
    if rules:
        writer.line("add = out.add")
    for rule in rules:
        steps = program.estimator.plan(rule, ()).steps
        writer.rule(rule, steps, lambda w, row: w.line(f"add({row})"))
    writer.line(f"{access.slot_text} = out")
    writer.line("return out")
    return [f"def {access.name}({parameters(access.level)}):", *writer.lines]


def write_index(program: Program, access: AccessPath) -> list[str]:
    """Write the function that builds an index, or the set of some columns, from a table."""
    every = tuple(range(access.relation[1]))
    table = program.table(access.relation, (), every)
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
    return [*lines, f"    {access.slot_text} = out", "    return out"]


def write_call(program: Program, access: AccessPath) -> list[str]:
    """Write the function that evaluates a relation for one key and memoizes the result.

    The result is the set of the free columns' rows or, without free columns, a truth value.
    """
    arguments = [f"a{i}" for i in access.bound]
    key = key_text(arguments)
    writer = FunctionWriter(program, access.level)
    writer.line(f"memo = {access.slot_text}")
    writer.line(f"if memo is None: memo = {access.slot_text} = {{}}")
    writer.line(f"out = memo.get({key})")
    writer.line("if out is not None: return out")
    facts = program.fact_index(access)
    if access.free:
        writer.line(f"out = set({facts}.get({key}, NONE))" if facts else "out = set()")
    elif facts:
        writer.line(f"if {key} in {facts}:")
        writer.line(f"    memo[{key}] = True")
        writer.line("    return True")
    for rule in program.rule_index.rules_of(access.relation):
        _write_called_rule(writer, rule, access, key)
    writer.line(f"memo[{key}] = {'out' if access.free else 'False'}")
    writer.line("return out" if access.free else "return False")
    return [f"def {access.name}({parameters(access.level, *arguments)}):", *writer.lines]


def _write_called_rule(writer: FunctionWriter, rule: Rule, access: AccessPath, key: str) -> None:
    arguments = rule.head.args
    known = {v.name for i in access.bound for v in variables_of(arguments[i])}
    wanted = {v.name for i in access.free for v in variables_of(arguments[i])} - known
    plan = make_plan(writer.program.estimator, rule.body, known, wanted)
    head = Atom(rule.head.name, tuple(arguments[i] for i in access.free))

    def emit(writer: FunctionWriter, row: str) -> None:
        if access.free:
            writer.line(f"out.add({row})")
        else:
            writer.line(f"memo[{key}] = True")
            writer.line("return True")

    given = [(arguments[i], f"a{i}") for i in access.bound]
    writer.rule(Rule(head, rule.body), plan.steps, emit, given)
