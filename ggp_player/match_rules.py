"""The rules of one match, as the game manager asks them: what can be done now, and no state.

States can be large, and the game manager does not need them: whoever evaluates the rules keeps the
latest, and what a match record has of the others. In this process that is :class:`LocalRules`; the
service has the rules of strangers evaluated elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gdl import Constant, State, Term
from gdl.state_machine import RuledMachine
from ggp_player.protocol import MAX_STATE_CHARACTERS, StateTexts, move_texts


@dataclass(frozen=True, slots=True)
class MatchPosition:
    """What follows from a state, in terms as text; there is an entry for each role.

    ``legal`` is empty in a last state, and ``goals`` in any other. ``percepts`` are those of the
    joint move that led here, and empty where the rules have none.
    """

    is_terminal: bool = False
    legal: tuple[tuple[str, ...], ...] = ()
    goals: tuple[int | None, ...] = ()
    percepts: tuple[tuple[str, ...], ...] = ()


class MatchRules(Protocol):
    """Evaluates the rules of one match. Its methods can take long, and raise MatchError."""

    @property
    def roles(self) -> tuple[Constant, ...]:
        """The roles in the order of joint moves."""
        ...

    def begin(self) -> MatchPosition:
        """Return the position in which the match begins."""
        ...

    def advance(self, joint_move: Sequence[Term]) -> MatchPosition:
        """Make a joint move, which is not checked, and return the position that it leads to."""
        ...

    def states(self) -> tuple[str, ...] | None:
        """Return all states so far as a match record has them, None where they are left out."""
        ...


class LocalRules:
    """The rules of one match, evaluated in this process; ``state`` is the latest.

    The states for a record are kept up to so many ``recorded`` characters, none of them with 0.
    """

    def __init__(self, machine: RuledMachine, recorded: int = MAX_STATE_CHARACTERS) -> None:
        self.machine = machine
        self.state: State  # from the beginning on
        self._recorded = recorded
        self._texts = StateTexts(recorded)

    @property
    def roles(self) -> tuple[Constant, ...]:
        """The roles in the order of joint moves."""
        return self.machine.roles

    def begin(self) -> MatchPosition:
        """Return the position in which the match begins."""
        self.state = self.machine.initial_state()
        self._texts = StateTexts(self._recorded)
        return self._position(())

    def advance(self, joint_move: Sequence[Term]) -> MatchPosition:
        """Make a joint move, which is not checked, and return the position that it leads to."""
        machine, before = self.machine, self.state
        self.state = machine.next_state(before, joint_move)
        if not machine.ruleset.has_percepts:
            return self._position(())
        seen = (machine.percepts(before, joint_move, role) for role in machine.roles)
        return self._position(tuple(map(move_texts, seen)))

    def states(self) -> tuple[str, ...] | None:
        """Return all states so far as a match record has them, None where they are left out."""
        return self._texts.texts

    def _position(self, percepts: tuple[tuple[str, ...], ...]) -> MatchPosition:
        machine, state = self.machine, self.state
        self._texts.add(state)
        if machine.is_terminal(state):
            goals = tuple(machine.goal(state, role) for role in machine.roles)
            return MatchPosition(is_terminal=True, goals=goals, percepts=percepts)
        legal = tuple(move_texts(machine.legal_moves(state, role)) for role in machine.roles)
        return MatchPosition(legal=legal, percepts=percepts)
