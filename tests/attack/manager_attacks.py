"""What strangers and rivals do to the manager of an event, each in a process of its own.

They hold the token of a player, or none; those that an organiser has let in by mistake ask with the
organiser's. An attack that reaches what it is after ends with an error, which the scenario reports.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from random import Random
from typing import Any

import aiohttp

from ggp_player.manager_service.web.routes import ROUTES
from tests.attack.attacks import Attack, Stranger, hold, request, send_made
from tests.fuzz import http_inputs
from tests.fuzz.mutators import mutate_expressions, mutate_json
from tests.support.stub_players import read_request

FLOODERS = 40
"""Players that never come to their reply."""

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000

WIDE_STATES = (
    "(role left) (role right) (init (step 0)) (<= (legal ?r go) (role ?r))"
    "(<= (next (step 1)) (true (step 0))) (<= (next (step 0)) (true (step 1)))"
    "(<= (next (wide ?x ?y ?z)) (d ?x) (d ?y) (d ?z))"
    "(<= terminal (true (step 2))) (<= (goal ?r 50) (role ?r))"
)
"""Rules whose match has no end, and as many facts in each state as there are cubes of ``d``."""

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

TAKEN_NAME = "manager: a name that has expired"

LIFETIME = 5
"""Seconds of the registration that expires: as few as the manager takes."""

IDLE = 5000
"""Idle connections: more than the files that the manager may open."""


@dataclass(frozen=True)
class Rival(Stranger):
    """Whoever attacks the manager at a port, with the secrets of three tokens, one of a victim."""

    player: str = ""
    organiser: str = ""
    victim: str = ""

    async def ask(
        self, method: str, path: str, sent: object = None, token: str = ""
    ) -> tuple[int, Any]:
        """Make a request of the API; return the status, 0 for none, and the JSON of the answer."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = f"http://127.0.0.1:{self.port}{path}"
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(5)) as session,
                session.request(method, url, json=sent, headers=headers) as answer,
            ):
                return answer.status, await answer.json(content_type=None)
        except (OSError, aiohttp.ClientError, TimeoutError, ValueError):
            return 0, None


Run = Callable[[Rival], Awaitable[None]]

MANAGER_ATTACKS: dict[str, Attack[Rival]] = {}


def manager_attack(name: str) -> Callable[[Run], Run]:
    """Register an attack on the manager, which is known to bear it without a loss."""

    def register(run: Run) -> Run:
        MANAGER_ATTACKS[name] = Attack(name, run, holds=True)
        return run

    return register


@manager_attack("manager: idle connections")
async def _idle(rival: Rival) -> None:
    await hold(rival, b"", rival.times(IDLE))


@manager_attack("manager: half-sent heads")
async def _half_heads(rival: Rival) -> None:
    await hold(rival, b"PUT /api/players/rival HTTP/1.1\r\nContent-Le", rival.times(IDLE))


@manager_attack("manager: garbage")
async def _garbage(rival: Rival) -> None:
    """Send what is no HTTP, no JSON, or not what the API expects, in turns."""
    random = Random(rival.seed)
    for index in range(rival.times(20)):
        body = random.choice([random.randbytes(1000), b"[" * 50_000, b'{"rules": "((("}'])
        await rival.send(random.choice([body, request(body)]), index)
        await rival.ask("PUT", "/api/games/garbage", json.dumps("("), rival.organiser)
        await rival.ask("POST", "/api/events", {"name": index}, rival.organiser)
        await asyncio.sleep(0)


@manager_attack("manager: malformed messages")
async def _malformed(rival: Rival) -> None:
    """Send requests of the API in which something was changed: their bytes, JSON, or rulesheet.

    They come with an organiser's token, so that more than the token is read.
    """

    def make(random: Random) -> bytes:
        (method, path), body = random.choice(API), random.choice(BODIES)
        match random.randrange(4):
            case 0:
                return http_inputs.mutate(_api_request(rival, method, path, body), random)
            case 1:
                rules = mutate_expressions(http_inputs.GAME, random).decode("utf-8", "replace")
                sent = json.dumps({"rules": rules}).encode()
                return _api_request(rival, "PUT", "/api/games/malformed", sent)
            case _:
                return _api_request(rival, method, path, mutate_json(body, random))

    await send_made(rival, make)


def _api_request(rival: Rival, method: str, path: str, body: bytes) -> bytes:
    path = path.replace("{name}", "nobody").replace("{id}", "99999")
    lines = (
        *(
            f"{method} {path} HTTP/1.1",
            "Host: 127.0.0.1",
            f"Authorization: Bearer {rival.organiser}",
        ),
        *("Content-Type: application/json", f"Content-Length: {len(body)}"),
        *("Connection: close", "", ""),
    )
    return "\r\n".join(lines).encode() + body


Answer = Callable[[str, asyncio.StreamWriter], Awaitable[None]]


@manager_attack("manager: endless 100 Continue")
async def _continue(rival: Rival) -> None:
    """Let players that an organiser has let in play each other, and never come to a reply."""

    async def answer(text: str, writer: asyncio.StreamWriter) -> None:
        if "INFO" in text:
            writer.write(b"HTTP/1.0 200 OK\r\n\r\n( ( status available ) )")
            return
        while True:
            writer.write(CONTINUE)
            await writer.drain()

    async with _players(rival, "flood", rival.times(FLOODERS), answer) as names:
        while True:
            await _event(rival, "ticTacToe", "swiss", names)


