"""Reachability: every state that can be reached, in games that have few of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.datalog import strongly_connected_components
from gdl.engine import Expander, Packed, PropnetStateMachine, packed_state

MAX_ENUMERATED_STATES = 20_000
"""Games with more states are not enumerated."""

MAX_CHILDREN = 200_000
"""Joint moves made at most; in games with more the states are not enumerated."""

MAX_ENUMERATED_MOVES = 5_000
"""Games with more moves are not enumerated: each block of children takes that many rows."""

MAX_WORK = 100_000_000
"""Gates evaluated at most."""


@dataclass(frozen=True, slots=True)
class ReachableStates:
    """What holds of the states that can be reached.

    ``choosing``: every set of roles, by index, that have a choice at the same time. ``outcomes``:
    all tuples of utilities in terminal states, with NONE. ``longest``: the steps of the longest
    match, None where a state can recur.
    """

    states: int
    choosing: frozenset[frozenset[int]]
    outcomes: frozenset[tuple[int, ...]]
    longest: int | None


def enumerate_reachable(machine: PropnetStateMachine) -> tuple[ReachableStates | None, int]:
    """Enumerate all states breadth-first, as long as they are few; return how many, too."""
    layout = machine.engine.layout
    if sum(layout.move_counts) > MAX_ENUMERATED_MOVES:
        return None, 0
    blocks = MAX_WORK // (2 * layout.rows)
    exploration = _Exploration(machine, min(MAX_CHILDREN, blocks * 64 * machine.engine.words))
    if not exploration.run():
        return None, len(exploration.states)
    choosing: set[frozenset[int]] = set()
    outcomes: set[tuple[int, ...]] = set()
    lanes = 64 * machine.engine.words
    states = np.array(exploration.states, dtype=np.uint8)
    for first in range(0, len(states), lanes):
        _inspect(machine, states[first : first + lanes], choosing, outcomes)
    longest = _longest_path(exploration.children)
    reachable = ReachableStates(len(states), frozenset(choosing), frozenset(outcomes), longest)
    return reachable, len(states)


class _Exploration:
    """States by number, and the numbers of each one's children."""

    def __init__(self, machine: PropnetStateMachine, budget: int) -> None:
        self._expander = Expander(machine.engine)
        self._budget = budget
        self._numbers: dict[bytes, int] = {}
        self.states: list[NDArray[np.uint8]] = []
        self.children: list[set[int]] = []
        self._number(packed_state(machine, machine.initial_state())[0])

    def run(self) -> bool:
        """Expand all states; return whether the budget was enough."""
        first = 0
        while first < len(self.states):
            frontier = np.array(self.states[first:], dtype=np.uint8)
            last = len(self.states)
            for children in self._expander.expand(frontier):
                self._budget -= len(children.states)
                pairs = zip(children.parents.tolist(), children.states, strict=True)
                for parent, state in pairs:
                    self.children[first + parent].add(self._number(state))
                if self._budget < 0 or len(self.states) > MAX_ENUMERATED_STATES:
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


def _inspect(
    machine: PropnetStateMachine,
    states: Packed,
    choosing: set[frozenset[int]],
    outcomes: set[tuple[int, ...]],
) -> None:
    """Collect who has a choice, and the terminal utilities, in at most a block of states."""
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
    given = block.goal_values()[: len(states)][ended]
    outcomes.update(map(tuple, np.unique(given, axis=0).tolist()))


def _longest_path(children: Sequence[set[int]]) -> int | None:
    """Count the steps of the longest path from the first state, None where there is a cycle."""
    steps = [0] * len(children)
    for component in strongly_connected_components(dict(enumerate(children))):
        number = component[0]
        if len(component) > 1 or number in children[number]:
            return None
        steps[number] = max((1 + steps[child] for child in children[number]), default=0)
    return steps[0]
