"""The margin: what is kept of every clock, so that the reply is there before the clock is over.

A game manager stops its own watch when our reply has *arrived*, and it started it before we knew
of the request. In between lie the network, the operating system and the event loop, and a reply
that is late by a millisecond is worth nothing: the manager plays a move of its own choosing.

The overhead of a reply is the time from its deadline until the system has taken it over for
sending. What is measured of the latest replies decides how much is kept of the next clock:

- a share of the clock for what nobody can foresee, a packet that is lost for instance: clocks are
  long where the network is bad, and a second of a long one is no loss;
- a multiple of the worst overhead: a request waits for the processor as its reply does, before it
  is noticed, and that is not measured;
- two round trips to the game manager, as the system measures them: one for the connection, and
  one for request and reply.

The sum counts up to :data:`MAX_MARGIN` and :data:`MAX_MARGIN_SHARE`; that much is kept too until
enough replies have been measured. So one bad overhead widens the margin at once, and only many
good ones make it narrow.
"""

from __future__ import annotations

import logging
from collections import deque
from math import inf

from ggp_player.clock import Clock, Deadline

MAX_MARGIN = 1.0
"""Seconds. Enough for a busy machine and a manager on the other side of the world."""

MIN_MARGIN = 0.1
"""Seconds. The floor: a busy machine alone can take this long to send a reply."""

MAX_MARGIN_SHARE = 1 / 3
"""The part of a short clock that the margin takes at most: on a clock of 1 s, a third of it."""

UNFORESEEN_SHARE = 0.15
"""The part of a clock that is kept whatever was measured."""

OVERHEADS = 3
"""How many of the worst overheads are kept: the reply's, the request's, and one for luck."""

ROUND_TRIPS = 2

UNKNOWN_ROUND_TRIP = 0.1
"""Seconds, where the system does not measure it: a manager on another continent."""

LATEST = 50
"""How many replies are remembered."""

ENOUGH = 8
"""How many of them have to be measured before the margin follows."""

_log = logging.getLogger(__name__)


class Margin:
    """The margin of all clocks of a server; ``fixed`` is in seconds, and nothing changes it."""

    def __init__(self, fixed: float | None = None) -> None:
        self._most = MAX_MARGIN if fixed is None else fixed
        self._is_fixed = fixed is not None
        self._overheads: deque[float] = deque(maxlen=LATEST)

    def seconds(self, clock: float, round_trip: float = 0.0) -> float:
        """Return what is to be kept of a clock of so many seconds."""
        called_for = UNFORESEEN_SHARE * clock + OVERHEADS * self._worst + ROUND_TRIPS * round_trip
        return max(MIN_MARGIN, min(called_for, self._most, MAX_MARGIN_SHARE * clock))

    def note(self, overhead: float) -> None:
        """Take an overhead in seconds into account."""
        before = self._worst
        self._overheads.append(overhead)
        if self._worst != before:
            message = "a reply took %.4f s beyond its deadline; %.3f s of a second are kept now"
            _log.debug(message, overhead, self.seconds(1))

    @property
    def _worst(self) -> float:
        is_known = len(self._overheads) >= ENOUGH and not self._is_fixed
        return max(self._overheads) if is_known else inf


class ReplyDeadline:
    """Runs from the arrival of a request until its reply is sent. ``round_trip`` is in seconds."""

    def __init__(self, margin: Margin, clock: Clock, round_trip: float = 0.0) -> None:
        self._margin = margin
        self._clock = clock
        self._round_trip = round_trip
        self._arrived = clock()
        self._deadline: Deadline | None = None

    def deadline(self, seconds: float) -> Deadline:
        """Return by when the reply is due, on a game manager's clock of so many seconds."""
        thinking_time = max(0.0, seconds - self._margin.seconds(seconds, self._round_trip))
        self._deadline = Deadline(self._arrived + thinking_time, self._clock)
        return self._deadline

    def stop(self) -> None:
        """Say that the reply is sent. One that did not wait for its deadline tells nothing."""
        if self._deadline is not None and self._deadline.has_passed:
            self._margin.note(self._clock() - self._deadline.at)
