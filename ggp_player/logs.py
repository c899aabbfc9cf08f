"""The log: one line for each record, with its match, and bounded whatever comes from the wire.

:func:`start_logging` gives the root logger a handler whose lines are text or JSON. Three bounds
keep a stranger from filling the disk: a line has at most :data:`MAX_LINE` characters, in which
control characters are escaped; the same statement writes at most :data:`BURST` lines at once, and
one a second from then on, for each match; and a statement's traceback is shown :data:`TRACEBACKS`
times a minute. What is left out is counted, and the statement's next line says how many there were.

The match of a line is that of the task that writes it: see :func:`enter_match`. Requests have
a line each, and those that come all the time one a minute (:class:`RequestLog`).
"""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections import OrderedDict
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ggp_player.clock import Clock, monotonic

LogFormat: TypeAlias = Literal["text", "json"]

MAX_NAME = 80
"""Characters that are shown of a name from the wire: a match id, a role, a move."""

MAX_LINE = 1000
"""Characters of a message, without its further lines and its traceback."""

MAX_DETAIL = 8000
"""Characters of what follows a message's first line, such as a traceback."""

BURST = 100
"""Lines that one statement may write at once, about one match."""

TRACEBACKS = 5
"""Tracebacks of one statement that are written a minute."""

STATEMENTS = 1000
"""How many statements, each with its match, are counted; the oldest are forgotten."""

SUMMARY_SECONDS = 60.0
"""How long INFO and PING are only counted, after a line about them."""

MAX_SHOWN = 120
"""Characters of a message, and of a reply, that the log shows."""

_log = logging.getLogger(__name__)

_match: ContextVar[str] = ContextVar("match", default="")


def enter_match(match_id: str) -> None:
    """Note the match in all lines that this task writes from now on, and tasks that it begins."""
    _match.set(shown(match_id))


def shown(text: str, most: int = MAX_NAME) -> str:
    """Return the beginning of a text from the wire, with control characters escaped.

    >>> shown("a\\x1b[2J")
    'a\\\\x1b[2J'
    """
    # Escaping makes up to ten characters of one, so what is cut is escaped first.
    escaped = _escaped(text[: most + 1])
    return escaped if len(escaped) <= most else f"{escaped[: most - 3]}..."


def start_logging(level: int, log_format: LogFormat) -> None:
    """Write the records of all loggers, from a level on, to the standard error stream."""
    handler = logging.StreamHandler()
    handler.addFilter(ContextFilter())
    handler.addFilter(RateLimit())
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    logging.basicConfig(level=level, handlers=[handler])
    logging.captureWarnings(True)


class ContextFilter(logging.Filter):
    """Gives every record its ``match``, empty where it belongs to none, and cuts its arguments."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass."""
        record.match = _match.get()
        if isinstance(record.args, tuple):
            record.args = tuple(_cut(argument) for argument in record.args)
        return True


@dataclass(slots=True)
class _Count:
    """What one statement has written: lines that it may still write, and when that was."""

    room: float
    at: float
    left_out: int = 0
    tracebacks: float = TRACEBACKS


class RateLimit(logging.Filter):
    """Drops the lines and tracebacks of a statement that writes too many."""

    def __init__(self, clock: Clock = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._counts: OrderedDict[tuple[str, int, str], _Count] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """Let a record pass while its statement has room; note how many have not passed."""
        count = self._count(record)
        if count.room < 1:
            count.left_out += 1
            return False
        count.room -= 1
        record.left_out, count.left_out = count.left_out, 0
        if record.exc_info:
            self._bound_traceback(record, count)
        return True

    def _count(self, record: logging.LogRecord) -> _Count:
        now = self._clock()
        key = (record.pathname, record.lineno, getattr(record, "match", ""))
        count = self._counts.pop(key, None) or _Count(BURST, now)
        self._counts[key] = count
        if len(self._counts) > STATEMENTS:
            self._counts.popitem(last=False)
        passed = now - count.at
        count.at = now
        count.room = min(BURST, count.room + passed)
        count.tracebacks = min(TRACEBACKS, count.tracebacks + passed * TRACEBACKS / 60)
        return count

    def _bound_traceback(self, record: logging.LogRecord, count: _Count) -> None:
        if count.tracebacks >= 1:
            count.tracebacks -= 1
            return
        error = record.exc_info[1] if record.exc_info else None
        record.msg, record.args = "%s: %r (traceback left out)", (record.getMessage(), error)
        record.exc_info, record.exc_text = None, None


class TextFormatter(logging.Formatter):
    """Writes a record as a line for people; the further lines of a message are indented."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Write the record, so that no text in it can pass for a line of its own."""
        line, detail = _parts(record)
        record.message, record.asctime = _with_match(record, line), self.formatTime(record)
        return self.formatMessage(record) + "".join(f"\n    {text}" for text in detail)


class JsonFormatter(logging.Formatter):
    """Writes a record as a JSON object: time, level, logger, match, message and detail."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the record in one line."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line, detail = _parts(record)
        entry: dict[str, object] = {
            "time": f"{moment}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": line,
        }
        if match := getattr(record, "match", ""):
            entry["match"] = match
        if detail:
            entry["detail"] = detail
        return json.dumps(entry)


def _parts(record: logging.LogRecord) -> tuple[str, list[str]]:
    """The first line of a message, and what follows it: more lines, and a traceback."""
    line, _, detail = record.getMessage().partition("\n")
    left_out = getattr(record, "left_out", 0)
    note = f" ({left_out} such lines left out before)" if left_out else ""
    if record.exc_info:
        detail += "".join(traceback.format_exception(*record.exc_info))
    return shown(line, MAX_LINE) + note, _bounded(detail)


def _bounded(detail: str) -> list[str]:
    """The lines of a detail, without its middle where it is long."""
    if len(detail) > MAX_DETAIL:
        half = MAX_DETAIL // 2
        detail = f"{detail[:half]}\n...\n{detail[-half:]}"
    return [_escaped(line) for line in detail.splitlines()]


def _with_match(record: logging.LogRecord, message: str) -> str:
    """Name the match, unless the message does."""
    match = getattr(record, "match", "")
    return f"match {match}: {message}" if match and match not in message else message


def _cut(argument: object) -> object:
    """Leave only so much of a long text that formatting it costs nothing."""
    return argument[: MAX_LINE + MAX_DETAIL] if isinstance(argument, str) else argument


def _escaped(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


class RequestLog:
    """Writes what a game manager has asked, and what it was told, after how many seconds.

    INFO and PING, for which schedulers ask every second while a player is listed, are summed up.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._polls = 0
        self._summed_up: float | None = None

    def note(self, peer: str, texts: tuple[str, str], began: float, *, is_poll: bool) -> None:
        """Note a request by its text and the reply's; INFO and PING are polls."""
        if is_poll:
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
