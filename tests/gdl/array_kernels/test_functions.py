"""Kernels run as native code, from an archive or, where none has them, made by Numba."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from gdl.array_kernels import inlined_kernel, kernel
from gdl.array_kernels.functions import KERNELS, KernelFunction
from gdl.engine.calls import copy_memory


class Data(NamedTuple):
    numbers: np.ndarray
    factor: int


@inlined_kernel
def scaled(data: Data, index: int) -> int:
    return data.numbers[index] * data.factor


@kernel
def total(data: Data) -> int:
    """Add up scaled numbers."""
    found = 0
    for index in range(len(data.numbers)):
        found += scaled(data, index)
    return found


@kernel
def copied(source: np.ndarray, target: np.ndarray) -> None:
    copy_memory(target.ctypes.data, source.ctypes.data, 8 * len(source))


def test_kernels_call_kernels() -> None:
    assert total(Data(np.arange(5), 10)) == 100


def test_kernels_call_intrinsics_but_python_cannot() -> None:
    target = np.zeros(3)
    copied(np.array([1.0, 2.0, 3.0]), target)
    assert target.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(TypeError, match="_copy can be called only in a kernel"):
        copy_memory(1, 2, 3)


def test_a_kernel_is_known_by_its_name_and_looks_like_its_function() -> None:
    found = KERNELS[f"{__name__}.total"]
    assert isinstance(found, KernelFunction)
    assert found.__doc__ == "Add up scaled numbers."
    assert found.function(Data(np.arange(2), 7)) == 7
