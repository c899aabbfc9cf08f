"""Events as lines of JSON, for other programs.

A line is an object whose ``kind`` is the name of the event's class; the other keys are its fields,
and ``rules_hash`` in a :class:`.MatchStarted`. Programs should ignore keys and kinds that they do
not know.
"""

from __future__ import annotations

import logging
import threading
from typing import IO, Annotated

from pydantic import Field, TypeAdapter
from pydantic_core import from_json, to_json

from ggp_player.events.bus import EventBus, SubscriptionOverrunError
from ggp_player.events.match_events import Event, MatchStarted

CLOSING_SECONDS = 1.0
"""How long the end of a server waits for the last events to be written."""

_EVENTS: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])

_log = logging.getLogger(__name__)


def encode_event(event: Event) -> bytes:
    """Encode an event as a line, its kind, match and time first."""
    values = _EVENTS.dump_python(event, mode="json")
    if isinstance(event, MatchStarted):
        values["rules_hash"] = event.rules_hash
    first = {name: values.pop(name) for name in ("kind", "match", "time")}
    return to_json({**first, **values}) + b"\n"


def decode_event(line: bytes) -> Event:
    """Decode a line. Raises ValueError where it is no event of this version."""
    values = from_json(line)
    if isinstance(values, dict):
        values.pop("rules_hash", None)
    return _EVENTS.validate_python(values, strict=False)


class EventWriter:
    """Writes all events of a bus to a file as lines, in a thread of its own, until it is closed.

    Where the file cannot be written, that is logged once, and no more is written.
    """

    def __init__(self, bus: EventBus, file: IO[bytes]) -> None:
        self._file = file
        self._news = threading.Event()
        self._is_closing = False
        self._events = bus.subscribe("the file of events", running=True, on_news=self._news.set)
        self._thread = threading.Thread(target=self._run, name="events", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Write what waits, within :data:`CLOSING_SECONDS`; the file stays open."""
        self._events.close()
        self._is_closing = True
        self._news.set()
        self._thread.join(CLOSING_SECONDS)

    def _run(self) -> None:
        try:
            is_last = False
            while not is_last:
                self._news.wait()
                self._news.clear()
                is_last = self._is_closing
                self._write_waiting()
        except (OSError, ValueError, SubscriptionOverrunError) as error:
            _log.error("no more events are written: %s", error)
            self._events.close()

    def _write_waiting(self) -> None:
        for event in self._events.take():
            self._file.write(encode_event(event))
        self._file.flush()
