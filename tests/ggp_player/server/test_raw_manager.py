"""The real server in a process of its own, against a game manager that shares no code with it."""

from collections.abc import Iterator

import pytest

import gdl
from tests.support.marks import thorough
from tests.support.paths import ROOT
from tests.support.raw_manager import Match, RawManager, Report, UnreadableError, content, exchange
from tests.support.server_process import Address, serving

GAMES = ROOT / "games"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    with serving(tmp_path_factory.mktemp("server")) as server:
        yield server.address


def assert_flawless(report: Report, match: Match) -> None:
    assert (report.illegal, report.late) == ([], [])
    assert report.longest < match.start_clock
    assert report.steps > 0


@pytest.mark.thorough
@pytest.mark.parametrize("scramble", [False, True], ids=["plain", "scrambled"])
@pytest.mark.parametrize("role", [1, 2])
def test_tic_tac_toe(address: Address, role: int, scramble: bool) -> None:
    rules = gdl.load(GAMES / "ticTacToe.kif")
    match = Match(rules, 2, 1, role, scramble, seed=role, match_id=f"raw.{role}.{scramble}")
    report = RawManager(address, match).run()
    assert_flawless(report, match)
    assert report.goals[role - 1] in (50, 100)


@pytest.mark.parametrize(
    "scramble",
    [*thorough(False), True],
    ids=["plain", "scrambled"],
)
def test_a_puzzle(address: Address, scramble: bool) -> None:
    rules = gdl.load(GAMES / "eightQueens.kif")
    match = Match(rules, 3, 1, scramble=scramble, match_id=f"raw.puzzle.{scramble}")
    assert_flawless(RawManager(address, match).run(), match)


def test_the_manager_sees_what_is_wrong(address: Address) -> None:
    assert exchange(address, "( INFO )", 1).startswith("( ( name ")
    rules = gdl.load(GAMES / "ticTacToe.kif")
    manager = RawManager(address, Match(rules, 1, 0))
    state = manager.machine.initial_state()
    for reply in ("(PUT A1)", "put a1", "noop", "busy", ""):
        move = manager.joint_move(state, reply)[0]
        assert move in manager.machine.legal_moves(state, manager.role)
    assert len(manager.report.illegal) == 5
    manager.ask("( START raw.9 cross () 1 1)", 0.0001)
    assert len(manager.report.late) == 1


@pytest.mark.parametrize(
    "received",
    [
        b"HTTP/1.0 200 OK\r\n\r\nnoop",
        b"HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nnoop",
        b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nnoop",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n\xc3\xa9",
        b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\nnoop",
        b"",
    ],
)
def test_replies_that_some_manager_cannot_read_do_not_count(received: bytes) -> None:
    with pytest.raises(UnreadableError):
        content(received)


@pytest.mark.slow
@pytest.mark.parametrize("scramble", [False, True], ids=["plain", "scrambled"])
@pytest.mark.parametrize("game", ["ticTacToe", "connectFour", "eightPuzzle"])
def test_usual_clocks(address: Address, game: str, scramble: bool) -> None:
    rules = gdl.load(GAMES / f"{game}.kif")
    match = Match(rules, 10, 3, scramble=scramble, match_id=f"raw.{game}.{scramble}")
    assert_flawless(RawManager(address, match).run(), match)
