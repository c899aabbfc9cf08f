"""Matches with large rules push no others out of a server's archive."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ggp_player.archive.queries import Archive
from tests.attack.attacks import ATTACKS, RULES, Stranger
from tests.support.left_behind import becomes_true
from tests.support.raw_manager import exchange
from tests.support.server_process import ServerProcess

BYTES = 20_000_000
"""Bytes of the archive: the large matches take twice as many."""


def play_shortly(server: ServerProcess, match_id: str) -> None:
    exchange(server.address, f"( START {match_id} you ({RULES}) 1 1)", 10)
    exchange(server.address, f"( ABORT {match_id} )", 10)


async def run_once(stranger: Stranger) -> None:
    await ATTACKS["large STARTs"].run(stranger)


def match_ids(archive: Path) -> set[str]:
    return {match.match_id for match in Archive(archive).list(limit=1000).matches}


@pytest.mark.slow
def test_large_matches_push_no_others_out_of_the_archive(tmp_path: Path) -> None:
    archive = tmp_path / "matches.sqlite"
    flags = ["--archive", str(archive), "--archive-limit", f"{BYTES}B"]
    with ServerProcess(tmp_path, *flags) as server:
        for number in range(5):
            play_shortly(server, f"before.{number}")
        stranger = Stranger(server.address[1], seed=1)
        asyncio.run(run_once(stranger))
        play_shortly(server, "after")
        assert becomes_true(lambda: "after" in match_ids(archive), 60)
    found = match_ids(archive)
    assert {f"before.{number}" for number in range(5)} <= found
    assert sum(name.startswith("large") for name in found) < 12, "they did not fit"
