"""A message to a player server and its reply, over a socket of its own."""

from __future__ import annotations

import asyncio


async def ask(port: int, text: str) -> str:
    """Send a message as ggp-base's manager does; return the reply, empty where there is none."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = text.encode()
    head = f"POST / HTTP/1.0\r\nContent-Type: text/acl\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    try:
        return (await reader.read()).partition(b"\r\n\r\n")[2].decode()
    finally:
        writer.close()
