"""Each check of ``ggp-player doctor`` finds what is injected."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import get_clock_info

import llvmlite.binding as llvm
import pytest

from gdl import system
from gdl.errors import GroundingLimitError
from ggp_player.archive.queries import Archive
from ggp_player.archive.schema import opened
from ggp_player.cli.doctor import checks
from ggp_player.cli.doctor.checks import diagnose
from ggp_player.errors import ServerError
from ggp_player.server.config import Config
from ggp_player.server.match_journal import JournalFolder

DEFAULTS = Config()


def returning(value: object) -> Callable[..., object]:
    return lambda *_arguments, **_named: value


def raising(error: Exception) -> Callable[..., object]:
    def fail(*_arguments: object, **_named: object) -> object:
        raise error

    return fail


def test_a_check_that_cannot_be_made_is_a_problem() -> None:
    for error in (
        PermissionError(13, "Permission denied", "/x"),
        ServerError("no"),
        TimeoutError(),
    ):
        found = diagnose("folder", raising(error))  # type: ignore[arg-type]
        assert (found.subject, found.verdict) == ("folder", "problem")
        assert found.sentence == (str(error) or "it takes too long")


def test_versions_are_named() -> None:
    verdict, sentence = checks.check_versions(DEFAULTS)
    assert verdict == "ok"
    assert all(f"{package} " in sentence for package in ("ggp-player", "Python", "clingo"))


# ---------------------------------------------------------------------- compiled code


@pytest.fixture
def warm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache of this test's own, of which the searches are said to be in it."""
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(checks, "is_warm", returning(True))
    monkeypatch.setattr(checks, "warm_up_first", returning(True))
    return tmp_path / "cache"


def test_a_warm_cache(warm: Path) -> None:
    verdict, sentence = checks.check_kernels(DEFAULTS)
    assert verdict == "ok"
    assert sentence.endswith(f"for this machine; 0 files, 0.0 MiB, in {warm}")


def test_a_cold_cache_is_warmed(warm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "is_warm", returning(False))
    verdict, sentence = checks.check_kernels(DEFAULTS)
    assert verdict == "ok"
    assert "for this machine now, which took 0." in sentence


def test_searches_that_cannot_be_compiled(warm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []

    def fail(_report: object, seconds: float) -> bool:
        limits.append(seconds)
        return False

    monkeypatch.setattr(checks, "warm_up_first", fail)
    verdict, sentence = checks.check_kernels(DEFAULTS)
    assert limits == [checks.MOST_COMPILING]
    assert verdict == "problem"
    assert "cannot be compiled" in sentence


def test_a_cache_that_cannot_be_written(warm: Path) -> None:
    warm.write_text("a file in the folder's place")
    assert checks.check_kernels(DEFAULTS)[0] == "warning"


@pytest.mark.skipif(os.name != "posix", reason="there are no modes")
def test_a_cache_that_others_may_write(warm: Path) -> None:
    warm.mkdir()
    warm.chmod(0o777)
    verdict, sentence = checks.check_kernels(DEFAULTS)
    assert verdict == "warning"
    assert "other users may write it" in sentence


def test_native_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "SLOW_START", 100.0)
    features = llvm.get_host_cpu_features()
    monkeypatch.setattr(llvm, "get_host_cpu_features", returning(features))
    for wide in checks.VECTORS:
        features.pop(wide, None)
    verdict, sentence = checks.check_native_code(DEFAULTS)
    assert (verdict, sentence.partition(" on ")[0]) == ("warning", "no wide instructions")
    features["avx2"] = True
    verdict, sentence = checks.check_native_code(DEFAULTS)
    assert (verdict, sentence.partition(" on ")[0]) == ("ok", "AVX2")


def test_a_compiler_that_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "compile_in_isolation", raising(RuntimeError("LLVM ended with 1")))
    found = diagnose("native code", lambda: checks.check_native_code(DEFAULTS))
    assert (found.verdict, found.sentence) == ("problem", "LLVM ended with 1")


