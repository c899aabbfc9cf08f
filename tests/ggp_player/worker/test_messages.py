"""Messages travel as lines, and arrive as they were sent."""

import pytest
from pydantic import ValidationError

from ggp_player.events import GameDescribed, ObservedStep, StateReached
from ggp_player.worker.messages import (
    ApplyStep,
    BeginMatch,
    BeginSearch,
    LegalByFacts,
    LogRecord,
    MatchStatus,
    MessageToServer,
    MessageToWorker,
    SearchEnded,
    SearchReady,
    Unplayable,
    decode_to_server,
    decode_to_worker,
    encode,
)

TO_WORKER = [
    BeginMatch("(role x)\n(init a)", "x", (("a", "(b c)"), ("d", "e")), "minimax", "0 m x"),
    BeginMatch("(role é)", "é"),
    ApplyStep(("a", "(b c)")),
    ApplyStep(ObservedStep("a", ("(seen 1)",))),
    ApplyStep(ObservedStep(missed=True)),
    BeginSearch(3, thorough=True),
    BeginSearch(4, until=1234.5),
]
TO_SERVER = [
    MatchStatus(2, ("a", "(b c)"), is_over=True, goals={"x": 100, "y": None}),
    StateReached(turn=2, roles=("x", "y"), state="( a )", goals={"x": 100}),
    LegalByFacts("(move a b)", at_first=True),
    SearchReady(ponders=True),
    GameDescribed(text="one player"),
    SearchEnded(3, "ValueError: no\nreason"),
    Unplayable("no roles"),
    LogRecord(20, "ggp_player.strategies.selection.auto", "x plays as legal"),
]


def assert_one_line(line: bytes) -> None:
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")


@pytest.mark.parametrize("message", TO_WORKER, ids=lambda message: message.kind)
def test_a_message_arrives_at_the_worker_as_it_was_sent(message: MessageToWorker) -> None:
    line = encode(message)
    assert_one_line(line)
    arrived = decode_to_worker(line)
    assert type(arrived) is type(message)
    assert arrived == message


@pytest.mark.parametrize("message", TO_SERVER, ids=lambda message: message.kind)
def test_a_message_arrives_at_the_server_as_it_was_sent(message: MessageToServer) -> None:
    line = encode(message)
    assert_one_line(line)
    arrived = decode_to_server(line)
    assert type(arrived) is type(message)
    assert arrived == message


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"noise\n",
        b'{"kind":"Shutdown"}\n',
        b'{"kind":"SearchEnded"}\n',
        b'{"kind":"SearchEnded","number":"many"}\n',
        encode(BeginSearch(1)),
    ],
)
def test_what_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(ValidationError):
        decode_to_server(line)
