"""The command ``gdl diff``: whether two rulesheets are the same game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import gdl
from gdl.cli.arguments import MachineKind
from gdl.cli.options import read_rules
from gdl.cli.plain_output import writes_unicode
from gdl.oracle.comparison import Bounds, Comparison, Difference, Verdict, compare


def run_diff(first: Path, second: Path, machine: MachineKind, as_json: bool, **bounds: int) -> None:
    """Tell whether two rulesheets are the same game."""
    make = gdl.interpret if machine is MachineKind.REASONER else gdl.compile
    found = compare(read_rules(first), read_rules(second), make, Bounds(**bounds))
    if as_json:
        click.echo(json.dumps(_record(found), indent=2, ensure_ascii=not writes_unicode()))
    else:
        click.echo("\n".join(_lines(found, str(first), str(second))))
    if found.difference:
        raise SystemExit(1)


def _lines(found: Comparison, first: str, second: str) -> Iterator[str]:
    """Say in words what was found."""
    if found.difference:
        yield from _difference_lines(found.difference, first, second)
    elif found.verdict is Verdict.SAME_RULES:
        yield "the same game: the rules differ in names and order at most"
    elif found.verdict is Verdict.SAME_GAME:
        yield f"the same game: all {found.states} states that can be reached agree"
    else:
        yield (
            f"no difference found within {found.states} states, which are all of the first "
            f"{found.depth} steps and some beyond, and {found.playouts} random playouts"
        )


def _difference_lines(difference: Difference, first: str, second: str) -> Iterator[str]:
    if not difference.line:
        yield f"different in the initial state: {difference.what}"
    else:
        kind = "the shortest line of play" if difference.is_shortest else "perhaps not the shortest"
        yield f"different after these moves ({kind}): {difference.what}"
    for number, moves in enumerate(difference.line, 1):
        yield f"  {number:>4}  {' '.join(map(str, moves))}"
    yield f"  {first}: {difference.first}"
    yield f"  {second}: {difference.second}"


def _record(found: Comparison) -> dict[str, Any]:
    record: dict[str, Any] = {
        "verdict": found.verdict,
        "states": found.states,
        "depth": found.depth,
        "playouts": found.playouts,
    }
    if difference := found.difference:
        record["difference"] = {
            "what": difference.what,
            "line": [[str(move) for move in moves] for moves in difference.line],
            "first": difference.first,
            "second": difference.second,
            "is_shortest": difference.is_shortest,
        }
    return record
