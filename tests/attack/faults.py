"""What happens to a server: each fault strikes at some instant, once or again.

Its processes are killed or stopped, and what they need is taken away: files of the cache, room on
the disk, memory.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from gdl.code_cache import cache_folder
from gdl.system import is_stopped
from ggp_player.worker.warm_up_process import PAUSES
from tests.attack.caches import Cache, forget_games
from tests.support.left_behind import POLL, command_line
from tests.support.raw_manager import LateError, exchange
from tests.support.server_process import ServerProcess

Strike = Callable[[ServerProcess, Random], int]
"""Strikes, and returns how many processes or files were hit."""

GAMES = ("ticTacToe", "connectFour", "breakthrough", "reversi")

GROUNDED_GAMES = ("reversi", "amazons", "chess")
"""Games that take a while to ground."""

COMPILED_GAMES = ("breakthrough", "draughts", "pentago")
"""Games that are grounded soon, and that take LLVM a while."""

VICTIM_SECONDS = 1.0
"""How long a fault waits for its victim."""

HELPER_SECONDS = 6.0
"""How long it waits for one that runs for moments: until the next match begins."""

HELPER_POLL = 0.002

HELPER_TURNS = 3
"""After how many turns a match is aborted, so that the next one begins."""

DISK_BYTES = 2**18
"""How long files may become on a disk that is full: long enough for a log, not for code."""

KILL_SERVER = "kill the server"

BOMB = """
(role x) (legal x go) (goal x 0) (n 0 1) (n 1 2) (n 2 3) (n 3 4) (n 4 5) (n 5 6) (n 6 7) (n 7 0)
(<= (init (q ?a ?b ?c ?d ?e ?f ?g ?h))
    (n ?a ?z) (n ?b ?z1) (n ?c ?z2) (n ?d ?z3) (n ?e ?z4) (n ?f ?z5) (n ?g ?z6) (n ?h ?z7))
