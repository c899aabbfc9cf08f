"""A fork server that does not answer holds up nothing, and is replaced."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from multiprocessing import forkserver, resource_tracker
from pathlib import Path

import pytest

from gdl.system import is_stopped, start_method
from ggp_player.server.config import Config
from ggp_player.server.player import Player
from ggp_player.worker import launching
from tests.support.left_behind import becomes_true
from tests.support.loop_watch import LoopWatch

pytestmark = pytest.mark.skipif(start_method() != "forkserver", reason="there is none here")

kills_and_stops = pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])


A_WAIT = 0.2
"""Seconds: more than a busy machine stops for, less than anything that waits for a fork server."""


def fork_server() -> int:
    """The process of the fork server, 0 where there is none."""
    return getattr(forkserver._forkserver, "_forkserver_pid", None) or 0


async def become_true(condition: Callable[[], bool]) -> None:
    assert await asyncio.to_thread(becomes_true, condition, 20)


def is_replaced(struck: int) -> bool:
    return fork_server() not in (0, struck)


@asynccontextmanager
async def warm_player(fields: str, *, spares: int) -> AsyncIterator[Player]:
    """Run a player that has played a match."""
    async with Player(Config(strategy="legal", spares=spares)) as player:
        assert await player.reply(f"(START first xena ({fields}) 30 9)") == "ready"
        await player.reply("(ABORT first)")
        yield player


@pytest.mark.thorough
@kills_and_stops
async def test_a_match_can_begin_while_the_fork_server_is_replaced(
    fields: str, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with warm_player(fields, spares=0) as player:
        monkeypatch.setattr(launching, "PAUSES", (60.0,))
        struck = fork_server()
        os.kill(struck, number)
        with LoopWatch(A_WAIT) as watch:
            starting = asyncio.create_task(player.reply(f"(START second xena ({fields}) 30 9)"))
            await asyncio.sleep(0)
            assert "busy" in await player.reply("( INFO )")
            assert await starting == "ready"
            assert await player.reply("(PLAY second NIL)") == "(claim 1)"
        assert watch.long == []


@pytest.mark.thorough
@kills_and_stops
async def test_spares_are_there_again_while_the_fork_server_is_replaced(
    fields: str, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with warm_player(fields, spares=2) as player:
        monkeypatch.setattr(launching, "PAUSES", (60.0,))
        os.kill(fork_server(), number)
        for name in ("second", "third"):
            assert await player.reply(f"(START {name} xena ({fields}) 30 9)") == "ready"
            await player.reply(f"(ABORT {name})")
        pool = player._pool
        await become_true(lambda: len(pool._spares) == 2)


async def test_a_spare_that_dies_is_replaced(fields: str) -> None:
    async with warm_player(fields, spares=2) as player:
        pool = player._pool
        await become_true(lambda: len(pool._spares) == 2)
        before = {spare.pid for spare in pool._spares}
        os.kill(min(before), signal.SIGKILL)
        await become_true(
            lambda: len(pool._spares) == 2 and {spare.pid for spare in pool._spares} != before
        )


@pytest.mark.thorough
@kills_and_stops
async def test_the_fork_server_is_replaced(
    fields: str, number: signal.Signals, caplog: pytest.LogCaptureFixture
) -> None:
    async with warm_player(fields, spares=0):
        struck = fork_server()
        os.kill(struck, number)
        await become_true(partial(is_replaced, struck))
    assert "the fork server is dead or stopped, and is replaced" in caplog.text


@pytest.mark.thorough
async def test_a_stopped_tracker_of_resources_holds_up_nothing(fields: str) -> None:
    async with warm_player(fields, spares=0) as player:
        tracker = getattr(resource_tracker._resource_tracker, "_pid", None)
        assert tracker is not None
        os.kill(tracker, signal.SIGSTOP)
        await become_true(lambda: is_stopped(tracker))
        with pytest.warns(UserWarning, match="died unexpectedly"):
            assert await player.reply(f"(START second xena ({fields}) 30 9)") == "ready"


@pytest.mark.thorough
async def test_workers_that_end_while_the_fork_server_is_stopped_leave_no_descriptors(
    fields: str,
) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    async with warm_player(fields, spares=0) as player:
        pool = player._pool
        await become_true(lambda: not pool._workers)
        before = descriptors()
        for name in ("second", "third"):
            assert await player.reply(f"(START {name} xena ({fields}) 30 9)") == "ready"
            stopped = fork_server()
            os.kill(stopped, signal.SIGSTOP)
            await player.reply(f"(ABORT {name})")
            await become_true(partial(is_replaced, stopped))
            await become_true(lambda: not pool._workers)
        await become_true(lambda: descriptors() <= before)


async def test_a_start_is_answered_in_time_where_no_worker_comes(
    fields: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = asyncio.Event()

    async def hang(*_: object) -> None:
        await never.wait()
        raise OSError("there is no room for a process")

    async with warm_player(fields, spares=0) as player:
        monkeypatch.setattr(player._pool._launcher, "start", hang)
        began = time.monotonic()
        assert await player.reply(f"(START second xena ({fields}) 1 1)") == "ready"
        assert time.monotonic() - began < 1
        never.set()


async def test_a_system_that_has_no_thread_is_said_in_a_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(launching, "PAUSES", (0.0, 60.0))
    launcher = launching.Launcher()
    with monkeypatch.context() as patches:
        patches.setattr(threading.Thread, "start", start)
        with pytest.raises(OSError, match="can't start new thread"):
            await launcher.start(print, ())
    await launcher.close()
    [record] = caplog.records
    assert record.getMessage() == "no process can be forked: can't start new thread"
    assert record.exc_info is None
