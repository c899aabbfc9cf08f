"""Players of tic-tac-toe that answer as no player should, each time in another way.

``python -m tests.support.hostile_players COUNT SEED`` prints the ports in a line, misbehaves until
its standard input ends, and prints as JSON what it did: for each match id and port the ways, of
START first and then of each PLAY. INFO is answered as it should be, so that they are asked to play.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from random import Random

from ggp_player.protocol import CONNECTION_ERROR, ILLEGAL, TIMEOUT
from tests.support.stub_players import StubPlayer, port_of, read_request

OK = b"HTTP/1.0 200 OK\r\n"

_ANSWERS: Mapping[str, tuple[bytes, bytes]] = {
    "silent": (b"", b""),
    "slow": (OK, b"X"),
    "endless body": (OK + b"\r\n", b"( put z9 )" * 5000),
    "endless head": (OK, b"X-More: and more\r\n" * 2000),
    "endless continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 2000),
    "garbage": (b"\x00\xff(((\r\n\r\n", b""),
    "half a reply": (OK + b"Content-Length: 100\r\n\r\n( put", b""),
    "nested": (OK + b"\r\n" + b"(" * 60_000, b""),
    "illegal": (OK + b"Content-Length: 10\r\n\r\n( put z9 )", b""),
    "nothing": (b"", b""),
}
"""What is sent at first, and then again and again."""

_CLOSED = {"garbage", "half a reply", "nested", "illegal", "nothing"}
"""The ways in which the connection is closed after what is sent."""

EXPECTED: Mapping[str, set[str]] = {
    "silent": {TIMEOUT},
    "slow": {TIMEOUT, CONNECTION_ERROR},
    "endless body": {TIMEOUT, CONNECTION_ERROR, ILLEGAL},
    "endless head": {TIMEOUT, CONNECTION_ERROR},
    "endless continue": {TIMEOUT, CONNECTION_ERROR},
    "garbage": {CONNECTION_ERROR},
    "half a reply": {CONNECTION_ERROR, ILLEGAL},
    "nested": {ILLEGAL, CONNECTION_ERROR},
    "illegal": {ILLEGAL},
    "nothing": {CONNECTION_ERROR},
}
"""With which errors a move may be scored that was answered so."""

WAYS = tuple(EXPECTED)

PAUSE = 0.1
"""Seconds between two pieces of an answer without an end."""

Behaviour = Mapping[str, Mapping[str, list[str]]]
"""In which ways each port answered, by match id: START, and then each PLAY."""


class HostilePlayer:
    """Answers INFO, and everything else in a way that is drawn; ``done`` has those of matches."""

    def __init__(self, done: dict[str, dict[str, list[str]]], seed: int) -> None:
        self.server: asyncio.Server | None = None
        self._done = done
        self._random = Random(seed)
        self._honest = StubPlayer()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a request and answer it."""
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            _, body = await read_request(reader)
            await self._answer(body.decode(), reader, writer)
        writer.close()

    async def _answer(
        self, text: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        words = text.replace("(", " ").replace(")", " ").split()
        if words[0].upper() == "INFO":
            writer.write(OK + b"\r\n" + self._honest.reply(text).encode())
            return
        way = self._random.choice(WAYS)
        if words[0].upper() in {"START", "PLAY"}:
            assert self.server is not None
            self._done[words[1]][str(port_of(self.server))].append(way)
        first, then = _ANSWERS[way]
        writer.write(first)
        while way not in _CLOSED and not reader.at_eof():
            writer.write(then)
            await writer.drain()
            await asyncio.sleep(PAUSE)


async def _main(count: int, seed: int) -> None:
    done: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    players = [HostilePlayer(done, seed + number) for number in range(count)]
    for player in players:
        player.server = await asyncio.start_server(player.answer, "127.0.0.1", 0)
    print(*(port_of(player.server) for player in players if player.server), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(json.dumps(done), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2])))
