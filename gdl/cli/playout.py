"""The command ``gdl playout``: random matches, state by state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import gdl
from gdl.cli.arguments import STDIN
from gdl.cli.commands.playout import Format
from gdl.cli.options import game_name, read_rules
from gdl.cli.plain_output import writes_unicode
from gdl.language import Ruleset
from gdl.playouts import Ending, play_out, randomness
from gdl.reports.traces import header, trace_line

if TYPE_CHECKING:
    from gdl.datasets import Job, Recording
    from gdl.engine import PropnetStateMachine


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which playouts to make, and where: on a cluster with the address ``ray``, or a device."""

    seed: int
    playouts: int
    max_steps: int
    ray: str | None
    device: str | None = None


def run_playout(
    file: Path,
    layout: str,
    output: Path | None,
    **wanted: Any,  # noqa: ANN401 what Wanted has
) -> None:
    """Play random matches, and write them down."""
    ruleset, asked = read_rules(file), Wanted(**wanted)
    if layout != Format.TRACE and asked.seed < 0:
        raise click.UsageError("the seed of rows must be 0 or more")
    if layout in (Format.TRACE, Format.RESULTS) and asked.ray is not None:
        raise click.UsageError(f"--ray is for rows: --format jsonl or parquet, not {layout}")
    if layout != Format.RESULTS and asked.device is not None:
        raise click.UsageError(f"--device is for results: --format results, not {layout}")
    if layout == Format.PARQUET:
        _write_parquet(ruleset, game_name(file), asked, output)
        return
    if layout == Format.TRACE:
        lines = _trace(ruleset, game_name(file), asked)
    else:
        lines = (_results if layout == Format.RESULTS else _rows)(ruleset, asked)
    _write_lines(lines, output)


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
    return json.dumps(value, ensure_ascii=not writes_unicode(), separators=(",", ":"))


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


def _results(ruleset: Ruleset, wanted: Wanted) -> Iterator[str]:
    from gdl.datasets import play_matches, result_lines

    machine = gdl.compile(ruleset) if wanted.device is not None else _compiled(ruleset)
    asked = wanted.playouts, wanted.seed, wanted.max_steps, wanted.device
    for results in play_matches(machine, *asked):
        yield from result_lines(machine, results)


def _write_parquet(ruleset: Ruleset, name: str, wanted: Wanted, output: Path | None) -> None:
    if output is None or output == STDIN:
        raise click.UsageError("Parquet needs a file to write to: --output PATH")
    from gdl.datasets import ArrowRows, ParquetFile, record_on_cluster, require_parquet

    require_parquet()
    machine = gdl.compile(ruleset)
    arrow = ArrowRows(machine)
    with ParquetFile(output, arrow.schema, _origin(name, wanted)) as file:
        if wanted.ray is not None:
            for batch in record_on_cluster(_job(ruleset, wanted, as_arrow=True), wanted.ray):
                file.write(batch)
            return
        machine.warm_up()
        for recording in _recordings(machine, wanted):
            file.write(arrow.batch(recording))


def _origin(name: str, wanted: Wanted) -> dict[str, str]:
    """What rows depend on, as a file tells it."""
    return {
        "game": name,
        "seed": str(wanted.seed),
        "max_steps": str(wanted.max_steps),
        "version": gdl.__version__,
    }


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
