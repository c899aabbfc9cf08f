"""The command ``ggp-player tournament``: many matches, their results and standings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click
from pydantic import TypeAdapter
from rich.console import Console

from gdl.cli.lazy_group import INTERRUPTED
from gdl.cli.options import write_text
from gdl.system import available_cpus
from ggp_player.archive.archive_limit import ArchiveLimit
from ggp_player.cli.archiving import archiving
from ggp_player.cli.options import compile_before_clocks
from ggp_player.cli.terminal import result_console
from ggp_player.errors import TournamentError
from ggp_player.manager.tournament.games import TournamentGame, load_games
from ggp_player.manager.tournament.match_play import MatchConditions
from ggp_player.manager.tournament.players import check_players, takes_one_match
from ggp_player.manager.tournament.report import TournamentReport
from ggp_player.manager.tournament.results import Identity, ResultsFile, ResultsLog
from ggp_player.manager.tournament.schedule import PlannedMatch, make_schedule
from ggp_player.manager.tournament.tournament_run import TournamentRun
from ggp_player.play.human import human_seat


@dataclass(frozen=True, slots=True)
class _Options:
    """The command line. Clocks are in seconds."""

    players: tuple[str, ...]
    games: tuple[Path, ...]
    rounds: int
    start_clock: int
    play_clock: int
    seed: int
    scramble: bool
    concurrency: int | None
    ray: str | None
    output: Path | None
    resume: bool
    records: Path | None
    archive: Path | None
    no_archive: bool
    archive_limit: ArchiveLimit
    max_steps: int
    csv: Path | None
    json: bool
    ratings: bool


def run_tournament(context: click.Context, /, **options: object) -> None:
    """Play matches between all PLAYERs, and compare their strength, with confidence intervals."""
    context.exit(_play(TypeAdapter(_Options).validate_python(options)))


def _play(options: _Options) -> int:
    """Play the tournament, report on it, and return the exit status."""
    if len(options.players) < 2:
        raise click.UsageError("a tournament needs two players or more")
    games = load_games(options.games)
    check_players(options.players, games)
    if options.ray is not None and any(human_seat(player) for player in options.players):
        raise click.UsageError("a person cannot be asked on a cluster")
    identity = _identity(options, games)
    roles = {name: len(game.roles) for name, game in games.items()}
    concurrency = options.concurrency
    if options.ray is None:
        concurrency = _concurrency(options, make_schedule(identity, roles, options.rounds))
    with ExitStack() as stack:
        log = _open(options, identity, stack)
        matches = make_schedule(log.identity, roles, options.rounds)
        if options.records is not None:
            options.records.mkdir(parents=True, exist_ok=True)
        if options.ray is None:
            try:
                compile_before_clocks(options.players)
            except KeyboardInterrupt:
                return INTERRUPTED
        events = stack.enter_context(
            archiving(options.archive, options.no_archive, options.archive_limit)
        )
        run = TournamentRun(games, matches, log, result_console(stderr=options.json), events)
        unwritten, is_interrupted = None, False
        try:
            is_interrupted = run.play(_conditions(options), concurrency, options.ray)
        except OSError as error:
            unwritten = error
    report = run.report(log.identity, options.ratings)
    _print_report(report, options, run.console)
    if unwritten is not None:
        raise unwritten
    if is_interrupted:
        return INTERRUPTED
    return 0 if report.played == report.planned else 1


def _identity(options: _Options, games: Mapping[str, TournamentGame]) -> Identity:
    return Identity(
        games={name: game.digest for name, game in games.items()},
        players=options.players,
        start_clock=options.start_clock,
        play_clock=options.play_clock,
        seed=options.seed,
        scramble=options.scramble,
    )


def _conditions(options: _Options) -> MatchConditions:
    return MatchConditions(
        start_clock=options.start_clock,
        play_clock=options.play_clock,
        scramble=options.scramble,
        max_steps=options.max_steps,
        records=options.records,
        states=options.records is not None,
    )


def _open(options: _Options, identity: Identity, stack: ExitStack) -> ResultsLog:
    """Open the log of results; without --output it is kept in memory only."""
    if options.output is None:
        return ResultsLog(identity)
    if not options.resume and options.output.exists():
        raise TournamentError(f"{options.output} exists, and with --no-resume it stays as it is")
    return stack.enter_context(ResultsFile(options.output, identity))


def _concurrency(options: _Options, matches: Sequence[PlannedMatch]) -> int:
    """Return how many matches to play at a time: each strategy in a match needs a core."""
    cores = available_cpus()
    if options.concurrency is None:
        searches = max(sum(not takes_one_match(player) for player in m.players) for m in matches)
        return max(1, cores // max(1, searches))
    if options.concurrency > cores:
        raise click.BadParameter(
            f"{options.concurrency} matches at a time on {cores} cores would disturb each other",
            param_hint="--concurrency",
        )
    return options.concurrency


def _print_report(report: TournamentReport, options: _Options, console: Console) -> None:
    console.print(report.to_tables())
    if options.csv is not None:
        write_text(options.csv, report.to_csv())
    if options.json:
        click.echo(json.dumps(report.to_json(), indent=2))
