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
from ggp_player.cli.archiving import archiving
from ggp_player.cli.options import reporting_unplayable_game, save_or_print
from ggp_player.errors import ConfigError
from ggp_player.events import EventBus
from ggp_player.manager import RemotePlayer, check_reachable, game_name, seat_of
from ggp_player.play.human import HumanSeat
from ggp_player.play.page import serve_table
from ggp_player.play.session import Opponent, PlaySession, PlaySetup
from ggp_player.play.terminal import Terminal, TerminalSession
from ggp_player.server import load_config
from ggp_player.worker.pool import Pool


def run_play(
    game: Path,
    archive: Path | None,
    no_archive: bool,
    archive_limit: ArchiveLimit,
    **options: object,
) -> None:
    """Play GAME against the computer: one of our own games, by name, or a file of rules."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)-7s %(message)s")
    chosen = _Options(**options)  # type: ignore[arg-type]
    with (
        reporting_unplayable_game(),
        archiving(archive, no_archive, archive_limit) as events,
    ):
        setup = chosen.setup(game, events)
        with suppress(KeyboardInterrupt):
            asyncio.run(_play(setup, chosen))


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
            self.start_clock,
            self.play_clock,
            self.seed,
            rulesheet_url=rulesheet.resolve().as_uri(),
            events=events,
            persons=self.roles,
            opponents=tuple(map(_opponent, self.opponents or ("auto",))),
            is_timed=self.timed,
        )


async def _play(setup: PlaySetup, options: _Options) -> None:
    """Play until the person leaves."""
    machine = await asyncio.to_thread(gdl.interpret, setup.ruleset)
    await check_reachable([one for one in setup.opponents if isinstance(one, RemotePlayer)])
    limits = load_config(flags={"strategy": "auto"}).memory_limits
    async with await asyncio.to_thread(PlaySession, setup, machine, Pool(1, limits)) as session:
        if options.terminal:
            await TerminalSession(session, Terminal(), options.save).run()
        else:
            await _play_on_page(session, options)


async def _play_on_page(session: PlaySession, options: _Options) -> None:
    async with serve_table(session, session.setup.match_id, options.port) as address:
        click.echo(f"play at {address}\nCtrl-C ends it")
        if not options.no_browser:
            # In a thread, as some browsers are waited for.
            await asyncio.to_thread(webbrowser.open, address)
        try:
            await asyncio.Event().wait()
        finally:
            if options.save is not None:
                save_or_print(session.record(), options.save)


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
