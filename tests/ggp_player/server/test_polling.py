"""A player that polls its game manager plays as any other, whatever the manager does."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from ggp_player.server import polling as server_polling
from ggp_player.server.config import Config
from ggp_player.server.player import Player
from ggp_player.server.polling import PAUSES, REPLY_PAUSES, Poller
from tests.support.paths import ROOT

STEPS = (
    "{role(red),role(blue),init(step(0)),succ(0,1),succ(1,2),succ(2,3),"
    "legal(R,say(N)) :- role(R) & true(step(M)) & succ(M,N),"
    "next(step(N)) :- true(step(M)) & succ(M,N),"
    "terminal :- true(step(2)),goal(R,50) :- role(R)}"
)

LIMIT = 60
"""Seconds for a test, on a machine that does much else."""


class News:
    """Lets a test wait for a condition that changes when something is noticed."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def notice(self) -> None:
        """Have the condition looked at again."""
        self._event.set()

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until the condition holds."""
        while not condition():
            self._event.clear()
            await self._event.wait()


class PolledManager:
    """A game manager in dialect F: keeps messages until they are asked for, and the replies."""

    name = "manager"

    def __init__(self) -> None:
        self.messages: defaultdict[str, deque[str]] = defaultdict(deque)
        self.replies: asyncio.Queue[tuple[str, str, str]] = asyncio.Queue()
        """Who has replied to which message, and what."""
        self.news = News()
        self.polls = 0
        self.refusals = 0
        """How many requests to come are refused."""
        self.port = 0
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/messages"

    def put(self, player: str, number: int, message: str) -> None:
        """Have a message wait for a player."""
        self.messages[player].append(f"message({number},{self.name},{message})")

    async def ask(self, player: str, number: int, message: str) -> str:
        """Put a message, and return the reply to it."""
        self.put(player, number, message)
        sender, answered, reply = await self.replies.get()
        assert (sender, answered) == (player, str(number))
        return reply

    async def start(self) -> None:
        """Listen, at the same port as before if there was one."""
        app = web.Application()
        app.router.add_get("/messages", self._get)
        app.router.add_post("/messages", self._post)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        assert site._server is not None
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Go away."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _get(self, request: web.Request) -> web.Response:
        self.polls += 1
        self.news.notice()
        self._refuse()
        waiting = self.messages[request.query["recipient"]]
        return web.Response(text=waiting.popleft() if waiting else "")

    async def _post(self, request: web.Request) -> web.Response:
        self._refuse()
        assert request.query["recipient"] == self.name
        reply = request.query["sender"], request.query["msgid"], await request.text()
        await self.replies.put(reply)
        return web.Response()

    def _refuse(self) -> None:
        if self.refusals:
            self.refusals -= 1
            raise web.HTTPServiceUnavailable


class Pauses:
    """Notes for how long it was to pause, and pauses for next to nothing."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.news = News()

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.news.notice()
        await asyncio.sleep(0.001)


@asynccontextmanager
async def polling(manager: PolledManager, pauses: Pauses) -> AsyncIterator[Player]:
    """Have a player poll a manager, as ann; the value is the player."""
    config = Config(strategy="legal", poll=manager.url, poll_as="ann")
    async with (
        asyncio.timeout(LIMIT),
        Player(config) as player,
        Poller(player, pauses),
    ):
        yield player


@pytest.fixture
async def manager() -> AsyncIterator[PolledManager]:
    """A manager that players poll, on loopback."""
    manager = PolledManager()
    await manager.start()
    try:
        yield manager
    finally:
        await manager.stop()


async def polled(manager: PolledManager, times: int = 3) -> None:
    """Wait until the manager was polled so often more."""
    least = manager.polls + times
    await manager.news.until(lambda: manager.polls >= least)


async def test_a_match(manager: PolledManager) -> None:
    pauses = Pauses()
    async with polling(manager, pauses):
        await polled(manager)
        for number, (message, reply) in enumerate(
            [
                ("info()", 'info(name("ggp-player"),status(available))'),
                (f"start(m,red,{STEPS},5,5)", "ready"),
                ("info()", 'info(name("ggp-player"),status(busy))'),
                ("play(m,nil)", "say(1)"),
                ("play(m,{say(1),say(1)})", "say(2)"),
                ("stop(m,{say(2),say(2)})", "done"),
                ("abort(m)", "busy"),
                ("(ping)", "ready"),
            ]
        ):
            assert await manager.ask("ann", number, message) == reply
    assert set(pauses.seconds) == {0, 1}


async def test_what_was_meant_for_somebody_before_is_dropped(manager: PolledManager) -> None:
    manager.put("ann", 1, f"start(old,red,{STEPS},5,5)")
    manager.put("ann", 2, "play(old,nil)")
    async with polling(manager, Pauses()) as player:
        await polled(manager, 5)
        assert await manager.ask("ann", 3, "ping()") == "ready"
        assert not player.has_matches


