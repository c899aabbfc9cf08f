"""The commands ``ggp-player lab positions``: sets of solved positions, and errors in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import mean

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import gdl
from gdl.errors import counted
from ggp_player.cli.options import reporting_unplayable_game, say_on_stderr
from ggp_player.lab.positions.forked_searches import Setting, can_fork
from ggp_player.lab.positions.position_maker import Recipe
from ggp_player.lab.positions.position_test import (
    LoadedSet,
    SetResult,
    by_game,
    comparisons,
    mean_share,
    settings_of,
)
from ggp_player.lab.positions.position_test import as_json as report_as_json
from ggp_player.lab.positions.set_making import Order, make_set
from ggp_player.lab.positions.solved_positions import OWN_SETS, SUFFIX, sets_in
from ggp_player.lab.positions.solver_matches import SolverMatch, SolverMatches
from ggp_player.lab.positions.solving.solvers import SolverName
from ggp_player.worker.warm_up_process import warm_up_first

DEFAULT_SECONDS = (0.02, 0.1)
"""CPU seconds for each position."""


def run_make(
    rulesheet: Path,
    count: int,
    seed: int,
    plies: tuple[int, int],
    solver: SolverName,
    nodes: int,
    per_game: int,
    tries: int,
    play_gates: int,
    random_share: float,
    doubt: int,
    games: int,
    output: Path | None,
) -> None:
    """Make a set of positions, and write it."""
    with reporting_unplayable_game():
        ruleset = gdl.load(rulesheet)
        path = output or Path(f"{ruleset.game}{SUFFIX}")
        recipe = Recipe(
            *plies,
            random_share=random_share,
            play_gates=play_gates,
            tries=tries,
            per_game=per_game,
            doubt=doubt,
        )
        order = Order(ruleset, count, seed, recipe, solver, nodes, games)
        warm_up_first(say_on_stderr)
        with _bar(ruleset.game, count) as update:

            def tell(played: int, found: int) -> None:
                update(completed=found, description=f"{ruleset.game}, {played} games")

            try:
                made = make_set(order, path, tell)
            except KeyboardInterrupt:
                raise click.ClickException(
                    "broken off; the same command goes on where it was"
                ) from None
    click.echo(f"{path}: {len(made.positions)} positions, {path.stat().st_size} bytes")


def run_test(
    strategy: str,
    sets: Sequence[Path],
    against: str | None,
    seconds: Sequence[float],
    own_budget: bool,
    prepare: float,
    count: int | None,
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Count the errors of one or two strategies, print them, and compare."""
    if own_budget and seconds:
        raise click.UsageError("--own-budget takes the place of --seconds")
    if not can_fork():
        raise click.ClickException("positions are searched in forks, which this system has not")
    limits = (None,) if own_budget else (seconds or DEFAULT_SECONDS)
    specs = [strategy] if against is None else [strategy, against]
    settings = [[Setting(spec, limit, prepare, seed) for spec in specs] for limit in limits]
    warm_up_first(say_on_stderr)
    pairs = [(first, *rest) for first, *rest in settings]
    results: list[SetResult] = []
    with reporting_unplayable_game():
        for path in sets or _own_sets():
            loaded = LoadedSet(path, count)
            results += _tested(loaded, [each for pair in pairs for each in pair], jobs)
    results = by_game(results)
    compared = [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]
    if as_json:
        click.echo(json.dumps(report_as_json(results, compared), indent=2))
    else:
        _print(results, compared)


