"""Playouts made slowly: the kernel's own moves are replayed.

Another block with the same seed chooses the same moves, one step at a time, and Python keeps the
books.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl.engine.block import Playouts
from gdl.engine.machine import PropnetStateMachine

SEED = 11

Bits = NDArray[np.uint8]


class Replay:
    """Makes the steps of ``Block.play`` one by one, and counts what it counts."""

    def __init__(self, machine: PropnetStateMachine, start: Bits) -> None:
        self.machine = machine
        self.block = machine.block(SEED)
        self.block.load(start)
        self.start = self.block.states()
        lanes, roles = self.block.lanes, len(machine.roles)
        self.ended = np.zeros(lanes, dtype=np.int64)
        self.steps = np.zeros(lanes, dtype=np.int64)
        self.goals = np.zeros((lanes, roles), dtype=np.int64)
        self.length = np.zeros(lanes, dtype=np.int64)
        self.block.view()
        self.playing = ~self.block.terminal()

    def run(self, steps: int, refill: bool) -> None:
        """Play; a lane that has ended waits for one step and then starts again."""
        for step in range(steps + 1):
            self.block.view()
            over = self.block.terminal() & self.playing
            self._count(over)
            if not refill:
                self.playing &= ~over
            if step == steps or not self.playing.any():
                return
            self.block.move(self.block.choose())
            moving = self.playing & ~over
            self.length[moving] += 1
            if refill and over.any():
                states = self.block.states()
                states[over] = self.start[over]
                self.block.load(states)

    def _count(self, over: NDArray[np.bool_]) -> None:
        self.ended[over] += 1
        self.steps[over] += self.length[over]
        self.length[over] = 0
        goals = self.block.goals()
        for lane in np.flatnonzero(over):
            for role in range(len(self.machine.roles)):
                self.goals[lane, role] += self._goal(goals[lane], role)

    def _goal(self, goals: Bits, role: int) -> int:
        table = self.machine.engine.goal_table.tolist()
        values = [v for (r, v), holds in zip(table, goals, strict=True) if r == role and holds]
        return min(values, default=0)

    def check(self, played: Playouts) -> None:
        assert np.array_equal(played.ended, self.ended)
        assert np.array_equal(played.steps, self.steps)
        assert np.array_equal(played.goals, self.goals)
        assert played.states == self.steps.sum() + self.length[self.playing].sum()


def assert_play_is_as_replayed(
    machine: PropnetStateMachine, start: Bits, steps: int, refill: bool
) -> Playouts:
    """Play with goals at each step and with deferred ones; both are as they should be."""
    replay = Replay(machine, start)
    replay.run(steps, refill)
    states = []
    for deferred_goals in (False, True):
        block = machine.block(SEED)
        block.load(start)
        played = block.play(steps, refill, deferred_goals)
        replay.check(played)
        check_views(played, deferred_goals)
        states.append(block.states())
    assert np.array_equal(states[0], states[1]), "lanes that have ended go on as ever"
    return played


def check_views(played: Playouts, deferred_goals: bool) -> None:
    """Deferred goals are evaluated at most as often as a lane has ended, and not if none has."""
    if not deferred_goals:
        assert played.goal_views == played.views
        return
    assert played.goal_views <= played.views
    assert int(played.ended.max()) <= played.goal_views or not played.ended.any()
    assert (played.goal_views > 0) == bool(played.ended.any())


def initial(machine: PropnetStateMachine) -> Bits:
    return machine.bits(machine.initial_state())[None, :]
