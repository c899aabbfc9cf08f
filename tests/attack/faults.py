"""What happens to the processes of a server: each fault strikes at some instant, once or again."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.support.left_behind import POLL, command_line, parent
from tests.support.server_process import ServerProcess

Strike = Callable[[ServerProcess, Random], int]
"""Strikes, and returns how many processes or files were hit."""

VICTIM_SECONDS = 1.0
"""How long a fault waits for its victim: grounders and compilers run for moments."""

KILL_SERVER = "kill the server"
DAMAGE_CACHE = "damage the cache"


@dataclass(frozen=True)
class Fault:
    """A fault with its name; ``holds`` where it is known to cost nothing that could be saved."""

    name: str
    strike: Strike
    holds: bool


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


def _helpers(server: ServerProcess) -> list[int]:
    """The processes that workers have started: grounders and LLVM."""
    workers = set(server.workers())
    return [pid for pid in server.pids() if parent(pid) in workers]


VICTIMS: dict[str, Callable[[ServerProcess], Sequence[int]]] = {
    "search": lambda server: _worker(server, "search"),
    "tracker": lambda server: _worker(server, "tracker"),
    "both workers": lambda server: _worker(server, "search") + _worker(server, "tracker"),
    "spares": _spares,
    "fork server": lambda server: _called(server, r"forkserver import main"),
    "resource tracker": lambda server: _called(server, r"resource_tracker import main"),
    "grounder and LLVM": _helpers,
    "warm-up": lambda server: _called(server, r"ggp_player warm-up"),
}
"""The processes that a signal goes to, by the names of the victims."""

NOT_YET = {
    "kill fork server",
    "stop fork server",
    "stop resource tracker",
    "stop grounder and LLVM",
    "kill warm-up",
    "stop warm-up",
    DAMAGE_CACHE,
}
"""Faults that are not known to cost nothing."""


def _signals(number: signal.Signals, victim: str) -> Strike:
    def strike(server: ServerProcess, _random: Random) -> int:
        end = time.monotonic() + VICTIM_SECONDS
        while not (pids := VICTIMS[victim](server)) and time.monotonic() < end:
            time.sleep(POLL)
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
    files = [path for path in Path(os.environ["GDL_CACHE"]).rglob("*") if path.is_file()]
    for path in random.sample(files, min(1, len(files))):
        data = bytearray(path.read_bytes())
        if data:
            data[random.randrange(len(data))] ^= 0xFF
        path.write_bytes(data if random.random() < 0.5 else b"")
    return len(files[:1])


def _register(name: str, strike: Strike) -> None:
    FAULTS[name] = Fault(name, strike, name not in NOT_YET)


for _victim in VICTIMS:
    _register(f"kill {_victim}", _signals(signal.SIGKILL, _victim))
    _register(f"stop {_victim}", _signals(signal.SIGSTOP, _victim))
_register(KILL_SERVER, _kill_server)
_register(DAMAGE_CACHE, _damage_cache)
