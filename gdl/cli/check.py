"""The command ``gdl check``: what is wrong with a rulesheet, and where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from gdl.cli.problem_report import describe_finding, describe_problem, json_report, summary
from gdl.cli.rulesheets import FILE, read_source
from gdl.errors import GdlError, Problem, Severity, Source
from gdl.language import parse
from gdl.reasoner import interpret
from gdl.validation import PlayoutProblem, PlayoutReport, declared_in, check_playouts, validate


@dataclass(frozen=True, slots=True)
class Simulation:
    """How to play for checks: random playouts of so many steps, from a seed."""

    playouts: int
    max_steps: int
    seed: int


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was found out about one rulesheet; ``failure`` says why it could not be played."""

    source: Source
    problems: tuple[Problem, ...]
    simulation: PlayoutReport | None = None
    failure: str = ""

    @property
    def findings(self) -> tuple[PlayoutProblem, ...]:
        """What playing showed."""
        return self.simulation.problems if self.simulation else ()

    @property
    def has_errors(self) -> bool:
        """Whether the rulesheet is no good as it is."""
        found: tuple[Problem | PlayoutProblem, ...] = (*self.problems, *self.findings)
        return bool(self.failure) or any(one.severity is Severity.ERROR for one in found)


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option(
    "--simulate", "playouts", type=click.IntRange(1), metavar="N", help="Also play N playouts."
)
@click.option(
    "--max-steps",
    type=click.IntRange(1),
    metavar="M",
    default=500,
    show_default=True,
    help="Break a playout off after so many steps, and report it.",
)
@click.option("--seed", default=0, metavar="N", show_default=True, help="One seed, one result.")
@click.option("--json", "as_json", is_flag=True, help="Write the problems as JSON.")
def check_command(
    files: tuple[Path, ...], playouts: int | None, max_steps: int, seed: int, as_json: bool
) -> None:
    """Report the mistakes in rulesheets.

    Every problem is shown with its line and column, and a caret under its place. With --simulate,
    random playouts look for roles without a legal move, matches without an end, goal values that
    are missing or out of range, and facts and moves that base and input do not list; each is shown
    with the moves that lead there.

    The exit status is 0 where no FILE has an error, and 1 otherwise; warnings are no errors.

    \b
    Examples:
        gdl check games/*.kif
        gdl check games/ticTacToe.kif --simulate 20 --max-steps 100
        gdl check --json games/ticTacToe.kif
    """
    simulation = Simulation(playouts, max_steps, seed) if playouts else None
    reports = (_checked(read_source(file), simulation) for file in files)
    failed = _print_json(reports) if as_json else _print(reports)
    if failed:
        raise SystemExit(1)


def _checked(source: Source, simulation: Simulation | None) -> CheckReport:
    problems = validate(source)
    report = CheckReport(source, problems)
    if simulation is None or report.has_errors:
        return report
    try:
        ruleset = parse(source.text, source.name)
        played = check_playouts(
            interpret(ruleset),
            simulation.playouts,
            simulation.max_steps,
            simulation.seed,
            declared_in(ruleset),
        )
    except GdlError as error:
        return CheckReport(source, problems, failure=str(error))
    return CheckReport(source, problems, played)


def _print(reports: Iterator[CheckReport]) -> bool:
    """Print reports for people; tell whether any has errors."""
    failed = False
    for report in reports:
        name = report.source.name
        for problem in report.problems:
            click.echo(describe_problem(report.source, problem))
        for finding in report.findings:
            click.echo(describe_finding(name, finding))
        if report.failure:
            click.echo(f"{name}: error: {report.failure}")
        click.echo(f"{name}: {summary([*report.problems, *report.findings], report.simulation)}")
        failed |= report.has_errors
    return failed


def _print_json(reports: Iterator[CheckReport]) -> bool:
    """Print reports as one JSON list; tell whether any has errors."""
    kept = list(reports)
    documents = [
        json_report(report.source, report.problems, report.simulation, report.failure)
        for report in kept
    ]
    click.echo(json.dumps(documents, indent=2, ensure_ascii=False))
    return any(report.has_errors for report in kept)
