"""Connecting with a cluster: what is wrong with an address is said at once."""

from __future__ import annotations

import socket
import sys
from types import SimpleNamespace

import pytest

from gdl.cluster import connected
from gdl.errors import MissingLibraryError


@pytest.fixture
def _ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that is connected with nothing, and connects with nothing."""
    stand_in = SimpleNamespace(is_initialized=lambda: False)
    monkeypatch.setitem(sys.modules, "ray", stand_in)


def test_without_ray_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(MissingLibraryError, match=r"pip install 'ggp-player\[ray\]'"),
        connected("local"),
    ):
        pass


@pytest.mark.usefixtures("_ray")
@pytest.mark.parametrize(
    "address", ["nowhere", "host:", ":1", "host:70000", "host:²", f"host:{'1' * 5000}", ""]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with (
        pytest.raises(ConnectionError, match="expected host:port, auto or local"),
        connected(address),
    ):
        pass


@pytest.mark.usefixtures("_ray")
@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_where_nobody_listens_is_refused(scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"{scheme}127.0.0.1:{closed.getsockname()[1]}"
    with (
        pytest.raises(ConnectionError, match=f"no cluster can be reached at {address}: "),
        connected(address),
    ):
        pass


def test_a_connection_that_there_is_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = SimpleNamespace(is_initialized=lambda: True)
    monkeypatch.setitem(sys.modules, "ray", stand_in)
    with connected("nowhere") as found:
        assert found is stand_in
