"""Duels: short matches between two searches, with equal CPU time for each move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Protocol

from gdl import State, Term
from gdl.engine import PropnetStateMachine
from gdl.playouts import Ending, play_out
from ggp_player.strategies import Position
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.playout_states import Clock
from ggp_player.strategies.mcts import TreeSearch, best_move
from ggp_player.strategies.solver import ProofTree

OPENING = 4
"""Random moves before a match, the same for both seats."""

STEPS = 8
"""Steps of the tree search's block between two readings of the clock."""

ENTRIES = 2**20
"""Entries of the transposition table in a duel."""


class Duelist(Protocol):
    """Takes part in duels, in either seat."""

    def move(self, state: State, role: int, seconds: float) -> Term:
        """Choose the move of a role that has a choice, within so many seconds of CPU time."""


@dataclass(slots=True)
class Score:
    """The points of a challenger, in hundredths, in so many matches."""

    points: float = 0.0
    matches: int = 0

    @property
    def share(self) -> float:
        """The part of the points that it has won."""
        return self.points / self.matches if self.matches else 0.5


class TreeSearchDuelist:
    """The tree search in duels."""

    def __init__(self, search: TreeSearch, clock: Clock) -> None:
        self._search = search
        self._clock = clock

    def move(self, state: State, role: int, seconds: float) -> Term:
        """Choose the best move."""
        search, began = self._search, self._clock()
        search.set_root(state)
        search.run(1)
        while self._clock() - began < seconds and not search.is_proved:
            search.run(STEPS)
        found, machine = search.moves(role), search.machine
        if not found:
            return machine.legal_moves(state, machine.roles[role])[0]
        return machine.moves[role][best_move(found, search.bounds(role)[0]).index]


class AlphaBetaDuelist:
    """Alpha-beta with a learned evaluation in duels."""

    def __init__(
        self, machine: PropnetStateMachine, evaluation: LearnedEvaluation, clock: Clock
    ) -> None:
        self._machine = machine
        self._trees = [
            ProofTree(machine, role, ENTRIES, None, evaluation.seen_from(number))
            for number, role in enumerate(machine.roles)
        ]
        self._clock = clock

    def move(self, state: State, role: int, seconds: float) -> Term:
        """Choose the best move."""
        began = self._clock()
        position = Position(self._machine, state, self._machine.roles[role], Random(0))
        move = position.legal_moves[0]
        for choice in self._trees[role].search(position):
            move = choice.move
            if self._clock() - began >= seconds:
                break
        return move


def random_position(machine: PropnetStateMachine, random: Random, steps: int) -> State:
    """The state after so many random moves, or before the end if that comes first."""
    playout = play_out(machine, random, steps)
    *_, last = (step.state for step in playout if step.ending is not Ending.TERMINAL)
    return last


def play_pairs(
    machine: PropnetStateMachine,
    challenger: Duelist,
    champion: Duelist,
    random: Random,
    seconds: float,
) -> Iterator[Score]:
    """Play pairs of matches of two roles without end; yield the score after each move.

    Both take either seat from the same opening, with so many seconds for each move.
    """
    score = Score()
    while True:
        opening = random_position(machine, random, random.randint(0, OPENING))
        for seat in range(2):
            players = (challenger, champion) if seat == 0 else (champion, challenger)
            state = opening
            while not machine.is_terminal(state):
                state = _after_move(machine, players, state, seconds)
                yield score
            goals = [machine.goal(state, role) or 0 for role in machine.roles]
            own, other = goals[seat], goals[1 - seat]
            score.points += 0.5 + 0.005 * (own - other)
            score.matches += 1
            yield score


def _after_move(
    machine: PropnetStateMachine, players: tuple[Duelist, Duelist], state: State, seconds: float
) -> State:
    """The state after both have made their moves; who has no choice does not search."""
    moves = []
    for number, (role, player) in enumerate(zip(machine.roles, players, strict=True)):
        legal_moves = machine.legal_moves(state, role)
        if len(legal_moves) == 1:
            moves.append(legal_moves[0])
        else:
            moves.append(player.move(state, number, seconds))
    return machine.next_state(state, tuple(moves))
