"""The pages for whoever watches a server, read as Docker, Kubernetes and Prometheus do."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gdl.system.resources import MOST_EXPENDABLE
from ggp_player.metrics import Metrics
from ggp_player.protocol.prefix import MAX_MATCH_ID_CHARACTERS
from ggp_player.server.config import Config
from ggp_player.server.monitoring import loop_delay_measured, page
from ggp_player.server.player import Player
from ggp_player.worker.compiling import is_warm, warm_up_searches
from ggp_player.worker.health import Subject
from tests.support.left_behind import becomes_true
from tests.support.paths import ROOT
from tests.support.raw_manager import exchange
from tests.support.server_process import ServerProcess, serving

RULES = "(role you) (legal you go) (legal you stay) (<= terminal (true over)) (goal you 0)"


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    if not is_warm():
        warm_up_searches()
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, "--strategy", "legal", "--log-format", "json") as server:
        yield server


@pytest.fixture
def server(shared_server: ServerProcess) -> Iterator[ServerProcess]:
    """A server that has logged nothing yet, and plays no match."""
    exchange(shared_server.address, "(INFO)", 60)
    shared_server.log.write_bytes(b"")
    yield shared_server
    exchange(shared_server.address, "(ABORT m)", 60)


def get(server: ServerProcess, path: str) -> tuple[int, str]:
    host, port = server.address
    try:
        with urlopen(f"http://{host}:{port}{path}") as response:
            return response.status, response.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def values(server: ServerProcess) -> dict[str, float]:
    """The values of a server's metrics by their names, and labels where they have any."""
    families = text_string_to_metric_families(get(server, "/metrics")[1])
    samples = [sample for family in families for sample in family.samples]
    return {" ".join([sample.name, *sample.labels.values()]): sample.value for sample in samples}


def more(server: ServerProcess, before: dict[str, float]) -> Counter[str]:
    """By how much the values of a server's metrics have grown."""
    return Counter({name: value - before.get(name, 0) for name, value in values(server).items()})


@pytest.mark.thorough
def test_the_pages_follow_a_match(server: ServerProcess) -> None:
    before = values(server)
    assert get(server, "/healthz")[0] == 200
    status, text = get(server, "/readyz")
    assert (status, json.loads(text)["free_seats"]) == (200, 1)
    exchange(server.address, f"(START m you ({RULES}) 9 9)", 60)
    status, text = get(server, "/readyz")
    assert (status, json.loads(text)["free_seats"]) == (503, 0)
    assert get(server, "/healthz")[0] == 200
    exchange(server.address, "(PLAY m NIL)", 60)
    exchange(server.address, "(ABORT m)", 60)
    exchange(server.address, "(garbage", 60)
    # Workers are counted when they have ended, and the delay is measured ten times a second.
    late = {"ggp_player_worker_deaths_total stopped", "ggp_player_event_loop_delay_seconds_count"}
    assert becomes_true(lambda: late <= (+more(server, before)).keys())
    found = more(server, before)
    for name in ("start", "play", "abort", "error"):
        assert found[f"ggp_player_replies_total {name}"] == 1
    assert found["ggp_player_margin_left_seconds_count"] == 2
    assert found["ggp_player_late_replies_total"] == 0
    assert found["ggp_player_illegal_choices_total"] == 0
    assert found["ggp_player_moves_total search"] == 1
    now = values(server)
    assert now["ggp_player_workers_memory_bytes"] > 2**20
    assert now["process_resident_memory_bytes"] > 2**20


@pytest.mark.thorough
def test_messages_in_addresses_are_not_disturbed(tmp_path: Path) -> None:
    with serving(tmp_path, "--strategy", "legal", "--allow-get", "true") as server:
        assert "available" in get(server, "/%28INFO%29")[1]
        assert "available" in get(server, "/")[1]
        assert get(server, "/healthz/")[1].startswith("error: ")
        assert get(server, f"/(START+healthz+you+({RULES.replace(' ', '+')})+1+1)")[1] == "ready"
        assert get(server, "/(ABORT+healthz)")[1] == "aborted"


def test_a_worker_that_is_killed_is_counted(server: ServerProcess) -> None:
    before = values(server)
    exchange(server.address, f"(START m you ({RULES}) 9 9)", 60)
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    deaths = "ggp_player_worker_deaths_total signal"
    assert becomes_true(lambda: more(server, before)[deaths] >= 2)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems choose by themselves")
