"""Arguments are flattened, checked and packed; a wrong one never reaches native code."""

from __future__ import annotations

import json
import struct
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl.array_kernels.arguments import Leaf, Packer, leaves_of, number_of

COUNTERS = np.dtype([("states", np.int64), ("edges", np.int32)])


class Pair(NamedTuple):
    left: NDArray[Any]
    right: int


GRID = Leaf(np.dtype(np.uint64), 2)
NUMBER = Leaf(np.dtype(np.int64))
RECORDS = Leaf(COUNTERS, 1)


def test_tuples_are_flattened_from_left_to_right() -> None:
    assert list(leaves_of([1, Pair((2, 3), 4), (), 5.0])) == [1, 2, 3, 4, 5.0]  # type: ignore[arg-type]


def test_arrays_are_an_address_and_a_shape() -> None:
    grid = np.zeros((3, 5), np.uint64)
    packed = Packer("k", [GRID, NUMBER]).pack([Pair(grid, -7)])
    assert struct.unpack("=Qqqq", packed) == (grid.ctypes.data, 3, 5, -7)


@pytest.mark.parametrize("kind", [np.float64, np.uint64, np.int64, np.bool_])
def test_numbers_of_every_kind_are_packed(kind: type) -> None:
    leaf = Leaf(np.dtype(kind))
    (word,) = struct.unpack("=q", Packer("k", [leaf]).pack([kind(1)]))
    assert number_of(word, leaf.dtype.kind) == 1


def test_results_have_their_kind() -> None:
    assert number_of(-1, "i") == -1
    assert number_of(-1, "u") == 2**64 - 1
    assert number_of(0x100, "b") is False
    assert number_of(0, "V") is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([np.zeros((2, 2), np.uint64)], "k takes 2 arrays and numbers, not 1"),
        ([np.zeros((2, 2), np.int64), 1], r"k takes uint64\[:,:\], not int64\[:,:\]"),
        ([np.zeros(4, np.uint64), 1], r"k takes uint64\[:,:\], not uint64\[:\]"),
        ([np.zeros((2, 3), np.uint64).T, 1], "that is not contiguous"),
        ([[[1]], 1], r"k takes uint64\[:,:\], not list"),
        ([np.zeros((2, 2), np.uint64), "one"], "k does not take these numbers"),
        ([np.zeros((2, 2), np.uint64), 2**64], "k does not take these numbers"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: list[Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Packer("k", [GRID, NUMBER]).pack(arguments)


@pytest.mark.parametrize("leaf", [GRID, NUMBER, RECORDS])
def test_types_are_kept_as_json(leaf: Leaf) -> None:
    assert Leaf.from_json(json.loads(json.dumps(leaf.as_json()))) == leaf


@pytest.mark.parametrize(
    "described", ["1" * 5000, ",", "f4,f4", "S9", [["a", ","]], [["a", "<i8", 2]], 3, None]
)
def test_what_describes_no_type_of_numbers_is_refused(described: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        Leaf.from_json([described, 1])


def test_another_array_is_not_taken_for_the_last_one() -> None:
    packer = Packer("k", [GRID, NUMBER])
    for size in (2, 3, 2):
        grid = np.zeros((size, 1), np.uint64)
        for number in (5, 6):
            found = struct.unpack("=Qqqq", packer.pack([grid, number]))
            assert found == (grid.ctypes.data, size, 1, number)
    with pytest.raises(TypeError, match="takes"):
        packer.pack([grid.astype(np.int64), 5])
