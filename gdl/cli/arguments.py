"""What command lines share: the types of arguments for rulesheets and outputs, and some options."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from importlib import import_module
from os import PathLike, fsdecode
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar

import click

from gdl.game_library import find_own_game, similar_names
from gdl.system import address_space_limit, is_file, is_folder

STDIN = Path("-")

Command = TypeVar("Command", bound=Callable[..., Any])


class RulesheetPath(click.Path):
    """A file of rules, or one of our games by its name, in any case.

    A file that exists goes before a game of that name; so does a folder, where folders are taken.
    """

    def __init__(self, *, dir_okay: bool = False, allow_dash: bool = False) -> None:
        super().__init__(exists=True, dir_okay=dir_okay, allow_dash=allow_dash, path_type=Path)

    def convert(
        self, value: str | PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """Return the file; fail as click does, with the names of games that look like this one."""
        text = fsdecode(value)
        if self.allow_dash and text == str(STDIN):
            return STDIN
        if is_file(text) or (self.dir_okay and is_folder(text)):
            return Path(str(super().convert(text, param, ctx)))
        if (game := find_own_game(text)) is not None:
            return game
        near = similar_names(text)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        what = "File or folder" if self.dir_okay else "File"
        return self.fail(f"{what} {text!r} does not exist, nor a game of ours{hint}", param, ctx)


class OutputPath(click.Path):
    """A file to write: that it can be written is known before the work for it begins."""

    def __init__(self, *, dir_okay: bool = False, allow_dash: bool = False) -> None:
        super().__init__(dir_okay=dir_okay, writable=True, allow_dash=allow_dash, path_type=Path)

    def convert(
        self, value: str | PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """Return the path; fail as click does where no file can be made there."""
        path = Path(str(super().convert(value, param, ctx)))
        if not (self.allow_dash and path == STDIN) and (reason := why_unwritable(path)):
            self.fail(reason, param, ctx)
        return path


def why_unwritable(path: Path) -> str:
    """Return why no file can be written in the place of a path; empty where one can."""
    if not is_folder(path.parent):
        return f"there is no folder {path.parent}"
    try:
        if path.exists() and not path.is_file():
            return ""  # a device, or a folder, is written without a file beside it
        with TemporaryFile(dir=path.resolve().parent):
            return ""
    except OSError as error:
        return f"in {path.parent} no file can be written: {error.strerror}"


FILE = RulesheetPath(allow_dash=True)
"""The type of an argument that names a rulesheet, or ``-`` for the standard input."""

FILE_OR_FOLDER = RulesheetPath(dir_okay=True, allow_dash=True)
"""The type of an argument that names a rulesheet, or a folder of them."""

OUTPUT = OutputPath(allow_dash=True)
"""The type of an option that names a file to write, or ``-`` for the standard output."""


rulesheet_argument = click.argument("file", metavar="FILE", type=FILE)
"""The argument ``file``, one rulesheet."""


class MachineKind(StrEnum):
    """The state machine that a command uses."""

    REASONER = "reasoner"
    """Evaluates the rules themselves, one state at a time; ready at once."""
    PROPNET = "propnet"
    """Evaluates the circuit of the ground rules, 512 states at a time; takes time to compile."""


def runs(place: str, least_mib: int = 0) -> Callable[[Callable[[], None]], Callable[..., None]]:
    """Have a command call a function, ``module:name``, which is imported when the command is given.

    What is decorated has the name and the help of the command, and does nothing. So asking for help
    imports nothing slow. A command that needs ``least_mib`` MiB of address space is refused where
    a limit leaves less: importing libraries would end it in the middle, or threads never begin.
    """

    def decorated(described: Callable[[], None]) -> Callable[..., None]:
        @wraps(described)
        def run(*context: click.Context, **options: object) -> None:
            limit = address_space_limit()
            if limit is not None and limit < least_mib * 2**20:
                raise click.ClickException(
                    f"expected a limit of address space (ulimit -v) of {least_mib} MiB or more, "
                    f"found {limit >> 20} MiB"
                )
            module, _, name = place.partition(":")
            getattr(import_module(module), name)(*context, **options)

        return run

    return decorated


def ray_option(verb: str, more: str = " It needs the extra ray.") -> Callable[[Command], Command]:
    """Give a command the option ``--ray``: what it does on a cluster, and what it needs there."""
    text = f"{verb} on a Ray cluster: its address, auto, or local to start one here.{more}"
    return click.option("--ray", metavar="ADDRESS", help=text)


def options(*them: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Join several options to one; the help lists them in this order."""

    def give(command: Command) -> Command:
        for option in reversed(them):
            command = option(command)
        return command

    return give


def machine_option(default: MachineKind) -> Callable[[Command], Command]:
    """Give a command the option ``--machine``, as the argument ``machine``."""
    return click.option(
        "--machine",
        type=click.Choice([machine.value for machine in MachineKind]),
        callback=lambda context, parameter, value: MachineKind(value),
        default=default.value,
        help="Interpret the rules, or compile them to a circuit.",
    )


seed_option = click.option("--seed", default=0, metavar="N", help="One seed, one result.")
"""The option ``--seed``."""


def number_option(
    flag: str,
    numbers: click.IntRange | click.FloatRange,
    default: float,
    text: str,
    unit: str = "N",
) -> Callable[[Command], Command]:
    """Make an option for a number; ``unit`` is what the help has in its place."""
    return click.option(flag, type=numbers, default=default, metavar=unit, help=text)


class DeviceName(click.ParamType[str]):
    """A device by its name: ``cuda:0``, or ``host`` for the same kernels on this processor."""

    name = "device"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check a name."""
        kind, _, number = value.partition(":")
        if value != "host" and (kind != "cuda" or not (number or "0").isdecimal()):
            self.fail(f"expected cuda, cuda:0 and so on, or host, found {value!r}", param, ctx)
        return value


def device_option(what: str) -> Callable[[Command], Command]:
    """Make the option that names a device."""
    return click.option("--device", type=DeviceName(), metavar="NAME", help=what)