def test_workers_end_before_the_server_where_memory_runs_out(server: ServerProcess) -> None:
    def adjustment(pid: int) -> int:
        with suppress(OSError):
            return int(Path(f"/proc/{pid}/oom_score_adj").read_text())
        return 0  # it has just ended

    exchange(server.address, f"(START m you ({RULES}) 9 9)", 60)
    # A worker that is just being started has not said so yet.
    assert becomes_true(lambda: set(map(adjustment, server.workers())) == {MOST_EXPENDABLE})
    assert adjustment(server.process.pid) == adjustment(os.getpid())


def test_a_match_with_a_long_name_writes_little(server: ServerProcess) -> None:
    name = "m" * MAX_MATCH_ID_CHARACTERS
    assert exchange(server.address, f"(START {name} you ({RULES}) 9 9)", 60) == "ready"
    assert exchange(server.address, f"(PLAY {name} NIL)", 60) == "go"
    assert exchange(server.address, f"(STOP {name} (go))", 60) == "done"
    assert exchange(server.address, f"(ABORT {name})", 60) == "busy"
    lines = [json.loads(line) for line in server.text.splitlines()]
    assert {line["match"][:5] for line in lines if "match" in line} == {"mmmmm"}
    assert len(server.text) < 10_000


@pytest.mark.parametrize("length", [MAX_MATCH_ID_CHARACTERS + 1, 5_000_000, 10_000_000])
def test_a_longer_name_is_refused_with_a_sentence(server: ServerProcess, length: int) -> None:
    name = "m" * length
    assert exchange(server.address, f"(START {name} you ({RULES}) 9 9)", 60).startswith("error: ")
    reply = exchange(server.address, f"(PLAY {name} NIL)", 60)
    assert reply == "busy" or reply.startswith("error: ")
    assert len(server.text) < 10_000


def test_every_line_of_a_match_has_its_name(server: ServerProcess) -> None:
    exchange(server.address, f"(START m you ({RULES}) 9 9)", 60)
    exchange(server.address, "(PLAY m NIL)", 60)
    exchange(server.address, "(STOP m (go))", 60)
    lines = [json.loads(line) for line in server.text.splitlines()]
    of_match = [line["message"] for line in lines if line.get("match") == "m"]
    assert any("the rules are parsed" in message for message in of_match)
    assert any("127.0.0.1: (PLAY m NIL) -> go" in message for message in of_match)
    assert not [message for message in of_match if not re.search(r"\bm\b", message)]
    rest = [line["message"] for line in lines if "match" not in line]
    assert not any("match m" in message or "PLAY" in message for message in rest)


def test_the_command(server: ServerProcess) -> None:
    def ask(port: int, *flags: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ggp_player", "health", f"127.0.0.1:{port}", *flags]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert ask(server.address[1], "--ready").returncode == 0
    exchange(server.address, f"(START m you ({RULES}) 9 9)", 60)
    for flags, code in ((), 0), (("--ready",), 1):
        answer = ask(server.address[1], *flags)
        assert answer.returncode == code
        assert json.loads(answer.stdout)["free_seats"] == 0
    nobody = ask(1)
    assert nobody.returncode == 1
    assert "does not answer" in nobody.stderr


@pytest.mark.parametrize(
    ("subject", "healthy"),
    [(Subject.CACHE, 200), (Subject.SEARCHES, 503), (Subject.WORKERS, 503)],
)
async def test_a_player_whose_searches_fail_is_not_healthy(subject: Subject, healthy: int) -> None:
    player = Player(Config())
    player.health.raise_problem(subject, "out of order")
    found = page(player, "/healthz")
    assert found is not None
    assert found.status == healthy
    assert isinstance(found.body, bytes)
    assert f"{subject}: out of order" in found.body.decode()


async def test_late_replies_are_counted() -> None:
    metrics = Metrics()
    for margin in (0.3, 0.001, -0.2):
        metrics.reply_sent(margin)
    text = metrics.text().decode()
    assert "ggp_player_late_replies_total 1.0" in text
    assert 'ggp_player_margin_left_seconds_bucket{le="0.0"} 1.0' in text


async def test_the_delay_of_the_event_loop_is_measured() -> None:
    metrics = Metrics()
    async with loop_delay_measured(metrics.loop_delay.observe):
        pass
    assert "ggp_player_event_loop_delay_seconds_count 0.0" in metrics.text().decode()
