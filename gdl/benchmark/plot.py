"""Measured speeds as a plot. It needs matplotlib, which is loaded only when it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING

from gdl.benchmark.tables import SpeedEntry

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 9.0, 5.0
"""Inches."""

_HEIGHT_OF_GAME, _HEIGHT_OF_FRAME = 0.21, 1.2

_OURS, _BASELINES = "#3b78b5", "#c8501e"


def write_plot(entries: Sequence[SpeedEntry], file: Path, caption: str) -> None:
    """Write a bar for each game, fastest first, in the format that the file's name asks for."""
    height = _HEIGHT_OF_FRAME + _HEIGHT_OF_GAME * len(entries)
    save_figure(lambda figure: _draw(figure, entries, caption), file, height)


def save_figure(draw: Callable[[Figure], None], file: Path, height: float = _HEIGHT) -> None:
    """Have a figure drawn, and write it in the format that the file's name asks for."""
    import matplotlib
    from matplotlib.figure import Figure

    # Text stays text, and the same figures give the same file.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "gdl"}):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        draw(figure)
        made = {"Date": None} if file.suffix.lower() == ".svg" else None
        figure.savefig(file, metadata=made)


def _draw(figure: Figure, entries: Sequence[SpeedEntry], caption: str) -> None:
    from matplotlib.ticker import EngFormatter, NullFormatter

    # The first bar stands at the bottom.
    rising = sorted(entries, key=lambda entry: entry.speed)
    axes = figure.add_subplot()
    positions = range(len(rising))
    speeds = [entry.speed for entry in rising]
    axes.barh(positions, speeds, color=_OURS, label="this engine")
    others = [
        (n, each.baseline.states_per_second) for n, each in enumerate(rising) if each.baseline
    ]
    if others:
        numbers, theirs = zip(*others, strict=True)
        axes.plot(
            theirs, numbers, "D", color=_BASELINES, markersize=4, label="fastest other engine"
        )
        figure.legend(loc="outside upper right", ncols=2, fontsize=8)
    axes.set_yticks(positions, [entry.game for entry in rising], fontsize=8)
    axes.set_ylim(-0.7, len(rising) - 0.3)
    axes.set_xscale("log")
    axes.set_xlim(left=_decade_below([*speeds, *(speed for _, speed in others)]))
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True, axis="x", alpha=0.4)
    axes.set_axisbelow(True)
    axes.set_xlabel(f"states per second on one core\n{caption}", fontsize=8)


def _decade_below(speeds: Sequence[float]) -> float:
    return float(10 ** floor(log10(min(speeds))))
