"""Orders and reports travel as lines, and arrive as they were sent."""

from typing import Any

import pytest

from ggp_player.worker.messages import (
    ApplyMoves,
    BeginMatch,
    BeginSearch,
    LogRecord,
    MatchStatus,
    MessageToServer,
    MessageToWorker,
    SearchEnded,
    Unplayable,
    decode,
    encode,
)

MESSAGES = [
    BeginMatch("(role x)\n(init a)", "x", [["a", "(b c)"], ["d", "e"]], "minimax", "0 m x"),
    BeginMatch("(role é)", "é"),
    ApplyMoves(["a", "(b c)"]),
    BeginSearch(3, thorough=True),
    MatchStatus(2, ["a", "(b c)"], is_over=True, goals={"x": 100, "y": None}),
    SearchEnded(3, "ValueError: no\nreason"),
    Unplayable("no roles"),
    LogRecord(20, "ggp_player.strategies.selection.auto", "x plays as legal"),
]


def plain(message: MessageToWorker | MessageToServer) -> dict[str, Any]:
    """Return the fields with lists for tuples, which JSON does not tell apart."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name in message.__slots__
        for value in [getattr(message, name)]
    }


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_arrives_as_it_was_sent(message: MessageToWorker | MessageToServer) -> None:
    line = encode(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    arrived = decode(line)
    assert type(arrived) is type(message)
    assert plain(arrived) == plain(message)
