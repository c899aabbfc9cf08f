from __future__ import annotations

import socket

import pytest

from ggp_player.cli.reached import reached_at, reached_here


@pytest.mark.parametrize(
    ("host", "others", "here"),
    [
        ("0.0.0.0", f"{socket.gethostname()}:9148", "127.0.0.1:9148"),
        ("::", f"{socket.gethostname()}:9148", "[::1]:9148"),
        ("127.0.0.1", "127.0.0.1:9148", None),
        ("2001:db8::7", "[2001:db8::7]:9148", None),
        ("player.example.org", "player.example.org:9148", None),
    ],
)
def test_addresses_are_those_that_a_browser_takes(host: str, others: str, here: str | None) -> None:
    assert reached_at(host, 9148) == others
    assert reached_here(host, 9148) == here