(<= terminal (not (true (q 1 1 1 1 1 1 1 1))))
"""
"""Rules of a state with 16 million facts."""


@dataclass(frozen=True)
class Fault:
    """A fault with its name; ``holds`` where it is known to cost nothing that could be saved.

    The matches beside it are of ``games``, and are aborted after ``turns`` if that is given. The
    server has the ``flags``, and a cache as the fault needs it. It can strike ``most`` times at
    most, where the server gives its victim up in the end.
    """

    name: str
    strike: Strike
    holds: bool
    cache: Cache = Cache.SHARED
    games: tuple[str, ...] = GAMES
    turns: int | None = None
    flags: tuple[str, ...] = ()
    most: int | None = None


FAULTS: dict[str, Fault] = {}


def _worker(server: ServerProcess, duty: str) -> list[int]:
    """The newest worker with a duty, where it is still there."""
    pids = re.findall(rf", {duty}: in worker (\d+)$", server.text, re.MULTILINE)[-1:]
    return [int(pid) for pid in pids if int(pid) in server.pids()]


def _spares(server: ServerProcess) -> list[int]:
    busy = _worker(server, "search") + _worker(server, "tracker")
    return [pid for pid in server.workers() if pid not in busy]


def _called(server: ServerProcess, pattern: str) -> list[int]:
    return [pid for pid in server.pids() if re.search(pattern, command_line(pid))]


VICTIMS: dict[str, Callable[[ServerProcess], Sequence[int]]] = {
    "search": lambda server: _worker(server, "search"),
    "tracker": lambda server: _worker(server, "tracker"),
    "both workers": lambda server: _worker(server, "search") + _worker(server, "tracker"),
    "spares": _spares,
    "fork server": lambda server: server.fork_servers(),
    "all helpers": lambda server: server.pids(),
    "resource tracker": lambda server: _called(server, r"resource_tracker import main"),
    "grounder": lambda server: _called(server, r"clingo"),
    "LLVM": lambda server: _called(server, r"native_code\.py"),
    "warm-up": lambda server: _called(server, r"ggp_player warm-up"),
}
"""The processes that a signal goes to, by the names of the victims."""

HELPERS = {"grounder", "LLVM"}
"""Victims that run for moments after a match has begun."""

NOT_YET = {"kill all helpers", "stop all helpers"}
"""Faults that are not known to cost nothing."""


def _running(pids: Sequence[int]) -> list[int]:
    """Those that are not stopped yet."""
    return [pid for pid in pids if not is_stopped(pid)]


def _signals(number: signal.Signals, victim: str) -> Strike:
    poll, limit = (HELPER_POLL, HELPER_SECONDS) if victim in HELPERS else (POLL, VICTIM_SECONDS)

    def strike(server: ServerProcess, _random: Random) -> int:
        if victim == "LLVM":
            forget_games()
        end = time.monotonic() + limit
        while not (pids := _running(VICTIMS[victim](server))) and time.monotonic() < end:
            time.sleep(poll)
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        return len(pids)

    return strike


def _kill_server(server: ServerProcess, _random: Random) -> int:
    server.kill()
    server.start()
    return 1


def _damage_cache(_server: ServerProcess, random: Random) -> int:
    """Empty a file of the cache, or change a byte of it."""
    files = [path for path in cache_folder().rglob("*") if path.is_file()]
    for path in random.sample(files, min(1, len(files))):
        with suppress(FileNotFoundError):  # the server has just deleted it
            data = bytearray(path.read_bytes())
            if data:
                data[random.randrange(len(data))] ^= 0xFF
            path.write_bytes(data if random.random() < 0.5 else b"")
    return len(files[:1])


def _fill_disk(server: ServerProcess, random: Random) -> int:
    """Let no process of the server write long files, or let them again; code is compiled anew."""
    forget_games()
    most = random.choice([DISK_BYTES, resource.RLIM_INFINITY])
    return _limit(resource.RLIMIT_FSIZE, lambda pid: most, [server.process.pid, *server.pids()])


def _cut_memory(server: ServerProcess, _random: Random) -> int:
    """Let the worker processes take no more memory than they have."""
    return _limit(resource.RLIMIT_AS, _address_space, server.workers())


def _limit(kind: int, most: Callable[[int], int], pids: Sequence[int]) -> int:
    hit = 0
    for pid in pids:
        with suppress(OSError, ValueError):  # it has just ended
            _, hard = resource.prlimit(pid, kind)
            resource.prlimit(pid, kind, (most(pid), hard))
            hit += 1
    return hit


def _address_space(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def _bomb(server: ServerProcess, random: Random) -> int:
    """Begin a second match whose rules take more memory than there is, and end it again."""
    name = f"bomb.{random.random()}"
    with suppress(LateError, OSError):
        exchange(server.address, f"( START {name} x ({' '.join(BOMB.split())}) 2 1)", 4)
    with suppress(LateError, OSError):
        exchange(server.address, f"( ABORT {name} )", 4)
    return 1


def _register(fault: Fault) -> None:
    FAULTS[fault.name] = fault


def _register_signals(victim: str) -> None:
    games = {"grounder": GROUNDED_GAMES, "LLVM": COMPILED_GAMES}.get(victim, GAMES)
    turns = HELPER_TURNS if victim in HELPERS else None
    caches = {"warm-up": Cache.EMPTY, "LLVM": Cache.WARM}
    for verb, number in (("kill", signal.SIGKILL), ("stop", signal.SIGSTOP)):
        name, cache = f"{verb} {victim}", caches.get(victim, Cache.SHARED)
        strike = _signals(number, victim)
        most = 1 + len(PAUSES) if victim == "warm-up" else None
        holds = name not in NOT_YET
        _register(Fault(name, strike, holds, cache, games, turns, most=most))


for _victim in VICTIMS:
    _register_signals(_victim)
_register(Fault(KILL_SERVER, _kill_server, holds=True))
_register(Fault("damage the cache", _damage_cache, holds=True, cache=Cache.COPY))
_register(Fault("fill the disk", _fill_disk, holds=True, cache=Cache.WARM))
_register(Fault("cut the memory", _cut_memory, holds=True))
_register(
    Fault(
        "rules that need too much memory",
        _bomb,
        holds=True,
        flags=("--max-matches", "2", "--memory-limit", "1600", "--search-memory", "64"),
    )
)
