"""The command ``python -m tests.load``."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import click

from tests.load.archive_agreement import Fixture, check_agreement
from tests.load.clicks import Clicks, measure
from tests.load.hostile_event import Settings
from tests.load.hostile_event import run as run_hostile_event
from tests.load.viewers import Pairs, compare
from tests.support.server_process import ServerProcess


@click.group()
def main() -> None:
    """Measure what many matches, viewers and hostile players do to servers on this machine."""


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


@main.command("viewers")
@click.option("--pairs", default=2, show_default=True, help="Pairs of matches that are played.")
@click.option("--viewers", default=20, show_default=True, help="Pages that look at the one.")
@click.option("--game", default="connectFour", show_default=True, help="One of ours, for two.")
@click.option("--strategy", default="legal", show_default=True, help="What our server plays by.")
@click.option("--play-clock", default=2, show_default=True, help="Seconds.")
@click.option("--seed", default=0, show_default=True, help="For the random moves of the other.")
def viewers_command(strategy: str, pairs: int, **settings: Any) -> None:
    """Compare the replies of a server that is watched with those of one that is not."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        flags = ("--archive", str(path / "matches.sqlite"), "--strategy", strategy)
        # Those of the match before are counted until the server has noticed that they are gone.
        most = ("--max-viewers", str(4 * settings["viewers"] + 4))
        connections = ("--max-connections-per-address", "1000", "--max-connections", "2000")
        with ServerProcess(path, *flags, *most, *connections) as server:
            found = asyncio.run(compare(server, Pairs(pairs, **settings)))
            server.stop()
    click.echo("| viewers | replies | median | 99 % | longest | least margin | late | illegal |")
    click.echo("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for count, replies in ((0, found.alone), (settings["viewers"], found.watched)):
        middle, nearly_all, longest = (f"{seconds:.3f} s" for seconds in replies.figures())
        left = f"{settings['play_clock'] - max(replies.seconds):.3f} s"
        cells = (
            len(replies.seconds),
            middle,
            nearly_all,
            longest,
            left,
            replies.late,
            replies.illegal,
        )
        click.echo(f"| {count} | {' | '.join(map(str, cells))} |")
    size = f"{found.bytes / 1e6:.1f} MB"
    click.echo(f"{found.messages} messages, {size}; {found.fewest} at least to a viewer in a match")
    sys.exit(bool(found.watched.late or found.watched.illegal))


@main.command("clicks")
@click.option("--games", default=20, show_default=True, help="How many are played, each another.")
@click.option("--clicks", default=5, show_default=True, help="Moves in each.")
@click.option("--busy", default=0, show_default=True, help="Processes that use a core beside it.")
@click.option("--settle", default=60, show_default=True, help="Seconds before the first match.")
def clicks_command(settle: int, **settings: Any) -> None:
    """Measure in a browser how long it is from a click that makes a move to its board."""
    found = measure(Clicks(**settings), settle)
    click.echo("| game | clicks | median | longest |")
    click.echo("| --- | ---: | ---: | ---: |")
    for name, seconds in found.seconds.items():
        cells = (f"{1000 * value:.0f} ms" for value in (median(seconds), max(seconds)))
        click.echo(f"| {name} | {len(seconds)} | {' | '.join(cells)} |")
    middle, nine_tenths, nearly_all, longest = (f"{1000 * x:.0f} ms" for x in found.figures())
    loads = ", ".join(f"{load:.1f}" for load in found.loads)
    click.echo(f"median {middle}, 90 % {nine_tenths}, 99 % {nearly_all}, longest {longest}")
    click.echo(f"load average {loads} (before, after)")


@main.command("event")
@click.option("--matches", default=30, show_default=True, help="How many are played at least.")
@click.option("--start-clock", default=2, show_default=True, help="Seconds.")
@click.option("--play-clock", default=1, show_default=True, help="Seconds.")
@click.option("--strength", default=1.0, show_default=True, help="Multiplies what strangers do.")
@click.option("--seed", default=0, show_default=True, help="For what hostile players do.")
def event_command(**settings: Any) -> None:
    """Hold an event with hostile players under attack, and check how each move is scored."""
    with tempfile.TemporaryDirectory() as folder:
        found = run_hostile_event(Settings(**settings), Path(folder))
    click.echo("\n".join(found.lines()))
    sys.exit(bool(found.problems))


if __name__ == "__main__":
    main()
