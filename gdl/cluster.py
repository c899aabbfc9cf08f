"""A Ray cluster: how it is reached, by playouts and by whatever else is played there.

Ray is an extra: nothing here imports it before it is asked for.
"""

from __future__ import annotations

import re
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from gdl.errors import optional_library

Pending = TypeVar("Pending")
Result = TypeVar("Result")

RETRIES = 5
"""How often a task is repeated whose worker has died."""

LOCAL = "local"
"""The address that starts a cluster on this machine, for as long as it is used."""

AUTO = "auto"
"""The address of the cluster that this machine belongs to."""

REACH_SECONDS = 10.0
"""How long connecting with a cluster may take."""


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect this process with a cluster, and yield the module ``ray``.

    If it is connected with one already, that one is used, and stays. Raises
    :class:`gdl.errors.MissingLibraryError` where Ray is not installed, ConnectionError where no
    cluster is at the address.
    """
    ray = optional_library("ray", "a cluster needs Ray: pip install 'ggp-player[ray]'")
    if ray.is_initialized():
        yield ray
        return
    _check_reachable(address)
    ray.init(address=address, log_to_driver=False, logging_level="ERROR", **_only_for(address))
    try:
        yield ray
    finally:
        ray.shutdown()


def cpus_of_nodes(ray: Any) -> list[int]:  # noqa: ANN401 its types are not looked at
    """The processors of each machine that is alive; 0 for one that offers none."""
    return [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]


def in_order(
    tasks: Iterable[Pending], most: int, result_of: Callable[[Pending], Result]
) -> Iterator[Result]:
    """Yield the results of tasks in their order, with at most so many under way.

    A task is under way when it is taken, which is when there is room for it.
    """
    pending: deque[Pending] = deque()
    for task in tasks:
        pending.append(task)
        if len(pending) >= most:
            yield result_of(pending.popleft())
    while pending:
        yield result_of(pending.popleft())


def _check_reachable(address: str) -> None:
    """Raise ConnectionError where nobody listens, for which Ray itself waits for many minutes."""
    if address in {LOCAL, AUTO}:
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not re.fullmatch("[0-9]{1,5}", port) or not 0 < int(port) < 2**16:
        raise ConnectionError(f"expected host:port, {AUTO} or {LOCAL}; found {address}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACH_SECONDS).close()
    except OSError as error:
        reason = error.strerror or error
        raise ConnectionError(f"no cluster can be reached at {address}: {reason}") from error


def _only_for(address: str) -> dict[str, Any]:
    """The arguments for a cluster of one's own, which needs no dashboard."""
    if address != LOCAL:
        return {}
    return {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
