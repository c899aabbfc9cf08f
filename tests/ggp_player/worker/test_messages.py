"""Orders and reports travel as lines, and arrive as they were sent."""

from typing import Any

import pytest

from ggp_player.worker.messages import (
    Begin,
    Follow,
    Logged,
    Order,
    Report,
    Search,
    SearchEnded,
    Standing,
    Unplayable,
    decode,
    encode,
)

MESSAGES = [
    Begin("(role x)\n(init a)", "x", [["a", "(b c)"], ["d", "e"]], "minimax", "0 m x"),
    Begin("(role é)", "é"),
    Follow(["a", "(b c)"]),
    Search(3, thorough=True),
    Standing(2, ["a", "(b c)"], is_over=True, goals={"x": 100, "y": None}),
    SearchEnded(3, "ValueError: no\nreason"),
    Unplayable("no roles"),
    Logged(20, "ggp_player.strategies.selection.auto", "x plays as legal"),
]


def plain(message: Order | Report) -> dict[str, Any]:
    """Return the fields with lists for tuples, which JSON does not tell apart."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name in message.__slots__
        for value in [getattr(message, name)]
    }


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_arrives_as_it_was_sent(message: Order | Report) -> None:
    line = encode(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    arrived = decode(line)
    assert type(arrived) is type(message)
    assert plain(arrived) == plain(message)
