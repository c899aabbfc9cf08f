"""Events are written as lines of JSON, which are events again when they are read."""

from __future__ import annotations

import io
import json
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.events import (
    Event,
    EventBus,
    MatchStarted,
    MoveChosen,
    StepMade,
    Thoughts,
    rules_hash,
)
from ggp_player.events.json_lines import EventWriter, decode_event, encode_event
from tests.support.events import THOUGHT, new_publisher, play_match, started


def all_events() -> list[Event]:
    bus = EventBus()
    reader = bus.subscribe("reader")
    events = new_publisher(bus)
    play_match(events)
    other = new_publisher(bus, key="manager")
    other.started(started(role=""))
    step = StepMade(time=5, step=0, joint_move=(), errors=("TO",), seconds=(1.5,))
    other.tell(step)
    other.problem("the search died\n")
    other.ended("aborted", reason="no end")
    return reader.take()


def test_every_event_is_read_as_it_was_written() -> None:
    events = all_events()
    assert len({type(event) for event in events}) == 9
    for event in events:
        line = encode_event(event)
        assert line.count(b"\n") == 1
        assert decode_event(line) == event


@given(st.text(), st.floats(allow_nan=False, allow_infinity=False) | st.none())
def test_texts_and_values_of_all_kinds_are_read_again(text: str, value: float | None) -> None:
    event = MoveChosen(match="k", time=1, turn=2, move=text, value=value, note=text)
    assert decode_event(encode_event(event)) == event


def test_a_line_says_first_what_it_is() -> None:
    line = encode_event(Thoughts(match="k", time=7, turn=3, move="noop"))
    assert line.startswith(b'{"kind":"Thoughts","match":"k","time":7,')
    values = json.loads(encode_event(started()))
    assert values["rules_hash"] == rules_hash(started().rules)


@pytest.mark.parametrize("line", [b"", b"[]", b"{}", b'{"kind":"Unknown"}', b'{"kind":"Thoughts"}'])
def test_what_is_no_event_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"JSON|EOF|validation error"):
        decode_event(line)


def test_rules_are_the_same_whatever_blanks_are_in_them() -> None:
    assert rules_hash("(role x) (init\n(a  b))") == rules_hash("( role x )(init(a b))")
    assert rules_hash("(role x)") != rules_hash("(role y)")


def test_all_events_are_in_the_file_when_the_writer_is_closed(tmp_path: Path) -> None:
    bus, path = EventBus(), tmp_path / "events.jsonl"
    running = new_publisher(bus, key="running")
    running.started(started())
    with path.open("ab") as file:
        writer = EventWriter(bus, file)
        play_match(new_publisher(bus))
        writer.close()
    events = [decode_event(line) for line in path.read_bytes().splitlines()]
    assert isinstance(events[0], MatchStarted)
    assert events[0].match == "running"
    kinds = [type(event).__name__ for event in events if event.match == "k"]
    assert kinds[0] == "MatchStarted"
    assert kinds.count("MoveChosen") == 3
    assert kinds[-1] == "MatchEnded"
    assert threading.active_count() == 1 or not bus.wants_thoughts


class FullDisk(io.BytesIO):
    def write(self, data: object) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_logged_once_and_stops_the_writer(caplog: pytest.LogCaptureFixture) -> None:
    bus = EventBus()
    writer = EventWriter(bus, FullDisk())
    play_match(new_publisher(bus))
    writer.close()
    play_match(new_publisher(bus, key="next"))
    errors = [record.getMessage() for record in caplog.records]
    assert errors == ["no more events are written: [Errno 28] No space left on device"]
    assert not bus.wants_thoughts


def test_the_line_of_the_choice_is_the_principal_line() -> None:
    assert THOUGHT.line == THOUGHT.moves[0].line
    assert Thoughts(match="k", time=1, turn=1, move="noop").line == ()
