"""Rules are evaluated in processes of their own, with the same answers as here."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from random import Random
from unittest.mock import Mock

import pytest

import gdl
from ggp_player.errors import ManagerError
from ggp_player.manager import LackError, LocalRules, MatchError
from ggp_player.manager_service.rules import rules_pool
from ggp_player.manager_service.rules.rules_pool import RulesPool, exchange_line
from ggp_player.manager_service.rules.rules_process import RulesAnswer
from tests.support.paths import ROOT

NIM = (ROOT / "games" / "nim.kif").read_text()
FOUR_CUPS = (ROOT / "games" / "fourCups.kif").read_text()


@pytest.fixture
def pool() -> Iterator[RulesPool]:
    found = RulesPool(per_game=2)
    yield found
    found.close()


@pytest.mark.parametrize("text", [NIM, FOUR_CUPS], ids=["nim", "fourCups"])
def test_a_playout_is_the_same_as_here(pool: RulesPool, text: str) -> None:
    here, there = LocalRules(gdl.interpret(gdl.parse(text))), pool.open("digest", text, "one")
    random = Random(3)
    assert here.roles == there.roles
    position = here.begin()
    assert there.begin() == position
    while not position.is_terminal:
        move = tuple(gdl.parse_term(random.choice(legal)) for legal in position.legal)
        position = here.advance(move)
        assert there.advance(move) == position
    assert there.states() == here.states()
    assert None not in position.goals
    pool.release(there)


def test_matches_of_a_game_share_processes_and_do_not_mix(pool: RulesPool) -> None:
    matches = [pool.open("digest", NIM, f"match {number}") for number in range(5)]
    first, *others = [match.begin() for match in matches]
    after = matches[0].advance([gdl.parse_term(legal[0]) for legal in first.legal])
    assert after != first
    assert set(others) == {first}
    states = [match.states() for match in matches]
    assert [len(found or ()) for found in states] == [2, 1, 1, 1, 1]
    assert len({id(match._process) for match in matches}) == 2


def test_a_process_that_takes_too_long_is_ended_and_replaced(
    pool: RulesPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = pool.open("digest", NIM, "one")
    match._process._process.send_signal(19)  # SIGSTOP: it answers no more
    monkeypatch.setattr(rules_pool, "STEP_SECONDS", 0.05)
    with pytest.raises(MatchError, match=r"take more than 0\.05 s"):
        match.begin()
    monkeypatch.undo()
    assert not match._process.is_alive
    assert match.states() is None
    pool.release(match)
    assert pool.open("digest", NIM, "two").begin().legal


def test_what_the_manager_lacks_is_no_fault_of_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    def take(_: bytes) -> RulesAnswer:
        raise MemoryError

    with closing(RulesPool(per_game=1)) as pool:
        one, other = (pool.open("digest", NIM, name) for name in ("one", "other"))
        monkeypatch.setattr(rules_pool, "ANSWERS", Mock(validate_json=take))
        with pytest.raises(LackError, match="lacks memory"):
            one.begin()
        monkeypatch.undo()
        with pytest.raises(LackError, match="lacks memory"):
            other.begin()
        for match in (one, other):
            pool.release(match)
        assert pool.open("digest", NIM, "again").begin().legal


WIDE = """
(role a) (role b) (init (step 0)) (legal a go) (legal b go) (goal a 50) (goal b 50)
(<= (next (step 1)) (true (step 0))) (<= (next (step 0)) (true (step 1)))
(<= (next (f ?x ?y ?z)) (d ?x) (d ?y) (d ?z)) (<= terminal (true (step 2)))
""" + " ".join(f"(d {number})" for number in range(20))


def test_wide_states_stay_in_their_process(
    pool: RulesPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules_pool, "MAX_ANSWER", 1000)  # a state has 150 kB
    match = pool.open("digest", WIDE, "one")
    match.begin()
    go = [gdl.Constant("go")] * 2
    for _ in range(5):
        assert match.advance(go).legal == (("go",), ("go",))


@pytest.mark.parametrize("rules", ["(role a", "(role random)", "", "(<= (p ?x) (not (q ?x)))"])
def test_rules_that_cannot_be_played_are_refused(pool: RulesPool, rules: str) -> None:
    with pytest.raises(ManagerError):
        pool.check(rules)


ECHO = "for line in iter(input, ''): print(line, flush=True)"

LONG = b"x" * 2**20 + b"\n"
"""A line that no pipe takes at once."""

SECONDS = 60.0
"""For what takes no time, on a machine that does much else."""


@contextmanager
def running(program: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        yield process
        process.kill()


def exchange(
    process: subprocess.Popen[bytes], line: bytes, seconds: float = SECONDS, most: int = 2**21
) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    return exchange_line(process.stdin, process.stdout, line, seconds, most)


def test_lines_come_back_whole() -> None:
    with running(ECHO) as process:
        for line in (b"short\n", LONG, b"again\n"):
            assert exchange(process, line) == line


def test_no_thread_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise MemoryError

    with running(ECHO) as process:
        monkeypatch.setattr(threading.Thread, "start", start)
        assert exchange(process, b"line\n") == b"line\n"


@pytest.mark.parametrize("line", [b"short\n", LONG])
def test_a_process_that_does_not_answer_has_its_time(line: bytes) -> None:
    with running("import time; time.sleep(600)") as process, pytest.raises(TimeoutError):
        exchange(process, line, seconds=0.05)


def test_a_line_that_is_too_long() -> None:
    with running(ECHO) as process, pytest.raises(ValueError, match="at most 1,000 bytes"):
        exchange(process, LONG, most=1000)


@pytest.mark.parametrize("program", ["", "input()", "input(); print('a', end='')"])
def test_a_process_that_has_ended(program: str) -> None:
    with running(program) as process, pytest.raises((EOFError, BrokenPipeError)):
        exchange(process, b"line\n")
