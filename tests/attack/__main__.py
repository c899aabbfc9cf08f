"""The command ``python -m tests.attack``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from math import ceil, inf
from multiprocessing import get_context

import click

from tests.attack.attacks import ATTACKS
from tests.attack.event_scenario import run_alone
from tests.attack.faults import FAULTS
from tests.attack.manager_attacks import MANAGER_ATTACKS
from tests.attack.scenario import Outcome, Scenario

COLUMNS = (
    *("turns", "late", "illegal", "guessed", "excused", "longest", "strikes"),
    *("processes", "descriptors", "shared", "log", "memory", "stop"),
)

KINDS: dict[str, Mapping[str, object]] = {
    "attacks": ATTACKS,
    "manager": MANAGER_ATTACKS,
    "faults": FAULTS,
}
"""All that there is, by what ``--kind`` calls it."""

NAMES = [name for kind in KINDS.values() for name in kind]

HOLDING = [
    *(name for name, attack in ATTACKS.items() if attack.holds),
    *MANAGER_ATTACKS,
    *(name for name, fault in FAULTS.items() if fault.holds),
]

SECONDS_PER_STRIKE = 10.0
"""After so many seconds for each a scenario ends though its strikes have not all hit."""


@dataclass(frozen=True)
class Settings:
    """How long each scenario lasts, how hard it is, and how many run side by side."""

    seconds: float
    strength: float
    seed: int
    strikes: int | None
    moves: int | None
    jobs: int


@click.command()
@click.option("--seconds", default=20.0, show_default=True, help="How long each one lasts.")
@click.option("--strikes", type=int, help="Last until so many have hit, of all faults together.")
@click.option("--moves", type=int, help="Last until each has so many turns, of all jobs together.")
@click.option("--strength", default=1.0, show_default=True, help="Multiplies what strangers do.")
@click.option("--seed", default=0, show_default=True, help="For all random choices.")
@click.option("--jobs", default=1, show_default=True, help="How many servers run side by side.")
@click.option("--only", multiple=True, help="The name of an attack or fault; may be repeated.")
@click.option("--kind", type=click.Choice(list(KINDS)), help="Only these.")
@click.option("--holding", is_flag=True, help="Leave out those that are known to cost turns.")
@click.option("--list", "lists", is_flag=True, help="List the names, and end.")
def main(
    only: tuple[str, ...], kind: str | None, holding: bool, lists: bool, **settings: float
) -> None:
    """Attack a player server, and a manager, on this machine; print what that has cost.

    The exit status is 1 if a turn was lost or anything is left behind.
    """
    names = list(only) or (HOLDING if holding else NAMES)
    if unknown := sorted({*names} - {*NAMES}):
        raise click.UsageError(f"there is no attack or fault {', '.join(unknown)}; see --list")
    if kind is not None:
        names = [name for name in names if name in KINDS[kind]]
    if lists:
        for name in names:
            click.echo(name if name in HOLDING else f"{name}  (may cost turns)")
        return
    outcomes = _run_all(names, Settings(**settings))  # type: ignore[arg-type]  # as click checks
    sys.exit(not all(outcome.is_flawless for outcome in outcomes.values()))


def _run_all(names: Sequence[str], settings: Settings) -> dict[str, Outcome]:
    """Run each, some side by side; print a row as soon as all of a name have ended."""
    scenarios = _scenarios(names, settings)
    left = [scenario.names[0] for scenario in scenarios]
    outcomes: dict[str, Outcome] = {}
    click.echo(_row("beside the matches", COLUMNS))
    click.echo(_row("---", ["---:"] * len(COLUMNS)))
    with ProcessPoolExecutor(settings.jobs, get_context("spawn")) as executor:
        running = {executor.submit(run_alone, each): each.names[0] for each in scenarios}
        for done in as_completed(running):
            name = running[done]
            left.remove(name)
            outcomes.setdefault(name, Outcome()).add(done.result())
            if name not in left:
                _print(name, outcomes[name])
    total = Outcome()
    for outcome in outcomes.values():
        total.add(outcome)
    if len(outcomes) > 1:
        click.echo(_row("all", _cells(total)))
    return outcomes


def _scenarios(names: Sequence[str], settings: Settings) -> list[Scenario]:
    """What is to be run: where moves are counted, each as often as there are jobs."""
    found = [_scenario(name, names, settings) for name in names]
    if settings.moves is None:
        return found
    share = ceil(settings.moves / settings.jobs)
    return [
        replace(scenario, moves=share, seconds=inf, seed=settings.seed + number)
        for scenario in found
        for number in range(settings.jobs)
    ]


def _scenario(name: str, names: Sequence[str], settings: Settings) -> Scenario:
    """One of the names alone, with its share of the strikes, where these are counted."""
    scenario = Scenario([name], settings.seconds, settings.strength, settings.seed)
    if settings.strikes is None or name not in FAULTS:
        return scenario
    bounds = [FAULTS[each].most for each in names if each in FAULTS]
    unbounded = bounds.count(None)
    share = ceil((settings.strikes - sum(filter(None, bounds))) / max(1, unbounded))
    strikes = min(share, FAULTS[name].most or share)
    return replace(scenario, strikes=strikes, seconds=strikes * SECONDS_PER_STRIKE)


def _print(name: str, outcome: Outcome) -> None:
    click.echo(_row(name, _cells(outcome)))
    if outcome.turns.lost:
        click.echo("\n".join(outcome.turns.notes), err=True)


def _row(name: str, cells: Sequence[str]) -> str:
    """A row of a table in Markdown, whose columns also line up on a terminal."""
    return f"| {name:<31} | {' | '.join(f'{cell:>5}' for cell in cells)} |"


def _cells(outcome: Outcome) -> list[str]:
    turns = outcome.turns
    counts = (turns.played, turns.late, turns.illegal, outcome.guessed, turns.excused)
    left = (outcome.processes, outcome.descriptors, outcome.shared)
    sizes = (f"{outcome.log / 1e3:.0f}", f"{outcome.memory / 1e6:.0f}")
    times = (f"{turns.longest:.2f}", f"{outcome.stop_seconds:.1f}")
    return [*map(str, counts), times[0], str(outcome.strikes), *map(str, left), *sizes, times[1]]


if __name__ == "__main__":
    main()
