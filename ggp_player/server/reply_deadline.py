"""This is where the time limit of a reply is decided: :meth:`ReplyDeadline.for_clock`.

A reply is due a margin before the game manager's clock is over, counted from the arrival of the
request: at this machine, where the system tells, however long it then waits for the server. The
manager stops its clock when our reply has *arrived*, and it started it before we knew of the
request. In between lie the network, the operating system and the event loop, and a reply that is
late by a millisecond is worth nothing: the manager plays a move of its own choosing.

The overhead of a reply is the time from its deadline until the system has taken it over for
sending. What is measured of the latest replies decides how much is kept of the next clock:

- a share of the clock for what nobody can foresee, a packet that is lost for instance: clocks are
  long where the network is bad, and a second of a long one is no loss;
- a multiple of the worst overhead: a request waits for the CPU as its reply does, before it is
  noticed, and that is not measured;
- two round trips to the game manager, as the system measures them: one for the connection, and
  one for request and reply.

The sum counts up to :data:`MAX_MARGIN` and :data:`MAX_MARGIN_SHARE`; that much is kept too until
enough replies have been measured. So one bad overhead widens the margin at once, and only many
good ones make it narrow.

Until that deadline the move service waits, unless a newer request cuts the wait short. These are
all limits of the server; the last four are in :mod:`ggp_player.worker`, two in ``service``
and two in ``supervisor``:

==============================================  ===============================================
what                                            its limit
==============================================  ===============================================
START, PLAY                                     the clock less the margin
STOP, for the goal values of the last state     :data:`LAST_STATE_LIMIT`
legal moves, before a restarted server listens  :data:`RESUME_LIMIT`
a match without any request                     :func:`silence_limit`
a search in a match without any request         :func:`pondering_limit`
open requests when the server stops             :data:`CLOSING_LIMIT`
the server's end, whatever it waits for         :data:`STOPPING_LIMIT`
legal moves, for a reply that is cut short      ``LEGAL_MOVES_GRACE``
legal moves, on a play clock of 0 or below      ``NO_CLOCK_GRACE``
compiling, before a search begins without it    ``COMPILE_SHARE``, ``MAX_COMPILE_SECONDS``
a search that is to stop                        ``STOP_GRACE``
==============================================  ===============================================
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
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
"""How many of the worst overheads are kept: the reply's, the request's, and one in reserve."""

ROUND_TRIPS = 2

UNKNOWN_ROUND_TRIP = 0.1
"""Seconds, where the system does not measure it: a manager on another continent."""

MAX_UNSURE_SHARE = 1 / 3
"""The part of a clock that a request counts for at most which may have waited, or not.

What has waited longer is lost. A reply that waits for a legal move is in time where the request has
not waited; one that is guessed at once is worth nothing at all.
"""

REMEMBERED_REPLIES = 50
"""How many replies are remembered."""

ENOUGH_REPLIES = 8
"""How many replies have to be measured before the margin follows them."""

LAST_STATE_LIMIT = 1.0
"""Seconds that STOP waits for the goal values of the last state, which go to the log."""

RESUME_LIMIT = 5.0
"""Seconds that a server which starts again waits for the legal moves of its matches."""

SILENT_CLOCKS = 3
"""How many play clocks a game manager may take for a step: it waits for the other players too."""

PONDERING_GRACE = 5.0
"""Seconds beyond the clocks after which a game manager that has sent nothing has probably left."""

CLOSING_LIMIT = 2.0
"""Seconds that open requests get to be answered when the server stops, as each is at once."""

CONNECTIONS_LIMIT = 0.5
"""Seconds from then on in which replies leave; requests that are not whole by then are dropped."""

STOPPING_LIMIT = 4.5
"""Seconds after which a server that is to stop ends, whatever it waits for."""

_log = logging.getLogger(__name__)


class Margin:
    """The margin of all clocks of a server; ``fixed`` is in seconds, and nothing changes it."""

    def __init__(self, fixed: float | None = None) -> None:
        self._most = MAX_MARGIN if fixed is None else fixed
        self._is_fixed = fixed is not None
        self._overheads: deque[float] = deque(maxlen=REMEMBERED_REPLIES)

    def seconds(self, clock: float, round_trip: float = 0.0) -> float:
        """How much is kept of a clock of so many seconds."""
        wanted = UNFORESEEN_SHARE * clock + OVERHEADS * self._worst + ROUND_TRIPS * round_trip
        return max(MIN_MARGIN, min(wanted, self._most, MAX_MARGIN_SHARE * clock))

    def record(self, overhead: float) -> None:
        """Take an overhead in seconds into account."""
        before = self._worst
        self._overheads.append(overhead)
        if self._worst != before:
            message = "a reply took %.4f s beyond its deadline; %.3f s of a second are kept now"
            _log.debug(message, overhead, self.seconds(1))

    @property
    def _worst(self) -> float:
        is_known = len(self._overheads) >= ENOUGH_REPLIES and not self._is_fixed
        return max(self._overheads) if is_known else inf


class ReplyDeadline:
    """When the reply to a request is due that came ``waited`` seconds ago.

    It may have waited ``unsure`` seconds more. ``round_trip`` is in seconds, too. ``on_sent`` gets
    the seconds that were left of the game manager's clock when the reply left.
    """

    def __init__(
        self,
        margin: Margin,
        clock: Clock,
        round_trip: float = 0.0,
        waited: float = 0.0,
        unsure: float = 0.0,
        on_sent: Callable[[float], None] = lambda seconds_left: None,
    ) -> None:
        self._on_sent = on_sent
        self._end = 0.0
        self._margin = margin
        self._clock = clock
        self._round_trip = round_trip
        self._arrived = clock() - waited
        self._unsure = unsure
        self._deadline: Deadline | None = None

    def for_clock(self, seconds: float) -> Deadline:
        """The deadline on a game manager's clock of so many seconds."""
        search_time = max(0.0, seconds - self._margin.seconds(seconds, self._round_trip))
        arrived = self._arrived - min(self._unsure, MAX_UNSURE_SHARE * seconds)
        self._end = arrived + seconds
        self._deadline = Deadline(arrived + search_time, self._clock)
        return self._deadline

    @property
    def clock_left(self) -> float | None:
        """Seconds until the game manager's clock is over; None where there is no clock."""
        return None if self._deadline is None else self._end - self._clock()

    def reply_sent(self) -> None:
        """Measure the overhead, unless the reply left before its deadline."""
        if self._deadline is None:
            return
        now = self._clock()
        self._on_sent(self._end - now)
        if self._deadline.has_passed:
            self._margin.record(now - self._deadline.at)


def silence_limit(start_clock: float, play_clock: float, idle_limit: float) -> float:
    """Seconds without any request after which a match is dropped."""
    return max(start_clock, SILENT_CLOCKS * play_clock) + idle_limit


def pondering_limit(clock: float, play_clock: float) -> float:
    """Seconds without any request after which searching on is of no use.

    ``clock`` is that of the newest request; the others may need theirs to its end, too.
    """
    return clock + play_clock + PONDERING_GRACE
