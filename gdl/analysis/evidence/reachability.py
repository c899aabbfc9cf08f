"""A census: every state that can be reached, in games that have few of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.evidence.observation import utilities
from gdl.engine import Expander, Packed, PropnetStateMachine, packed_state

MAX_STATES = 20_000
"""Games with more states are not counted through."""

MAX_CHILDREN = 200_000
"""Joint moves made to count; with more the states stay uncounted."""

MAX_MOVES = 5_000
"""Of games with more moves no state is expanded: each block of children takes that many rows."""

MAX_WORK = 100_000_000
"""Gates evaluated to count."""


@dataclass(frozen=True, slots=True)
class ReachableStates:
    """What is so in any state that can be reached.

    ``choosing``: every set of roles, by place, that have a choice at the same time. ``endings``:
    all tuples of utilities at an end, with NONE. ``longest``: the steps of the longest match, None
    where a state can come back.
    """

    states: int
    choosing: frozenset[frozenset[int]]
    endings: frozenset[tuple[int, ...]]
    longest: int | None


@dataclass(frozen=True, slots=True)
class Count:
    """A census, None where there are too many states, and how many states were counted."""

    census: ReachableStates | None
    counted: int


def enumerate_reachable(machine: PropnetStateMachine) -> Count:
    """Go through all states, as long as they are few."""
    layout = machine.engine.layout
    if sum(layout.move_counts) > MAX_MOVES:
        return Count(None, 0)
    blocks = MAX_WORK // (2 * layout.rows)
    reached = _Reached(machine, min(MAX_CHILDREN, blocks * 64 * machine.engine.words))
    if not reached.explore():
        return Count(None, len(reached.states))
    choosing: set[frozenset[int]] = set()
    endings: set[tuple[int, ...]] = set()
    lanes = 64 * machine.engine.words
    states = np.array(reached.states, dtype=np.uint8)
    for first in range(0, len(states), lanes):
        _look(machine, states[first : first + lanes], choosing, endings)
    longest = _longest(reached.children)
    census = ReachableStates(len(states), frozenset(choosing), frozenset(endings), longest)
    return Count(census, len(states))


class _Reached:
    """States by number, and the numbers of each one's children."""

    def __init__(self, machine: PropnetStateMachine, budget: int) -> None:
        self._expander = Expander(machine.engine)
        self._budget = budget
        self._numbers: dict[bytes, int] = {}
        self.states: list[NDArray[np.uint8]] = []
        self.children: list[set[int]] = []
        self._number(packed_state(machine, machine.initial_state())[0])

    def explore(self) -> bool:
        """Go through all states; tell whether the budget was enough."""
        first = 0
        while first < len(self.states):
            frontier = np.array(self.states[first:], dtype=np.uint8)
            last = len(self.states)
            for children in self._expander.expand(frontier):
                self._budget -= len(children.states)
                pairs = zip(children.parents.tolist(), children.states, strict=True)
                for parent, state in pairs:
                    self.children[first + parent].add(self._number(state))
                if self._budget < 0 or len(self.states) > MAX_STATES:
                    return False
            first = last
        return True

    def _number(self, state: NDArray[np.uint8]) -> int:
        key = state.tobytes()
        number = self._numbers.setdefault(key, len(self.states))
        if number == len(self.states):
            self.states.append(state)
            self.children.append(set())
        return number


def _look(
    machine: PropnetStateMachine,
    states: Packed,
    choosing: set[frozenset[int]],
    endings: set[tuple[int, ...]],
) -> None:
    """Note who has a choice, and what is given at the ends, in at most a block of states."""
    layout = machine.engine.layout
    block = machine.engine.block()
    block.load(np.unpackbits(states, axis=1, count=layout.fluent_count, bitorder="little"))
    block.view()
    ended = block.terminal()[: len(states)]
    legal = block.legal()[: len(states)][~ended]
    ends = np.cumsum(layout.move_counts)
    counts = [own.sum(axis=1, dtype=np.int64) for own in np.split(legal, ends[:-1], axis=1)]
    for row in np.unique(np.array(counts).T > 1, axis=0):
        choosing.add(frozenset(np.flatnonzero(row).tolist()))
    given = utilities(machine.engine, block.goals()[: len(states)][ended])
    endings.update(map(tuple, np.unique(given, axis=1).T.tolist()))


def _longest(children: Sequence[set[int]]) -> int | None:
    """Return the steps of the longest way from the first state, None where ways come back."""
    parents = [0] * len(children)
    for own in children:
        for child in own:
            parents[child] += 1
    depth = [0] * len(children)
    agenda = [number for number, count in enumerate(parents) if not count]
    done = 0
    while agenda:
        number = agenda.pop()
        done += 1
        for child in children[number]:
            depth[child] = max(depth[child], depth[number] + 1)
            parents[child] -= 1
            if not parents[child]:
                agenda.append(child)
    return max(depth) if done == len(children) else None
