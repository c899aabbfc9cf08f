"""Tensors go to other libraries, and arrays come from them, without a copy and without a leak."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from gdl.engine.device import HostDevice, dlpack
from gdl.engine.device.device_tensor import TensorPool
from gdl.engine.device.dlpack import CPU, Imported, row_major


@pytest.mark.parametrize("dtype", [np.uint8, np.bool_, np.int64, np.float64])
def test_another_library_sees_what_the_tensor_has(dtype) -> None:
    device = HostDevice()
    tensor = TensorPool(device).zeros(dtype, 4, 6)
    values = np.arange(24).reshape(4, 6).astype(dtype)
    device.write(tensor.array, values)
    seen = np.from_dlpack(tensor)
    assert seen.dtype == dtype
    assert np.array_equal(seen, values)
    assert np.array_equal(np.from_dlpack(tensor.reshape(2, 12)), values.reshape(2, 12))
    part = np.from_dlpack(tensor.columns(2, (2, 2)))
    assert np.array_equal(part, values[:, 2:].reshape(4, 2, 2))
    assert np.array_equal(tensor.columns(2, (2, 2)).numpy(), part)
    assert tensor.__dlpack_device__() == (CPU, 0)


def test_a_tensor_with_gaps_is_not_reshaped() -> None:
    tensor = TensorPool(HostDevice()).zeros(np.uint8, 4, 6)
    with pytest.raises(ValueError, match=r"a tensor of \(4, 2\) cannot be seen as \(8,\)"):
        tensor.columns(1, (2,)).reshape(8)
    with pytest.raises(ValueError, match="cannot be seen as"):
        tensor.reshape(5, 5)


def test_memory_goes_back_to_the_pool_when_nobody_holds_it() -> None:
    pool = TensorPool(HostDevice())
    tensor = pool.zeros(np.uint8, 64)
    address = tensor.address
    seen = np.from_dlpack(tensor)
    del tensor
    other = pool.take(np.uint8, 64)
    assert other.address != address
    del seen
    gc.collect()
    assert pool.take(np.uint8, 64).address == address


def test_a_capsule_that_nobody_takes_leaves_nothing_behind() -> None:
    tensor = TensorPool(HostDevice()).zeros(np.uint8, 8)
    before = len(dlpack._alive)
    capsule = tensor.__dlpack__()
    assert len(dlpack._alive) == before + 1
    del capsule
    gc.collect()
    assert len(dlpack._alive) == before


def test_an_array_of_others_is_held_until_it_is_let_go_of() -> None:
    class Array(np.ndarray):
        """One that can be watched."""

    array = np.arange(6, dtype=np.int64).reshape(2, 3).view(Array)
    watched = weakref.ref(array)
    taken = Imported(array.__dlpack__())
    assert taken.description.address == array.ctypes.data
    assert (taken.description.kind, taken.description.bits) == ("i", 64)
    assert taken.description.shape == (2, 3)
    assert taken.description.strides == row_major((2, 3)) == (3, 1)
    del array
    assert watched() is not None
    del taken
    gc.collect()
    assert watched() is None
