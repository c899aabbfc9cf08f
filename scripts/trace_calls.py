"""Count the modules that a piece of work goes through, and how often it changes between them.

    python scripts/trace_calls.py

compiles tic-tac-toe, and has a player server answer a START, a PLAY and a STOP over HTTP. A change
is a call in another module than the call before it, and a return is a change to a module that was
there before: code with many of either is hard to follow. Only the main process is traced, and only
its main thread.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FrameType

import aiohttp

import gdl
from gdl.game_library import own_games
from ggp_player.server.config import Config
from ggp_player.server.http import new_runner, new_site
from ggp_player.server.player import Player

PACKAGES = ("gdl", "ggp_player")

HEADING = f"{'':<10}{'modules':>9}{'packages':>10}{'calls':>9}{'changes':>9}{'returns':>9}"


class Trace:
    """The modules of the calls of one piece of work, in the order in which they were made."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._modules: list[str] = []

    def __str__(self) -> str:
        changes = self._changes()
        modules = set(self._modules)
        packages = {module.rpartition(".")[0] for module in modules}
        returns = len(changes) + 1 - len(modules)
        columns = (len(packages), len(self._modules), len(changes), returns)
        widths = (10, 9, 9, 9)
        rest = "".join(f"{column:>{width},}" for column, width in zip(columns, widths, strict=True))
        return f"{self.name:<10}{len(modules):>9}{rest}"

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record the calls of this thread while the context lasts."""
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def most_frequent_changes(self, count: int) -> Iterator[str]:
        """Yield a line for each of the pairs of modules with the most changes between them."""
        for (before, after), times in Counter(self._changes()).most_common(count):
            yield f"{times:>8,}  {before} -> {after}"

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            module = frame.f_globals.get("__name__", "")
            if module.partition(".")[0] in PACKAGES:
                self._modules.append(module)

    def _changes(self) -> list[tuple[str, str]]:
        return [pair for pair in pairwise(self._modules) if pair[0] != pair[1]]


def compilation() -> Trace:
    """Trace the compilation of tic-tac-toe, once all that it imports has been imported."""
    ruleset = _rules("ticTacToe")
    gdl.compile(_rules("nim"))
    trace = Trace("compile")
    with trace.recording():
        gdl.compile(ruleset)
    return trace


async def match() -> list[Trace]:
    """Trace a match of one turn, after another that has imported everything."""
    with tempfile.TemporaryDirectory() as folder:
        config = Config(strategy="legal", port=0, archive=Path(folder, "matches.sqlite"))
        async with Player(config) as player:
            runner = new_runner(player)
            await runner.setup()
            site = new_site(runner, player)
            await site.start()
            try:
                await _match_of_one_turn(site.port, "first")
                return await _match_of_one_turn(site.port, "second")
            finally:
                await runner.cleanup()


async def _match_of_one_turn(port: int, name: str) -> list[Trace]:
    start, play, stop = traces = [Trace("START"), Trace("PLAY"), Trace("STOP")]
    await _post(port, f"( START {name} cross ( {_rules('ticTacToe')} ) 5 5 )", start)
    move = await _post(port, f"( PLAY {name} NIL )", play)
    await _post(port, f"( STOP {name} ( {move} noop ) )", stop)
    return traces


def _rules(name: str) -> gdl.Ruleset:
    return gdl.load(own_games()[name])


async def _post(port: int, message: str, trace: Trace) -> str:
    address = f"http://127.0.0.1:{port}"
    async with aiohttp.ClientSession() as session:
        with trace.recording():
            async with session.post(address, data=message) as response:
                reply = await response.text()
    if not response.ok:
        sys.exit(f"{trace.name}: {reply}")
    return reply


def main() -> None:
    """Print a row for each piece of work."""
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--pairs", type=int, default=0, metavar="N", help="and the N most frequent changes"
    )
    pairs = parser.parse_args().pairs
    print(HEADING)
    for trace in [compilation(), *asyncio.run(match())]:
        print(trace, *trace.most_frequent_changes(pairs), sep="\n")


if __name__ == "__main__":
    main()
