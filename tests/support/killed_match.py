"""A match whose server was killed in its middle, as ``kill -9`` does, and started again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import gdl
from ggp_player.archive.queries import Archive
from ggp_player.errors import ArchiveError
from tests.support.left_behind import becomes_true
from tests.support.paths import GAMES
from tests.support.server_process import ServerProcess

MATCH_ID = "ticTacToe.1234567"

JOINT_MOVES = (("(put a1)", "noop"), ("noop", "(put b2)"), ("(put b1)", "noop"))
"""The joint moves that the server was told; it is killed when it has chosen the next one."""


def begin_and_kill(server: ServerProcess, archive: Path, send: Callable[[str], str]) -> None:
    """Play some moves of tic-tac-toe with a server, and kill it; then it is started again."""
    rules = " ".join(str(gdl.load(GAMES / "ticTacToe.kif")).split())
    assert send(f"( START {MATCH_ID} nought ( {rules} ) 5 1 )") == "ready"
    send(f"( PLAY {MATCH_ID} NIL )")
    for joint_move in JOINT_MOVES:
        send(f"( PLAY {MATCH_ID} ( {' '.join(joint_move)} ) )")
    choices = len(JOINT_MOVES) + 1

    def is_archived() -> bool:
        with suppress(ArchiveError):  # the archive is made after the first reply
            return len(Archive(archive).match(MATCH_ID).choices) == choices
        return False

    assert becomes_true(is_archived)
    server.kill()
    server.wait_until_alone()
    server.start()


def let_time_pass(archive: Path) -> None:
    """Let the silence be over after which a match is taken for interrupted."""
    with closing(sqlite3.connect(archive)) as connection, connection:
        connection.execute("UPDATE matches SET silent_time = 0")
