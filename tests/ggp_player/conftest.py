"""What several tests of the player need: small games, misbehaving strategies, and the log."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import launched
from tests.support.paths import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of a module; no longer, as its event loop runs until it is closed."""
    with launched() as found:
        yield found


@pytest.fixture(scope="package", autouse=True)
def _short_collections() -> None:
    """Exempt what earlier tests have left from garbage collection: clocks run here."""
    gc.collect()
    gc.freeze()


FIELDS = """
; Two players claim fields in turn; whoever has field 3 in the end wins.
(role xena) (role Oscar) (init (control xena))
(init (free 1)) (init (free 2)) (init (free 3))
(<= (legal ?r (claim ?f)) (true (control ?r)) (true (free ?f)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (has ?r ?f)) (does ?r (claim ?f)))
(<= (next (has ?r ?f)) (true (has ?r ?f)))
(<= (next (free ?f)) (true (free ?f)) (does ?r (claim ?g)) (distinct ?f ?g))
(<= (next (control xena)) (true (control Oscar)))
(<= (next (control Oscar)) (true (control xena)))
(<= open (true (free ?f)))
(<= terminal (not open))
(<= (goal ?r 100) (true (has ?r 3)))
(<= (goal ?r 0) (role ?r) (not (true (has ?r 3))))
"""

WORDS = """
; Two players say a word at the same time, three times over.
(role xena) (role Oscar) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal ?r (say ?w)) (role ?r) (succ ?w ?v))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (said ?r ?w)) (does ?r (say ?w)))
(<= terminal (true (step 4)))
(<= (goal ?r 50) (role ?r))
"""


@pytest.fixture
def fields() -> str:
    """The rules of a game of three steps between xena and Oscar."""
    return FIELDS


@pytest.fixture
def words() -> str:
    """The rules of a game in which xena and Oscar have three legal moves in every step."""
    return WORDS


@pytest.fixture
def bad(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Return the full name of a misbehaving strategy, which worker processes can import."""
    monkeypatch.syspath_prepend(ROOT)
    return lambda name: f"tests.support.misbehaving:{name}"


class Ear(logging.Handler):
    """Hears log records."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []
        self._news = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())
        self._news.set()

    async def hear(self, text: str) -> str:
        """Wait for a message that has the text in it, and return it."""
        while True:
            for message in self.messages:
                if text in message:
                    return message
            self._news.clear()
            await self._news.wait()


@pytest.fixture
async def ear(caplog: pytest.LogCaptureFixture) -> AsyncIterator[Ear]:
    """Hear what the player logs, from now on."""
    caplog.set_level(logging.INFO)
    ear = Ear()
    logging.getLogger("ggp_player").addHandler(ear)
    yield ear
    logging.getLogger("ggp_player").removeHandler(ear)
