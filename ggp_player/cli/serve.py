"""The command ``ggp-player serve``: a player server, with every setting as a flag."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO

import click
from yarl import URL

from gdl.system import child_environment, lower_priority
from gdl.system.helper_process import helper_command
from ggp_player.archive.archive_limit import ArchiveLimit
from ggp_player.cli.archiving import STANDARD_OUTPUT, archiving, writing_events
from ggp_player.cli.reached import reached_at, reached_here
from ggp_player.errors import ConfigError, ServerError
from ggp_player.logs import start_logging
from ggp_player.server.access import is_loopback
from ggp_player.server.config import Config, load_config
from ggp_player.server.http import serve
from ggp_player.server.reply_deadline import STOPPING_LIMIT
from ggp_player.strategies.learning import FOLDER_VARIABLE

GALLERY_NICENESS = 10
"""How much the player's matches go before those of people."""

GALLERY_SECONDS = 1.0
"""How long the server waits for the process with people's matches to end; it may take longer."""

_log = logging.getLogger(__name__)


def run_serve(config: Path | None, **flags: object) -> None:
    """Answer game managers over HTTP until Ctrl-C."""
    settings = settings_of(config, flags)
    if settings.evaluations is not None:  # the searches' processes inherit it
        os.environ[FOLDER_VARIABLE] = str(settings.evaluations.absolute())
    start_logging(settings.logging_level, settings.log_format)
    try:
        limit = ArchiveLimit.parse(settings.archive_limit)
        with (
            archiving(settings.archive, settings.no_archive, limit) as events,
            writing_events(settings.events, events),
        ):
            beside, greet = partial(_gallery, settings), partial(_greet, settings)
            asyncio.run(serve(settings, greet, _end_at_the_latest, events, beside))
    except ServerError as error:
        raise click.ClickException(str(error)) from error


@asynccontextmanager
async def _gallery(settings: Config) -> AsyncIterator[None]:
    """Serve the page of all games by a process of its own, which goes behind the player's matches.

    So no rulesheet of a person's delays a reply. Raises :class:`ServerError` where it cannot be
    served; why not, the process says.
    """
    if settings.gallery is None:
        yield
        return
    from ggp_player.cli.play import play_until_input_ends

    arguments = ["--no-browser", "--port", str(settings.gallery)]
    arguments += ["--seed", str(settings.seed), "--archive-limit", settings.archive_limit]
    if settings.no_archive:
        arguments.append("--no-archive")
    elif settings.archive is not None:
        arguments += ["--archive", str(settings.archive)]
    # Not asyncio's, which kills what still runs when its loop is gone.
    process = subprocess.Popen(  # noqa: ASYNC220 it takes a few milliseconds
        helper_command(play_until_input_ends, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=child_environment(),
        process_group=0,  # no Ctrl-C; in a session of its own Linux may heed no niceness
    )
    lower_priority(process.pid, GALLERY_NICENESS)
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        try:
            async with asyncio.TaskGroup() as group:
                beginning = group.create_task(_begun(process.stdout, settings.gallery))
                yield
                beginning.cancel()
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            if beginning.cancelled():
                process.kill()  # it has no matches to keep yet
            process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                await asyncio.to_thread(process.wait, GALLERY_SECONDS)


async def _begun(output: IO[bytes], port: int) -> None:
    """Wait until the process that people play at has said where it listens."""
    if not await asyncio.to_thread(output.readline):
        raise ServerError(f"people cannot play at port {port}: see above")


def settings_of(config: Path | None, flags: Mapping[str, object]) -> Config:
    """Load the settings of a server; fail as click does, with a sentence for each wrong one."""
    try:
        return load_config(
            config, {name: None if value == () else value for name, value in flags.items()}
        )
    except ConfigError as error:
        raise click.UsageError(f"these settings cannot be used:\n{error}") from error


def _end_at_the_latest() -> None:
    """End this process after :data:`STOPPING_LIMIT`, whatever still runs in it then.

    Worker processes end themselves when the server is gone.
    """

    def end() -> None:
        _log.error("the server does not stop in %g s, and is ended", STOPPING_LIMIT)
        os._exit(1)

    timer = threading.Timer(STOPPING_LIMIT, end)
    timer.daemon = True  # the interpreter does not wait for it
    timer.start()


def _greet(config: Config, host: str, port: int) -> None:
    """Say where the server listens, as whom, and what to tell a game manager."""
    secret = "/SECRET" if config.token else ""
    address = f"{reached_at(host, port)}{secret}"
    here = reached_here(host, port)
    local = f" (from this machine, {here}{secret})" if here else ""
    lines = {
        "listening": f"{host}:{port}",
        "name": config.name,
        "strategy": config.strategy,
        "register": f"give your game manager the address {address}{local}",
        "watch": f"open http://{address} in a browser" if config.pages else "no pages",
        **({"play": f"open {config.gallery_address}"} if config.gallery else {}),
        "access": access_sentence(config, host),
        "stop": "Ctrl-C",
    }
    if config.poll:
        manager = URL(config.poll).with_user(None)  # and so without the password
        lines["polling"] = f"{manager} as {config.poll_as or config.name}"
    for key, value in lines.items():
        click.echo(f"{key:<11}{value}", err=config.events == STANDARD_OUTPUT)


def access_sentence(config: Config, host: str) -> str:
    """Say who is answered, and how to change that."""
    if is_loopback(host):
        return "managers on this machine; for others, --host 0.0.0.0 --allow THEIR_ADDRESS"
    if config.token:
        return "whoever gives the secret"
    if config.allow:
        return f"this machine and {', '.join(config.allow)}"
    return "everybody who reaches this machine; --allow and --token restrict that"
