"""What is checked of this machine and this installation, for a server with its settings."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import platform
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from importlib.metadata import version
from pathlib import Path
from typing import Literal, TypeAlias

import llvmlite.binding as llvm

import gdl
from gdl import system
from gdl.cli.arguments import why_unwritable
from gdl.code_cache import cache_folder, cached_files, refusal
from gdl.grounding import GroundingBudget, RulePasses, ground_game
from gdl.native_code import NativeCode, compile_in_isolation
from gdl.version import versions
from ggp_player.archive import default_archive
from ggp_player.archive.archived_match import MatchFilter
from ggp_player.archive.queries import Archive
from ggp_player.cli.health import read_page
from ggp_player.cli.options import say_on_stderr
from ggp_player.cli.reached import reached_at
from ggp_player.cli.serve import access_sentence
from ggp_player.errors import GgpPlayerError
from ggp_player.front.connections import MIN_CONNECTIONS
from ggp_player.server.access import is_loopback
from ggp_player.server.config import Config
from ggp_player.server.http import connection_bounds, listening_failure
from ggp_player.server.match_journal import JournalFolder
from ggp_player.server.monitoring import loop_delay_measured
from ggp_player.worker.compiling import is_warm
from ggp_player.worker.warm_up_process import warm_up_first

Verdict: TypeAlias = Literal["ok", "warning", "problem"]
Answer: TypeAlias = tuple[Verdict, str]

PACKAGES = ("aiohttp", "pydantic", "numpy", "llvmlite", "clingo")
VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2", "neon": "NEON"}  # the widest first

ANSWER_SECONDS = 2.0
"""How long is waited for a server that may be one of ours."""

SLOW_START, MOST_DELAY = 2.0, 0.02
"""Seconds that are too long: for a helper process, which takes some tenths; for the event loop."""

MOST_COMPILING = 180.0
"""Seconds in which the searches are compiled, of which an idle machine needs some ten."""

LEAST_MEMORY, LEAST_SPACE = 2**29, 2**28
"""Bytes that are to be free in memory, besides the trees of the searches, and on a disk."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a check says about a subject, in a sentence."""

    subject: str
    verdict: Verdict
    sentence: str


def diagnose(subject: str, check: Callable[[], Answer]) -> Diagnosis:
    """Run a check; whatever keeps it from an answer is a problem."""
    try:
        return Diagnosis(subject, *check())
    except (OSError, RuntimeError, ImportError, gdl.GdlError, GgpPlayerError) as error:
        return Diagnosis(subject, "problem", str(error) or "it takes too long")


def judged(sentence: str, *, warning: str = "", problem: str = "") -> Answer:
    """Judge by what is wrong, if anything, and add it to the sentence."""
    if problem:
        return "problem", f"{sentence}; {problem}"
    return ("warning", f"{sentence}; {warning}") if warning else ("ok", sentence)


def check_versions(_config: Config) -> Answer:
    """Name the versions of this program, of Python, and of what moves depend on."""
    packages = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return judged(f"ggp-player {versions()}; Python {platform.python_version()}, {packages}")


def check_kernels(_config: Config) -> Answer:
    """Have the searches compiled for this machine, where they are not, and look at the cache."""
    was_warm, began = is_warm(), time.monotonic()
    if not warm_up_first(say_on_stderr, MOST_COMPILING):
        return "problem", (
            "the searches cannot be compiled, as stderr says, and simpler searches play; where "
            "that took too long, run ggp-player warm-up before the event"
        )
    took = "" if was_warm else f" now, which took {time.monotonic() - began:.1f} s"
    folder, files = cache_folder(), cached_files()
    warning = refusal() or _place(folder / "code")[0]
    size = _size(sum(size for _, size, _ in files))
    sentence = f"the searches are compiled for this machine{took}; {len(files)} files, {size}"
    return judged(f"{sentence}, in {folder}", warning=warning)


def check_native_code(_config: Config) -> Answer:
    """Compile in LLVM's helper process, and run what it has made."""
    features, began = llvm.get_host_cpu_features(), time.monotonic()
    code = NativeCode(compile_in_isolation("define i32 @answer() { ret i32 42 }"))
    if ctypes.CFUNCTYPE(ctypes.c_int)(code.address("answer"))() != 42:
        return "problem", "the native code that LLVM makes here computes something else"
    used = [name for feature, name in VECTORS.items() if features.get(feature)]
    cpu = f"{used[0] if used else 'no wide instructions'} on {llvm.get_host_cpu_name()}"
    narrow = "" if used else "the engine is slow without them"
    return _judge_start(f"{cpu}; LLVM's helper process", time.monotonic() - began, narrow)


def check_grounder(_config: Config) -> Answer:
    """Have gringo, of clingo, ground a small game in its helper process."""
    ruleset, began = gdl.load("ticTacToe"), time.monotonic()
    ground_game(ruleset, RulePasses(), GroundingBudget(seconds=5 * SLOW_START))
    return _judge_start("gringo's helper process", time.monotonic() - began)


def _judge_start(what: str, seconds: float, warning: str = "") -> Answer:
    slow = "that is slow" if seconds > SLOW_START else ""
    return judged(f"{what} started and answered in {seconds:.2f} s", warning=warning or slow)


