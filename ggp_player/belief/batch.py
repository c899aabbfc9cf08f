"""Many states at a time: their legal moves, and steps from them with the percepts.

On the compiled engine states are evaluated by blocks of 512; interpreted rules answer for one after
the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl import State, StateMachine, Term
from gdl.engine import PropnetStateMachine

Joint: TypeAlias = tuple[Term, ...]
"""One move per role, in role order."""

Percepts: TypeAlias = tuple[frozenset[Term], ...]
"""What each role sees of a step, in role order."""

_Bits: TypeAlias = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class View:
    """The end and the legal moves of a state, in role order.

    ``options`` are equal, of one role and machine, where the legal moves are, and quickly compared.
    """

    is_terminal: bool
    legal: tuple[tuple[Term, ...], ...]
    options: tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What a step leads to. ``number`` is the place of the step among those that were asked for."""

    number: int
    state: State
    percepts: Percepts


class BatchMachine(ABC):
    """A state machine that answers for many states at a time."""

    machine: StateMachine
    steps_at_once: int
    """How many steps it computes within some hundredths of a second."""

    @abstractmethod
    def views(self, states: Sequence[State]) -> Iterator[View]:
        """Yield the view of each state."""

    @abstractmethod
    def outcomes(
        self, states: Sequence[State], joint_moves: Sequence[Joint], told: Told | None = None
    ) -> Iterator[StepOutcome]:
        """Yield the outcome of each step; only of those in which a role sees what it was told."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a role, by its number, was told after a step."""

    role: int
    percepts: Collection[Term]


def batch_machine(machine: StateMachine) -> BatchMachine:
    """Return what answers for many states of a machine."""
    if isinstance(machine, PropnetStateMachine):
        return _CompiledBatch(machine)
    return _InterpretedBatch(machine)


class _InterpretedBatch(BatchMachine):
    """Asks a machine for one state after the other."""

    steps_at_once = 1024

    def __init__(self, machine: StateMachine) -> None:
        self.machine = machine

    def views(self, states: Sequence[State]) -> Iterator[View]:
        for state in states:
            legal = tuple(self.machine.legal_moves(state, role) for role in self.machine.roles)
            yield View(self.machine.is_terminal(state), legal, legal)

    def outcomes(
        self, states: Sequence[State], joint_moves: Sequence[Joint], told: Told | None = None
    ) -> Iterator[StepOutcome]:
        machine = self.machine
        expected = None if told is None else frozenset(told.percepts)
        for number, (state, joint_move) in enumerate(zip(states, joint_moves, strict=True)):
            if told is not None:
                role = machine.roles[told.role]
                if frozenset(machine.percepts(state, joint_move, role)) != expected:
                    continue
            percepts = tuple(
                frozenset(machine.percepts(state, joint_move, role)) for role in machine.roles
            )
            yield StepOutcome(number, machine.next_state(state, joint_move), percepts)


class _CompiledBatch(BatchMachine):
    """Evaluates blocks of states."""

    steps_at_once = 16_384

    def __init__(self, machine: PropnetStateMachine) -> None:
        self.machine: PropnetStateMachine = machine
        self._block = machine.block()
        self._move_indices = [{m: i for i, m in enumerate(moves)} for moves in machine.moves]
        self._offsets = np.cumsum([0, *map(len, machine.moves)]).tolist()
        self._known: list[dict[bytes, tuple[Term, ...]]] = [{} for _ in machine.roles]

    def views(self, states: Sequence[State]) -> Iterator[View]:
        for chunk in _chunks(states, self._block.lanes):
            self._load(chunk)
            legal, terminal = self._block.legal(), self._block.terminal()
            for lane in range(len(chunk)):
                options = self._options(legal[lane])
                moves = zip(range(len(options)), options, strict=True)
                of_roles = tuple([self._moves_in(role, option) for role, option in moves])
                yield View(bool(terminal[lane]), of_roles, options)

    def outcomes(
        self, states: Sequence[State], joint_moves: Sequence[Joint], told: Told | None = None
    ) -> Iterator[StepOutcome]:
        expected = None if told is None else self._percept_bits(told)
        if told is not None and expected is None:
            return
        lanes, first = self._block.lanes, 0
        for chunk in _chunks(states, lanes):
            self._load(chunk)
            self._block.move(self._move_bits(joint_moves[first : first + lanes]))
            percepts, after = self._block.percepts(), self._block.states()
            agree = np.ones(len(chunk), dtype=bool)
            if expected is not None:
                rows, bits = expected
                agree = (percepts[: len(chunk), rows] == bits).all(axis=1)
            for lane in np.flatnonzero(agree).tolist():
                seen = self.machine.percepts_of(percepts[lane].tobytes())
                yield StepOutcome(first + lane, self.machine.state(after[lane]), seen)
            first += len(chunk)

    def _load(self, states: Sequence[State]) -> None:
        self._block.load(np.stack([self.machine.bits(state) for state in states]))
        self._block.view()

    def _options(self, bits: _Bits) -> tuple[bytes, ...]:
        """The legal moves of each role as bits."""
        bounds = zip(self._offsets, self._offsets[1:], strict=False)
        return tuple([bits[low:high].tobytes() for low, high in bounds])

    def _moves_in(self, role: int, option: bytes) -> tuple[Term, ...]:
        found = self._known[role].get(option)
        if found is None:
            numbers = np.flatnonzero(np.frombuffer(option, dtype=np.uint8)).tolist()
            found = tuple([self.machine.moves[role][number] for number in numbers])
            self._known[role][option] = found
        return found

    def _move_bits(self, joint_moves: Sequence[Joint]) -> _Bits:
        """Return joint moves as bits: uint8 (lanes, moves of all roles)."""
        bits = np.zeros((self._block.lanes, self._offsets[-1]), dtype=np.uint8)
        for role, (indices, offset) in enumerate(
            zip(self._move_indices, self._offsets, strict=False)
        ):
            columns = [offset + indices[joint_move[role]] for joint_move in joint_moves]
            bits[np.arange(len(columns)), columns] = 1
        return bits

    def _percept_bits(self, told: Told) -> tuple[NDArray[np.int64], _Bits] | None:
        """The role's percept rows, and the bits in them; None if it can never see all of that."""
        left = set(told.percepts)
        rows, bits = [], []
        for row, (role, term) in enumerate(self.machine.percept_rows):
            if role == told.role:
                rows.append(row)
                bits.append(term in left)
                left.discard(term)
        if left:
            return None
        return np.array(rows, dtype=np.int64), np.array(bits, dtype=np.uint8)


def _chunks(states: Iterable[State], size: int) -> Iterator[list[State]]:
    rest = iter(states)
    while chunk := list(islice(rest, size)):
        yield chunk
