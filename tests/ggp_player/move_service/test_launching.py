"""A fork server that does not answer holds up nothing, and is replaced."""

import asyncio
import os
import signal
import time
from multiprocessing import forkserver

import pytest

from gdl.system import start_method
from ggp_player.move_service import launching
from ggp_player.server.config import Config
from ggp_player.server.player import Player
from tests.support.loop_watch import LoopWatch

pytestmark = pytest.mark.skipif(start_method() != "forkserver", reason="there is none here")


def fork_server() -> int:
    pid = getattr(forkserver._forkserver, "_forkserver_pid", None)
    assert pid is not None
    return pid


async def test_a_stopped_fork_server_costs_no_reply(
    fields: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(launching, "ANSWER_SECONDS", 0.3)
    async with Player(Config(strategy="legal", spares=0)) as player:
        start = f"(START {{}} xena ({fields}) 30 9)"
        assert await player.reply(start.format("first")) == "ready"
        await player.reply("(ABORT first)")
        stopped = fork_server()
        os.kill(stopped, signal.SIGSTOP)
        with LoopWatch() as watch:
            starting = asyncio.create_task(player.reply(start.format("second")))
            await asyncio.sleep(0)
            assert "busy" in await player.reply("( INFO )")
            assert not starting.done()
            assert await starting == "ready"
            assert await player.reply("(PLAY second NIL)") == "(claim 1)"
        assert watch.long == []
        assert fork_server() != stopped
    assert "the fork server has not answered for 0.3 s and is replaced" in caplog.text


async def test_a_start_is_answered_in_time_where_no_worker_comes(
    fields: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "ANSWER_SECONDS", 2.0)
    async with Player(Config(strategy="legal", spares=0)) as player:
        await player.reply(f"(START first xena ({fields}) 30 9)")
        await player.reply("(ABORT first)")
        os.kill(fork_server(), signal.SIGSTOP)
        began = time.monotonic()
        assert await player.reply(f"(START second xena ({fields}) 1 1)") == "ready"
        assert time.monotonic() - began < 1
