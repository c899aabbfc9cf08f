"""The command ``ggp-player lab duel``: which of two strategies is stronger."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import Progress

from gdl.cli.lazy_group import INTERRUPTED
from gdl.cli.options import game_name, read_source, write_text
from gdl.errors import GdlError
from gdl.system import available_cpus
from ggp_player.cli.options import compile_before_clocks
from ggp_player.cli.terminal import interrupted_once, result_console
from ggp_player.errors import GgpPlayerError
from ggp_player.lab.balance import LabGame, Plies
from ggp_player.lab.duel import Duel, DuelOutcome, End, run_duel
from ggp_player.lab.ledger import begin_entry, complete_entry, fail_entry
from ggp_player.lab.match import MoveLimit
from ggp_player.lab.other_version import version_of
from ggp_player.lab.pair_play import opened_play
from ggp_player.lab.report import outcome_table, outcome_to_json, verdict_line
from ggp_player.lab.sequential_test import SequentialTest
from ggp_player.strategies.selection import create

DEFAULT_NODES = 5000
"""Work for each move unless something else is said."""


@dataclass(frozen=True, slots=True)
class _Options:
    """The command line. Times are in seconds, ``memory`` in MiB."""

    a: str
    b: str
    games: tuple[Path, ...]
    nodes: int | None
    seconds: float | None
    prepare: float
    pairs: int
    plies: tuple[int, int]
    elo0: float
    elo1: float
    veto: bool
    seed: int
    memory: int
    jobs: int | None
    ray: str | None
    json: Path | None
    ledger: Path | None
    hypothesis: str | None


def run_duel_command(context: click.Context, /, **options: object) -> None:
    """Play a duel, report on it, and keep it in the ledger if one is given."""
    with interrupted_once():
        status = _play(TypeAdapter(_Options).validate_python(options))
    context.exit(status)


def _play(options: _Options) -> int:
    """Play the duel, and return the exit status."""
    duel = _duel(options)
    own = [spec for spec in duel.players if version_of(spec)[1] is None]
    for spec in own:
        create(spec)
    if len(own) < 2 and duel.limit.seconds is None:
        raise click.UsageError("another version can only be limited by --seconds")
    try:
        compile_before_clocks(("mcts", *own))
        outcome = _with_ledger(duel, options)
    except KeyboardInterrupt:
        return INTERRUPTED
    result_console(120).print(outcome_table(outcome))
    click.echo(verdict_line(outcome))
    if options.json is not None:
        write_text(options.json, json.dumps(outcome_to_json(outcome), indent=1) + "\n")
    return INTERRUPTED if outcome.end is End.INTERRUPTED else 0


def _duel(options: _Options) -> Duel:
    """The settings of the duel; what does not fit together is an error of usage."""
    if options.nodes is not None and options.seconds is not None:
        raise click.UsageError("--nodes and --seconds exclude each other")
    if (options.ledger is None) != (options.hypothesis is None):
        raise click.UsageError("--ledger and --hypothesis belong together")
    if options.jobs is not None and options.ray is not None:
        raise click.UsageError("--jobs is for this machine, and --ray for others")
    nodes = options.nodes if options.seconds is not None else options.nodes or DEFAULT_NODES
    try:
        test = SequentialTest(options.elo0, options.elo1)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return Duel(
        players=(options.a, options.b),
        games=tuple(LabGame(game_name(path), read_source(path).text) for path in options.games),
        limit=MoveLimit(nodes, options.seconds, options.prepare),
        test=test,
        pairs=options.pairs,
        plies=Plies(*options.plies),
        seed=options.seed,
        veto=options.veto,
        memory=options.memory * 2**20,
    )


def _with_ledger(duel: Duel, options: _Options) -> DuelOutcome:
    """Play the duel between the two versions of its entry, if it has one."""
    if options.ledger is None or options.hypothesis is None:
        return _with_progress(duel, options)
    entry = begin_entry(options.ledger, options.hypothesis, duel)
    try:
        outcome = _with_progress(duel, options)
    except (GgpPlayerError, GdlError) as error:
        fail_entry(options.ledger, entry, str(error))
        raise
    complete_entry(options.ledger, entry, outcome)
    return outcome


def _with_progress(duel: Duel, options: _Options) -> DuelOutcome:
    jobs = options.jobs or available_cpus()
    with _progress(duel) as watch, opened_play(jobs, options.ray) as play:
        return run_duel(duel, play, watch)


@contextmanager
def _progress(duel: Duel) -> Iterator[Callable[[DuelOutcome], None]]:
    """Say on stderr how the duel stands: in one line on a terminal, elsewhere now and then."""
    console = Console(stderr=True)
    if not sys.stderr.isatty():
        yield _say_now_and_then
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("pairs", total=duel.pairs * len(duel.games))

        def watch(outcome: DuelOutcome) -> None:
            bar.update(task, advance=1, description=_standing(outcome))

        yield watch


def _say_now_and_then(outcome: DuelOutcome) -> None:
    """Print how the duel stands after 1, 2, 4, 8 and so on pairs."""
    pairs = outcome.estimate.pairs
    if pairs & (pairs - 1) == 0:
        click.echo(_standing(outcome), err=True)


def _standing(outcome: DuelOutcome) -> str:
    estimate = outcome.estimate
    return f"{estimate.pairs} pairs, {100 * estimate.mean:.1f} %, LLR {outcome.ratio:.2f}"
