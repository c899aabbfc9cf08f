"""The command ``ggp-player lab profile``: what a search does with its time, game by game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click
from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import Progress

from gdl.cli.lazy_group import INTERRUPTED
from gdl.cli.options import game_name, read_source, write_text
from gdl.game_library import own_games
from ggp_player.cli.options import (
    compile_before_clocks,
    reporting_unplayable_game,
    say_on_stderr,
)
from ggp_player.cli.terminal import interrupted_once, result_console
from ggp_player.lab.balance import LabGame
from ggp_player.lab.profile.game_profile import GameProfile, ProfileSettings, profile_game
from ggp_player.lab.profile.profile_report import (
    ProverVerdict,
    profile_tables,
    profiles_to_json,
    remarks,
    verdict_on_provers,
)
from ggp_player.strategies.selection import create


def run_profile_command(
    context: click.Context,
    games: tuple[Path, ...],
    all_games: bool,
    most_prover_share: float,
    check: bool,
    output: Path | None,
    **measured: object,
) -> None:
    """Profile some games, print what was found, and judge the provers."""
    if bool(games) == all_games:
        raise click.UsageError("name some games, or give --all")
    settings = TypeAdapter(ProfileSettings).validate_python(measured)
    create(settings.strategy)
    with interrupted_once():
        profiles: list[GameProfile] = []
        is_interrupted = False
        try:
            compile_before_clocks(("mcts", settings.strategy))
            with reporting_unplayable_game():
                profiles.extend(_profiles(games or tuple(own_games().values()), settings))
        except KeyboardInterrupt:
            is_interrupted = True
        verdict = verdict_on_provers(profiles, most_prover_share / 100)
        _print(profiles, verdict)
        if output is not None:
            document = profiles_to_json(profiles, settings, verdict)
            write_text(output, json.dumps(document, indent=1) + "\n")
    failed = check and not verdict.is_passed
    context.exit(INTERRUPTED if is_interrupted else int(failed))


def _profiles(games: tuple[Path, ...], settings: ProfileSettings) -> Iterator[GameProfile]:
    """Profile one game after the other; stderr says how far it is."""
    with _progress(len(games)) as tell:
        for number, path in enumerate(games):
            game = LabGame(game_name(path), read_source(path).text)
            yield profile_game(game, settings, partial(tell, number, game.name))


@contextmanager
def _progress(games: int) -> Iterator[Callable[[int, str, str], None]]:
    """Say on stderr what is measured: in one line on a terminal, elsewhere in a line for each."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, game, stage: say_on_stderr(f"{game}: {stage}")
        return
    # Without its thread, whose CPU time would be measured.
    with Progress(console=console, transient=True, auto_refresh=False) as bar:
        task = bar.add_task("", total=games)
        yield lambda done, game, stage: bar.update(
            task, completed=done, description=f"{game}: {stage}", refresh=True
        )


def _print(profiles: list[GameProfile], verdict: ProverVerdict) -> None:
    console = result_console(180)  # there is a column for each component
    for table in profile_tables(profiles):
        console.print(table)
        console.print()
    for remark in remarks(profiles):
        click.echo(remark)
    click.echo(verdict)
