"""Lines of the log: with their match, in both formats, and bounded whatever is in them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO

import pytest

from ggp_player.logs import (
    BURST,
    MAX_DETAIL,
    MAX_LINE,
    MAX_NAME,
    MAX_SHOWN,
    STATEMENTS,
    SUMMARY_SECONDS,
    TRACEBACKS,
    ContextFilter,
    JsonFormatter,
    RateLimit,
    RequestLog,
    TextFormatter,
    enter_match,
    shown,
)
from tests.ggp_player.conftest import Ear


class Log:
    """A logger whose lines are kept, with a clock that stands still."""

    def __init__(self, formatter: logging.Formatter) -> None:
        self.now = 0.0
        self.stream = StringIO()
        self.logger = logging.Logger("test")
        handler = logging.StreamHandler(self.stream)
        handler.addFilter(ContextFilter())
        handler.addFilter(RateLimit(lambda: self.now))
        handler.setFormatter(formatter)
        self.logger.addHandler(handler)

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


@contextmanager
def in_match(match_id: str) -> Iterator[None]:
    enter_match(match_id)
    yield
    enter_match("")


@pytest.fixture
def log() -> Log:
    return Log(TextFormatter())


def test_a_line_has_its_match(log: Log) -> None:
    with in_match("m1"):
        log.logger.warning("worker %d died", 7)
        log.logger.warning("match m1: is over")
    log.logger.warning("stopping")
    assert [line.split(" WARNING ")[1] for line in log.lines] == [
        "match m1: worker 7 died",
        "match m1: is over",
        "stopping",
    ]


def test_json_has_a_line_for_each_record() -> None:
    log = Log(JsonFormatter())
    with in_match("m\n1"):
        log.logger.info("two\nlines of %s", "text")
        try:
            raise ValueError("wrong")
        except ValueError:
            log.logger.exception("failed")
    first, second = map(json.loads, log.lines)
    time = first.pop("time")
    assert time[10] == "T"
    assert time.endswith("Z")
    assert first == {
        "level": "info",
        "logger": "test",
        "message": "two",
        "detail": ["lines of text"],
        "match": "m\\n1",
    }
    assert second["detail"][-1] == "ValueError: wrong"


def test_no_text_passes_for_a_line_of_its_own(log: Log) -> None:
    log.logger.info("%s", "x\n2026-01-01 ERROR forged\x1b[2J\rback\u2028on")
    first, *others = log.lines
    assert first.endswith("INFO    x")
    assert all(line.startswith("    ") for line in others)
    assert "\x1b" not in log.stream.getvalue()
    assert "\\x1b[2J" in log.stream.getvalue()


@pytest.mark.parametrize("text", ["m" * 10**7, "\x00" * 10**7, "\n" * 10**7])
@pytest.mark.parametrize("formatter", [TextFormatter, JsonFormatter])
def test_long_texts_are_cut(text: str, formatter: Callable[[], logging.Formatter]) -> None:
    log = Log(formatter())
    with in_match(text):
        log.logger.error("match %s: from %s", shown(text), text)
        log.logger.error(text)  # as a library may
    written = len(log.stream.getvalue())
    assert written < 16 * (MAX_LINE + MAX_DETAIL)
    if formatter is TextFormatter:
        assert len(log.lines[0]) < 2 * MAX_LINE


def test_names_are_cut() -> None:
    assert shown("a" * MAX_NAME) == "a" * MAX_NAME
    assert shown("a" * (MAX_NAME + 1)) == "a" * (MAX_NAME - 3) + "..."
    assert len(shown("\x00" * MAX_NAME)) == MAX_NAME
    assert shown("Zoë") == "Zoë"


def test_a_statement_that_writes_too_much_is_cut_short(log: Log) -> None:
    def write(times: int) -> None:
        for number in range(times):
            log.logger.info("line %d", number)

    write(BURST + 50)
    assert len(log.lines) == BURST
    log.now = 1
    write(2)
    assert len(log.lines) == BURST + 1
    assert log.lines[-1].endswith("line 0 (50 such lines left out before)")
    with in_match("another"):
        write(1)
    log.logger.info("another statement")
    assert len(log.lines) == BURST + 3
    log.now = 2 * BURST
    write(1)
    assert log.lines[-1].endswith("line 0 (1 such lines left out before)")


def test_tracebacks_are_rare(log: Log) -> None:
    for _ in range(TRACEBACKS + 3):
        try:
            raise ValueError("wrong")
        except ValueError:
            log.logger.exception("failed")
    assert sum("Traceback" in line for line in log.lines) == TRACEBACKS
    assert log.lines[-1].endswith("failed: ValueError('wrong') (traceback left out)")


def test_a_long_traceback_has_both_its_ends(log: Log) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        exec("\n".join(["def g(n):", " if n: g(n - 1)", " 1 / 0", "g(1)"]), {})
    log.logger.error("failed\n%s", "x\n" * MAX_DETAIL, exc_info=caught.value)
    assert "    ..." in log.lines
    assert log.lines[-1] == "    ZeroDivisionError: division by zero"
    assert len(log.stream.getvalue()) < 4 * MAX_DETAIL


def test_few_statements_are_remembered() -> None:
    limit = RateLimit(lambda: 0.0)
    for number in range(2 * STATEMENTS):
        record = logging.LogRecord("x", 20, "file", number, "text", None, None)
        assert limit.filter(record)
    assert len(limit._counts) == STATEMENTS


async def test_polls_are_summed_up(ear: Ear) -> None:
    now = 0.0
    log = RequestLog(lambda: now)
    for _ in range(3600):
        log.note("10.0.0.1", ("( INFO )", "( ( status busy ) )"), now, is_poll=True)
        now += 1
    log.note("10.0.0.2", ("(ping)", "nil"), now, is_poll=True)
    assert ear.messages[0] == "10.0.0.1: ( INFO ) -> ( ( status busy ) ), 0.00 s"
    assert ear.messages[1] == "INFO or PING 60 times in 60 s, at last from 10.0.0.1 -> " + (
        "( ( status busy ) )"
    )
    assert len(ear.messages) == 1 + 3600 / SUMMARY_SECONDS


async def test_other_requests_have_a_line_each(ear: Ear) -> None:
    log = RequestLog(lambda: 5.0)
    log.note("::1", ("( ABORT\n m )", "busy"), 4.0, is_poll=False)
    log.note("::1", ("\x1b[2J" + "x" * 10**7, "error: \x00"), 5.0, is_poll=False)
    assert ear.messages[0] == "::1: ( ABORT m ) -> busy, 1.00 s"
    assert ear.messages[1].startswith("::1: \\x1b[2Jxxx")
    assert len(ear.messages[1]) < 2 * MAX_SHOWN
