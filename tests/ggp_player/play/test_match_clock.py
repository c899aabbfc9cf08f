"""Clocks of people and opponents: how they run, and what follows when one has run out."""

from __future__ import annotations

import asyncio

import pytest
from click.testing import CliRunner

from gdl import Constant
from ggp_player.__main__ import main
from ggp_player.errors import PlayError
from ggp_player.play.levels import LEVELS
from ggp_player.play.match_clock import TIME_CONTROLS, ClockFace, MatchClock, TimeControl
from ggp_player.play.table import SeatedSearch
from tests.ggp_player.play.conftest import Begin, asked, move, setup_of, until
from tests.support.clocks import FakeClock

WHITE, BLACK = Constant("white"), Constant("black")
CROSS, NOUGHT = Constant("cross"), Constant("nought")
FIVE, ONE, HALF_A_MINUTE = TIME_CONTROLS
AT_ONCE = TimeControl("", "", 0.01)


def test_a_clock_starts_after_the_first_move(time: FakeClock) -> None:
    clock = MatchClock(ONE, [WHITE, BLACK], time)
    clock.start(WHITE)
    time.now += 500
    assert clock.faces == (ClockFace("white", 60, 60, False), ClockFace("black", 60, 60, False))
    assert (clock.until_run_out, clock.run_out) == (None, None)
    clock.stop(WHITE)
    clock.start(WHITE)
    time.now += 20
    assert clock.faces[0] == ClockFace("white", 40, 60, True)
    clock.stop(WHITE)
    time.now += 20
    assert clock.left(WHITE) == 40
    clock.start(WHITE)
    assert clock.until_run_out == 40
    time.now += 50
    assert (clock.left(WHITE), clock.run_out) == (0, WHITE)


def test_each_move_has_its_own_time(time: FakeClock) -> None:
    clock = MatchClock(HALF_A_MINUTE, [WHITE], time, counts_first=True)
    for _ in range(3):
        clock.start(WHITE)
        time.now += 29
        assert clock.left(WHITE) == 1
        clock.stop(WHITE)
    assert clock.faces == (ClockFace("white", 1, 30, False),)


def test_a_pause_is_no_move(time: FakeClock) -> None:
    clock = MatchClock(ONE, [WHITE], time)
    clock.start(WHITE)
    clock.pause()
    clock.start(WHITE)
    assert not clock.faces[0].runs
    clock.stop(WHITE)
    clock.start(WHITE)
    time.now += 10
    clock.pause()
    time.now += 10
    clock.stop(WHITE)  # nobody waits for it
    clock.start(BLACK)  # who has no clock
    assert clock.faces == (ClockFace("white", 50, 60, False),)


def test_a_search_divides_its_time(time: FakeClock) -> None:
    for control, wanted, seconds in (
        (ONE, 8.0, 3.0),
        (ONE, 1.0, 1.0),
        (HALF_A_MINUTE, 60.0, 24.0),
        (HALF_A_MINUTE, 3.0, 3.0),
    ):
        clock = MatchClock(control, [WHITE], time)
        clock.start(WHITE)
        assert clock.seconds_for(WHITE, wanted) == wanted  # no clock runs yet
        clock.stop(WHITE)
        clock.start(WHITE)
        assert clock.seconds_for(WHITE, wanted) == seconds


async def test_who_moves_too_late_has_lost(begin: Begin, time: FakeClock) -> None:
    async with begin("ticTacToe", control=ONE, stopwatch=time) as session:
        await asked(session)
        time.now += 100  # while the page is loaded
        await move(session, "(put b2)")
        time.now += 59
        await move(session, "(put b1)" if session.line.number else "")
        time.now += 1
        step = session.line.number
        with pytest.raises(PlayError, match="the time is up"):
            session.choose(CROSS, "(put b3)", step)
        await until(session, lambda: session.is_over)
        assert session.result() == "Your time is up: you lose."
        assert session.verdict() == -1
        assert session.record().is_aborted
        assert not {"back", "hint", "resign"} & session.actions
        with pytest.raises(PlayError, match="there is no move that can be taken back"):
            await session.take_back(step)
        await session.new_match()
        await asked(session)
        assert session.match_clock is not None
        assert session.match_clock.left(CROSS) == 60


async def test_the_match_ends_when_the_time_is_up_whatever_comes(begin: Begin) -> None:
    async with begin("ticTacToe", control=AT_ONCE, adapts=True, level=LEVELS[2]) as session:
        await asked(session)
        await move(session)
        await until(session, lambda: session.is_over)
        assert session.result() == "Your time is up: you lose."
        assert session.next_level == LEVELS[1]


async def test_an_opponent_has_a_clock_as_well(
    begin: Begin, time: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with begin("ticTacToe", control=ONE, stopwatch=time) as session:
        await asked(session)
        await move(session)
        never = asyncio.Event()

        async def choose(seat: SeatedSearch) -> str:
            if len(seat.table.legal_moves(seat.role)) > 1:
                await never.wait()
            return "noop"

        monkeypatch.setattr(SeatedSearch, "choose", choose)
        session.choose(CROSS, session.legal_moves(CROSS)[0], session.line.number)
        await until(session, lambda: session.line.number == 3)
        time.now += 61
        session._ring()
        await until(session, lambda: session.is_over)
        assert session.result() == "The time of nought is up: you win."
        assert session.verdict() == 1


async def test_time_goes_on_where_moves_are_taken_back(begin: Begin, time: FakeClock) -> None:
    async with begin("ticTacToe", control=ONE, stopwatch=time) as session:
        await asked(session)
        await move(session)
        time.now += 20
        await session.take_back(session.line.number)
        await asked(session)
        time.now += 5
        assert session.match_clock is not None
        assert session.match_clock.faces[0] == ClockFace("cross", 35, 60, True)


async def test_of_several_people_one_runs_out(begin: Begin) -> None:
    async with begin("ticTacToe", "cross", "nought", control=AT_ONCE) as session:
        await asked(session)
        await move(session)
        await asked(session, 1)
        await move(session)
        await until(session, lambda: session.is_over)
        assert session.result() == "The time of cross is up."
        assert session.verdict() is None


@pytest.mark.parametrize(
    ("flags", "control"),
    [
        ([], None),
        (["--clock", "none"], None),
        (["--clock", "5m"], FIVE),
        (["--clock", "1m"], ONE),
        (["--clock", "30s"], HALF_A_MINUTE),
        (["--timed", "--play-clock", "7"], TimeControl("timed", "7 seconds a move", 7, True)),
    ],
)
def test_clocks_of_the_command_line(
    flags: list[str], control: TimeControl | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert setup_of(flags, monkeypatch).control == control


def test_one_clock_is_named_at_most() -> None:
    result = CliRunner().invoke(main, ["play", "nim", "--clock", "5m", "--timed"])
    assert result.exit_code == 2
    assert "give one" in result.output
