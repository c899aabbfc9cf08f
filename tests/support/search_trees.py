"""Search trees of ``mcts``, grown for a number of steps, and the states of their nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.engine.machine import PropnetStateMachine
from gdl.state_machine import State
from ggp_player.strategies.mcts.arrays import (
    NODES,
    Settings,
)
from ggp_player.strategies.mcts.tree_search import TreeSearch

FAIR_OR_NOT = """
; Both goals add up to 100 but for one end that random play hardly ever comes to: ten times "on".
(role left) (role right) (init (at 0))
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(after 5 6) (after 6 7) (after 7 8) (after 8 9) (after 9 10)
(<= (legal left on) (true (at ?n))) (<= (legal left off) (true (at ?n)))
(<= (legal left away) (true (at ?n))) (<= (legal left out) (true (at ?n)))
(legal right wait)
(<= (next (at ?m)) (true (at ?n)) (after ?n ?m) (does left on))
(<= (next out) (not (does left on)))
(<= terminal (true (at 10))) (<= terminal (true out))
(<= (goal left 0) (true out)) (<= (goal right 100) (true out))
(<= (goal left 100) (true (at 10))) (<= (goal right 100) (true (at 10)))
"""


def searched(machine: PropnetStateMachine, steps: int, **settings: Any) -> TreeSearch:
    """Search from the initial state for about so many steps, ten at a time."""
    search = TreeSearch(machine, Settings()._replace(**settings), seed=1, memory=2**24)
    search.set_root(machine.initial_state())
    for _ in range(0, steps, 10):
        search.run(10)
    return search


def states_of(search: TreeSearch) -> list[State]:
    """The states of all nodes, in their order."""
    tree, machine = search.memory.tree, search.machine
    used = int(search.memory.counts[NODES])
    packed = tree.state[:used].astype("<u8").view(np.uint8)
    bits = np.unpackbits(packed, axis=1, count=len(machine.facts), bitorder="little")
    return [machine.state(row) for row in bits]
