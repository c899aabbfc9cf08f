"""The addresses at which a server that listens at a host is reached, as a browser takes them."""

from __future__ import annotations

import socket

LOCAL = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
"""What reaches this machine where all its addresses of a family are listened at."""


def reached_at(host: str, port: int) -> str:
    """Return the name, or the address, and the port at which others reach the server."""
    if host in LOCAL:
        return f"{socket.gethostname()}:{port}"
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def reached_here(host: str, port: int) -> str | None:
    """Return where this machine itself reaches the server, or None where others do likewise."""
    return f"{LOCAL[host]}:{port}" if host in LOCAL else None
