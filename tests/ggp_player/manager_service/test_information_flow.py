"""Nothing that is public tells what is hidden: two events that differ in that alone look the same.

A spectator without a token asks for every address of the service again and again while two players
move, and follows the live events. That is done twice, with the same clock and the same database,
and everything has to be the same, byte for byte, until the match is over. An address or a field
that is new is looked at like all others.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import MagicMock

import aiohttp
import pytest
from aiohttp import web

from ggp_player.manager.tournament.schedule import SEED_BITS
from ggp_player.manager_service.service import ServiceConfig, open_service
from ggp_player.manager_service.web import live_boards
from ggp_player.manager_service.web.routes import ROUTES, new_application
from tests.support.manager_service import Asker

LIMIT = 60
"""Seconds for everything, on a machine that does much else."""

PARAMETERS = {
    "id": ("1", "2"),
    "name": ("ann", "bob", "game"),
    "path": ("", "events"),
    "code": ("1",),
}
"""What stands for the parameters of addresses; an address with another one fails the test."""

VALUES = ("1", "waiting", "running", "completed", "ann")
"""What is tried as the value of each parameter of a query."""

STREAMS = {route.path for route in ROUTES if route.is_stream}

HIDING = """
(role ann) (role bob) (side left) (side right)
(init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal ann (hide ?side)) (true (step 1)) (side ?side))
(<= (legal ann (open ?side)) (true (step 2)) (true (hidden ?side)))
(<= (legal ann noop) (true (step 3)))
(<= (legal bob (guess ?side)) (true (step ?n)) (side ?side))
(<= (next (hidden ?side)) (does ann (hide ?side)))
(<= (next (hidden ?side)) (true (hidden ?side)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (guessed ?side)) (does bob (guess ?side)) (true (step 3)))
(<= (next (drawn ?side)) (true (drawn ?side)))
(<= terminal (true (step 4)))
(<= found (true (hidden ?side)) (true (guessed ?side)))
(<= (goal bob 100) found) (<= (goal ann 0) found)
(<= (goal ann 100) (not found)) (<= (goal bob 0) (not found))
"""

PERCEPTS = "(<= (sees bob (guessing ?side)) (does bob (guess ?side)))"

GUESSES = ("(guess left)", "(guess right)", "(guess left)")

NO_MOVES = ("(none)",) * 3

KUHN = (Path(__file__).parents[3] / "games" / "kuhnPoker.kif").read_text()


@dataclass(frozen=True)
class Event:
    """An event of one match, and what its players answer in each turn."""

    rules: str
    ann: Sequence[str]
    bob: Sequence[str] = GUESSES
    settings: Mapping[str, Any] = field(default_factory=lambda: {"seed": 0})

    @property
    def is_late(self) -> bool:
        return "spectator_delay" in self.settings


HIDDEN = HIDING + PERCEPTS
POKER = {"ann": ("noop", "bet", "noop"), "bob": ("noop", "noop", "call")}
LEFT = ("(hide left)", "(open left)", "noop")
RIGHT = ("(hide right)", "(open right)", "noop")
LATE = {"seed": 0, "spectator_delay": 60}

DIFFERENCES = {
    "the deal": [Event(KUHN, **POKER, settings={"seed": seed}) for seed in (0, 3)],
    "a hidden move": [Event(HIDDEN, LEFT), Event(HIDDEN, RIGHT)],
    "what is legal": [Event(HIDDEN, LEFT), Event(HIDDEN, (RIGHT[0], LEFT[1], LEFT[2]))],
    "what an illegal reply says": [Event(HIDDEN, NO_MOVES), Event(HIDDEN, ("(no)", "a", "b"))],
    "moves that are replaced": [
        Event(HIDDEN, NO_MOVES, NO_MOVES, {"seed": seed, "scramble": True}) for seed in range(3)
    ],
    "anything, shown late": [
        Event(HIDING, LEFT, settings=LATE),
        Event(HIDING, RIGHT, settings=LATE),
    ],
    "a result, shown late": [
        Event(HIDING, LEFT, GUESSES, LATE),
        Event(HIDING, LEFT, ("(guess right)",) * 3, LATE),
    ],
}

ANSWERS = {"INFO": "((name stub) (status available))", "START": "ready"}


class Table:
    """Two players that answer when they are let: all three wait for each other twice a turn."""

    def __init__(self) -> None:
        self.asked = asyncio.Barrier(3)
        self.let = asyncio.Barrier(3)
        self.replies: dict[str, Sequence[str]] = {}
        self._turns: dict[str, int] = {}

    def begin(self, event: Event) -> None:
        self.replies = {"ann": event.ann, "bob": event.bob}
        self._turns = {"ann": 0, "bob": 0}

    async def reply(self, name: str, text: str) -> str:
        command = text.replace("(", " ").split()[0].upper()
        if command != "PLAY":
            return {"INFO": "((name stub) (status available))", "START": "ready"}.get(
                command, "done"
            )
        await self.asked.wait()
        await self.let.wait()
        self._turns[name] += 1
        return self.replies[name][self._turns[name] - 1]


@asynccontextmanager
async def listening(table: Table, name: str) -> AsyncIterator[int]:
    """Have a player of the table listen; yield the port."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=await table.reply(name, await request.text()))

    application = web.Application()
    application.router.add_post("/", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield runner.addresses[0][1]
    await runner.cleanup()


@pytest.fixture(autouse=True)
def _patient_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pages wait for their boards, so that they do not depend on how busy the machine is."""
    monkeypatch.setattr(live_boards, "DRAWING_SECONDS", 60.0)


class Clock:
    """A time of day that stands still unless it is moved."""

    now = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now


def addresses() -> list[str]:
    """List all that can be asked for by GET, but for what has no end."""
    found: list[str] = []
    for route in new_application(MagicMock()).router.routes():
        path = route.resource.canonical if route.resource else ""
        if route.method != "GET" or path in STREAMS or path.startswith("/static/"):
            continue
        names = re.findall(r"{(\w+)}", path)
        pattern = re.sub(r"{\w+}", "{}", path)
        found += [
            pattern.format(*values) for values in product(*(PARAMETERS[one] for one in names))
        ]
    queries = [
        f"{route.path}?{key}={value}" for route in ROUTES for key in route.query for value in VALUES
    ]
    return sorted({*found, *queries})


def masked(seen: Mapping[str, str]) -> dict[str, str]:
    """Replace what is made to look like chance: commitments, as they stand in the API."""
    found = r'("commitment": ?)"[0-9a-f]{64}"'
    return {address: re.sub(found, r'\1"MASKED"', text) for address, text in seen.items()}


class Spectator:
    """Sees what everybody can see of a service."""

    def __init__(self, port: int, session: aiohttp.ClientSession) -> None:
        self._base = f"http://127.0.0.1:{port}"
        self._session = session
        self._items: list[str] = []
        self._ends = asyncio.Event()
        self.follows = asyncio.Event()

    async def follow(self) -> None:
        """Follow the live events until the event is over."""
        async with self._session.get(f"{self._base}/api/news") as stream:
            self.follows.set()
            async for line in stream.content:
                if line.startswith(b"data: "):
                    self._items.append(line.decode())
                    if b'"event_ended"' in line:
                        self._ends.set()

    async def end(self) -> None:
        """Wait until the live events say that the event is over."""
        await self._ends.wait()

    async def look(self) -> dict[str, str]:
        """Ask for everything; what the live events have told is part of it."""
        seen = {"news": "".join(self._items)}
        for address in addresses():
            async with self._session.get(self._base + address) as answer:
                heads = {key: value for key, value in answer.headers.items() if key != "Date"}
                seen[address] = f"{answer.status} {heads} {await answer.text()}"
        return seen


@dataclass
class Watched:
    """What was seen before each turn, and at the end; and the seed, which nobody sees before."""

    seen: list[dict[str, str]] = field(default_factory=list)
    at_end: dict[str, str] = field(default_factory=dict)
    seeds: list[int] = field(default_factory=list)
    later: dict[str, str] = field(default_factory=dict)


async def watch(folder: Path, table: Table, event: Event) -> Watched:
    """Hold an event and watch it."""
    clock, found = Clock(), Watched()
    table.begin(event)
    async with AsyncExitStack() as stack:
        config = ServiceConfig(str(folder / "manager.sqlite"), host="0.0.0.0", port=0)
        service = await stack.enter_async_context(open_service(config, now=clock))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        scheduler = service.scheduler
        organiser = Asker(service, session, service.tokens.create("org", "organiser"))
        spectator = Spectator(service.port, session)
        following = asyncio.create_task(spectator.follow())
        await spectator.follows.wait()
        await organiser.done("PUT", "/api/games/game", {"rules": event.rules})
        sent = {"name": "cup", "format": "single", "games": ["game"], "players": ["ann", "bob"]}
        clocks = {"start_clock": LIMIT, "play_clock": LIMIT}
        await organiser.done("POST", "/api/events", {**sent, **clocks, **event.settings})
        for _ in event.ann:
            await table.asked.wait()
            found.seen.append(await spectator.look())
            await table.let.wait()
        if event.is_late:
            while await scheduler.call(scheduler.store.events, ("running",)):
                pass  # nobody is told when it is over
        else:
            await spectator.end()
        found.at_end = await spectator.look()
        found.seeds = [match.seed for match in await scheduler.call(scheduler.store.matches)]
        if event.is_late:
            clock.now += 60_000
            scheduler.public.release()
            await spectator.end()
            found.later = await spectator.look()
        following.cancel()
    return found


@asynccontextmanager
async def prepared(folder: Path) -> AsyncIterator[Table]:
    """Make a database with two players, who listen while the context is open."""
    table = Table()
    async with (
        asyncio.timeout(4 * LIMIT),
        listening(table, "ann") as one,
        listening(table, "bob") as other,
    ):
        config = ServiceConfig(str(folder / "first" / "manager.sqlite"), port=0)
        async with (
            open_service(config, now=Clock()) as service,
            aiohttp.ClientSession() as session,
        ):
            asking = Asker(service, session)
            for name, port in (("ann", one), ("bob", other)):
                player = {"address": f"127.0.0.1:{port}", "dialects": ["C"]}
                await asking.done("PUT", f"/api/players/{name}", player)
        yield table


async def watch_all(folder: Path, events: Sequence[Event]) -> list[Watched]:
    """Hold each of some events in a copy of the same database."""
    found = []
    async with prepared(folder) as table:
        for number, event in enumerate(events):
            shutil.copytree(folder / "first", folder / str(number))
            found.append(await watch(folder / str(number), table, event))
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("difference", DIFFERENCES)
async def test_what_is_hidden_changes_nothing_that_is_public(
    tmp_path: Path, difference: str
) -> None:
    events = DIFFERENCES[difference]
    one, *others = await watch_all(tmp_path, events)
    for other in others:
        assert len(one.seen) == len(other.seen) == len(events[0].ann)
        for before, after in zip(one.seen, other.seen, strict=True):
            assert masked(before) == masked(after)
        if events[0].is_late:
            assert masked(one.at_end) == masked(other.at_end) == masked(one.seen[0])
    # What makes the difference is there in the end, so there was something to hide.
    last = [record_of(watched.later or watched.at_end) for watched in (one, *others)]
    assert not any(before == after for before, after in combinations(last, 2))


def record_of(seen: Mapping[str, str]) -> list[Any]:
    """Return moves and errors of the first match."""
    record = json.loads(body_of(seen["/api/matches/1/record"]))
    return [record["moves"], record["errors"]]


def body_of(seen: str) -> str:
    """Return the body of an answer that was seen."""
    return seen.partition("} ")[2]


@pytest.mark.thorough
async def test_no_deal_follows_from_what_is_public(tmp_path: Path) -> None:
    """Try all that a spectator reads before a match as its seed, or as that of its event."""
    [watched] = await watch_all(tmp_path, [Event(KUHN, **POKER, settings={})])
    [seed] = watched.seeds
    known = {word for seen in watched.seen for text in seen.values() for word in words(text)}
    assert {"ann", "cup", "1.game.ann.bob"} <= known
    given = {*known, *map(str, range(1000))}
    assert str(seed) not in known
    assert seed not in {guess for word in given for guess in guesses(word)}
    match, event = (
        json.loads(body_of(watched.at_end[f"/api/{one}/1"])) for one in ("matches", "events")
    )
    assert match["seed"] == seed
    for shown in (match, event):  # as the page on the manager's service says
        secret = f"{shown['nonce']}:{shown['seed']}"
        assert hashlib.sha256(secret.encode()).hexdigest() == shown["commitment"]
    message = f"{match['place']}, attempt {match['attempts']}"
    digest = hmac.digest(event["seed"].encode(), message.encode(), "sha256")
    assert int.from_bytes(digest, "big") >> 203 == seed
    assert shown_commitments(watched.seen[0]) == {match["commitment"], event["commitment"]}


def words(text: str) -> list[str]:
    """Return all that may be a seed or a part of one."""
    return re.findall(r"[\w.-]+", text)


def guesses(word: str) -> list[int]:
    """Return the seeds that a match may have if its event's seed is this word."""
    message = "1.game.ann.bob, attempt 1"
    digest = hmac.digest(word.encode(), message.encode(), "sha256")
    shared = Random(f"{word}, game, round 1, ann against bob").getrandbits(SEED_BITS)
    return [int.from_bytes(digest, "big") >> (256 - SEED_BITS), shared]


def shown_commitments(seen: Mapping[str, str]) -> set[str]:
    """Return all commitments among what was seen."""
    return {one for text in seen.values() for one in re.findall('"commitment":"([^"]*)"', text)}
