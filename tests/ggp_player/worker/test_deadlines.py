"""A wait ends with its deadline, its condition or its cancellation, whichever is first."""

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.protocol import Start
from ggp_player.worker.service import CancellableDeadline
from ggp_player.worker.supervisor import COMPILE_SHARE, MAX_COMPILE_SECONDS, compile_seconds
from tests.support.clocks import FakeClock

CLOCKS = st.integers(0, 10**6)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def deadline(clock: FakeClock) -> CancellableDeadline:
    """A deadline an hour away, on a clock that stands still."""
    return CancellableDeadline.after(3600, clock)


async def begun(wait: CancellableDeadline, condition: Callable[[], bool]) -> asyncio.Task[None]:
    """Begin a wait, and return when it waits."""
    task = asyncio.create_task(wait.wait(condition))
    await turns()
    return task


async def turns() -> None:
    """Let every task run until it waits."""
    for _ in range(5):
        await asyncio.sleep(0)


@given(CLOCKS, CLOCKS)
def test_rules_are_waited_for_during_a_share_of_the_clock_that_runs(start: int, play: int) -> None:
    request = Start("m", "x", "", start, play)
    for has_begun, clock in ((False, start), (True, play)):
        seconds = compile_seconds(request, has_begun)
        assert 0 <= seconds <= COMPILE_SHARE * clock
        assert seconds == MAX_COMPILE_SECONDS or seconds == COMPILE_SHARE * clock


def test_no_clock_makes_it_wait_longer_than_the_limit() -> None:
    request = Start("m", "x", "", 10**6, 50)
    assert compile_seconds(request, has_begun=False) == MAX_COMPILE_SECONDS
    assert compile_seconds(request, has_begun=True) == pytest.approx(30)


def test_it_is_over_when_the_deadline_has_passed(
    clock: FakeClock, deadline: CancellableDeadline
) -> None:
    assert not deadline.has_passed
    clock.now += 3600
    assert deadline.has_passed


async def test_it_is_over_when_it_is_cut_short(deadline: CancellableDeadline) -> None:
    deadline.notify()
    assert not deadline.has_passed
    task = await begun(deadline, lambda: False)
    assert not task.done()
    deadline.cut_short()
    await task
    assert deadline.has_passed
    await deadline.wait(lambda: False)


async def test_nothing_is_waited_for_that_holds_already(deadline: CancellableDeadline) -> None:
    with pytest.raises(StopIteration):
        deadline.wait(lambda: True).send(None)


async def test_who_is_notified_waits_on_until_the_condition_holds(
    deadline: CancellableDeadline,
) -> None:
    known: set[str] = set()
    first = await begun(deadline, lambda: "first" in known)
    second = await begun(deadline, lambda: "second" in known)
    for news, done in (("", []), ("first", [first]), ("", [first]), ("second", [first, second])):
        known.add(news)
        deadline.notify()
        await turns()
        assert [task for task in (first, second) if task.done()] == done
    assert not deadline.has_passed


async def test_a_timer_that_goes_off_early_is_not_the_end(clock: FakeClock) -> None:
    deadline = CancellableDeadline.after(1, clock)
    clock.now += 1 - 1e-6
    asked = 0

    def condition() -> bool:
        nonlocal asked
        asked += 1
        if asked == 3:
            clock.now = deadline.at
        return False

    await deadline.wait(condition)
    assert asked == 3
    assert deadline.has_passed


async def test_who_waits_can_be_cancelled(deadline: CancellableDeadline) -> None:
    task = await begun(deadline, lambda: False)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not deadline.has_passed
