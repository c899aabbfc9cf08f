"""The processes of people: they are started when wanted, replaced when they die, and bounded."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest

from ggp_player.errors import ServerError
from ggp_player.manager_service.scheduling import people
from ggp_player.manager_service.scheduling.people import People, Person

LIMIT = 60
"""Seconds for a test, on a machine that does much else."""


@pytest.fixture
async def everybody() -> AsyncIterator[People]:
    found = People()
    yield found
    await found.close()


async def page(person: Person) -> int:
    """Ask for the page; return the status."""
    async with (
        person.session() as session,
        session.get(f"{people.base_of(person.name)}/") as answer,
    ):
        return answer.status


@pytest.mark.thorough
async def test_a_process_that_was_killed_is_started_again(everybody: People) -> None:
    async with asyncio.timeout(LIMIT):
        ann = await everybody.start("ann")
        assert await page(ann) == 200
        process = ann.helper.process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()
        assert not ann.helper.is_alive
        await everybody.start("ann")
        assert await page(ann) == 200


@pytest.mark.thorough
async def test_a_match_hears_that_the_process_was_killed(everybody: People) -> None:
    async with asyncio.timeout(LIMIT):
        ann = await everybody.start("ann")
        rules = (
            "(role ann) (init a) (legal ann x) (legal ann y) (<= terminal (true b)) (goal ann 1)"
        )
        assert await ann.send(f"(START m ann ({rules}) 10 10)") == "ready"
        asked = asyncio.create_task(ann.send("(PLAY m NIL)"))
        process = ann.helper.process
        assert process is not None
        async with ann.session() as session, session.get("/people/ann/events") as answer:
            async for line in answer.content:
                if b'"choosing":["ann"]' in line:
                    os.kill(process.pid, signal.SIGKILL)
                    break
        with pytest.raises(ServerError, match="the page of ann has failed"):
            await asked


@pytest.mark.thorough
async def test_who_gives_up_while_a_process_starts_leaves_none(everybody: People) -> None:
    async with asyncio.timeout(LIMIT):
        ann = everybody.of("ann")
        starting = asyncio.create_task(ann.start())
        await asyncio.sleep(0)
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        assert not ann.helper.is_alive
        await ann.start()
        assert await page(ann) == 200


@pytest.mark.thorough
async def test_there_are_not_more_processes_than_allowed(
    everybody: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "MAX_PEOPLE", 1)
    async with asyncio.timeout(LIMIT):
        await everybody.start("ann")
        with pytest.raises(ServerError, match="1 people here already"):
            await everybody.start("bob")
        await everybody.start("ann")
        await everybody.forget("ann")
        await everybody.start("bob")


async def test_who_looks_is_here_until_the_last_page_is_closed(everybody: People) -> None:
    changed: list[str] = []
    everybody.on_change = changed.append
    assert not everybody.is_here("ann")
    with everybody.viewing("ann"):
        with everybody.viewing("ann"):
            assert everybody.is_here("ann")
        assert everybody.is_here("ann")
    assert not everybody.is_here("ann")
    assert changed == ["ann"] * 4