@manager_attack("manager: wide states")
async def _wide(rival: Rival) -> None:
    """Hold a match in which every state has 64,000 facts."""

    async def answer(text: str, writer: asyncio.StreamWriter) -> None:
        status = "( ( status available ) )" if "INFO" in text else "go"
        writer.write(f"HTTP/1.0 200 OK\r\n\r\n{status}".encode())

    facts = " ".join(f"(d {number})" for number in range(rival.times(40)))
    rules = {"rules": f"{WIDE_STATES} {facts}"}
    async with _players(rival, "wide", 2, answer) as names:
        await rival.ask("PUT", "/api/games/wide", rules, rival.organiser)
        while True:
            await _event(rival, "wide", "single", names)


@manager_attack(TAKEN_NAME)
async def _take(rival: Rival) -> None:
    """Take the name of a team whose registration has expired."""
    path, body = "/api/players/team", {"address": "127.0.0.1:1", "lifetime": LIFETIME}
    registered, _ = await rival.ask("PUT", path, body, rival.victim)
    assert registered == HTTPStatus.OK
    while (shown := (await rival.ask("GET", path, token=rival.player))[0]) == HTTPStatus.OK:
        refused, _ = await rival.ask("PUT", path, body, rival.player)
        assert refused == HTTPStatus.FORBIDDEN, "a name that was registered is taken"
        await asyncio.sleep(0.1)
    assert shown == HTTPStatus.NOT_FOUND
    refused, _ = await rival.ask("PUT", path, body, rival.player)
    assert refused == HTTPStatus.FORBIDDEN, "a name whose registration has expired is taken"


@manager_attack("manager: cards of a match")
async def _spy(rival: Rival) -> None:
    """Look for the deal, and for the seed that it follows from, while a match is played."""

    async def answer(text: str, writer: asyncio.StreamWriter) -> None:
        status = "( ( status available ) )" if "INFO" in text else "noop"
        writer.write(f"HTTP/1.0 200 OK\r\n\r\n{status}".encode())

    async with (
        _players(rival, "card", 2, answer) as names,
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(None)) as session,
        session.get(f"http://127.0.0.1:{rival.port}/api/news") as news,
    ):
        while True:
            event = asyncio.create_task(_event(rival, "kuhnPoker", "single", names))
            await _watch(rival, news)
            await event


async def _watch(rival: Rival, news: aiohttp.ClientResponse) -> None:
    """Follow the news, and ask for the match, until it is over."""
    match = 0
    async for line in news.content:
        item = json.loads(line.removeprefix(b"data: ")) if line.startswith(b"data: ") else {}
        if item.get("kind") == "match_started" and item["match_id"].startswith("kuhnPoker"):
            match = item["match"]
        if not match or item.get("match") != match:
            continue
        if item["kind"] == "match_ended":
            return
        assert "moves" not in item, "the news tell a deal before the match is over"
        _, shown = await rival.ask("GET", f"/api/matches/{match}")
        is_over = not shown or shown["status"] != "running"
        assert is_over or shown["seed"] is None, "a seed is shown before the match is over"


@manager_attack("manager: pages of other sites")
async def _other_site(rival: Rival) -> None:
    """Have the browser of somebody who is not here ask for what only the person's page asks for."""
    await rival.ask("POST", "/api/people", {"name": "person"}, rival.victim)
    headers = {"Authorization": f"Bearer {rival.victim}", "Sec-Fetch-Site": "cross-site"}
    url = f"http://127.0.0.1:{rival.port}/people/person/events"
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(5)) as session:
        for more in ({"Sec-Fetch-Mode": "no-cors"}, {"Origin": "http://site.example"}):
            async with session.get(url, headers=headers | more) as answer:
                assert answer.status == HTTPStatus.FORBIDDEN, "another site has a person be here"
    _, person = await rival.ask("GET", "/api/players/person")
    assert person is None or person["status"] != "available"
    await asyncio.sleep(0.1)


@asynccontextmanager
async def _players(
    rival: Rival, prefix: str, count: int, answer: Answer
) -> AsyncIterator[tuple[str, ...]]:
    """Add players that answer so; return their names."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            _, text = await read_request(reader)
            await answer(text.decode(), writer)
        writer.close()

    names = tuple(f"{prefix}{number}" for number in range(count))
    async with AsyncExitStack() as stack:
        for name in names:
            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            await stack.enter_async_context(server)
            sent = {"address": f"127.0.0.1:{server.sockets[0].getsockname()[1]}"}
            await rival.ask("PUT", f"/api/players/{name}", sent, rival.organiser)
        yield names


async def _event(rival: Rival, game: str, kind: str, names: tuple[str, ...]) -> None:
    """Hold an event, and wait until it is over."""
    clocks = {"start_clock": 2, "play_clock": 1}
    sent = {"name": game, "format": kind, "games": [game], "players": names, **clocks}
    _, event = await rival.ask("POST", "/api/events", sent, rival.organiser)
    while event and event.get("status") == "running":
        await asyncio.sleep(0.2)
        _, event = await rival.ask("GET", f"/api/events/{event['id']}")
    await asyncio.sleep(0.2)
