"""The command ``gdl stats``: a survey of random play."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from gdl.analysis import NONE, Distribution, Survey, take_survey
from gdl.cli.options import game_name, read_machine
from gdl.playouts import Ending
from gdl.state_machine import StateMachine


def run_stats(file: Path, playouts: int, seed: int, max_steps: int, as_json: bool) -> None:
    """Show length, branching and goals of random play."""
    machine = read_machine(file)
    console = Console(stderr=True)
    hidden = as_json or not sys.stderr.isatty()
    with Progress(console=console, transient=True, disable=hidden) as progress:
        task = progress.add_task("playouts", total=playouts)
        survey = take_survey(machine, playouts, max_steps, seed, lambda: progress.advance(task))
    if as_json:
        document = {"game": game_name(file), "playouts": playouts, "seed": seed}
        click.echo(json.dumps(document | _figures(machine, survey), indent=2))
    else:
        _print(machine, survey)


def _print(machine: StateMachine, survey: Survey) -> None:
    console = Console(highlight=False, markup=False)
    console.print(_endings(survey))
    table = Table("", "least", "mean", "median", "most", "with a choice")
    for column in table.columns[1:]:
        column.justify = "right"
    _add_row(table, "steps of a match", survey.lengths)
    for role, moves in zip(machine.roles, survey.moves, strict=True):
        choice = f"{moves.share_above(1):.0%} of states" if moves else ""
        _add_row(table, f"moves of {role}", moves, choice)
    _add_row(table, "joint moves", survey.joint_moves)
    console.print(table)
    if survey.lengths:
        console.print(_goal_table(machine, survey))


def _endings(survey: Survey) -> str:
    parts = {
        Ending.TERMINAL: "ended",
        Ending.STEP_LIMIT: "were cut off at the step limit",
        Ending.NO_MOVE: "stopped where a role had no legal move",
    }
    counted = [f"{survey.endings[e]} {words}" for e, words in parts.items() if survey.endings[e]]
    return f"{survey.endings.total()} playouts: {', '.join(counted)}"


def _add_row(table: Table, name: str, values: Distribution, choice: str = "") -> None:
    figures: tuple[object, ...] = ("-",) * 4
    if values:
        figures = values.least, f"{values.mean:.2f}", values.median, values.most
    table.add_row(name, *map(str, figures), choice)


def _goal_table(machine: StateMachine, survey: Survey) -> Table:
    """Build a table of goal values: in what share of the matches each role ended with each."""
    values = sorted({utility for outcome in survey.outcomes for utility in outcome})
    table = Table("goal", *map(_goal_text, values), "mean")
    for column in table.columns[1:]:
        column.justify = "right"
    for index, role in enumerate(machine.roles):
        counts = survey.utilities_of(index)
        shares = [f"{counts[value] / counts.total():.0%}" for value in values]
        mean = sum(max(0, value) * n for value, n in counts.items()) / counts.total()
        table.add_row(str(role), *shares, f"{mean:.1f}")
    return table


def _goal_text(value: int) -> str:
    return "none" if value == NONE else str(value)


def _figures(machine: StateMachine, survey: Survey) -> dict[str, Any]:
    roles = list(map(str, machine.roles))
    goals = (sorted(survey.utilities_of(index).items()) for index in range(len(roles)))
    return {
        "endings": {ending.value: survey.endings[ending] for ending in Ending},
        "steps": _spread(survey.lengths),
        "joint_moves": _spread(survey.joint_moves),
        "moves": dict(zip(roles, map(_spread, survey.moves), strict=True)),
        "goals": {
            role: {_goal_text(value): count for value, count in counts}
            for role, counts in zip(roles, goals, strict=True)
        },
    }


def _spread(values: Distribution) -> dict[str, float] | None:
    if not values:
        return None
    names = ("least", "mean", "median", "most")
    return {name: getattr(values, name) for name in names}
