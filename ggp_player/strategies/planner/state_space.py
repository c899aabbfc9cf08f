"""The states of a one-player game in blocks: what a state is like, and what comes after it.

States are packed (:mod:`gdl.engine.bits`); a move is its place among the moves that the role
can ever make.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.analysis import Decomposition
from gdl.engine import Block, Expander, Packed, PropnetStateMachine, hash_states, rows_from_packed
from ggp_player.strategies.planner.parts import parts_of

LONGEST = 1000
"""Steps after which a line of play is given up."""

COUNTED_STEPS = 300
"""Steps of the playouts in which step counters are looked for."""

Integers: TypeAlias = NDArray[np.int64]

GATE, BLOCK, ROW = 0.0025, 100.0, 0.2
"""What evaluating a gate in a block, handling a block, and packing one of its rows costs.

In microseconds, about: whatever the computer, the searches' shares of the work are the same.
"""


@dataclass(frozen=True, slots=True)
class Found:
    """A way to a terminal state: its goal value, and the moves that lead there from the root.

    ``proved`` says that no way leads to a higher value; ``moves`` is then empty where the best way
    known before is meant.
    """

    value: int
    moves: tuple[int, ...]
    proved: bool = False


Progress: TypeAlias = Iterator[Found | None]
"""The course of a search: what it comes upon, and None after every other small piece of work."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is to be seen of n states.

    ``terminal`` bool (n,). ``values`` int64 (n,): goal values, 0 where none holds. ``mobility``
    int64 (n,): how many moves are legal.
    """

    terminal: NDArray[np.bool_]
    values: Integers
    mobility: Integers


@dataclass(frozen=True, slots=True)
class Offspring:
    """States after moves, as many as a block has lanes at most.

    ``parents`` int64 (n,): from which state each comes. ``moves`` int64 (n,). ``look``: the states
    as they are seen.
    """

    parents: Integers
    moves: Integers
    states: Packed
    look: Look

    def __getitem__(self, chosen: NDArray[np.bool_] | Integers) -> Offspring:
        """Return some of the states, by mask or by place."""
        look = Look(
            self.look.terminal[chosen], self.look.values[chosen], self.look.mobility[chosen]
        )
        return Offspring(self.parents[chosen], self.moves[chosen], self.states[chosen], look)

    @property
    def going_on(self) -> Offspring:
        """The states in which a move can be made: neither terminal nor without a legal move."""
        return self[~self.look.terminal & (self.look.mobility > 0)]

    def best_end(self) -> tuple[int, int]:
        """Return the place of the best terminal state and its goal value, -1 without one."""
        values = np.where(self.look.terminal, self.look.values, -1)
        best = int(values.argmax())
        return best, int(values[best])

    @staticmethod
    def joined(parts: Sequence[Offspring]) -> Offspring:
        """Return several batches as one."""
        looks = [part.look for part in parts]
        return Offspring(
            np.concatenate([part.parents for part in parts]),
            np.concatenate([part.moves for part in parts]),
            np.concatenate([part.states for part in parts]),
            Look(
                np.concatenate([look.terminal for look in looks]),
                np.concatenate([look.values for look in looks]),
                np.concatenate([look.mobility for look in looks]),
            ),
        )


@dataclass(slots=True)
class ValueRange:
    """The lowest and the highest of some numbers."""

    low: int | None = None
    high: int | None = None

    @property
    def differs(self) -> bool:
        """Whether they are not all the same."""
        return self.low != self.high

    def add(self, numbers: Integers) -> None:
        """Take more numbers into account."""
        if len(numbers):
            low, high = int(numbers.min()), int(numbers.max())
            self.low = low if self.low is None else min(self.low, low)
            self.high = high if self.high is None else max(self.high, high)


class StateSpace:
    """The states of a game of one role, and how to get about in them.

    ``work`` is what has been done so far, in microseconds as they are reckoned, not as they are
    measured; ``states`` is how many states were looked at. ``counters`` are the fluents that do
    nothing but count steps, as the bits of a packed state; ``counted`` int64 (fluents,) is the step
    at which each of them is true, -1 for others. ``values`` and ``mobility`` tell whether those of
    the states on the way differ at all. ``parts`` are those that the game is divided into, and
    ``leaves_out`` tells whether some are idle. The game is not searched whole then unless that is
    asked for: of moves that matter for nothing only the first is made, and what they change tells
    no states apart.
    """

    def __init__(
        self, machine: PropnetStateMachine, seed: int = 0, division: Decomposition | None = None
    ) -> None:
        self.machine = machine
        self.engine = machine.engine
        self.layout = machine.engine.layout
        self.lanes = 64 * machine.engine.words
        self.parts = parts_of(machine, division or Decomposition())
        self.leaves_out = bool(self.parts.idle.any())
        self._whole = Expander(machine.engine)
        self._expander = Expander(machine.engine, self.parts.with_one_pass)
        self._relevant: Packed = np.packbits(machine.relevant_fluents, bitorder="little")
        self._block = machine.engine.block(seed)
        self._goal_values = machine.engine.goal_table[:, 1]
        self.best_value = int(self._goal_values.max(initial=0))
        self.work = 0.0
        self.states = 0
        self.values = ValueRange()
        self.mobility = ValueRange()
        layout = self.layout
        self.gates = layout.gate_count
        self._handling = BLOCK + ROW * (layout.fluent_count + sum(layout.move_counts))
        self.look_work = self._handling + GATE * len(layout.view.gates)
        self.counted = self._step_counters()
        self.counters: Packed = np.packbits(self.counted >= 0, bitorder="little")

    def children(
        self, states: Packed, *, whole: bool = False, expander: Expander | None = None
    ) -> Iterator[Offspring]:
        """Yield what comes after the states, in their order; nothing after terminal ones.

        ``whole`` leaves nothing out; an ``expander`` makes the moves instead of the usual one.
        """
        expander = expander or (self._whole if whole else self._expander)
        for batch in expander.expand(states):
            self.work += 2 * self._handling + GATE * self.gates
            yield Offspring(
                batch.parents, batch.moves[:, 0], batch.states, self.look_at(batch.states)
            )

    def keys(
        self, states: Packed, *, without_counters: bool, whole: bool = False
    ) -> NDArray[np.uint64]:
        """Return what tells states apart: uint64 (n,), never 0."""
        mask = self._relevant if whole else self._relevant & ~self.parts.idle
        if without_counters:
            mask = mask & ~self.counters
        return np.maximum(hash_states(states, mask=mask), np.uint64(1))

    def look_at(self, states: Packed) -> Look:
        """Return what is to be seen of at most a block of states."""
        layout, block = self.layout, self._block
        self.work += self.look_work
        rows = rows_from_packed(states, layout.fluent_count, self.engine.words)
        block.rows[layout.fluents :][: layout.fluent_count] = rows
        block.view()
        count = len(states)
        self.states += count
        terminal = block.terminal()[:count]
        mobility = block.legal().sum(axis=1, dtype=np.int64)
        look = Look(terminal, self.values_in(block)[:count], mobility[:count])
        self.values.add(look.values[~terminal])
        self.mobility.add(look.mobility[~terminal])
        return look

    def values_in(self, block: Block) -> Integers:
        """Return the goal value in every lane, int64 (lanes,), 0 where none holds; view first."""
        none = 101
        values = np.where(block.goals().astype(bool), self._goal_values, none)
        lowest = values.min(axis=1, initial=none)
        return np.where(lowest == none, 0, lowest)

    # ------------------------------------------------------------------ step counters

    def _step_counters(self) -> Integers:
        """Return at which step each step counter is true: int64 (fluents,), -1 for all others.

        A step counter is true at one step only, whatever is played, and depends on nothing but
        others of its kind.
        """
        seen = self._seen_once_in_playouts()
        suspects = seen >= 0
        while suspects.any():
            kept = suspects & ~self._influenced(suspects)
            if (kept == suspects).all():
                break
            suspects = kept
        return np.where(suspects, seen, -1)

    def _seen_once_in_playouts(self) -> Integers:
        """Return the step at which a fluent is true, the same in every playout.

        It is -1 for fluents that are true at no step or at several.
        """
        layout, block = self.layout, self._block
        block.load(self.machine.bits(self.machine.initial_state())[None, :])
        fluents = block.rows[layout.fluents :][: layout.fluent_count]
        playing = np.full(fluents.shape[1], ~np.uint64(0))
        once = np.ones(layout.fluent_count, dtype=np.bool_)
        seen = np.full(layout.fluent_count, -1, dtype=np.int64)
        for step in range(COUNTED_STEPS):
            somewhere = (fluents & playing).any(axis=1)
            once &= ~(somewhere & ((seen >= 0) | (~fluents & playing).any(axis=1)))
            seen[somewhere] = step
            block.view()
            playing &= ~block.rows[layout.terminal]
            if not playing.any():
                break
            block.step()
        return np.where(once, seen, -1)

    def _influenced(self, trusted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the fluents whose next value may depend on moves or on fluents not trusted."""
        layout = self.layout
        influenced = bytearray(layout.rows)
        influenced[layout.fluents : layout.fluents + layout.fluent_count] = bytes(~trusted)
        moves = sum(layout.move_counts)
        influenced[layout.moves : layout.moves + moves] = b"\1" * moves
        for program in (layout.view, layout.transition):
            # What is read early is influenced for certain: the question is only what is safe.
            for row in program.feedback[:, 0].tolist():
                influenced[row] = 1
            for row, left, right in program.gates.tolist():
                influenced[row] = influenced[left >> 1] | influenced[right >> 1]
        found = np.frombuffer(influenced, dtype=np.bool_)
        return found[layout.next :][: layout.fluent_count]


