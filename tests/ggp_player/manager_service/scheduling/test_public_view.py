"""What is shown late is shown as it was then: live events, matches, counts and results agree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import gdl
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.manager_service.scheduling import public_view
from ggp_player.manager_service.scheduling.news import News
from ggp_player.manager_service.scheduling.public_view import PublicView, step_shown
from ggp_player.manager_service.storage.database import Database
from ggp_player.manager_service.storage.store import (
    EventMatch,
    Store,
    StoredEvent,
    StoredGame,
)
from ggp_player.match_runner.game_manager import MatchStep

DELAY = 60

RESULT: dict[str, Any] = {
    "match_id": "m",
    "game": "nim",
    "round": 1,
    "seed": 1,
    "roles": ("one", "two"),
    "players": ("ann", "bob"),
    "goals": (100, 0),
    "errors": ((), ()),
    "longest_replies": (0.0, 0.0),
    "failure": "",
}


class Clock:
    """A time of day in milliseconds that is set in seconds."""

    def __init__(self) -> None:
        self.seconds = 0

    def __call__(self) -> int:
        return 1000 * (1_800_000_000 + self.seconds)


class Held:
    """An event, and what its scheduler tells, at times that are set; ``news`` is what is told."""

    def __init__(self, store: Store, clock: Clock, **settings: object) -> None:
        self.store, self.clock = store, clock
        self.news = News(clock)
        self.view = PublicView(store, self.news, clock)
        store.put_game(StoredGame("nim", "d" * 64, ("one", "two"), "(role one)"))
        given = {"format": "swiss", "seed": "s", "nonce": "n", **settings}
        self.event = store.add_event("cup", given, {"nim": "d" * 64})
        self.view.event_started(self.event)

    def plan(self, number: int, count: int) -> list[EventMatch]:
        planned = [
            PlannedMatch(f"{number}.{seat}", "nim", number, ("ann", "bob"), 5)
            for seat in range(count)
        ]
        return self.store.add_matches(self.event, planned)

    def begin(self, match: EventMatch) -> EventMatch:
        assert self.store.begin_attempt(match)
        found = self.store.match(match.id)
        assert found is not None
        self.view.match_started(found)
        return found

    def break_off(self, match: EventMatch) -> None:
        self.store.give_back(match.id, match.match_id, "stopped")
        self.view.match_left(match)

    def end(self, match: EventMatch) -> None:
        self.store.finish(match.id, match.match_id, RESULT, "{}")
        self.view.match_ended(match, MatchResult(**RESULT))
        self.view.match_left(match)

    def shown(self) -> list[tuple[int, str, int]]:
        """Return round, status and attempts of each match, as they are shown."""
        self.view.release()
        found = self.view.matches(self.event.id)
        restarted = PublicView(self.store, News(), self.clock)
        assert restarted.matches(self.event.id) == found
        assert [self.view.match(one.id) for one in found] == found
        statuses = [one.status for one in found]
        assert self.view.counts() == {one: statuses.count(one) for one in statuses}
        assert len(self.view.results()) == statuses.count("completed")
        for one in found:
            assert (one.result is None) is (one.status != "completed") is (one.ended is None)
            assert (self.view.record(one) is None) is (one.status != "completed")
            assert self.view.matches(None, (one.status,)).count(one) == 1
        running = {one.id for one in found if one.status == "running"}
        assert running == self.view.running.keys()
        return [(one.round, one.status, one.attempts) for one in found]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Store]:
    is_file = request.param == "sqlite"
    name = str(tmp_path / "m") if is_file else request.getfixturevalue("postgresql")
    with closing(Database(name)) as database:
        yield Store(database.engine, clock)


async def test_everything_of_an_event_is_shown_after_its_delay(store: Store, clock: Clock) -> None:
    held = Held(store, clock, spectator_delay=DELAY)
    with held.news.follow() as queue:
        first, second = held.plan(1, 2)
        clock.seconds = 10
        attempt = held.begin(first)
        clock.seconds = 20
        held.break_off(attempt)
        clock.seconds = 30
        attempt, other = held.begin(attempt_waits(held, first)), held.begin(second)
        clock.seconds = 40
        held.end(attempt)
        held.end(other)
        held.plan(2, 1)
        clock.seconds = 50
        assert store.end_event(held.event.id, "cancelled")
        held.view.event_ended(held.event.id, "cancelled")
        assert held.view.ratings(held.event.id) == {}
        shown = {}
        for clock.seconds in (69, 70, 80, 90, 99, 100, 109, 110):
            shown[clock.seconds] = held.shown()
            event = held.view.event(held.event.id)
            assert event is not None
            assert (event.status == "running") is (event.ended is None) is (clock.seconds < 110)
    assert shown == {
        69: [(1, "waiting", 0), (1, "waiting", 0)],
        70: [(1, "running", 1), (1, "waiting", 0)],
        80: [(1, "waiting", 1), (1, "waiting", 0)],
        90: [(1, "running", 2), (1, "running", 1)],
        99: [(1, "running", 2), (1, "running", 1)],
        100: [(1, "completed", 2), (1, "completed", 1), (2, "waiting", 0)],
        109: [(1, "completed", 2), (1, "completed", 1), (2, "waiting", 0)],
        110: [(1, "completed", 2), (1, "completed", 1), (2, "cancelled", 0)],
    }
    told = [json.loads(queue.get_nowait() or b"") for _ in range(queue.qsize())]
    assert [(item["kind"], item["time"] // 1000 - 1_800_000_000) for item in told] == [
        ("match_started", 70),
        *[("match_started", 90)] * 2,
        *[("match_ended", 100)] * 2,
        ("event_ended", 110),
    ]
    held.view.close()


def attempt_waits(held: Held, match: EventMatch) -> EventMatch:
    """Return a match as it waits for its next attempt."""
    found = held.store.match(match.id)
    assert found is not None
    return found


async def test_an_event_without_a_delay_is_shown_as_it_is_beside_one_that_has_one(
    store: Store, clock: Clock
) -> None:
    late, held = Held(store, clock, spectator_delay=DELAY), Held(store, clock)
    late.plan(1, 1)
    [match] = held.plan(1, 1)
    view = PublicView(store, News(), clock)
    held.end(held.begin(match))
    late.end(late.begin(late.store.matches(late.event.id)[0]))
    assert [one.status for one in view.matches()] == ["waiting", "completed"]
    assert len(view.results()) == 1
    for one in (late, held):
        one.view.close()


async def test_steps_beyond_what_is_kept_are_not_told(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_view, "MAX_DELAYED", 3)
    held = Held(store, clock, spectator_delay=DELAY)
    [match] = held.plan(1, 1)
    attempt = held.begin(match)
    for number in range(5):
        held.view.step_made(attempt, step(number), hides=False)
    held.end(attempt)
    with held.news.follow() as queue:
        clock.seconds = DELAY
        held.view.release()
        kinds = [json.loads(queue.get_nowait() or b"")["kind"] for _ in range(queue.qsize())]
    assert kinds == ["match_started", "match_step", "match_step", "match_ended"]


def step(number: int) -> MatchStep:
    """Return a step of two roles in which one is late and the other moves illegally."""
    moves = tuple(map(gdl.parse_term, ("(take 1)", "(take 2)")))
    return MatchStep(number, moves, ("TO", "IL (take 9)"), (1.0, 0.5), 0, (0.1, 0.1))


def test_of_a_step_in_which_something_is_hidden_only_who_was_late_is_told() -> None:
    assert step_shown(step(1), hides=True) == {"errors": ["TO", ""]}
    assert step_shown(step(1), hides=False) == {
        "moves": ["(take 1)", "(take 2)"],
        "errors": ("TO", "IL (take 9)"),
        "seconds": [1.0, 0.5],
        "overheads": [0.1, 0.1],
    }


def test_a_database_of_before_has_events_without_delays(store: Store, clock: Clock) -> None:
    event = store.add_event("old", {"format": "single", "seed": 0}, {})
    view = PublicView(store, News(), clock)
    assert view.event(event.id) == StoredEvent(
        event.id, "old", {"format": "single", "seed": 0}, {}, "running", event.created
    )


async def test_the_last_position_of_a_match_is_shown_for_a_moment(
    store: Store, clock: Clock
) -> None:
    held = Held(store, clock, spectator_delay=DELAY)
    (match,) = held.plan(1, 1)
    attempt = held.begin(match)
    clock.seconds = DELAY
    held.view.release()
    held.view.running[match.id].take(1, {"moves": ["a", "b"]})
    held.end(attempt)
    found = []
    for clock.seconds in (DELAY, 2 * DELAY - 1, 2 * DELAY, 2 * DELAY + 19, 2 * DELAY + 20):
        held.view.release()
        found.append([(one.goals, one.moves) for one in held.view.recent()])
    shown = [((100, 0), [("a", "b")])]
    assert found == [[], [], shown, shown, []]


async def test_what_was_hidden_or_broken_off_is_not_shown_when_it_is_over(
    store: Store, clock: Clock
) -> None:
    held = Held(store, clock)
    first, second = (held.begin(one) for one in held.plan(1, 2))
    held.view.running[first.id].take(1, {"errors": ["", ""]})
    held.end(first)
    held.break_off(second)
    assert held.view.recent() == []
