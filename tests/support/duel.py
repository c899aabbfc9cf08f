"""Duels: two strategies in both seats of a game, with a limit of CPU time for each move.

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
"""Choices that each player yields before the first move, at least."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """A player's seconds of CPU time: before the first move, and for each move."""

    start: float
    play: float


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


def duel(
    game: str,
    specs: tuple[str, str],
    rounds: int,
    clocks: tuple[Clocks, Clocks],
    opening: int = 0,
) -> Score:
    """Play two strategies against each other, both ways in each round, which seeds ``random``.

    The first ``opening`` moves of each match are made at random, and are the same both ways.
    """
    machine = gdl.compile(gdl.load(GAMES / f"{game}.kif"))
    machine.warm_up()
    points = [0, 0]
    for number in range(rounds):
        for order in ((0, 1), (1, 0)):
            seats = [(create(specs[player]), clocks[player]) for player in order]
            _prepare(machine, seats)
            goals = _match(machine, seats, Random(f"{game} {number}"), opening)
            for player, goal in zip(order, goals, strict=True):
                points[player] += goal
    return Score(points[0] / (2 * rounds), points[1] / (2 * rounds), 2 * rounds)


def _prepare(machine: PropnetStateMachine, seats: Sequence[tuple[Strategy, Clocks]]) -> None:
    """Let the players compile, allocate and learn what they need, as in the start clock."""
    roles = [role for role in machine.roles if role.name != "random"]
    state = machine.initial_state()
    for (player, clocks), role in zip(seats, roles, strict=True):
        began = process_time()
        choices = player.search(Position(machine, state, role, Random(0)))
        for _ in range(PREPARING):
            next(choices, None)
        while process_time() - began < clocks.start and next(choices, None) is not None:
            pass


def _match(
    machine: PropnetStateMachine,
    players: Sequence[tuple[Strategy, Clocks]],
    random: Random,
    opening: int,
) -> list[int]:
    """Play a match; return the goal values of the roles that do not move by chance."""
    seats = [role for role in machine.roles if role.name != "random"]
    state, step = machine.initial_state(), 0
    while not machine.is_terminal(state):
        step += 1
        joint_move: list[Term] = []
        for role in machine.roles:
            legal = machine.legal_moves(state, role)
            if len(legal) == 1 or role not in seats or step <= opening:
                joint_move.append(random.choice(legal))
                continue
            position = Position(machine, state, role, Random(random.random()))
            player, clocks = players[seats.index(role)]
            joint_move.append(chosen_move(player, position, clocks.play))
        state = machine.next_state(state, joint_move)
    return [machine.goal(state, role) or 0 for role in seats]


def chosen_move(strategy: Strategy, position: Position, seconds: float) -> Term:
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
