"""Events reach every reader; a slow one loses thoughts, one that never reads is cut off."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from dataclasses import replace

import pytest

from ggp_player.events import (
    EventBus,
    MatchEnded,
    MatchProblem,
    MatchStarted,
    StateReached,
    SubscriptionOverrunError,
    Thoughts,
)
from ggp_player.events import bus as bus_module
from tests.support.events import THOUGHT, new_publisher, play_match, play_turn, started


def test_every_reader_gets_every_event_in_order() -> None:
    bus = EventBus()
    one, other = bus.subscribe("one"), bus.subscribe("other")
    play_match(new_publisher(bus))
    events = one.take()
    assert events == other.take()
    assert isinstance(events[0], MatchStarted)
    assert isinstance(events[-1], MatchEnded)
    assert one.take() == []


def test_a_slow_reader_gets_the_newest_thoughts_and_all_else() -> None:
    bus = EventBus()
    slow, quick = bus.subscribe("slow"), bus.subscribe("quick")
    events = new_publisher(bus)
    events.started(started())
    seen = []
    other = new_publisher(bus, key="other")
    for turn in range(10):
        for seconds in range(10):
            events.thoughts(turn, replace(THOUGHT, seconds=seconds))
            other.thoughts(turn, THOUGHT)
            seen += quick.take()
        events.problem(f"problem {turn}")
    assert sum(isinstance(event, Thoughts) for event in seen) == 200
    late = [event for event in slow.take() if event.match == events.match][1:]
    assert [type(event) for event in late] == [Thoughts, MatchProblem] * 10
    thoughts = [event for event in late if isinstance(event, Thoughts)]
    assert [event.turn for event in thoughts] == list(range(10))
    assert {event.seconds for event in thoughts} == {9}


def test_a_reader_that_does_not_read_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bus_module, "MAX_WAITING", 5)
    bus = EventBus()
    stuck, other = bus.subscribe("the stuck one"), bus.subscribe("other")
    events = new_publisher(bus)
    for number in range(9):
        events.problem(str(number))
        assert len(other.take()) == 1
    assert len(stuck.take()) == 5
    with pytest.raises(SubscriptionOverrunError, match="the stuck one"):
        stuck.take()
    assert [record.getMessage() for record in caplog.records] == [
        "the stuck one reads events too slowly, and is cut off"
    ]


def test_thoughts_are_wanted_while_somebody_wants_them() -> None:
    bus, told = EventBus(), list[bool]()
    bus.call_on_interest(told.append)
    with closing(bus.subscribe("moves only", thoughts=False)) as moves_only:
        assert not bus.wants_thoughts
        with closing(bus.subscribe("all")), closing(bus.subscribe("all too")):
            assert bus.wants_thoughts
            new_publisher(bus).thoughts(0, THOUGHT)
    assert told == [True, False]
    assert moves_only.take() == []
    bus.call_no_more(told.append)
    bus.subscribe("again")
    assert told == [True, False]


def test_a_late_reader_is_told_of_running_matches() -> None:
    bus = EventBus()
    play_match(new_publisher(bus, key="over"))
    running = new_publisher(bus, key="running")
    running.started(started())
    play_turn(running, 0)
    play_turn(running, 1)
    events = bus.subscribe("late", running=True).take()
    assert {event.match for event in events} == {"running"}
    assert isinstance(events[0], MatchStarted)
    assert [event.turn for event in events if isinstance(event, StateReached)] == [1]
    assert [event.turn for event in events if isinstance(event, Thoughts)] == [1]
    assert bus.subscribe("not told").take() == []


def test_nothing_is_published_after_the_end() -> None:
    bus = EventBus()
    reader = bus.subscribe("reader")
    events = new_publisher(bus)
    play_match(events)
    count = len(reader.take())
    assert count > 5
    events.ended("suspended")
    events.problem("too late")
    assert reader.take() == []


def test_a_publisher_never_fails(caplog: pytest.LogCaptureFixture) -> None:
    bus = EventBus()

    def fail() -> None:
        raise OSError("broken")

    bus.subscribe("broken", on_news=fail)
    new_publisher(bus).problem("told")
    assert "an event is lost" in caplog.text


def test_news_are_called_where_there_was_nothing_to_read() -> None:
    bus, called = EventBus(), list[int]()
    reader = bus.subscribe("reader", on_news=lambda: called.append(1))
    events = new_publisher(bus)
    events.problem("one")
    events.problem("two")
    assert len(called) == 1
    reader.take()
    events.problem("three")
    assert len(called) == 2


def test_publishing_takes_microseconds_while_a_reader_hangs() -> None:
    bus = EventBus()
    hanging = threading.Event()
    reader = bus.subscribe("hanging")
    thread = threading.Thread(target=lambda: (reader.take(), hanging.wait()))
    thread.start()
    try:
        events = new_publisher(bus)
        began = time.perf_counter()
        for _ in range(1000):
            events.thoughts(0, THOUGHT)
        assert time.perf_counter() - began < 1
    finally:
        hanging.set()
        thread.join()
