"""A scenario: matches on a server of its own, beside attacks and faults, and what they cost."""

from __future__ import annotations

import re
import resource
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from multiprocessing import get_context
from pathlib import Path
from random import Random

from gdl.system import resident_memory
from tests.attack.attacks import ATTACKS, RULES, Attack, Attacker, Stranger, run_attack
from tests.attack.bystander import Fixture, Outages, Turns, play_matches
from tests.attack.caches import Cache, using
from tests.attack.faults import FAULTS, GAMES, KILL_SERVER, Fault
from tests.attack.held_replies import write_archive
from tests.support.raw_manager import exchange
from tests.support.server_process import ServerProcess

SETTLE_SECONDS = 60.0
"""How long the server gets, after all attacks, to release what they held."""

STOP_LIMIT = 10.0
"""Seconds after which a server that was told to end is killed."""

OPEN_FILES = 1024
"""File descriptors that the server may have, as usual."""

SAMPLE = 0.2
"""Seconds between two looks at the server's memory."""


@dataclass(frozen=True)
class Scenario:
    """What is done beside the matches, for how long, how hard, and with which random choices.

    Faults strike one after the other, with random pauses of up to ``pause`` seconds. It is over
    before the ``seconds`` where so many ``strikes`` have hit, or so many ``moves`` were asked for.
    """

    names: Sequence[str]
    seconds: float = 20.0
    strength: float = 1.0
    seed: int = 0
    pause: float = 3.0
    strikes: float = inf
    moves: float = inf

    @property
    def faults(self) -> list[Fault]:
        """Those of the names that are faults."""
        return [FAULTS[name] for name in self.names if name in FAULTS]

    @property
    def attacks(self) -> list[Attack[Stranger]]:
        """Those of the names that are attacks."""
        return [ATTACKS[name] for name in self.names if name in ATTACKS]

    @property
    def cache(self) -> Cache:
        """The cache that the faults need."""
        return max((fault.cache for fault in self.faults), default=Cache.SHARED)

    @property
    def fixture(self) -> Fixture:
        """What is played: what the faults need."""
        games = [game for fault in self.faults for game in fault.games] or GAMES
        turns = [fault.turns for fault in self.faults if fault.turns is not None]
        return Fixture(tuple(dict.fromkeys(games)), min(turns, default=None))


SUMMED = ("strikes", "guessed", "processes", "descriptors", "shared", "log", "tracebacks")
"""What is added up of several outcomes."""


@dataclass
class Outcome:
    """What a scenario has cost, and what it has left behind; sizes are in bytes."""

    turns: Turns = field(default_factory=Turns)
    strikes: int = 0
    guessed: int = 0
    processes: int = 0
    descriptors: int = 0
    shared: int = 0
    log: int = 0
    memory: int = 0
    stop_seconds: float = 0.0
    tracebacks: int = 0

    @property
    def is_flawless(self) -> bool:
        """Whether nothing was lost and nothing is left."""
        left = (self.processes, self.shared, max(0, self.descriptors))
        return not any((self.turns.lost, self.guessed, *left))

    def add(self, other: Outcome) -> None:
        """Take in what another scenario with the same names has cost."""
        self.turns.add(other.turns)
        for name in SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.memory = max(self.memory, other.memory)
        self.stop_seconds = max(self.stop_seconds, other.stop_seconds)


def run(scenario: Scenario, folder: Path) -> Outcome:
    """Run a scenario; the server keeps its log and its state in the folder."""
    outcome, outages = Outcome(), Outages()
    flags = [flag for fault in scenario.faults for flag in fault.flags]
    flags += [flag for attack in scenario.attacks for flag in attack.flags]
    if has_archive := any(attack.has_archive for attack in scenario.attacks):
        write_archive(folder / "archive.sqlite")
        flags += ["--archive", str(folder / "archive.sqlite")]
    with ExitStack() as stack:
        stack.enter_context(few_files())
        stack.enter_context(using(scenario.cache, folder))
        server = ServerProcess(folder, "--state-dir", str(folder / "state"), *flags)
        stack.enter_context(server)
        _play_shortly(server)
        if has_archive:
            # The server keeps its first connection to the database.
            host, port = server.address
            urllib.request.urlopen(f"http://{host}:{port}/archive", timeout=10).close()
        before = usual_descriptors(server)
        _play(server, scenario, outcome, outages)
        outcome.descriptors = max(0, settled(server, before) - before)
        outcome.guessed = len(re.findall(r"attack\.\d+: .* is a guess", server.text))
        outcome.stop_seconds = stop_gently(server)
        outcome.processes = len(server.wait_until_alone())
        read_log(server, outcome)
        outcome.shared = len(shared_memory_left())
    return outcome


