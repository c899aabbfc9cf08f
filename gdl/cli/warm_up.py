"""The command ``gdl warm-up``: compile native code in advance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import click

import gdl
from gdl.cli.options import game_name, read_rules
from gdl.code_cache import cache_folders
from gdl.engine import warm_up_kernels


def run_warm_up(files: Sequence[Path]) -> None:
    """Fill the cache of native code, so that the first game starts without delay."""
    games = [(game_name(file), read_rules(file)) for file in files]
    began = monotonic()
    warm_up_kernels()
    click.echo(f"kernels: {monotonic() - began:.1f} s")
    for name, ruleset in games:
        began = monotonic()
        gdl.compile(ruleset).warm_up()
        click.echo(f"{name}: {monotonic() - began:.1f} s")
    for folder in cache_folders()[-1:]:
        click.echo(f"in {folder}")
