"""The command ``gdl serve-oracle``: answers about games for other programs."""

from __future__ import annotations

import logging
import sys

from gdl.oracle.limits import MIB, Limits
from gdl.oracle.line_server import serve
from gdl.oracle.session import Session
from gdl.system import memory_limit


def run_serve_oracle(seconds: float, memory: int, games: int) -> None:
    """Answer questions about games for other programs, as JSON lines."""
    logging.basicConfig(format="%(levelname)s: %(message)s")
    session = Session(Limits(seconds=seconds, games=games))
    with memory_limit(memory * MIB):
        serve(session, sys.stdin.buffer, sys.stdout.buffer)
