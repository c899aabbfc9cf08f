"""How fast games run on a device: playouts of a million lanes, beside a core of the host.

Times are wall-clock times, from the call to the results: a device works while the host waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import gdl
from gdl.benchmark.measure import MeasurementPlan, Quantiles, bare_speed, spread
from gdl.benchmark.tables import short
from gdl.engine.device import DeviceBlock
from gdl.language import parse

TRIAL_STEPS = 32
"""The steps of a first run, from which the number of steps for the planned time follows."""

MOST_STEPS = 2**14


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """The figures of one game on a device.

    ``registers`` says whether a thread has its state in registers, with the gates in the kernel;
    otherwise rows are in memory, with tiles of gates or the interpreter. ``local_bytes`` are those
    of a thread's values for which there are too few registers. ``first_seconds`` go by from the
    compiled game to the first results. ``host_states_per_cpu_second`` is what one core of this
    host makes of the same game.
    """

    game: str
    device: str
    lanes: int
    gates: int
    registers: bool
    local_bytes: int
    first_seconds: float
    states_per_second: Quantiles
    host_states_per_cpu_second: float

    @property
    def cores(self) -> float:
        """How many cores of the host the device is worth."""
        return self.states_per_second.median / self.host_states_per_cpu_second


def measure_on_device(
    device: str, lanes: int, game: str, text: str, plan: MeasurementPlan
) -> DeviceReport:
    """Measure a game in so many lanes of a device.

    Raises :class:`gdl.GdlError` for rules, or a device, that fail.
    """
    machine = gdl.compile(parse(text, game))
    began = monotonic()
    block = machine.device_block(lanes, device, plan.seed)
    _seconds(block, 1)
    first = monotonic() - began
    trial = min(_seconds(block, TRIAL_STEPS)[0] for _ in range(2))
    steps = min(MOST_STEPS, max(1, int(TRIAL_STEPS * plan.seconds / trial)))
    found = [_seconds(block, steps) for _ in range(plan.repetitions)]
    return DeviceReport(
        game=game,
        device=machine.device_engine(device).device.model,
        lanes=lanes,
        gates=block.engine.layout.gate_count,
        registers=not block.engine.has_rows,
        local_bytes=block.local_bytes,
        first_seconds=first,
        states_per_second=spread([states / seconds for seconds, states in found]),
        host_states_per_cpu_second=bare_speed(machine, plan),
    )


def _seconds(block: DeviceBlock, steps: int) -> tuple[float, int]:
    """Play so many steps from the initial state; return seconds, and the states that were made."""
    block.reset()
    block.synchronize()
    began = monotonic()
    states = block.run_playouts(steps, refill=True).made()
    return monotonic() - began, states


# ---------------------------------------------------------------------- tables

_HEADS = ("game", "states/s", "least", "most", "gates", "lanes")
_MORE = ("state in", "local", "first s", "a core", "cores")


def device_rows(reports: Sequence[DeviceReport]) -> list[list[str]]:
    """Write the figures of games as texts, the heads first."""
    rows = [[*_HEADS, *_MORE]]
    for report in reports:
        speed = report.states_per_second
        rows.append(
            [
                report.game,
                *(short(figure) for figure in (speed.median, speed.least, speed.most)),
                f"{report.gates:,}",
                f"{report.lanes:,}",
                "registers" if report.registers else "memory",
                f"{report.local_bytes:,}",
                f"{report.first_seconds:.1f}",
                short(report.host_states_per_cpu_second),
                f"{report.cores:.0f}",
            ]
        )
    return rows
