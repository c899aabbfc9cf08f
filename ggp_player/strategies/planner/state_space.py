"""The state space of a one-player game, searched in blocks: features of states, and successors.

States are packed (:mod:`gdl.engine.bits`); a move is its index among the moves that the role
can ever make.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.analysis import Decomposition
from gdl.engine import Expander, Packed, PropnetStateMachine, hash_states
from ggp_player.strategies.planner.packed_decomposition import pack_decomposition

MAX_PLAN_STEPS = 1000
"""A line of play is abandoned after so many steps."""

COUNTED_STEPS = 300
"""Steps of the playouts in which step counters are looked for."""

Integers: TypeAlias = NDArray[np.int64]

GATE_COST, BLOCK_COST, ROW_COST = 0.0025, 100.0, 0.2
"""The cost of evaluating a gate in a block, of calling a block, and of packing one of its rows.

In nominal microseconds: constants rather than measurements, so that the shares of the searches do
not depend on the computer.
"""


@dataclass(frozen=True, slots=True)
class FoundPlan:
    """A path to a terminal state: its goal value, and the moves that lead there from the root.

    ``proved`` says that no path leads to a higher value; ``moves`` is then empty if the best plan
    found before is meant.
    """

    value: int
    moves: tuple[int, ...]
    proved: bool = False


PlanStream: TypeAlias = Iterator[FoundPlan | None]
"""A running search: it yields the plans it finds, and None after other small pieces of work."""


class StateFeatures(NamedTuple):
    """What the view says of n states.

    ``terminal`` bool (n,). ``values`` int64 (n,): goal values, 0 where none holds. ``mobility``
    int64 (n,): the number of legal moves.
    """

    terminal: NDArray[np.bool_]
    values: Integers
    mobility: Integers


@dataclass(frozen=True, slots=True)
class Successors:
    """States after moves, at most as many as a block has lanes.

    ``parents`` int64 (n,): the index of the state that each comes from. ``moves`` int64 (n,).
    """

    parents: Integers
    moves: Integers
    states: Packed
    features: StateFeatures

    def __getitem__(self, chosen: NDArray[np.bool_] | Integers) -> Successors:
        """Return some of the states, by mask or by index."""
        terminal, values, mobility = self.features
        features = StateFeatures(terminal[chosen], values[chosen], mobility[chosen])
        return Successors(self.parents[chosen], self.moves[chosen], self.states[chosen], features)

    @property
    def expandable(self) -> Successors:
        """The states in which a move can be made: neither terminal nor without a legal move."""
        return self[~self.features.terminal & (self.features.mobility > 0)]

    def best_terminal(self) -> tuple[int, int]:
        """Return the index of the best terminal state and its goal value, -1 if there is none."""
        values = np.where(self.features.terminal, self.features.values, -1)
        best = int(values.argmax())
        return best, int(values[best])

    @staticmethod
    def joined(batches: Sequence[Successors]) -> Successors:
        """Return several batches as one."""
        features = zip(*(batch.features for batch in batches), strict=True)
        return Successors(
            np.concatenate([batch.parents for batch in batches]),
            np.concatenate([batch.moves for batch in batches]),
            np.concatenate([batch.states for batch in batches]),
            StateFeatures(*map(np.concatenate, features)),
        )


class StateSpace:
    """The states of a game of one role, and their successors.

    ``cost`` is the work done so far, in nominal microseconds; ``states`` counts the states that
    were evaluated. ``counters`` are the step counters, that is, fluents that only count steps, as
    the bits of a packed state; ``counted`` int64 (fluents,) is the step at which each is true, -1
    for other fluents. ``values`` and ``mobilities`` are those seen in states that are not terminal.
    ``decomposition`` holds the subgames, and ``omits_moves`` says whether some are idle.
    If so, the game is not searched whole unless that is asked for: of the moves that matter for
    nothing only the first is made, and states that differ only in what they change count as equal.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        seed: int = 0,
        decomposition: Decomposition | None = None,
    ) -> None:
        self.machine = machine
        self.engine = machine.engine
        self.layout = machine.engine.layout
        self.lanes = 64 * machine.engine.words
        self.decomposition = pack_decomposition(machine, decomposition or Decomposition())
        self.omits_moves = bool(self.decomposition.idle.any())
        self._whole = Expander(machine.engine)
        self._expander = Expander(machine.engine, self.decomposition.with_one_pass)
        self._relevant: Packed = np.packbits(machine.relevant_fluents, bitorder="little")
        self._block = machine.engine.block(seed)
        self.best_value = int(machine.engine.goal_table[:, 1].max(initial=0))
        self.cost = 0.0
        self.states = 0
        self.values: set[int] = set()
        self.mobilities: set[int] = set()
        layout = self.layout
        self.gates = layout.gate_count
        packed_rows = layout.fluent_count + sum(layout.move_counts)
        self._packing_cost = BLOCK_COST + ROW_COST * packed_rows
        self.view_cost = self._packing_cost + GATE_COST * len(layout.view.gates)
        self.counted = self._step_counters()
        self.counters: Packed = np.packbits(self.counted >= 0, bitorder="little")

    def successors(
        self, states: Packed, *, whole: bool = False, expander: Expander | None = None
    ) -> Iterator[Successors]:
        """Yield the successors of the states, in their order; terminal states have none.

        ``whole`` omits no moves; an ``expander`` makes the moves instead of the usual one.
        """
        expander = expander or (self._whole if whole else self._expander)
        for batch in expander.expand(states):
            self.cost += 2 * self._packing_cost + GATE_COST * self.gates
            features = self.features(batch.states)
            yield Successors(batch.parents, batch.moves[:, 0], batch.states, features)

    def keys(
        self, states: Packed, *, ignore_counters: bool, whole: bool = False
    ) -> NDArray[np.uint64]:
        """Return hashes of what distinguishes states: uint64 (n,), never 0."""
        mask = self._relevant if whole else self._relevant & ~self.decomposition.idle
        if ignore_counters:
            mask = mask & ~self.counters
        return np.maximum(hash_states(states, mask=mask), np.uint64(1))

    def features(self, states: Packed) -> StateFeatures:
        """Evaluate the view of at most a block of states."""
        block, count = self._block, len(states)
        self.cost += self.view_cost
        self.states += count
        block.load_packed(states)
        block.view()
        terminal = block.terminal()[:count]
        values = np.maximum(block.goal_values()[:count, 0], 0)
        mobility = block.legal().sum(axis=1, dtype=np.int64)
        features = StateFeatures(terminal, values, mobility[:count])
        self.values.update(features.values[~terminal].tolist())
        self.mobilities.update(features.mobility[~terminal].tolist())
        return features

    # ------------------------------------------------------------------ step counters

    def _step_counters(self) -> Integers:
        """Return the step at which each step counter is true: int64 (fluents,), -1 for others.

        A step counter is true at one step only, whatever is played, and depends on nothing but
        other step counters.
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
        """Return the one step at which each fluent is true in all playouts: int64 (fluents,).

        It is -1 for fluents that are true at no step or at several.
        """
        layout, block = self.layout, self._block
        block.load(self.machine.bits(self.machine.initial_state())[None, :])
        fluents = block.fluents
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
        """Return which fluents may depend on moves, or on fluents that are not trusted."""
        layout = self.layout
        influenced = bytearray(layout.rows)
        influenced[layout.fluents : layout.fluents + layout.fluent_count] = bytes(~trusted)
        moves = sum(layout.move_counts)
        influenced[layout.moves : layout.moves + moves] = b"\1" * moves
        for program in (layout.view, layout.transition):
            # Rows that are fed back count as influenced, which errs on the safe side.
            for row in program.feedback[:, 0].tolist():
                influenced[row] = 1
            for row, left, right in program.gates.tolist():
                influenced[row] = influenced[left >> 1] | influenced[right >> 1]
        found = np.frombuffer(influenced, dtype=np.bool_)
        return found[layout.next :][: layout.fluent_count]


def bits_of(states: Packed, count: int) -> NDArray[np.uint8]:
    """Unpack states into bits: uint8 (n, count)."""
    return np.unpackbits(states, axis=1, count=count, bitorder="little")
