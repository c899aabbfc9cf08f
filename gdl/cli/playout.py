"""The command ``gdl playout``: random matches, state by state."""

from __future__ import annotations

import json
from pathlib import Path

import click

from gdl.cli.options import game_name, read_rules, rulesheet_argument, seed_option
from gdl.playouts import DEFAULT_MAX_STEPS, Ending, play_out, randomness
from gdl.reasoner import interpret
from gdl.reports import has_percepts, header, trace_line


@click.command("playout")
@rulesheet_argument
@seed_option
@click.option("--playouts", type=click.IntRange(1), metavar="K", default=1, show_default=True)
@click.option(
    "--max-steps",
    type=click.IntRange(0),
    metavar="M",
    default=DEFAULT_MAX_STEPS,
    show_default=True,
    help="Stop a playout after so many steps.",
)
def playout_command(file: Path, seed: int, playouts: int, max_steps: int) -> None:
    """Play random matches, written as JSON lines.

    The first line names the game and its roles. Each further line is one state: its facts,
    whether it is terminal, the goal values and legal moves of each role, the joint move made in
    it and, where the game has percepts, what each role sees of that move.

    \b
    Examples:
        gdl playout games/ticTacToe.kif --seed 7
        gdl playout games/tron.kif --playouts 3 --max-steps 80 > tron.trace.jsonl
    """
    ruleset = read_rules(file)
    machine = interpret(ruleset)
    with_percepts = has_percepts(ruleset)
    click.echo(_compact(header(game_name(file), machine)))
    for number in range(playouts):
        for step in play_out(machine, randomness(seed, number), max_steps):
            click.echo(_compact(trace_line(machine, number, step, with_percepts)))
            if step.ending is Ending.NO_MOVE:
                where = f"playout {number} stops at step {step.number}"
                stuck = [r for r, o in zip(machine.roles, step.options, strict=True) if not o]
                names = ", ".join(map(str, stuck))
                click.echo(f"{where}: no legal move for {names}, and no terminal state", err=True)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
