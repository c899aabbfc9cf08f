"""Games that alpha-beta plays against itself: states labelled with how strong play ends."""

from __future__ import annotations

from collections.abc import Generator
from random import Random

import numpy as np
from numpy.typing import NDArray

from gdl import Term
from gdl.engine import PropnetStateMachine
from ggp_player.strategies import Position
from ggp_player.strategies.learning.logistic_regression import Weights
from ggp_player.strategies.learning.playout_states import Clock, LabelledStates
from ggp_player.strategies.solver import MAX_DEPTH, ProofTree, StateEvaluation

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
    """Games of two roles with evaluations of the same kind.

    ``weights`` are those of either role, logits that the first role wins: the same for both where
    it plays against itself.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        weights: tuple[Weights, Weights],
        swing: int,
        random: Random,
    ) -> None:
        self._machine = machine
        self._random = random
        first, second = (StateEvaluation(each, swing) for each in weights)
        role = machine.roles[0]
        tree = ProofTree(machine, role, ENTRIES, None, first)
        is_same = weights[0] is weights[1]
        self._trees = [tree, tree if is_same else ProofTree(machine, role, ENTRIES, None, second)]

    def games(
        self, seconds: float, clock: Clock
    ) -> Generator[None, None, tuple[LabelledStates, int]]:
        """Play games for so many seconds; return their states, and how many were finished.

        Yields after each move.
        """
        began, count = clock(), 0
        states = [np.zeros((0, self._machine.engine.layout.fluent_count), np.uint8)]
        outcomes = [np.zeros(0, np.float32)]
        while clock() - began < seconds:
            found, outcome = yield from self.game()
            if outcome is not None and len(found):
                states.append(found)
                outcomes.append(np.full(len(found), outcome, np.float32))
                count += 1
        return LabelledStates(np.concatenate(states), np.concatenate(outcomes)), count

    def game(self) -> Generator[None, None, tuple[NDArray[np.uint8], float | None]]:
        """Play one game; return the states in which moves were searched, and the outcome.

        The outcome is the first role's goal value in hundredths, None for a game that was given up.
        """
        machine, random = self._machine, self._random
        state, opening = machine.initial_state(), random.randint(0, OPENING)
        found: list[NDArray[np.uint8]] = []
        for number in range(MAX_MOVES):
            if machine.is_terminal(state):
                goal = machine.goal(state, machine.roles[0]) or 0
                return np.array(found, np.uint8), 0.01 * goal
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
        tree, move = self._trees[role], position.legal_moves[0]
        tree.start(position)
        depth = 0
        while depth < MAX_DEPTH and tree.nodes < NODES and not tree.proved and not tree.problem:
            depth += 1
            for _ in tree.deepen(depth, NODES):
                if tree.has_choice:
                    move = tree.choice(move).move
        return move


def compare_weights(
    machine: PropnetStateMachine,
    challenger: Weights,
    champion: Weights,
    swing: int,
    random: Random,
    seconds: float,
    clock: Clock,
) -> Generator[None, None, float]:
    """Let two evaluations play games, both seats in turn; return the challenger's share of points.

    Yields after each move, for so many seconds; an even number of games is played.
    """
    began, points, count = clock(), 0.0, 0
    seats = [
        SelfPlay(machine, weights, swing, random)
        for weights in ((challenger, champion), (champion, challenger))
    ]
    while count == 0 or clock() - began < seconds:
        for seat, games in enumerate(seats):
            _, outcome = yield from games.game()
            outcome = 0.5 if outcome is None else outcome
            points += outcome if seat == 0 else 1 - outcome
            count += 1
    return points / count
