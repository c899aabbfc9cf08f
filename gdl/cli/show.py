"""The command ``gdl show``: what a rulesheet consists of."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from gdl.cli.rulesheets import OUTPUT, game_name, read_rules, rulesheet_argument, write_text
from gdl.cli.show_analysis import analysis_text
from gdl.cli.show_circuit import propnet_diagram, propnet_text
from gdl.language import Level, RelationKey, Ruleset
from gdl.reports import (
    RelationGraph,
    build_relation_graph,
    dot_text,
    fluents,
    moves,
    relation_diagram,
    relation_text,
    svg_text,
)

_NEEDS = {Level.STATIC: "", Level.VIEW: "state", Level.TRANSITION: "joint move"}


@click.command("show")
@rulesheet_argument
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "dot", "svg"]),
    default="text",
    show_default=True,
    help="A table, a graph for Graphviz, or a picture.",
)
@click.option("--propnet", is_flag=True, help="Show the network that the game is compiled to.")
@click.option("--analysis", is_flag=True, help="Show the game's structure: turns, goals, parts.")
@click.option("--output", "-o", type=OUTPUT, help="Where to write, instead of standard output.")
def show_command(file: Path, form: str, propnet: bool, analysis: bool, output: Path | None) -> None:
    """Show roles, relations and what depends on what, or the network.

    The table has every relation with the number of facts and rules that state it, whether it
    depends on the state or on the joint move, and the relations that its rules name, ~ where
    under a negation. The graph shows the same, with an arrow to each relation that is named.

    With --propnet: the network's figures, and a table with a row for each pass, in their order,
    for the game compiled with that pass and all above it; "saved" is the share of gates that the
    pass does away with. The graph, of at most 500 gates, has an arrow to all that a gate reads.

    \b
    Examples:
        gdl show games/ticTacToe.kif
        gdl show games/ticTacToe.kif --as svg --output ticTacToe.svg
        gdl show games/ticTacToe.kif --as dot | dot -Tpdf > ticTacToe.pdf
        gdl show games/ticTacToe.kif --propnet
        gdl show games/ticTacToe.kif --analysis
    """
    if analysis and (propnet or form != "text"):
        raise click.UsageError("--analysis is text of its own: leave out --propnet and --as")
    ruleset = read_rules(file)
    if analysis:
        write_text(output, analysis_text(ruleset))
        return
    if form == "text":
        text = propnet_text(ruleset) if propnet else _table_text(ruleset)
    else:
        diagram = (
            propnet_diagram(ruleset) if propnet else relation_diagram(build_relation_graph(ruleset))
        )
        text = dot_text(diagram, game_name(file)) if form == "dot" else svg_text(diagram)
    write_text(output, text)


def _table_text(ruleset: Ruleset) -> str:
    graph = build_relation_graph(ruleset)
    console = Console(highlight=False, markup=False)
    with console.capture() as capture:
        _print_line(console, "roles", list(map(str, ruleset.roles)))
        _print_line(console, "moves", moves(ruleset))
        _print_line(console, "facts", fluents(ruleset))
        console.print(_relation_table(graph))
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
