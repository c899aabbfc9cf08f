"""The command line of the measurements."""

from __future__ import annotations

from pathlib import Path
from random import Random

import click

import gdl
from gdl.engine import PropnetStateMachine
from tests.hidden_information.beliefs import belief_errors
from tests.hidden_information.values import play_matches

RULESHEETS = click.argument(
    "rulesheets", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)
)


@click.group()
def main() -> None:
    """Measure the play of games with hidden information."""


@main.command()
@RULESHEETS
@click.option("--samples", default=512, show_default=True, help="states that stand for all")
@click.option("--matches", default=20, show_default=True, help="random matches of each game")
def beliefs(rulesheets: tuple[Path, ...], samples: int, matches: int) -> None:
    """Compare sampled beliefs with exact ones, fact by fact, in random matches."""
    for path in rulesheets:
        found = belief_errors(_compiled(path), samples, matches)
        click.echo(
            f"{path.stem:20} steps {found.steps:4}  states up to {found.most_states:6}  "
            f"mean error {found.mean:.4f}  of the mean belief {found.of_mean:.4f}"
        )


@main.command()
@RULESHEETS
@click.option("--seconds", default=2.0, show_default=True, help="a move")
@click.option("--matches", default=20, show_default=True, help="of each game")
def values(rulesheets: tuple[Path, ...], seconds: float, matches: int) -> None:
    """Play all roles by the search, and print the mean goals; chance begins in turn as it may."""
    for path in rulesheets:
        machine = _compiled(path)
        goals = play_matches(machine, matches, seconds, Random(path.stem))
        means = "  ".join(
            f"{role} {sum(of_role) / len(of_role):.2f}"
            for role, of_role in zip(machine.roles, zip(*goals, strict=True), strict=True)
        )
        click.echo(f"{path.stem:20} {matches} matches at {seconds:g} s a move: {means}")


def _compiled(path: Path) -> PropnetStateMachine:
    machine = gdl.compile(gdl.load(path))
    machine.warm_up()
    return machine


if __name__ == "__main__":
    main(prog_name="python -m tests.hidden_information")
