"""The command ``python -m tests.load``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from tests.load.archive_agreement import Fixture, check_agreement


@click.group()
def main() -> None:
    """Measure what many matches and many viewers do to a player server on this machine."""


@main.command("archive")
@click.option("--matches", default=20, show_default=True, help="How many are played.")
@click.option("--jobs", default=1, show_default=True, help="How many at a time.")
@click.option("--game", default="ticTacToe", show_default=True, help="One of ours, for two.")
@click.option("--strategy", default="legal", show_default=True, help="What our server plays by.")
@click.option("--seed", default=0, show_default=True, help="For the random moves of the other.")
def archive_command(matches: int, jobs: int, game: str, strategy: str, seed: int) -> None:
    """Compare the archive of a server with the records of its game manager, match for match."""
    with tempfile.TemporaryDirectory() as folder:
        found = check_agreement(Path(folder), Fixture(matches, jobs, game, strategy, seed))
    first, last = (round(size / 1e6) for size in (found.memory[0], found.memory[-1]))
    click.echo(f"{found.matches} matches, {found.moves} joint moves")
    click.echo(f"late {found.late}, illegal {found.illegal}, longest reply {found.longest:.2f} s")
    click.echo(f"memory {first} MB after a tenth, {last} MB at the end")
    click.echo(f"{len(found.differences)} differences between the archive and the records")
    for difference in found.differences[:20]:
        click.echo(f"  {difference}")
    sys.exit(bool(found.differences or found.late or found.illegal))


if __name__ == "__main__":
    main()
