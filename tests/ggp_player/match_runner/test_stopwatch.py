"""Clocks of requests, where the event loop runs and where it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from ggp_player.match_runner import stopwatch
from ggp_player.match_runner.own_faults import SelfWatch
from ggp_player.match_runner.stopwatch import Stopwatch
from tests.support.clocks import FakeClock


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long stopwatches wait, which they do not do."""
    found: list[float] = []

    def wait(_watch: Stopwatch, seconds: float) -> None:
        found.append(seconds)

    monkeypatch.setattr(Stopwatch, "_wait", wait)
    return found


async def time_out(watch: Stopwatch, act: Callable[[], None]) -> None:
    """Act, and wait for what does not come, until the time is over."""

    async def wait() -> None:
        async with watch:
            act()
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await wait()


async def test_a_loop_that_runs_gives_no_grace(waited: list[float]) -> None:
    clock = FakeClock()
    watch = Stopwatch(clock, 3.0, SelfWatch(clock))

    def act() -> None:
        watch.start()
        clock.now += 3.01
        watch._end()

    await time_out(watch, act)
    assert waited == [stopwatch.SEND_LIMIT, 3.0]
    assert watch.times()[0] == pytest.approx(3.01)


async def test_what_came_while_nobody_looked_is_taken(waited: list[float]) -> None:
    clock = FakeClock()
    own = SelfWatch(clock)
    watch = Stopwatch(clock, 3.0, own)
    async with watch:
        watch.start()
        clock.now += 1
        own.tick()
        clock.now += 10  # the loop does not run until 8 s after the end
        own.tick()
        watch._end()
        await asyncio.sleep(0)
        assert watch.times() == (3.0, 0.0)
    assert waited == [stopwatch.SEND_LIMIT, 3.0, stopwatch.MAX_GRACE]


async def test_a_grace_ends(waited: list[float]) -> None:
    clock = FakeClock()
    own = SelfWatch(clock)
    watch = Stopwatch(clock, 3.0, own)

    def act() -> None:
        watch.start()
        own.tick()
        clock.now += 3.2
        own.tick()
        watch._end()
        for _ in range(5):
            clock.now += 0.05
            own.tick()
        watch._end()

    await time_out(watch, act)
    assert waited == [stopwatch.SEND_LIMIT, 3.0, stopwatch.MIN_GRACE]


async def test_sending_has_its_time_while_the_loop_runs(waited: list[float]) -> None:
    clock = FakeClock()
    own = SelfWatch(clock)
    watch = Stopwatch(clock, 3.0, own)

    def act() -> None:
        own.tick()
        clock.now += 4
        own.tick()
        watch._end()
        watch._end()

    await time_out(watch, act)
    assert waited == [stopwatch.SEND_LIMIT, pytest.approx(4)]
    assert not watch.is_running
