"""Matches that are played on a cluster are those of one machine, also where a worker dies."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ggp_player.errors import TournamentError
from ggp_player.events import EventBus, MatchEnded, MatchStarted
from ggp_player.manager.tournament.cluster import ClusterPlay, play_in_worker
from ggp_player.manager.tournament.games import TournamentGame, load_games
from ggp_player.manager.tournament.match_play import MatchConditions, MatchPlay
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch, make_schedule
from ggp_player.manager.tournament.tournament_run import MatchRunner, PlayMatch
from tests.support.paths import GAMES
from tests.support.ray_cluster import ray_cluster, workers_at_work
from tests.support.tournament_results import identity_of

CONDITIONS = MatchConditions(start_clock=60, play_clock=60, max_steps=100)
"""Nobody needs a minute, but a late move would be another one."""


@pytest.fixture(scope="module")
def games() -> dict[str, TournamentGame]:
    return load_games([GAMES / "nim.kif"])


def planned(rounds: int) -> tuple[PlannedMatch, ...]:
    return make_schedule(identity_of(("random", "legal")), {"nim": 2}, rounds)


async def played(
    play: PlayMatch, matches: tuple[PlannedMatch, ...], concurrency: int = 1
) -> dict[str, tuple[object, ...]]:
    """What does not depend on the time, of each match; each is there once."""
    found: list[MatchResult] = []
    await MatchRunner(play, found.append, concurrency).run(matches)
    assert len({result.match_id for result in found}) == len(found)
    return {
        one.match_id: (one.goals, one.steps, one.errors, one.failure, one.players) for one in found
    }


class StandIn:
    """In place of the module ``ray``: a cluster of one processor whose tasks end as told."""

    class exceptions:  # noqa: N801
        class RayError(Exception):
            """What Ray raises."""

    def __init__(self, answer: Callable[..., Any], cpus: int = 1) -> None:
        self._answer = answer
        self._cpus = cpus
        self.cancelled: list[object] = []
        self.options: dict[str, object] = {}

    def nodes(self) -> list[dict[str, Any]]:
        return [{"Alive": True, "Resources": {"CPU": float(self._cpus)}}, _DEAD]

    def put(self, value: object) -> object:
        return value

    def remote(self, **options: object) -> Callable[[object], _Task]:
        self.options = options
        return lambda _: _Task(self._answer)

    def cancel(self, task: object) -> None:
        self.cancelled.append(task)


_DEAD = {"Alive": False, "Resources": {"CPU": 64.0}}


class _Task:
    def __init__(self, answer: Callable[..., Any]) -> None:
        self._answer = answer

    def remote(self, *arguments: object) -> Any:
        return asyncio.ensure_future(asyncio.to_thread(self._answer, *arguments))


async def test_records_and_events_come_with_the_result(
    games: dict[str, TournamentGame], tmp_path: Path
) -> None:
    bus = EventBus()
    conditions = replace(CONDITIONS, records=tmp_path)
    [match, *_] = planned(1)
    with closing(bus.subscribe("a reader")) as reader:
        play = ClusterPlay(StandIn(play_in_worker), games, conditions, [match], bus)
        result = await play.play(match)
        events = reader.take()
    assert result.goals
    assert os.listdir(tmp_path) == [f"{match.match_id}.json"]  # noqa: PTH208 - in a coroutine
    assert isinstance(events[0], MatchStarted)
    assert sum(isinstance(event, MatchEnded) for event in events) >= 1


async def test_a_match_that_the_cluster_has_lost_is_broken_off(
    games: dict[str, TournamentGame],
) -> None:
    def lose(*_: object) -> None:
        raise StandIn.exceptions.RayError

    play = ClusterPlay(StandIn(lose), games, CONDITIONS, planned(1), EventBus())
    result = await play.play(planned(1)[0])
    assert (result.goals, result.failure) == ((), "the cluster has lost the match: RayError")


async def test_a_match_that_is_cancelled_is_cancelled_on_the_cluster(
    games: dict[str, TournamentGame],
) -> None:
    begun = asyncio.Event()
    ray = StandIn(play_in_worker)

    class Endless(_Task):
        def remote(self, *arguments: object) -> Any:
            begun.set()
            return asyncio.get_running_loop().create_future()

    ray.remote = lambda **_: lambda _: Endless(lambda: None)  # type: ignore[method-assign]
    play = ClusterPlay(ray, games, CONDITIONS, planned(1), EventBus())
    playing = asyncio.create_task(play.play(planned(1)[0]))
    await begun.wait()
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert len(ray.cancelled) == 1


@pytest.mark.parametrize(
    ("cpus", "wanted", "concurrency"), [(1, 1, 1), (2, 2, 1), (5, 2, 2), (8, 2, 4)]
)
def test_a_match_gets_a_processor_for_each_strategy_where_there_are_so_many(
    games: dict[str, TournamentGame], cpus: int, wanted: int, concurrency: int
) -> None:
    ray = StandIn(play_in_worker, cpus)
    play = ClusterPlay(ray, games, CONDITIONS, planned(1), EventBus())
    assert (ray.options["num_cpus"], play.concurrency) == (wanted, concurrency)


def test_a_cluster_without_processors_is_refused(games: dict[str, TournamentGame]) -> None:
    with pytest.raises(TournamentError, match="no processor"):
        ClusterPlay(StandIn(play_in_worker, 0), games, CONDITIONS, planned(1), EventBus())


@pytest.mark.thorough
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform != "linux", reason="looks for the workers in /proc")
@pytest.mark.filterwarnings("ignore")
async def test_a_workers_death_changes_nothing(games: dict[str, TournamentGame]) -> None:
    matches = planned(6)
    wanted = await played(MatchPlay(games, CONDITIONS).play, matches)
    killed: list[int] = []

    async def kill_one() -> None:
        while not killed:
            for pid in workers_at_work("play_in_worker")[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            await asyncio.sleep(0)

    with ray_cluster(4) as ray:
        play = ClusterPlay(ray, games, CONDITIONS, matches, EventBus())
        assert play.concurrency == 2
        killing = asyncio.create_task(kill_one())
        assert await played(play.play, matches, play.concurrency) == wanted
        await killing
        assert killed
        assert killed[0] not in workers_at_work("play_in_worker")
