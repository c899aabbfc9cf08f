"""Enumeration: every state that can be reached, and from the ends back the value of each.

A game with few states is solved once, in the start clock if it can be, and then played perfectly
by looking its states up. States are found breadth first, a block at a time, and numbered; what
each joint move leads to is kept as a number, so that values are backed up without the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from gdl import State
from gdl.engine import PropnetStateMachine, SymmetryGroup
from ggp_player.strategies import Choice, MoveReport, Position
from ggp_player.strategies.engine_strategy import EngineStrategy
from ggp_player.strategies.solver.enumeration_kernels import (
    BACKWARD,
    DONE,
    EDGES,
    EXPANDED,
    MISSING,
    NO_ROOM,
    STATES,
    TOO_WIDE,
    Store,
    back_up,
    expand,
    measure,
    number_of,
    refill,
)
from ggp_player.strategies.solver.lane_rows import MAX_MOVES, LaneRows
from ggp_player.strategies.solver.solution import Solution
from ggp_player.strategies.textbook import moves_by_chance

SLICE = 2**17
"""Joint moves made, or states valued, between two chances to stop: some hundredths of a second."""

BATCH = 2**10
"""States put into a hash table in one go: few enough to stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What an enumeration may use: so many states, so many bytes."""

    states: int
    bytes: int


class Enumeration(EngineStrategy):
    """Solves the game by complete enumeration, and plays it perfectly. Compiled machines only.

    It suits games with up to some million states, for any number of roles. Each other role is taken
    for an enemy that knows our move, as in ``minimax``; for ``random`` the mean is taken. Games
    without an end are valued where an end can be forced. Until all is known, the first legal
    move stands, and so it does where the limits do not suffice: ``states``, and ``megabytes``
    of memory. Of states that are ``images`` of each other one is enumerated. What was found is kept
    between steps.

    Source: M. Genesereth and M. Thielscher, General Game Playing (2014), chapter 6, for the values;
    K. Thompson, Retrograde Analysis of Certain Endgames (1986), for their order.
    """

    name = "enumeration"
    max_moves = MAX_MOVES

    def __init__(
        self,
        states: Annotated[int, Field(ge=1)] = 4_000_000,
        megabytes: Annotated[int, Field(ge=1)] = 1024,
        *,
        images: SymmetryGroup | None = None,
    ) -> None:
        self._images = images
        self.limits = Limits(states, megabytes * 2**20)
        self._enumerator: Enumerator | None = None

    @property
    def solution(self) -> Solution | None:
        """What was found, None where there is no result."""
        return None if self._enumerator is None else self._enumerator.solution

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the first legal move until all states are valued, then the best."""
        moves = position.legal_moves
        if not moves:
            return
        enumerator = self._enumerator_of(position)
        if enumerator.solution is None:
            yield Choice(moves[0], note="enumeration begins")
        for note in enumerator.work:
            yield Choice(moves[0], note=note)
        solution = enumerator.solution
        if solution is not None and position.state in solution:
            yield solution.best(position)
        elif solution is not None:
            # It was made for another match, or for a state further on.
            self._enumerator = None
            yield from self.search(position)

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Return the bounds of each move where the game is solved."""
        if self.solution is None or position.state not in self.solution:
            return ()
        return self.solution.report(position)

    def _enumerator_of(self, position: Position) -> Enumerator:
        """Return what is going on, or a new one where that has failed for another state."""
        going_on = self._enumerator
        if going_on is None or (going_on.failed and going_on.start != position.state):
            machine = self.machine_of(position)
            going_on = Enumerator(machine, position.state, self.limits, self._images)
            self._enumerator = going_on
        return going_on


class Enumerator:
    """One enumeration, from one state on. ``work`` does it, piece by piece.

    ``work`` yields a note after each piece, of some hundredths of a second. When it has ended,
    ``solution`` is there, or ``failed`` is true.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        start: State,
        limits: Limits,
        images: SymmetryGroup | None = None,
    ) -> None:
        self.start = start
        self.failed = False
        self.solution: Solution | None = None
        self._limits = limits
        self._lane_rows = LaneRows(machine, images)
        self._by_chance = np.array([moves_by_chance(role) for role in machine.roles])
        self._store = _new_store(self._lane_rows, 2**14, 2**16)
        number_of(self._store, self._lane_rows.least(start)[0], 0)
        self.work = self._work()

    def _work(self) -> Iterator[str]:
        yield from self._expand()
        if self.failed:
            return
        yield from self._sweep(lambda order: back_up(self._store, self._by_chance, order))
        if not self._by_chance.any():
            yield from self._sweep(lambda order: measure(self._store, order))
        self.solution = Solution(self._lane_rows, self._store)

    def _expand(self) -> Iterator[str]:
        status = None
        while status != DONE:
            status = expand(self._lane_rows.rows(), self._store, SLICE)
            found, expanded = self._store.used[[STATES, EXPANDED]].tolist()
            note = f"{found} states found, {expanded} expanded"
            too_many = found > self._limits.states or self._size() > self._limits.bytes
            if too_many or status == TOO_WIDE:
                self.failed = True
                yield f"{note}: too many to enumerate"
                return
            yield note
            if status == NO_ROOM:
                self._store = _grown(self._lane_rows, self._store, self._limits.states)
                yield from self._refill()

    def _refill(self) -> Iterator[str]:
        """Number the states again, in the hash table of a new store."""
        store, count = self._store, int(self._store.used[STATES])
        for first in range(0, count, BATCH):
            refill(store.slots, store.states, first, min(count, first + BATCH))
            if first % SLICE == 0:
                yield f"{count} states found, making room for more"

    def _size(self) -> int:
        """Return how many bytes have been written to, about."""
        store, used = self._store, self._store.used
        per_state = sum(
            array.nbytes // len(array) for array in store if len(array) >= len(store.states)
        )
        return int(used[STATES] * per_state + used[EDGES] * store.edges.itemsize)

    def _sweep(self, improve: Callable[[NDArray[np.int64]], int]) -> Iterator[str]:
        """Improve all states, last found first, then the other way, until nothing changes.

        Where every joint move leads to a state found later, one pass is enough.
        """
        count, down, changed = int(self._store.used[STATES]), True, 1
        while changed and (down or self._store.used[BACKWARD]):
            changed = 0
            for first in range(0, count, SLICE):
                last = min(count, first + SLICE)
                order = (count - 1 - first, count - 1 - last, -1) if down else (first, last, 1)
                changed += improve(np.array(order))
                yield f"{count} states found, their values are backed up"
            down = not down


