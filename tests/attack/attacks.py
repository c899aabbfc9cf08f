"""What strangers do: each attack runs in a process of its own, until it is ended.

Strangers call from loopback addresses other than the game manager's.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import resource
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from random import Random
from typing import Generic, TypeVar

from gdl.system import available_cpus, end_with_parent
from tests.fuzz import http_inputs, messages
from tests.fuzz.mutators import mutate_expressions

HEAD = "POST / HTTP/1.0\r\nContent-Type: text/acl\r\n{more}Content-Length: {length}\r\n\r\n"

STRANGERS = 8
"""How many addresses strangers call from."""

HELD = 200
"""How many connections strangers hold open."""

MATCHES = 20
"""Of how many matches strangers guess the names."""

AT_A_TIME = 8
"""Malformed messages that are under way side by side."""

BUSY_CORES = "busy cores"

RULES = "(role you) (legal you go) (<= terminal (true over)) (goal you 0)"


@dataclass(frozen=True)
class Stranger:
    """Whoever attacks the server at a port; ``strength`` multiplies what they do."""

    port: int
    seed: int
    strength: float = 1.0

    def times(self, number: int) -> int:
        """So many, at strength 1."""
        return max(1, round(self.strength * number))

    async def connect(self, number: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect from the address of one of the strangers."""
        source = (f"127.0.0.{2 + number % STRANGERS}", 0)
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=source)

    async def send(self, data: bytes, number: int = 0, ends: bool = False) -> None:
        """Send bytes, and that they have an end; read what comes, and do not mind being refused."""
        try:
            reader, writer = await self.connect(number)
            writer.write(data)
            if ends:
                writer.write_eof()
            await asyncio.wait_for(reader.read(), 5)
            writer.close()
        except (OSError, TimeoutError):
            await asyncio.sleep(0.05)


Run = Callable[[Stranger], Awaitable[None]]

Attacker = TypeVar("Attacker", bound=Stranger)


@dataclass(frozen=True)
class Attack(Generic[Attacker]):
    """An attack with its name; ``holds`` where the server is known to bear it without a loss.

    ``has_archive`` where the server is given an archive with matches to ask for, and ``flags`` are
    what else it is started with.
    """

    name: str
    run: Callable[[Attacker], Awaitable[None]]
    holds: bool
    has_archive: bool = False
    flags: tuple[str, ...] = ()


ATTACKS: dict[str, Attack[Stranger]] = {}


def attack(
    name: str, holds: bool = True, has_archive: bool = False, flags: tuple[str, ...] = ()
) -> Callable[[Run], Run]:
    """Register an attack."""

    def register(run: Run) -> Run:
        ATTACKS[name] = Attack(name, run, holds, has_archive, flags)
        return run

    return register


