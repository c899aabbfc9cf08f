"""Malformed messages by the thousand, to a player server and to a manager that play meanwhile.

Each is a well-formed one that was changed: the bytes of an HTTP request, the expressions of a
message or a rulesheet, or the JSON of a request of the API, which comes with an organiser's token
so that more than the token is read.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random

from ggp_player.manager_service.web.routes import ROUTES
from tests.attack.attacks import Stranger, request
from tests.attack.bystander import Fixture, Outages, Turns, play_matches
from tests.attack.event_scenario import PLAYERS, Organiser, count, tokens_of
from tests.attack.manager_attacks import Rival
from tests.attack.manager_kills import StubProcess
from tests.fuzz import http_inputs, messages
from tests.fuzz.mutators import mutate_expressions, mutate_json
from tests.support.server_process import ServerProcess

AT_A_TIME = 8
"""Messages that are under way side by side."""

SEATS = ("--max-matches", "32", "--idle-limit", "5")
"""Flags of the player's server, as some messages are still well-formed, and begin matches."""

TRACEBACK = "Traceback (most recent call last)"

API = tuple((route.method, route.path) for route in ROUTES if not route.is_stream)

BODIES = tuple(
    json.dumps(body).encode()
    for body in (
        {"address": "127.0.0.1:9", "port": 9, "dialects": ["A"], "versions": {"a": "1"}},
        {"name": "nobody"},
        {"rules": http_inputs.GAME.decode()},
        {"name": "nobody", "role": "player"},
        {
            "name": "malformed",
            "format": "single",
            "games": ["ticTacToe"],
            "players": ["nobody", "noone"],
            "start_clock": 1,
            "play_clock": 1,
            "seed": 1,
        },
    )
)
"""What the API takes, but for names: none is of a player that is there."""


@dataclass
class Found:
    """What became of the turns beside the messages, and how often a log has a traceback."""

    turns: Turns
    tracebacks: int

    @property
    def is_flawless(self) -> bool:
        """Whether nothing was lost, and nothing unexpected happened."""
        return not (self.turns.lost or self.tracebacks)


def attack_player(number: int, seed: int, folder: Path) -> Found:
    """Send so many messages to a player server that plays matches meanwhile."""
    turns = Turns()
    with ServerProcess(folder, "--state-dir", str(folder / "state"), *SEATS) as server:
        stranger = Stranger(server.address[1], seed)
        sending = get_context("spawn").Process(target=send_to_player, args=(stranger, number))
        sending.start()
        games = Fixture(("ticTacToe", "connectFour"))
        play_matches(server.address, games, turns, Outages(), lambda: not sending.is_alive())
        sending.join()
        assert sending.exitcode == 0
        server.stop()
        return Found(turns, server.text.count(TRACEBACK))


def attack_manager(number: int, seed: int, folder: Path) -> Found:
    """Send so many messages to a manager that holds an event meanwhile."""
    turns = Turns()
    database = folder / "manager.sqlite"
    secrets = tokens_of(database)
    flags = ("--database", str(database))
    with (
        ServerProcess(folder, *flags, command="manager", host="0.0.0.0") as server,
        closing(StubProcess(PLAYERS)) as stubs,
    ):
        organiser = Organiser(server, secrets["organiser"])
        event = organiser.begin(stubs.ports)
        rival = Rival(server.address[1], seed, 1.0, **secrets)
        sending = get_context("spawn").Process(target=send_to_manager, args=(rival, number))
        sending.start()
        sending.join()
        assert sending.exitcode == 0
        count(turns, organiser.end(event))
        server.stop()
        return Found(turns, server.text.count(TRACEBACK))


def send_to_player(stranger: Stranger, number: int) -> None:
    """Send so many messages to a player server."""
    random = Random(stranger.seed)
    asyncio.run(_send_all(stranger, [to_player(random) for _ in range(number)]))


def send_to_manager(rival: Rival, number: int) -> None:
    """Send so many messages to a manager."""
    random = Random(rival.seed)
    asyncio.run(_send_all(rival, [to_manager(random, rival.organiser) for _ in range(number)]))


def to_player(random: Random) -> bytes:
    """Make a request to a player: bad HTTP, or a bad message in good HTTP."""
    if random.random() < 0.5:
        return http_inputs.mutate(random.choice(http_inputs.SEEDS)[1:], random)
    return request(mutate_expressions(random.choice(messages.SEEDS), random))


def to_manager(random: Random, token: str) -> bytes:
    """Make a request to a manager: bad HTTP, bad JSON, or a bad rulesheet in good JSON."""
    method, path = random.choice(API)
    body = random.choice(BODIES)
    match random.randrange(4):
        case 0:
            whole = _api_request(method, path, body, token)
            return http_inputs.mutate(whole, random)
        case 1:
            rules = mutate_expressions(http_inputs.GAME, random).decode("utf-8", "replace")
            sent = json.dumps({"rules": rules}).encode()
            return _api_request("PUT", "/api/games/malformed", sent, token)
        case _:
            return _api_request(method, path, mutate_json(body, random), token)


def _api_request(method: str, path: str, body: bytes, token: str) -> bytes:
    path = path.replace("{name}", "nobody").replace("{id}", "99999")
    lines = (
        *(f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}"),
        *("Content-Type: application/json", f"Content-Length: {len(body)}"),
        *("Connection: close", "", ""),
    )
    return "\r\n".join(lines).encode() + body


async def _send_all(stranger: Stranger, requests: list[bytes]) -> None:
    waiting = list(enumerate(requests))

    async def send() -> None:
        while waiting:
            index, data = waiting.pop()
            await stranger.send(data, index, ends=True)

    await asyncio.gather(*(send() for _ in range(AT_A_TIME)))
