"""The values that docs/search.md defines, by plain recursion over all states."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import gdl
from gdl import State, StateMachine
from gdl.language import moves_by_chance

Values = tuple[Fraction, ...]


@dataclass(frozen=True)
class Oracle:
    """The value of every state for every role, by plain recursion; chance has no aims."""

    machine: StateMachine

    @cache  # noqa: B019, as an oracle lives no longer than its test
    def values(self, state: State) -> Values:
        machine = self.machine
        if machine.is_terminal(state):
            return tuple(
                Fraction(0 if moves_by_chance(role) else machine.goal(state, role) or 0)
                for role in machine.roles
            )
        choices = [len(machine.legal_moves(state, role)) for role in machine.roles]
        mover = choices.index(max(choices))
        after = [
            self.values(machine.next_state(state, joint_move))
            for joint_move in gdl.joint_moves(machine, state)
        ]
        if moves_by_chance(machine.roles[mover]):
            return tuple(Fraction(sum(column), len(after)) for column in zip(*after, strict=True))
        return max(after, key=lambda values: (values[mover], values[mover] - sum(values)))
