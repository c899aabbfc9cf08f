"""A few matches of what ``python -m tests.load`` plays by the thousand."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

import gdl
from ggp_player.protocol import MatchRecord
from tests.load.archive_agreement import Fixture, check_agreement, compare
from tests.load.clicks import Clicks, measure
from tests.load.hostile_event import Findings, judge
from tests.load.viewers import Pairs
from tests.load.viewers import compare as compare_replies
from tests.support.browser import needs_chromium
from tests.support.paths import GAMES
from tests.support.server_process import ServerProcess


@pytest.mark.thorough
def test_the_archive_agrees_with_the_game_manager(tmp_path: Path) -> None:
    found = check_agreement(tmp_path, Fixture(matches=6, jobs=2))
    assert (found.matches, found.late, found.illegal, found.differences) == (6, 0, 0, [])
    assert found.moves >= 6 * 5


@pytest.mark.thorough
def test_a_watched_match_is_answered_as_one_that_is_not(tmp_path: Path) -> None:
    """Only whether all replies come in time: how fast they are depends on the machine."""
    flags = ("--archive", str(tmp_path / "matches.sqlite"), "--strategy", "legal")
    with ServerProcess(tmp_path, *flags) as server:
        found = asyncio.run(compare_replies(server, Pairs(2, viewers=3)))
    assert len(found.watched.seconds) == len(found.alone.seconds) >= 8
    for replies in (found.alone, found.watched):
        assert (replies.late, replies.illegal) == (0, 0)
        assert all(seconds < 3 for seconds in replies.figures())
    assert found.fewest >= 1


@needs_chromium
@pytest.mark.thorough
def test_clicks_are_timed_until_their_boards_are_painted() -> None:
    found = measure(Clicks(games=2, clicks=3), settle=0)
    assert [len(seconds) for seconds in found.seconds.values()] == [3, 3]
    middle, nine_tenths, nearly_all, longest = found.figures()
    assert 0.001 < middle <= nine_tenths <= nearly_all <= longest < 30


@pytest.mark.thorough
def test_a_difference_is_found(tmp_path: Path) -> None:
    """The game manager's record is changed, in one thing at a time."""
    game = "biddingTicTacToe"
    assert check_agreement(tmp_path, Fixture(matches=2, game=game)).differences == []
    roles = tuple(map(str, gdl.load(GAMES / f"{game}.kif").roles))

    def found(roles: tuple[str, ...] = roles) -> list[str]:
        return compare(tmp_path / "a.sqlite", tmp_path / "exported", tmp_path / "records", roles)

    assert found() == []
    assert any("its roles differ" in each for each in found(roles[::-1]))
    file = tmp_path / "records" / f"{game}.000001.json"
    record = MatchRecord.from_json(file.read_bytes())
    for key, change in {
        "goal_values": {"goal_values": (1, 2)},
        "play_clock": {"play_clock": 7},
        "moves": {"moves": (*record.moves[:-1], ("other", "moves"))},
    }.items():
        replace(record, **change).save(file)  # type: ignore[arg-type] # one key each
        assert found() == [f"{file.stem}: {key} differs"]
    file.unlink()
    assert found() == [f"{file.stem} is in the archive alone"]


def hostile_record(**changed: object) -> MatchRecord:
    """A match of tic-tac-toe that cross has won against a hostile player, in five steps."""
    moves = ["a1 noop", "noop b1", "a2 noop", "noop b2", "a3 noop"]
    joint_moves = [
        tuple(move if move == "noop" else f"(put {move})" for move in joint_move.split())
        for joint_move in moves
    ]
    errors = [("", ""), *[("", error) for error in ("TO", "IL ( put z9 )", "CE", "TO", "CE")]]
    fields: dict[str, object] = {
        "match_id": "m",
        "start_time": 0,
        "start_clock": 2,
        "play_clock": 1,
        "player_names_from_host": ("stub0", "hostile0"),
        "states": ("",) * 6,
        "state_times": (0,) * 6,
        "moves": tuple(joint_moves),
        "errors": tuple(errors),
        "goal_values": (100, 0),
        "is_completed": True,
    }
    return MatchRecord(**{**fields, **changed})  # type: ignore[arg-type] # pydantic checks them


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({}, ""),
        ({"errors": (("", ""), ("TO", "TO"), *[("", "TO")] * 4)}, "stub0 answered well"),
        ({"errors": (("", ""), *[("", "TO")] * 5)}, "hostile0 answered illegal, scored 'TO'"),
        ({"errors": (("", ""), *[("", "")] * 5)}, "hostile0 answered silent, scored ''"),
        ({"goal_values": (0, 100)}, "the goals are (100, 0), recorded (0, 100)"),
        ({"moves": (("noop", "noop"),) * 5}, "step 1: noop is not legal"),
    ],
)
def test_what_is_scored_wrongly_is_found(changed: dict[str, object], problem: str) -> None:
    ways = ["nested", "silent", "illegal", "garbage", "slow", "nothing"]
    found = Findings()
    judge([hostile_record(**changed)], {"m": {"9": ways}}, {"hostile0": "9"}, found)
    assert (found.matches, found.moves) == (1, 10)
    if problem:
        assert any(problem in each for each in found.problems), found.problems
    else:
        assert found.problems == []


def test_moves_that_were_never_asked_for_are_found() -> None:
    found = Findings()
    judge([hostile_record()], {"m": {"9": ["silent"]}}, {"hostile0": "9"}, found)
    assert "m: hostile0 was asked 1 times" in found.problems
