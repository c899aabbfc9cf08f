"""What the commands of ``ggp-player`` share: how errors are reported, and what precedes clocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from gdl import GdlError
from gdl.cli.options import write_text
from ggp_player.manager.players import compile_searches_of
from ggp_player.protocol import MatchRecord


@contextmanager
def reporting_unplayable_game() -> Iterator[None]:
    """Report errors in the rules, and in playing by them, as errors of the game."""
    try:
        yield
    except GdlError as error:
        raise click.ClickException(f"the game cannot be played:\n{error}") from error


def save_or_print(record: MatchRecord, path: Path) -> None:
    """Save the record of a match; where that fails, print it, so that it is not lost.

    Raises OSError then, which names the file.
    """
    write_text(path, record.to_json() + "\n")


def compile_before_clocks(players: Iterable[str]) -> None:
    """Have the searches compiled that some players need; stderr says what is done, if anything."""
    compile_searches_of(players, say_on_stderr)


def say_on_stderr(line: str) -> None:
    """Print a line on stderr."""
    click.echo(line, err=True)
