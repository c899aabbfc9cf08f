"""The command ``gdl show``: what a rulesheet consists of, its circuit, or its analysis."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import gdl
from gdl.circuit import CompileOptions, compile_game
from gdl.cli.options import game_name, read_rules, write_text
from gdl.errors import GroundingLimitError, ResourceLimitError
from gdl.grounding import GroundingBudget
from gdl.language import Level, RelationKey, Ruleset
from gdl.reasoner import interpret
from gdl.reports.analysis_report import analysis_text
from gdl.reports.circuit_diagram import draw_circuit
from gdl.reports.circuit_report import PassFigures, circuit_lines, measure_stages
from gdl.reports.diagrams import Diagram, dot_text, svg_text
from gdl.reports.relation_graph import (
    RelationGraph,
    build_relation_graph,
    draw_relations,
    fluents,
    moves,
    relation_text,
)

SHOW_BUDGET = GroundingBudget(rules=500_000, cpu_seconds=30)
"""What grounding may take in each stage; without some passes it takes much more than with them."""

_NEEDS = {Level.STATIC: "", Level.VIEW: "state", Level.TRANSITION: "joint move"}


def run_show(file: Path, form: str, circuit: bool, analysis: bool, output: Path | None) -> None:
    """Show roles and relations, the compiled circuit, or an analysis."""
    if analysis and (circuit or form != "text"):
        raise click.UsageError("--analysis is text of its own: leave out --circuit and --format")
    ruleset = read_rules(file)
    if analysis:
        text = _analysis(ruleset)
    elif form == "text":
        text = _circuit_tables(ruleset) if circuit else _relation_tables(ruleset)
    else:
        diagram = (
            draw_circuit(compile_game(ruleset, CompileOptions()))
            if circuit
            else draw_relations(build_relation_graph(ruleset))
        )
        text = (dot_text if form == "dot" else _picture)(diagram, game_name(file))
    write_text(output, text)


def _analysis(ruleset: Ruleset) -> str:
    """Analyse a game, from playouts alone where it is too large to compile."""
    from gdl.analysis import analyse

    try:
        return analysis_text(analyse(gdl.compile(ruleset)))
    except GroundingLimitError as error:
        return f"not compiled: {error}\n{analysis_text(analyse(interpret(ruleset)))}"


def _picture(diagram: Diagram, name: str) -> str:
    try:
        return svg_text(diagram, name)
    except ResourceLimitError as error:
        advice = "--format dot writes a graph, which Graphviz may draw"
        raise ResourceLimitError(f"{error}; {advice}") from None


def _relation_tables(ruleset: Ruleset) -> str:
    console = Console(highlight=False, markup=False)
    with console.capture() as capture:
        _print_line(console, "roles", list(map(str, ruleset.roles)))
        _print_line(console, "moves", moves(ruleset))
        _print_line(console, "facts", fluents(ruleset))
        console.print(_relation_table(build_relation_graph(ruleset)))
    return capture.get()


def _print_line(console: Console, name: str, values: list[str]) -> None:
    console.print(f"{name}: {', '.join(values) or 'none'}", soft_wrap=True)


def _relation_table(graph: RelationGraph) -> Table:
    table = Table("relation", "facts", "rules", "depends on", "named in its rules")
    for column in table.columns[1:3]:
        column.justify = "right"
    for relation in reversed(graph.relations):
        name = f"{relation}{' (recursive)' if relation.recursive else ''}"
        counts = (str(count or "") for count in (relation.facts, relation.rules))
        table.add_row(name, *counts, _NEEDS[relation.level], _named(graph, relation.key))
    return table


def _named(graph: RelationGraph, key: RelationKey) -> str:
    named = graph.edges.get(key, {})
    return ", ".join(f"{'~' * negated}{relation_text(other)}" for other, negated in named.items())


def _circuit_tables(ruleset: Ruleset) -> str:
    console = Console(highlight=False, markup=False)
    with console.capture() as capture:
        for line in circuit_lines(compile_game(ruleset, CompileOptions())):
            console.print(line, soft_wrap=True)
        console.print(_stage_table(measure_stages(ruleset, SHOW_BUDGET)))
    return capture.get()


def _stage_table(stages: Iterable[PassFigures]) -> Table:
    """Build a table with a row for each pass: the game compiled with it and all above it."""
    names = ("rules", "view", "transition", "gates", "saved", "ground s", "build s")
    table = Table("with pass", *names, box=SIMPLE_HEAD, padding=0)
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    before: int | None = None
    for stage in stages:
        seconds = (f"{stage.ground_seconds:.2f}", f"{stage.build_seconds:.2f}")
        if stage.failure is not None:
            table.add_row(stage.name.replace("_", " "), "too many", *[""] * 4, seconds[0], "")
            continue
        gates = stage.view_gates + stage.transition_gates
        saved = f"{1 - gates / before:.0%}" if before else ""
        before = gates
        counts = (stage.ground_rules, stage.view_gates, stage.transition_gates, gates)
        table.add_row(stage.name.replace("_", " "), *map(str, counts), saved, *seconds)
    return table
