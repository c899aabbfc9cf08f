"""A legal move in time, whatever happens to the processes that look for it."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from multiprocessing import forkserver, resource_tracker
from pathlib import Path

import pytest

from ggp_player.events import BestMove
from ggp_player.logs import ContextFilter, enter_match
from ggp_player.protocol.messages import Start
from ggp_player.worker import launching, supervisor
from ggp_player.worker import pool as worker_pool
from ggp_player.worker.compiling import warm_up_searches
from ggp_player.worker.fallback_moves import LAST_RESORT
from ggp_player.worker.health import Health, Subject
from ggp_player.worker.messages import MatchStatus
from ggp_player.worker.pool import Pool, WorkerHandle
from ggp_player.worker.process import MemoryLimits
from ggp_player.worker.service import CancellableDeadline, MoveService
from ggp_player.worker.supervisor import Setup
from tests.ggp_player.conftest import Ear
from tests.support.serving import announced
from tests.support.stopwatch import Stopwatch

Naming = Callable[[str], str]

LATENESS = 0.25
"""Seconds after a deadline in which a decision must be there."""

HEAVY = " ".join(f"(p {a} {b})" for a in range(40) for b in range(40))
HEAVY += "(role x) (legal x go) (<= (init (q ?a ?b ?c ?d ?e ?f))"
HEAVY += (
    "(p ?a ?b) (p ?b ?c) (p ?c ?d) (p ?d ?e) (p ?e ?f)) (<= terminal (not (true (q 1 1 1 1 1 1))))"
)
HEAVY += "(goal x 0)"


needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")


def within(seconds: float) -> CancellableDeadline:
    return CancellableDeadline.after(seconds)


@asynccontextmanager
async def playing(
    strategy: str,
    rules: str,
    role: str = "xena",
    memory: int = 1024,
    *,
    play_clock: int = 10,
    health: Health | None = None,
) -> AsyncIterator[MoveService]:
    """Run a move service for a role with so many MiB; the rules are not parsed yet."""
    pool = Pool(2, MemoryLimits(memory * 2**20, memory * 2**18))
    await pool.start()
    start = Start("m", role, rules, 10, play_clock)
    setup = Setup(start, strategy, "seed", health=health or Health())
    service = MoveService(setup, pool)
    try:
        yield service
    finally:
        service.close()
        await service.closed()
        await pool.close()


@asynccontextmanager
async def announcing(
    strategy: str, rules: str
) -> AsyncIterator[tuple[MoveService, asyncio.Queue[int]]]:
    """Play with a strategy that calls whenever it searches; the queue gets its process's ids."""
    async with (
        announced() as (port, pids),
        playing(f"{strategy}:port={port}", rules) as service,
    ):
        await service.prepare(within(0))
        yield service, pids


# ---------------------------------------------------------------------- good strategies


async def test_a_match_from_beginning_to_end(fields: str) -> None:
    async with playing("minimax", fields) as service:
        assert await service.prepare(within(10)) == ""
        first = await service.choose((), within(10))
        assert (first.move, first.value, first.proved) == ("(claim 3)", 100, True)
        second = await service.choose([("(claim 3)", "noop")], within(10))
        assert second == BestMove("noop", note="only move")
        third = await service.choose([("noop", "(claim 1)")], within(10))
        assert third.move == "(claim 2)"
        end = await service.finish([("(claim 2)", "noop")], within(10))
        assert end == MatchStatus(3, (), True, {"xena": 100, "Oscar": 0})


async def test_the_joint_move_received_counts_not_the_move_sent(fields: str) -> None:
    async with playing("legal", fields) as service:
        await service.prepare(within(10))
        assert (await service.choose((), within(10))).move == "(claim 1)"
        await service.choose([("(claim 2)", "noop")], within(10))
        assert (await service.choose([("noop", "(claim 1)")], within(10))).move == "(claim 3)"


async def test_chance_is_repeatable(fields: str) -> None:
    moves = []
    for _ in range(2):
        async with playing("random", fields) as service:
            await service.prepare(within(10))
            moves.append((await service.choose((), within(10))).move)
    assert moves[0] == moves[1]


async def test_a_search_is_told_its_time(words: str, bad: Naming) -> None:
    async with playing(bad("TellingTime"), words) as service:
        await service.prepare(within(95))
        first = await service.choose((), within(40))
        assert first.value is not None
        assert 45 < first.value <= 95  # it goes on from the start clock
        second = await service.choose([("(say 1)", "(say 2)")], within(40))
        assert second.value is not None
        assert 10 < second.value <= 40


async def test_after_a_restart_nobody_knows_the_time(words: str, bad: Naming) -> None:
    async with playing(bad("TellingTime"), words) as service:
        await service.resume(within(40))
        best = await service.choose((), within(40))
        assert (best.move, best.value) == ("(say 3)", None)