def run_attack(attack: Attack[Attacker], stranger: Attacker) -> None:
    """Run an attack until the process is ended."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(_forever(attack.run, stranger))


async def _forever(run: Callable[[Attacker], Awaitable[None]], stranger: Attacker) -> None:
    while True:
        await run(stranger)
        await asyncio.sleep(0.01)


def request(text: str | bytes, more: str = "") -> bytes:
    """A request as game managers send it."""
    body = text.encode() if isinstance(text, str) else text
    return HEAD.format(more=more, length=len(body)).encode() + body


async def _side_by_side(stranger: Stranger, number: int, data: Callable[[int], bytes]) -> None:
    await asyncio.gather(*(stranger.send(data(index), index) for index in range(number)))


async def hold(stranger: Stranger, data: bytes, number: int, pause: float = 0.0) -> None:
    """Keep so many connections open on which bytes come, with ``pause`` seconds after each.

    One that is closed, or was not taken, is opened again after a second.
    """

    async def keep(index: int) -> None:
        while True:
            with suppress(OSError, TimeoutError):
                reader, writer = await stranger.connect(index)
                for piece in [data[i : i + 1] for i in range(len(data))] if pause else [data]:
                    if writer.is_closing():  # the server has had enough of us
                        break
                    writer.write(piece)
                    await asyncio.sleep(pause)
                await asyncio.wait_for(reader.read(), 60)
                writer.close()
            await asyncio.sleep(1)

    await asyncio.gather(*(keep(index) for index in range(number)))


@attack("idle connections")
async def _idle(stranger: Stranger) -> None:
    await hold(stranger, b"", stranger.times(HELD))


@attack("half-sent heads")
async def _half_heads(stranger: Stranger) -> None:
    await hold(stranger, b"POST / HTTP/1.0\r\nContent-Le", stranger.times(HELD))


@attack("half-sent bodies")
async def _half_bodies(stranger: Stranger) -> None:
    await hold(stranger, request("( INFO )")[:-1], stranger.times(HELD))


@attack("slow bodies")
async def _slow(stranger: Stranger) -> None:
    await hold(stranger, request("( INFO )"), stranger.times(HELD), pause=0.2)


@attack("nested PLAYs")
async def _nested(stranger: Stranger) -> None:
    text = request(f"(PLAY x ({'(a ' * 16_000}{')' * 16_000}))")
    await _side_by_side(stranger, stranger.times(4), lambda _: text)


@attack("compressed bodies")
async def _compressed(stranger: Stranger) -> None:
    body = gzip.compress(bytes(2**28), 9)
    text = request(body, "Content-Encoding: gzip\r\n")
    await _side_by_side(stranger, stranger.times(4), lambda _: text)


@attack("foreign ABORTs")
async def _aborts(stranger: Stranger) -> None:
    await _side_by_side(stranger, MATCHES, lambda index: request(f"( ABORT attack.{index} )"))
    await asyncio.sleep(0.5)


@attack("forged PLAYs")
async def _plays(stranger: Stranger) -> None:
    text = "( PLAY attack.{} (noop noop) )"
    await _side_by_side(stranger, MATCHES, lambda index: request(text.format(index)))
    await asyncio.sleep(0.5)


@attack("match ids of 10 MB")
async def _long_ids(stranger: Stranger) -> None:
    name = "m" * 10_000_000
    await stranger.send(request(f"( START {name} you ({RULES}) 10 10)"))
    await stranger.send(request(f"( PLAY {name} NIL )"))
    await asyncio.sleep(1 / stranger.strength)


@attack("garbage")
async def _garbage(stranger: Stranger) -> None:
    random = Random(stranger.seed)
    for _ in range(stranger.times(20)):
        text = random.randbytes(random.choice([1, 100, 10_000]))
        await stranger.send(random.choice([text, request(text), request("(" * len(text))]))


async def send_made(stranger: Stranger, make: Callable[[Random], bytes]) -> None:
    """Send requests that are made by chance, one after the other, some side by side."""
    random = Random(stranger.seed)

    async def send(index: int) -> None:
        while True:
            await stranger.send(make(random), index, ends=True)

    await asyncio.gather(*(send(index) for index in range(stranger.times(AT_A_TIME))))


# Some are still well-formed, and begin matches: there are seats enough for these.
@attack("malformed messages", flags=("--max-matches", "32", "--idle-limit", "5"))
async def _malformed(stranger: Stranger) -> None:
    """Send well-formed requests in which something was changed: bytes, or a message's terms."""

    def make(random: Random) -> bytes:
        if random.random() < 0.5:
            return http_inputs.mutate(random.choice(http_inputs.SEEDS)[1:], random)
        return request(mutate_expressions(random.choice(messages.SEEDS), random))

    await send_made(stranger, make)


@attack("many requests")
async def _many(stranger: Stranger) -> None:
    texts = ("( INFO )", "( ABORT nobody )", "( PLAY nobody NIL )", "( STOP nobody NIL )")
    await _side_by_side(stranger, stranger.times(20), lambda index: request(texts[index % 4]))


@attack(BUSY_CORES)
async def _busy(_stranger: Stranger) -> None:
    """Keep the processors busy, with one process for each, however strong strangers are."""
    context = get_context("spawn")
    processes = [
        context.Process(target=_compute, args=(os.getpid(),), daemon=True)
        for _ in range(available_cpus())
    ]
    for process in processes:
        process.start()
    await asyncio.Event().wait()


def _compute(parent: int) -> None:
    end_with_parent(parent)
    while True:
        pass


@attack("clocks of years")
async def _years(stranger: Stranger) -> None:
    await stranger.send(request(f"( START years you ({RULES}) 99999999 99999999)"))


@attack("large STARTs", flags=("--max-matches", "16", "--idle-limit", "10"))
async def _large(stranger: Stranger) -> None:
    """Begin matches with rules of 6 MiB that hardly get smaller, and end them again.

    The server has seats enough: in its only one, whoever comes first would play. It soon gives
    up those whose end does not come.
    """
    random = Random(stranger.seed)
    for number in range(stranger.times(12)):
        facts = "".join(f"(fact {random.randbytes(500).hex()})" for _ in range(6 * 2**10))
        name = f"large.{random.getrandbits(32)}"
        await stranger.send(request(f"( START {name} you ({RULES} {facts}) 1 1)"), number)
        await stranger.send(request(f"( ABORT {name} )"), number)
