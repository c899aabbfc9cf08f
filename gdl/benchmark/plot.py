"""Measured speeds as a picture. It needs matplotlib, which is loaded only when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING

from gdl.benchmark.tables import SpeedEntry

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT_OF_GAME, _HEIGHT_OF_FRAME = 9.0, 0.21, 1.2
"""Inches."""

_OURS, _PEERS = "#3b78b5", "#c8501e"


def check_plot_file(file: Path) -> None:
    """Raise ValueError where no picture can be written under that name.

    Raises ImportError without matplotlib.
    """
    from matplotlib.backend_bases import FigureCanvasBase

    known = sorted(FigureCanvasBase.get_supported_filetypes())
    if file.suffix.removeprefix(".").lower() not in known:
        raise ValueError(f"expected a name that ends in one of .{', .'.join(known)}")


def write_plot(entries: Sequence[SpeedEntry], file: Path, caption: str) -> None:
    """Write a bar for each game, fastest first, in a format that the file's name says."""
    import matplotlib

    # Letters stay letters, and the same figures give the same file.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "gdl"}):
        made = {"Date": None} if file.suffix.lower() == ".svg" else None
        _figure(entries, caption).savefig(file, metadata=made)


def _figure(entries: Sequence[SpeedEntry], caption: str) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, NullFormatter

    # The first bar stands at the bottom.
    rising = sorted(entries, key=lambda entry: entry.speed)
    height = _HEIGHT_OF_FRAME + _HEIGHT_OF_GAME * len(rising)
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    axes = figure.add_subplot()
    places = range(len(rising))
    speeds = [entry.speed for entry in rising]
    axes.barh(places, speeds, color=_OURS, label="this engine")
    peers = [(n, each.peer.states_per_second) for n, each in enumerate(rising) if each.peer]
    if peers:
        numbers, theirs = zip(*peers, strict=True)
        axes.plot(theirs, numbers, "D", color=_PEERS, markersize=4, label="fastest peer")
        figure.legend(loc="outside upper right", ncols=2, fontsize=8)
    axes.set_yticks(places, [entry.game for entry in rising], fontsize=8)
    axes.set_ylim(-0.7, len(rising) - 0.3)
    axes.set_xscale("log")
    axes.set_xlim(left=_decade_below([*speeds, *(speed for _, speed in peers)]))
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True, axis="x", alpha=0.4)
    axes.set_axisbelow(True)
    axes.set_xlabel(f"states per second on one core\n{caption}", fontsize=8)
    return figure


def _decade_below(speeds: Sequence[float]) -> float:
    return float(10 ** floor(log10(min(speeds))))
