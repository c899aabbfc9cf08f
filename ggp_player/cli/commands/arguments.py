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


def plies_range(text: str) -> tuple[int, int]:
    """Read two numbers of plies, as in 8-24; fail as click does."""
    first, dash, last = text.partition("-")
    if dash and first.isdecimal() and last.isdecimal() and int(first) <= int(last):
        return int(first), int(last)
    raise click.BadParameter(f"expected two numbers of plies such as 8-24; found {text}")


def _archive_limit(text: str) -> ArchiveLimit:
    try:
        return ArchiveLimit.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


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
        type=_archive_limit,
        default="1GiB",
        metavar="LIMIT",
        envvar=LIMIT_VARIABLE,
        help="How much the archive holds, in matches or as a size such as 500MB, or none; the "
        "oldest finished ones are deleted.",
    ),
)
"""The options of what plays matches: where they are kept, or nowhere."""
