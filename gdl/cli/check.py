"""The command ``gdl check``: what is wrong with a rulesheet, and where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from gdl.cli.arguments import FILE, number_option, seed_option
from gdl.cli.options import read_source
from gdl.cli.plain_output import writes_unicode
from gdl.errors import GdlError, Problem, Severity, Source
from gdl.language import parse
from gdl.reasoner import interpret
from gdl.validation.playout_checks import PlayoutProblem, PlayoutReport, check_playouts
from gdl.validation.position_checks import declared_in
from gdl.validation.validator import problem_record, validate

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The findings about one rulesheet; ``failure`` says why it could not be played."""

    source: Source
    problems: tuple[Problem, ...]
    simulation: PlayoutReport | None = None
    failure: str = ""

    @property
    def findings(self) -> tuple[PlayoutProblem, ...]:
        """The problems that playouts showed."""
        return self.simulation.problems if self.simulation else ()

    @property
    def found(self) -> tuple[Problem | PlayoutProblem, ...]:
        """All problems, of the text and of playouts."""
        return (*self.problems, *self.findings)

    @property
    def has_errors(self) -> bool:
        """Whether the rulesheet cannot be used as it is."""
        return bool(self.failure) or any(one.severity is Severity.ERROR for one in self.found)


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option(
    "--simulate", "playouts", type=click.IntRange(1), metavar="N", help="Also play N playouts."
)
@number_option(
    "--max-steps",
    click.IntRange(1),
    500,
    "Cut a playout off after so many steps, and report it.",
    unit="M",
)
@seed_option
@click.option("--json", "as_json", is_flag=True, help="Write the problems as JSON.")
def check_command(
    files: tuple[Path, ...], playouts: int | None, max_steps: int, seed: int, as_json: bool
) -> None:
    """Report the mistakes in rulesheets.

    Every problem is shown with its line and column, and carets under the text. With --simulate,
    random playouts look for roles without a legal move, matches without an end, goal values that
    are missing or out of range, and facts and moves that base and input do not list; each is shown
    with the moves that lead to it.

    The exit status is 0 if no FILE has an error, and 1 otherwise; warnings are not errors.

    \b
    Examples:
        gdl check games/*.kif
        gdl check games/ticTacToe.kif --simulate 20 --max-steps 100
        gdl check --json games/ticTacToe.kif
    """
    reports = (_checked(read_source(file), playouts, max_steps, seed) for file in files)
    failed = _print_json(reports) if as_json else _print(reports)
    if failed:
        raise SystemExit(1)


def _checked(source: Source, playouts: int | None, max_steps: int, seed: int) -> CheckReport:
    problems = validate(source)
    report = CheckReport(source, problems)
    if playouts is None or report.has_errors:
        return report
    try:
        ruleset = parse(source.text, source.name)
        declared = declared_in(ruleset)
        played = check_playouts(interpret(ruleset), playouts, max_steps, seed, declared)
    except GdlError as error:
        return CheckReport(source, problems, failure=str(error))
    return CheckReport(source, problems, played)


def _print(reports: Iterator[CheckReport]) -> bool:
    """Print reports for people; return whether any has errors."""
    failed = False
    for report in reports:
        name = report.source.name
        for problem in report.problems:
            click.echo(_describe_problem(report.source, problem))
        for finding in report.findings:
            click.echo(_describe_finding(name, finding))
        if report.failure:
            click.echo(f"{name}: error: {report.failure}")
        click.echo(f"{name}: {_summary(report)}")
        failed |= report.has_errors
    return failed


def _print_json(reports: Iterator[CheckReport]) -> bool:
    """Print reports as one JSON list; return whether any has errors."""
    kept = list(reports)
    documents = [_json_report(report) for report in kept]
    click.echo(json.dumps(documents, indent=2, ensure_ascii=not writes_unicode()))
    return any(report.has_errors for report in kept)


# ---------------------------------------------------------------------- for a terminal


def _describe_problem(source: Source, problem: Problem) -> str:
    """Show a problem with its position, its line, and carets below."""
    head, _, excerpt = source.describe(problem).partition("\n")
    return f"{click.style(head, fg=_COLOURS[problem.severity])}\n{excerpt}"


def _describe_finding(name: str, finding: PlayoutProblem) -> str:
    """Show a finding of playouts, with the moves that lead to it."""
    text = f"{name}: {finding.severity}: {finding.message} [{finding.code}]"
    head = click.style(text, fg=_COLOURS[finding.severity])
    if not finding.moves:
        return f"{head}\n  in the initial state"
    steps = [f"  {n:>4}  {' '.join(map(str, move))}" for n, move in enumerate(finding.moves, 1)]
    shortest = ", and no fewer" if finding.is_shortest else ""
    return "\n".join([head, f"  after these moves{shortest}:", *steps])


def _summary(report: CheckReport) -> str:
    """Summarize how many problems there are, and how the playouts went."""
    found = report.found
    counts = {severity: sum(one.severity is severity for one in found) for severity in Severity}
    parts = [f"{n} {severity}{'s' * (n > 1)}" for severity, n in counts.items() if n]
    text = ", ".join(parts) or "no problems"
    return f"{text}; {_played(report.simulation)}" if report.simulation else text


def _played(simulation: PlayoutReport) -> str:
    lengths = simulation.lengths
    ended = f"{len(lengths)} playouts ended"
    if lengths:
        ended += f" after {min(lengths)} to {max(lengths)} steps"
    parts = [ended]
    if simulation.unfinished:
        parts.append(f"{simulation.unfinished} did not")
    if simulation.monotonic:
        parts.append(f"goals that never fell: {', '.join(map(str, simulation.monotonic))}")
    return "; ".join(parts)


# ---------------------------------------------------------------------- as JSON


def _json_report(report: CheckReport) -> dict[str, Any]:
    """Write a report about one rulesheet as JSON; lines and columns count from 1."""
    document: dict[str, Any] = {
        "file": report.source.name,
        "problems": [problem_record(report.source, problem) for problem in report.problems],
    }
    if report.failure:
        document["failure"] = report.failure
    if simulation := report.simulation:
        document["simulation"] = {
            "findings": [_json_finding(finding) for finding in simulation.problems],
            "lengths": simulation.lengths,
            "unfinished": simulation.unfinished,
            "monotonic": [str(role) for role in simulation.monotonic],
        }
    return document


def _json_finding(finding: PlayoutProblem) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "code": finding.code,
        "message": finding.message,
        "moves": [[str(move) for move in joint_move] for joint_move in finding.moves],
        "is_shortest": finding.is_shortest,
    }
