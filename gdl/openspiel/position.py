"""Positions: the states of a game, and who decides in them.

In GDL all roles move in every step. In OpenSpiel one player, all players at the same time, or
chance decide. A role *decides* in a state if it has several legal moves. First the players decide,
then chance, without being seen by them; then the joint move is made. Where no role has a choice, it
is the turn of the only role whose move is not idle, see :class:`.description.Description`, as in
the last move on a full board; without one, the step is made at once.

In a game that is to be turn-based, players who decide at the same time do so one after the other;
what they have chosen is hidden until the step is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias

import numpy as np

from gdl.language import Term
from gdl.openspiel.description import Description
from gdl.state_machine import State

CHANCE: Final = -1
SIMULTANEOUS: Final = -2
TERMINAL: Final = -4
"""What stands for a player's number, as in ``pyspiel.PlayerId``."""

Chosen: TypeAlias = tuple[Term | None, ...]
"""The moves of this step by role, as far as they are decided; None for the others."""

Memory: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""What a player remembers, step by step: its own move, and what it saw, or what all have done."""


class OpenSpielPosition:
    """A state, the decisions that this step has had so far, and what each player remembers.

    Immutable, so that copies are the same object.
    """

    def __init__(
        self,
        game: Description,
        state: State,
        step: int,
        memories: tuple[Memory, ...],
        chosen: Chosen | None = None,
    ) -> None:
        self.game = game
        self.state = state
        self.step = step
        self.memories = memories
        self.chosen: Chosen = chosen or (None,) * len(game.machine.roles)

    def __deepcopy__(self, memo: object) -> OpenSpielPosition:
        return self

    def __reduce__(self) -> tuple[Callable[..., OpenSpielPosition], tuple[Any, ...]]:
        bits = np.packbits(self.game.machine.bits(self.state)).tobytes()
        return _restored, (self.game, bits, self.step, self.memories, self.chosen)

    # ------------------------------------------------------------------ who decides

    @cached_property
    def legal(self) -> tuple[tuple[Term, ...], ...]:
        """The legal moves of all roles."""
        machine = self.game.machine
        return tuple(machine.legal_moves(self.state, role) for role in machine.roles)

    @cached_property
    def is_over(self) -> bool:
        """Whether the match has ended, was cut off, or cannot go on."""
        is_terminal = self.game.machine.is_terminal(self.state)
        return is_terminal or self.step >= self.game.options.max_steps or not all(self.legal)

    @cached_property
    def deciding(self) -> tuple[int, ...]:
        """The roles that are still to decide in this step, by their numbers."""
        if self.is_over:
            return ()
        roles = [role for role, moves in enumerate(self.legal) if len(moves) > 1]
        if not roles:
            pairs = zip(self.legal, self.game.idle, strict=True)
            busy = [role for role, ((only,), idle) in enumerate(pairs) if only not in idle]
            roles = busy if len(busy) == 1 else []
        return tuple(role for role in roles if self.chosen[role] is None)

    @cached_property
    def player(self) -> int:
        """The number of the player who decides, or what stands for several, chance or the end."""
        if self.is_over:
            return TERMINAL
        players = [role for role in self.deciding if role != self.game.chance]
        if not players:
            return CHANCE
        if len(players) > 1 and not self.game.in_turn:
            return SIMULTANEOUS
        return self.game.players.index(players[0])

    def legal_actions(self, player: int) -> list[int]:
        """The numbers of a player's legal moves, in ascending order."""
        numbers = self.game.number_of
        return sorted(numbers[move] for move in self.legal[self.game.players[player]])

    def outcomes(self) -> list[tuple[int, float]]:
        """The numbers of the moves of chance, with their probabilities."""
        chance = self.game.chance
        legal = set(() if chance is None else self.legal[chance])
        numbers = [i for i, move in enumerate(self.game.outcomes) if move in legal]
        return [(number, 1 / len(numbers)) for number in numbers]

    def returns(self) -> list[float]:
        """The utilities of the players; 0 before the end, and where a match was cut off."""
        machine = self.game.machine
        if not machine.is_terminal(self.state):
            return [0.0] * len(self.game.players)
        goals = (machine.goal(self.state, machine.roles[role]) for role in self.game.players)
        return [self.game.utility(goal) for goal in goals]

    # ------------------------------------------------------------------ decisions

    def after(self, decisions: Mapping[int, Term]) -> OpenSpielPosition:
        """The position after decisions of some roles, by their numbers."""
        chosen = tuple(decisions.get(role, move) for role, move in enumerate(self.chosen))
        game, state = self.game, self.state
        return OpenSpielPosition(game, state, self.step, self.memories, chosen)._settled()

    def after_action(self, action: int) -> OpenSpielPosition:
        """The position after an action of the player who decides, or of chance."""
        if self.player == CHANCE:
            assert self.game.chance is not None
            return self.after({self.game.chance: self.game.outcomes[action]})
        return self.after({self.game.players[self.player]: self.game.actions[action]})

    def after_actions(self, actions: Sequence[int]) -> OpenSpielPosition:
        """The position after an action of every player."""
        pairs = zip(self.game.players, actions, strict=True)
        return self.after({role: self.game.actions[action] for role, action in pairs})

    def _settled(self) -> OpenSpielPosition:
        """Make steps until somebody is to decide or the match is over."""
        position = self
        while not position.is_over and not position.deciding:
            position = position._stepped()
        return position

    def _stepped(self) -> OpenSpielPosition:
        pairs = zip(self.chosen, self.legal, strict=True)
        joint_move = [moves[0] if chosen is None else chosen for chosen, moves in pairs]
        after = self.game.machine.next_state(self.state, joint_move)
        memories = tuple(
            (*memory, self._impression(role, joint_move))
            for role, memory in zip(self.game.players, self.memories, strict=True)
        )
        return OpenSpielPosition(self.game, after, self.step + 1, memories)

    def _impression(self, role: int, joint_move: Sequence[Term]) -> tuple[str, tuple[str, ...]]:
        """What a role remembers of a step: percepts, or all moves where nothing is hidden."""
        machine = self.game.machine
        own = str(joint_move[role])
        if not self.game.has_percepts:
            return own, tuple(map(str, joint_move))
        seen = machine.percepts(self.state, joint_move, machine.roles[role])
        return own, tuple(map(str, seen))

    def own_choice(self, player: int) -> str:
        """What a player has decided in this step, empty if nothing."""
        chosen = self.chosen[self.game.players[player]]
        return "" if chosen is None else str(chosen)

    def __str__(self) -> str:
        facts = " ".join(sorted(map(str, self.state)))
        made = " ".join("?" if move is None else str(move) for move in self.chosen)
        return f"{facts} / {made}" if any(self.chosen) else facts


@lru_cache(maxsize=64)
def first_position(game: Description) -> OpenSpielPosition:
    """The position in which a match begins, made once, as OpenSpiel asks for it in each copy."""
    memories: tuple[Memory, ...] = ((),) * len(game.players)
    return OpenSpielPosition(game, game.machine.initial_state(), 0, memories)._settled()


def _restored(
    game: Description, bits: bytes, step: int, memories: tuple[Memory, ...], chosen: Chosen
) -> OpenSpielPosition:
    """Make a position of what was pickled."""
    packed = np.frombuffer(bits, dtype=np.uint8)
    unpacked = np.unpackbits(packed, count=len(game.machine.facts))
    return OpenSpielPosition(game, game.machine.state(unpacked), step, memories, chosen)
