"""What the commands have in common: how a FILE is read, and how a text is written."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gdl.cli.arguments import STDIN
from gdl.cli.plain_output import writes_unicode
from gdl.errors import Source
from gdl.language import Ruleset, decode, parse
from gdl.reasoner import interpret
from gdl.state_machine import StateMachine
from gdl.system import write_whole


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
    """Write a text to a file, or to the standard output.

    A text that cannot be written to its file is not lost: it goes to the standard output. Raises
    OSError then, which names the file.
    """
    if file is None or file == STDIN:
        print_text(text)
        return
    try:
        write_whole(file, text.encode())
    except OSError:
        print_text(text)
        raise


def check_plot(file: Path) -> None:
    """Refuse to plot what cannot be written, before the work for it begins."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase  # slow, and seldom needed
    except ImportError as error:
        message = "plots need matplotlib: pip install 'ggp-player[plot]'"
        raise click.BadParameter(message, param_hint="--plot") from error
    known = sorted(FigureCanvasBase.get_supported_filetypes())
    if file.suffix.removeprefix(".").lower() not in known:
        message = f"expected a name that ends in one of .{', .'.join(known)}"
        raise click.BadParameter(message, param_hint="--plot")


def print_text(text: str) -> None:
    """Write rules or figures to the standard output.

    Where its encoding lacks a character, a file or a pipe gets UTF-8, so that nothing is lost.
    """
    if writes_unicode() or text.isascii() or sys.stdout.isatty():
        click.echo(text, nl=False)
    else:
        click.echo(text.encode(), nl=False)