def run_play(
    strategy: str,
    rulesheet: Path,
    solver: SolverName,
    plies: int,
    count: int | None,
    seconds: float,
    prepare: float,
    nodes: int,
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Let a strategy play a solver, and tell where it gave value away."""
    if not can_fork():
        raise click.ClickException("positions are searched in forks, which this system has not")
    setting = Setting(strategy, seconds, prepare, seed)
    if setting.is_of_other_version:
        raise click.UsageError("name a strategy of this version")
    warm_up_first(say_on_stderr)
    with reporting_unplayable_game():
        machine = gdl.compile(gdl.load(rulesheet))
        machine.warm_up()
        game = machine.ruleset.game
        played = SolverMatches(machine, setting, solver, nodes, plies, count)
        with _bar(f"{game}, {setting}", len(played.matches)) as update:
            played.play(jobs, partial(update, advance=1))
    if as_json:
        found = [match.to_json() for match in played.matches]
        head = {"strategy": strategy, "seconds": seconds, "start_clock": prepare, "seed": seed}
        click.echo(json.dumps({"game": game, **head, "plies": plies, "matches": found}, indent=2))
    else:
        _print_matches(played.matches, f"{game}, {setting}")


def _print_matches(matches: Sequence[SolverMatch], heading: str) -> None:
    """Say how many matches had no error, and list the errors."""
    wrong = [match for match in matches if match.error is not None]
    lost = sum(match.is_lost for match in matches)
    moves = sum(match.moves for match in matches) + len(wrong)
    judged = f"{counted(len(wrong), 'error')} in {counted(moves, 'move')}"
    click.echo(f"{heading}: {judged}; {lost} of {len(matches)} matches began lost")
    for match in wrong:
        assert match.error is not None
        line = " ".join(map(str, match.line)) or "the beginning"
        error = match.error
        click.echo(f"  after {line}: {error.move} leaves {error.left} of {error.had}")


def _own_sets() -> list[Path]:
    """The sets of the sources, where this is run from them."""
    found = sets_in(OWN_SETS)
    if not found:
        raise click.UsageError("name a FILE: the sets of our own come with the sources alone")
    return found


def _tested(loaded: LoadedSet, settings: Sequence[Setting], jobs: int) -> list[SetResult]:
    """Test some settings on a set, and show how far it is on stderr."""
    found = []
    for setting in settings:
        with _bar(f"{loaded.game}, {setting}", len(loaded.positions)) as update:
            found.append(loaded.test(setting, jobs, partial(update, advance=1)))
    return found


@contextmanager
def _bar(what: str, total: int) -> Iterator[Callable[..., None]]:
    """Show a bar on stderr; what is yielded brings it up to date, as rich does.

    Without its thread: a fork that is made while that has a lock would wait for it for ever.
    """
    console = Console(stderr=True)
    with Progress(
        console=console,
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as progress:
        task = progress.add_task(what, total=total)
        yield partial(progress.update, task, refresh=console.is_terminal)


def _print(results: Sequence[SetResult], compared: Sequence[tuple[Setting, Setting]]) -> None:
    """Print a table of errors, and what the comparisons say."""
    console = Console(highlight=False, markup=False)
    settings = settings_of(results)
    table = Table(box=None, pad_edge=False)
    table.add_column("errors, %", no_wrap=True)
    table.add_column("positions", justify="right")
    for setting in settings:
        table.add_column(str(setting), justify="right")
    for game in dict.fromkeys(result.game for result in results):
        row = {result.setting: result for result in results if result.game == game}
        positions = str(len(next(iter(row.values())).errors))
        table.add_row(game, positions, *(_share(row[setting]) for setting in settings))
    if len({result.game for result in results}) > 1:
        shares = (f"{100 * mean_share(results, setting):.1f}" for setting in settings)
        table.add_row("mean of games", "", *shares)
    used = (
        f"{mean(result.seconds for result in results if result.setting == setting):.3f}"
        for setting in settings
    )
    table.add_row("seconds used", "", *used)
    console.print(table)
    for first, second in compared:
        console.print(f"\n{first} against {second}, positions that only one of them gets wrong:")
        for game, found in comparisons(results, first, second).items():
            counts = f"{found.only_first} and {found.only_second}"
            console.print(f"  {game}: {counts}, p = {found.p_value:.3g}: {found.verdict}")


def _share(result: SetResult) -> str:
    return f"{100 * result.share:.1f} ± {196 * result.standard_error:.1f}"
