"""How commands that play matches keep them: who writes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import click

from ggp_player.archive import default_archive
from ggp_player.archive.archive_limit import DEFAULT_LIMIT, ArchiveLimit
from ggp_player.archive.writer import ArchiveWriter
from ggp_player.events import EventBus
from ggp_player.events.json_lines import EventWriter

STANDARD_OUTPUT = "-"


@contextmanager
def archiving(
    path: Path | None, no_archive: bool, limit: ArchiveLimit = DEFAULT_LIMIT
) -> Iterator[EventBus]:
    """Write what the matches tell to the archive, unless there is to be none.

    Raises ClickException at the end where something could not be written.
    """
    events = EventBus()
    if no_archive:
        yield events
        return
    archive = path or default_archive()
    with ArchiveWriter(archive, events, limit) as writer:
        yield events
    if writer.failure:
        raise click.ClickException(f"the archive {archive} is not complete: {writer.failure}")


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
