"""What the commands of ``ggp-player`` share: arguments, options and a warning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

import click

from gdl import GdlError
from gdl.cli.options import Command
from ggp_player.manager import RemotePlayer
from ggp_player.play import human_seat, our_games
from ggp_player.strategies import EngineStrategy
from ggp_player.strategies.selection import strategy_class
from ggp_player.worker import is_warm

MAX_CLOCK = 86_400
"""Seconds: a day."""


class _Rulesheet(click.Path):
    """A file of rules, or one of our games by its name, in any case."""

    def convert(
        self, value: str | PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """Return the file. One that exists goes before a game of that name."""
        if not Path(value).exists():
            names = {name.lower(): file for name, file in our_games().items()}
            value = names.get(str(value).lower(), value)
        return Path(str(super().convert(str(value), param, ctx)))


RULESHEET = _Rulesheet(exists=True, dir_okay=False, path_type=Path)

_OUTPUT = click.Path(dir_okay=False, writable=True, path_type=Path)


def match_options(command: Command) -> Command:
    """Give a command the options of a match: the clocks, the seed, and whether to scramble."""
    for option in reversed(
        (
            _clock_option("--start-clock", 10, "Whole seconds for thinking before the first move."),
            _clock_option("--play-clock", 5, "Whole seconds for each move."),
            click.option(
                "--seed", default=0, show_default=True, help="Where all randomness begins."
            ),
            click.option("--scramble", is_flag=True, help="Replace the words of the rules."),
        )
    ):
        command = option(command)
    return command


def _clock_option(flag: str, default: int, text: str) -> Callable[[Command], Command]:
    """Make an option for a clock, in whole seconds as in the protocol."""
    kind = click.IntRange(0, MAX_CLOCK)
    return click.option(
        flag, type=kind, default=default, show_default=True, metavar="SECONDS", help=text
    )


def output_option(*flags: str, text: str) -> Callable[[Command], Command]:
    """Make an option for a file to write, whose folder must exist."""
    return click.option(*flags, type=_OUTPUT, callback=_in_a_folder, help=text)


def _in_a_folder(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent}", context, option)
    return path


@contextmanager
def reporting_unplayable_game() -> Iterator[None]:
    """Report errors in the rules, and in playing by them, as errors of the game."""
    try:
        yield
    except GdlError as error:
        raise click.ClickException(f"the game cannot be played:\n{error}") from error


def warn_if_cold(players: Iterable[str]) -> None:
    """Warn on stderr if a player's search is compiled once for a machine, and is not yet."""
    specs = [
        player
        for player in players
        if RemotePlayer.named(player) is None and human_seat(player) is None
    ]
    if any(issubclass(strategy_class(spec), EngineStrategy) for spec in specs) and not is_warm():
        click.echo(
            "the strong searches are not compiled yet, and others play in their place: "
            "ggp-player warm-up compiles them",
            err=True,
        )
