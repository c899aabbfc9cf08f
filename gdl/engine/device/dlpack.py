"""DLPack: arrays of a device handed to PyTorch, JAX and others, and taken from them, uncopied.

Reference: the DLPack specification of the Data API standards' consortium, version 0.8.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

CPU, CUDA = 1, 2
"""Kinds of devices."""

_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
"""The code of a type, by NumPy's letter for its kind."""

_NAME, _USED = b"dltensor", b"used_dltensor"


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (
        ("tensor", _Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_python = ctypes.pythonapi
_new_capsule = _python.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer_of = _python.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
_rename = _python.PyCapsule_SetName
_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _python)
)
_raw_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _python)
)

_alive: dict[int, tuple[Any, ...]] = {}
"""What exported tensors need, by the address of their record, until nobody has them any more."""


@dataclass(frozen=True, slots=True)
class ArrayDescription:
    """Where an array is and how it is laid out: ``kind`` as NumPy's, strides in elements."""

    address: int
    device: tuple[int, int]
    kind: str
    bits: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def _forget(address: int) -> None:
    _alive.pop(address, None)


def _drop(capsule: int) -> None:
    """Release a tensor that nobody has taken out of its capsule."""
    if _is_valid(capsule, _NAME):
        _forget(_raw_pointer_of(capsule, _NAME))


_release, _destroy = _DELETER(_forget), _DESTRUCTOR(_drop)


def export(array: ArrayDescription, owner: object) -> object:
    """Return a capsule of an array; ``owner`` is kept until whoever takes it lets go of it."""
    shape = (ctypes.c_int64 * len(array.shape))(*array.shape)
    strides = (ctypes.c_int64 * len(array.strides))(*array.strides)
    tensor = _Tensor(
        array.address,
        *array.device,
        len(array.shape),
        _CODES[array.kind],
        array.bits,
        1,
        shape,
        strides,
        0,
    )
    managed = _Managed(tensor, None, ctypes.cast(_release, ctypes.c_void_p))
    address = ctypes.addressof(managed)
    _alive[address] = (managed, shape, strides, owner)
    capsule: object = _new_capsule(address, _NAME, ctypes.cast(_destroy, ctypes.c_void_p))
    return capsule


class Imported:
    """An array of somebody else's, held until this object goes."""

    def __init__(self, capsule: object) -> None:
        self._managed = _Managed.from_address(_pointer_of(capsule, _NAME))
        _rename(capsule, _USED)
        weakref.finalize(self, _let_go, self._managed).atexit = False
        tensor = self._managed.tensor
        shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        kinds = {code: kind for kind, code in _CODES.items()}
        self.description = ArrayDescription(
            address=(tensor.data or 0) + tensor.byte_offset,
            device=(tensor.device_type, tensor.device_id),
            kind=kinds.get(tensor.code, "?"),
            bits=tensor.bits,
            shape=shape,
            strides=_strides(tensor, shape),
        )


def _let_go(managed: _Managed) -> None:
    """Tell whoever has made an array that it is not needed any more."""
    if managed.deleter:
        delete: Callable[[int], None] = _DELETER(managed.deleter)
        delete(ctypes.addressof(managed))


def _strides(tensor: _Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    if tensor.strides:
        return tuple(tensor.strides[i] for i in range(tensor.ndim))
    return row_major(shape)


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides, in elements, of an array without gaps."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
