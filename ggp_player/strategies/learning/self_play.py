"""Games that alpha-beta plays against itself: states labelled with how strong play goes on.

Source: R. Sutton, Learning to predict by the methods of temporal differences (1988); J. Baxter,
A. Tridgell and L. Weaver, Learning to play chess using temporal differences (2000), for values of
searches.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, field
from random import Random

import numpy as np
from numpy.typing import NDArray

from gdl.engine import PropnetStateMachine
from ggp_player.strategies import Choice, Component, Position, component
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.playout_states import Clock, LabelledStates
from ggp_player.strategies.solver import ProofTree

NODES = 500
"""Nodes visited for a move: some tenths of a millisecond."""

OPENING = 12
"""Random moves at the beginning of a game at most."""

BLUNDERS = 0.05
"""The part of later moves that are made at random, for variety."""

MAX_MOVES = 400
"""A game that is longer is given up."""

SEARCHED = 0.3
"""What the value of the next search counts for in the label of a state: 1 less lambda."""

MEASUREMENTS, MEASURED_NODES = 5, 20_000
"""How often the speed of a search is measured, and how many nodes it visits then."""

ENTRIES = 2**18
"""Entries of a transposition table."""


@dataclass(slots=True)
class Game:
    """One game: the states in which moves were searched, and how it ended.

    ``values`` has, for each of them, the role whose value was searched and the value, if there was
    one. ``outcome`` is each role's goal value in hundredths, None for a game that was given up.
    """

    states: list[NDArray[np.uint8]] = field(default_factory=list)
    values: list[tuple[int, float | None]] = field(default_factory=list)
    outcome: tuple[float, float] | None = None

    def labels(self, is_zero_sum: bool) -> NDArray[np.float32]:
        """What the states are worth to each role, float32 (states, 2).

        That is the outcome, mixed with the values of the searches that came after the state: the
        later ones count for less, as in TD(lambda). In a zero-sum game the value for one role says
        what it is for the other.
        """
        expected = np.array(self.outcome, np.float32)
        labels = np.empty((len(self.values), 2), np.float32)
        for number in range(len(self.values) - 1, -1, -1):
            labels[number] = expected
            role, value = self.values[number]
            if value is not None:
                expected[role] += SEARCHED * (0.01 * value - expected[role])
                if is_zero_sum:
                    expected[1 - role] = 1 - expected[role]
        return labels


class SelfPlay:
    """Games of two rivals, who play by the ``evaluations`` of either: the same, or not.

    A move takes so many ``nodes``, for each rival.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        evaluations: tuple[LearnedEvaluation, LearnedEvaluation],
        random: Random,
        nodes: tuple[int, int] = (NODES, NODES),
    ) -> None:
        self._machine = machine
        self._nodes = nodes
        self._random = random
        first, second = (
            ProofTree(machine, machine.roles[role], ENTRIES, None, evaluation.seen_from(role))
            for role, evaluation in enumerate(evaluations)
        )
        self._is_one = evaluations[0] is evaluations[1] and evaluations[0].is_zero_sum
        self._trees = (first, first if self._is_one else second)

    @component(Component.SELF_PLAY)
    def games(
        self, seconds: float, clock: Clock
    ) -> Generator[None, None, tuple[LabelledStates, int]]:
        """Play games for so many seconds; return their states, and how many were finished.

        Yields after each move.
        """
        began, count = clock(), 0
        states = [np.zeros((0, self._machine.engine.layout.fluent_count), np.uint8)]
        labels = [np.zeros((0, 2), np.float32)]
        while clock() - began < seconds:
            game = yield from self.game()
            if game.outcome is not None and game.states:
                states.append(np.array(game.states))
                labels.append(game.labels(self._is_one))
                count += 1
        return LabelledStates(np.concatenate(states), np.concatenate(labels)), count

    def game(self) -> Generator[None, None, Game]:
        """Play one game."""
        machine, random, game = self._machine, self._random, Game()
        state, opening = machine.initial_state(), random.randint(0, OPENING)
        for number in range(MAX_MOVES):
            if machine.is_terminal(state):
                first, second = (machine.goal(state, role) or 0 for role in machine.roles)
                game.outcome = (0.01 * first, 0.01 * second)
                break
            legal = [machine.legal_moves(state, role) for role in machine.roles]
            moves = [random.choice(each) for each in legal]
            mover = max(range(len(legal)), key=lambda role: len(legal[role]))
            is_random = number < opening or random.random() < BLUNDERS
            if len(legal[mover]) > 1 and not is_random:
                position = Position(machine, state, machine.roles[mover], random)
                choice = self._best_choice(position, mover)
                moves[mover] = choice.move
                game.states.append(machine.bits(state).copy())
                game.values.append((0 if self._is_one else mover, choice.value))
            state = machine.next_state(state, tuple(moves))
            yield
        return game

    def _best_choice(self, position: Position, role: int) -> Choice:
        """Search a position by so many nodes."""
        choice = Choice(position.legal_moves[0])
        for found in self._trees[role].search(position, budget=self._nodes[role]):
            choice = found
        return choice


@component(Component.COMPARISON)
def compare_evaluations(
    machine: PropnetStateMachine,
    challenger: LearnedEvaluation,
    champion: LearnedEvaluation,
    random: Random,
    seconds: float,
    clock: Clock,
) -> Generator[None, None, float]:
    """Let two evaluations play games, both seats in turn; return the challenger's share of points.

    Both have as much time for a move: the one that evaluates faster visits more nodes. Yields
    after each move, for so many seconds; an even number of games is played.
    """
    began, points, count = clock(), 0.0, 0
    first, second = NODES, NODES
    if challenger.is_network != champion.is_network:
        first, second = yield from nodes_in_equal_time(
            machine, (challenger, champion), random, clock
        )
    seats = [
        SelfPlay(machine, (challenger, champion), random, (first, second)),
        SelfPlay(machine, (champion, challenger), random, (second, first)),
    ]
    while count == 0 or clock() - began < seconds:
        for seat, games in enumerate(seats):
            game = yield from games.game()
            outcome = game.outcome or (0.5, 0.5)
            points += 0.5 + (outcome[seat] - outcome[1 - seat]) / 2
            count += 1
    return points / count


def nodes_in_equal_time(
    machine: PropnetStateMachine,
    evaluations: tuple[LearnedEvaluation, LearnedEvaluation],
    random: Random,
    clock: Clock,
) -> Generator[None, None, tuple[int, int]]:
    """The nodes that searches by two evaluations visit in equal time: ``NODES`` of the slower one.

    They are measured in turn, and the fastest time of each counts. Yields after each measurement.
    """
    position = Position(machine, machine.initial_state(), machine.roles[0], random)
    times = [math.inf, math.inf]
    for _ in range(MEASUREMENTS):
        for number, evaluation in enumerate(evaluations):
            tree = ProofTree(machine, position.role, ENTRIES, None, evaluation.seen_from(0))
            began = clock()
            for _ in tree.search(position, budget=MEASURED_NODES):
                pass
            times[number] = min(times[number], (clock() - began) / max(1, tree.nodes))
            yield
    slowest = max(times)
    first, second = (round(NODES * slowest / time) if time else NODES for time in times)
    return first, second
