"""Moves to guess from where no worker has told what is legal in this turn.

The server itself remembers what the workers have told: a move that the rules state as always legal,
and our legal moves of the last turns. So a guess is legal, or likely to be, even where all workers
are stopped or dead.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

LAST_RESORT = "noop"
"""The move when nothing is known: the likeliest guess in an unknown game."""

MAX_MOVES = 1000
"""The most legal moves of a turn that are remembered."""

MAX_TURNS = 16
"""The most turns that are remembered: two rounds of the largest games."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A move that may be legal, and why."""

    move: str
    reason: str


class KnownMoves:
    """What is known of our legal moves of earlier turns."""

    def __init__(self) -> None:
        self.always_legal = ""
        self._made: deque[str] = deque(maxlen=MAX_TURNS)
        self._turns: deque[tuple[int, tuple[str, ...]]] = deque(maxlen=MAX_TURNS)

    def remember(self, turn: int, legal_moves: Sequence[str]) -> None:
        """Note our legal moves of a turn."""
        if legal_moves:
            self._turns.append((turn, tuple(legal_moves[:MAX_MOVES])))

    def made(self, move: str) -> None:
        """Note a move of ours, which may not be legal again."""
        self._made.append(move)

    def guess(self, turn: int, roles: int) -> Guess:
        """Return the likeliest move of a turn in a game of so many roles.

        Where roles move in turn, we can do the most like we could a round ago. Of these moves one
        that was there in each such turn comes first, and what we have made comes last.
        """
        if self.always_legal:
            return Guess(self.always_legal, "always legal")
        rounds = [moves for at, moves in self._turns if (turn - at) % max(1, roles) == 0]
        if not rounds:
            rounds = [moves for _, moves in self._turns]
        if not rounds:
            return Guess(LAST_RESORT, "a guess")
        newest, *older = reversed(rounds)
        order = sorted(
            newest, key=lambda move: (move in self._made, -sum(move in old for old in older))
        )
        return Guess(order[0], "legal in an earlier turn")
