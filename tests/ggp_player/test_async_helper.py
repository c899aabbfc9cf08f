"""A helper that fails in any way is ended, and the next to ask has another."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

import pytest

from ggp_player.async_helper import AsyncHelper

SECONDS = 60.0
"""For what takes no time, on a machine that does much else."""

PROGRAM = """
import sys, time
for line in sys.stdin:
    if line == "hang\\n":
        time.sleep(600)
    if line == "flood\\n":
        line = "x" * 2**20
    if line == "die\\n":
        sys.exit(1)
    print(line, end="", flush=True)
"""


@pytest.fixture
async def helper() -> AsyncIterator[AsyncHelper]:
    found = AsyncHelper([sys.executable, "-c", PROGRAM], most=1000)
    yield found
    await found.close()


async def test_lines_come_back_from_one_process(helper: AsyncHelper) -> None:
    assert helper.process is None
    for line in (b"first\n", b"second\n"):
        assert await helper.ask(line, SECONDS) == line
        assert helper.is_alive
    process = helper.process
    await helper.start()
    assert helper.process is process


@pytest.mark.parametrize(
    ("line", "seconds", "error"),
    [
        (b"hang\n", 0.1, TimeoutError),
        (b"flood\n", SECONDS, ValueError),
        (b"die\n", SECONDS, ConnectionResetError),
    ],
)
async def test_one_that_fails_is_followed_by_another(
    helper: AsyncHelper, line: bytes, seconds: float, error: type[Exception]
) -> None:
    assert await helper.ask(b"line\n", SECONDS)
    first = helper.process
    with pytest.raises(error):
        await helper.ask(line, seconds)
    assert not helper.is_alive
    assert await helper.ask(b"again\n", SECONDS) == b"again\n"
    assert helper.process is not first
    assert first is not None
    assert first.returncode is not None


async def test_what_nobody_waits_for_any_more_is_no_answer(helper: AsyncHelper) -> None:
    await helper.start()
    asked = asyncio.create_task(helper.ask(b"first\n", SECONDS))
    await asyncio.sleep(0)
    asked.cancel()
    await asyncio.wait([asked])
    assert asked.cancelled()
    assert not helper.is_alive
    assert await helper.ask(b"second\n", SECONDS) == b"second\n"


async def test_closing_ends_the_process(helper: AsyncHelper) -> None:
    await helper.start()
    process = helper.process
    assert process is not None
    await helper.close()
    assert process.returncode is not None
    assert helper.process is None


async def test_closing_waits_for_one_that_is_being_ended(helper: AsyncHelper) -> None:
    await helper.start()
    process = helper.process
    assert process is not None
    asked = asyncio.create_task(helper.ask(b"hang\n", SECONDS))
    await asyncio.sleep(0)
    asked.cancel()
    for _ in range(10):  # until it is being ended, which takes longer than that
        await asyncio.sleep(0)
    assert helper.process is None
    asked.cancel()  # as a loop does that ends
    await helper.close()
    assert process.returncode is not None


async def test_a_program_that_cannot_be_started() -> None:
    helper = AsyncHelper(["/nowhere/at/all"])
    with pytest.raises(FileNotFoundError):
        await helper.ask(b"line\n", SECONDS)
    await helper.close()
