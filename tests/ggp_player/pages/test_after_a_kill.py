"""The archive's pages after a kill -9 in the middle of a match, read as a browser reads them."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path

import pytest

from tests.support.killed_match import JOINT_MOVES, MATCH_ID, begin_and_kill, let_time_pass
from tests.support.raw_manager import exchange
from tests.support.server_process import ServerProcess


@pytest.mark.thorough
def test_the_match_is_there_to_its_last_complete_move(tmp_path: Path) -> None:
    archive = tmp_path / "matches.sqlite"
    flags = ("--strategy", "legal", "--archive", str(archive))
    with ServerProcess(tmp_path, *flags) as server:
        begin_and_kill(server, archive, lambda text: exchange(server.address, text, 20))

        def get(path: str) -> str:
            address = server.url(path)
            request = urllib.request.Request(address, headers={"Accept": "text/html"})
            with urllib.request.urlopen(request, timeout=30) as reply:
                return str(reply.read().decode())

        row = re.search(rf"<tr>\s*<td><a[^>]*>{MATCH_ID}</a>.*?</tr>", get("/archive"), re.S)
        assert row is not None
        assert "<td>running</td>" in row[0]
        data = json.loads(get("/archive/1/data"))
        assert [tuple(step["joint_move"]) for step in data["steps"]] == [(), *JOINT_MOVES]
        boards = json.loads(get(f"/archive/1/boards?first=0&count=9&length={len(data['steps'])}"))
        assert [board["svg"].count("data-fact=") for board in boards] == [
            1,
            2,
            3,
            4,
        ]  # and whose turn it is
        let_time_pass(archive)
        assert "<dd>interrupted</dd>" in get("/archive/1")
        assert MATCH_ID in get("/archive?status=interrupted")
        for status in ("running", "completed"):
            assert MATCH_ID not in get(f"/archive?status={status}")
