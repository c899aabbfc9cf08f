"""The commands ``ggp-player lab ladder``: matches from openings, and the table of all of them."""

from __future__ import annotations

import json
import os
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click
from pydantic import TypeAdapter
from rich.console import Console

from gdl.cli.lazy_group import INTERRUPTED
from gdl.cli.options import check_plot, read_source, write_text
from gdl.errors import counted
from ggp_player.cli.options import compile_before_clocks, say_on_stderr
from ggp_player.cli.terminal import result_console
from ggp_player.lab.balance import LabGame, Plies
from ggp_player.lab.ladder.matches import (
    LadderFile,
    LadderOpening,
    ladder_openings,
    matches_of,
    read_ladder,
)
from ggp_player.lab.ladder.page import ladder_page, printed_table, write_ladder_plot
from ggp_player.lab.ladder.players import ladder_players
from ggp_player.lab.ladder.table import by_release, games_of, ladder_table
from ggp_player.manager.tournament.games import TournamentGame
from ggp_player.manager.tournament.match_play import MatchConditions
from ggp_player.manager.tournament.players import check_players
from ggp_player.manager.tournament.results import Identity
from ggp_player.manager.tournament.schedule import make_schedule
from ggp_player.manager.tournament.tournament_run import TournamentRun
from ggp_player.match_runner.game_manager import game_name


@dataclass(frozen=True, slots=True)
class _Options:
    """The command line. Clocks are in seconds."""

    a: str
    b: str
    games: tuple[Path, ...]
    names: tuple[str, ...]
    openings: int
    plies: tuple[int, int]
    start_clock: int
    play_clock: int
    seed: int
    concurrency: int
    output: Path


def run_play(context: click.Context, /, **options: object) -> None:
    """Play matches of the ladder that are missing from its file, and print the file's table."""
    context.exit(_play(TypeAdapter(_Options).validate_python(options)))


def _play(options: _Options) -> int:
    """Play the matches, and return the exit status."""
    specs = (options.a, options.b)
    check_players(specs, {})
    players = ladder_players(specs, options.names)
    try:
        compile_before_clocks(("mcts", *specs))
        made = _openings(options)
    except KeyboardInterrupt:
        return INTERRUPTED
    games = {game.name: game for game in made.values()}
    identity = Identity(
        games={name: game.digest for name, game in games.items()},
        players=specs,
        start_clock=options.start_clock,
        play_clock=options.play_clock,
        seed=options.seed,
    )
    matches = make_schedule(identity, dict.fromkeys(games, 2), rounds=1)
    openings = {opening.name: opening for opening in made}
    with closing(LadderFile(options.output, identity, openings, players)) as log:
        run = TournamentRun(
            games, matches, log, Console(stderr=True, highlight=False, markup=False, emoji=False)
        )
        conditions = MatchConditions(options.start_clock, options.play_clock, states=False)
        is_interrupted = run.play(conditions, options.concurrency)
    found = matches_of(options.output.read_bytes(), options.output)
    if found:
        result_console(120).print(printed_table(ladder_table(found)))
    played = {result.key for result in log.results if not result.failure}
    if is_interrupted:
        return INTERRUPTED
    return 0 if played >= {match.key for match in matches} else 1


def _openings(options: _Options) -> dict[LadderOpening, TournamentGame]:
    """The openings of all games, opening by opening, so that games take turns."""
    found = []
    for path in options.games:
        game = LabGame(game_name(path), read_source(path).text)
        made = ladder_openings(game, options.openings, options.seed, Plies(*options.plies))
        missing = options.openings - len(made)
        say_on_stderr(
            f"{game.name}: {counted(len(made), 'balanced opening')}"
            + (f", and there are no more: {missing} fewer than asked for" if missing else "")
        )
        found += [(number, *one) for number, one in enumerate(made.items())]
    return {opening: game for _, opening, game in sorted(found, key=lambda one: one[0])}


def run_table(
    folder: Path, by_game: bool, output: Path | None, page: Path | None, plot: Path | None
) -> None:
    """Rate all players of a folder; print the table, and write what else is asked for."""
    if plot is not None:
        check_plot(plot)
    matches = read_ladder(folder)
    if not matches:
        raise click.ClickException(f"{folder} holds no matches; `ggp-player lab ladder play` does")
    games = games_of(matches) if by_game else []
    releases = replace(ladder_table(by_release(matches) or matches), game="Releases")
    tables = [ladder_table(matches, game) for game in ("", *games)]
    for table in (releases, *tables):
        result_console(120).print(printed_table(table))
    if output is not None:
        write_text(output, json.dumps([asdict(table) for table in tables], indent=1) + "\n")
    if plot is not None:
        write_ladder_plot(tables[0], plot)
    if page is not None:
        drawn = None if plot is None else os.path.relpath(plot, page.parent)
        write_text(page, ladder_page(releases, tables, drawn))
