"""Measure libraries in turn, and write a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from time import process_time

from benchmarks.environments.games import Game
from benchmarks.environments.libraries import (
    Play,
    our_environment,
    play_openspiel,
    play_ours,
    play_pettingzoo,
    play_pgx,
)
from gdl.benchmark.measure import MeasurementPlan, bare_speed
from gdl.benchmark.tables import short

OURS = "steps/s"

WARMING_SECONDS = 0.2
"""CPU time that each library plays before it is measured; the first call may compile."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library of others: its packages, how it plays, and what it calls a game."""

    title: str
    packages: dict[str, str]
    prepare: Callable[[Game, int], Play]
    name: Callable[[Game], str]
    has_copies: bool = False

    def heading(self) -> str:
        """Its packages with their versions, as they are installed."""
        return ", ".join(f"{name} {_version(package)}" for name, package in self.packages.items())


LIBRARIES = (
    Library("Pgx", {"Pgx": "pgx", "JAX": "jax"}, play_pgx, lambda game: game.pgx, True),
    Library(
        "PettingZoo",
        {"PettingZoo": "pettingzoo"},
        play_pettingzoo,
        lambda game: game.pettingzoo,
    ),
    Library("OpenSpiel", {"OpenSpiel": "open-spiel"}, play_openspiel, lambda game: game.openspiel),
)


@dataclass(slots=True)
class Measurement:
    """Steps per second of CPU time in each round, of one library with so many copies."""

    library: str
    envs: int
    play: Play
    speeds: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        """The round that was disturbed the least."""
        return max(self.speeds)


def measured_row(
    game: Game, envs: Sequence[int], plan: MeasurementPlan, libraries: Sequence[Library]
) -> str:
    """Measure a game in all libraries; return its row. ``plan`` has the seconds and the rounds."""
    ours = [our_environment(game, count) for count in envs]
    found = [Measurement(OURS, env.num_envs, play_ours(env)) for env in ours]
    found += [each for library in libraries for each in _prepared(library, game, envs)]
    for each in found:
        _speed(each.play, WARMING_SECONDS)
    for _ in range(plan.repetitions):
        for each in found:
            each.speeds.append(_speed(each.play, plan.seconds))
    for each in found:
        speeds = " ".join(short(speed) for speed in each.speeds)
        print(f"{game.title}: {each.library}, {each.envs}: {speeds}", file=sys.stderr)
    own = found[: len(ours)]
    size = sum(space.size for space in ours[0].observations) + len(ours[0].action_masks()[0])
    best = max(each.best for each in own)
    cells = [
        game.title,
        ", ".join(short(each.best) for each in own),
        f"{best * size / 1e9:.1f}",
        str(size),
        *(_compared(own, [f for f in found if f.library == one.title]) for one in libraries),
        short(bare_speed(ours[0].machine, plan)),
    ]
    return f"| {' | '.join(cells)} |"


def _prepared(library: Library, game: Game, envs: Sequence[int]) -> Iterator[Measurement]:
    """Prepare a library, once for each number of copies; nothing where it lacks the game."""
    if not library.name(game):
        return
    counts = [1]
    if library.has_copies:
        counts = sorted({min(count, game.pgx_envs) for count in envs})
    try:
        for count in counts:
            yield Measurement(library.title, count, library.prepare(game, count))
    except ImportError as error:
        print(f"{library.title} is left out: {error}", file=sys.stderr)


def _compared(own: Sequence[Measurement], theirs: Sequence[Measurement]) -> str:
    """Speeds, and how many times faster ours is: with as many copies, else with any number."""
    fastest = max(each.best for each in own)
    cells = []
    for each in theirs:
        equal = [one.best for one in own if one.envs == each.envs]
        ratio = (equal or [fastest])[0] / each.best
        times = f"{ratio:,.0f}" if ratio >= 20 else f"{ratio:.1f}"
        cells.append(f"{short(each.best)} ({times} x)")
    return ", ".join(cells)


def _speed(play: Play, seconds: float) -> float:
    steps, began, elapsed = 0, process_time(), 0.0
    while elapsed < seconds:
        steps += play()
        elapsed = process_time() - began
    return steps / elapsed


def headings(libraries: Sequence[Library]) -> str:
    """The first two lines of the table."""
    columns = ["game", OURS, "GB/s", "bytes a step"]
    columns += [library.heading() for library in libraries]
    columns.append("bare playouts, states/s")
    return f"| {' | '.join(columns)} |\n| --- |{' ---: |' * (len(columns) - 1)}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"
