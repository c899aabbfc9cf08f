"""A short match between two servers with somebody's settings, as a game manager would run it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from aiohttp import web

import gdl
from gdl.system import child_environment
from ggp_player.cli.doctor.checks import Answer, judged
from ggp_player.cli.health import read_page
from ggp_player.cli.match import error_sentence
from ggp_player.cli.options import say_on_stderr
from ggp_player.errors import ServerError
from ggp_player.manager.mailboxes import Mailbox, Mailboxes
from ggp_player.manager.players import RemotePlayer
from ggp_player.match_rules import LocalRules
from ggp_player.match_runner.game_manager import GameManager, MatchSetup, MatchStep
from ggp_player.protocol import Dialect
from ggp_player.server.config import ENVIRONMENT_PREFIX, Config
from ggp_player.server.reply_deadline import MIN_MARGIN

GAME, HOST, NAMES = "ticTacToe", "127.0.0.1", ("one", "two")
START_CLOCK, PLAY_CLOCK = 2, 1

MOST_SECONDS = 60.0  # for starting the servers and for the match; a third of that is usual

PROGRAM = (
    "import sys; from gdl.system import end_with_parent; end_with_parent(int(sys.argv.pop(1))); "
    "from ggp_player.__main__ import main; main()"
)
"""Runs ``ggp-player`` in a process that ends with the one whose number comes first."""

FIXED = {"host": HOST, "port": "0", "no_archive": "true", "drain": "false", "log_level": "warning"}
EMPTY = ("events", "poll", "register_at")
"""The settings with which a trial touches nothing that the real server will use."""


async def play_trial_match(settings: Config, dialect: str) -> Answer:
    """Start two servers with these settings, have them play in a dialect, and judge that.

    Raises :class:`GgpPlayerError` where no match comes about, or TimeoutError.
    """
    say_on_stderr(f"two servers are started, and play a match: {MOST_SECONDS:g} s at most")
    began, steps = time.monotonic(), list[MatchStep]()
    setup = MatchSetup(gdl.load(GAME), f"doctor_{time.time_ns()}", START_CLOCK, PLAY_CLOCK)
    path, spoken = f"/{settings.token}", Dialect(dialect)
    async with AsyncExitStack() as stack, asyncio.timeout(MOST_SECONDS):
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        variables = [_variables(settings, folder / name) for name in NAMES]
        mailboxes = Mailboxes()
        if spoken is Dialect.STANFORD_POLLING:
            address = await stack.enter_async_context(_polled(mailboxes))
            for each, name in zip(variables, NAMES, strict=True):
                polling = {"POLL": address, "POLL_AS": name, "POLL_INTERVAL": "0.1"}
                each |= {f"{ENVIRONMENT_PREFIX}{key}": value for key, value in polling.items()}
        servers = [await stack.enter_async_context(_server(each)) for each in variables]
        ports = await asyncio.gather(*map(_port_of, servers))
        listening = time.monotonic() - began
        players: list[RemotePlayer | Mailbox] = [
            RemotePlayer(HOST, port, path, dialect=spoken) for port in ports
        ]
        if spoken is Dialect.STANFORD_POLLING:
            players = [mailboxes.of(name) for name in NAMES]
        rules = LocalRules(gdl.interpret(setup.ruleset))
        await GameManager(setup, rules, players, steps.append).run()
        _, health = await asyncio.to_thread(read_page, f"http://{HOST}:{ports[0]}/readyz")
    verdict, sentence = judge(steps, json.loads(health)["problems"])
    return verdict, f"dialect {dialect}, servers ready after {listening:.1f} s: {sentence}"


def judge(steps: Sequence[MatchStep], complaints: Sequence[str] = ()) -> Answer:
    """Judge by what was illegal or late in a match, and what a server says of itself."""
    clocks = [START_CLOCK, *[PLAY_CLOCK] * (len(steps) - 1)]
    left = [clock - max(step.seconds) for clock, step in zip(clocks, steps, strict=True)]
    faults = [
        f"step {step.number}: {error_sentence(error) if error else 'a reply came too late'}"
        for step, rest in zip(steps, left, strict=True)
        for error in [*filter(None, step.errors)] or [""] * (rest < 0)
    ]
    if faults:
        return "problem", f"illegal or late: {'; '.join(faults[:3])}, {len(faults)} in all"
    narrow = ["that is narrow, raise --margin"] if min(left) < MIN_MARGIN else []
    return judged(
        f"{GAME}, {len(steps) - 1} steps, every move legal, nothing late; the slowest reply left "
        f"{min(left[1:]):.2f} s before the end of the play clock, {left[0]:.2f} s before that of "
        "the start clock",
        warning="; ".join([*narrow, *complaints]),
    )


def _variables(settings: Config, state: Path) -> dict[str, str]:
    """Return the environment of a server with the settings, but for what it must not do."""
    given = settings.model_dump(mode="json", exclude_unset=True, exclude_none=True)
    kept = {} if settings.state_dir is None else {"state_dir": str(state)}
    named = {**given, **dict.fromkeys(EMPTY, ""), **FIXED, **kept}.items()
    ours = {
        f"{ENVIRONMENT_PREFIX}{name.upper()}": " ".join(value)
        if isinstance(value, list)
        else str(value)
        for name, value in named
    }
    return {**child_environment(), **ours}


@asynccontextmanager
async def _server(variables: Mapping[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a server, whose log goes to the standard error stream."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, str(os.getpid()), "serve"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=variables,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()  # it ends itself in time


@asynccontextmanager
async def _polled(mailboxes: Mailboxes) -> AsyncIterator[str]:
    """Answer players that poll, as a manager does; the address is what they are given."""

    async def hand_out(request: web.Request) -> web.Response:
        letter = mailboxes.of(request.query["recipient"]).take()
        if letter is None:
            return web.Response()
        letter.on_sent()
        return web.Response(text=str(letter))

    async def take_reply(request: web.Request) -> web.Response:
        mailbox = mailboxes.of(request.query["sender"])
        mailbox.answer(request.query["msgid"], await request.text())
        return web.Response()

    application = web.Application()
    application.add_routes([web.get("/", hand_out), web.post("/", take_reply)])
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, 0)
        await site.start()
        yield f"http://{HOST}:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


async def _port_of(server: asyncio.subprocess.Process) -> int:
    """Wait until a server listens, and return where. Raises :class:`ServerError`."""
    assert server.stdout is not None
    async for line in server.stdout:
        if found := re.match(rb"listening\s+\S+:(\d+)", line):
            return int(found[1])
    raise ServerError("the server ended before it listened; stderr has its log")
