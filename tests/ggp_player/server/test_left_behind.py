"""No process outlives its match or its server, whatever has ended the one that started it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from uuid import uuid4

import pytest

from ggp_player.server.config import least_memory
from ggp_player.worker.compiling import warm_up_searches
from tests.support.left_behind import Family, becomes_true, parent, state
from tests.support.paths import ROOT
from tests.support.raw_manager import UnreadableError, exchange
from tests.support.stopwatch import Stopwatch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")

CROSS_PRODUCT = (
    " ".join(f"(p {a} {b})" for a in range(40) for b in range(40))
    + """
(role x) (legal x go) (goal x 0)
(<= (init (q ?a ?b ?c ?d ?e ?f)) (p ?a ?b) (p ?b ?c) (p ?c ?d) (p ?d ?e) (p ?e ?f))
(<= terminal (not (true (q 1 1 1 1 1 1))))
"""
)

SMALL = "(role x) (legal x go) (goal x 0)"

GROUNDER = b"clingo"
"""A word in the command of a grounder."""


SERVING = """
import sys
from gdl.system import children, strays
if mark := sys.argv.pop(1):
    children.MARK = strays.MARK = mark
from ggp_player.__main__ import main
main()
"""
"""The command ``ggp-player``; an argument before its own can stand for the mark of strays."""


@asynccontextmanager
async def served(
    family: Family, *more: str, mark: str = ""
) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """Run a server with small workers; the process and its port are the value."""
    flags = ("--host", "127.0.0.1", "--port", "0", "--memory-limit", f"{least_memory()}")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVING, mark, "serve", *flags, "--search-memory", "64", *more),
        cwd=ROOT,
        env=family.environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        yield process, int((await process.stdout.readline()).split(b":")[-1])
    finally:
        for pid in family.members():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await process.communicate()


async def ask(port: int, text: str) -> str:
    """Send a message; return the reply, empty where the server has ended before."""
    try:
        return await asyncio.to_thread(exchange, ("127.0.0.1", port), text, 120)
    except (ConnectionError, UnreadableError):
        return ""


async def appearing(family: Family) -> int:
    """Wait for a grounder, and return its process."""
    found: list[int] = []

    def is_there() -> bool:
        found.extend(family.members(GROUNDER))
        return bool(found)

    assert await asyncio.to_thread(becomes_true, is_there)
    return found[0]


def fork_servers(family: Family, server: int) -> list[int]:
    """The fork server of a server, unless it is just being replaced."""
    return [pid for pid in family.members(b"multiprocessing.forkserver") if parent(pid) == server]


def workers_of(family: Family, server: int) -> list[int]:
    """The workers of a server that has no helpers now: the children of its fork server."""
    members = family.members()
    return [pid for pid in members if parent(pid) in members and parent(pid) != server]


async def none_is_left(family: Family, word: bytes = b"") -> bool:
    return await asyncio.to_thread(becomes_true, lambda: not family.members(word))


@pytest.mark.thorough
async def test_no_grounder_outlives_its_match() -> None:
    warm_up_searches()
    family = Family()
    async with served(family) as (process, port):
        for number in range(10):
            start = asyncio.create_task(ask(port, f"(START m{number} x ({CROSS_PRODUCT}) 60 60)"))
            grounder = await appearing(family)
            if number % 2:
                with suppress(ProcessLookupError):
                    os.kill(parent(grounder), signal.SIGKILL)
            assert await ask(port, f"(ABORT m{number})") == "aborted"
            assert await start in {"ready", ""}
            assert await none_is_left(family, GROUNDER), number
        process.kill()
        assert await none_is_left(family)


@pytest.mark.thorough
async def test_nothing_outlives_a_server_that_is_killed_while_it_grounds() -> None:
    warm_up_searches()
    family = Family()
    async with served(family) as (process, port):
        start = asyncio.create_task(ask(port, f"(START m x ({CROSS_PRODUCT}) 60 60)"))
        await appearing(family)
        process.kill()
        with suppress(OSError):
            await start
        assert await none_is_left(family)


@pytest.mark.thorough
async def test_descriptors_do_not_grow_from_match_to_match() -> None:
    family = Family()
    async with served(family, "--strategy", "legal") as (process, port):

        def descriptors() -> int:
            return len(list(Path(f"/proc/{process.pid}/fd").iterdir()))

        counts = []
        for number in range(12):
            rules = f"{SMALL} (<= terminal (true over))"
            assert await ask(port, f"(START m{number} x ({rules}) 9 9)") == "ready"
            assert await ask(port, f"(PLAY m{number} NIL)") == "go"
            assert await ask(port, f"(ABORT m{number})") == "aborted"
            counts.append(descriptors())
        least = min(counts[5:])  # by then the archive is open
        assert await asyncio.to_thread(becomes_true, lambda: descriptors() <= least), counts


@pytest.mark.thorough
async def test_a_server_ends_soon_whose_fork_server_is_stopped() -> None:
    family = Family()
    async with served(family, "--spares", "1") as (process, port):
        for number in range(3):
            (fork_server,) = fork_servers(family, process.pid)
            os.kill(fork_server, signal.SIGSTOP)
            start = Stopwatch()
            assert await ask(port, f"(START m{number} x ({SMALL}) 30 9)") == "ready"
            assert start.on_clock < 20
            assert await ask(port, f"(ABORT m{number})") == "aborted"
            assert await asyncio.to_thread(
                becomes_true, lambda: bool(fork_servers(family, process.pid))
            )
        for pid in fork_servers(family, process.pid):
            os.kill(pid, signal.SIGSTOP)
        end = Stopwatch()
        process.send_signal(signal.SIGTERM)
        await process.wait()
        assert end.on_clock < 5
        assert await none_is_left(family)


@pytest.mark.thorough
async def test_workers_that_are_stopped_do_not_outlive_their_server() -> None:
    family = Family()
    async with served(family) as (process, port):
        assert await ask(port, "(START m x ((role x) (legal x go) (goal x 0)) 9 9)") == "ready"
        workers = workers_of(family, process.pid)
        assert len(workers) >= 2
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        assert await asyncio.to_thread(becomes_true, lambda: set(map(state, workers)) == {"T"})
        process.kill()
        assert await none_is_left(family)


@pytest.mark.thorough
async def test_a_server_whose_workers_are_all_stopped_replies_with_legal_moves(
    fields: str,
) -> None:
    family = Family()
    async with served(family, "--strategy", "minimax") as (process, port):
        assert await ask(port, f"(START m xena ({fields}) 20 5)") == "ready"
        joint_move = "NIL"
        for expected, after in (("(claim 3)", "((claim 3) noop)"), ("noop", "(noop (claim 1))")):
            for pid in workers_of(family, process.pid):
                os.kill(pid, signal.SIGSTOP)
            watch = Stopwatch()
            assert await ask(port, f"(PLAY m {joint_move})") == expected
            assert watch.own < 5
            joint_move = after
        assert await ask(port, f"(PLAY m {joint_move})") == "(claim 2)"


@pytest.mark.thorough
async def test_a_new_server_ends_what_a_killed_one_has_left() -> None:
    family = Family()
    mark = f"GDL_TEST_{uuid4().hex}"  # servers of other tests leave it alone
    async with served(family, mark=mark) as (process, _):
        everyone = [pid for pid in family.members() if pid != process.pid]
        for pid in (process.pid, *everyone):  # the server first, which would replace the others
            os.kill(pid, signal.SIGSTOP)
        assert await asyncio.to_thread(becomes_true, lambda: set(map(state, everyone)) == {"T"})
        workers = set(workers_of(family, process.pid))
        assert workers
        process.kill()
        assert await asyncio.to_thread(becomes_true, lambda: state(process.pid) in {"", "Z"})
        assert workers <= set(family.members())
        async with served(Family(), mark=mark):
            assert await asyncio.to_thread(
                becomes_true, lambda: not workers & set(family.members())
            )
