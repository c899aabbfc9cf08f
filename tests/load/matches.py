"""Matches of a player server under our game manager, against a player that answers at once."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import gdl
from gdl.state_machine import RuledMachine
from ggp_player.clock import wall_clock
from ggp_player.manager.players import RemotePlayer
from ggp_player.match_rules import LocalRules
from ggp_player.match_runner.game_manager import GameManager, MatchSetup, MatchStep
from ggp_player.match_runner.players import MatchPlayer
from ggp_player.protocol import MatchRecord, Play, Start, parse_request
from tests.support.server_process import Address


class RandomMover:
    """A player in the game manager's process that moves at random, and at once."""

    name = "random"

    def __init__(self, machine: gdl.StateMachine, seed: int) -> None:
        self._machine = machine
        self._random = Random(seed)
        self._state = machine.initial_state()
        self._role = machine.roles[0]

    async def send(self, text: str) -> str:
        """Follow the match, and choose a legal move."""
        request = parse_request(text)
        if isinstance(request, Start):
            self._role = gdl.Constant(request.role)
            return "ready"
        if not isinstance(request, Play):
            return "done"
        if request.moves:
            self._state = self._machine.next_state(self._state, tuple(request.moves))
        return str(self._random.choice(self._machine.legal_moves(self._state, self._role)))


@dataclass(frozen=True, slots=True)
class Reply:
    """How long a reply of the server's took, and among how many legal moves it chose."""

    seconds: float
    legal_moves: int


@dataclass(frozen=True, slots=True)
class Played:
    """A match; ``ours`` is the place of the server's role."""

    record: MatchRecord
    ours: int
    replies: tuple[Reply, ...]


@dataclass(frozen=True, slots=True)
class Game:
    """A game for two, a player server, and the clocks in seconds."""

    ruleset: gdl.Ruleset
    machine: RuledMachine
    address: Address
    start_clock: int
    play_clock: int

    async def play(self, match_id: str, ours: int, seed: int) -> Played:
        """Play a match, in which the server has the first role, 0, or the second, 1."""
        setup = MatchSetup(
            *(self.ruleset, match_id, self.start_clock, self.play_clock),
            seed=seed,
            start_time=wall_clock(),
        )
        players: list[MatchPlayer] = [
            RemotePlayer(*self.address),
            RandomMover(self.machine, seed),
        ]
        rules, role = LocalRules(self.machine), self.machine.roles[ours]
        seconds: list[float] = []
        legal_moves: list[int] = []

        def on_step(step: MatchStep) -> None:
            seconds.append(step.seconds[ours])
            legal_moves.append(len(self.machine.legal_moves(rules.state, role)))

        seats = players[:: -1 if ours else 1]
        record = await GameManager(setup, rules, seats, on_step).run()
        return Played(record, ours, tuple(map(Reply, seconds[1:], legal_moves)))