async def test_a_lone_legal_move_is_not_thought_about(fields: str, bad: Naming) -> None:
    async with playing(bad("Hanging"), fields, role="Oscar") as service:
        await service.prepare(within(0))
        watch = Stopwatch()
        best = await service.choose((), within(60))
        assert best.move == "noop"
        assert watch.own < 10


async def test_a_strategy_that_refuses_the_game_is_replaced(fields: str, ear: Ear) -> None:
    async with playing("deliberation", fields) as service:
        await service.prepare(within(10))
        assert (await service.choose((), within(60))).move == "(claim 3)"
        assert "auto plays instead" in await ear.hear("deliberation refuses the game")


# ---------------------------------------------------------------------- bad strategies


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "move"),
    [
        ("Hanging", "(say 1)"),
        ("HangingFromBirth", "(say 1)"),
        ("Raising", None),
        ("Silent", "(say 1)"),
        ("Exiting", None),
        ("Illegal", "(say 1)"),
        ("Spinning", "(say 3)"),
        ("RaisingLater", None),
        ("Suicidal", None),
        ("Deaf", "(say 3)"),
    ],
)
async def test_a_bad_strategy(
    name: str, move: str | None, words: str, bad: Naming, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A strategy that fails, for which ``move`` is None, is replaced by one that knows values."""
    monkeypatch.setattr(supervisor, "STOP_GRACE", 0.5)
    async with playing(bad(name), words) as service:
        await service.prepare(within(1.5))
        for moves in ((), [("(say 1)", "(say 2)")]):
            watch = Stopwatch()
            best = await service.choose(moves, within(1.5))
            assert watch.own < 1.5 + LATENESS
            if move is not None:
                assert best.move == move
            else:
                assert best.value == 50


async def test_a_search_that_fails_every_time_is_replaced_by_the_textbook(
    fields: str, bad: Naming, ear: Ear
) -> None:
    health = Health()
    async with playing(bad("Raising"), fields, health=health) as service:
        assert await service.prepare(within(30)) == ""
        best = await service.choose((), within(30))
        assert (best.move, best.value, best.proved) == ("(claim 3)", 100, True)
        await ear.hear("misbehaving:Raising fails again and again: ZeroDivisionError")
        (problem,) = health.problems
        assert problem.subject is Subject.SEARCHES
        assert problem.reason.startswith("match m, search: ")
        await service.choose([("(claim 3)", "noop")], within(30))
        assert (await service.choose([("noop", "(claim 1)")], within(30))).move == "(claim 2)"
    async with playing("minimax", fields, health=health) as service:
        await service.prepare(within(30))
        assert not health.problems


@pytest.mark.thorough
async def test_kernels_that_cannot_be_loaded_are_done_without(
    fields: str, ear: Ear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = "from gdl.array_kernels.archive import Entry\ndel Entry.__call__\n"
    (tmp_path / "sitecustomize.py").write_text(broken)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(launching, "start_method", lambda: "spawn")
    warm_up_searches()
    async with playing("auto", fields) as service:
        assert await service.prepare(within(40)) == ""
        best = await service.choose((), within(40))
        assert (best.move, best.proved) == ("(claim 3)", True)
        await ear.hear("interpreted for the whole match: TypeError")


async def test_a_strategy_that_eats_memory(fields: str, bad: Naming, ear: Ear) -> None:
    async with playing(bad("Greedy"), fields, memory=512) as service:
        await service.prepare(within(0.2))
        await ear.hear("died, another takes over")
        await ear.hear("reached its memory limit")
        assert (await service.choose((), within(5))).move == "(claim 3)"


async def test_a_failure_is_logged_with_its_place(fields: str, bad: Naming, ear: Ear) -> None:
    async with playing(bad("Raising"), fields) as service:
        await service.prepare(within(10))
        assert 'misbehaving.py", line' in await ear.hear("search 1 failed")
        await ear.hear("search 1: ZeroDivisionError: xena")


# ---------------------------------------------------------------------- processes


@pytest.mark.thorough
async def test_a_search_killed_in_the_middle_of_a_move_is_replaced(words: str, bad: Naming) -> None:
    async with announcing(bad("Announcing"), words) as (service, calls):
        pids = [await calls.get()]
        choosing = asyncio.create_task(service.choose([("(say 1)", "(say 2)")], within(2)))
        assert await calls.get() == pids[0]
        for _ in range(2):
            os.kill(pids[-1], signal.SIGKILL)
            pids.append(await calls.get())
        assert len(set(pids)) == 3
        assert await choosing == BestMove("(say 3)", value=50, note="announcing")


@pytest.mark.thorough
async def test_a_search_that_stops_in_time_is_kept(words: str, bad: Naming) -> None:
    async with announcing(bad("Announcing"), words) as (service, calls):
        first = await calls.get()
        assert (await service.choose((), within(0.5))).move == "(say 3)"
        choosing = asyncio.create_task(service.choose([("(say 1)", "(say 2)")], within(0.5)))
        assert await calls.get() == first
        assert (await choosing).move == "(say 3)"


async def test_a_strategy_that_ponders_searches_while_others_choose(
    fields: str, bad: Naming
) -> None:
    async with announcing(bad("Pondering"), fields) as (service, calls):
        first = await calls.get()
        assert (await service.choose((), within(0.5))).move == "(claim 3)"
        reply = await service.choose([("(claim 3)", "noop")], within(10))
        assert reply == BestMove("noop", note="only move")
        assert await calls.get() == first


@pytest.mark.thorough
async def test_a_search_that_does_not_stop_is_killed_and_replaced(
    words: str, bad: Naming, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "STOP_GRACE", 0.5)
    async with playing(bad("Spinning"), words) as service:
        await service.prepare(within(0.2))
        await ear.hear("search: the rules are parsed")
        await service.choose((), within(0.2))
        await ear.hear("search 1 does not stop and is replaced")
        best = await service.choose([("(say 1)", "(say 2)")], within(1))
        assert best == BestMove("(say 3)", note="spinning")


async def test_a_dead_tracker_is_replaced(fields: str, ear: Ear) -> None:
    async with playing("legal", fields) as service:
        await service.prepare(within(10))
        await service.choose((), within(10))
        worker = service._tracker.worker
        assert worker is not None
        os.kill(worker.pid, signal.SIGKILL)
        await ear.hear("tracker: worker")
        assert (await service.choose([("(claim 3)", "noop")], within(10))).move == "noop"


async def test_no_worker_can_be_started(
    fields: str, monkeypatch: pytest.MonkeyPatch, ear: Ear
) -> None:
    async def fail(pool: Pool) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(Pool, "take", fail)
    async with playing("legal", fields) as service:
        await service.prepare(within(10))
        assert (await service.choose((), within(10))).move == LAST_RESORT
        await ear.hear("no worker can be started: [Errno 11]")


async def test_what_was_left_behind_belongs_to_no_match(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    killed: list[int] = []
    monkeypatch.setattr(worker_pool, "find_strays", lambda: [123])
    monkeypatch.setattr(worker_pool, "kill", killed.append)
    caplog.set_level(logging.INFO)
    caplog.handler.addFilter(noted := ContextFilter())
    enter_match("m")
    await Pool(0, MemoryLimits(2**30, 2**28)).sweep()
    caplog.handler.removeFilter(noted)
    assert killed == [123]
    assert [(r.getMessage(), getattr(r, "match", None)) for r in caplog.records] == [
        ("process 123 was left behind and is killed", "")
    ]


async def test_spares_that_cannot_be_started_are_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(1, MemoryLimits(2**30, 2**28))
    with monkeypatch.context() as patched:

        async def fail(*_arguments: object) -> None:
            raise OSError(28, "No space left on device")

        patched.setattr(WorkerHandle, "launch", fail)
        await pool.start()
        (problem,) = pool.health.problems
        assert str(problem) == "workers: none can be started: [Errno 28] No space left on device"
    try:
        await pool.take()
        assert not pool.health.problems
    finally:
        await pool.close()


async def test_a_fork_server_that_is_killed_is_replaced(fields: str, ear: Ear) -> None:
    async with playing("legal", fields) as service:
        await service.prepare(within(10))
        os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)  # type: ignore[attr-defined]
        worker = service._search.worker
        assert worker is not None
        os.kill(worker.pid, signal.SIGKILL)
        await ear.hear("search: worker")
        assert (await service.choose((), within(10))).move == "(claim 1)"


# ---------------------------------------------------------------------- bad rules


@pytest.mark.thorough
async def test_rules_that_cannot_be_read() -> None:
    async with playing("legal", "(role xena) (legal xena") as service:
        reason = await service.prepare(within(10))
        assert reason.startswith("rules:1:13: error: this '(' is never closed")
        assert (await service.choose((), within(10))).move == LAST_RESORT
        assert (await service.choose([("go",)], within(10))).move == LAST_RESORT
        assert await service.finish([("go",)], within(10)) is None


async def test_a_role_that_is_not_in_the_rules(fields: str) -> None:
    async with playing("legal", fields, role="judge") as service:
        assert await service.prepare(within(10)) == (
            "expected one of the roles xena, Oscar; found judge"
        )


@pytest.mark.thorough
async def test_rules_that_are_too_heavy(ear: Ear) -> None:
    async with playing("legal", HEAVY, role="x") as service:
        watch = Stopwatch()
        assert await service.prepare(within(0.6)) == ""
        best = await service.choose((), within(0.6))
        assert best == BestMove("go", note="guess; always legal")
        assert watch.own < 1.2 + LATENESS
        await ear.hear("not one legal move is known, go is a guess: always legal")


# ---------------------------------------------------------------------- stopped workers


def workers_of(service: MoveService) -> list[int]:
    workers = [service._tracker.worker, service._search.worker]
    return [worker.pid for worker in workers if worker is not None]


@needs_proc
@pytest.mark.parametrize("and_spares", [False, True])
async def test_workers_that_are_stopped_are_replaced(
    fields: str, ear: Ear, and_spares: bool
) -> None:
    async with playing("minimax", fields) as service:
        await service.prepare(within(30))
        assert (await service.choose((), within(30))).move == "(claim 3)"
        spares = [worker.pid for worker in service._pool._spares] if and_spares else []
        for pid in (*workers_of(service), *spares):
            os.kill(pid, signal.SIGSTOP)
        assert (await service.choose([("(claim 3)", "noop")], within(30))).move == "noop"
        for pid in workers_of(service):
            os.kill(pid, signal.SIGSTOP)
        assert (await service.choose([("noop", "(claim 1)")], within(30))).move == "(claim 2)"
        await ear.hear("is stopped, and replaced")


async def test_without_any_worker_moves_that_were_legal_a_round_ago_are_guessed(
    fields: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing("legal", fields) as service:
        await service.prepare(within(30))
        assert (await service.choose((), within(30))).move == "(claim 1)"
        assert (await service.choose([("(claim 1)", "noop")], within(30))).move == "noop"

        async def fail() -> None:
            raise OSError(11, "Resource temporarily unavailable")

        for supervisor in (service._tracker, service._search):
            monkeypatch.setattr(supervisor, "_take", fail)
        for pid in workers_of(service):
            os.kill(pid, signal.SIGKILL)
        best = await service.choose([("noop", "(claim 2)")], within(0.5))
        assert best == BestMove("(claim 2)", note="guess; legal in an earlier turn")


@pytest.mark.parametrize("play_clock", [0, -5])
async def test_a_clock_without_time_gets_a_legal_move(fields: str, play_clock: int) -> None:
    async with playing("legal", fields, play_clock=play_clock) as service:
        assert await service.prepare(within(0)) == ""
        assert (await service.choose((), within(0))).move in {f"(claim {n})" for n in (1, 2, 3)}
        assert (await service.choose([("(claim 1)", "noop")], within(0))).move == "noop"


# ---------------------------------------------------------------------- deadlines


@pytest.mark.thorough
async def test_a_wait_can_be_cut_short(fields: str, bad: Naming) -> None:
    async with playing(bad("Spinning"), fields) as service:
        await service.prepare(within(3))
        waiting = within(3600)
        choosing = asyncio.create_task(service.choose((), waiting))
        await asyncio.sleep(0)
        assert not choosing.done()
        waiting.cut_short()
        assert (await choosing).move == "(claim 3)"


@pytest.mark.parametrize(
    ("best", "text"),
    [
        (BestMove("noop"), "noop"),
        (BestMove("(claim 3)", 100, True, "depth 3"), "(claim 3), value 100, proved (depth 3)"),
        (BestMove("noop", 12.5, note="all equal"), "noop, value 12.5 (all equal)"),
    ],
)
def test_a_move_in_the_log(best: BestMove, text: str) -> None:
    assert str(best) == text


# ---------------------------------------------------------------------- other systems

LACKING = """
import ctypes, os, sys
sys.modules.update(resource=None, fcntl=None)
del os.sched_getaffinity, os.getloadavg, os.getuid, os.setsid, os.killpg, os.getpgrp
load = ctypes.CDLL
def CDLL(name, *arguments, **options):
    if name is None:
        raise TypeError("a library needs a name")
    return load(name, *arguments, **options)
ctypes.CDLL = CDLL
"""
"""What a worker finds on a system without what only some have."""


@pytest.mark.thorough
async def test_a_match_where_the_system_has_little_to_offer(
    fields: str, ear: Ear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(LACKING)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(launching, "start_method", lambda: "spawn")
    monkeypatch.delattr(signal, "pthread_sigmask")
    # What the standard library has found out about that when it was imported.
    monkeypatch.setattr(resource_tracker, "_HAVE_SIGMASK", False)
    async with playing("auto", fields) as service:
        assert await service.prepare(within(40)) == ""
        assert (await service.choose((), within(60))).move == "(claim 3)"
        assert (await service.choose([("(claim 3)", "noop")], within(5))).move == "noop"
        last = await service.choose([("noop", "(claim 1)")], within(5))
        assert last.move == "(claim 2)"
        end = await service.finish([("(claim 2)", "noop")], within(10))
        assert end == MatchStatus(3, (), True, {"xena": 100, "Oscar": 0})
    assert not [text for text in ear.messages if "died" in text]
