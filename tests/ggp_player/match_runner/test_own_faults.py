"""What the manager lacks itself, and when its event loop did not run."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket

import aiohttp
import pytest

from ggp_player.errors import ServerError
from ggp_player.match_runner.own_faults import (
    NOTE_SECONDS,
    TICK_SECONDS,
    LackError,
    SelfWatch,
    lack_in,
)
from tests.support.clocks import FakeClock


def failed(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (failed(errno.EMFILE), "open files"),
        (failed(errno.ENOBUFS), "buffers of the network"),
        (failed(errno.ENOMEM), "memory"),
        (MemoryError(), "memory"),
        (RuntimeError("can't start new thread"), "threads"),
        (socket.gaierror(socket.EAI_MEMORY, "memory"), "means to look up a name"),
        (caused(ServerError("ann: closed"), failed(errno.EMFILE)), "open files"),
        (LackError("threads", was_sent=False), "threads"),
        (failed(errno.ECONNREFUSED), ""),
        (failed(errno.ENOSPC), ""),
        (socket.gaierror(socket.EAI_NONAME, "no name"), ""),
        (RuntimeError("something else"), ""),
        (ServerError("nothing listens there"), ""),
        (TimeoutError(), ""),
    ],
    ids=repr,
)
def test_which_errors_are_our_own(error: Exception, what: str) -> None:
    assert lack_in(error) == what


async def test_a_connection_that_cannot_be_opened_is_our_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_socket(*_: object, **__: object) -> socket.socket:
        raise failed(errno.EMFILE)

    monkeypatch.setattr(socket, "socket", no_socket)
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectorError) as found:
            await session.get("http://127.0.0.1:9/")
    assert lack_in(found.value) == "open files"


async def test_nothing_is_a_stall_once_nobody_looks() -> None:
    clock = FakeClock()
    watch = SelfWatch(clock)
    looking = asyncio.create_task(watch.run())
    await asyncio.sleep(0)
    clock.now += 10
    assert watch.stalled(0, clock.now) == pytest.approx(10)
    looking.cancel()
    await asyncio.wait([looking])
    assert watch.stalled(0, clock.now) == 0


def test_when_the_loop_did_not_run() -> None:
    clock = FakeClock()
    watch = SelfWatch(clock)
    assert watch.stalled(0, 1000) == 0
    for _ in range(3):
        watch.tick()
        clock.now += TICK_SECONDS
    watch.tick()
    began = clock.now
    clock.now += 5
    assert watch.stalled(began + 2, clock.now) == pytest.approx(3)  # nobody has looked yet
    watch.tick()
    clock.now += TICK_SECONDS
    watch.tick()
    assert watch.stalled(began + 2, clock.now) == pytest.approx(3)
    assert watch.stalled(began - 9, began + 1) == pytest.approx(1)
    assert watch.stalled(began + 5, clock.now) == 0


def test_a_lack_is_logged_once_in_a_while(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    clock = FakeClock()
    watch = SelfWatch(clock)
    for what in ("open files", "open files", "threads"):
        watch.note(what)
    clock.now += NOTE_SECONDS
    watch.note("threads")
    lines = [record.getMessage() for record in caplog.records]
    assert lines == [
        f"the manager lacks {what}: matches wait, and no player is blamed"
        for what in ("open files", "threads", "threads")
    ]
