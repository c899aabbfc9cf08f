"""What the commands have in common: the FILE argument, how it is read, and shared options."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import click

from gdl.errors import Source
from gdl.language import Ruleset, decode, parse
from gdl.reasoner import interpret
from gdl.state_machine import StateMachine

STDIN = Path("-")

FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
"""The type of an argument that names a rulesheet, or ``-`` for the standard input."""

OUTPUT = click.Path(dir_okay=False, writable=True, allow_dash=True, path_type=Path)
"""The type of an option that names a file to write."""

Command = TypeVar("Command", bound=Callable[..., Any])


# ---------------------------------------------------------------------- rulesheets


def rulesheet_argument(command: Command) -> Command:
    """Give a command the argument ``file``, one rulesheet."""
    return click.argument("file", metavar="FILE", type=FILE)(command)


def read_source(file: Path) -> Source:
    """Read the text of a rulesheet, with the name it goes by in messages."""
    if file == STDIN:
        return Source(decode(sys.stdin.buffer.read()), "<stdin>")
    return Source(decode(file.read_bytes()), str(file))


def read_rules(file: Path) -> Ruleset:
    """Read and parse a rulesheet; raises :class:`gdl.GdlSyntaxError` with every problem found."""
    source = read_source(file)
    return parse(source.text, source.name)


def read_machine(file: Path) -> StateMachine:
    """Read a rulesheet and interpret it; raises :class:`gdl.GdlError`."""
    return interpret(read_rules(file))


def game_name(file: Path) -> str:
    """The name of a rulesheet's game: that of the file without its ending."""
    return "stdin" if file == STDIN else file.stem


def write_text(file: Path | None, text: str) -> None:
    """Write a text to a file, or to the standard output."""
    if file is None or file == STDIN:
        click.echo(text, nl=False)
    else:
        file.write_text(text, encoding="utf-8", newline="\n")


# ---------------------------------------------------------------------- options


class Machine(StrEnum):
    """The state machine that a command uses."""

    REASONER = "reasoner"
    """Evaluates the rules themselves, one state at a time; ready at once."""
    PROPNET = "propnet"
    """Evaluates the circuit of the ground rules, 512 states at a time; takes time to compile."""


def machine_option(default: Machine) -> Callable[[Command], Command]:
    """Give a command the option ``--machine``, as the argument ``machine``."""
    return click.option(
        "--machine",
        type=click.Choice([machine.value for machine in Machine]),
        callback=lambda context, parameter, value: Machine(value),
        default=default.value,
        show_default=True,
        help="Interpret the rules, or compile them to a circuit.",
    )


def seed_option(command: Command) -> Command:
    """Give a command the option ``--seed``, as the argument ``seed``."""
    return click.option(
        "--seed", default=0, metavar="N", show_default=True, help="One seed, one result."
    )(command)


class CommandWithRenamedOptions(click.Command):
    """A command that takes options by their old names too, with a notice, for one release."""

    renamed: ClassVar[Mapping[str, str]] = {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace old names before the arguments are parsed."""
        return super().parse_args(ctx, [self._current(argument) for argument in args])

    def _current(self, argument: str) -> str:
        option, equals, value = argument.partition("=")
        if option not in self.renamed:
            return argument
        click.echo(f"{option} is now {self.renamed[option]}; the old name will go", err=True)
        return f"{self.renamed[option]}{equals}{value}"
