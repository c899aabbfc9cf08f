"""Tensors: arrays of a device with a shape, for whoever learns from them on the same device."""

from __future__ import annotations

from collections import defaultdict
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.engine.device import dlpack
from gdl.engine.device.device import Device, DeviceArray

Shape: TypeAlias = tuple[int, ...]


class DeviceTensor:
    """An array on a device; PyTorch and JAX take it by DLPack, without a copy.

    Nobody writes to it again while you hold it, or a tensor that was made of it.
    """

    def __init__(
        self,
        device: Device,
        memory: PooledArray,
        dtype: type[np.generic],
        shape: Shape,
        strides: Shape | None = None,
        offset: int = 0,
    ) -> None:
        self._device, self._memory = device, memory
        self.dtype, self.shape = np.dtype(dtype), shape
        self._strides = strides or dlpack.row_major(shape)
        self._offset = offset

    @property
    def address(self) -> int:
        """Where it begins."""
        return self.array.address + self._offset * self.dtype.itemsize

    @property
    def array(self) -> DeviceArray:
        """The array that the tensor is in."""
        return self._memory.array

    def reshape(self, *shape: int) -> DeviceTensor:
        """Return the same values in another shape; of a tensor without gaps only."""
        if self._strides != dlpack.row_major(self.shape) or prod(shape) != prod(self.shape):
            raise ValueError(f"a tensor of {self.shape} cannot be seen as {shape}")
        return DeviceTensor(self._device, self._memory, self.dtype.type, shape, None, self._offset)

    def columns(self, first: int, shape: Shape) -> DeviceTensor:
        """Return some of a row's values, of a tensor (rows, n), in a shape of their own."""
        strides = (self._strides[0], *dlpack.row_major(shape))
        return DeviceTensor(
            self._device,
            self._memory,
            self.dtype.type,
            (self.shape[0], *shape),
            strides,
            self._offset + first,
        )

    def numpy(self) -> NDArray[Any]:
        """Return a copy in the memory of the host; waits for the device."""
        size = self.array.size // self.dtype.itemsize
        whole = np.empty(size, dtype=self.dtype)
        self._device.read(self.array, whole)
        step = self.dtype.itemsize
        strides = [step * stride for stride in self._strides]
        view = np.lib.stride_tricks.as_strided(whole[self._offset :], self.shape, strides)
        return np.array(view)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return kind and number of the device, as DLPack has them."""
        return self._device.dlpack_device

    def __dlpack__(self, *, stream: Any = None, **_unused: Any) -> Any:  # noqa: ANN401
        """Return a capsule; work on ``stream`` waits for what was begun here."""
        self._device.hand_over(stream)
        array = dlpack.ArrayDescription(
            address=self.address,
            device=self._device.dlpack_device,
            kind=self.dtype.kind,
            bits=8 * self.dtype.itemsize,
            shape=self.shape,
            strides=self._strides,
        )
        return dlpack.export(array, self._memory)

    def __repr__(self) -> str:
        return f"<{self.dtype} {self.shape} on {self._device.name}>"


class PooledArray:
    """An array that goes back to its pool when nobody has it any more."""

    def __init__(self, pool: TensorPool, array: DeviceArray) -> None:
        self._pool, self.array = pool, array

    def __del__(self) -> None:
        self._pool.give_back(self.array)


class TensorPool:
    """Makes tensors, of arrays that are used again when nobody holds them."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._free: defaultdict[int, list[DeviceArray]] = defaultdict(list)

    def take(self, dtype: type[np.generic], *shape: int) -> DeviceTensor:
        """Return a tensor of a shape, with anything in it."""
        size = prod(shape) * np.dtype(dtype).itemsize
        free = self._free[size]
        array = free.pop() if free else self._device.zeros(size)
        return DeviceTensor(self._device, PooledArray(self, array), dtype, shape)

    def zeros(self, dtype: type[np.generic], *shape: int) -> DeviceTensor:
        """Return a tensor of zeros."""
        tensor = self.take(dtype, *shape)
        self._device.clear(tensor.array)
        return tensor

    def give_back(self, array: DeviceArray) -> None:
        """Take an array back."""
        self._free[array.size].append(array)
