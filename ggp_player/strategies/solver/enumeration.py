"""Complete enumeration and retrograde analysis: find all states, then value them from the ends.

A game with few states is solved once, during the start clock if possible, and then played
perfectly by looking its states up. States are found breadth first, a block at a time, and get an
index each; the graph of joint moves between them is kept, so that values are backed up without
evaluating the rules again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from gdl import Constant, State
from gdl.engine import PropnetStateMachine, SymmetryGroup
from gdl.language import moves_by_chance
from ggp_player.strategies import (
    Choice,
    Component,
    EngineStrategy,
    Limit,
    Method,
    MoveReport,
    Position,
    component,
    tally,
)
from ggp_player.strategies.solver.enumeration_kernels import (
    COUNTERS,
    DONE,
    NO_ROOM,
    TOO_WIDE,
    StateGraph,
    back_up,
    expand,
    fill_slots,
    index_of,
    measure_steps,
)
from ggp_player.strategies.solver.solution import Solution
from ggp_player.strategies.solver.solver_block import MAX_MOVES, SolverBlock

SLICE = 2**17
"""Joint moves made, or states valued, between two yields: some hundredths of a second."""

BATCH = 2**10
"""States entered into a hash table at once: few enough to stay in the cache."""


@dataclass(frozen=True, slots=True)
class EnumerationLimits:
    """The most states and bytes that an enumeration may use."""

    states: int
    bytes: int


class Enumeration(EngineStrategy):
    """Solves the game by complete enumeration, and plays it perfectly. Compiled machines only.

    It suits games of up to some million states, for any number of roles. Every other role is taken
    for an enemy that knows our move, as in ``minimax``; for ``random`` the mean is taken. States of
    endless games are valued where an end can be forced. Until everything is valued, the first legal
    move stands, and it remains where the limits are exceeded: ``states``, and ``megabytes`` of
    memory. Of states that the ``symmetries`` map to each other one is enumerated. The solution is
    kept between steps.

    Source: M. Genesereth and M. Thielscher, General Game Playing (2014), chapter 6, for the values;
    K. Thompson, Retrograde Analysis of Certain Endgames (1986), for their order.
    """

    name = "enumeration"
    method = Method.ENUMERATION
    max_moves = MAX_MOVES

    def __init__(
        self,
        states: Annotated[int, Field(ge=1)] = 4_000_000,
        megabytes: Annotated[int, Field(ge=1)] = 1024,
        *,
        symmetries: SymmetryGroup | None = None,
    ) -> None:
        self._symmetries = symmetries
        self.limits = EnumerationLimits(states, megabytes * 2**20)
        self._enumerator: Enumerator | None = None
        self._earlier = 0

    @property
    def solution(self) -> Solution | None:
        """The values of all states, None until they are known."""
        return None if self._enumerator is None else self._enumerator.solution

    @component(Component.ENUMERATION)
    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the first legal move until all states are valued, then the best."""
        moves = position.legal_moves
        if not moves:
            return
        enumerator = self._enumerator_of(position)
        enumerator.slice = min(SLICE, position.work_until(0, SLICE))
        if enumerator.solution is None:
            yield Choice.first_of(moves, "enumeration begins")
        for note in enumerator.work:
            yield Choice.first_of(moves, note, enumerator.limit)
        solution = enumerator.solution
        if solution is not None and position.state in solution:
            yield solution.best(position)
        elif solution is not None:
            # The solution was made for another match, or for a later state.
            self._earlier = self.work
            self._enumerator = None
            yield from self.search(position)

    @property
    def work(self) -> int:
        """Joint moves made so far; what it takes to value the states is not counted."""
        return self._earlier + (self._enumerator.made if self._enumerator is not None else 0)

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Return the bounds of each move once the game is solved."""
        if self.solution is None or position.state not in self.solution:
            return ()
        return self.solution.report(position)

    def _enumerator_of(self, position: Position) -> Enumerator:
        """Return the present enumeration, or a new one if that has failed for another state."""
        current = self._enumerator
        if current is None or (current.limit and current.start != position.state):
            self._earlier = self.work
            machine = self.machine_of(position)
            current = Enumerator(machine, position.state, self.limits, self._symmetries)
            self._enumerator = current
        return current


class Enumerator:
    """One enumeration from one state on, made in pieces by the iterator ``work``.

    ``work`` yields a note after each piece of some hundredths of a second, or sooner, after
    ``slice`` joint moves. When it has ended, there is a ``solution``, or the ``limit`` that was
    reached.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        start: State,
        limits: EnumerationLimits,
        symmetries: SymmetryGroup | None = None,
    ) -> None:
        self.start = start
        self.limit: Limit | None = None
        self.solution: Solution | None = None
        self.slice = SLICE
        self._limits = limits
        self._block = SolverBlock(machine, symmetries)
        self._graph = _new_graph(self._block, 2**14, 2**16)
        index_of(self._graph, self._block.canonical(start)[0], 0)
        # Nothing is filled: this compiles the kernel at warm-up, not when a graph first grows.
        fill_slots(self._graph.slots, self._graph.states, 0, 0)
        self.work = self._work()

    @property
    def made(self) -> int:
        """Joint moves made so far."""
        return int(self._graph.counters[0]["edges"])

    def _work(self) -> Iterator[str]:
        yield from self._expand()
        if self.limit is None:
            yield from retrograde_analysis(self._graph, self._block.machine.roles)
            self.solution = Solution(self._block, self._graph)

    def _expand(self) -> Iterator[str]:
        status = None
        while status != DONE:
            made = self.made
            status = expand(self._block.arrays(), self._graph, self.slice)
            tally(moves=self.made - made)
            found, expanded = self._graph.counters[["states", "expanded"]][0]
            self.limit = self._reached(int(found), status)
            yield f"{found} states found, {expanded} expanded"
            if self.limit is not None:
                return
            if status == NO_ROOM:
                self._graph = _enlarged(self._block, self._graph, self._limits.states)
                yield from self._refill_slots()

    def _reached(self, found: int, status: int) -> Limit | None:
        """Which limit ends the enumeration, if one does."""
        if found > self._limits.states:
            return Limit.STATES
        is_full = status == TOO_WIDE or self._size() > self._limits.bytes
        return Limit.MEMORY if is_full else None

    def _refill_slots(self) -> Iterator[str]:
        """Enter the states into the hash table of an enlarged graph."""
        graph, count = self._graph, int(self._graph.counters[0]["states"])
        for first in range(0, count, BATCH):
            fill_slots(graph.slots, graph.states, first, min(count, first + BATCH))
            if first % SLICE == 0:
                yield f"{count} states found, making room for more"

    def _size(self) -> int:
        """Estimate how many bytes have been written to."""
        graph, counters = self._graph, self._graph.counters[0]
        per_state = sum(
            array.nbytes // len(array) for array in graph if len(array) >= len(graph.states)
        )
        return int(counters["states"] * per_state + counters["edges"] * graph.edges.itemsize)


