"""How commands that play matches keep them: the options, and who writes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import click

from gdl.cli.options import Command
from ggp_player.archive import (
    ARCHIVE_VARIABLE,
    DEFAULT_LIMIT,
    ArchiveLimit,
    ArchiveWriter,
    default_archive,
)
from ggp_player.events import EventBus, EventWriter

NO_ARCHIVE_VARIABLE = "GGP_PLAYER_NO_ARCHIVE"
"""The environment variable by which no archive is written."""

LIMIT_VARIABLE = "GGP_PLAYER_ARCHIVE_LIMIT"
"""The environment variable that says how much the archive holds."""

STANDARD_OUTPUT = "-"


class _LimitType(click.ParamType[ArchiveLimit]):
    """A limit of the archive on the command line."""

    name = "limit"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> ArchiveLimit:
        """Read a limit; fail as click does."""
        if isinstance(value, ArchiveLimit):
            return value
        try:
            return ArchiveLimit.parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def archive_option(command: Command) -> Command:
    """Give a command that reads the archive the option that says where it is."""
    kind = click.Path(dir_okay=False, path_type=Path)
    text = "The database of matches.  [default: one in the user's data folder]"
    return click.option("--archive", type=kind, envvar=ARCHIVE_VARIABLE, help=text)(command)


def archiving_options(command: Command) -> Command:
    """Give a command that plays matches the options that say where they are kept, or nowhere."""
    text = "Keep the matches in no archive."
    option = click.option("--no-archive", is_flag=True, envvar=NO_ARCHIVE_VARIABLE, help=text)
    limited = click.option(
        "--archive-limit",
        type=_LimitType(),
        default=DEFAULT_LIMIT,
        envvar=LIMIT_VARIABLE,
        help="How much the archive holds, in matches or as a size such as 500MB, or none; the "
        "oldest finished ones are deleted.  [default: 1GiB]",
    )
    return archive_option(option(limited(command)))


@contextmanager
def archiving(
    path: Path | None, no_archive: bool, limit: ArchiveLimit = DEFAULT_LIMIT
) -> Iterator[EventBus]:
    """Write what the matches tell to the archive, unless there is to be none."""
    events = EventBus()
    with ExitStack() as stack:
        if not no_archive:
            stack.enter_context(ArchiveWriter(path or default_archive(), events, limit))
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
