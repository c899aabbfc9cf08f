"""How arguments are passed to kernels: flattened, checked, and packed into 64-bit words.

An argument is an array, a number, or a named tuple of arguments. Its leaves are passed one after
another. A number is one word. An array of ``n`` dimensions is ``1 + n`` words: its address and its
shape; it is C-contiguous.
"""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from weakref import ref

import numpy as np
from numpy.typing import DTypeLike

from gdl.native_code import NativeCode

Argument: TypeAlias = Any
"""An array, a number, or a named tuple of arguments."""

_FORMATS = {"i": "q", "u": "Q", "b": "?7x", "f": "d"}
"""How numbers of each kind of NumPy type are packed."""

RESULT_KINDS = ("V", *_FORMATS)
"""The kinds of what a kernel returns, as NumPy has them; ``V`` is nothing."""

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int64))

MAX_DIMENSIONS = 8

_NUMBER_TYPE = re.compile("[<>=|][biuf][1248]")
"""How NumPy describes a type of numbers; it evaluates some of the texts that are none."""


class KernelArchiveError(Exception):
    """An archive is damaged, or a kernel failed."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """The type of an array of ``dimensions``, or of a number where that is 0."""

    dtype: np.dtype[Any]
    dimensions: int = 0

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(':' * self.dimensions)}]" if self.dimensions else "number"

    @property
    def format(self) -> str:
        """The words as :mod:`struct` knows them."""
        return "Q" + "q" * self.dimensions if self.dimensions else _FORMATS[self.dtype.kind]

    def as_json(self) -> list[Any]:
        """Return it as plain lists, numbers and strings."""
        return [_description(self.dtype), self.dimensions]

    @staticmethod
    def from_json(data: Sequence[Any]) -> Leaf:
        """Do the reverse of :meth:`as_json`. Raises ValueError or TypeError where it cannot be."""
        described, dimensions = data
        leaf = Leaf(_type_of(described), dimensions)
        if not (isinstance(dimensions, int) and 0 <= dimensions <= MAX_DIMENSIONS):
            raise ValueError(f"an array cannot have {dimensions!r:.20} dimensions")
        if not dimensions and leaf.dtype.kind not in _FORMATS:
            raise ValueError(f"a number cannot be a {leaf.dtype}")
        return leaf


def _description(dtype: DTypeLike) -> str | list[list[str]]:
    described = np.lib.format.dtype_to_descr(np.dtype(dtype))
    if isinstance(described, str):
        return described
    return [[str(part) for part in field] for field in described]


def _type_of(described: str | list[list[str]]) -> np.dtype[Any]:
    """Do the reverse of :func:`_description`. Raises ValueError or TypeError."""
    fields = [("", described)] if isinstance(described, str) else [(n, t) for n, t in described]
    for _, number_type in fields:
        if not _NUMBER_TYPE.fullmatch(number_type):
            raise ValueError(f"{number_type!r:.20} is no type of numbers")
    return np.dtype(described if isinstance(described, str) else fields)


_Known: TypeAlias = tuple[Callable[[], Any], tuple[int, ...]]
"""What returns an array while it lives, and its words."""


def _nothing() -> object:
    """Stand for an array that is no argument."""
    return _nothing


def leaves_of(arguments: Iterable[Argument]) -> Iterator[Argument]:
    """Yield the arrays and numbers among arguments, from left to right."""
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from leaves_of(argument)
        else:
            yield argument


class Packer:
    """Packs the arguments of one kernel.

    It remembers the words of the arrays that it was given last, as asking an array for its address
    takes as long as hundreds of instructions.
    """

    def __init__(self, kernel: str, leaves: Sequence[Leaf]) -> None:
        self._kernel = kernel
        self._leaves = leaves
        self._known: list[_Known] = [(_nothing, ())] * len(leaves)
        self._format = struct.Struct("=" + "".join(leaf.format for leaf in leaves))

    def pack(self, arguments: Iterable[Argument]) -> bytes:
        """Pack arguments; the arrays must outlive the call.

        Raises TypeError if an argument does not fit.
        """
        given = list(leaves_of(arguments))
        if len(given) != len(self._leaves):
            expected = f"{len(self._leaves)} arrays and numbers"
            raise TypeError(f"{self._kernel} takes {expected}, not {len(given)}")
        words: list[int | float] = []
        for index, value in enumerate(given):
            array, known = self._known[index]
            if array() is value and value is not None:
                words += known
            elif self._leaves[index].dimensions:
                words += self._remember(index, value)
            else:
                words.append(value)
        try:
            return self._format.pack(*words)
        except struct.error as error:
            raise TypeError(f"{self._kernel} does not take these numbers: {error}") from error

    def _remember(self, index: int, value: Argument) -> tuple[int, ...]:
        """Return an array's address and shape, and remember them."""
        leaf = self._leaves[index]
        if (
            not isinstance(value, np.ndarray)
            or value.ndim != leaf.dimensions
            or value.dtype != leaf.dtype
            or not value.flags.c_contiguous
        ):
            raise self._misfit(value, leaf)
        words = (value.ctypes.data, *value.shape)
        self._known[index] = (ref(value), words)
        return words

    def _misfit(self, value: Argument, leaf: Leaf) -> TypeError:
        found = type(value).__name__
        if isinstance(value, np.ndarray):
            found = str(Leaf(value.dtype, value.ndim))
            if not value.flags.c_contiguous:
                found += " that is not contiguous"
        return TypeError(f"{self._kernel} takes {leaf}, not {found}")


class Entry:
    """A kernel's native code; ``result`` is the kind of what it returns."""

    def __init__(self, name: str, leaves: Iterable[Leaf], result: str, code: NativeCode) -> None:
        self._name, self._result = name, result
        self._packer = Packer(name, list(leaves))
        self._code = code  # the address is valid while this lives
        self._function = _SIGNATURE(code.address(name))

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401 as the kernel says
        """Call it. Raises TypeError for arguments that do not fit."""
        result = ctypes.c_int64()
        if self._function(self._packer.pack(arguments), ctypes.byref(result)):
            raise KernelArchiveError(f"{self._name} failed, for lack of memory perhaps")
        return number_of(result.value, self._result)


def number_of(word: int, kind: str) -> int | float | bool | None:
    """Return the number that a kernel has written as 64 bits; ``kind`` is NumPy's, or ``V``."""
    if kind == "V":
        return None
    if kind == "b":
        return bool(word & 0xFF)
    raw = struct.pack("=q", word)
    value: int | float = struct.unpack("=" + _FORMATS[kind], raw)[0]
    return value
