"""Expansion: the joint moves of many states, and the states after them, in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gdl.engine.bits import Packed, packed_from_rows
from gdl.engine.block import Bits, Engine
from gdl.engine.machine import PropnetState, PropnetStateMachine
from gdl.errors import ResourceLimitError
from gdl.language import Term
from gdl.state_machine import State

MAX_JOINT_MOVES = 2**62
"""More cannot be numbered in 64 bits."""


@dataclass(frozen=True, slots=True)
class SuccessorBlock:
    """States after joint moves, at most as many as a block has lanes.

    ``parents`` int64 (n,): which state each comes from. ``moves`` int64 (n, roles): each role's
    move, by its index among the moves that the role can ever make. ``states``: packed.
    """

    parents: NDArray[np.int64]
    moves: NDArray[np.int64]
    states: Packed


class Expander:
    """Makes joint moves in a block of its own. States are packed, in any number.

    ``tried`` picks among the legal moves, uint8 (n, moves of all roles), those that are made.
    """

    def __init__(self, engine: Engine, tried: Callable[[Bits], Bits] | None = None) -> None:
        self.engine = engine
        self._tried = tried
        self._block = engine.block()
        self.lanes = self._block.lanes
        self._layout = engine.layout
        self._offsets = np.cumsum([0, *engine.layout.move_counts])

    def expand(self, states: Packed) -> Iterator[SuccessorBlock]:
        """Yield the children of all states that are not terminal.

        They come in the order of their parents, those of one in the order of
        :func:`gdl.joint_moves`.
        """
        lanes = self.lanes
        for first_parent in range(0, len(states), lanes):
            parents = states[first_parent : first_parent + lanes]
            choices = self._choices(parents)
            for first in range(0, choices.total, lanes):
                parent, moves = choices.joint_moves(first, min(choices.total, first + lanes))
                after = self._after(parents[parent], moves)
                yield SuccessorBlock(first_parent + parent, moves, after)

    def choice_counts(self, states: Packed) -> NDArray[np.int64]:
        """Count the legal moves of each role: int64 (n, roles); none where terminal."""
        lanes = self.lanes
        parts = [
            self._choices(states[first : first + lanes]).counts
            for first in range(0, len(states), lanes)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self.engine.roles), np.int64)

    def _choices(self, states: Packed) -> _Choices:
        bits = self._legal(states)
        if self._tried is not None:
            bits = self._tried(bits)
        return _Choices([bits[:, first:last] for first, last in pairwise(self._offsets)])

    def _legal(self, states: Packed) -> Bits:
        """Return the legal moves of at most a block of states, none where they are terminal."""
        self._load(states)
        layout, rows = self._layout, self._block.rows
        legal = rows[layout.legal :][: self._offsets[-1]] & ~rows[layout.terminal]
        packed = packed_from_rows(legal)[: len(states)]
        return np.unpackbits(packed, axis=1, count=int(self._offsets[-1]), bitorder="little")

    def _load(self, states: Packed) -> None:
        self._block.load_packed(states)
        self._block.view()

    def _after(self, states: Packed, moves: NDArray[np.int64]) -> Packed:
        """Return the states after one joint move each, for at most a block of states."""
        self._load(states)
        made = np.zeros((int(self._offsets[-1]), self._block.lanes), dtype=np.uint8)
        made[(moves + self._offsets[:-1]).T, np.arange(len(states))] = 1
        packed = np.packbits(made, axis=1, bitorder="little")
        self._block.rows[self._layout.moves :][: len(made)] = packed.view("<u8")
        self._block.transition()
        return packed_from_rows(self._block.next)[: len(states)]


class _Choices:
    """The legal moves of some states, and their joint moves by number.

    The joint moves of all states are numbered together, state after state; the last role's moves
    vary fastest.
    """

    def __init__(self, legal: Sequence[NDArray[np.uint8]]) -> None:
        self.counts = np.stack([bits.sum(axis=1, dtype=np.int64) for bits in legal], axis=1)
        self._moves = [bits.nonzero()[1] for bits in legal]
        self._first = np.cumsum(self.counts, axis=0) - self.counts

    @cached_property
    def _products(self) -> NDArray[np.int64]:
        """The numbers of joint moves of all roles, of all but the first, ..., of none."""
        if float(self.counts.prod(axis=1, dtype=np.float64).sum()) > MAX_JOINT_MOVES:
            message = f"{len(self.counts)} states have over {MAX_JOINT_MOVES} joint moves"
            raise ResourceLimitError(message)
        ones = np.ones((len(self.counts), 1), dtype=np.int64)
        return np.cumprod(np.hstack([ones, self.counts[:, ::-1]]), axis=1)[:, ::-1]

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum(self._products[:, 0])

    @property
    def total(self) -> int:
        """The number of joint moves of all states."""
        return int(self._ends[-1])

    def joint_moves(self, first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return states and joint moves, int64 (n,) and (n, roles), of some numbers."""
        numbers = np.arange(first, last)
        states = np.searchsorted(self._ends, numbers, side="right")
        local = numbers - (self._ends - self._products[:, 0])[states]
        choices = local[:, None] // self._products[states, 1:] % self.counts[states]
        indices = (self._first[states] + choices).T
        moves = [own[index] for own, index in zip(self._moves, indices, strict=True)]
        return states, np.stack(moves, axis=1)


def expand(machine: PropnetStateMachine, state: State) -> dict[tuple[Term, ...], State]:
    """Return the state after each joint move, none where the state is terminal."""
    found: dict[tuple[Term, ...], State] = {}
    for children in Expander(machine.engine).expand(packed_state(machine, state)):
        for indices, bits in zip(children.moves.tolist(), children.states, strict=True):
            made = tuple(own[index] for own, index in zip(machine.moves, indices, strict=True))
            found[made] = PropnetState(machine.facts, bits.tobytes())
    return found


def packed_state(machine: PropnetStateMachine, state: State) -> Packed:
    """Return one state packed: uint8 (1, bytes)."""
    return np.packbits(machine.bits(state), bitorder="little")[None, :]
