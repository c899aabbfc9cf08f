"""What a game written in plain Python offers, so that it can be compared with its rulesheet.

The games in this package know nothing of GDL: they follow the comment at the head of a rulesheet,
not its rules. Moves are the texts of the rulesheet's moves, ``"(put b2)"``, so that both can play
the same match side by side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import Generic, TypeVar

S = TypeVar("S", bound=Hashable)

NOOP = "noop"


class Game(ABC, Generic[S]):
    """A game whose roles move at the same time, or pretend to."""

    roles: tuple[str, ...]

    @abstractmethod
    def start(self) -> S:
        """Return the state in which a match begins."""

    @abstractmethod
    def moves(self, state: S) -> tuple[Sequence[str], ...]:
        """Return the legal moves of each role, in the order of the roles."""

    @abstractmethod
    def after(self, state: S, joint: tuple[str, ...]) -> S:
        """Return the state after a joint move."""

    @abstractmethod
    def result(self, state: S) -> tuple[int, ...] | None:
        """Return the goal value of each role at the end, None while the match goes on."""

    def percepts(self, state: S, joint: tuple[str, ...]) -> tuple[frozenset[str], ...]:
        """Return what each role sees of a joint move; nothing where the rules say nothing."""
        return tuple(frozenset() for _ in self.roles)


class TurnGame(Game[S]):
    """A game whose roles move in turn; those who wait have the move ``noop``."""

    @abstractmethod
    def mover(self, state: S) -> int:
        """Return the index of the role whose turn it is."""

    @abstractmethod
    def choices(self, state: S) -> Sequence[str]:
        """Return the legal moves of the role whose turn it is."""

    @abstractmethod
    def play(self, state: S, move: str) -> S:
        """Return the state after a move of the role whose turn it is."""

    def moves(self, state: S) -> tuple[Sequence[str], ...]:
        """Return the choices of the mover, and ``noop`` for everybody else."""
        mover, choices = self.mover(state), self.choices(state)
        return tuple(choices if i == mover else (NOOP,) for i in range(len(self.roles)))

    def after(self, state: S, joint: tuple[str, ...]) -> S:
        """Return the state after the mover's part of the joint move."""
        return self.play(state, joint[self.mover(state)])


class Puzzle(TurnGame[S]):
    """A game for one role."""

    def mover(self, state: S) -> int:
        """Return 0, the only role."""
        return 0


def words(move: str) -> list[str]:
    """Return the words of a move: ``"(put b2)"`` gives ``["put", "b2"]``."""
    return move.strip("()").split()


def numbers(move: str) -> list[int]:
    """Return the numbers in a move: ``"(place 3 4)"`` gives ``[3, 4]``."""
    return [int(word) for word in words(move)[1:]]


def joint_moves(game: Game[S], state: S) -> Iterator[tuple[str, ...]]:
    """Yield every joint move of a state that is not the end of the match."""
    return product(*game.moves(state))


def perft(game: Game[S], depth: int) -> int:
    """Return the number of joint-move paths of exactly ``depth`` steps from the start.

    States met again at the same depth are counted once and looked up.
    """
    known: dict[tuple[S, int], int] = {}

    def paths(state: S, left: int) -> int:
        if left == 0:
            return 1
        if (state, left) in known:
            return known[state, left]
        if game.result(state) is not None:
            count = 0
        elif left == 1:
            count = 1
            for moves in game.moves(state):
                count *= len(moves)
        else:
            count = sum(
                paths(game.after(state, joint), left - 1) for joint in joint_moves(game, state)
            )
        known[state, left] = count
        return count

    return paths(game.start(), depth)
