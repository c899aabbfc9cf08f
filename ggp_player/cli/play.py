"""The command ``ggp-player play``: a person plays a game, on a page or in the terminal."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
import time
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

import gdl
from ggp_player.archive.archive_limit import ArchiveLimit
from ggp_player.cli.archiving import archiving
from ggp_player.cli.options import reporting_unplayable_game, save_or_print
from ggp_player.errors import ConfigError
from ggp_player.events import EventBus
from ggp_player.languages import Sentence
from ggp_player.manager.players import RemotePlayer, check_reachable, seat_of
from ggp_player.match_runner.game_manager import game_name
from ggp_player.play.gallery import Gallery, serve_gallery
from ggp_player.play.human import HumanSeat
from ggp_player.play.levels import ADAPTIVE, HIGHEST, LEVELS, MIDDLE
from ggp_player.play.match_clock import TIME_CONTROLS, TimeControl
from ggp_player.play.page import serve_table
from ggp_player.play.play_setup import Opponent, PlaySetup
from ggp_player.play.session import PlaySession
from ggp_player.play.terminal import Terminal, TerminalSession
from ggp_player.server.config import load_config
from ggp_player.worker.pool import Pool
from ggp_player.worker.warm_up_process import ensure_warm

MOST_SECONDS_TO_END = 30.0
"""How long matches may take to be kept; then the process ends anyhow."""


def run_play(
    game: Path | None,
    archive: Path | None,
    no_archive: bool,
    archive_limit: ArchiveLimit,
    **options: object,
) -> None:
    """Play GAME against the computer: one of our own games, by name, or a file of rules.

    Without one, all games are on a page.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)-7s %(message)s")
    chosen = _Options(**options)  # type: ignore[arg-type]
    with (
        reporting_unplayable_game(),
        archiving(archive, no_archive, archive_limit) as events,
        suppress(KeyboardInterrupt),
    ):
        if game is not None:
            setup = chosen.setup(events, gdl.load(game), game_name(game), game.resolve().as_uri())
            asyncio.run(_play(setup, chosen))
        else:
            tuple(map(_opponent, chosen.opponents))  # which says now what cannot be used
            asyncio.run(_play_in_gallery(chosen, events))


def play_until_input_ends() -> None:
    """Run the command beside another process, as Ctrl-C ends it when the standard input ends.

    That is when the other one ends, however it does, and matches are kept then as ever.
    """

    def end_with_input() -> None:
        while os.read(0, 4096):  # not by sys.stdin, whose lock would hold up the end
            pass
        signal.raise_signal(signal.SIGINT)
        time.sleep(MOST_SECONDS_TO_END)
        os._exit(1)

    from ggp_player.__main__ import main  # which says in sentences what goes wrong

    sys.argv[1] = "play"  # for the number of the other process
    with suppress(KeyboardInterrupt):  # which the command knows, but not before it begins
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's & has it ignored
        threading.Thread(target=end_with_input, daemon=True).start()
        main()


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of the command."""

    roles: tuple[str, ...]
    opponents: tuple[str, ...]
    level: str | None
    start_clock: int
    play_clock: int
    clock: str | None
    timed: bool
    seed: int
    terminal: bool
    port: int
    no_browser: bool
    save: Path | None

    def control(self) -> TimeControl | None:
        """The clocks that the command line names."""
        if self.timed:
            name = Sentence("{count} seconds a move", count=self.play_clock)
            return TimeControl("timed", name, self.play_clock, is_per_move=True)
        return next((one for one in TIME_CONTROLS if one.key == self.clock), None)

    def setup(self, events: EventBus, ruleset: gdl.Ruleset, name: str, address: str) -> PlaySetup:
        """What a match of a game is played with, as far as the command line says it."""
        setup = PlaySetup(
            ruleset,
            name,
            self.start_clock,
            self.play_clock,
            self.seed,
            rulesheet_url=address,
            events=events,
            persons=self.roles,
            opponents=tuple(map(_opponent, self.opponents or (HIGHEST.strategy,))),
            adapts=self.level == ADAPTIVE,
            control=self.control(),
        )
        if self.level is None:
            return setup
        return setup.at(MIDDLE if setup.adapts else LEVELS[int(self.level) - 1])


@dataclass(slots=True)
class _Workers:
    """What searches in one match after the other.

    What all matches share is compiled from the first one on, which goes on when that has ended. Not
    before: beside a server, that does the same when it starts.
    """

    pool: Pool
    warming: asyncio.Task[None] | None = None

    async def session(self, setup: PlaySetup) -> PlaySession:
        """Make the session of a match, in which player servers are asked whether they are there."""
        if self.warming is None:
            self.warming = asyncio.create_task(ensure_warm(self.pool.health))
        machine = await asyncio.to_thread(gdl.interpret, setup.ruleset)
        await check_reachable([one for one in setup.opponents if isinstance(one, RemotePlayer)])
        return await asyncio.to_thread(PlaySession, setup, machine, self.pool, warming=self.warming)


@asynccontextmanager
async def _workers() -> AsyncIterator[_Workers]:
    """Have a worker started for the first match before somebody wants it, and then for the next."""
    pool = Pool(1, load_config(flags={"strategy": "auto"}).memory_limits)
    starting = asyncio.create_task(pool.start())
    workers = _Workers(pool)
    try:
        yield workers
    finally:
        if workers.warming is not None:
            workers.warming.cancel()
            await asyncio.wait([workers.warming])
        await asyncio.wait([starting])
        await pool.close()


async def _play(setup: PlaySetup, options: _Options) -> None:
    """Play until the person leaves."""
    async with _workers() as workers, await workers.session(setup) as session:
        if options.terminal:
            await TerminalSession(session, Terminal(), options.save).run()
        else:
            await _play_on_page(session, options)


async def _play_on_page(session: PlaySession, options: _Options) -> None:
    async with serve_table(session, session.setup.match_id, options.port) as address:
        try:
            await _until_left(address, options)
        finally:
            if options.save is not None:
                save_or_print(session.record(), options.save)


async def _play_in_gallery(options: _Options, events: EventBus) -> None:
    """Play one match after the other, each begun on the page of all games."""
    default = "0" if options.opponents else str(HIGHEST.number)
    new_setup, level = partial(options.setup, events), options.level or default
    async with _workers() as workers:
        gallery = Gallery(new_setup, workers.session, level, options.opponents, options.control())
        async with serve_gallery(gallery, options.port) as address:
            await _until_left(address, options)


async def _until_left(address: str, options: _Options) -> None:
    click.echo(f"play at {address}\nCtrl-C ends it")
    if not options.no_browser:
        # In a thread, as some browsers are waited for.
        await asyncio.to_thread(webbrowser.open, address)
    await asyncio.Event().wait()


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
