"""Blocks of a million states and more on a GPU, by the same circuits.

A gate is one instruction for the 32 lanes of a thread, and a thread keeps its states in registers.
The kernels of a game are written as LLVM text, gates and all, in :mod:`gdl.engine.device_kernels`;
LLVM makes PTX of it, and NVIDIA's driver takes that (:mod:`.cuda_driver`), so that no toolkit is
needed. The device ``host`` runs the same kernels on the processor.

Nothing here is imported unless a device is asked for.
"""

from __future__ import annotations

from gdl.engine.device.device import Device, HostDevice
from gdl.engine.device.device_block import DeviceBlock, DeviceExpander
from gdl.engine.device.device_engine import DeviceEngine
from gdl.engine.device.device_stepper import DeviceStepper, DeviceStepResult

__all__ = [
    "DeviceBlock",
    "DeviceEngine",
    "DeviceExpander",
    "DeviceStepResult",
    "DeviceStepper",
    "HostDevice",
    "open_device",
]


def open_device(name: str, *, is_used: bool = True) -> Device:
    """Return a device by its name: ``cuda:0``, ``cuda`` or ``host``.

    One that is not ``is_used`` is only looked for, and takes no memory. Raises ValueError for
    another name, and :class:`gdl.DeviceError` where there is no such GPU.
    """
    if name == "host":
        return HostDevice()
    kind, _, number = name.partition(":")
    if kind != "cuda" or not (number or "0").isdecimal():
        raise ValueError(f"expected a device such as cuda:0 or host, found {name!r}")
    from gdl.engine.device.cuda_driver import CudaDevice

    return CudaDevice(int(number or 0), is_used=is_used)