def test_the_grounder(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "gringo's helper process started" in checks.check_grounder(DEFAULTS)[1]
    monkeypatch.setattr(checks, "SLOW_START", 0.0)
    monkeypatch.setattr(checks, "ground_game", returning(None))
    assert checks.check_grounder(DEFAULTS)[0] == "warning"
    monkeypatch.setattr(checks, "ground_game", raising(GroundingLimitError("grounding failed")))
    assert diagnose("grounder", lambda: checks.check_grounder(DEFAULTS)).verdict == "problem"


# ---------------------------------------------------------------------- the machine


@pytest.mark.parametrize(
    ("late", "step", "found"),
    [(0.001, 0.0, "ok"), (0.5, 0.0, "hold this one up"), (0.001, 3.0, "sets the time of day")],
)
def test_the_clock(late: float, step: float, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def measured(observe: Callable[[float], object]) -> AsyncIterator[None]:
        observe(late)
        yield

    class Clocks:
        """Clocks of which one is set while nobody sleeps."""

        def __init__(self) -> None:
            self.walls = iter((1000.0, 1001.0 + step))
            self.monotonics = iter((50.0, 51.0))

        def time(self) -> float:
            return next(self.walls)

        def monotonic(self) -> float:
            return next(self.monotonics)

        get_clock_info = staticmethod(get_clock_info)

    async def sleep(_seconds: float) -> None:
        pass

    monkeypatch.setattr(checks, "loop_delay_measured", measured)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    monkeypatch.setattr(checks, "time", Clocks())
    verdict, sentence = checks.check_clock(DEFAULTS)
    assert (verdict == "ok") == (found == "ok")
    assert found == "ok" or found in sentence


@pytest.mark.parametrize(
    ("quota", "load", "matches", "verdict"),
    [
        (None, 0.5, 1, "ok"),
        (1.5, 2.0, 1, "warning"),
        (None, 9.0, 1, "warning"),
        (2, 1, 3, "warning"),
    ],
)
def test_processors(
    quota: float | None,
    load: float,
    matches: int,
    verdict: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(system, "available_cpus", returning(4))
    monkeypatch.setattr(system, "cpu_quota", returning(quota))
    monkeypatch.setattr(system, "load_average", returning(load))
    assert checks.check_processors(Config(max_matches=matches))[0] == verdict


@pytest.mark.parametrize(("free", "verdict"), [(2**33, "ok"), (2**29, "warning"), (None, "ok")])
def test_memory(free: int | None, verdict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "available_memory", returning(free))
    monkeypatch.setattr(system, "total_memory", returning(2**34))
    found, sentence = checks.check_memory(Config(search_memory=1024))
    assert found == verdict
    assert "take 1.0 GiB for their trees" in sentence


@pytest.mark.parametrize(("limit", "verdict"), [(4096, "ok"), (300, "warning"), (100, "problem")])
def test_a_low_limit_of_open_files(
    limit: int, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp_player.front.connections.raise_open_files_limit", returning(limit))
    monkeypatch.setattr(system, "raise_open_files_limit", returning(limit))
    found, sentence = checks.check_open_files(DEFAULTS)
    assert found == verdict
    assert f"limit of open files: {limit})" in sentence


# ---------------------------------------------------------------------- the network


def test_a_port_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "ANSWER_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        verdict, sentence = checks.check_port(Config(port=port))
    assert verdict == "problem"
    assert sentence == (
        f"cannot listen at 127.0.0.1:{port}: another program listens there; "
        "stop it or choose another --port"
    )
    assert checks.check_port(Config(port=port))[0] == "ok"
    assert checks.check_port(Config(port=0))[0] == "warning"


OWN = b'{"free_seats": 1, "problems": []}'
UNWELL = b'{"free_seats": 2, "problems": ["workers: none can be started: full"]}'


@pytest.mark.parametrize(
    ("reply", "verdict", "text"),
    [
        (OWN, "ok", "a player server of ours is at the port {port} of 0.0.0.0, with 1 free seat"),
        (UNWELL, "warning", "with 2 free seats; workers: none can be started: full"),
        (b'{"free_seats": []}', "problem", "another program listens there"),
        (b"[]", "problem", "another program listens there"),
        (b"\xff", "problem", "another program listens there"),
    ],
)
async def test_a_port_that_a_server_of_ours_has(reply: bytes, verdict: str, text: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert b"GET /healthz " in await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 503 Out of order\r\nContent-Length: %d\r\n\r\n" % len(reply))
        writer.write(reply)
        writer.close()

    async with await asyncio.start_server(answer, "0.0.0.0", 0) as server:
        port = server.sockets[0].getsockname()[1]
        found = await asyncio.to_thread(checks.check_port, Config(host="0.0.0.0", port=port))
    assert found[0] == verdict
    assert text.format(port=port) in found[1]


@pytest.mark.parametrize(
    ("settings", "verdict", "text"),
    [
        ({}, "warning", "managers on this machine"),
        ({"poll": "http://manager:8000"}, "ok", "need not be reached"),
        ({"host": "192.0.2.7"}, "warning", "192.0.2.7:9147 on"),
        ({"host": "0.0.0.0", "allow": ("192.0.2.9",)}, "ok", "this machine and 192.0.2.9"),
        ({"host": "192.0.2.7", "token": "x" * 16}, "ok", "192.0.2.7:9147/SECRET"),
    ],
)
def test_who_reaches_the_player(settings: dict[str, object], verdict: str, text: str) -> None:
    found, sentence = checks.check_reach(Config.model_validate(settings))
    assert found == verdict
    assert text in sentence
    assert "x" * 16 not in sentence


# ---------------------------------------------------------------------- folders


def state_folder(folder: Path) -> tuple[str, str]:
    found = diagnose("state", lambda: checks.check_state_folder(Config(state_dir=folder)))
    return found.verdict, found.sentence


def test_a_state_folder(tmp_path: Path) -> None:
    assert checks.check_state_folder(DEFAULTS)[0] == "ok"
    folder = tmp_path / "deep" / "state"
    assert state_folder(folder)[0] == "ok"
    assert not folder.parent.exists()
    journals = JournalFolder(folder)
    assert "in use by another server" in state_folder(folder)[1]
    journals.close()
    assert state_folder(folder)[0] == "ok"


def test_a_state_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    verdict, sentence = state_folder(tmp_path / "file" / "state")
    assert verdict == "problem"
    assert f"there is no folder {tmp_path / 'file'}" in sentence


@pytest.mark.skipif(os.name != "posix", reason="there are no modes")
def test_a_state_folder_of_others_too(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    verdict, sentence = state_folder(tmp_path)
    assert verdict == "problem"
    assert sentence == f"the state folder {tmp_path} must belong to this user alone"


def test_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config(archive=tmp_path / "matches.sqlite")
    assert checks.check_archive(Config(no_archive=True))[0] == "ok"
    assert checks.check_archive(config)[0] == "ok"
    assert list(tmp_path.iterdir()) == []
    with opened(tmp_path / "matches.sqlite", create=True):
        pass
    assert Archive(tmp_path / "matches.sqlite")
    assert "matches in " in checks.check_archive(config)[1]
    monkeypatch.setattr(checks, "LEAST_SPACE", 2**62)
    assert checks.check_archive(config)[0] == "warning"
    monkeypatch.setattr(os, "access", returning(False))
    assert checks.check_archive(config)[0] == "problem"


def test_an_archive_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "matches.sqlite"
    path.write_text("no database, but long enough to be taken for one" * 100)
    found = diagnose("archive", lambda: checks.check_archive(Config(archive=path)))
    assert found.verdict == "problem"
    assert found.sentence.startswith(f"the archive {path} cannot be used: ")
