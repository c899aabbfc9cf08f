"""What random playouts show: the same record from blocks of lanes and from the reasoner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Bits, Block, Engine, PropnetStateMachine, hash_states, packed_from_rows
from gdl.playouts import Ending, Step, play_out, randomness
from gdl.state_machine import StateMachine

MAX_STEPS = 1000
"""Playouts that last longer are broken off."""

WORK = 100_000_000
"""Gates evaluated for one block of playouts at most; it is then broken off."""

MOVE_WORK = 10
"""What it takes to count and choose among moves, in gates for each."""

REASONER_STEPS = 600
"""Steps of all playouts together where there is no network."""

KEPT_BITS = 16_000_000
"""Bits of the states kept for a closer look."""

NONE = -1
"""Stands for a goal where a role has none."""


@dataclass(slots=True)
class Observation:
    """Counts over all states and ends of some random playouts.

    ``with_choice``, ``choices`` and ``most``, by role: states in which it has a choice, its legal
    moves in these, and the most in any. ``together``: states in which several roles have one.
    ``repeated``: states in which the only role with a choice is that of the state before.
    ``endings``: tuples of utilities, with NONE. ``fallen``: roles whose utility fell. ``midway``:
    the utilities that each role had before the end. ``line_counts``: of each playout that ended,
    the product of the numbers of joint moves on its way. ``pairs``: of playouts that went on for so
    many steps, by steps; ``meetings``: how many of these pairs were then in the same state. Both
    are empty where that was not looked at.
    """

    roles: int
    playouts: int = 0
    states: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    with_choice: list[int] = field(init=False)
    choices: list[int] = field(init=False)
    most: list[int] = field(init=False)
    together: int = 0
    repeated: int = 0
    endings: Counter[tuple[int, ...]] = field(default_factory=Counter)
    fallen: set[int] = field(default_factory=set)
    midway: list[set[int]] = field(init=False)
    line_counts: list[float] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)
    meetings: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.with_choice = [0] * self.roles
        self.choices = [0] * self.roles
        self.most = [0] * self.roles
        self.midway = [set() for _ in range(self.roles)]


@dataclass(frozen=True, slots=True)
class Samples:
    """States of the playouts, for a closer look.

    ``states`` uint8 (n, fluents); ``terminal`` bool (n,); ``goals`` int64 (n, roles), with NONE;
    ``legal`` uint8 (n, moves of all roles); ``lanes`` int64 (n,): one number for the states of one
    playout, which come in their order. ``rose`` and ``fell`` bool (fluents,): whether a fluent ever
    became true, or false, in any of the playouts.
    """

    states: NDArray[np.uint8]
    terminal: NDArray[np.bool_]
    goals: NDArray[np.int64]
    legal: NDArray[np.uint8]
    lanes: NDArray[np.int64]
    rose: NDArray[np.bool_]
    fell: NDArray[np.bool_]


def observe(machine: StateMachine, seed: int, playouts: int) -> Observation:
    """Play out with a machine of single states; fewer playouts where they are long."""
    watch = _StepWatch(machine)
    for number in range(playouts):
        if watch.record.states >= REASONER_STEPS:
            break
        left = min(MAX_STEPS, REASONER_STEPS - watch.record.states)
        watch.playout([*play_out(machine, randomness(seed, number), left)])
    return watch.record


class _StepWatch:
    """Counts what happens in playouts, step by step."""

    def __init__(self, machine: StateMachine) -> None:
        self.record = Observation(len(machine.roles))
        self._machine = machine

    def playout(self, steps: Sequence[Step]) -> None:
        """Count a playout."""
        record = self.record
        record.playouts += 1
        lines, last, before = 1.0, NONE, (NONE,) * record.roles
        for step in steps:
            goals = tuple(self._goal(step, place) for place in range(record.roles))
            record.fallen |= {i for i in range(record.roles) if NONE < goals[i] < before[i]}
            before = goals
            if step.ending is Ending.TERMINAL:
                record.lengths[step.number] += 1
                record.endings[goals] += 1
                record.line_counts.append(lines)
            elif all(step.options):
                counts = [len(options) for options in step.options]
                lines *= prod(counts)
                for place, value in enumerate(goals):
                    record.midway[place].add(value)
                last = self._choices(counts, last)

    def _goal(self, step: Step, place: int) -> int:
        value = self._machine.goal(step.state, self._machine.roles[place])
        return NONE if value is None else value

    def _choices(self, counts: Sequence[int], last: int) -> int:
        record = self.record
        record.states += 1
        movers = [place for place, count in enumerate(counts) if count > 1]
        for place in movers:
            record.with_choice[place] += 1
            record.choices[place] += counts[place]
        record.most = [max(pair) for pair in zip(record.most, counts, strict=True)]
        record.together += len(movers) > 1
        record.repeated += movers == [last]
        return movers[0] if len(movers) == 1 else NONE


def observe_block(
    machine: PropnetStateMachine, seed: int, playouts: int
) -> tuple[Observation, Samples]:
    """Play out in blocks of lanes."""
    lanes = 64 * machine.engine.words
    watch = _BlockWatch(machine)
    for number, first in enumerate(range(0, playouts, lanes)):
        block = machine.block(seed * 1_000_003 + number)
        watch.playouts(block, min(lanes, playouts - first))
    return watch.record, watch.samples()


class _BlockWatch:
    """Counts what happens in blocks of playouts."""

    def __init__(self, machine: PropnetStateMachine) -> None:
        self.record = Observation(len(machine.roles))
        self._layout = layout = machine.engine.layout
        moves = sum(layout.move_counts)
        self._step_limit = int(min(MAX_STEPS, max(8, WORK // (layout.rows + MOVE_WORK * moves))))
        self._room = KEPT_BITS // max(1, layout.fluent_count + moves)
        self._kept: list[tuple[NDArray[Any], ...]] = []
        self._rose = np.zeros(layout.fluent_count, dtype=bool)
        self._fell = np.zeros(layout.fluent_count, dtype=bool)

    def samples(self) -> Samples:
        """Return what was kept."""
        states, terminal, goals, legal, lanes = map(np.concatenate, zip(*self._kept, strict=True))
        return Samples(states, terminal, goals, legal, lanes, self._rose, self._fell)

    def playouts(self, block: Block, count: int) -> None:
        """Make one playout in each of the first ``count`` lanes."""
        record = self.record
        record.playouts += count
        alive = np.arange(block.lanes) < count
        lines = np.ones(block.lanes)
        last = np.full(block.lanes, NONE)
        before = np.full((record.roles, block.lanes), NONE)
        for step in range(self._step_limit + 1):
            block.view()
            ended = alive & block.terminal()
            goals = utilities(block.engine, block.goals())
            self._compare(goals, before, alive)
            before = goals
            self._end(step, ended, goals, lines)
            self._keep(block, alive, ended, goals)
            self._meet(block, step, alive)
            counts = self._counts(block)
            alive = alive & ~ended & (counts > 0).all(axis=0)
            for role, values in enumerate(goals[:, alive]):
                record.midway[role].update(np.unique(values).tolist())
            if step == self._step_limit or not alive.any():
                break
            with np.errstate(over="ignore"):
                lines[alive] *= counts[:, alive].prod(axis=0, dtype=np.float64)
            self._choices(counts, last, alive)
            self._step(block, alive)

    def _compare(
        self, goals: NDArray[np.int64], before: NDArray[np.int64], alive: NDArray[np.bool_]
    ) -> None:
        fell = ((goals < before) & (goals > NONE) & alive).any(axis=1)
        self.record.fallen |= set(np.flatnonzero(fell).tolist())

    def _end(
        self,
        step: int,
        ended: NDArray[np.bool_],
        goals: NDArray[np.int64],
        lines: NDArray[np.float64],
    ) -> None:
        count = int(ended.sum())
        if count:
            self.record.lengths[step] += count
            self.record.endings.update(map(tuple, goals[:, ended].T.tolist()))
            self.record.line_counts += lines[ended].tolist()

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
            numbers = self.record.playouts + lanes
            self._kept.append((states, ended[lanes], goals[:, lanes].T, legal, numbers))

    def _meet(self, block: Block, step: int, alive: NDArray[np.bool_]) -> None:
        """Count how many playouts are in the same state after so many steps."""
        record, layout = self.record, self._layout
        fluents = block.rows[layout.fluents :][: layout.fluent_count]
        states = hash_states(packed_from_rows(fluents)[alive])
        _, counts = np.unique(states, return_counts=True)
        if step == len(record.pairs):
            record.pairs.append(0)
            record.meetings.append(0)
        record.pairs[step] += comb(len(states), 2)
        record.meetings[step] += int((counts * (counts - 1) // 2).sum())

    def _counts(self, block: Block) -> NDArray[np.int64]:
        """Return how many legal moves each role has: int64 (roles, lanes)."""
        first, found = self._layout.legal, []
        for count in self._layout.move_counts:
            rows = block.rows[first : first + count]
            rows = np.ascontiguousarray(rows[rows.any(axis=1)])
            bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
            found.append(bits.sum(axis=0, dtype=np.int64))
            first += count
        return np.array(found)

    def _choices(
        self, counts: NDArray[np.int64], last: NDArray[np.int64], alive: NDArray[np.bool_]
    ) -> None:
        record = self.record
        record.states += int(alive.sum())
        choosing = (counts > 1) & alive
        for role in range(record.roles):
            record.with_choice[role] += int(choosing[role].sum())
            record.choices[role] += int(counts[role, choosing[role]].sum())
            record.most[role] = max(record.most[role], int(counts[role, alive].max()))
        movers = choosing.sum(axis=0)
        record.together += int((movers > 1).sum())
        mover = np.where(movers == 1, choosing.argmax(axis=0), NONE)
        record.repeated += int(((mover == last) & (mover != NONE)).sum())
        last[:] = mover

    def _step(self, block: Block, alive: NDArray[np.bool_]) -> None:
        """Make a random joint move in every lane, and note which fluents changed."""
        layout = self._layout
        block.choose()
        block.engine.transition(block.rows.ctypes.data)
        mask = np.packbits(alive, bitorder="little").view(np.uint64)
        old = block.rows[layout.fluents :][: layout.fluent_count]
        new = block.rows[layout.next :][: layout.fluent_count]
        self._rose |= (new & ~old & mask).any(axis=1)
        self._fell |= (old & ~new & mask).any(axis=1)
        old[:] = new


def utilities(engine: Engine, goals: Bits) -> NDArray[np.int64]:
    """Return what each role is given, int64 (roles, n), of goal rows' bits, uint8 (n, goal rows).

    That is the lowest value of several, and NONE where there is none.
    """
    found = np.full((engine.roles, len(goals)), NONE)
    rows = zip(engine.goal_table.tolist(), goals.T.astype(bool), strict=True)
    for (role, value), holds in reversed(list(rows)):
        found[role, holds] = value
    return found


def _bits(block: Block, first: int, count: int, lanes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return some rows' bits in lanes of the first word: uint8 (lanes, count)."""
    words = np.ascontiguousarray(block.rows[first : first + count, :1])
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    return np.ascontiguousarray(bits.T[lanes])
