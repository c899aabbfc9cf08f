"""Runs the checks and the match of ``ggp-player doctor``, and prints what they say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from ggp_player.cli.doctor.checks import CHECKS, Diagnosis, diagnose
from ggp_player.cli.doctor.trial_match import play_trial_match
from ggp_player.cli.serve import settings_of

STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red"}


def run_doctor(config: Path | None, dialect: str, as_json: bool, **flags: object) -> None:
    """Check this machine before an event, and play a short match; fail where there is a problem."""
    settings = settings_of(config, flags)

    def diagnoses() -> Iterator[Diagnosis]:
        for check in CHECKS:
            subject = check.__name__.removeprefix("check_").replace("_", " ")
            yield diagnose(subject, partial(check, settings))
        yield diagnose("match", lambda: asyncio.run(play_trial_match(settings, dialect)))

    console, found = Console(highlight=False, markup=False, emoji=False), []
    for each in diagnoses():
        found.append(each)
        if not as_json:  # a row at once, as the next can take seconds
            row = Table.grid("", "", "", padding=(0, 1))
            row.columns[0].width, row.columns[1].width = 7, 13
            row.columns[0].style = STYLES[each.verdict]
            row.add_row(each.verdict, each.subject, each.sentence)
            console.print(row)
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found], indent=2))
    if any(each.verdict == "problem" for each in found):
        raise click.exceptions.Exit(1)
