"""The command ``gdl diff``: whether two rulesheets are the same game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import gdl
from gdl.cli.options import FILE, Machine, machine_option, read_rules, seed_option
from gdl.oracle import Bounds, Comparison, Difference, Verdict, compare

DEFAULTS = Bounds()


@click.command("diff")
@click.argument("first", metavar="A", type=FILE)
@click.argument("second", metavar="B", type=FILE)
@click.option(
    "--states",
    type=click.IntRange(1),
    metavar="N",
    default=DEFAULTS.states,
    show_default=True,
    help="Compare so many pairs of states, breadth first.",
)
@click.option(
    "--playouts",
    type=click.IntRange(0),
    metavar="K",
    default=DEFAULTS.playouts,
    show_default=True,
    help="Where there are more, look deeper by so many random playouts.",
)
@click.option(
    "--max-steps",
    type=click.IntRange(0),
    metavar="M",
    default=DEFAULTS.max_steps,
    show_default=True,
    help="Stop a playout after so many steps.",
)
@seed_option
@machine_option(default=Machine.REASONER)
@click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")
def diff_command(first: Path, second: Path, machine: Machine, as_json: bool, **bounds: int) -> None:
    """Tell whether two rulesheets are the same game.

    They are if their rules differ in names and order alone, or if all states that can be reached
    have the same legal moves, ends, percepts, and goals at the end. Otherwise the shortest line of
    play is shown after which they differ; or, where there are too many states, how many were
    compared without a difference.

    The exit status is 0 if no difference was found, and 1 otherwise.

    \b
    Examples:
        gdl diff games/nim.kif games/nim.kif
        gdl diff games/ticTacToe.kif games/ticTacToe.kif --states 1000 --json
    """
    make = gdl.interpret if machine is Machine.REASONER else gdl.compile
    found = compare(read_rules(first), read_rules(second), make, Bounds(**bounds))
    if as_json:
        click.echo(json.dumps(_record(found), indent=2, ensure_ascii=False))
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
