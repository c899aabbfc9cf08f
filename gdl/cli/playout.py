"""The command ``gdl playout``: random matches, state by state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import gdl
from gdl.cli.options import (
    OUTPUT,
    STDIN,
    game_name,
    read_rules,
    rulesheet_argument,
    seed_option,
)
from gdl.language import Ruleset
from gdl.playouts import DEFAULT_MAX_STEPS, Ending, play_out, randomness
from gdl.reports import header, trace_line

if TYPE_CHECKING:
    from gdl.datasets import Job, Recording
    from gdl.engine import PropnetStateMachine


class Format(StrEnum):
    """How playouts are written down."""

    TRACE = "trace"
    """For comparing answers: by the reasoner, with hashes of large sets."""
    JSONL = "jsonl"
    """One object for each state, whole; by the compiled engine."""
    PARQUET = "parquet"
    """The same rows as a Parquet file."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which playouts to make, and where: ``ray`` is the address of a cluster, if any."""

    seed: int
    playouts: int
    max_steps: int
    ray: str | None


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
@click.option(
    "--format",
    "layout",
    type=click.Choice([each.value for each in Format]),
    default=Format.TRACE.value,
    show_default=True,
    help="A trace to compare answers with, or rows to learn from, as JSON lines or Parquet.",
)
@click.option("--output", type=OUTPUT, metavar="PATH", help="Write to a file.")
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Play on a Ray cluster: its address, auto, or local to start one here.",
)
def playout_command(
    file: Path,
    layout: str,
    output: Path | None,
    **wanted: Any,  # noqa: ANN401 what Wanted has
) -> None:
    """Play random matches, written as JSON lines.

    As a trace, the first line names the game and its roles. Each further line is one state: its
    facts, whether it is terminal, the goal values and legal moves of each role, the joint move made
    in it and, where the game has percepts, what each role sees of that move.

    With --format jsonl or parquet the compiled engine plays, many thousand states a second, and
    each state is a row of its own, with all facts and legal moves; a goal is the lowest that holds.
    The same seed makes the same rows on any machine. Parquet needs --output and the extra: pip
    install 'ggp-player[parquet]'. With --ray the blocks of playouts are played on a cluster, by the
    extra ray; the rows and their order are the same.

    \b
    Examples:
        gdl playout games/ticTacToe.kif --seed 7
        gdl playout games/tron.kif --playouts 3 --max-steps 80 > tron.trace.jsonl
        gdl playout games/nim.kif --playouts 1000 --format jsonl --output nim.jsonl
    """
    ruleset, asked = read_rules(file), Wanted(**wanted)
    if layout != Format.TRACE and asked.seed < 0:
        raise click.UsageError("the seed of rows must be 0 or more")
    if layout == Format.TRACE and asked.ray is not None:
        raise click.UsageError("a cluster plays rows, not traces: --format jsonl or parquet")
    if layout == Format.PARQUET:
        _write_parquet(ruleset, asked, output)
        return
    lines = _trace(ruleset, game_name(file), asked) if layout == Format.TRACE else None
    _write_lines(lines or _rows(ruleset, asked), output)


def _write_lines(lines: Iterator[str], output: Path | None) -> None:
    if output is None or output == STDIN:
        for line in lines:
            click.echo(line)
        return
    with output.open("w", encoding="utf-8", newline="\n") as target:
        target.writelines(f"{line}\n" for line in lines)


def _trace(ruleset: Ruleset, name: str, wanted: Wanted) -> Iterator[str]:
    machine = gdl.interpret(ruleset)
    with_percepts = ruleset.has_percepts
    yield _compact(header(name, machine))
    for number in range(wanted.playouts):
        for step in play_out(machine, randomness(wanted.seed, number), wanted.max_steps):
            yield _compact(trace_line(machine, number, step, with_percepts))
            if step.ending is Ending.NO_MOVE:
                where = f"playout {number} stops at step {step.number}"
                stuck = [r for r, o in zip(machine.roles, step.options, strict=True) if not o]
                names = ", ".join(map(str, stuck))
                click.echo(f"{where}: no legal move for {names}, and no terminal state", err=True)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# ---------------------------------------------------------------------- rows


def _rows(ruleset: Ruleset, wanted: Wanted) -> Iterator[str]:
    from gdl.datasets import json_lines, record_on_cluster

    if wanted.ray is not None:
        for lines in record_on_cluster(_job(ruleset, wanted, as_arrow=False), wanted.ray):
            yield lines.decode().removesuffix("\n")
        return
    machine = _compiled(ruleset)
    for recording in _recordings(machine, wanted):
        yield from json_lines(machine, recording)


def _write_parquet(ruleset: Ruleset, wanted: Wanted, output: Path | None) -> None:
    if output is None or output == STDIN:
        raise click.UsageError("Parquet needs a file to write to: --output PATH")
    from gdl.datasets import ArrowRows, ParquetFile, record_on_cluster, require_parquet

    require_parquet()
    machine = gdl.compile(ruleset)
    arrow = ArrowRows(machine)
    with ParquetFile(output, arrow.schema) as file:
        if wanted.ray is not None:
            for batch in record_on_cluster(_job(ruleset, wanted, as_arrow=True), wanted.ray):
                file.write(batch)
            return
        machine.warm_up()
        for recording in _recordings(machine, wanted):
            file.write(arrow.batch(recording))


def _job(ruleset: Ruleset, wanted: Wanted, *, as_arrow: bool) -> Job:
    from gdl.datasets import Job

    return Job(
        ruleset.source.text,
        ruleset.source.name,
        wanted.seed,
        wanted.playouts,
        wanted.max_steps,
        as_arrow,
    )


def _compiled(ruleset: Ruleset) -> PropnetStateMachine:
    machine = gdl.compile(ruleset)
    machine.warm_up()
    return machine


def _recordings(machine: PropnetStateMachine, wanted: Wanted) -> Iterator[Recording]:
    from gdl.datasets import Recorder, blocks_of

    recorder = Recorder(machine)
    for number, playouts in blocks_of(wanted.playouts):
        yield recorder.record(number, wanted.seed, playouts, wanted.max_steps)
