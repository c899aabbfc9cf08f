"""The command ``ggp-player play``: a person plays a game, on a page or in the terminal."""

from __future__ import annotations

import asyncio
import logging
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

import gdl
from ggp_player.archive import ArchiveLimit
from ggp_player.cli.archiving import archiving, archiving_options
from ggp_player.cli.options import MAX_CLOCK, output_option, reporting_unplayable_game
from ggp_player.errors import ConfigError, PlayError
from ggp_player.events import EventBus
from ggp_player.manager import RemotePlayer, game_name, seat_of
from ggp_player.move_service import Pool
from ggp_player.play import (
    HumanSeat,
    Opponent,
    PlaySession,
    PlaySetup,
    Terminal,
    TerminalSession,
    our_games,
    rulesheet_of,
    serve_table,
)
from ggp_player.server import load_config

_CLOCK = click.IntRange(1, MAX_CLOCK)


@click.command("play", short_help="Play a game yourself, in the browser or in the terminal.")
@click.argument("game", required=False)
@click.option(
    "--as",
    "roles",
    multiple=True,
    metavar="ROLE",
    help="A role that you play, or each of several.  [default: the first]",
)
@click.option(
    "--opponent",
    "opponents",
    multiple=True,
    metavar="PLAYER",
    help="Who plays the others: a strategy, host:port, or host:port#DIALECT; one for each or for "
    "all.  [default: auto]",
)
@click.option(
    "--start-clock",
    type=_CLOCK,
    default=5,
    show_default=True,
    metavar="SECONDS",
    help="How long the opponents think before their first move.",
)
@click.option(
    "--play-clock",
    type=_CLOCK,
    default=3,
    show_default=True,
    metavar="SECONDS",
    help="How long they think about each move, at most.",
)
@click.option("--timed", is_flag=True, help="Hold yourself to the play clock, too.")
@click.option("--seed", default=0, show_default=True, help="Where all randomness begins.")
@click.option("--terminal", is_flag=True, help="Play in the terminal.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port of the page.  [default: a free one]",
)
@click.option("--no-browser", is_flag=True, help="Open no browser, only say where the page is.")
@output_option("--save", text="Write the match record to a file at the end, as JSON.")
@archiving_options
def play_command(
    game: str | None,
    archive: Path | None,
    no_archive: bool,
    archive_limit: ArchiveLimit,
    **options: object,
) -> None:
    """Play GAME against the computer: one of our own games, by name, or a file of rules.

    A page opens in the browser: click the board, or the list of moves. With --terminal the board is
    drawn in text. Without GAME the names of our games are listed.

    \b
    Examples:
        ggp-player play connectFour
        ggp-player play chess --as black --play-clock 10
        ggp-player play my_game.kif --terminal --opponent mcts
    """
    if game is None:
        _list_games()
        return
    logging.basicConfig(level=logging.WARNING, format="%(levelname)-7s %(message)s")
    chosen = _Options(**options)  # type: ignore[arg-type]
    with reporting_unplayable_game():
        try:
            rulesheet = rulesheet_of(game)
        except PlayError as error:
            raise click.BadParameter(str(error), param_hint="GAME") from error
        with archiving(archive, no_archive, archive_limit) as events:
            setup = chosen.setup(rulesheet, events)
            with suppress(KeyboardInterrupt):
                asyncio.run(_play(setup, chosen))


def _list_games() -> None:
    for name in our_games():
        click.echo(name)
    click.echo("\nggp-player play NAME plays one of them, or a file of rules.", err=True)


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of the command."""

    roles: tuple[str, ...]
    opponents: tuple[str, ...]
    start_clock: int
    play_clock: int
    timed: bool
    seed: int
    terminal: bool
    port: int
    no_browser: bool
    save: Path | None

    def setup(self, rulesheet: Path, events: EventBus) -> PlaySetup:
        """What the match is played with."""
        return PlaySetup(
            gdl.load(rulesheet),
            game_name(rulesheet),
            self.roles,
            tuple(map(_opponent, self.opponents or ("auto",))),
            self.start_clock,
            self.play_clock,
            self.timed,
            self.seed,
            rulesheet_url=rulesheet.resolve().as_uri(),
            events=events,
        )


async def _play(setup: PlaySetup, options: _Options) -> None:
    """Play until the person leaves."""
    machine = await asyncio.to_thread(gdl.interpret, setup.ruleset)
    limits = load_config(flags={"strategy": "auto"}).memory_limits
    async with await asyncio.to_thread(PlaySession, setup, machine, Pool(1, limits)) as session:
        if options.terminal:
            await TerminalSession(session, Terminal(), options.save).run()
        else:
            await _play_on_page(session, options)


async def _play_on_page(session: PlaySession, options: _Options) -> None:
    async with serve_table(session, session.setup.game, options.port) as address:
        click.echo(f"play at {address}\nCtrl-C ends it")
        if not options.no_browser:
            # In a thread, as some browsers are waited for.
            await asyncio.to_thread(webbrowser.open, address)
        try:
            await asyncio.Event().wait()
        finally:
            if options.save is not None:
                session.record().save(options.save)


def _opponent(text: str) -> Opponent:
    """Read who plays. Raises click's BadParameter where nobody is called that."""
    try:
        seat = seat_of(text)
    except ConfigError as error:
        raise click.BadParameter(str(error), param_hint="--opponent") from error
    if isinstance(seat, RemotePlayer):
        return seat
    if isinstance(seat, HumanSeat):
        raise click.BadParameter(
            "people are named by --as, once for each role", param_hint="--opponent"
        )
    return text
