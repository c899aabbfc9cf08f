"""Games on the device that is this processor, where the kernels of GPUs run too."""

from __future__ import annotations

from functools import cache

from gdl.engine.device import DeviceEngine, HostDevice
from gdl.engine.machine import PropnetStateMachine
from tests.support.compiled_games import machine_of


def engine_of(
    machine: PropnetStateMachine, *, bits: int = 64, has_rows: bool | None = None
) -> DeviceEngine:
    layout = machine.engine.layout
    goals = [(role, value) for role, value in machine.engine.goal_table.tolist()]
    initial = machine.bits(machine.initial_state())
    return DeviceEngine(layout, goals, len(machine.roles), initial, HostDevice(bits), has_rows)


@cache
def host_engine(name: str, bits: int = 64, has_rows: bool | None = None) -> DeviceEngine:
    return engine_of(machine_of(name), bits=bits, has_rows=has_rows)
