"""Whole matches over real sockets: whatever happens, never an illegal or a late reply."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

import gdl
from gdl import Ruleset
from ggp_player.manager.players import RemotePlayer
from ggp_player.match_rules import LocalRules
from ggp_player.match_runner.game_manager import GameManager, MatchSetup, MatchStep
from ggp_player.protocol.dialects.syntax import Dialect
from ggp_player.protocol.match_record import MatchRecord
from ggp_player.server.config import Config, least_memory
from ggp_player.server.player import Player
from ggp_player.worker.compiling import warm_up_searches
from ggp_player.worker.supervisor import MAX_FAILURES
from tests.support.paths import ROOT
from tests.support.serving import served

GAMES = ROOT / "games"
BadStrategy = Callable[[str], str]
"""Turns the name of a misbehaving strategy into one that every process understands."""

SHORT = """
(role Alice) (role bob) (init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?r (say ?w)) (role ?r) (word ?w)) (word yes) (word No)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 3)))
(<= (goal ?r 50) (role ?r))
"""

DICE = """
(role random) (role you) (init (pot 0)) (face 1) (face 2)
(<= (legal random (roll ?f)) (face ?f))
(legal you stop) (legal you go)
(<= (next (pot ?f)) (does random (roll ?f)) (does you go))
(<= (next over) (does you stop))
(<= (next (pot ?n)) (true (pot ?n)) (does you stop))
(<= terminal (true over)) (<= terminal (true (pot 2)))
(<= (goal you 100) (true (pot 2)))
(<= (goal you 0) (not (true (pot 2))))
(goal random 0)
"""


@asynccontextmanager
async def serving(strategy: str, **settings: Any) -> AsyncIterator[RemotePlayer]:
    """Run a player server with the strategy at any free port of this machine."""
    config = Config(strategy=strategy, **settings)
    async with Player(config) as player, served(player) as port:
        yield RemotePlayer("127.0.0.1", port)


async def play(
    rules: Ruleset, *strategies: str, scramble: bool = False
) -> tuple[MatchRecord, list[MatchStep]]:
    """Play a match between player servers, one for each strategy."""
    steps: list[MatchStep] = []
    setup = MatchSetup(rules, "whole.1", 4, 1, seed=1, scramble=scramble)
    async with AsyncExitStack() as stack:
        players = [await stack.enter_async_context(serving(name)) for name in strategies]
        manager = GameManager(setup, LocalRules(gdl.interpret(rules)), players, steps.append)
        return await manager.run(), steps


def assert_flawless(record: MatchRecord, steps: list[MatchStep]) -> None:
    assert record.is_completed
    assert [error for errors in record.errors for error in errors if error] == []
    assert max(steps[0].seconds) < record.start_clock
    assert max(max(step.seconds) for step in steps[1:]) < record.play_clock


# ---------------------------------------------------------------------- good players


@pytest.mark.thorough
@pytest.mark.parametrize("scramble", [False, True], ids=["plain", "scrambled"])
async def test_two_players_in_turn(scramble: bool) -> None:
    rules = gdl.load(GAMES / "ticTacToe.kif")
    record, steps = await play(rules, "bounded_minimax", "random", scramble=scramble)
    assert_flawless(record, steps)
    assert record.goal_values[0] >= 50


@pytest.mark.thorough
@pytest.mark.parametrize("scramble", [False, True], ids=["plain", "scrambled"])
@pytest.mark.parametrize("game", ["phantomTicTacToe", "ticTacToe"])
@pytest.mark.parametrize("dialect", ["A", "B", "C", "C'", "D", "E"])
async def test_players_in_every_dialect(dialect: str, game: str, scramble: bool) -> None:
    rules = gdl.load(GAMES / f"{game}.kif")
    setup = MatchSetup(rules, "whole.1", 4, 2, seed=1, scramble=scramble)
    steps: list[MatchStep] = []
    async with serving("random") as first, serving("legal") as second:
        players = [replace(first, dialect=Dialect(dialect)), second]
        record = await GameManager(
            setup, LocalRules(gdl.interpret(rules)), players, steps.append
        ).run()
    assert_flawless(record, steps)


async def test_players_that_move_at_the_same_time() -> None:
    assert_flawless(*await play(gdl.load(GAMES / "tron.kif"), "random", "legal", scramble=True))


@pytest.mark.thorough
async def test_three_players() -> None:
    rules = gdl.load(GAMES / "trefoil.kif")
    assert_flawless(*await play(rules, "random", "legal", "random"))


async def test_a_puzzle() -> None:
    record, steps = await play(gdl.load(GAMES / "eightQueens.kif"), "planning", scramble=True)
    assert_flawless(record, steps)


@pytest.mark.thorough
async def test_a_player_against_chance() -> None:
    record, steps = await play(gdl.parse(DICE), "auto")
    assert_flawless(record, steps)
    assert record.goal_values == (0, 100)


# ---------------------------------------------------------------------- bad strategies


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hanging", "Spinning"),
        ("HangingFromBirth", "Deaf"),
        ("Raising", "RaisingLater"),
        ("Exiting", "Suicidal"),
        ("Illegal", "Silent"),
    ],
)
async def test_bad_strategies_cost_neither_a_move_nor_the_match(
    bad: BadStrategy, one: str, other: str
) -> None:
    assert_flawless(*await play(gdl.parse(SHORT), bad(one), bad(other)))


@pytest.mark.thorough
async def test_a_strategy_that_eats_memory_is_stopped(bad: BadStrategy) -> None:
    rules, steps = gdl.parse(SHORT), list[MatchStep]()
    setup = MatchSetup(rules, "whole.1", 2, 1)
    async with (
        serving(bad("Greedy"), memory_limit=least_memory()) as greedy,
        serving("legal") as other,
    ):
        run = GameManager(setup, LocalRules(gdl.interpret(rules)), [greedy, other], steps.append)
        assert_flawless(await run.run(), steps)


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["ticTacToe", "connectFour"])
async def test_the_least_memory_suffices(game: str, caplog: pytest.LogCaptureFixture) -> None:
    warm_up_searches()
    steps: list[MatchStep] = []
    rules = gdl.load(GAMES / f"{game}.kif")
    setup = MatchSetup(rules, "whole.1", 8, 2, seed=1)
    small = {"memory_limit": least_memory(), "search_memory": 16}
    async with serving("auto", **small) as least, serving("random") as other:
        run = GameManager(setup, LocalRules(gdl.interpret(rules)), [least, other], steps.append)
        assert_flawless(await run.run(), steps)
    assert "died" not in caplog.text


@pytest.mark.thorough
async def test_a_bad_strategy_does_not_keep_a_server_from_the_next_match(bad: BadStrategy) -> None:
    rules = gdl.parse(SHORT)
    async with serving(bad("Deaf")) as deaf, serving("legal") as other:
        for number in range(2):
            steps: list[MatchStep] = []
            setup = MatchSetup(rules, f"whole.{number}", 2, 1)
            run = GameManager(setup, LocalRules(gdl.interpret(rules)), [deaf, other], steps.append)
            assert_flawless(await run.run(), steps)


# ---------------------------------------------------------------------- killed processes


class Assassin:
    """Kills search processes as soon as they announce themselves, as many as it is told to."""

    def __init__(self) -> None:
        self.victims = 0
        self.announced = 0
        self.news = asyncio.Event()

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[int]:
        """Listen for process ids at a port, which is the value."""
        async with await asyncio.start_server(self._hear, "127.0.0.1", 0) as server:
            yield server.sockets[0].getsockname()[1]

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pid = int(await reader.readline())
        writer.close()
        self.announced += 1
        if self.victims:
            self.victims -= 1
            os.kill(pid, signal.SIGKILL)
        self.news.set()


@pytest.mark.thorough
async def test_a_search_killed_in_the_middle_of_each_move_is_replaced(bad: BadStrategy) -> None:
    assassin, rules, steps = Assassin(), gdl.parse(SHORT), list[MatchStep]()
    machine = gdl.interpret(rules)

    def kill_one_more(step: MatchStep) -> None:
        steps.append(step)
        assassin.victims = 1

    async with (
        assassin.waiting() as port,
        serving(f"{bad('Announcing')}:port={port}") as player,
        serving("legal") as other,
    ):
        setup = MatchSetup(rules, "whole.1", 2, 5)
        run = GameManager(setup, LocalRules(machine), [player, other], kill_one_more)
        assert_flawless(await run.run(), steps)
    assert assassin.announced >= 1 + 2 * 2, "two searches in each move after the first"
    last = machine.legal_moves(machine.initial_state(), machine.roles[0])[-1]
    assert [step.joint_move[0] for step in steps[1:]] == [last] * 3, "the choice of the second"


@pytest.mark.thorough
async def test_a_search_killed_again_and_again_costs_neither_a_move_nor_the_match(
    bad: BadStrategy,
) -> None:
    assassin = Assassin()
    assassin.victims = 10**6
    async with assassin.waiting() as port:
        name = f"{bad('Announcing')}:port={port}"
        assert_flawless(*await play(gdl.parse(SHORT), name, "legal"))
    assert assassin.announced >= MAX_FAILURES


@pytest.mark.slow
async def test_a_match_on_a_busy_machine() -> None:
    burner = (sys.executable, "-c", "while True: pass")
    burners = [await asyncio.create_subprocess_exec(*burner) for _ in range(os.cpu_count() or 1)]
    try:
        assert_flawless(*await play(gdl.load(GAMES / "connectFour.kif"), "auto", "auto"))
    finally:
        for process in burners:
            process.kill()
            await process.wait()


@pytest.mark.slow
async def test_fifty_matches_in_a_row_on_one_server() -> None:
    rules = gdl.load(GAMES / "ticTacToe.kif")
    began = time.monotonic()
    async with serving("random") as first, serving("legal") as second:
        for number in range(50):
            steps: list[MatchStep] = []
            setup = MatchSetup(rules, f"whole.{number}", 2, 1, seed=number, scramble=True)
            run = GameManager(
                setup, LocalRules(gdl.interpret(rules)), [first, second], steps.append
            )
            assert_flawless(await run.run(), steps)
    assert time.monotonic() - began < 600
