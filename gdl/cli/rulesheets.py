"""How the commands read rulesheets: the FILE argument, and what it stands for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

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


def rulesheet_argument(command: Command) -> Command:
    """Give a command the argument ``file``, one rulesheet."""
    return click.argument("file", metavar="FILE", type=FILE)(command)


def read_source(file: Path) -> Source:
    """Return the text of a rulesheet and the name it goes by in messages."""
    if file == STDIN:
        return Source(decode(sys.stdin.buffer.read()), "<stdin>")
    return Source(decode(file.read_bytes()), str(file))


def read_rules(file: Path) -> Ruleset:
    """Read a rulesheet; raises :class:`gdl.GdlSyntaxError` with every problem found."""
    source = read_source(file)
    return parse(source.text, source.name)


def read_machine(file: Path) -> StateMachine:
    """Return the state machine of a rulesheet; raises :class:`gdl.GdlError`."""
    return interpret(read_rules(file))


def game_name(file: Path) -> str:
    """Return what to call the game of a rulesheet."""
    return "stdin" if file == STDIN else file.stem


def write_text(file: Path | None, text: str) -> None:
    """Write a text to a file, or to the standard output."""
    if file is None or file == STDIN:
        click.echo(text, nl=False)
    else:
        file.write_text(text, encoding="utf-8", newline="\n")
