"""Expansion of many states in a block on a device.

Apart from the host's expansion, as nothing of a device is imported unless one is asked for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl.engine.bits import Packed
from gdl.engine.block import Bits, Engine
from gdl.engine.device.device_block import DeviceBlock
from gdl.engine.successors import Expander


class DeviceExpander(Expander):
    """Makes joint moves in a block on a device; raises :class:`gdl.DeviceError` where it fails."""

    def __init__(self, engine: Engine, block: DeviceBlock) -> None:
        super().__init__(engine)
        self._device_block = block
        self.lanes = block.lanes

    def _legal(self, states: Packed) -> Bits:
        self._load(states)
        block = self._device_block
        return (block.legal() * ~block.terminal()[:, None])[: len(states)]

    def _after(self, states: Packed, moves: NDArray[np.int64]) -> Packed:
        self._load(states)
        made = np.zeros((self.lanes, int(self._offsets[-1])), dtype=np.uint8)
        made[np.arange(len(states))[:, None], moves + self._offsets[:-1]] = 1
        self._device_block.move(made)
        return np.packbits(self._device_block.states()[: len(states)], axis=1, bitorder="little")

    def _load(self, states: Packed) -> None:
        count = self._layout.fluent_count
        self._device_block.load(np.unpackbits(states, axis=1, count=count, bitorder="little"))
