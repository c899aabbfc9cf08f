"""Duels: short matches between two settings of the search, with equal CPU time for each move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from gdl import State
from ggp_player.strategies.learning.self_play import (
    Clock,
    best_moves,
    random_position,
    search_for,
)
from ggp_player.strategies.mcts import TreeSearch

OPENING = 2
"""Random moves before a match, the same for both seats."""


@dataclass(slots=True)
class Score:
    """The points of a challenger, in hundredths, in so many matches."""

    points: float = 0.0
    matches: int = 0

    @property
    def share(self) -> float:
        """The part of the points that it has won."""
        return self.points / self.matches if self.matches else 0.5


def play_pairs(
    challenger: TreeSearch, champion: TreeSearch, random: Random, seconds: float, clock: Clock
) -> Iterator[Score]:
    """Play pairs of matches without end; yield the score after each move.

    Both take either seat from the same opening, with so many seconds for each move.
    """
    machine, score = challenger.machine, Score()
    while True:
        opening = random_position(machine, random, OPENING)
        for seat in range(2):
            players = (challenger, champion) if seat == 0 else (champion, challenger)
            state = opening
            while not machine.is_terminal(state):
                state = _after_move(players, state, seconds, clock)
                yield score
            goals = [machine.goal(state, role) or 0 for role in machine.roles]
            own, other = goals[seat], goals[1 - seat]
            score.points += 0.5 + 0.005 * (own - other)
            score.matches += 1
            yield score


def _after_move(
    players: tuple[TreeSearch, TreeSearch], state: State, seconds: float, clock: Clock
) -> State:
    """The state after both have made their moves; who has no choice does not search."""
    machine = players[0].machine
    moves = []
    for number, (role, player) in enumerate(zip(machine.roles, players, strict=True)):
        legal_moves = machine.legal_moves(state, role)
        if len(legal_moves) == 1:
            moves.append(legal_moves[0])
        else:
            search_for(player, state, seconds, clock)
            moves.append(best_moves(player, state)[number])
    return machine.next_state(state, tuple(moves))
