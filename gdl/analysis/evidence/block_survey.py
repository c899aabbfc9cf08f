"""Surveys of compiled games: playouts in blocks of lanes, and samples of their states."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.evidence.survey import MAX_PLAYOUT_STEPS, NONE, Survey
from gdl.engine import Block, PropnetStateMachine, hash_states, packed_from_rows
from gdl.playouts import Ending

WORK = 100_000_000
"""Gates evaluated for one block of playouts at most; it is then cut off."""

MOVE_WORK = 10
"""What it costs to count a move and choose among moves, in gates."""

KEPT_BITS = 16_000_000
"""Bits of the states kept as samples."""


@dataclass(frozen=True, slots=True)
class Samples:
    """States that the playouts passed through.

    ``states`` uint8 (n, fluents); ``terminal`` bool (n,); ``goals`` int64 (n, roles), with NONE;
    ``legal`` uint8 (n, moves of all roles); ``lanes`` int64 (n,): the number of the playout, whose
    states come in order. ``rose`` and ``fell`` bool (fluents,): whether a fluent ever became true,
    or false, in any of the playouts.
    """

    states: NDArray[np.uint8]
    terminal: NDArray[np.bool_]
    goals: NDArray[np.int64]
    legal: NDArray[np.uint8]
    lanes: NDArray[np.int64]
    rose: NDArray[np.bool_]
    fell: NDArray[np.bool_]


def observe_blocks(
    machine: PropnetStateMachine, seed: int, playouts: int
) -> tuple[Survey, Samples]:
    """Survey random playouts in blocks of lanes, and sample their states."""
    lanes = 64 * machine.engine.words
    recorder = _BlockRecorder(machine)
    for number, first in enumerate(range(0, playouts, lanes)):
        block = machine.block(seed * 1_000_003 + number)
        recorder.play_out(block, min(lanes, playouts - first))
    return recorder.survey, recorder.samples()


class _BlockRecorder:
    """Counts what happens in blocks of playouts."""

    def __init__(self, machine: PropnetStateMachine) -> None:
        self.survey = Survey(len(machine.roles))
        self._layout = layout = machine.engine.layout
        moves = sum(layout.move_counts)
        self._step_limit = int(
            min(MAX_PLAYOUT_STEPS, max(8, WORK // (layout.rows + MOVE_WORK * moves)))
        )
        self._room = KEPT_BITS // max(1, layout.fluent_count + moves)
        self._kept: list[tuple[NDArray[Any], ...]] = []
        self._rose = np.zeros(layout.fluent_count, dtype=bool)
        self._fell = np.zeros(layout.fluent_count, dtype=bool)

    def samples(self) -> Samples:
        """The states that were kept."""
        states, terminal, goals, legal, lanes = map(np.concatenate, zip(*self._kept, strict=True))
        return Samples(states, terminal, goals, legal, lanes, self._rose, self._fell)

    def play_out(self, block: Block, count: int) -> None:
        """Make one playout in each of the first ``count`` lanes."""
        survey = self.survey
        survey.playouts += count
        alive = np.arange(block.lanes) < count
        lines = np.ones(block.lanes)
        last = np.full(block.lanes, NONE)
        before = np.full((survey.roles, block.lanes), NONE)
        for step in range(self._step_limit + 1):
            block.view()
            ended = alive & block.terminal()
            goals = block.goal_values().T
            self._compare(goals, before, alive)
            before = goals
            self._end(step, ended, goals, lines)
            self._keep(block, alive, ended, goals)
            self._meet(block, step, alive)
            counts = self._counts(block)
            stuck = alive & ~ended & (counts == 0).any(axis=0)
            survey.endings[Ending.NO_MOVE] += int(stuck.sum())
            alive = alive & ~ended & ~stuck
            for role, values in enumerate(goals[:, alive]):
                survey.midway[role].update(np.unique(values).tolist())
            if step == self._step_limit or not alive.any():
                break
            with np.errstate(over="ignore"):
                lines[alive] *= counts[:, alive].prod(axis=0, dtype=np.float64)
            self._count_moves(counts, last, alive)
            self._step(block, alive)
        survey.endings[Ending.STEP_LIMIT] += int(alive.sum())

    def _compare(
        self, goals: NDArray[np.int64], before: NDArray[np.int64], alive: NDArray[np.bool_]
    ) -> None:
        fell = ((goals < before) & (goals > NONE) & alive).any(axis=1)
        self.survey.fallen |= set(np.flatnonzero(fell).tolist())

    def _end(
        self,
        step: int,
        ended: NDArray[np.bool_],
        goals: NDArray[np.int64],
        lines: NDArray[np.float64],
    ) -> None:
        count = int(ended.sum())
        if count:
            self.survey.endings[Ending.TERMINAL] += count
            self.survey.lengths.add(step, count)
            self.survey.outcomes.update(map(tuple, goals[:, ended].T.tolist()))
            self.survey.line_counts += lines[ended].tolist()

    def _keep(
        self,
        block: Block,
        alive: NDArray[np.bool_],
        ended: NDArray[np.bool_],
        goals: NDArray[np.int64],
    ) -> None:
        """Keep the states of the first word's lanes while there is room."""
        lanes = np.flatnonzero(alive[:64])[: self._room]
        if len(lanes) or not self._kept:
            self._room -= len(lanes)
            layout = self._layout
            moves = sum(layout.move_counts)
            states = _bits(block, layout.fluents, layout.fluent_count, lanes)
            legal = _bits(block, layout.legal, moves, lanes)
            numbers = self.survey.playouts + lanes
            self._kept.append((states, ended[lanes], goals[:, lanes].T, legal, numbers))

    def _meet(self, block: Block, step: int, alive: NDArray[np.bool_]) -> None:
        """Count how many playouts are in the same state after so many steps."""
        survey = self.survey
        states = hash_states(packed_from_rows(block.fluents)[alive])
        _, counts = np.unique(states, return_counts=True)
        if step == len(survey.pairs):
            survey.pairs.append(0)
            survey.meetings.append(0)
        survey.pairs[step] += comb(len(states), 2)
        survey.meetings[step] += int((counts * (counts - 1) // 2).sum())

    def _counts(self, block: Block) -> NDArray[np.int64]:
        """Count each role's legal moves: int64 (roles, lanes)."""
        first, found = self._layout.legal, []
        for count in self._layout.move_counts:
            rows = block.rows[first : first + count]
            rows = np.ascontiguousarray(rows[rows.any(axis=1)])
            bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
            found.append(bits.sum(axis=0, dtype=np.int64))
            first += count
        return np.array(found)

    def _count_moves(
        self, counts: NDArray[np.int64], last: NDArray[np.int64], alive: NDArray[np.bool_]
    ) -> None:
        survey = self.survey
        for moves, own in zip(survey.moves, counts, strict=True):
            times = np.bincount(own[alive])
            for count in np.flatnonzero(times).tolist():
                moves.add(count, int(times[count]))
        choosing = (counts > 1) & alive
        movers = choosing.sum(axis=0)
        survey.together += int((movers > 1).sum())
        mover = np.where(movers == 1, choosing.argmax(axis=0), NONE)
        survey.repeated += int(((mover == last) & (mover != NONE)).sum())
        last[:] = mover

    def _step(self, block: Block, alive: NDArray[np.bool_]) -> None:
        """Make a random joint move in every lane, and note which fluents changed."""
        block.choose()
        block.transition()
        mask = np.packbits(alive, bitorder="little").view(np.uint64)
        old, new = block.fluents, block.next
        self._rose |= (new & ~old & mask).any(axis=1)
        self._fell |= (old & ~new & mask).any(axis=1)
        old[:] = new


def _bits(block: Block, first: int, count: int, lanes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Unpack some rows' bits in lanes of the first word: uint8 (lanes, count)."""
    words = np.ascontiguousarray(block.rows[first : first + count, :1])
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    return np.ascontiguousarray(bits.T[lanes])
