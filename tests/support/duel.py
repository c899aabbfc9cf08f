"""Duels: two strategies in both seats of a game, with equal CPU time for each move.

Only the searches run: no protocol, no processes, no wall-clock time. Many more matches fit into an
hour than in a tournament, and other work on the machine matters little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from time import process_time

import gdl
from gdl import Term
from gdl.engine.machine import PropnetStateMachine
from ggp_player.strategies import Position, Strategy
from ggp_player.strategies.selection.registry import create
from tests.support.paths import GAMES

PREPARING = 3
"""Choices that each player yields before the first move."""


@dataclass(frozen=True, slots=True)
class Score:
    """The mean goal values of two strategies in ``matches`` matches."""

    first: float
    second: float
    matches: int

    @property
    def share(self) -> float:
        """The first strategy's share of all points, in percent."""
        total = self.first + self.second
        return 100 * self.first / total if total else 50.0


def duel(game: str, specs: tuple[str, str], rounds: int, seconds: float) -> Score:
    """Play two strategies against each other, both ways in each round, which seeds ``random``."""
    machine = gdl.compile(gdl.load(GAMES / f"{game}.kif"))
    machine.warm_up()
    points = [0, 0]
    for number in range(rounds):
        for swapped in (False, True):
            players = [create(spec) for spec in (reversed(specs) if swapped else specs)]
            _prepare(machine, players)
            goals = _match(machine, players, Random(f"{game} {number}"), seconds)
            for player, goal in enumerate(reversed(goals) if swapped else goals):
                points[player] += goal
    return Score(points[0] / (2 * rounds), points[1] / (2 * rounds), 2 * rounds)


def _prepare(machine: PropnetStateMachine, players: Sequence[Strategy]) -> None:
    """Let the players compile and allocate what they need, as in the start clock."""
    seats = [role for role in machine.roles if role.name != "random"]
    state = machine.initial_state()
    for player, role in zip(players, seats, strict=True):
        choices = player.search(Position(machine, state, role, Random(0)))
        for _ in range(PREPARING):
            next(choices, None)


def _match(
    machine: PropnetStateMachine, players: Sequence[Strategy], random: Random, seconds: float
) -> list[int]:
    """Play a match; return the goal values of the roles that do not move by chance."""
    seats = [role for role in machine.roles if role.name != "random"]
    state = machine.initial_state()
    while not machine.is_terminal(state):
        joint_move: list[Term] = []
        for role in machine.roles:
            legal = machine.legal_moves(state, role)
            if len(legal) == 1 or role not in seats:
                joint_move.append(random.choice(legal))
                continue
            position = Position(machine, state, role, Random(random.random()))
            joint_move.append(_chosen_move(players[seats.index(role)], position, seconds))
        state = machine.next_state(state, joint_move)
    return [machine.goal(state, role) or 0 for role in seats]


def _chosen_move(strategy: Strategy, position: Position, seconds: float) -> Term:
    """The last choice within so many seconds of CPU time."""
    began = process_time()
    choices = strategy.search(position)
    choice = next(choices)
    while not choice.proved and process_time() - began < seconds:
        following = next(choices, None)
        if following is None:
            break
        choice = following
    return choice.move
