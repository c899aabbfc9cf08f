"""What the commands of ``ggp-player`` share: options of the same kind, and a piece of advice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from ggp_player.worker import is_warm

MAX_CLOCK = 86_400
"""Seconds: a day."""

RULESHEET = click.Path(exists=True, dir_okay=False, path_type=Path)

_OUTPUT = click.Path(dir_okay=False, writable=True, path_type=Path)

_Function = TypeVar("_Function", bound=Callable[..., object])


def clock_option(flag: str, default: int, text: str) -> Callable[[_Function], _Function]:
    """Return an option for a clock in whole seconds, as the protocol has them."""
    kind = click.IntRange(0, MAX_CLOCK)
    return click.option(
        flag, type=kind, default=default, show_default=True, metavar="SECONDS", help=text
    )


def output_option(*flags: str, text: str) -> Callable[[_Function], _Function]:
    """Return an option for a file to be written, whose folder has to be there at once."""
    return click.option(*flags, type=_OUTPUT, callback=_in_a_folder, help=text)


def _in_a_folder(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent}", context, option)
    return path


def advise_warm_up() -> None:
    """Say on stderr what strategies of our own would play without, if that is so."""
    if not is_warm():
        click.echo(
            "the strong searches are not compiled yet, and others play in their place: "
            "ggp-player warm-up compiles them",
            err=True,
        )