def retrograde_analysis(graph: StateGraph, roles: Sequence[Constant]) -> Iterator[str]:
    """Value all states of a graph; then, in games without chance, find the distance of the end.

    Yields a note after each slice of the work.
    """
    by_chance = np.array([moves_by_chance(role) for role in roles])
    yield from _sweep(graph, lambda order: back_up(graph, by_chance, order))
    if not by_chance.any():
        yield from _sweep(graph, lambda order: measure_steps(graph, order))


def _sweep(graph: StateGraph, improve: Callable[[NDArray[np.int64]], int]) -> Iterator[str]:
    """Improve all states, from last to first and back again, until nothing changes.

    Where every joint move leads to a state found later, one pass is enough.
    """
    count, down, changed = int(graph.counters[0]["states"]), True, 1
    while changed and (down or graph.counters[0]["backward"]):
        changed = 0
        for first in range(0, count, SLICE):
            last = min(count, first + SLICE)
            order = (count - 1 - first, count - 1 - last, -1) if down else (first, last, 1)
            changed += improve(np.array(order))
            yield f"{count} states found, their values are backed up"
        down = not down


def _new_graph(block: SolverBlock, states: int, edges: int) -> StateGraph:
    roles = len(block.machine.roles)
    return StateGraph(
        states=np.zeros((states, block.words), np.uint64),
        slots=new_slots(states),
        widths=np.zeros((states, roles), np.int32),
        first_edge=np.zeros(states + 1, np.int64),
        edges=np.zeros(edges, np.int32),
        low=np.zeros((states, roles), np.float32),
        high=np.zeros((states, roles), np.float32),
        steps=np.zeros((states, roles), np.int32),
        counters=np.zeros(1, COUNTERS),
    )


def new_slots(states: int) -> NDArray[np.int32]:
    """Return an empty hash table for so many states, at most half of it to be filled."""
    return np.zeros(1 << (2 * states - 1).bit_length(), np.int32)


def _enlarged(block: SolverBlock, graph: StateGraph, most: int) -> StateGraph:
    """Return a copy of a graph with about four times the room where it is full.

    No more than ``most`` states need room. Memory that is not written yet costs nothing. The
    slots are left empty.
    """
    counters = graph.counters[0]
    missing, found = int(counters["missing"]), int(counters["states"])
    states, edges = len(graph.states), len(graph.edges)
    if states < found + missing:
        states = max(found, min(most, 4 * states)) + missing
    if edges < counters["edges"] + missing:
        edges = 4 * edges + missing
    enlarged = _new_graph(block, states, edges)
    for name in StateGraph._fields:
        if name != "slots":
            old, new = getattr(graph, name), getattr(enlarged, name)
            new[: len(old)] = old
    return enlarged
