"""What the command lines of ``ggp-player`` share: types of arguments, and options of matches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from gdl.cli.arguments import Command, OutputPath, RulesheetPath, number_option, options
from ggp_player.archive.archive_limit import ArchiveLimit

MAX_CLOCK = 86_400
"""Seconds: a day."""

CLOCK = click.IntRange(1, MAX_CLOCK)
"""The type of every clock, in whole seconds as in the protocol; in none no reply could come."""

SECONDS_OF = {"s": 1, "m": 60, "h": 3600}
"""The units of a time, in seconds."""

RULESHEET = RulesheetPath()
"""The type of an argument that names a rulesheet."""

LEAST_MIB = 512
"""MiB of address space in which a match begins: with less, libraries and threads fail at random."""

NO_ARCHIVE_VARIABLE = "GGP_PLAYER_NO_ARCHIVE"
"""The environment variable by which no archive is written."""

LIMIT_VARIABLE = "GGP_PLAYER_ARCHIVE_LIMIT"
"""The environment variable that says how much the archive holds."""

ARCHIVE_VARIABLE = "GGP_PLAYER_ARCHIVE"
"""The environment variable that says where the archive is."""


games_option = click.option(
    "--game",
    "games",
    multiple=True,
    required=True,
    type=RULESHEET,
    metavar="RULESHEET",
    help="A game to play; give the option again for each further one.",
)
"""The option for the games of many matches."""


def clock_option(flag: str, default: int, text: str) -> Callable[[Command], Command]:
    """Make an option for a clock."""
    return number_option(flag, CLOCK, default, text, unit="SECONDS")


match_options = options(
    clock_option("--start-clock", 10, "Whole seconds for thinking before the first move."),
    clock_option("--play-clock", 5, "Whole seconds for each move."),
    click.option("--seed", default=0, help="Where all randomness begins."),
    click.option("--scramble", is_flag=True, help="Replace the words of the rules."),
)
"""The options of a match: the clocks, the seed, and whether to scramble."""


def output_option(*flags: str, text: str) -> Callable[[Command], Command]:
    """Make an option for a file to write, which can be made there."""
    return click.option(*flags, type=OutputPath(), help=text)


class PliesRange(click.ParamType[tuple[int, int]]):
    """Two numbers of plies, as in 8-24."""

    name = "plies"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Read two numbers; fail as click does."""
        first, dash, last = str(value).partition("-")
        if dash and first.isdecimal() and last.isdecimal() and int(first) <= int(last):
            return int(first), int(last)
        return self.fail(f"expected two numbers of plies such as 8-24; found {value}", param, ctx)


class Duration(click.ParamType[float]):
    """A time of at most so many seconds, as in 90, 90s, 10m or 1h."""

    name = "duration"

    def __init__(self, most: float) -> None:
        self.most = most

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read seconds; fail as click does."""
        number, unit = str(value), "s"
        if number[-1:] in SECONDS_OF:
            number, unit = number[:-1], number[-1]
        try:
            seconds = float(number) * SECONDS_OF[unit]
        except ValueError:
            seconds = 0.0
        if 0 < seconds <= self.most:
            return seconds
        hours = self.most / SECONDS_OF["h"]
        expected = f"expected a time such as 90, 90s, 10m or 1h, of at most {hours:.0f} hours"
        return self.fail(f"{expected}; found {value}", param, ctx)


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


archive_option = click.option(
    "--archive",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar=ARCHIVE_VARIABLE,
    help="The database of matches.  [default: one in the user's data folder]",
)
"""The option of what reads the archive: where it is."""

archiving_options = options(
    archive_option,
    click.option(
        "--no-archive",
        is_flag=True,
        envvar=NO_ARCHIVE_VARIABLE,
        help="Keep the matches in no archive.",
    ),
    click.option(
        "--archive-limit",
        type=_LimitType(),
        default="1GiB",
        envvar=LIMIT_VARIABLE,
        help="How much the archive holds, in matches or as a size such as 500MB, or none; the "
        "oldest finished ones are deleted.",
    ),
)
"""The options of what plays matches: where they are kept, or nowhere."""
