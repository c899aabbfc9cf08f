"""A circuit made ready to run on a device: which kernels it has, and what they need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import GateProgram, Layout
from gdl.engine.block import Bits
from gdl.engine.device.device import Device, DeviceArray, Kernels
from gdl.engine.device_kernels.memory_kernels import MEMORY_WORD, memory_kernel_source
from gdl.engine.device_kernels.register_kernels import DeviceGame, kernel_source
from gdl.engine.device_kernels.targets import KernelTarget
from gdl.engine.kernels import scratch_rows

MAX_STRAIGHT_GATES = 20_000
"""A game with more gates, counting those that choose moves, has rows in memory: a line of so many
instructions takes a GPU's compiler minutes."""

GATES_OF_A_CHOICE = 9
"""How many gates it takes to choose among moves, for each of them."""

PROGRAM_FIELDS = 4
"""How many numbers the record of a program has."""


class DeviceEngine:
    """A circuit made ready to run on a device.

    Where ``has_rows`` is false a thread has its state in registers, and gates are written into the
    kernels; otherwise rows are in memory, and gates are interpreted. By default the number of gates
    decides. ``target`` is what kernels are
    written for. ``initial`` is the initial state, uint8 (fluents,). Kernels are compiled when they
    are first run. Everything here raises :class:`gdl.DeviceError` where the device fails.
    """

    def __init__(
        self,
        layout: Layout,
        goal_table: Sequence[tuple[int, int]],
        roles: int,
        initial: Bits,
        device: Device,
        has_rows: bool | None = None,
    ) -> None:
        self.layout, self.device, self.initial = layout, device, initial
        self.game = DeviceGame(layout, tuple(goal_table), roles)
        gates = layout.gate_count + GATES_OF_A_CHOICE * sum(layout.move_counts)
        self.has_rows = gates > MAX_STRAIGHT_GATES if has_rows is None else has_rows
        self.target = device.target
        if self.has_rows:
            self.target = KernelTarget(MEMORY_WORD, is_gpu=device.target.is_gpu)
            whole = layout.view, layout.transition
            parts = layout.moves_view, layout.goals_view
            self._programs = _Programs(device, (*whole, *parts))
        self._kernels: dict[tuple[str, int], Kernels] = {}

    def kernels(self, name: str, threads: int) -> Kernels:
        """Return the kernels with one of a name, for so many threads."""
        key = name, threads if self.has_rows else 0
        if key not in self._kernels:
            source = (
                memory_kernel_source(name, self.game, self.target, threads)
                if self.has_rows
                else kernel_source(name, self.game, self.target)
            )
            self._kernels[key] = self.device.kernels(source, straight=not self.has_rows)
        return self._kernels[key]

    @property
    def episode_target(self) -> KernelTarget:
        """What the kernels of environments are written for: their words have 64 lanes."""
        return KernelTarget(MEMORY_WORD, is_gpu=self.device.target.is_gpu)

    def program_addresses(self) -> tuple[int, int, int]:
        """Return where the programs of view, goals and transition are; 0 where gates are code.

        Where goals are expensive, the view is what is needed for moves.
        """
        if not self.has_rows:
            return 0, 0, 0
        whole, transition, moves, goals = (self._programs.address(i) for i in range(4))
        return moves if self.layout.goals_are_expensive else whole, goals, transition

    def memory(self, threads: int) -> tuple[DeviceArray, ...]:
        """Make what a block's kernels take before their other arguments: nothing, or its rows."""
        if not self.has_rows:
            return ()
        most_moves = max(self.layout.move_counts, default=1)
        sizes = self.layout.rows, scratch_rows(most_moves)
        rows, scratch = (self.device.zeros(size * threads * MEMORY_WORD // 8) for size in sizes)
        return rows, scratch, self._programs.array


class _Programs:
    """Gate programs in the memory of a device; ``array`` int64 (programs, 4) has their addresses.

    See ``program`` in :mod:`gdl.engine.kernels`.
    """

    def __init__(self, device: Device, programs: Sequence[GateProgram]) -> None:
        self._arrays: list[DeviceArray] = []
        records = []
        for program in programs:
            parts: list[NDArray[Any]] = [program.gates, program.segments, program.feedback]
            arrays = [device.zeros(max(part.nbytes, 1)) for part in parts]
            for array, part in zip(arrays, parts, strict=True):
                device.write(array, part)
            gates, segments, feedback = (array.address for array in arrays)
            records.append([gates, segments, len(program.segments), feedback])
            self._arrays += arrays
        self.array = device.zeros(8 * PROGRAM_FIELDS * len(programs))
        device.write(self.array, np.array(records, dtype=np.int64))

    def address(self, index: int) -> int:
        """Return where the record of a program is."""
        return self.array.address + 8 * PROGRAM_FIELDS * index
