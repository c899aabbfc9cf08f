"""Devices: where kernels of words run, the memory of their arrays, and the host as one of them.

``host`` runs the same kernels on this processor, for those who have no GPU and for tests.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gdl.engine.device.dlpack import CPU
from gdl.engine.device_kernels.targets import KernelTarget
from gdl.errors import DeviceError
from gdl.native_code import compile_source, native_code


@dataclass(frozen=True, eq=False)
class DeviceArray:
    """An array in the memory of a device: where it begins, as kernels see it, and how many bytes.

    It is freed with the object: ``memory`` is the array itself where the host is the device.
    """

    address: int
    size: int
    memory: NDArray[np.uint8] | None = None


def copied(device: Device, values: NDArray[np.generic]) -> DeviceArray:
    """Copy an array of the host to a device."""
    array = device.zeros(max(values.nbytes, 1))
    device.write(array, values)
    return array


class Kernels(Protocol):
    """Kernels that are ready to run."""

    def launch(self, name: str, arguments: Sequence[DeviceArray | int], threads: int) -> None:
        """Run a kernel in so many threads, whose number is its last argument."""

    def local_bytes(self, name: str) -> int:
        """Return how many bytes of a thread's values have no room in registers."""


class Device(Protocol):
    """Where kernels run."""

    name: str
    model: str
    """What the device is called by those who make it."""
    target: KernelTarget
    dlpack_device: tuple[int, int]
    """Kind and number, as DLPack has them."""

    def hand_over(self, stream: object) -> None:
        """Have a stream of somebody else's, by its number, wait for what was begun here."""

    def kernels(self, source: str, *, straight: bool) -> Kernels:
        """Make kernels of LLVM source, which is one long line of gates, or is not."""

    def zeros(self, size: int) -> DeviceArray:
        """Make an array of so many bytes, all 0. Raises :class:`gdl.DeviceError` for lack of it."""

    def write(self, array: DeviceArray, values: NDArray[np.generic]) -> None:
        """Copy values of the host to the beginning of an array."""

    def read(self, array: DeviceArray, values: NDArray[np.generic], begin: int = 0) -> None:
        """Copy an array, from a byte on, to one of the host; waits for the kernels before."""

    def copy(self, target: DeviceArray, origin: DeviceArray) -> None:
        """Copy one array to another of the same size."""

    def clear(self, array: DeviceArray) -> None:
        """Make all bytes of an array 0."""

    def synchronize(self) -> None:
        """Wait for the kernels."""


class HostKernels:
    """Kernels compiled for this processor, each a loop over its threads.

    They are not optimised: for a long line of gates that would take LLVM a minute.
    """

    def __init__(self, source: str) -> None:
        compiler = partial(compile_source, effort=0)
        self._code = native_code(f"not optimised\n{source}", lambda: source, compiler)

    def launch(self, name: str, arguments: Sequence[DeviceArray | int], threads: int) -> None:
        """Run a kernel for one thread after the other."""
        values = [a if isinstance(a, int) else a.address for a in arguments]
        kinds = [ctypes.c_int64] * (len(values) + 1)
        ctypes.CFUNCTYPE(None, *kinds)(self._code.address(name))(*values, threads)

    def local_bytes(self, name: str) -> int:
        """Return 0: what the stack is for is not known."""
        return 0


class HostDevice:
    """This processor as a device."""

    name = "host"
    model = "this processor"
    dlpack_device = (CPU, 0)

    def __init__(self, bits: int = 64) -> None:
        self.target = KernelTarget(bits, is_gpu=False)

    def hand_over(self, stream: object) -> None:
        """Do nothing: kernels have run when they return."""

    def kernels(self, source: str, *, straight: bool) -> Kernels:
        """Make kernels of LLVM source."""
        return HostKernels(source)

    def zeros(self, size: int) -> DeviceArray:
        """Make an array of so many bytes, all 0."""
        try:
            memory = np.zeros(size, dtype=np.uint8)
        except MemoryError:
            raise DeviceError(f"{self.name}: no memory for an array of {size:,} bytes") from None
        return DeviceArray(memory.ctypes.data, size, memory)

    def write(self, array: DeviceArray, values: NDArray[np.generic]) -> None:
        """Copy values to the beginning of an array."""
        values = np.ascontiguousarray(values)
        ctypes.memmove(array.address, values.ctypes.data, values.nbytes)

    def read(self, array: DeviceArray, values: NDArray[np.generic], begin: int = 0) -> None:
        """Copy an array from a byte on."""
        ctypes.memmove(values.ctypes.data, array.address + begin, values.nbytes)

    def copy(self, target: DeviceArray, origin: DeviceArray) -> None:
        """Copy one array to another of the same size."""
        ctypes.memmove(target.address, origin.address, origin.size)

    def clear(self, array: DeviceArray) -> None:
        """Make all bytes of an array 0."""
        ctypes.memset(array.address, 0, array.size)

    def synchronize(self) -> None:
        """Do nothing: kernels have run when they return."""
