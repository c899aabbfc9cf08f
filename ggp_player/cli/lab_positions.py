"""The commands ``ggp-player lab positions``: sets of solved positions, and errors in them."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

import gdl
from ggp_player.cli.options import reporting_unplayable_game, say_on_stderr
from ggp_player.lab.position_maker import Recipe
from ggp_player.lab.set_making import Order, SolverName, make_set
from ggp_player.lab.solved_positions import SUFFIX
from ggp_player.move_service import warm_up_first


def run_make(
    rulesheet: Path,
    count: int,
    seed: int,
    plies: tuple[int, int],
    solver: SolverName,
    nodes: int,
    per_game: int,
    tries: int,
    games: int,
    output: Path | None,
) -> None:
    """Make a set of positions, and write it."""
    with reporting_unplayable_game():
        ruleset = gdl.load(rulesheet)
        path = output or Path(f"{ruleset.game}{SUFFIX}")
        recipe = Recipe(*plies, tries=tries, per_game=per_game)
        order = Order(ruleset, count, seed, recipe, solver, nodes, games)
        warm_up_first(say_on_stderr)
        with Progress(console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(ruleset.game, total=count)

            def tell(played: int, found: int) -> None:
                description = f"{ruleset.game}, {played} games"
                progress.update(task, completed=found, description=description)

            try:
                made = make_set(order, path, tell)
            except KeyboardInterrupt:
                raise click.ClickException(
                    "broken off; the same command goes on where it was"
                ) from None
    click.echo(f"{path}: {len(made.positions)} positions, {path.stat().st_size} bytes")