def _new_store(lane_rows: LaneRows, states: int, edges: int) -> Store:
    roles = len(lane_rows.machine.roles)
    return Store(
        states=np.zeros((states, lane_rows.words), np.uint64),
        slots=np.zeros(1 << (2 * states - 1).bit_length(), np.int32),
        widths=np.zeros((states, roles), np.int32),
        first_edge=np.zeros(states + 1, np.int64),
        edges=np.zeros(edges, np.int32),
        low=np.zeros((states, roles), np.float32),
        high=np.zeros((states, roles), np.float32),
        steps=np.zeros((states, roles), np.int32),
        used=np.zeros(7, np.int64),
    )


def _grown(lane_rows: LaneRows, store: Store, most: int) -> Store:
    """Return a store with the same in it and about four times the room of what was full.

    No more than ``most`` states need room. Memory that is not written yet costs nothing. The
    slots are left free.
    """
    missing = int(store.used[MISSING])
    states, edges = len(store.states), len(store.edges)
    if states < store.used[STATES] + missing:
        states = max(int(store.used[STATES]), min(most, 4 * states)) + missing
    if edges < store.used[EDGES] + missing:
        edges = 4 * edges + missing
    grown = _new_store(lane_rows, states, edges)
    for name in Store._fields:
        if name != "slots":
            old, new = getattr(store, name), getattr(grown, name)
            new[: len(old)] = old
    return grown
