"""A player tells what happens in its matches, and its archive has the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggp_player.archive.queries import Archive
from ggp_player.archive.writer import ArchiveWriter
from ggp_player.events import (
    Event,
    EventBus,
    MatchEnded,
    MatchProblem,
    MatchStarted,
    MoveChosen,
    StateReached,
    Subscription,
    Thoughts,
    TurnAsked,
)
from ggp_player.server.config import Config
from ggp_player.server.player import Player
from ggp_player.strategies import Choice, Counts, MoveReport, Position, Strategy


class Watched(Strategy):
    """Searches until it is stopped, and knows something of each move."""

    name = "watched"

    def search(self, position: Position) -> Iterator[Choice]:
        number = 0
        while True:
            number += 1
            yield Choice(position.legal_moves[-1], 40.0, counts=Counts(nodes=number))
            position.machine.legal_moves(position.state, position.role)

    def report(self, position: Position) -> list[MoveReport]:
        return [MoveReport(move, 40.0, 7) for move in position.legal_moves]


WATCHED = f"{__name__}:{Watched.__name__}"


def kinds(events: list[Event]) -> list[str]:
    """The kinds of events, without states and thoughts, which come when they like."""
    return [event.kind for event in events if not isinstance(event, StateReached | Thoughts)]


async def next_of(reader: Subscription, kind: type[Event]) -> Event:
    """Wait for an event of a kind."""
    while True:
        for event in reader.take():
            if isinstance(event, kind):
                return event
        await asyncio.sleep(0)


def start(rules: str, match_id: str = "m.1", clock: int = 5) -> str:
    return f"( START {match_id} xena ({rules}) {clock} {clock} )"


@pytest.fixture
def rules(fields: str) -> str:
    return " ".join(line for line in fields.splitlines() if not line.startswith(";"))


async def test_a_match_is_told_from_its_start_to_its_end(rules: str) -> None:
    async with Player(Config(strategy="minimax")) as player:
        reader = player.events.subscribe("test")
        await player.reply(start(rules))
        assert await player.reply("( PLAY m.1 NIL )") == "(claim 3)"
        await player.reply("( PLAY m.1 ((claim 3) noop) )")
        move = await player.reply("( PLAY m.1 (noop (claim 1)) )")
        await player.reply(f"( STOP m.1 ({move} noop) )")
        events = reader.take()
    turn = ["TurnAsked", "MoveChosen"]
    assert kinds(events) == ["MatchStarted", *turn, *turn, *turn, "MatchEnded"]
    first, last = events[0], events[-1]
    assert isinstance(first, MatchStarted)
    assert (first.match_id, first.role, first.strategy) == ("m.1", "xena", "minimax")
    assert isinstance(last, MatchEnded)
    assert (last.status, last.turn) == ("completed", 3)
    assert last.goals == {"xena": 100, "Oscar": 0}
    asked = [event for event in events if isinstance(event, TurnAsked)]
    assert [event.turn for event in asked] == [0, 1, 2]
    assert asked[1].joint_move == ("(claim 3)", "noop")
    assert 0 < asked[0].seconds < asked[0].clock == 5
    chosen = next(event for event in events if isinstance(event, MoveChosen))
    assert (chosen.move, chosen.value, chosen.proved) == ("(claim 3)", 100, True)
    assert chosen.margin_left is not None
    assert 0 < chosen.margin_left <= 5
    states = [event for event in events if isinstance(event, StateReached)]
    assert states[0].roles == ("xena", "Oscar")
    assert states[0].legal_moves == ("(claim 1)", "(claim 2)", "(claim 3)")
    assert states[-1].is_over
    assert {event.match for event in events} == {first.match}


async def test_a_search_tells_what_it_thinks_while_somebody_listens(rules: str) -> None:
    async with Player(Config(strategy=WATCHED)) as player:
        moves_only = player.events.subscribe("moves", thoughts=False)
        preparing = asyncio.create_task(player.reply(start(rules, clock=20)))
        await next_of(moves_only, StateReached)
        reader = player.events.subscribe("late", running=True)
        found = await next_of(reader, Thoughts)
        assert isinstance(found, Thoughts)
        assert (found.turn, found.move, found.value, found.strategy) == (
            *(0, "(claim 3)", 40),
            "watched",
        )
        assert [move.visits for move in found.moves] == [7, 7, 7]
        assert found.nodes is not None
        assert await player.reply("( ABORT m.1 )") == "aborted"
        await preparing
    assert all(not isinstance(event, Thoughts) for event in moves_only.take())


@pytest.mark.parametrize(
    ("message", "status"), [("( ABORT m.1 )", "aborted"), ("( STOP m.1 NIL )", "completed")]
)
async def test_an_end_is_told_once(rules: str, message: str, status: str) -> None:
    async with Player(Config(strategy="legal")) as player:
        reader = player.events.subscribe("test")
        await player.reply(start(rules))
        await player.reply(message)
        await player.reply(message)
    ends = [event for event in reader.take() if isinstance(event, MatchEnded)]
    assert [event.status for event in ends] == [status]


async def test_rules_that_cannot_be_played_are_told() -> None:
    async with Player(Config(strategy="legal")) as player:
        reader = player.events.subscribe("test")
        await player.reply(start("(role xena) (<= (p ?x) (q ?y))"))
        end = await next_of(reader, MatchEnded)
    assert isinstance(end, MatchEnded)
    assert end.status == "unplayable"
    assert end.reason


async def test_a_silent_match_expires(rules: str) -> None:
    async with Player(Config(strategy="legal", idle_limit=0.01)) as player:
        reader = player.events.subscribe("test")
        await player.reply(start(rules, clock=0))
        end = await next_of(reader, MatchEnded)
    assert isinstance(end, MatchEnded)
    assert end.status == "expired"


async def test_an_illegal_choice_is_a_problem(rules: str, bad: object) -> None:
    assert callable(bad)
    async with Player(Config(strategy=bad("Illegal"))) as player:
        reader = player.events.subscribe("test")
        await player.reply(start(rules))
        await player.reply("( PLAY m.1 NIL )")
        await player.reply("( ABORT m.1 )")
    problems = [event.text for event in reader.take() if isinstance(event, MatchProblem)]
    assert any("is illegal" in text for text in problems)


async def test_a_match_that_goes_on_after_a_restart_is_one_match_in_the_archive(
    rules: str, tmp_path: Path
) -> None:
    path = tmp_path / "matches.sqlite"
    config = Config(strategy="minimax", state_dir=tmp_path / "state")
    bus = EventBus()
    with ArchiveWriter(path, bus):
        async with Player(config, events=bus) as player:
            await player.reply(start(rules))
            await player.reply("( PLAY m.1 NIL )")
            await player.reply("( PLAY m.1 ((claim 3) noop) )")
    assert Archive(path).match("m.1").summary.status == "suspended"
    bus = EventBus()
    with ArchiveWriter(path, bus):
        async with Player(config, events=bus) as player:
            await player.reply("( PLAY m.1 (noop (claim 1)) )")
            await player.reply("( STOP m.1 ((claim 2) noop) )")
    match = Archive(path).match("m.1")
    assert match.summary.status == "completed"
    assert match.moves == (("(claim 3)", "noop"), ("noop", "(claim 1)"), ("(claim 2)", "noop"))
    assert [choice.turn for choice in match.choices] == [0, 1, 2]
    assert [seat.goal for seat in match.summary.seats] == [100, 0]
