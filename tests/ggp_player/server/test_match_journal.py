"""A server that was killed goes on with its match; what is on disk is checked before it is used."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
import time
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

import gdl
from gdl.system import boot_instant
from ggp_player.errors import ServerError
from ggp_player.protocol import BUSY, Start
from ggp_player.server.config import Config
from ggp_player.server.match_journal import (
    LOCK,
    SET_ASIDE,
    SUFFIX,
    Instant,
    JournalFolder,
    Now,
    StoredMatch,
)
from ggp_player.server.player import Message, Player
from tests.ggp_player.conftest import Ear
from tests.support.left_behind import HANGING, becomes_true
from tests.support.paths import ROOT
from tests.support.raw_manager import HEAD, Match, RawManager, exchange
from tests.support.server_process import ServerProcess, serving

START = Start("m 1", "xena", "(role xena)", 10, 5)
MOVES = ("(claim 1)", "noop")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


@asynccontextmanager
async def opened(folder: Path, now: Now = boot_instant) -> AsyncIterator[JournalFolder]:
    journals = JournalFolder(folder, now)
    yield journals
    journals.close()


async def write(
    folder: Path,
    start: Start = START,
    turns: int = 2,
    owner: str = "10.0.0.1",
    now: Now = boot_instant,
) -> Path:
    """Write the journal of a match with so many turns, as a server does that is killed then."""
    async with opened(folder, now) as journals:
        journal = journals.journal(start.match_id)
        await journal.begin(start, owner, "latin-1")
        for _ in range(turns):
            await journal.append(MOVES)
    return journals_in(folder)[0]


def journals_in(folder: Path) -> list[Path]:
    return list(folder.glob(f"*{SUFFIX}"))


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def open_to_the_group(folder: Path) -> None:
    folder.chmod(0o770)


def files(folder: Path) -> list[str]:
    return sorted(path.suffix for path in folder.iterdir() if path.name != LOCK)


# ---------------------------------------------------------------------- what is on disk


async def test_a_match_is_read_as_it_was_written(folder: Path) -> None:
    await write(folder)
    async with opened(folder) as journals:
        (stored,) = journals.stored_matches(1, lambda start: 60)
    assert stored == StoredMatch(START, (MOVES, MOVES), "10.0.0.1", "latin-1")
    assert mode(folder) == 0o700


async def test_a_line_that_was_cut_off_is_left_out_and_written_anew(folder: Path) -> None:
    path = await write(folder)
    os.truncate(path, path.stat().st_size - 5)
    async with opened(folder) as journals:
        (stored,) = journals.stored_matches(1, lambda start: 60)
        assert stored.history == (MOVES,)
        await journals.journal(START.match_id, turn=1).append(("(claim 2)", "noop"))
        (stored,) = journals.stored_matches(1, lambda start: 60)
        assert stored.history == (MOVES, ("(claim 2)", "noop"))


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _without_a_turn(path: Path) -> None:
    first, _, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first, *rest]))


DAMAGES = {
    "a flipped bit": _flip,
    "a missing turn": _without_a_turn,
    "empty": lambda path: path.write_bytes(b""),
    "garbage": lambda path: path.write_bytes(os.urandom(1000)),
    "zeros": lambda path: path.write_bytes(bytes(5000)),
    "another's": lambda path: path.rename(path.with_name(f"another{SUFFIX}")),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a link": lambda path: (path.rename(path.parent / "x"), path.symlink_to(path.parent / "x")),
    "no JSON": lambda path: path.write_bytes(b"00000000 \n"),
    "other JSON": lambda path: path.write_bytes(b"a505df1b 1\n"),
    "a later version": lambda path: path.write_bytes(
        b'5caf64a1 {"version":2,"start":{"match_id":"m"}}\n'
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_file_is_set_aside(
    damage: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    DAMAGES[damage](await write(folder))
    await write(folder, Start("good", "xena", "", 1, 1))
    async with opened(folder) as journals:
        stored = journals.stored_matches(9, lambda start: 60)
        assert [match.start.match_id for match in stored] == ["good"]
        assert "cannot be used: " in caplog.text
        assert f"set aside as {'another' if 'another' in damage else ''}" in caplog.text
        assert SET_ASIDE in files(folder)
        caplog.clear()
        assert len(journals.stored_matches(9, lambda start: 60)) == 1
        assert "cannot be used" not in caplog.text


async def test_other_files_are_left_alone(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with opened(folder) as journals:
        (folder / "notes.txt").write_text("mine")
        assert journals.stored_matches(9, lambda start: 60) == []
    assert "notes.txt is no file of this server's, and left alone" in caplog.text
    assert (folder / "notes.txt").read_text() == "mine"


async def test_matches_that_are_silent_or_too_many_are_removed(folder: Path) -> None:
    for name, at in [("old", 100.0), ("older", 0.0), ("new", 200.0)]:
        written = ("boot", at)
        await write(folder, Start(name, "xena", "", 1, 1), now=partial(tuple[str, float], written))
    async with opened(folder, lambda: ("boot", 200.0)) as journals:
        stored = journals.stored_matches(1, lambda start: 150)
        assert [match.start.match_id for match in stored] == ["new"]
        assert len(journals_in(folder)) == 1


@pytest.mark.parametrize("later", [("another boot", 5.0), None, ("boot", 101.0)])
async def test_the_time_of_day_removes_no_match(folder: Path, later: Instant | None) -> None:
    """Whatever the clock was set to while the server was down."""
    for name, age in [("a", 10**6), ("b", 0), ("c", -(10**6))]:
        await write(folder, Start(name, "xena", "", 1, 1), now=lambda: ("boot", 100.0))
        for path in journals_in(folder):
            if f'"{name}"' in path.read_text():
                os.utime(path, (time.time() - age,) * 2)
    async with opened(folder, lambda: later) as journals:
        stored = journals.stored_matches(3, lambda start: 60)
        assert [match.start.match_id for match in stored] == ["c", "b", "a"]


async def test_a_journal_of_an_earlier_version_goes_on(folder: Path) -> None:
    path = await write(folder, now=lambda: None)
    path.write_bytes(
        b"".join(
            b"%08x %b\n" % (zlib.crc32(entry), entry)
            for line in path.read_bytes().splitlines()
            for entry in [line.partition(b" ")[2].replace(b',"at":null', b"")]
        )
    )
    assert b'"at"' not in path.read_bytes()
    async with opened(folder) as journals:
        assert len(journals.stored_matches(1, lambda start: 60)) == 1


async def test_a_folder_that_others_may_read_is_narrowed(folder: Path) -> None:
    await asyncio.to_thread(folder.mkdir, 0o755)
    async with opened(folder):
        assert mode(folder) == 0o700


async def test_a_folder_has_one_server(folder: Path) -> None:
    async with opened(folder):
        with pytest.raises(ServerError, match="in use by another server"):
            JournalFolder(folder)
    open_to_the_group(folder)
    with pytest.raises(ServerError, match="must belong to this user alone"):
        JournalFolder(folder)
    with pytest.raises(ServerError, match="cannot be used"):
        JournalFolder(Path("/proc/none"))


async def test_a_disk_that_fails_ends_the_journal_not_the_match(
    folder: Path, fields: str, ear: Ear
) -> None:
    config = Config(strategy="legal", state_dir=folder)
    async with Player(config) as player:
        assert await player.reply(f"(START m xena ({fields}) 10 10)") == "ready"
        (path,) = journals_in(folder)
        path.unlink()
        path.mkdir()
        assert await player.reply("(PLAY m NIL)") == "(claim 1)"
        assert await player.reply("(PLAY m ((claim 1) noop))") == "noop"
        assert await player.reply("(PLAY m (noop (claim 2)))") == "(claim 3)"
        await ear.hear("the match cannot be kept on disk, and ends with the server")
        assert sum("cannot be kept" in message for message in ear.messages) == 1


async def test_a_disk_that_hangs_costs_no_reply(folder: Path, fields: str, ear: Ear) -> None:
    config = Config(strategy="legal", state_dir=folder)
    async with Player(config) as player:
        assert await player.reply(f"(START m xena ({fields}) 10 1)") == "ready"
        (path,) = journals_in(folder)
        path.unlink()
        os.mkfifo(path)  # opening it waits for a reader
        assert await player.reply("(PLAY m ((claim 1) noop))") == "noop"
        await ear.hear("match m: the reply leaves before the disk has the turn")
        os.close(os.open(path, os.O_RDONLY))


async def test_the_journal_ends_with_the_match(folder: Path, fields: str) -> None:
    async with Player(Config(strategy="legal", state_dir=folder)) as player:
        for end, reply in [("(STOP m NIL)", "done"), ("(ABORT m)", "aborted")]:
            await player.reply(f"(START m xena ({fields}) 10 10)")
            await player.reply("(PLAY m NIL)")
            assert files(folder) == [SUFFIX]
            assert await player.reply(end) == reply
            assert files(folder) == []


async def test_the_journal_ends_with_a_long_silence(folder: Path, fields: str, ear: Ear) -> None:
    config = Config(strategy="legal", state_dir=folder, idle_limit=0.01)
    async with Player(config) as player:
        await player.reply(f"(START m xena ({fields}) 0 0)")
        await ear.hear("match m: no request for too long, dropped")
    assert files(folder) == []


# ---------------------------------------------------------------------- whole servers


@pytest.fixture
def server(tmp_path: Path, folder: Path) -> Iterator[ServerProcess]:
    with serving(tmp_path, "--strategy", "legal", "--state-dir", str(folder)) as server:
        yield server


class Restarting(RawManager):
    """Kills the server and starts it again before some of its turns."""

    def __init__(self, server: ServerProcess, match: Match, steps: set[int]) -> None:
        super().__init__(server.address, match)
        self._server = server
        self._steps = steps

    def ask(self, text: str, limit: float) -> str | None:
        if self.report.steps in self._steps:
            self._steps.discard(self.report.steps)
            self._server.kill()
            self._server.start()
        return super().ask(text, limit)


@pytest.mark.thorough
def test_a_match_goes_on_after_every_kill(server: ServerProcess, folder: Path) -> None:
    rules = gdl.load(ROOT / "games" / "connectFour.kif")
    match = Match(rules, 2, 1, scramble=True, match_id="restarted")
    report = Restarting(server, match, {1, 2, 5}).run()
    assert (report.illegal, report.late) == ([], [])
    assert server.text.count("match restarted: goes on after ") == 3
    assert files(folder) == []


@pytest.mark.thorough
def test_a_move_that_was_asked_for_is_not_lost(
    server: ServerProcess, folder: Path, words: str
) -> None:
    exchange(server.address, f"(START m xena ({words}) 1 1)", HANGING)
    assert exchange(server.address, "(PLAY m NIL)", HANGING) == "(say 1)"
    with socket.create_connection(server.address) as connection:
        text = "(PLAY m ((say 1) (say 1)))"
        connection.sendall((HEAD.format(host="x", receiver="", length=len(text)) + text).encode())
        (path,) = journals_in(folder)
        assert becomes_true(lambda: b'"turn":1' in path.read_bytes())
        server.kill()
    server.start()
    # Whichever move the manager took in our place, one turn is behind us and two are to come.
    assert exchange(server.address, "(PLAY m ((say 2) (say 1)))", HANGING) == "(say 1)"
    exchange(server.address, "(STOP m ((say 1) (say 1)))", HANGING)
    assert "match m: is over: xena 50, Oscar 50" in server.text


@pytest.mark.thorough
def test_a_restarted_server_is_busy_with_its_match(server: ServerProcess, words: str) -> None:
    exchange(server.address, f"(START m xena ({words}) 1 1)", HANGING)
    server.stop()
    server.start()
    assert "busy" in exchange(server.address, "(INFO)", HANGING)
    assert exchange(server.address, f"(START n xena ({words}) 1 1)", HANGING) == "busy"
    assert exchange(server.address, "(PLAY m NIL)", HANGING) == "(say 1)"
    assert exchange(server.address, "(ABORT m)", HANGING) == "aborted"
    assert "available" in exchange(server.address, "(INFO)", HANGING)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "sent", [b"", b"POST / HT", b"POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n("]
)
def test_sigterm_waits_for_nothing_half_sent(
    sent: bytes, server: ServerProcess, words: str
) -> None:
    exchange(server.address, f"(START m xena ({words}) 1 99)", HANGING)
    with socket.create_connection(server.address) as connection:
        connection.sendall(sent)
        exchange(server.address, "(INFO)", HANGING)
        assert server.stop() < 5
        assert server.process.returncode == 0


@pytest.mark.thorough
def test_sigterm_waits_for_no_fork_server(tmp_path: Path, words: str) -> None:
    with ServerProcess(tmp_path, "--spares", "0") as server:
        exchange(server.address, "(INFO)", HANGING)
        for pid in server.pids():
            os.kill(pid, signal.SIGSTOP)
        with socket.create_connection(server.address) as connection:
            text = f"(START m xena ({words}) 9 9)"
            head = HEAD.format(host="x", receiver="", length=len(text))
            connection.sendall((head + text).encode())
            server.wait_for("match m: starts as xena")
            assert server.stop() < 5


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="the system has no such signal")
def test_draining_finishes_matches_and_begins_none(server: ServerProcess, words: str) -> None:
    exchange(server.address, f"(START m xena ({words}) 1 1)", HANGING)
    server.process.send_signal(signal.SIGUSR1)
    server.wait_for("draining: 1 matches are finished, no more begin")
    assert "busy" in exchange(server.address, "(INFO)", HANGING)
    assert exchange(server.address, f"(START n xena ({words}) 1 1)", HANGING) == "busy"
    assert exchange(server.address, "(PLAY m NIL)", HANGING) == "(say 1)"
    assert exchange(server.address, "(STOP m NIL)", HANGING) == "done"
    assert server.process.wait(HANGING) == 0


async def test_a_server_that_drains_from_the_start(folder: Path, fields: str) -> None:
    await write(folder, Start("m", "xena", fields, 1, 1), turns=0, owner="")
    async with Player(Config(strategy="legal", state_dir=folder, drain=True)) as player:
        assert await player.reply(f"(START n xena ({fields}) 1 1)") == "busy"
        assert not player.drained.is_set()
        assert await player.reply("(PLAY m NIL)") == "(claim 1)"
        assert await player.reply("(STOP m NIL)") == "done"
        await asyncio.wait_for(player.drained.wait(), HANGING)


async def test_a_match_still_belongs_to_its_manager(folder: Path, fields: str) -> None:
    await write(folder, Start("m", "xena", fields, 1, 1), turns=0, owner="10.0.0.1")
    async with Player(Config(strategy="legal", state_dir=folder)) as player:
        for sender, reply in (("10.0.0.2", "busy"), ("10.0.0.1", "(claim 1)")):
            message = Message("(PLAY m NIL)", sender=sender)
            answer = await player.reply_in_time(message, player.new_deadline())
            assert (answer.text, answer.encoding) == (
                reply,
                "utf-8" if reply == BUSY else "latin-1",
            )