def check_clock(_config: Config) -> Answer:
    """Watch both clocks and the event loop for a second."""

    async def watch() -> float:
        async with loop_delay_measured(delays.append):
            await asyncio.sleep(1)
        return abs((time.monotonic() - monotonic) - (time.time() - wall))

    delays, monotonic, wall = [0.0], time.monotonic(), time.time()
    apart, delay = asyncio.run(watch()), max(delays)
    resolution = time.get_clock_info("monotonic").resolution
    warning = "something sets the time of day" if apart > MOST_DELAY else ""
    if max(delay, resolution) > MOST_DELAY:
        warning = "other programs, or the host of this virtual machine, hold this one up"
    return judged(
        f"in a second monotonic and wall clock differ by {1000 * apart:.1f} ms, and the event loop "
        f"is at most {1000 * delay:.1f} ms late; the resolution is {resolution:.0e} s",
        warning=warning,
    )


def check_processors(config: Config) -> Answer:
    """Compare the processors with what wants them."""
    cpus, quota, load = system.available_cpus(), system.cpu_quota(), system.load_average() or 0.0
    usable = min(cpus, quota or cpus)
    warning = "other programs keep them busy" if load > usable else ""
    if config.max_matches > usable:
        warning = f"{config.max_matches} matches at a time share them"
    limit = "" if quota is None else f", of which the container may use {quota:g}"
    return judged(f"processors: {cpus}{limit}; load {load:.1f}", warning=warning)


def check_memory(config: Config) -> Answer:
    """Compare the memory that is free with what the searches take for their trees."""
    free, total = system.available_memory(), system.total_memory()
    search = config.memory_limits.search
    trees = f"the searches of a match take {_size(search)} for their trees"
    if free is None or total is None:
        return "ok", f"how much memory is free is not known here; {trees}"
    is_little = free - search * config.max_matches < LEAST_MEMORY
    warning = "little is left for the rest; end other programs" if is_little else ""
    return judged(f"{_size(free)} of {_size(total)} are free; {trees}", warning=warning)


def check_open_files(config: Config) -> Answer:
    """Compare the limit of open files with what connections and matches need."""
    found, wanted = connection_bounds(config).connections, config.max_connections
    limit = system.raise_open_files_limit(0) or "none"  # it has just been raised as far as need be
    short = "" if found >= wanted else f"--max-connections is {wanted}; raise the limit"
    sentence = f"room for {found} connections beside the matches (limit of open files: {limit})"
    return judged(sentence, warning=short, problem=short if found == MIN_CONNECTIONS else "")


def check_port(config: Config) -> Answer:
    """Listen at the port for a moment."""

    async def listen() -> None:
        loop = asyncio.get_running_loop()
        (await loop.create_server(asyncio.Protocol, config.host, config.port)).close()

    try:
        asyncio.run(listen())
    except OSError as error:
        return _own_server(config) or ("problem", listening_failure(config, error))
    unknown = "" if config.port or config.poll else "it is another one at each start"
    return judged(f"the port {config.port} of {config.host} is free", warning=unknown)


def _own_server(config: Config) -> Answer | None:
    """Say how the player server is that has the port already; None where it is none of ours."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(config.host, config.host)
    place = f"[{host}]" if ":" in host else host
    try:
        page = f"http://{place}:{config.port}/healthz"
        found = json.loads(read_page(page, ANSWER_SECONDS)[1])
        seats, problems = int(found["free_seats"]), "; ".join(found["problems"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return None
    free = f"{seats} free seat{'' if seats == 1 else 's'}"
    sentence = f"a player server of ours is at the port {config.port} of {config.host}, with {free}"
    return judged(sentence, warning=problems)


def check_reach(config: Config) -> Answer:
    """Say where others reach the player, and who is answered."""
    access = access_sentence(config, config.host)
    if config.poll:
        return "ok", "the player asks the manager for messages, and need not be reached"
    if is_loopback(config.host):
        return "warning", f"the player answers {access}"
    address = f"{reached_at(config.host, config.port)}{'/SECRET' if config.token else ''}"
    return judged(
        f"try ggp-player info {address} on the "
        f"manager's machine, as firewalls cannot be seen from here; the player answers {access}",
        warning="" if config.allow or config.token else "strangers could play, too",
    )


def check_state_folder(config: Config) -> Answer:
    """Claim the state folder for a moment, as a server does; none is made."""
    folder = config.state_dir
    if folder is None:
        return judged("matches end with the server; --state-dir has them outlive a restart")
    if folder.exists():
        JournalFolder(folder).close()
    return _judge_place(f"matches are kept in {folder}", folder / "match")


def check_archive(config: Config) -> Answer:
    """Open the archive, and see whether it can be written."""
    if config.no_archive:
        return judged("matches are not kept, as the settings say")
    path = config.archive or default_archive()
    total = Archive(path).list(MatchFilter(), 1, 0).total if path.exists() else 0
    if path.exists() and not os.access(path, os.W_OK):
        return "problem", f"the archive {path} cannot be written"
    return _judge_place(f"matches in {path}: {total}, limit {config.archive_limit}", path)


def _judge_place(sentence: str, path: Path) -> Answer:
    """Judge by whether there is room for a file."""
    unwritable, free = _place(path)
    warning = "that is little" if free < LEAST_SPACE else ""
    return judged(f"{sentence}; {_size(free)} are free there", warning=warning, problem=unwritable)


def _place(path: Path) -> tuple[str, int]:
    """Return why no file can be made at a path, empty where one can, and the bytes free there."""
    there = next(folder for folder in path.absolute().parents if folder.exists())
    return why_unwritable(there / path.name), shutil.disk_usage(there).free


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"


CHECKS: tuple[Callable[[Config], Answer], ...] = (
    *(check_versions, check_kernels, check_native_code, check_grounder, check_clock),
    *(check_processors, check_memory, check_open_files),
    *(check_port, check_reach, check_state_folder, check_archive),
)
