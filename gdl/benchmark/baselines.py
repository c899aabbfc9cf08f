"""The speeds of other engines, as others have written them down."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

COLUMNS = ("game", "engine", "states_per_cpu_s")
"""The columns that must be there; others may be."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """Another engine, and how many states it goes through in a second of processor time."""

    engine: str
    states_per_second: float


def fastest_baselines(lines: Iterable[str], name: str) -> dict[str, Baseline]:
    """Return the fastest engine of each game, from a table in CSV with a header.

    Lines without a speed are those of engines that failed. Raises ValueError, with the ``name`` of
    the table, where a column is missing or a speed is no number above 0.
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


def _speed(text: str, place: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not isfinite(speed) or speed <= 0:
        raise ValueError(f"{place}: expected states per second above 0, found {text!r}")
    return speed
