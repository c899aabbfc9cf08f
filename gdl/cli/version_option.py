"""The option ``--version`` of ``gdl`` and ``ggp-player``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from gdl.version import versions

Command = TypeVar("Command", bound=Callable[..., Any])


def version_option(prog_name: str) -> Callable[[Command], Command]:
    """Give a command the option ``--version``; the versions are computed when it is used."""

    def show(context: click.Context, _option: click.Parameter, is_wanted: bool) -> None:
        if is_wanted and not context.resilient_parsing:
            click.echo(f"{prog_name} {versions()}")
            context.exit()

    return click.option(
        "--version",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=show,
        help="Show the versions of the package, the engine and its cache, and exit.",
    )
