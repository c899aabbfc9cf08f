"""Signals that come twice interrupt a command once, which can write down what it has."""

import signal
from collections.abc import Iterator
from contextlib import suppress

import pytest

from ggp_player.cli.terminal import CONCLUDING_SECONDS, interrupted_once
from tests.support.clocks import FakeClock


@pytest.fixture(autouse=True)
def _handlers_as_in_a_program() -> Iterator[None]:
    """As in a program in the foreground, wherever the tests run."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_does_not_interrupt_what_follows_the_first(
    first: signal.Signals, second: signal.Signals
) -> None:
    clock, written = FakeClock(), False
    with interrupted_once(clock):
        try:
            signal.raise_signal(first)
        except KeyboardInterrupt:
            signal.raise_signal(second)
            written = True
        clock.now += CONCLUDING_SECONDS
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(second)
    assert written
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_what_is_ignored_stays_so() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupted = False
    with interrupted_once():
        signal.raise_signal(signal.SIGINT)
        with suppress(KeyboardInterrupt):
            interrupted = True
            signal.raise_signal(signal.SIGTERM)
            interrupted = False
    assert interrupted
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
