"""A match of people: it keeps to the rules, goes back as asked, and refuses what comes too late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import gdl
from ggp_player.archive.archived_match import MatchFilter
from ggp_player.archive.queries import Archive
from ggp_player.archive.writer import ArchiveWriter
from ggp_player.errors import PlayError, ServerError
from ggp_player.events import Event, EventBus, MatchStarted
from ggp_player.play.match_line import MatchLine
from ggp_player.play.session import PlaySession
from ggp_player.protocol import Dialect, MatchRecord, parse_request
from ggp_player.server.config import Config
from ggp_player.server.player import Player
from tests.ggp_player.play.conftest import Begin, asked, move, rules_of, until

GAMES = ("ticTacToe", "biddingTicTacToe", "lightsOut", "diceRace", "trefoil")
"""In turn, at the same time, one role, chance, three roles."""


async def play_at_random(session: PlaySession, seed: int, steps: int) -> None:
    random = Random(seed)
    await asked(session)
    for _ in range(steps):
        if session.is_over:
            return
        await move(session, str(random.choice(session.legal_moves(session.choosing[0]))))


@pytest.mark.thorough
@pytest.mark.parametrize("game", GAMES)
async def test_the_states_are_those_that_the_rules_give(begin: Begin, game: str) -> None:
    async with begin(game) as session:
        await play_at_random(session, 1, 40)
        line = session.line
        machine = gdl.interpret(rules_of(game))
        state = machine.initial_state()
        for step in line.steps[1:]:
            for role, made in zip(machine.roles, step.joint_move, strict=True):
                assert made in machine.legal_moves(state, role)
            state = machine.next_state(state, step.joint_move)
            assert set(state) == set(step.state)
        assert line.is_over
        assert session.result()
        record = MatchRecord.from_json(session.record().to_json())
    assert record.is_completed
    assert record.moves == line.history
    assert record.is_player_human == tuple(role in session.persons for role in machine.roles)


@pytest.mark.thorough
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("back", [1, 3])
async def test_the_same_moves_after_taking_back_lead_to_the_same_states(
    begin: Begin, game: str, back: int
) -> None:
    async with begin(game, opponents=("random",), seed=5) as session:
        await play_at_random(session, 2, 4)
        before = session.line
        persons = [before.machine.roles.index(role) for role in session.persons]
        for _ in range(back):
            if session.line.number:
                await session.take_back(session.line.number)
                await asked(session)
        again = session.line.number
        assert again < before.number
        assert session.line.steps == before.steps[: again + 1]
        while session.line.number < before.number:
            step = before.steps[session.line.number + 1]
            await move(session, str(step.joint_move[persons[0]]))
        others = [
            [one.joint_move for one in line.steps[: before.number + 1]]
            for line in (before, session.line)
        ]
    assert others[0] == others[1]
    assert before.last.state == session.line.steps[before.number].state


async def test_an_opponent_answers_to_the_position_that_was_gone_back_to(begin: Begin) -> None:
    async with begin("ticTacToe", opponents=("minimax",), play_clock=10) as session:
        await asked(session)
        for text in ("(put a1)", "(put b1)"):
            await move(session, text)
        assert str(session.line.last.joint_move[1]) == "(put c1)"  # it sees the threat
        await session.take_back(session.line.number)
        await asked(session)
        await move(session, "(put c3)" if session.line.number else "(put a1)")
        replies = [str(step.joint_move[1]) for step in session.line.steps[1:]]
        assert "(put c1)" not in replies


async def test_what_comes_too_late_is_refused_with_a_sentence(begin: Begin) -> None:
    async with begin("ticTacToe") as session:
        await asked(session)
        session.choose("cross", "(put b2)", 0, 1)
        for late in (
            lambda: session.choose("cross", "(put a1)", 0, 1),
            lambda: session.choose("cross", "(put a1)", 5, 1),
            lambda: session.choose("nought", "(put a1)", 0, 1),
            lambda: session.choose("cross", "(put z9)", 0, 1),
        ):
            with pytest.raises(PlayError, match=r"\w \w"):
                late()
        await asked(session, 2)
        with pytest.raises(PlayError, match="that was for step 1, and the match is at step 3"):
            session.choose("cross", "(put a3)", 0, 1)
        with pytest.raises(PlayError, match="that was for step 1"):
            await session.take_back(0, 1)
        await session.new_match(1)
        await asked(session)
        with pytest.raises(PlayError, match="the match before"):
            session.choose("cross", "(put a1)", 0, 1)


async def test_any_number_of_things_at_once_leave_a_match_that_fits_the_rules(begin: Begin) -> None:
    async with begin("breakthrough", opponents=("random",)) as session:
        random = Random(3)
        for _ in range(60):
            step = session.line.number
            whatever = [session.take_back(step), session.flip(step), session.new_match()]
            chosen = random.choice(whatever)
            for one in whatever:
                if one is not chosen:
                    one.close()
            task = asyncio.ensure_future(chosen)
            if session.choosing:
                role = session.choosing[0]
                session.choose(role, random.choice(session.legal_moves(role)), step)
            await asyncio.gather(task, return_exceptions=True)
        await asked(session)
        line = MatchLine.begin(session.machine)
        for made in session.line.steps[1:]:
            line = line.after(made.joint_move)
        assert line.last.state == session.line.last.state


async def test_seats_change_and_the_match_goes_on(begin: Begin) -> None:
    async with begin("ticTacToe") as session:
        await asked(session)
        await move(session, "(put b2)")
        await session.flip(session.line.number)
        await asked(session)
        assert [str(role) for role in session.persons] == ["nought"]
        assert session.line.number == 3  # the opponent has moved for cross
        assert session.names[session.persons[0]] == "human"


async def test_several_people_and_no_opponent(begin: Begin) -> None:
    async with begin("trefoil", "red", "GREEN", "blue") as session:
        await asked(session)
        assert len(session.persons) == 3
        for _ in range(3):
            await move(session)
        assert session.line.number == 3
    with pytest.raises(PlayError, match="no role purple"):
        async with begin("trefoil", "purple"):
            pass


async def test_a_match_is_given_up(begin: Begin) -> None:
    async with begin("ticTacToe") as session:
        await asked(session)
        await session.resign(0)
        assert session.result() == "cross resigned."
        assert session.record().is_aborted
        assert not session.choosing
        with pytest.raises(PlayError, match="the match is over"):
            session.choose("cross", "(put a1)", 0)
        await session.new_match()
        await asked(session)
        assert session.result() == ""


@pytest.mark.thorough
async def test_hints_and_thoughts_come_from_a_search(begin: Begin) -> None:
    async with begin("ticTacToe", opponents=("alpha_beta",), play_clock=5) as session:
        await asked(session)
        for text in ("(put a1)", "(put a2)"):
            legal = [str(one) for one in session.legal_moves(session.choosing[0])]
            await move(session, text if text in legal else "")
        advice = await session.hint(session.line.number)
        assert advice.move in {str(one) for one in session.legal_moves(session.choosing[0])}
        await session.think(True)
        await until(session, lambda: session.shown.thoughts)
        view = session.shown.thoughts
        assert view is not None
        assert view.strategy == "alpha_beta"
        await session.think(False)
        assert session.shown.thoughts is None


async def test_an_opponent_that_began_before_the_warm_up_begins_anew_after_it(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp_player.play.engine.WARM_UP_SECONDS", 0.0)
    warming: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    bus = EventBus()
    begun = bus.subscribe("the test", thoughts=False)
    opponents = ("alpha_beta:depth=1",)
    async with begin("ticTacToe", opponents=opponents, warming=warming, events=bus) as session:
        await asked(session)
        await move(session, "(put b2)")  # nobody waits for what takes too long
        assert _openings(begun.take()) == 1
        warming.set_result(None)
        await move(session)
        await move(session)
        assert _openings(begun.take()) == 1


async def test_who_does_not_look_ahead_waits_for_no_warm_up_and_matches_end_before_it(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp_player.play.engine.WARM_UP_SECONDS", 1e6)
    warming: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    async with begin("ticTacToe", opponents=("random",), warming=warming) as session:
        await asked(session)
        await move(session, "(put b2)")
    assert not warming.done()  # it is for the next match, too


def _openings(events: list[Event]) -> int:
    return sum(isinstance(event, MatchStarted) and event.role == "nought" for event in events)


class Server:
    """A player server that makes moves of a list, then fails."""

    name = "127.0.0.1:1"
    dialect = Dialect.GGP_BASE

    def __init__(self, *moves: str) -> None:
        self.moves = list(moves)
        self.received: list[str] = []

    async def send(self, text: str, on_sent: Callable[[], None] = lambda: None) -> str:
        self.received.append(type(parse_request(text)).__name__)
        on_sent()
        if self.received[-1] != "Play":
            return "ready"
        if not self.moves:
            raise ServerError("gone")
        return self.moves.pop(0)


async def test_a_player_server_is_an_opponent_whose_moves_cannot_be_taken_back(
    begin: Begin,
) -> None:
    server = Server("noop", "( put a1 )", "noop", "(put b2)", "noop")
    async with begin("ticTacToe", opponents=(server,)) as session:
        await asked(session)
        await move(session, "(put b2)")
        assert [str(one) for one in session.line.last.joint_move] == ["noop", "(put a1)"]
        with pytest.raises(PlayError, match="no move that can be taken back"):
            await session.take_back(2)
        await move(session)
        assert session.errors(session.line.number)[1] == "IL (put b2)"
        await move(session)
        assert session.errors(session.line.number)[1] == "CE"
    assert server.received[0] == "Start"
    assert server.received[-1] == "Abort"


class OwnServer:
    """A player of ours that is spoken to in a dialect, and what it was sent."""

    name = "127.0.0.1:2"

    def __init__(self, player: Player, dialect: Dialect) -> None:
        self.dialect = dialect
        self.received: list[str] = []
        self._player = player

    async def send(self, text: str, on_sent: Callable[[], None] = lambda: None) -> str:
        self.received.append(text)
        on_sent()
        return await self._player.reply(text)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("dialect", "first_play", "last"),
    [
        ("A", "( PLAY {id} NIL )", "( STOP {id} ("),
        ("C", "(PLAY {id} 0 NIL NIL)", "(STOP {id} "),
        ("C'", "(PLAY {id} NIL)", "(STOP {id} ("),
        ("D", "(play {id} nil)", "(stop {id} ("),
        ("E", 'play("{id}",nil)', 'stop("{id}",{{'),
    ],
)
async def test_a_player_server_is_spoken_to_in_its_dialect(
    begin: Begin, dialect: str, first_play: str, last: str
) -> None:
    async with Player(Config(strategy="legal")) as player:
        server = OwnServer(player, Dialect(dialect))
        async with begin("kuhnPoker", opponents=(server,)) as session:
            await play_at_random(session, 3, 10)
            assert session.line.is_over
            assert not any(
                error for n in range(1, session.line.number + 1) for error in session.errors(n)
            )
            await until(session, lambda: len(server.received) > session.line.number + 1)
            name = session.match_id
        assert server.received[1] == first_play.format(id=name)
        assert server.received[-1].startswith(last.format(id=name))


async def test_a_player_server_is_told_no_more_than_its_dialect_says(begin: Begin) -> None:
    async with Player(Config(strategy="legal")) as player:
        server = OwnServer(player, Dialect.DRESDEN_TURNS)
        async with begin("kuhnPoker", opponents=(server,)) as session:
            await asked(session)
            dealt = str(session.line.steps[1].joint_move)
            await play_at_random(session, 3, 10)
        assert "deal" in dealt
        assert not any("deal" in text for text in server.received[1:])
        assert "(YOURCARD" in server.received[2]


async def test_the_archive_has_the_match_as_it_was_played_in_the_end(
    begin: Begin, tmp_path: Path
) -> None:
    file, bus = tmp_path / "matches.sqlite", EventBus()
    with ArchiveWriter(file, bus):
        async with begin("ticTacToe", events=bus) as session:
            await asked(session)
            await move(session, "(put c3)")
            await move(session, "(put c2)")
            await session.take_back(session.line.number)
            await asked(session)
            while not session.is_over:
                await move(session)
            await until(session, session.result)
            played = session.line.history
    archive = Archive(file)
    (row,) = archive.list(MatchFilter()).matches
    assert row.status == "completed"
    assert [seat.player for seat in row.seats] == ["human", "legal"]
    found = archive.match(row.key)
    assert found.moves == played
    assert {choice.role for choice in found.choices} == {"nought"}
    assert max(choice.turn for choice in found.choices) < len(played)