def _play(server: ServerProcess, scenario: Scenario, outcome: Outcome, outages: Outages) -> None:
    """Play matches beside the attacks and the faults, until the scenario is over."""
    end, turns = time.monotonic() + scenario.seconds, outcome.turns
    stranger = Stranger(server.address[1], scenario.seed, scenario.strength)

    def is_over() -> bool:
        has_hit_enough = outcome.strikes >= scenario.strikes or turns.played >= scenario.moves
        return has_hit_enough or time.monotonic() > end

    with (
        sampled(server, outcome),
        attacked(scenario.attacks, stranger),
        _struck(server, scenario, outcome, outages),
    ):
        play_matches(server.address, scenario.fixture, turns, outages, is_over)


def read_log(server: ServerProcess, outcome: Outcome) -> None:
    """Note how long the log is, and what of it tells of faults of the server's own."""
    outcome.log = server.log.stat().st_size
    outcome.tracebacks = server.text.count("Traceback (most recent call last)")


def stop_gently(server: ServerProcess) -> float:
    """End the server as a service manager does: by force where it takes too long."""
    try:
        return server.stop(limit=STOP_LIMIT)
    except subprocess.TimeoutExpired:
        server.kill()
        return STOP_LIMIT


def _play_shortly(server: ServerProcess) -> None:
    """Begin and end matches, as a server keeps some things from its first ones."""
    for _ in range(2):
        exchange(server.address, f"( START first you ({RULES}) 1 1)", 5)
        exchange(server.address, "( ABORT first )", 5)


@contextmanager
def attacked(attacks: Iterable[Attack[Attacker]], stranger: Attacker) -> Iterator[None]:
    """Run attacks meanwhile, in processes that share no lock with whoever plays.

    Raises RuntimeError where one has ended, as those do that reach what they are after.
    """
    context = get_context("spawn")
    processes = {
        each.name: context.Process(target=run_attack, args=(each, stranger)) for each in attacks
    }
    for process in processes.values():
        process.start()
    try:
        yield
        if ended := [name for name, process in processes.items() if not process.is_alive()]:
            raise RuntimeError(f"the attacker has ended: {', '.join(ended)}; see its traceback")
    finally:
        for process in processes.values():
            process.kill()
            process.join()
            process.close()


@contextmanager
def _struck(
    server: ServerProcess, scenario: Scenario, outcome: Outcome, outages: Outages
) -> Iterator[None]:
    """Strike with the scenario's faults meanwhile."""
    faults = scenario.faults
    random, is_over = Random(scenario.seed), threading.Event()

    def strike() -> None:
        number = 0
        while faults and not is_over.wait(random.uniform(0.2, scenario.pause)):
            fault = faults[number % len(faults)]
            number += 1
            outcome.turns.note("fault", fault.name)
            if fault.name == KILL_SERVER:
                with outages.outage():
                    hit = fault.strike(server, random)
            else:
                hit = fault.strike(server, random)
            outcome.strikes += hit > 0

    with thread_running(threading.Thread(target=strike), is_over):
        yield


@contextmanager
def sampled(server: ServerProcess, outcome: Outcome) -> Iterator[None]:
    """Note the most memory that the server's own process has meanwhile."""
    is_over = threading.Event()

    def sample() -> None:
        while not is_over.wait(SAMPLE):
            outcome.memory = max(outcome.memory, resident_memory(server.process.pid))

    with thread_running(threading.Thread(target=sample), is_over):
        yield


@contextmanager
def thread_running(thread: threading.Thread, is_over: threading.Event) -> Iterator[None]:
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


@contextmanager
def few_files() -> Iterator[None]:
    """Let servers that are started meanwhile have no more file descriptors than is usual."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(OPEN_FILES, before[1]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def usual_descriptors(server: ServerProcess) -> int:
    """The most descriptors that the server has within a second without a match."""
    counts = [descriptors(server)]
    while len(counts) * SAMPLE < 1:
        time.sleep(SAMPLE)
        counts.append(descriptors(server))
    return max(counts)


def settled(server: ServerProcess, before: int) -> int:
    """The server's descriptors, once it has no more than before, or some seconds have passed."""
    end = time.monotonic() + SETTLE_SECONDS
    while (now := descriptors(server)) > before and time.monotonic() < end:
        time.sleep(SAMPLE)
    return now


def descriptors(server: ServerProcess) -> int:
    """How many descriptors the server has, but for those of databases' own files.

    SQLite keeps as many of these as there were connections at once, until the last one ends; one
    that is left open shows by its descriptor of the write-ahead log.
    """
    count = 0
    for link in Path(f"/proc/{server.process.pid}/fd").iterdir():
        with suppress(OSError):
            count += link.readlink().suffix != ".sqlite"
    return count


def shared_memory_left() -> list[str]:
    """The files of shared memory that processes have left which are gone; each is named there."""
    names = [re.match(r"pym-(\d+)-", path.name) for path in Path("/dev/shm").glob("pym-*")]
    return [found[0] for found in names if found and not Path(f"/proc/{found[1]}").exists()]
