"""Blocks: random playouts in several threads at once."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from gdl.engine.kernels import PlayoutArguments
from tests.support.compiled_games import machine_of

COUNT = len(PlayoutArguments._fields)


def test_the_arguments_of_playouts_outlive_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """While native code plays, other threads allocate arrays of the same size."""
    machine = machine_of("ticTacToe")
    seen: list[PlayoutArguments] = []

    def play(address: int) -> int:
        others = [np.full(COUNT, -1, dtype=np.int64) for _ in range(10)]
        seen.append(PlayoutArguments(*(ctypes.c_int64 * COUNT).from_address(address)))
        return len(others)

    monkeypatch.setattr(machine.engine, "play", play)
    block = machine.block()
    block.load(machine.bits(machine.initial_state())[None, :])
    block.play(5, refill=False)
    assert (seen[0].steps, seen[0].roles) == (5, 2)
    assert seen[0].rows == block.rows.ctypes.data
