"""Who can be called upon, on a clock of the test."""

from __future__ import annotations

from ggp_player.manager_service.scheduling.clients import AbsentPlayer, check_address
from ggp_player.manager_service.scheduling.roster import (
    PATIENCE,
    PERSON_PATIENCE,
    PERSON_PAUSE,
    Roster,
)
from ggp_player.manager_service.storage.store import StoredPlayer
from tests.support.stub_players import StubPlayer, listen, port_of


async def test_a_player_that_does_not_answer_is_waited_for_and_then_played_without() -> None:
    now = [100.0]
    roster = Roster(lambda: now[0])
    roster.put(StoredPlayer("ann", "127.0.0.1:1"))
    found = await roster.check("ann")
    assert found is not None
    assert (found.status, found.problem) == ("unreachable", "nothing listens there")
    assert not roster.can_begin("ann")
    now[0] += PATIENCE + 1
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


def test_registrations_expire() -> None:
    now = [1000]
    roster = Roster(now=lambda: now[0])
    roster.put(StoredPlayer("ann", "127.0.0.1:1", expires=2000))
    roster.put(StoredPlayer("bob", "127.0.0.1:2"))
    assert roster.expired() == []
    now[0] = 2001
    assert roster.expired() == ["ann"]
    assert roster.remove("ann")


def test_a_player_that_has_left_may_come_back() -> None:
    now = [100.0]
    roster = Roster(lambda: now[0])
    assert not roster.can_begin("ann")
    now[0] += 10 * PATIENCE
    assert roster.can_begin("ann")
    roster.put(StoredPlayer("ann", "127.0.0.1:1"))
    assert roster.remove("ann")
    assert not roster.can_begin("ann")
    now[0] += PATIENCE + 1
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
    now = [100.0]
    roster = Roster(lambda: now[0])
    roster.put(StoredPlayer("ann", "human"))
    now[0] += 10 * PERSON_PATIENCE
    assert not roster.can_begin("ann")
    now[0] += PERSON_PATIENCE + 1
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
    now = [100.0]
    roster = Roster(lambda: now[0])
    roster.put(StoredPlayer("ann", "human"))
    with roster.clients.people.viewing("ann"):
        roster.enter("ann", "match 1")
        assert not roster.can_begin("ann")
        roster.leave("ann", "match 1")
        assert not roster.can_begin("ann")
        now[0] += PERSON_PAUSE
        assert roster.can_begin("ann")
    await roster.clients.people.close()
