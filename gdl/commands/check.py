"""The command ``gdl check``: what is wrong with a rulesheet, and where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from gdl.commands.rulesheets import FILE, read_source
from gdl.errors import Problem, Severity, Source
from gdl.parser import read_ruleset

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.pass_context
def check_command(ctx: click.Context, files: tuple[Path, ...]) -> None:
    """Report the mistakes in rulesheets.

    Every problem is shown with its line and column, and a caret under its place.

    The exit status is 0 where no FILE has an error, and 1 otherwise; warnings are no errors.

    \b
    Example:
        gdl check games/*.kif
    """
    failed = False
    for file in files:
        source = read_source(file)
        problems = find_problems(source)
        _report(source, problems)
        failed |= any(problem.severity is Severity.ERROR for problem in problems)
    ctx.exit(int(failed))


def find_problems(source: Source) -> list[Problem]:
    """Return all that is wrong with a rulesheet, in text order."""
    _, problems = read_ruleset(source)
    return sorted(problems, key=lambda problem: problem.span)


def _report(source: Source, problems: Sequence[Problem]) -> None:
    for problem in problems:
        head, _, excerpt = source.describe(problem).partition("\n")
        click.secho(head, fg=_COLOURS[problem.severity])
        click.echo(excerpt)
    click.echo(f"{source.name}: {summary(problems)}")


def summary(problems: Sequence[Problem]) -> str:
    """Return how many problems there are of each severity, in words."""
    counts = {
        severity: sum(problem.severity is severity for problem in problems) for severity in Severity
    }
    parts = [f"{n} {severity}{'s' * (n > 1)}" for severity, n in counts.items() if n]
    return ", ".join(parts) or "no problems"
