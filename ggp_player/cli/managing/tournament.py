"""The command ``ggp-player tournament``: many matches, their results and standings."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click
from pydantic import TypeAdapter
from rich.console import Console

from gdl.system import available_cpus
from ggp_player.archive import ArchiveLimit
from ggp_player.cli.archiving import archiving, archiving_options
from ggp_player.cli.options import RULESHEET, match_options, output_option, warn_if_cold
from ggp_player.events import EventBus
from ggp_player.manager.tournament import (
    DEFAULT_MAX_STEPS,
    MISSING,
    Identity,
    MatchConditions,
    PlannedMatch,
    ResultsFile,
    ResultsLog,
    TournamentError,
    TournamentGame,
    TournamentPlan,
    TournamentReport,
    TournamentRun,
    check_players,
    is_available,
    library,
    load_games,
    make_schedule,
    takes_one_match,
)
from ggp_player.play import human_seat

RESULTS_NAME = "results.jsonl"
"""The name of the results' file in a folder."""

INTERRUPTED = 128 + signal.SIGINT
"""The exit status after Ctrl-C, by the convention of shells."""

PIPE_WIDTH = 160
"""Characters of a line if the output is no terminal."""


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
    ratings: bool | None


_OPTIONS = TypeAdapter(_Options)
_FOLDER = click.Path(file_okay=False, writable=True, path_type=Path)


@click.command("tournament", short_help="Play many matches, and compare the players.")
@click.argument("players", nargs=-1, metavar="PLAYER PLAYER...")
@click.option(
    "--game",
    "games",
    multiple=True,
    required=True,
    type=RULESHEET,
    metavar="RULESHEET",
    help="A game to play; give the option again for each further one.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How often each pairing plays each game in all seatings.",
)
@match_options
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    help="How many matches are played at a time.  "
    "[default: the processor's cores over the strategies in a match]",
)
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Play on a Ray cluster: its address, auto, or local to start one here. It needs the extra "
    "ray.",
)
@click.option(
    "--output",
    type=click.Path(writable=True, path_type=Path),
    metavar="PATH",
    help=f"Keep the results in a file of JSON lines, or in {RESULTS_NAME} in a folder.",
)
@click.option(
    "--resume/--no-resume",
    default=True,
    show_default=True,
    help="Resume from an existing file of results, or refuse it.",
)
@click.option("--records", type=_FOLDER, help="Save every match record in a folder, which is made.")
@archiving_options
@click.option(
    "--max-steps",
    type=click.IntRange(min=1),
    default=DEFAULT_MAX_STEPS,
    show_default=True,
    help="Break off longer matches.",
)
@output_option("--csv", text="Write the standings to a file, as CSV.")
@click.option("--json", is_flag=True, help="Print the standings as JSON; all else goes to stderr.")
@click.option(
    "--ratings/--no-ratings",
    default=None,
    help="Rate the players, or not; it needs the extra: pip install 'ggp-player[tournament]'.  "
    "[default: if that is installed]",
)
@click.pass_context
def tournament_command(context: click.Context, /, **options: object) -> None:
    """Play matches between all PLAYERs, and compare their strength, with confidence intervals.

    A PLAYER is a strategy, such as minimax, bounded_minimax:upper=51 or ./file.py:Class, or the
    address of a player server, host:port, or host:port#DIALECT if it speaks B, C, C', D or E of the
    protocol's dialects and not A; or human, who is asked here. Every two players meet in
    every game, and each takes each role equally often; in a game of one role each plays alone, and
    their goals are compared.

    No strategy thinks while others choose. Concurrent matches do not disturb each other as long as
    each strategy has one thread: auto takes every core, auto:threads=1 does not.

    With --ray the matches are played on a cluster; one whose worker dies is played again on
    another.

    With --output nothing is lost: the same command resumes the tournament, and may have more
    --rounds and more players. Only what is missing is played. Matches that failed are played again.

    The points of a match are its goal value, so that points % is their mean. The score compares the
    points of two players in a match: a win counts 1, a draw one half; W/D/L counts wins, draws and
    losses. The brackets have the 95 % confidence interval. late, failed and illegal count replies
    that came too late, connections that failed, and illegal moves, those included that a strategy
    chose and that were replaced with a legal move before they were sent.

    The exit status is 0 if every match was played to its end, 130 after Ctrl-C.

    \b
    ggp-player tournament --game games/nim.kif --game games/ticTacToe.kif \\
        --rounds 10 --play-clock 1 --output results.jsonl minimax random
    """
    context.exit(_play(_OPTIONS.validate_python(options)))


def _play(options: _Options) -> int:
    """Play the tournament, report on it, and return the exit status."""
    if len(options.players) < 2:
        raise click.UsageError("a tournament needs two players or more")
    rates = _wants_ratings(options.ratings)
    games = load_games(options.games)
    check_players(options.players, games)
    if options.ray is not None and any(human_seat(player) for player in options.players):
        raise click.UsageError("a person cannot be asked on a cluster")
    identity = _identity(options, games)
    concurrency = options.concurrency
    if options.ray is None:
        concurrency = _concurrency(options, make_schedule(_plan(options, games, identity)))
    with ExitStack() as stack:
        log = _open(options, identity, stack)
        matches = make_schedule(_plan(options, games, log.identity))
        if options.records is not None:
            options.records.mkdir(parents=True, exist_ok=True)
        run = TournamentRun(games, matches, log, _console(options))
        warn_if_cold(options.players)
        events = stack.enter_context(
            archiving(options.archive, options.no_archive, options.archive_limit)
        )
        is_interrupted = run.play(_conditions(options, events), concurrency, options.ray)
    report = run.report(log.identity, rates)
    _print_report(report, options, run.console)
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


def _plan(
    options: _Options, games: Mapping[str, TournamentGame], identity: Identity
) -> TournamentPlan:
    return TournamentPlan(
        {name: len(game.roles) for name, game in games.items()},
        identity.players,
        options.rounds,
        options.seed,
        identity.label,
    )


def _conditions(options: _Options, events: EventBus) -> MatchConditions:
    return MatchConditions(
        start_clock=options.start_clock,
        play_clock=options.play_clock,
        scramble=options.scramble,
        max_steps=options.max_steps,
        records=options.records,
        events=events,
    )


def _open(options: _Options, identity: Identity, stack: ExitStack) -> ResultsLog:
    """Open the log of results; without --output it is kept in memory only."""
    if options.output is None:
        return ResultsLog(identity)
    is_folder = options.output.is_dir()
    path = options.output / RESULTS_NAME if is_folder else options.output
    if not options.resume and path.exists():
        raise TournamentError(f"{path} exists, and with --no-resume it stays as it is")
    return stack.enter_context(ResultsFile(path, identity))


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


def _wants_ratings(choice: bool | None) -> bool:
    """Decide whether to rate; the library may be missing unless ratings were asked for."""
    if choice is None:
        return is_available()
    if choice:
        library()
    return choice


def _console(options: _Options) -> Console:
    console = Console(stderr=options.json, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    return console


def _print_report(report: TournamentReport, options: _Options, console: Console) -> None:
    console.print(report.to_tables())
    if options.ratings is None and not report.ratings:
        console.print(f"no ratings: {MISSING}")
    if options.csv is not None:
        options.csv.write_text(report.to_csv(), encoding="utf-8")
    if options.json:
        click.echo(json.dumps(report.to_json(), indent=2))
