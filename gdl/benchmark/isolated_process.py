"""Measuring games one after another, each in an isolated process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress

from gdl.benchmark.measure import Failure, MeasurementPlan
from gdl.errors import GdlError, Source
from gdl.system import children_import_our_code

Figures = TypeVar("Figures")


def measured_in_isolation(
    measure: Callable[[str, str, MeasurementPlan], Figures],
    sources: Sequence[tuple[str, Source]],
    plan: MeasurementPlan,
    hidden: bool,
) -> Iterator[Figures | Failure]:
    """Yield each game's figures, or the reason for their lack; ``sources`` are names and texts.

    Progress is shown on a terminal unless ``hidden``.
    """
    console = Console(stderr=True)
    with Progress(
        console=console, transient=True, disable=hidden or not console.is_terminal
    ) as bar:
        for name, source in bar.track(sources, description="games"):
            with children_import_our_code():
                pool = ProcessPoolExecutor(1, get_context("spawn"))
                figures = pool.submit(measure, name, source.text, plan)
            with pool:
                try:
                    yield figures.result()
                except GdlError as error:
                    yield Failure(name, str(error).removeprefix(f"{name}: "))
                except MemoryError:
                    yield Failure(name, "there is not enough memory")
                except BrokenProcessPool:
                    yield Failure(name, "the process that measured it died")
