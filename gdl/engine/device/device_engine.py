"""A circuit made ready to run on a device: which kernels it has, and what they need."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from gdl.circuit import Layout
from gdl.engine.block import Bits
from gdl.engine.device.device import Device, DeviceArray, Kernels, copied
from gdl.engine.device_kernels.memory_kernels import memory_kernel_source, scratch_size
from gdl.engine.device_kernels.plane_helpers import WORD, PlaneHelpers, whole_groups
from gdl.engine.device_kernels.register_kernels import DeviceGame, kernel_source
from gdl.engine.device_kernels.targets import KernelTarget
from gdl.engine.device_kernels.tiles import (
    TiledCircuit,
    cut_into_tiles,
    in_batches,
    whole_circuit,
)

MAX_STRAIGHT_GATES = 20_000
"""A game with more gates, counting those that choose moves, has rows in memory: a line of so many
instructions takes a GPU's compiler minutes."""

MAX_TILED_GATES = 40_000
"""The gates of larger circuits are interpreted: their tiles take too long to compile as well."""

GATES_OF_A_CHOICE = 12
"""What a move counts for: nine gates of the choice among them, and what keeps its counters."""

PROGRAM_FIELDS = 4
"""How many numbers the record of a program has."""


class DeviceEngine:
    """A circuit made ready to run on a device.

    Where ``has_rows`` is false a thread of playouts has its state in registers, and gates are
    written into the kernels; otherwise rows are in memory, and gates are cut into tiles, or
    interpreted without ``has_tiles``; environments have rows in memory always. By default the
    number of gates decides. ``target`` is what the kernels of playouts are written for. ``initial``
    is the initial state, uint8 (fluents,). Kernels are compiled when they are first run. Everything
    here raises :class:`gdl.DeviceError` where the device fails.
    """

    def __init__(
        self,
        layout: Layout,
        goal_table: Sequence[tuple[int, int]],
        roles: int,
        initial: Bits,
        device: Device,
        has_rows: bool | None = None,
        has_tiles: bool | None = None,
    ) -> None:
        self.layout, self.device, self.initial = layout, device, initial
        self.game = DeviceGame(layout, tuple(goal_table), roles)
        gates = layout.gate_count + GATES_OF_A_CHOICE * sum(layout.move_counts)
        self.has_rows = gates > MAX_STRAIGHT_GATES if has_rows is None else has_rows
        self._has_tiles = layout.gate_count <= MAX_TILED_GATES if has_tiles is None else has_tiles
        self.target = self.memory_target if self.has_rows else device.target
        self._kernels: dict[str, Kernels] = {}
        self._program_parts: list[DeviceArray] = []

    @cached_property
    def circuit(self) -> TiledCircuit:
        """The circuit as kernels have it whose rows are in memory."""
        return cut_into_tiles(self.layout) if self._has_tiles else whole_circuit(self.layout)

    @cached_property
    def _programs(self) -> DeviceArray:
        """The gate programs that are interpreted, int64 (programs, 4).

        See ``program`` in :mod:`gdl.engine.kernels`.
        """
        layout = self.layout
        programs = layout.view, layout.transition, layout.moves_view, layout.goals_view
        interpreted = () if self.circuit.has_tiles else programs
        records = np.zeros((len(interpreted), PROGRAM_FIELDS), dtype=np.int64)
        for record, program in zip(records, interpreted, strict=True):
            batched = in_batches(program, PlaneHelpers.batch)
            parts = batched.gates, batched.segments, batched.feedback
            gates, segments, feedback = arrays = [copied(self.device, part) for part in parts]
            record[:] = gates.address, segments.address, len(batched.segments), feedback.address
            self._program_parts += arrays
        return copied(self.device, records)

    def kernels(self, name: str) -> Kernels:
        """Return the kernels with one of a name."""
        if name not in self._kernels:
            source = (
                memory_kernel_source(name, self.game, self.circuit, self.target)
                if self.has_rows
                else kernel_source(name, self.game, self.target)
            )
            self._kernels[name] = self.device.kernels(source, straight=not self.has_rows)
        return self._kernels[name]

    @property
    def memory_target(self) -> KernelTarget:
        """What kernels are written for whose rows are in memory: their words have 64 lanes."""
        return KernelTarget(WORD, is_gpu=self.device.target.is_gpu)

    def program_addresses(self) -> tuple[int, int, int]:
        """Return where the programs of view, goals and transition are; 0 where gates are code.

        Where goals are expensive, the view is what is needed for moves.
        """
        if self.circuit.has_tiles:
            return 0, 0, 0
        first = self._programs.address
        whole, transition, moves, goals = (first + 8 * PROGRAM_FIELDS * i for i in range(4))
        return moves if self.layout.goals_are_expensive else whole, goals, transition

    def memory(self, threads: int) -> tuple[DeviceArray, ...]:
        """Make what a block's kernels take before their other arguments: nothing, or its rows."""
        if not self.has_rows:
            return ()
        sizes = self.circuit.layout.rows, scratch_size(self.layout.move_counts)
        rows, scratch = (self.rows(size, threads) for size in sizes)
        return rows, scratch, self._programs

    def rows(self, count: int, threads: int) -> DeviceArray:
        """Make so many rows of the words of some threads, all 0."""
        return self.device.zeros(count * whole_groups(threads) * WORD // 8)
