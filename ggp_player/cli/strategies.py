"""The command ``ggp-player strategies``: a list of all strategies and their parameters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from ggp_player.cli.terminal import result_console
from ggp_player.strategies.selection import StrategyDescription, describe_strategies

OWN = "A class of your own is a strategy, too: ./file.py:Class or package.module:Class."


def run_strategies(as_json: bool) -> None:
    """List all strategies, with their parameters, what these may be, and their defaults."""
    found = describe_strategies()
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], indent=2))
        return
    console = result_console()
    console.print(_table(found))
    console.print(OWN)


def _table(found: Sequence[StrategyDescription]) -> Table:
    table = Table(box=SIMPLE_HEAD, collapse_padding=True)
    table.add_column("strategy", no_wrap=True)
    table.add_column("what it does")
    table.add_column("parameters, with their defaults")
    for one in found:
        origin = f" [{one.package}]" if one.package else ""
        parameters = "\n".join(map(str, one.parameters))
        what = Text(f"cannot be used: {one.problem}", "red") if one.problem else Text(one.summary)
        table.add_row(Text(one.name), what + Text(origin), Text(parameters))
    return table