async def test_abort_comes_while_a_move_is_due(manager: PolledManager) -> None:
    async with polling(manager, Pauses()):
        await polled(manager)
        manager.put("ann", 1, f"start(m,red,{STEPS},5,5)")
        manager.put("ann", 2, "abort(m)")
        replies = {(await manager.replies.get())[1:] for _ in range(2)}
    assert replies == {("1", "ready"), ("2", "aborted")}


async def test_a_message_that_comes_again_gets_the_same_reply(manager: PolledManager) -> None:
    async with polling(manager, Pauses()):
        await polled(manager)
        assert await manager.ask("ann", 1, f"start(m,red,{STEPS},5,5)") == "ready"
        for _ in range(3):
            assert await manager.ask("ann", 2, "play(m,nil)") == "say(1)"
        for _ in range(3):
            assert await manager.ask("ann", 3, "play(m,{say(1),say(1)})") == "say(2)"


async def test_a_manager_that_goes_away_and_comes_back(
    manager: PolledManager, caplog: pytest.LogCaptureFixture
) -> None:
    pauses = Pauses()
    async with polling(manager, pauses):
        await polled(manager)
        assert await manager.ask("ann", 1, f"start(m,red,{STEPS},5,5)") == "ready"
        await manager.stop()
        await pauses.news.until(lambda: PAUSES[-1] in pauses.seconds)
        await manager.start()
        with caplog.at_level(logging.INFO):
            assert await manager.ask("ann", 2, "play(m,nil)") == "say(1)"
    gone = pauses.seconds[pauses.seconds.index(PAUSES[1]) - 1 :]
    assert tuple(gone[: len(PAUSES)]) == PAUSES
    assert caplog.text.count("cannot be asked") == 1
    assert "is there again" in caplog.text


async def test_a_reply_that_is_refused_is_sent_again(manager: PolledManager) -> None:
    pauses = Pauses()
    async with polling(manager, pauses):
        await polled(manager)
        manager.put("ann", 1, "ping()")
        await manager.news.until(lambda: not manager.messages["ann"])
        manager.refusals = 2
        assert (await manager.replies.get())[2] == "ready"
    assert manager.refusals == 0


@pytest.mark.parametrize(
    "text", ["<html>it works</html>", "message(1)", "message(1,manager,info()", "(info)", "\x00"]
)
async def test_answers_that_are_no_messages(
    text: str, manager: PolledManager, caplog: pytest.LogCaptureFixture
) -> None:
    async with polling(manager, Pauses()):
        await polled(manager)
        manager.messages["ann"].append(text)
        assert await manager.ask("ann", 2, "ping()") == "ready"
    assert "no message in its envelope" in caplog.text


async def test_a_wrong_message_gets_a_sentence(manager: PolledManager) -> None:
    async with polling(manager, Pauses()):
        await polled(manager)
        reply = await manager.ask("ann", 1, "start(m,red,5)")
        assert reply.startswith("error: character")
        assert (await manager.ask("ann", 2, "hello()")).startswith("error: character")


async def test_a_failure_of_ours_does_not_end_the_polling(
    manager: PolledManager, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_text: str) -> None:
        monkeypatch.undo()
        raise ZeroDivisionError

    async with polling(manager, Pauses()):
        await polled(manager)
        monkeypatch.setattr(server_polling, "parse_envelope", fail)
        manager.put("ann", 1, "ping()")
        assert await manager.ask("ann", 2, "ping()") == "ready"
    assert "could not be asked" in caplog.text


@pytest.mark.thorough
async def test_the_command(manager: PolledManager) -> None:
    command = (sys.executable, "-m", "ggp_player", "serve", "--port", "0", "--strategy", "legal")
    flags = ("--poll", manager.url, "--as", "ann", "--poll-interval", "0.05", "--no-archive")
    process = await asyncio.create_subprocess_exec(
        *command,
        *flags,
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(LIMIT):
            await polled(manager)
            assert await manager.ask("ann", 1, f"start(m,red,{STEPS},5,5)") == "ready"
            assert await manager.ask("ann", 2, "play(m,nil)") == "say(1)"
            process.send_signal(signal.SIGINT)
            output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0
    assert f"polling    {manager.url} as ann" in output.decode()


def test_where_replies_go() -> None:
    config = Config(poll="http://m:80/get", poll_reply="http://m:80/put", name="bob")
    poller = Poller(Player(config))
    assert (str(poller.address), str(poller.reply_address)) == ("http://m/get", "http://m/put")
    assert (poller.name, poller.host) == ("bob", "m:80")
    assert len(REPLY_PAUSES) > 2
