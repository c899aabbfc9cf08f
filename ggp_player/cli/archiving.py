"""How commands that play matches keep them: the options, and who writes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import click

from gdl.cli.options import Command
from ggp_player.archive import ARCHIVE_VARIABLE, ArchiveWriter, default_archive
from ggp_player.events import EventBus, EventWriter

NO_ARCHIVE_VARIABLE = "GGP_PLAYER_NO_ARCHIVE"
"""The environment variable by which no archive is written."""

STANDARD_OUTPUT = "-"


def archive_option(command: Command) -> Command:
    """Give a command that reads the archive the option that says where it is."""
    kind = click.Path(dir_okay=False, path_type=Path)
    text = "The database of matches.  [default: one in the user's data folder]"
    return click.option("--archive", type=kind, envvar=ARCHIVE_VARIABLE, help=text)(command)


def archiving_options(command: Command) -> Command:
    """Give a command that plays matches the options that say where they are kept, or nowhere."""
    text = "Keep the matches in no archive."
    option = click.option("--no-archive", is_flag=True, envvar=NO_ARCHIVE_VARIABLE, help=text)
    return archive_option(option(command))


@contextmanager
def archiving(path: Path | None, no_archive: bool) -> Iterator[EventBus]:
    """Write what the matches tell to the archive, unless there is to be none."""
    events = EventBus()
    with ExitStack() as stack:
        if not no_archive:
            stack.enter_context(ArchiveWriter(path or default_archive(), events))
        yield events


@contextmanager
def writing_events(target: str, events: EventBus) -> Iterator[None]:
    """Append events to a file as lines of JSON; ``-`` is the standard output, empty is nowhere.

    Raises ClickException where the file cannot be opened.
    """
    if not target:
        yield
        return
    with ExitStack() as stack:
        file: IO[bytes] = sys.stdout.buffer
        if target != STANDARD_OUTPUT:
            try:
                file = stack.enter_context(Path(target).open("ab"))
            except OSError as error:
                message = f"events cannot be written to {target}: {error.strerror or error}"
                raise click.ClickException(message) from error
        writer = EventWriter(events, file)
        stack.callback(writer.close)
        yield
