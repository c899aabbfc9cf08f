"""Rules are evaluated in processes of their own, with the same answers as here."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

import gdl
from ggp_player.errors import ManagerError
from ggp_player.manager import MatchError
from ggp_player.manager_service import rules_pool
from ggp_player.manager_service.rules_pool import RulesPool
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
    here, there = gdl.interpret(gdl.parse(text)), pool.open("digest", text, "one")
    random = Random(3)
    state, other = here.initial_state(), there.initial_state()
    assert here.roles == there.roles
    while not here.is_terminal(state):
        assert frozenset(state) == frozenset(other)
        legal = [here.legal_moves(state, role) for role in here.roles]
        assert [there.legal_moves(other, role) for role in there.roles] == legal
        move = tuple(map(random.choice, legal))
        after, other_after = here.next_state(state, move), there.next_state(other, move)
        for role in here.roles:
            assert there.percepts(other, move, role) == here.percepts(state, move, role)
        state, other = after, other_after
    assert there.is_terminal(other)
    for role in here.roles:
        assert there.goal(other, role) == here.goal(state, role)
        assert there.goals(other, role) == here.goals(state, role)
    pool.release(there)


def test_matches_of_a_game_share_processes_and_do_not_mix(pool: RulesPool) -> None:
    matches = [pool.open("digest", NIM, f"match {number}") for number in range(5)]
    states = [match.initial_state() for match in matches]
    first = states[0]
    moves = tuple(matches[0].legal_moves(first, role)[0] for role in matches[0].roles)
    after = matches[0].next_state(first, moves)
    assert frozenset(after) != frozenset(first)
    assert all(frozenset(match.initial_state()) == frozenset(first) for match in matches[1:])
    assert len({id(match._process) for match in matches}) == 2


def test_a_process_that_takes_too_long_is_ended_and_replaced(
    pool: RulesPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = pool.open("digest", NIM, "one")
    match._process._process.send_signal(19)  # SIGSTOP: it answers no more
    monkeypatch.setattr(rules_pool, "STEP_SECONDS", 0.05)
    with pytest.raises(MatchError, match=r"take more than 0\.05 s"):
        match.initial_state()
    monkeypatch.undo()
    assert not match._process.is_alive
    pool.release(match)
    assert len(pool.open("digest", NIM, "two").initial_state()) > 0


@pytest.mark.parametrize("rules", ["(role a", "(role random)", "", "(<= (p ?x) (not (q ?x)))"])
def test_rules_that_cannot_be_played_are_refused(pool: RulesPool, rules: str) -> None:
    with pytest.raises(ManagerError):
        pool.check(rules)
