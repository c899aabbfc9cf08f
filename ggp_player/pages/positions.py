"""Positions of a match: a step of it, or what moves lead to that were tried from a step on.

A variation is written as ``4.0-0.2``: joint moves with a dash between them, of each role the number
of its move among its legal moves, counted from 0 in the order of their texts. The rules alone say
which move that is, so that a link with a variation opens on the same position for ever, and no
number can mean an illegal move.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import gdl
from gdl import GdlError, State, Term
from gdl.language import RANDOM_ROLE
from ggp_player.errors import PositionError
from ggp_player.protocol import move_texts, state_text

if TYPE_CHECKING:
    from ggp_player.strategies import Position

MAX_VARIATION = 200
"""Joint moves of a variation."""

MAX_VARIATION_TEXT = 2000
"""Characters of a variation in an address."""

MAX_LEGAL = 2000
"""Legal moves of a role that can be tried."""

MAX_REMEMBERED_STATES = 2000
"""States of a match that are remembered."""

_VARIATION = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4})*(?:-[0-9]{1,4}(?:\.[0-9]{1,4})*)*")

JointMove: TypeAlias = tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class ShownPosition:
    """A position, as texts: ``history`` are all joint moves, ``variation`` the last of them.

    ``legal`` has the moves of each role in the order in which a variation numbers them; it is empty
    where the match is over, and ``goals`` before. ``before`` is the state before the last move.
    """

    step: int
    line: str
    roles: tuple[str, ...]
    history: tuple[tuple[str, ...], ...]
    variation: tuple[tuple[str, ...], ...]
    state: str
    before: str
    legal: dict[str, tuple[str, ...]] = field(default_factory=dict)
    goals: dict[str, int | None] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether the match is over here."""
        return not self.legal


def read_variation(text: str) -> tuple[tuple[int, ...], ...]:
    """Read the numbers of a variation. Raises :class:`PositionError`.

    >>> read_variation("4.0-0.2")
    ((4, 0), (0, 2))
    """
    if not text:
        return ()
    if len(text) > MAX_VARIATION_TEXT:
        raise PositionError(f"the variation is longer than {MAX_VARIATION_TEXT} characters")
    if not _VARIATION.fullmatch(text):
        raise PositionError("the variation in the link cannot be read; it is like 4.0-0.2")
    found = tuple(tuple(map(int, move.split("."))) for move in text.split("-"))
    if len(found) > MAX_VARIATION:
        raise PositionError(f"the variation is longer than {MAX_VARIATION} joint moves")
    return found


def role_to_search(position: ShownPosition) -> str:
    """The first role that has a choice, other than chance."""
    roles = [role for role in position.roles if role.lower() != str(RANDOM_ROLE)]
    deciding = [role for role in roles if len(position.legal.get(role, ())) > 1]
    return (deciding or roles or list(position.roles))[0]


class MatchTree:
    """The positions of a match by its rules. Raises :class:`gdl.GdlError` for those that are wrong.

    States are interpreted, so that nothing is compiled for somebody who only looks.
    """

    def __init__(self, rules: str, moves: Sequence[Sequence[str]]) -> None:
        self._ruleset = gdl.parse(rules)
        self._machine = gdl.interpret(self._ruleset)
        self._moves = moves
        self._states: OrderedDict[tuple[JointMove, ...], State] = OrderedDict()

    def go_on(self, moves: Sequence[Sequence[str]]) -> bool:
        """Take the moves of a match that has gone on; return whether it began with those so far."""
        if list(moves[: len(self._moves)]) != list(self._moves):
            return False
        self._moves = moves
        return True

    def position(self, step: int, line: str) -> ShownPosition:
        """The position after a variation from a step on. Raises :class:`PositionError`."""
        variation = read_variation(line)
        last = len(self._moves)
        if not 0 <= step <= last:
            raise PositionError(f"the match has {last} steps, and no step {step}")
        try:
            history = tuple(map(self._spelled, self._moves[:step]))
            for number, choice in enumerate(variation, 1):
                history = (*history, self._joint_move(history, choice, number))
            return self._described(step, line, history)
        except (GdlError, RecursionError) as error:
            raise PositionError(f"the rules do not lead to this position: {error}") from error

    def to_search(self, step: int, line: str) -> Position:
        """The same, for a search by the first role with a choice. Raises :class:`PositionError`."""
        shown = self.position(step, line)
        if shown.is_over:
            raise PositionError("the match is over here: there is nothing to search")
        # Strategies are slow to import, and most positions are only drawn.
        from ggp_player.strategies import Position

        history = tuple(tuple(map(gdl.parse_term, joint_move)) for joint_move in shown.history)
        role = role_to_search(shown)
        (searching,) = (each for each in self._machine.roles if str(each) == role)
        return Position(self._machine, self._state(history), searching)

    def _spelled(self, joint_move: Sequence[str]) -> JointMove:
        if not all(joint_move):
            raise PositionError("the match has moves that are not known")
        return tuple(self._ruleset.spell(gdl.parse_term(move)) for move in joint_move)

    def _joint_move(
        self, history: tuple[JointMove, ...], choice: Sequence[int], number: int
    ) -> JointMove:
        """The joint move that numbers mean: ``number`` says which one of the variation it is."""
        state, roles = self._state(history), self._machine.roles
        where = f"move {number} of the variation does not fit the match"
        if self._machine.is_terminal(state):
            raise PositionError(f"{where}: it is over before")
        if len(choice) != len(roles):
            raise PositionError(f"{where}: it is for {len(choice)} roles of {len(roles)}")
        moves = []
        for role, index in zip(roles, choice, strict=True):
            legal = self._legal(state, role)
            if index >= len(legal):
                raise PositionError(f"{where}: {role} has {len(legal)} legal moves there")
            moves.append(legal[index])
        return tuple(moves)

    def _legal(self, state: State, role: Term) -> list[Term]:
        return sorted(self._machine.legal_moves(state, role), key=str)[:MAX_LEGAL]

    def _state(self, history: tuple[JointMove, ...]) -> State:
        """The state after joint moves, from the nearest one before it that is known."""
        known = len(history)
        while known and history[:known] not in self._states:
            known -= 1
        state = self._states[history[:known]] if known else self._machine.initial_state()
        for number in range(known, len(history)):
            state = self._machine.next_state(state, history[number])
            self._states[history[: number + 1]] = state
            if len(self._states) > MAX_REMEMBERED_STATES:
                self._states.popitem(last=False)
        return state

    def _described(self, step: int, line: str, history: tuple[JointMove, ...]) -> ShownPosition:
        machine = self._machine
        state = self._state(history)
        is_over = machine.is_terminal(state)
        return ShownPosition(
            step,
            line,
            roles=move_texts(machine.roles),
            history=tuple(map(move_texts, history)),
            variation=tuple(map(move_texts, history[step:])),
            state=state_text(state),
            before=state_text(self._state(history[:-1])) if history else "",
            legal={}
            if is_over
            else {str(role): move_texts(self._legal(state, role)) for role in machine.roles},
            goals={str(role): machine.goal(state, role) for role in machine.roles}
            if is_over
            else {},
        )
