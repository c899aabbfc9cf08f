"""The command ``python -m tests.attack``."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import click

from gdl.code_cache import cache_folder
from tests.attack.attacks import ATTACKS
from tests.attack.faults import DAMAGE_CACHE, FAULTS
from tests.attack.scenario import Outcome, Scenario, run

COLUMNS = (
    *("turns", "late", "illegal", "guessed", "excused", "longest", "strikes"),
    *("processes", "descriptors", "shared", "log", "memory", "stop"),
)

HOLDING = [
    *(name for name, attack in ATTACKS.items() if attack.holds),
    *(name for name, fault in FAULTS.items() if fault.holds),
]


@click.command()
@click.option("--seconds", default=20.0, show_default=True, help="How long each one lasts.")
@click.option("--strength", default=1.0, show_default=True, help="Multiplies what strangers do.")
@click.option("--seed", default=0, show_default=True, help="For all random choices.")
@click.option("--only", multiple=True, help="The name of an attack or fault; may be repeated.")
@click.option("--holding", is_flag=True, help="Leave out those that are known to cost turns.")
@click.option("--list", "lists", is_flag=True, help="List the names, and end.")
def main(
    only: tuple[str, ...], holding: bool, lists: bool, seconds: float, strength: float, seed: int
) -> None:
    """Attack a player server on this machine while it plays, and print what that has cost.

    The exit status is 1 if a turn was lost or anything is left behind.
    """
    names = list(only) or (HOLDING if holding else [*ATTACKS, *FAULTS])
    if unknown := sorted({*names} - {*ATTACKS, *FAULTS}):
        raise click.UsageError(f"there is no attack or fault {', '.join(unknown)}; see --list")
    if lists:
        for name in names:
            click.echo(name if name in HOLDING else f"{name}  (may cost turns)")
        return
    click.echo(_row("beside the matches", COLUMNS))
    click.echo(_row("---", ["---:"] * len(COLUMNS)))
    outcomes = [_run(Scenario([name], seconds, strength, seed)) for name in names]
    sys.exit(not all(outcome.is_flawless for outcome in outcomes))


def _run(scenario: Scenario) -> Outcome:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with _cache(folder, scenario):
            outcome = run(scenario, folder)
    click.echo(_row(", ".join(scenario.names), _cells(outcome)))
    if outcome.turns.lost:
        click.echo("\n".join(outcome.turns.notes), err=True)
    return outcome


@contextmanager
def _cache(folder: Path, scenario: Scenario) -> Iterator[None]:
    """Give the scenario a cache to damage, or an empty one where it is to be warmed up."""
    cache = folder / "cache"
    if DAMAGE_CACHE in scenario.names:
        shutil.copytree(cache_folder(), cache)
    elif not any("warm-up" in name for name in scenario.names):
        yield
        return
    with patch.dict(os.environ, {"GDL_CACHE": str(cache)}):
        yield


def _row(name: str, cells: Sequence[str]) -> str:
    """A row of a table in Markdown, whose columns also line up on a terminal."""
    return f"| {name:<22} | {' | '.join(f'{cell:>5}' for cell in cells)} |"


def _cells(outcome: Outcome) -> list[str]:
    turns = outcome.turns
    counts = (turns.played, turns.late, turns.illegal, outcome.guessed, turns.excused)
    left = (outcome.processes, outcome.descriptors, outcome.shared)
    sizes = (f"{outcome.log / 1e3:.0f}", f"{outcome.memory / 1e6:.0f}")
    times = (f"{turns.longest:.2f}", f"{outcome.stop_seconds:.1f}")
    return [*map(str, counts), times[0], str(outcome.strikes), *map(str, left), *sizes, times[1]]


if __name__ == "__main__":
    main()
