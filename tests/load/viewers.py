"""Do viewers make replies later? Pairs of matches, one of them watched by many pages.

The two matches of a pair have the same roles and the same seeds. Viewers are in a process of their
own, as browsers are. Each holds a stream of server-sent events open, and reads it to its end.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from statistics import median, quantiles

import aiohttp

import gdl
from tests.load.matches import Game
from tests.support.paths import GAMES
from tests.support.server_process import Address, ServerProcess

START_CLOCK = 5

WAITING_SECONDS = 30.0
"""How long viewers may take to be there, and to be gone."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """How many pairs of matches are played of which game, and who looks; clocks in seconds."""

    count: int
    viewers: int = 20
    game: str = "connectFour"
    play_clock: int = 2
    seed: int = 0


@dataclass(slots=True)
class Replies:
    """The replies to those PLAY messages that left a choice; seconds of each."""

    seconds: list[float] = field(default_factory=list)
    late: int = 0
    illegal: int = 0

    def figures(self) -> tuple[float, float, float]:
        """The median, the 99th percentile and the maximum."""
        values = self.seconds * 2 if len(self.seconds) == 1 else self.seconds
        return median(values), quantiles(values, n=100, method="inclusive")[-1], max(values)


@dataclass(slots=True)
class Comparison:
    """The replies without and with viewers, and what these were sent."""

    alone: Replies = field(default_factory=Replies)
    watched: Replies = field(default_factory=Replies)
    messages: int = 0
    bytes: int = 0
    fewest: int = 0
    """The fewest messages that a viewer got in a match."""


async def compare(server: ServerProcess, pairs: Pairs) -> Comparison:
    """Play the pairs; which match of a pair comes first alternates."""
    ruleset = gdl.load(GAMES / f"{pairs.game}.kif")
    game = Game(ruleset, gdl.interpret(ruleset), server.address, START_CLOCK, pairs.play_clock)
    found = Comparison()
    for number in range(pairs.count):
        for is_watched in (True, False) if number % 2 else (False, True):
            match_id = f"{pairs.game}.{number:03}{'watched' if is_watched else 'alone'}"
            with watching(server.address, match_id, pairs.viewers * is_watched) as reading:
                played = await game.play(match_id, number // 2 % 2, pairs.seed + number)
            _count_messages(found, reading)
            replies = found.watched if is_watched else found.alone
            replies.seconds += [one.seconds for one in played.replies if one.legal_moves > 1]
            errors = [step[played.ours] for step in played.record.errors]
            replies.late += errors.count("TO")
            replies.illegal += len(errors) - errors.count("TO") - errors.count("")
    return found


def _count_messages(found: Comparison, reading: Sequence[tuple[int, int]]) -> None:
    for messages, size in reading:
        found.messages += messages
        found.bytes += size
        found.fewest = min(found.fewest or messages, messages)


@contextmanager
def watching(address: Address, match_id: str, viewers: int) -> Iterator[list[tuple[int, int]]]:
    """Have viewers watch a match; in the end the list has messages and bytes of each."""
    reading: list[tuple[int, int]] = []
    if not viewers:
        yield reading
        return
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_watch, args=(theirs, address, match_id, viewers))
    process.start()
    theirs.close()
    try:
        assert ours.poll(WAITING_SECONDS), "the viewers do not come"
        ours.recv()
        yield reading
        assert ours.poll(WAITING_SECONDS), "the viewers have not seen the end"
        reading += ours.recv()
    finally:
        process.kill()
        process.join()


def _watch(pipe: Connection, address: Address, match_id: str, viewers: int) -> None:
    pipe.send(asyncio.run(_watch_all(pipe, address, match_id, viewers)))


async def _watch_all(
    pipe: Connection, address: Address, match_id: str, viewers: int
) -> list[tuple[int, int]]:
    base = f"http://{address[0]}:{address[1]}"
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        key = await _key(pipe, session, base, match_id)
        url = f"{base}/matches/{key}/events"
        return await asyncio.gather(*(_read(session, url) for _ in range(viewers)))


async def _key(pipe: Connection, session: aiohttp.ClientSession, base: str, match_id: str) -> str:
    """Wait until the match is in the list; say that the viewers are there."""
    async with session.get(f"{base}/events") as response:
        pipe.send(None)
        async for line in response.content:
            if line.startswith(b"data: "):
                for match in json.loads(line.removeprefix(b"data: "))["matches"]:
                    if match["match_id"] == match_id:
                        return str(match["match"])
    raise AssertionError("the server has ended")


async def _read(session: aiohttp.ClientSession, url: str) -> tuple[int, int]:
    """Read a stream until the match is over; return how many messages and bytes it had."""
    messages = size = 0
    async with session.get(url) as response:
        assert response.status == 200, await response.text()
        async for line in response.content:
            size += len(line)
            if line.startswith(b"data: "):
                messages += 1
                about = json.loads(line.removeprefix(b"data: ")).get("about", {})
                if about.get("status", "running") != "running":
                    break
    return messages, size
