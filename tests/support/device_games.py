"""Games on the device that is this processor, where the kernels of GPUs run too."""

from __future__ import annotations

from functools import cache

from gdl.engine.device import DeviceEngine, HostDevice
from gdl.engine.machine import PropnetStateMachine
from tests.support.compiled_games import machine_of


def engine_of(
    machine: PropnetStateMachine, *, bits: int = 64, **kinds: bool | None
) -> DeviceEngine:
    """Make an engine; ``has_rows`` and ``has_tiles`` are as there."""
    layout = machine.engine.layout
    goals = [(role, value) for role, value in machine.engine.goal_table.tolist()]
    initial = machine.bits(machine.initial_state())
    device = HostDevice(bits)
    return DeviceEngine(layout, goals, len(machine.roles), initial, device, **kinds)


@cache
def host_engine(name: str, bits: int = 64, **kinds: bool | None) -> DeviceEngine:
    return engine_of(machine_of(name), bits=bits, **kinds)
