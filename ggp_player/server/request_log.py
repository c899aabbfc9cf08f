"""The log of requests: a line for each, but one a minute for those that come all the time.

Schedulers ask for INFO every second while a player is listed. Apart from the player, so that what
is written down of a request cannot change the answer.
"""

from __future__ import annotations

import logging

from ggp_player.clock import Clock
from ggp_player.logs import shown
from ggp_player.protocol import Info, Ping, Request

SUMMARY_SECONDS = 60.0
"""How long INFO and PING are only counted, after a line about them."""

MAX_SHOWN = 120
"""Characters of a message, and of a reply, that the log shows."""

_log = logging.getLogger(__name__)


class RequestLog:
    """Writes what a game manager has asked, and what it was told, after how many seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._polls = 0
        self._summed_up: float | None = None

    def note(
        self, peer: str, request: Request | None, texts: tuple[str, str], began: float
    ) -> None:
        """Note a request, None where it was not understood, by its text and the reply's."""
        if isinstance(request, Info | Ping):
            self._note_poll(peer, texts)
        else:
            self._write(peer, texts, began)

    def _note_poll(self, peer: str, texts: tuple[str, str]) -> None:
        now = self._clock()
        self._polls += 1
        if self._summed_up is None:
            self._write(peer, texts, now)
        elif now - self._summed_up >= SUMMARY_SECONDS:
            seconds = now - self._summed_up
            message = "INFO or PING %d times in %.0f s, at last from %s -> %s"
            _log.info(message, self._polls, seconds, peer, _line(texts[1]))
        else:
            return
        self._polls, self._summed_up = 0, now

    def _write(self, peer: str, texts: tuple[str, str], began: float) -> None:
        message, reply = map(_line, texts)
        _log.info("%s: %s -> %s, %.2f s", peer, message, reply, self._clock() - began)


def _line(text: str) -> str:
    """The beginning of a text from the wire, in one line."""
    return shown(" ".join(text[: 4 * MAX_SHOWN].split()), MAX_SHOWN)
