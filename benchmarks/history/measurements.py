"""A measurement as a line of JSON: when, of what, where, by which command, and what came of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from gdl.benchmark.circumstances import circumstances
from gdl.version import __version__
from ggp_player.manager.tournament.standings import Interval

ROOT = Path(__file__).parents[2]
"""The checkout."""

HISTORY = Path(__file__).with_name("history.jsonl")

SOURCES = ("gdl", "ggp_player", "games")
"""What a measurement is of; other changes make no difference to it."""

MODULES = {"gdl": "gdl", "ggp-player": "ggp_player"}


@dataclass(frozen=True, slots=True)
class Machine:
    """The processor, the cores that were available, and the load when the measurement began."""

    processor: str
    cores: int
    load: float | None


@dataclass(frozen=True, slots=True)
class Measurement:
    """A line of the history.

    ``date`` is as in ISO 8601. ``measured`` says what the figures are, with their unit; ``figures``
    has a value for each game or player, with the least and the most of its repetitions, or the
    bounds of its interval. ``commit`` is the last one of the source, with a ``+`` where that had
    been changed since.
    """

    date: str
    version: str
    commit: str
    machine: Machine
    command: str
    measured: str
    figures: dict[str, Interval]
    note: str = ""


_LINE = TypeAdapter(Measurement)


def read_history(file: Path = HISTORY) -> list[Measurement]:
    """Read all lines. Raises pydantic's ValidationError for one that is no measurement."""
    return [_LINE.validate_json(line) for line in file.read_text(encoding="utf-8").splitlines()]


def append(measurement: Measurement, file: Path = HISTORY) -> None:
    """Add a line to a history, and nothing else."""
    with file.open("ab") as lines:
        lines.write(_LINE.dump_json(measurement) + b"\n")


def taken_now(
    command: Sequence[str], measured: str, figures: Mapping[str, Interval], note: str
) -> Measurement:
    """A measurement of this source on this machine, made today by a command."""
    found = circumstances()
    machine = Machine(found["processor"], found["cores"], found["load"])
    text = " ".join(command)
    return Measurement(
        str(date.today()), __version__, _commit(), machine, text, measured, dict(figures), note
    )


def measure(command: Sequence[str]) -> tuple[str, dict[str, Interval]]:
    """Run ``gdl bench`` or ``ggp-player bench``; return the name of the figures, and their values.

    Raises ValueError for another command, and subprocess.CalledProcessError where it fails.
    """
    program, *arguments = command
    if program not in MODULES or arguments[:1] != ["bench"]:
        raise ValueError("expected gdl bench or ggp-player bench, with what is to be measured")
    run = [sys.executable, "-m", MODULES[program], *arguments, "--json"]
    done = subprocess.run(run, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return figures_of(json.loads(done.stdout))


def figures_of(document: Mapping[str, Any]) -> tuple[str, dict[str, Interval]]:
    """What a benchmark has measured, and its figures, from the JSON that it writes.

    Raises ValueError where that has neither playouts nor searches.
    """
    games = document["games"]
    if isinstance(games, dict):
        speeds = {name: game["nodes/s"] for name, game in games.items()}
        found = {name: Interval(speed, speed, speed) for name, speed in speeds.items()}
        return "Nodes of the tree search per second of CPU time", found
    if not all("states_per_cpu_second" in game for game in games):
        raise ValueError("expected playouts on a processor: name others by --figure")
    spreads = {game["game"]: game["states_per_cpu_second"] for game in games}
    figures = {
        name: Interval(each["median"], each["least"], each["most"])
        for name, each in spreads.items()
    }
    engine = "" if document["machine"] == "propnet" else f" ({document['machine']})"
    return f"Random playouts{engine}, states per second of CPU time", figures


def _commit() -> str:
    last = ("git", "log", "-1", "--format=%h", "--", *SOURCES)
    name = subprocess.run(last, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    unchanged = ("git", "diff", "--quiet", "HEAD", "--", *SOURCES)
    return name + ("+" if subprocess.run(unchanged, cwd=ROOT, check=False).returncode else "")
