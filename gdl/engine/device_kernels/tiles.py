"""Circuits too large for one line of gates: tiles, and batches for the interpreter.

Rows are in memory. A tile is a run of gates in the order of their programs, which is depth first:
most of what a gate needs was made shortly before. A tile reads the rows that others have made,
keeps what only its own gates need in registers, and writes the rest. So only a part of the gates
have rows at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import GateProgram, Layout

GATES_OF_A_TILE, MOST_TILES = 500, 60
"""How many gates a tile has, but for those that are repeated together, and of how many tiles they
become more: an assembler's time grows faster than the length of a function, and than the number of
functions."""


@dataclass(frozen=True, slots=True)
class TiledCircuit:
    """Tiles of the view without goals, of goals, and of the transition, and where rows are now.

    The rows of ``layout`` from ``layout.rows`` on are those of gates that have none in memory.
    ``row_of`` is the row of each row of the circuit before it was cut, int64 (rows,).
    """

    layout: Layout
    moves_view: tuple[GateProgram, ...]
    goals_view: tuple[GateProgram, ...]
    transition: tuple[GateProgram, ...]
    row_of: NDArray[np.int64]

    @property
    def has_tiles(self) -> bool:
        """Whether it was cut; otherwise it is for the interpreter."""
        return bool(self.moves_view or self.goals_view or self.transition)

    @property
    def moves_in_place(self) -> bool:
        """Whether the transition is one tile, which can write the next state over the old."""
        return len(self.transition) == 1

    def place(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where rows are now: int64 (n,); those behind the circuit's stay behind them."""
        before = len(self.row_of)
        behind = rows >= before
        moved = rows - before + self.layout.rows
        return np.where(behind, moved, self.row_of[np.where(behind, 0, rows)])


def in_batches(program: GateProgram, size: int) -> GateProgram:
    """Return a program for an interpreter that evaluates so many gates at a time.

    Gates that are not repeated come in the order of their depth, so that those of a batch do not
    need one another; batches are filled up with gates of row 0, which is and stays false.
    """
    gates: list[list[int]] = []
    segments = []
    for first, last, *loops in program.segments.tolist():
        begin = len(gates)
        own = program.gates[first:last].tolist()
        gates += own if loops[0] < loops[1] else _by_depth(own, size)
        segments.append([begin, len(gates), *loops])
    return GateProgram(
        np.array(gates, dtype=np.int32).reshape(-1, 3),
        np.array(segments, dtype=np.int64).reshape(-1, 4),
        program.feedback,
    )


def _by_depth(gates: list[list[int]], size: int) -> list[list[int]]:
    depth_of: dict[int, int] = {}
    levels: defaultdict[int, list[list[int]]] = defaultdict(list)
    for row, left, right in gates:
        depth = max(depth_of.get(left >> 1, 0), depth_of.get(right >> 1, 0)) + 1
        depth_of[row] = depth
        levels[depth].append([row, left, right])
    filled = []
    for _, level in sorted(levels.items()):
        filled += [*level, *[[0, 0, 0]] * (-len(level) % size)]
    return filled


def whole_circuit(layout: Layout) -> TiledCircuit:
    """Return a circuit as it is, for the interpreter: all rows are in memory, and no tiles cut."""
    return TiledCircuit(layout, (), (), (), np.arange(layout.rows))


def cut_into_tiles(layout: Layout, most: int | None = None) -> TiledCircuit:
    """Cut a circuit into tiles of so many gates at most, and give rows to what they exchange."""
    most = most or max(GATES_OF_A_TILE, layout.gate_count // MOST_TILES)
    programs = layout.moves_view, layout.goals_view, layout.transition
    tiles = [list(_tiles(program, most)) for program in programs]
    row_of = _rows_of_exchanged(layout, [tile for each in tiles for tile in each])
    moved = int(layout.legal - row_of[layout.legal])
    placed = replace(
        layout,
        rows=layout.rows - moved,
        legal=layout.legal - moved,
        terminal=layout.terminal - moved,
        goals=layout.goals - moved,
        percepts=layout.percepts - moved,
        next=layout.next - moved,
        moves_view=_renumbered(layout.moves_view, row_of),
        view=_renumbered(layout.view, row_of),
        transition=_renumbered(layout.transition, row_of),
    )
    moves, goals, transition = (tuple(_renumbered(tile, row_of) for tile in each) for each in tiles)
    return TiledCircuit(placed, moves, goals, transition, row_of)


def _tiles(program: GateProgram, most: int) -> Iterator[GateProgram]:
    """Cut a program after so many gates; those that are repeated stay together."""
    pieces: list[tuple[int, int, int, int]] = []
    size = 0
    for first, last, first_loop, last_loop in program.segments.tolist():
        step = last - first if first_loop < last_loop else most
        for begin in range(first, last, max(step, 1)):
            end = min(begin + step, last)
            if pieces and size + end - begin > most:
                yield _part(program, pieces)
                pieces, size = [], 0
            pieces.append((begin, end, first_loop, last_loop))
            size += end - begin
    if pieces:
        yield _part(program, pieces)


def _part(program: GateProgram, segments: list[tuple[int, int, int, int]]) -> GateProgram:
    """Return a part of a program: some neighbouring segments, or pieces of them."""
    moved = np.array(segments, dtype=np.int64)
    first, last = moved[0, 0], moved[-1, 1]
    first_loop, last_loop = moved[:, 2].min(), moved[:, 3].max()
    moved -= np.array([first, first, first_loop, first_loop])
    return GateProgram(program.gates[first:last], moved, program.feedback[first_loop:last_loop])


def _rows_of_exchanged(layout: Layout, tiles: list[GateProgram]) -> NDArray[np.int64]:
    """Number the rows anew: inputs, what tiles exchange, outputs; behind them all others."""
    exchanged = np.zeros(layout.rows, dtype=bool)
    for tile in tiles:
        literals = [tile.gates[:, 1:].ravel(), tile.feedback[:, 1]]
        read = np.unique(np.concatenate(literals) >> 1)
        made = np.concatenate([tile.gates[:, 0], tile.feedback[:, 0]])
        exchanged[np.setdiff1d(read, made)] = True
    first = layout.moves + sum(layout.move_counts)
    exchanged[:first] = exchanged[layout.legal :] = True
    row_of = np.empty(layout.rows, dtype=np.int64)
    count = int(exchanged.sum())
    row_of[exchanged] = np.arange(count)
    row_of[~exchanged] = np.arange(count, layout.rows)
    return row_of


def _renumbered(program: GateProgram, row_of: NDArray[np.int64]) -> GateProgram:
    gates, feedback = program.gates.astype(np.int64), program.feedback.astype(np.int64)
    gates[:, 0] = row_of[gates[:, 0]]
    gates[:, 1:] = 2 * row_of[gates[:, 1:] >> 1] + (gates[:, 1:] & 1)
    feedback[:, 0] = row_of[feedback[:, 0]]
    feedback[:, 1] = 2 * row_of[feedback[:, 1] >> 1] + (feedback[:, 1] & 1)
    return GateProgram(gates.astype(np.int32), program.segments, feedback.astype(np.int32))
