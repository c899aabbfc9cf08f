"""The measured speeds of other engines, and the public rulesheets that they were measured on.

``baselines.csv`` has the figures: states per second of CPU time in random playouts, by game and
engine, with the machine that they were measured on. ``rulesheets.csv`` says where each game's
rulesheet is published, and by which SHA-256 it is recognised: rulesheets of other versions have
other speeds. Rulesheets without a repository were found in one that does not keep them as files.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import isfinite
from pathlib import Path

COLUMNS = ("game", "engine", "states_per_cpu_s")
"""The columns that must be there; others may be."""

SUFFIXES = (".kif", ".gdl")
"""How the names of published rulesheets end."""

_DATA = files("gdl.benchmark")


@dataclass(frozen=True, slots=True)
class Baseline:
    """Another engine, and its states per second of CPU time."""

    engine: str
    states_per_second: float


def known_baselines() -> dict[str, Baseline]:
    """Return the fastest other engine of each game that has been measured."""
    with (_DATA / "baselines.csv").open(encoding="utf-8") as lines:
        return fastest_baselines(lines, "baselines.csv")


def known_games(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the published games in a folder, at any depth: each once, by name and file."""
    found: dict[str, Path] = {}
    for file in sorted(file for suffix in SUFFIXES for file in folder.rglob(f"*{suffix}")):
        game = known_game(file)
        if game is not None:
            found.setdefault(game, file)
    yield from sorted(found.items(), key=lambda item: item[0].casefold())


def known_game(file: Path) -> str | None:
    """Return the name of the published game that a file is the rulesheet of, None if it is none."""
    return _game_of_digest().get(sha256(file.read_bytes()).hexdigest())


@cache
def _game_of_digest() -> dict[str, str]:
    with (_DATA / "rulesheets.csv").open(encoding="utf-8") as lines:
        return {row["sha256"]: row["game"] for row in csv.DictReader(lines)}


def fastest_baselines(lines: Iterable[str], name: str) -> dict[str, Baseline]:
    """Return the fastest engine of each game, from a table in CSV with a header.

    Lines without a speed are those of engines that failed. Raises ValueError, with the ``name`` of
    the table, where a column is missing or a speed is not a number above 0.
    """
    rows = csv.DictReader(lines)
    missing = [column for column in COLUMNS if column not in (rows.fieldnames or ())]
    if missing:
        raise ValueError(f"{name}:1: expected the columns {', '.join(COLUMNS)}; no {missing[0]}")
    fastest: dict[str, Baseline] = {}
    for row in rows:
        if not row["states_per_cpu_s"]:
            continue
        speed = _speed(row["states_per_cpu_s"], f"{name}:{rows.line_num}")
        best = fastest.get(row["game"])
        if best is None or speed > best.states_per_second:
            fastest[row["game"]] = Baseline(row["engine"], speed)
    return fastest


def _speed(text: str, position: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not isfinite(speed) or speed <= 0:
        raise ValueError(f"{position}: expected states per second above 0, found {text!r}")
    return speed
