"""Moves of a position that a symmetry of the game maps to one another."""

from __future__ import annotations

import numpy as np

from gdl import Constant, State, StateMachine, Term
from gdl.analysis.symmetry import find_symmetries, generated_group
from gdl.engine import PropnetStateMachine, SymmetryGroup
from ggp_player.clock import Clock, monotonic

MAX_MOVES = 400
"""The most moves that are compared: each takes a successor, and its images."""


class SymmetricMoves:
    """Compares the states after moves, in the games of one machine after another.

    The symmetries are those that the rules themselves prove, which takes some hundredths of a
    second for a game, and is done once. There are none where the rules are interpreted.
    """

    def __init__(self, clock: Clock = monotonic) -> None:
        self.seconds = 0.0
        """How long finding the symmetries has taken."""
        self._clock = clock
        self._machine: StateMachine | None = None
        self._group: SymmetryGroup | None = None

    def classes(self, machine: StateMachine, state: State, role: Constant) -> list[list[Term]]:
        """List the moves of the role that lead to the same state but for symmetry, two or more.

        Where several roles have a choice, no moves are compared.
        """
        group = self._group_of(machine)
        moves = machine.legal_moves(state, role)
        others = {each: machine.legal_moves(state, each) for each in machine.roles if each != role}
        is_alone = all(len(legal) == 1 for legal in others.values())
        if group is None or not is_alone or not 1 < len(moves) <= MAX_MOVES:
            return []
        assert isinstance(machine, PropnetStateMachine)
        found: dict[bytes, list[Term]] = {}
        for move in moves:
            joint_move = [move if each == role else others[each][0] for each in machine.roles]
            after = machine.next_state(state, joint_move)
            found.setdefault(_canonical(machine, group, after), []).append(move)
        return [equal for equal in found.values() if len(equal) > 1]

    def _group_of(self, machine: StateMachine) -> SymmetryGroup | None:
        """The symmetries that keep every role; None where there are none but the identity."""
        if machine is not self._machine:
            began = self._clock()
            self._machine, self._group = machine, None
            if isinstance(machine, PropnetStateMachine):
                group = generated_group(machine, find_symmetries(machine))
                self._group = group if len(group.facts) > 1 else None
            self.seconds += self._clock() - began
        return self._group


def _canonical(machine: PropnetStateMachine, group: SymmetryGroup, state: State) -> bytes:
    """The least of the images of a state, packed."""
    bits = np.asarray(machine.bits(state), dtype=bool)
    images = np.zeros(group.facts.shape, dtype=bool)
    np.put_along_axis(images, group.facts.astype(np.intp), bits[None, :], axis=1)
    packed: list[bytes] = [row.tobytes() for row in np.packbits(images, axis=1)]
    return min(packed)
