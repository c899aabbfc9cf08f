"""Games that alpha-beta plays against itself: states labelled with how strong play ends."""

from __future__ import annotations

from collections.abc import Generator
from random import Random

import numpy as np
from numpy.typing import NDArray

from gdl import Term
from gdl.engine import PropnetStateMachine
from ggp_player.strategies import Position
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.playout_states import Clock, LabelledStates
from ggp_player.strategies.solver import ProofTree

NODES = 1500
"""Nodes visited for a move: about a thousandth of a second."""

OPENING = 12
"""Random moves at the beginning of a game at most."""

BLUNDERS = 0.05
"""The part of later moves that are made at random, for variety."""

MAX_MOVES = 400
"""A game that is longer is given up."""

ENTRIES = 2**18
"""Entries of a transposition table."""


class SelfPlay:
    """Games of two rivals, who play by the ``evaluations`` of either: the same, or not.

    A move takes so many ``nodes``.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        evaluations: tuple[LearnedEvaluation, LearnedEvaluation],
        random: Random,
        nodes: int = NODES,
    ) -> None:
        self._machine = machine
        self._nodes = nodes
        self._random = random
        first, second = (
            ProofTree(machine, machine.roles[role], ENTRIES, None, evaluation.seen_from(role))
            for role, evaluation in enumerate(evaluations)
        )
        is_one = evaluations[0] is evaluations[1] and evaluations[0].is_zero_sum
        self._trees = (first, first if is_one else second)

    def games(
        self, seconds: float, clock: Clock
    ) -> Generator[None, None, tuple[LabelledStates, int]]:
        """Play games for so many seconds; return their states, and how many were finished.

        Yields after each move.
        """
        began, count = clock(), 0
        states = [np.zeros((0, self._machine.engine.layout.fluent_count), np.uint8)]
        outcomes = [np.zeros((0, 2), np.float32)]
        while clock() - began < seconds:
            found, outcome = yield from self.game()
            if outcome is not None and len(found):
                states.append(found)
                outcomes.append(np.tile(np.array(outcome, np.float32), (len(found), 1)))
                count += 1
        return LabelledStates(np.concatenate(states), np.concatenate(outcomes)), count

    def game(self) -> Generator[None, None, tuple[NDArray[np.uint8], tuple[float, ...] | None]]:
        """Play one game; return the states in which moves were searched, and the outcome.

        That is each role's goal value in hundredths, None for a game that was given up.
        """
        machine, random = self._machine, self._random
        state, opening = machine.initial_state(), random.randint(0, OPENING)
        found: list[NDArray[np.uint8]] = []
        for number in range(MAX_MOVES):
            if machine.is_terminal(state):
                goals = [machine.goal(state, role) or 0 for role in machine.roles]
                return np.array(found, np.uint8), tuple(0.01 * goal for goal in goals)
            legal = [machine.legal_moves(state, role) for role in machine.roles]
            moves = [random.choice(each) for each in legal]
            mover = max(range(len(legal)), key=lambda role: len(legal[role]))
            is_random = number < opening or random.random() < BLUNDERS
            if len(legal[mover]) > 1 and not is_random:
                found.append(machine.bits(state).copy())
                position = Position(machine, state, machine.roles[mover], random)
                moves[mover] = self._best_move(position, mover)
            state = machine.next_state(state, tuple(moves))
            yield
        return np.array(found, np.uint8), None

    def _best_move(self, position: Position, role: int) -> Term:
        """Search a position by so many nodes, and return the best move."""
        move = position.legal_moves[0]
        for choice in self._trees[role].search(position, budget=self._nodes):
            move = choice.move
        return move


def compare_evaluations(
    machine: PropnetStateMachine,
    challenger: LearnedEvaluation,
    champion: LearnedEvaluation,
    random: Random,
    seconds: float,
    clock: Clock,
) -> Generator[None, None, float]:
    """Let two evaluations play games, both seats in turn; return the challenger's share of points.

    Yields after each move, for so many seconds; an even number of games is played.
    """
    began, points, count = clock(), 0.0, 0
    seats = [
        SelfPlay(machine, evaluations, random)
        for evaluations in ((challenger, champion), (champion, challenger))
    ]
    while count == 0 or clock() - began < seconds:
        for seat, games in enumerate(seats):
            _, outcome = yield from games.game()
            if outcome is None:
                outcome = (0.5, 0.5)
            points += 0.5 + (outcome[seat] - outcome[1 - seat]) / 2
            count += 1
    return points / count
