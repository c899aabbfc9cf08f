"""Who can be called upon, on a clock of the test."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from ggp_player.errors import ServerError
from ggp_player.manager.players import RemotePlayer
from ggp_player.manager_service.scheduling.clients import AbsentPlayer, check_address
from ggp_player.manager_service.scheduling.roster import (
    CHECK_PAUSE,
    LONGEST_PAUSE,
    PATIENCE,
    PERSON_PATIENCE,
    PERSON_PAUSE,
    Roster,
)
from ggp_player.manager_service.storage.store import StoredPlayer
from ggp_player.match_runner.players import DistantPlayer
from tests.support.clocks import FakeClock
from tests.support.stub_players import StubPlayer, listen, port_of


async def test_a_player_that_does_not_answer_is_waited_for_and_then_played_without() -> None:
    clock = FakeClock(100.0)
    roster = Roster(clock)
    roster.put(StoredPlayer("ann", "127.0.0.1:1"))
    found = await roster.check("ann")
    assert found is not None
    assert (found.status, found.problem) == ("unreachable", "nothing listens there")
    assert not roster.can_begin("ann")
    clock.now += PATIENCE + 1
    assert roster.can_begin("ann")


async def test_a_player_that_comes_back_is_called_upon_again() -> None:
    roster = Roster(lambda: 100.0)
    async with await listen(StubPlayer()) as server:
        roster.put(StoredPlayer("ann", f"127.0.0.1:{port_of(server)}"))
        assert not roster.can_begin("ann")
        assert await roster.check_all()
        assert roster.can_begin("ann")
        roster.enter("ann", "match 1")
        assert not roster.can_begin("ann")
        roster.leave("ann", "match 2")
        assert not roster.can_begin("ann")
        roster.leave("ann", "match 1")
        assert roster.can_begin("ann")


async def test_a_player_that_listens_nowhere_is_asked_with_growing_pauses() -> None:
    clock, asked = FakeClock(0.0), []
    roster = Roster(clock)
    roster.put(StoredPlayer("ann", "127.0.0.1:1"))
    presence = roster.presences["ann"]
    while clock.now < 2000:
        before = presence.ask_at
        await roster.check_all()
        if presence.ask_at != before:
            asked.append(clock.now)
        clock.now += CHECK_PAUSE
    pauses = [after - before for before, after in pairwise(asked)]
    assert pauses[:7] == [10, 20, 40, 80, 160, 320, 320]
    assert not roster.is_due(presence)
    roster.put(StoredPlayer("ann", "127.0.0.1:1", expires=10**15))
    assert roster.is_due(presence)


async def test_the_log_says_once_who_cannot_be_reached_and_once_who_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    clock = FakeClock(0.0)
    roster = Roster(clock)
    async with await listen(StubPlayer()) as server:
        port = port_of(server)
    roster.put(StoredPlayer("ann", f"127.0.0.1:{port}"))
    for _ in range(50):
        await roster.check_all()
        clock.now += CHECK_PAUSE
    assert caplog.messages == ["ann cannot be reached: nothing listens there"]
    async with await listen(StubPlayer(), port):
        clock.now += LONGEST_PAUSE
        for _ in range(5):
            await roster.check_all()
    assert caplog.messages[1:] == ["ann can be reached again"]


async def test_a_match_that_begins_without_its_player_asks_it_as_rarely() -> None:
    clock = FakeClock(0.0)
    roster = Roster(clock)
    async with await listen(StubPlayer()) as server:
        port = port_of(server)
    found = roster.put(StoredPlayer("ann", f"127.0.0.1:{port}"))
    remote = RemotePlayer("127.0.0.1", port, title="ann")
    assert roster.seat(found, remote) is remote
    await roster.check("ann")
    seated = roster.seat(found, remote)
    assert (seated.name, isinstance(seated, DistantPlayer)) == ("ann", True)
    with pytest.raises(ServerError, match="is not asked again yet"):
        await seated.send("( PLAY m NIL )")
    clock.now += CHECK_PAUSE
    with pytest.raises(ServerError, match="nothing listens there"):
        await seated.send("( PLAY m NIL )")
    assert found.pause == 2 * CHECK_PAUSE
    async with await listen(StubPlayer(), port):
        clock.now += 2 * CHECK_PAUSE
        for _ in range(2):
            assert await seated.send("( INFO )")
    assert (found.status, found.pause) == ("available", 0)


async def test_a_player_that_answers_badly_is_asked_as_often_as_others() -> None:
    async def garbage(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)
        writer.close()

    roster = Roster(lambda: 0.0)
    async with await asyncio.start_server(garbage, "127.0.0.1", 0) as server:
        roster.put(StoredPlayer("ann", f"127.0.0.1:{port_of(server)}"))
        found = await roster.check("ann")
    assert found is not None
    assert (found.status, found.pause) == ("unreachable", 0)
    assert found.problem == "it sends more than 4 heads before its reply"
    assert roster.is_due(found)


def test_registrations_expire() -> None:
    now = 1000
    roster = Roster(now=lambda: now)
    roster.put(StoredPlayer("ann", "127.0.0.1:1", expires=2000))
    roster.put(StoredPlayer("bob", "127.0.0.1:2"))
    assert roster.expired() == []
    now = 2001
    assert roster.expired() == ["ann"]
    assert roster.remove("ann")


def test_a_player_that_has_left_may_come_back() -> None:
    clock = FakeClock(100.0)
    roster = Roster(clock)
    assert not roster.can_begin("ann")
    clock.now += 10 * PATIENCE
    assert roster.can_begin("ann")
    roster.put(StoredPlayer("ann", "127.0.0.1:1"))
    assert roster.remove("ann")
    assert not roster.can_begin("ann")
    clock.now += PATIENCE + 1
    assert roster.can_begin("ann")


def test_a_strategy_plays_as_many_matches_as_there_are() -> None:
    check_address("random")
    roster = Roster()
    roster.put(StoredPlayer("bot", "random"))
    roster.enter("bot", "match 1")
    assert roster.can_begin("bot")
    assert AbsentPlayer("bot").name == "bot"


async def test_a_person_is_waited_for_from_the_first_match_on() -> None:
    check_address("human")
    clock = FakeClock(100.0)
    roster = Roster(clock)
    roster.put(StoredPlayer("ann", "human"))
    clock.now += 10 * PERSON_PATIENCE
    assert not roster.can_begin("ann")
    clock.now += PERSON_PATIENCE + 1
    assert roster.can_begin("ann")
    with roster.clients.people.viewing("ann"):
        assert roster.can_begin("ann")
    assert not roster.can_begin("ann")
    await roster.clients.people.close()


async def test_a_person_whose_page_is_open_stays_registered() -> None:
    roster = Roster(now=lambda: 2001)
    roster.put(StoredPlayer("ann", "human", expires=2000))
    with roster.clients.people.viewing("ann"):
        assert roster.expired() == []
    assert roster.expired() == ["ann"]
    await roster.clients.people.close()


async def test_a_person_rests_between_two_matches() -> None:
    clock = FakeClock(100.0)
    roster = Roster(clock)
    roster.put(StoredPlayer("ann", "human"))
    with roster.clients.people.viewing("ann"):
        roster.enter("ann", "match 1")
        assert not roster.can_begin("ann")
        roster.leave("ann", "match 1")
        assert not roster.can_begin("ann")
        clock.now += PERSON_PAUSE
        assert roster.can_begin("ann")
    await roster.clients.people.close()
