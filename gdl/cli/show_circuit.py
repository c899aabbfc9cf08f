"""What ``gdl show --propnet`` shows: a game's network."""

from __future__ import annotations

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from gdl.circuit import CompileOptions, compile_game
from gdl.grounding import GroundingBudget
from gdl.language import Ruleset
from gdl.reports import Diagram, PassFigures, Summary, measure_stages, network_diagram, summary

BUDGET = GroundingBudget(rules=500_000, seconds=30)
"""What grounding may take in each stage; without some passes it takes much more than with them."""


def propnet_diagram(ruleset: Ruleset) -> Diagram:
    """Return the diagram of a game's network."""
    return network_diagram(compile_game(ruleset, CompileOptions()))


def propnet_text(ruleset: Ruleset) -> str:
    """Return the passes with what they save, and the network's figures."""
    console = Console(highlight=False, markup=False)
    with console.capture() as capture:
        _print_summary(console, summary(compile_game(ruleset, CompileOptions())))
        console.print(_stage_table(measure_stages(ruleset, BUDGET)))
    return capture.get()


def _print_summary(console: Console, found: Summary) -> None:
    moves = zip(found.roles, found.moves, strict=True)
    lines = [
        f"moves: {', '.join(f'{role} {count}' for role, count in moves)}",
        f"facts: {found.fluents}, {found.irrelevant_fluents} of which can never matter",
        f"view: {found.view_gates} gates, depth {found.view_depth}",
        f"transition: {found.transition_gates} gates, depth {found.transition_depth}",
        f"cycles: {found.cycles}",
    ]
    for line in lines:
        console.print(line, soft_wrap=True)


def _stage_table(stages: Iterable[PassFigures]) -> Table:
    """Return a table with a row for each pass: the game compiled with it and all above it."""
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
