"""Matches of a tournament: moves, faults, failures, servers and concurrency."""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import gdl
from ggp_player.errors import ServerError
from ggp_player.events import EventBus
from ggp_player.manager.tournament import match_play
from ggp_player.manager.tournament.games import TournamentGame
from ggp_player.manager.tournament.match_play import MatchConditions, MatchPlay
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch, make_schedule
from ggp_player.manager.tournament.tournament_run import MatchRunner
from ggp_player.match_runner.players import MatchPlayer
from tests.support.command_line import CLOSED, TWO_STEPS
from tests.support.tournament_results import identity_of

TURNS = f"""{TWO_STEPS}
(<= (next (said ?r ?w)) (does ?r (say ?w)))
(<= (goal ?r 70) (true (said ?r yes)))
(<= (goal ?r 30) (true (said ?r no)))
"""

CONDITIONS = MatchConditions(start_clock=2, play_clock=1)


@dataclass
class Scripted:
    """A player that gives its answers one after the other, and then always the last one."""

    name: str
    answers: list[str | Exception | Callable[[], object]]
    received: list[str] = field(default_factory=list)

    async def send(self, text: str) -> str:
        self.received.append(text)
        answer = self.answers[min(len(self.received), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, str) else await answer()  # type: ignore[misc]


class Stage:
    """Replaces players by scripted ones, by name, and remembers all of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: dict[str, list[str | Exception | Callable[[], object]]] = {}
        self.started: list[Scripted] = []
        self.seeds: list[int] = []
        monkeypatch.setattr(match_play, "start_player", self._start)

    async def _start(
        self, player: str, seed: int, stack: AsyncExitStack, events: EventBus
    ) -> MatchPlayer:
        self.started.append(Scripted(player, self.answers.get(player, ["(say yes)"])))
        self.seeds.append(seed)
        return self.started[-1]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(monkeypatch)


def game(rules: str = TURNS) -> dict[str, TournamentGame]:
    ruleset = gdl.parse(rules)
    roles = [str(role) for role in gdl.interpret(ruleset).roles]
    return {
        "turns": TournamentGame("turns", ruleset, tuple(role for role in roles if role != "random"))
    }


def planned(*players: str, rounds: int = 1) -> tuple[PlannedMatch, ...]:
    return make_schedule(identity_of(players), {"turns": 2}, rounds)


async def play(
    matches: Iterable[PlannedMatch],
    conditions: MatchConditions = CONDITIONS,
    concurrency: int = 1,
    rules: str = TURNS,
) -> list[MatchResult]:
    results: list[MatchResult] = []
    play = MatchPlay(game(rules), conditions).play
    await MatchRunner(play, results.append, concurrency).run(matches)
    return results


async def test_a_result_has_the_goals_of_the_players_roles(stage: Stage) -> None:
    stage.answers["b"] = ["(say no)"]
    matches = planned("a", "b")
    first, second = await play(matches)
    assert (first.match_id, first.seed) == (matches[0].match_id, matches[0].seed)
    assert (first.roles, first.players, first.goals) == (("ann", "bob"), ("a", "b"), (70, 30))
    assert (second.players, second.goals, second.steps) == (("b", "a"), (30, 70), 2)
    assert (first.errors, first.failure) == (((), ()), "")
    assert set(stage.seeds) == {matches[0].seed}
    start, *_, stop = stage.started[0].received
    assert start.startswith(f"( START {matches[0].match_id} ann ")
    assert stop.startswith(f"( STOP {matches[0].match_id} ")


async def test_faults_are_counted_for_the_player_that_made_them(stage: Stage) -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    stage.answers["a"] = ["ready", "(say nonsense)", never, "done"]
    stage.answers["b"] = ["ready", "(say yes)", ServerError("the cable"), "done"]
    conditions = replace(CONDITIONS, play_clock=0)
    (result,) = await play(planned("a", "b")[:1], conditions)
    assert result.errors == (("1 IL (say nonsense)", "2 TO"), ("2 CE",))
    assert [result.late(0), result.illegal(0), result.failed(0)] == [1, 1, 0]
    assert [result.late(1), result.illegal(1), result.failed(1)] == [0, 0, 1]
    assert result.longest_replies[0] >= 1
    assert result.failure == ""


async def test_a_player_that_cannot_be_reached_ends_the_match(stage: Stage) -> None:
    stage.answers["b"] = [ServerError("nobody there")]
    first, second = await play(planned("a", "b"))
    assert first.failure == second.failure == "b could not be reached at the start"
    assert (first.goals, first.errors, first.steps) == ((), ((), ("0 CE",)), 0)
    assert stage.started[0].received[-1].startswith("( ABORT ")


async def test_a_match_without_an_end_is_broken_off(stage: Stage) -> None:
    endless = TURNS.replace("(succ 1 2)", "(succ 1 0)")
    (result,) = await play(planned("a", "b")[:1], replace(CONDITIONS, max_steps=7), rules=endless)
    assert result.failure == "no end after 7 steps"
    assert result.goals == ()


async def test_rules_that_leave_a_role_without_moves_are_reported(stage: Stage) -> None:
    stuck = TURNS.replace("(role ?r) (word ?w)", "(role ?r) (word ?w) (true (step 0))")
    (result,) = await play(planned("a", "b")[:1], rules=stuck)
    assert result.failure == "the rules give ann no legal move for step 2"


async def test_records_are_saved_under_the_match_id(stage: Stage, tmp_path: Path) -> None:
    (result,) = await play(planned("a", "b")[:1], replace(CONDITIONS, records=tmp_path))
    record = json.loads((tmp_path / f"{result.match_id}.json").read_text())
    assert record["playerNamesFromHost"] == ["a", "random", "b"]
    assert record["isCompleted"]


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_so_many_matches_are_played_at_a_time(stage: Stage, concurrency: int) -> None:
    meeting = asyncio.Barrier(2 * concurrency)  # both players of each
    running: list[int] = []

    async def meet() -> str:
        await meeting.wait()
        running.append(len([one for one in stage.started if len(one.received) == 2]))
        return "(say yes)"

    stage.answers["a"] = stage.answers["b"] = ["ready", meet, "(say yes)"]
    results = await play(planned("a", "b", rounds=3), concurrency=concurrency)
    assert len(results) == 6
    assert max(running) == 2 * concurrency


async def test_a_server_plays_one_match_at_a_time_after_an_abort(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    aborted: list[str] = []

    async def abort(players: Iterable[str], match_id: str) -> None:
        aborted.append(match_id)

    monkeypatch.setattr(match_play, "abort_match", abort)
    playing: list[str] = []

    async def begin() -> str:
        playing.append("now")
        assert len(playing) == 1
        return "ready"

    async def end() -> str:
        playing.clear()
        return "done"

    stage.answers[CLOSED] = [begin, "(say no)", "(say no)", end]
    matches = planned(CLOSED, "a", rounds=2)
    results = await play(matches, concurrency=4)
    assert [result.match_id for result in results] == [match.match_id for match in matches]
    assert [result.failure for result in results] == [""] * 4
    assert aborted == [match.match_id for match in matches]


async def cancel_when_asked(
    stage: Stage, matches: Sequence[PlannedMatch], also: asyncio.Event | None = None
) -> list[MatchResult]:
    """Cancel the run in which ``a`` hangs over its move, and something else has happened."""
    asked = asyncio.Event()

    async def hang() -> None:
        asked.set()
        await asyncio.Event().wait()

    stage.answers["a"] = ["ready", hang, "aborted"]
    results: list[MatchResult] = []
    playing = MatchPlay(game(), replace(CONDITIONS, play_clock=60))
    task = asyncio.create_task(MatchRunner(playing.play, results.append, 2).run(matches))
    await asked.wait()
    if also is not None:
        await also.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return results


async def test_a_cancellation_aborts_the_matches_under_way(stage: Stage) -> None:
    assert await cancel_when_asked(stage, planned("a", "b")) == []
    aborted = {one.received[-1][:7] for one in stage.started if one.received}
    assert aborted == {"( ABORT"}


async def test_a_match_that_has_not_begun_does_not_keep_another_from_being_aborted(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = asyncio.Event()
    first, second = planned("a", "b")

    async def abort(players: Iterable[str], match_id: str) -> None:
        if match_id == second.match_id:
            opening.set()
            await asyncio.Event().wait()

    monkeypatch.setattr(match_play, "abort_match", abort)
    await cancel_when_asked(stage, (first, second), opening)
    assert [one.received[-1][:7] for one in stage.started] == ["( ABORT"] * 2
