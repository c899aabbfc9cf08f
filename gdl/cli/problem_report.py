"""What ``gdl check`` found, in words and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from gdl.errors import Problem, Severity, Source
from gdl.validation import PlayoutProblem, PlayoutReport

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


def describe_problem(source: Source, problem: Problem) -> str:
    """Return a problem with its place, the line it is in and carets below, for a terminal."""
    head, _, excerpt = source.describe(problem).partition("\n")
    return f"{click.style(head, fg=_COLOURS[problem.severity])}\n{excerpt}"


def describe_finding(name: str, finding: PlayoutProblem) -> str:
    """Return what playing showed, with the moves that lead there, for a terminal."""
    text = f"{name}: {finding.severity}: {finding.message} [{finding.code}]"
    head = click.style(text, fg=_COLOURS[finding.severity])
    if not finding.moves:
        return f"{head}\n  in the initial state"
    steps = [f"  {n:>4}  {' '.join(map(str, move))}" for n, move in enumerate(finding.moves, 1)]
    shortest = ", and no fewer" if finding.is_shortest else ""
    return "\n".join([head, f"  after these moves{shortest}:", *steps])


def summary(
    found: Sequence[Problem | PlayoutProblem], simulation: PlayoutReport | None = None
) -> str:
    """Return in words how much was found, and how the playouts went."""
    counts = {severity: sum(one.severity is severity for one in found) for severity in Severity}
    parts = [f"{n} {severity}{'s' * (n > 1)}" for severity, n in counts.items() if n]
    text = ", ".join(parts) or "no problems"
    return f"{text}; {_played(simulation)}" if simulation else text


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


def json_report(
    source: Source,
    problems: Sequence[Problem],
    simulation: PlayoutReport | None,
    failure: str = "",
) -> dict[str, Any]:
    """Return all about one rulesheet as JSON; lines and columns count from 1."""
    document: dict[str, Any] = {
        "file": source.name,
        "problems": [_json_problem(source, problem) for problem in problems],
    }
    if failure:
        document["failure"] = failure
    if simulation:
        document["simulation"] = {
            "findings": [_json_finding(finding) for finding in simulation.problems],
            "lengths": simulation.lengths,
            "unfinished": simulation.unfinished,
            "monotonic": [str(role) for role in simulation.monotonic],
        }
    return document


def _json_problem(source: Source, problem: Problem) -> dict[str, Any]:
    start, end = problem.span
    line, column = source.position(start)
    end_line, end_column = source.position(end)
    return {
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "text": source.text[start:end],
    }


def _json_finding(finding: PlayoutProblem) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "code": finding.code,
        "message": finding.message,
        "moves": [[str(move) for move in joint_move] for joint_move in finding.moves],
        "is_shortest": finding.is_shortest,
    }
