"""Blocks on a device: a million lanes of a compiled game and more, in the memory of a GPU."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.engine.bits import Packed
from gdl.engine.block import Bits, Engine, Playouts
from gdl.engine.device.device import Device, DeviceArray
from gdl.engine.device.device_engine import DeviceEngine
from gdl.engine.device_kernels.register_kernels import RANDOM_PLANES, ZEROS, sum_planes
from gdl.engine.successors import Expander

_ZEROS = (0,) * len(ZEROS)


@dataclass(frozen=True, slots=True)
class DevicePlayouts:
    """The results of playouts, still on the device, in planes; see ``play`` in
    :mod:`gdl.engine.device_kernels.register_kernels`."""

    device: Device
    threads: int
    planes: int
    sum_planes: int
    start: DeviceArray
    ended: DeviceArray
    sums: DeviceArray
    last: DeviceArray
    held: DeviceArray
    states: DeviceArray

    def made(self) -> int:
        """Return the number of state changes in lanes that played; waits for the kernels."""
        counts = np.empty(self.threads, dtype=np.int64)
        self.device.read(self.states, counts)
        return int(counts.sum())


class DeviceBlock:
    """Many states of a game in the memory of a device, and the operations on them.

    ``lanes`` is a multiple of 64. Bits are uint8 (lanes, n), each 0 or 1, as those of
    :class:`gdl.engine.Block`; unlike there, what depends on the states is evaluated when it is
    asked for. For one thread. All operations raise :class:`gdl.DeviceError` where the device fails.
    """

    def __init__(self, engine: DeviceEngine, lanes: int, seed: int = 0) -> None:
        if lanes < 1 or lanes % 64:
            raise ValueError(f"expected a multiple of 64 lanes, found {lanes}")
        self.engine, self.lanes = engine, lanes
        self._device = engine.device
        self._bits = engine.target.bits
        self._threads = lanes // self._bits
        self._memory = engine.memory(self._threads)
        layout = engine.layout
        self._state = self._planes(layout.fluent_count)
        self._random = self._planes(RANDOM_PLANES)
        self._legal = self._planes(sum(layout.move_counts))
        self._moves = self._planes(sum(layout.move_counts))
        self._terminal = self._planes(1)
        self._goals = self._planes(layout.goal_count)
        self._lanes = self._planes(1)
        self._counted: DevicePlayouts | None = None
        self.seed(seed)
        self.reset()

    def seed(self, seed: int) -> None:
        """Begin all random moves anew from a seed."""
        generator = np.random.default_rng(seed)
        shape, word = (RANDOM_PLANES, self._threads), np.uint64 if self._bits == 64 else np.uint32
        words = generator.integers(1, 2**self._bits, size=shape, dtype=word)
        self._device.write(self._random, words)

    # ------------------------------------------------------------------ states

    def load(self, fluents: Bits) -> None:
        """Write states into the first lanes: uint8 (states, fluents); other lanes repeat them."""
        count = self.engine.layout.fluent_count
        planes = np.empty((count, self.lanes // 8), dtype=np.uint8)
        if len(fluents) == 1:
            planes[:] = np.where(fluents[0], 0xFF, 0)[:, None]
        else:
            states = np.resize(fluents, (self.lanes, count))
            planes[:] = np.packbits(np.ascontiguousarray(states.T), axis=1, bitorder="little")
        self._device.write(self._state, planes)

    def reset(self) -> None:
        """Put all lanes into the initial state."""
        self.load(self.engine.initial[None, :])

    def states(self) -> Bits:
        """Return the states of all lanes: uint8 (lanes, fluents)."""
        return self._read(self._state, self.engine.layout.fluent_count)

    def legal(self) -> Bits:
        """Return the legal moves as bits: uint8 (lanes, moves of all roles)."""
        self._view()
        return self._read(self._legal, sum(self.engine.layout.move_counts))

    def terminal(self) -> NDArray[np.bool_]:
        """Return the terminal lanes: bool (lanes,)."""
        self._view()
        return self._read(self._terminal, 1)[:, 0].astype(bool)

    def goals(self) -> Bits:
        """Return the goal values that hold as bits: uint8 (lanes, goal rows)."""
        self._view()
        return self._read(self._goals, self.engine.layout.goal_count)

    def choose(self) -> Bits:
        """Return a uniformly random joint move of legal ones per lane."""
        self._launch("choose", self._state, self._random, self._moves, *_ZEROS)
        return self._read(self._moves, sum(self.engine.layout.move_counts))

    def move(self, moves: Bits, lanes: NDArray[np.bool_] | None = None) -> None:
        """Make joint moves, uint8 (lanes, moves of all roles), in some lanes: bool (lanes,)."""
        packed = np.packbits(np.ascontiguousarray(moves.T), axis=1, bitorder="little")
        self._device.write(self._moves, packed)
        chosen = np.ones(self.lanes, dtype=bool) if lanes is None else lanes
        self._device.write(self._lanes, np.packbits(chosen, bitorder="little"))
        self._launch("move", self._state, self._moves, self._lanes)

    def _view(self) -> None:
        self._launch("view", self._state, self._legal, self._terminal, self._goals)

    # ------------------------------------------------------------------ playouts

    def play(self, steps: int, refill: bool) -> Playouts:
        """Play at random from the lanes' states; see :meth:`gdl.engine.Block.play`."""
        counted = self.run_playouts(steps, refill)
        ended = self._numbers(counted.ended, 0, counted.planes)
        last = self._numbers(counted.last, 0, counted.planes)
        goals = np.empty((self.lanes, self.engine.game.roles), dtype=np.int64)
        for role in range(self.engine.game.roles):
            first = role * counted.sum_planes
            goals[:, role] = self._numbers(counted.sums, first, counted.sum_planes)
        lengths = np.where(ended > 0, last + 1 - ended, 0)
        return Playouts(ended, lengths, goals, counted.made(), views=steps + 1, goal_views=0)

    def run_playouts(self, steps: int, refill: bool) -> DevicePlayouts:
        """Play as :meth:`play` does, and leave the results on the device.

        The kernels may still run when this returns.
        """
        device = self._device
        counted = self._counters(steps)
        device.copy(counted.start, self._state)
        for array in (counted.ended, counted.sums, counted.last, counted.held):
            device.clear(array)
        self._launch("view", self._state, self._legal, self._terminal, self._goals)
        alive = ~self._words(self._terminal, 1)
        device.write(self._lanes, alive)
        arrays = (self._state, counted.start, self._random, self._lanes)
        results = (counted.ended, counted.sums, counted.last, counted.held, counted.states)
        numbers = (counted.sum_planes, steps, int(refill), *_ZEROS)
        self._launch("play", *arrays, *results, *numbers)
        return counted

    def _counters(self, steps: int) -> DevicePlayouts:
        """Return arrays for results, those of before where they are as large."""
        planes = max(1, (steps + 1).bit_length())
        sums = sum_planes(self.engine.game, steps)
        old = self._counted
        if old is None or (old.planes, old.sum_planes) != (planes, sums):
            fluents = self.engine.layout.fluent_count
            holds = self.engine.layout.goals_are_expensive
            old = self._counted = DevicePlayouts(
                device=self._device,
                threads=self._threads,
                planes=planes,
                sum_planes=sums,
                start=self._planes(fluents),
                ended=self._planes(planes),
                sums=self._planes(sums * self.engine.game.roles),
                last=self._planes(planes),
                held=self._planes(fluents + 1 if holds else 1),
                states=self._device.zeros(8 * self._threads),
            )
        return old

    @property
    def local_bytes(self) -> int:
        """How many bytes of a thread's values have no room in registers, in playouts."""
        return self.engine.kernels("play").local_bytes("play")

    def synchronize(self) -> None:
        """Wait until all that was begun is done."""
        self._device.synchronize()

    # ------------------------------------------------------------------ arrays

    def _planes(self, count: int) -> DeviceArray:
        return self._device.zeros(count * self.lanes // 8)

    def _launch(self, kernel: str, *arguments: DeviceArray | int) -> None:
        kernels = self.engine.kernels(kernel)
        kernels.launch(kernel, (*self._memory, *arguments), self._threads)

    def _words(self, array: DeviceArray, count: int) -> NDArray[np.uint8]:
        """Read the first planes of an array: uint8 (count, lanes / 8)."""
        words = np.empty((count, self.lanes // 8), dtype=np.uint8)
        self._device.read(array, words)
        return words

    def _read(self, array: DeviceArray, count: int) -> Bits:
        return np.unpackbits(self._words(array, count), axis=1, bitorder="little").T

    def _numbers(self, array: DeviceArray, first: int, count: int) -> NDArray[np.int64]:
        """Return bit-sliced numbers: int64 (lanes,)."""
        bits = self._read(array, first + count)[:, first:]
        return bits.astype(np.int64) @ (1 << np.arange(count, dtype=np.int64))


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
