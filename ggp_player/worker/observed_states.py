"""The states that agree with what our role has been told, where that does not tell the state.

They are enumerated, as long as they are few: every state so far, with every joint move that is
legal in it, is kept where our role would have been told the same. Where there are too many, some
that are found by chance stand for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product
from math import prod
from random import Random
from typing import TypeAlias

import gdl

MAX_STATES = 128
"""The most states that are kept."""

MAX_JOINT_MOVES = 1024
"""The most joint moves that are looked at in a step: a reply waits for them."""

_Agrees: TypeAlias = Callable[[Sequence[gdl.Term]], bool]
_Choices: TypeAlias = tuple[gdl.State, list[tuple[gdl.Term, ...]]]
_Joint: TypeAlias = tuple[gdl.State, tuple[gdl.Term, ...]]


class ObservedStates:
    """The possible states of a match, seen from one role, from a state that is known.

    ``seed`` decides which states stand for the others where there are too many.
    """

    def __init__(
        self, machine: gdl.StateMachine, role: gdl.Constant, state: gdl.State, seed: str = ""
    ) -> None:
        self._machine = machine
        self._role = role
        self._states: tuple[gdl.State, ...] = (state,)
        self._random = Random(seed)
        self.is_exact = True
        """Whether no state that is possible was left out."""

    @property
    def state(self) -> gdl.State:
        """A state in which the match may be; one in which it goes on, if there is any."""
        return next(self._open_states(), self._states[0])

    @property
    def states(self) -> tuple[gdl.State, ...]:
        """The states in which the match may be, or one of them where there are too many."""
        return self._states

    @property
    def legal_moves(self) -> tuple[gdl.Term, ...]:
        """Our legal moves, the same in all states of a game whose roles know what they may do."""
        return self._machine.legal_moves(self.state, self._role)

    def observe(self, move: gdl.Term | None, percepts: Sequence[gdl.Term]) -> bool:
        """Go on by a step of which our move, if known, and our percepts were told.

        Returns False, and stays where it was, if no step that is possible agrees with them.
        """
        told = frozenset(percepts)
        return self._advance(move, lambda seen: frozenset(seen) == told)

    def miss(self, move: gdl.Term | None) -> bool:
        """Go on by a step of which no percepts were told; return False if none is possible."""
        return self._advance(move, lambda seen: True)

    def use(self, machine: gdl.StateMachine, states: Iterable[gdl.State]) -> None:
        """Go on with another machine of the same rules, and its values for the states."""
        self._machine = machine
        self._states = tuple(states)

    def _open_states(self) -> Iterator[gdl.State]:
        return (state for state in self._states if not self._machine.is_terminal(state))

    def _advance(self, move: gdl.Term | None, agrees: _Agrees) -> bool:
        """Go on by the joint moves with our move after which our role sees what it was told."""
        choices = [(state, self._moves(state, move)) for state in self._open_states()]
        is_small = sum(prod(map(len, moves)) for _, moves in choices) <= MAX_JOINT_MOVES
        joint_moves = self._all(choices) if is_small else self._sampled(choices)
        see = self._machine.percepts
        agreeing = (
            self._machine.next_state(state, joint_move)
            for state, joint_move in joint_moves
            if agrees(see(state, joint_move, self._role))
        )
        agreed = tuple(islice(agreeing, MAX_STATES))
        found = tuple(dict.fromkeys(agreed))
        if found:
            self._states = found
            self.is_exact = self.is_exact and is_small and len(agreed) < MAX_STATES
        return bool(found)

    def _moves(self, state: gdl.State, move: gdl.Term | None) -> list[tuple[gdl.Term, ...]]:
        """The moves of each role, of ours only the one that was made."""
        moves = [self._machine.legal_moves(state, role) for role in self._machine.roles]
        if move is not None:
            own = self._machine.roles.index(self._role)
            moves[own] = (move,) if move in moves[own] else ()
        return moves

    def _all(self, choices: Sequence[_Choices]) -> Iterator[_Joint]:
        for state, moves in choices:
            for joint_move in product(*moves):
                yield state, joint_move

    def _sampled(self, choices: Sequence[_Choices]) -> Iterator[_Joint]:
        possible = [(state, moves) for state, moves in choices if all(moves)]
        for _ in range(MAX_JOINT_MOVES):
            state, moves = self._random.choice(possible)
            yield state, tuple(self._random.choice(of_role) for of_role in moves)
