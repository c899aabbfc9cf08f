"""Rules are evaluated in processes of their own, with the same answers as here."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from random import Random
from unittest.mock import Mock

import pytest

import gdl
from ggp_player.errors import ManagerError, MatchError
from ggp_player.manager_service.rules import rules_pool
from ggp_player.manager_service.rules.rules_pool import RulesPool
from ggp_player.manager_service.rules.rules_process import RulesAnswer
from ggp_player.match_rules import LocalRules
from ggp_player.match_runner.own_faults import LackError
from tests.support.paths import ROOT

NIM = (ROOT / "games" / "nim.kif").read_text()
FOUR_CUPS = (ROOT / "games" / "fourCups.kif").read_text()


@pytest.fixture
def pool() -> Iterator[RulesPool]:
    found = RulesPool(per_game=2)
    yield found
    found.close()


def test_a_playout_is_the_same_as_here(pool: RulesPool) -> None:
    """With chance and percepts."""
    here = LocalRules(gdl.interpret(gdl.parse(FOUR_CUPS)))
    there = pool.open("digest", FOUR_CUPS, "one")
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
    assert len({id(match.process) for match in matches}) == 2


def test_a_process_that_takes_too_long_is_ended_and_replaced(
    pool: RulesPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = pool.open("digest", NIM, "one")
    match.process.helper.process.send_signal(19)  # SIGSTOP: it answers no more
    monkeypatch.setattr(rules_pool, "STEP_SECONDS", 0.05)
    with pytest.raises(MatchError, match=r"take more than 0\.05 s"):
        match.begin()
    monkeypatch.undo()
    assert not match.process.helper.is_alive
    assert match.states() is None
    pool.release(match)
    assert pool.open("digest", NIM, "two").begin().legal


ENDLESS = (
    f"{' '.join(f'(d {n})' for n in range(200))} (role a) (init start)"
    + """
(<= (legal a go) (d ?v) (d ?w) (d ?x) (d ?y) (d ?z) (not (sum ?v ?w ?x ?y ?z))) (sum 0 0 0 0 0)
(<= (next start) (true start)) (<= terminal (true end)) (goal a 50)
"""
)
"""Rules whose first state nobody waits for."""


def test_closing_ends_what_is_awaited_also_while_rules_are_read(pool: RulesPool) -> None:
    match = pool.open("digest", NIM, "one")
    match.process.helper.process.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(match.begin)
        checking = threads.submit(pool.check, ENDLESS)
        while not (match.process._turn.locked() and pool._loading):
            os.sched_yield()
        pool.close()
        with pytest.raises(MatchError, match="the manager stops"):
            waiting.result()
        with pytest.raises(ManagerError, match="the manager stops"):
            checking.result()
        pool.release(match)


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


def test_rules_that_cannot_be_played_are_refused(pool: RulesPool) -> None:
    for rules in ("(role random)", "(<= (p ?x) (not (q ?x)))"):
        with pytest.raises(ManagerError):
            pool.check(rules)