class KeyTable:
    """A set of keys, uint64 and not 0, that grows to a bound: open addressing in an array."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.size = 0
        self._slots = np.zeros(1 << 12, dtype=np.uint64)

    @property
    def full(self) -> bool:
        """Whether nothing more can be remembered for certain."""
        return self.size >= self.room

    def add(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Add keys; return which of them were not there: of equal ones the first.

        A full table adds nothing more, and takes all that it does not know for new.
        """
        unique, first = np.unique(keys, return_index=True)
        while not self.full and 2 * (self.size + len(unique)) > len(self._slots):
            self._grow()
        fresh = np.zeros(len(keys), dtype=np.bool_)
        fresh[first] = self._insert(unique)
        self.size += 0 if self.full else int(fresh.sum())
        return fresh

    def _grow(self) -> None:
        old = self._slots[self._slots != 0]
        self._slots = np.zeros(2 * len(self._slots), dtype=np.uint64)
        if len(old):
            self._insert(old)

    def _insert(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        slots, mask = self._slots, np.uint64(len(self._slots) - 1)
        places, waiting = keys & mask, np.arange(len(keys))
        fresh = np.zeros(len(keys), dtype=np.bool_)
        while len(waiting):
            place, key = places[waiting], keys[waiting]
            free = slots[place] == 0
            if self.full:
                fresh[waiting[free]] = True
            else:
                # Of several keys that meet in a free slot the last one gets it.
                slots[place[free]] = key[free]
                fresh[waiting[free]] = slots[place[free]] == key[free]
            going = slots[place] != key
            if self.full:
                going &= ~free
            waiting = waiting[going]
            places[waiting] = (places[waiting] + np.uint64(1)) & mask
        return fresh


def bits_of(states: Packed, count: int) -> NDArray[np.uint8]:
    """Return packed states as bits: uint8 (n, count)."""
    return np.unpackbits(states, axis=1, count=count, bitorder="little")
