"""Players of tic-tac-toe that answer at once: many ports in one process, for tests of managers.

``python -m tests.support.stub_players COUNT`` prints the ports in a line, plays until its standard
input ends, and prints how many players got START and STOP, by match id, as JSON. Each follows its
match by the moves that it is sent, and answers with a free cell, so a manager that makes a mistake
gets moves that are illegal.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from random import Random

CELLS = tuple(f"{column}{row}" for column in "abc" for row in "123")


@dataclass
class StubMatch:
    """What a player knows of its match."""

    role: str
    steps: int = 0
    free: list[str] = field(default_factory=lambda: list(CELLS))


class StubPlayer:
    """A player of tic-tac-toe; it counts what it was asked."""

    def __init__(self, seed: int = 0) -> None:
        self.matches: dict[str, StubMatch] = {}
        self.started: list[str] = []
        self.stopped: list[str] = []
        self._random = Random(seed)

    def reply(self, text: str) -> str:
        """Answer a request."""
        words = text.replace("(", " ").replace(")", " ").split()
        command = words[0].upper()
        if command == "INFO":
            return "( ( name stub ) ( status available ) )"
        match_id = words[1]
        if command == "START":
            self.matches[match_id] = StubMatch(words[2])
            self.started.append(match_id)
            return "ready"
        match = self.matches.get(match_id)
        if match is None:
            return "busy"
        if command == "PLAY":
            return self._move(match, text)
        del self.matches[match_id]
        if command == "ABORT":
            return "aborted"
        self.stopped.append(match_id)
        return "done"

    def _move(self, match: StubMatch, text: str) -> str:
        if taken := re.findall(r"\(\s*put\s+(\w+)\s*\)", text):
            match.free.remove(taken[0])
            match.steps += 1
        has_turn = (match.role == "cross") == (match.steps % 2 == 0)
        return f"( put {self._random.choice(match.free)} )" if has_turn else "noop"


class _Connection(asyncio.Protocol):
    def __init__(self, player: StubPlayer) -> None:
        self._player = player
        self._data = b""
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, end, body = self._data.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: *(\d+)", head.lower())
        if end and length and len(body) >= int(length[1]) and self._transport:
            reply = self._player.reply(body.decode()).encode()
            answer = b"HTTP/1.0 200 OK\r\nContent-Type: text/acl\r\nContent-Length: %d\r\n\r\n%b"
            self._transport.write(answer % (len(reply), reply))
            self._transport.close()


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Read a request as servers of tests do: its head, and its body."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: *(\d+)", head.lower())
    return head, await reader.readexactly(int(length[1]) if length else 0)


async def listen(player: StubPlayer, port: int = 0) -> asyncio.Server:
    """Have a player answer at a port of this machine."""
    loop = asyncio.get_running_loop()
    return await loop.create_server(lambda: _Connection(player), "127.0.0.1", port, backlog=512)


def port_of(server: asyncio.Server) -> int:
    """Return the port that a player answers at."""
    return int(server.sockets[0].getsockname()[1])


async def _main(count: int) -> None:
    players = [StubPlayer(seed) for seed in range(count)]
    servers = [await listen(player) for player in players]
    print(*map(port_of, servers), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    started = Counter(match_id for player in players for match_id in player.started)
    stopped = Counter(match_id for player in players for match_id in player.stopped)
    print(json.dumps({"started": started, "stopped": stopped}), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1])))
