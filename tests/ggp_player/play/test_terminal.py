"""The terminal as a person uses it: real processes, behind a pseudo-terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from gdl.cli.lazy_group import INTERRUPTED
from ggp_player.protocol import MatchRecord
from tests.support.paths import GAMES, ROOT

LIMIT = 60.0
"""Seconds that an answer may take."""


class Typist:
    """A command behind a pseudo-terminal: reads what it prints, and types."""

    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self.process = process
        self._screen = screen
        self.text = ""
        self._seen = 0

    def expect(self, pattern: str) -> re.Match[str]:
        """Wait until something new is printed that matches."""
        end = time.monotonic() + LIMIT
        while (found := re.compile(pattern).search(self.text, self._seen)) is None:
            left = end - time.monotonic()
            assert left > 0, f"no {pattern} in {self.text[self._seen :]}"
            if not self._read(left):
                raise AssertionError(f"it ended without {pattern}: {self.text}")
        self._seen = found.end()
        return found

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self._screen, f"{line}\n".encode())

    def leave(self, way: str) -> None:
        """Leave by the end of the input, ``EOF``, or by Ctrl-C."""
        if way == "EOF":
            os.write(self._screen, b"\x04")
        else:
            self.process.send_signal(signal.SIGINT)

    def ended(self) -> int:
        """Wait for the end; return the exit status."""
        while self._read(LIMIT):
            pass
        assert "Traceback" not in self.text
        return self.process.wait(LIMIT)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._screen], [], [], seconds)
        assert ready, f"nothing more after {self.text}"
        with suppress(OSError):  # as Linux has it where nobody is at the other end
            if data := os.read(self._screen, 4096):
                self.text += data.decode(errors="replace")
                return True
        return False


@contextmanager
def typing(*command: str) -> Iterator[Typist]:
    """Run ``ggp-player`` in a terminal."""
    screen, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "ggp_player", *command],
        cwd=ROOT,
        env={**os.environ, "TERM": "dumb", "COLUMNS": "100", "GGP_PLAYER_NO_ARCHIVE": "1"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        # Whoever runs the tests in the background ignores it, and what they start would, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(theirs)
    try:
        yield Typist(process, screen)
    finally:
        process.kill()
        process.wait()
        os.close(screen)


@pytest.mark.thorough
def test_a_whole_game_with_every_command(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    flags = ("--terminal", "--opponent", "legal", "--play-clock", "1", "--save", str(record))
    with typing("play", "ticTacToe", *flags) as typist:
        typist.expect("You are cross")
        typist.expect(r"turn: cross")
        typist.expect(r"9 c3")
        typist.expect("cross> ")
        for line, answer in (
            ("help", "save FILE"),
            ("17", "No legal move is, or contains, 17; the numbers are 1 to 9"),
            ("put", r"That could be 9 moves: a1, "),
            ("hint", r"hint for cross: a1"),
            ("back", "There is no move that can be taken back"),
            ("b2", r"last: (cross b2|nought a1)"),
            ("board", "step 3"),
            ("rules", "take turns to put a mark"),
            ("back", "Taken back to step 1"),
            ("5", "step 3"),
            ("(put c1)", "step 5"),
            ("(put a3)", "You win"),
        ):
            typist.type(line)
            typist.expect(answer)
        typist.expect("goal: cross 100")
        typist.expect("The match record is in")
        typist.type("noop")
        typist.expect("The match is over: new, back")
        typist.type("new")
        typist.expect("step 1")
        typist.type("flip")
        typist.expect("You are nought now")
        typist.expect("nought> ")
        typist.type("quit")
        assert typist.ended() == 0
    saved = MatchRecord.from_json(record.read_text())
    assert saved.is_completed
    assert saved.goal_values == (100, 0)
    assert saved.is_player_human == (True, False)


@pytest.mark.thorough
@pytest.mark.parametrize("way", ["EOF", "Ctrl-C"])
def test_the_end_of_input_ends_a_match_cleanly(way: str) -> None:
    with typing("play", "hex", "--terminal", "--opponent", "random") as typist:
        typist.expect("red> ")
        typist.leave(way)
        assert typist.ended() == 0


@pytest.mark.thorough
def test_human_plays_in_a_match_of_the_game_managers(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    game, flags = str(GAMES / "ticTacToe.kif"), ("--start-clock", "5", "--play-clock", "60")
    with typing("match", game, "human", "legal", *flags, "--save", str(record)) as typist:
        typist.expect("cross> ")
        typist.type("nonsense")
        typist.expect("No legal move is, or contains, nonsense")
        for line in ("b2", "b1", "b3"):
            typist.type(line)
            typist.expect(rf"cross \(put {line}\)")
        typist.expect("You win")
        assert typist.ended() == 0
    found = json.loads(record.read_text())
    assert found["isPlayerHuman"] == [True, False]
    assert found["errors"][1:] == [["", ""]] * 5


@pytest.mark.thorough
@pytest.mark.parametrize(("way", "status"), [("EOF", 1), ("Ctrl-C", INTERRUPTED)])
def test_a_person_who_leaves_breaks_the_match_off(tmp_path: Path, way: str, status: int) -> None:
    record = tmp_path / "record.json"
    game = str(GAMES / "ticTacToe.kif")
    command = ("match", game, "human", "legal", "--play-clock", "60", "--save", str(record))
    with typing(*command) as typist:
        typist.expect("cross> ")
        typist.leave(way)
        assert typist.ended() == status
    assert json.loads(record.read_text())["isAborted"]


@pytest.mark.thorough
def test_a_person_is_held_to_the_managers_clock() -> None:
    game = str(GAMES / "ticTacToe.kif")
    with typing("match", game, "human", "legal", "--play-clock", "1") as typist:
        typist.expect("cross> ")
        typist.expect("cross: no reply in time")
        typist.expect("cross> ")


@pytest.mark.thorough
def test_hidden_information_is_hidden_until_the_end(tmp_path: Path) -> None:
    saved = tmp_path / "record.json"
    with typing("play", "phantomTicTacToe", "--terminal", "--opponent", "legal") as typist:
        typist.expect("cross> ")
        typist.type("(try b2)")
        typist.expect(r"last: nought \?")
        typist.expect("8 positions are possible")
        before = typist.text
        typist.expect("cross> ")
        assert "whole state" not in before
        typist.type("hint")
        typist.expect("more of this position than you may know")
        typist.type(f"save {saved}")
        typist.expect("hidden from you")
        assert not saved.exists()
        typist.type("resign")
        typist.expect(r"last: nought a1")
        typist.type("quit")
        assert typist.ended() == 0
