"""Huge games are restated over fewer arguments, and answer the same."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl.grounder import Budget
from gdl.propnet.machine import PropnetStateMachine
from gdl.propnet.options import CompileOptions

from .propnet.lockstep import assert_lockstep

GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.kif"))

STEPS = [(1, "a", "b"), (2, "b", "c"), (3, "c", "d")]

BOARD = f"""
    (role white) (role black) (opponent white black) (opponent black white)
    {" ".join(f"(next_to {i} {i + 1}) (next_to {a} {b})" for i, a, b in STEPS)}
    {" ".join(f"(at {i})" for i in "1234abcd")}
    (init (cell a 1 king white)) (init (cell d 4 king black)) (init (cell b 3 rook white))
    (init (cell c 2 bishop black)) (init (cell a 4 rook black)) (init (control white))
    (<= (step ?x ?u) (or (next_to ?x ?u) (next_to ?u ?x)))
    (<= (apart ?a ?b ?c ?d) (distinct ?a ?c) (at ?a) (at ?b) (at ?c) (at ?d))
    (<= (apart ?a ?b ?c ?d) (distinct ?b ?d) (at ?a) (at ?b) (at ?c) (at ?d))
    (<= (aims rook ?r ?x ?y ?u ?y) (true (cell ?x ?y rook ?r)) (step ?x ?u))
    (<= (aims bishop ?r ?x ?y ?u ?v) (true (cell ?x ?y bishop ?r)) (step ?x ?u) (step ?y ?v))
    (<= (aims_far ?r ?x ?y ?u ?v) (true (cell ?x ?y king ?r)) (step ?x ?u) (at ?y) (at ?v))
    (<= (rook_aims ?r ?x ?y ?u ?v) (aims rook ?r ?x ?y ?u ?v))
    (<= (bishop_aims ?r ?x ?y ?u ?v) (aims bishop ?r ?x ?y ?u ?v))
    (<= (hit ?r ?x ?y ?cx ?cy ?i) (opponent ?r ?o)
        (or (rook_aims ?o ?u ?v ?x ?y) (bishop_aims ?o ?u ?v ?x ?y)) (apart ?u ?v ?cx ?cy) (at ?i))
    (<= (hit ?r ?x ?y ?cx ?cy ?i) (opponent ?r ?o) (aims_far ?o ?i ?v ?x ?y) (at ?cx) (at ?cy))
    (<= (legal ?r (move ?x ?y ?u ?v)) (true (control ?r)) (true (cell ?x ?y ?p ?r)) (step ?x ?u)
        (at ?v) (step ?y ?v) (true (cell ?kx ?ky king ?r)) (not (hit ?r ?kx ?ky ?u ?v ?x)))
    (<= (legal ?r (move ?x ?y ?u ?y)) (true (control ?r)) (true (cell ?x ?y ?p ?r)) (step ?x ?u)
        (or (true (cell ?u ?y king ?o)) (true (cell ?u ?y rook ?o))) (opponent ?r ?o))
    (<= (legal ?r noop) (role ?r))
    (<= (next (control ?o)) (true (control ?r)) (opponent ?r ?o))
    (<= (next (cell ?u ?v ?p ?r)) (does ?r (move ?x ?y ?u ?v)) (true (cell ?x ?y ?p ?r)))
    (<= (next (cell ?a ?b ?p ?o)) (true (cell ?a ?b ?p ?o)) (true (control ?r))
        (does ?r (move ?x ?y ?u ?v)) (apart ?a ?b ?x ?y) (apart ?a ?b ?u ?v))
    (<= (next (cell ?a ?b ?p ?o)) (true (cell ?a ?b ?p ?o)) (true (control ?r)) (does ?r noop))
    (<= terminal (true (cell d 4 king white)))
    (<= (goal ?r 100) (role ?r) (not (hit ?r a 1 a 2 b)))
"""
"""Files and ranks share a relation, threats are negated, and squares are told apart by cases."""


@pytest.fixture(autouse=True)
def _everything_is_huge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every game for one that has too many ground rules, and every rule for a large one."""
    monkeypatch.setattr("gdl.propnet.pipeline.USUAL", 0)
    monkeypatch.setattr("gdl.narrowing.MANY", 0.0)
    monkeypatch.setattr("gdl.splitting.MANY", 0.0)


def test_a_board_answers_the_same() -> None:
    game = gdl.parse(BOARD)
    machine, reasoner = gdl.compile(game), gdl.interpret(game)
    for seed in range(4):
        assert_lockstep(machine, reasoner, 20, seed)


def test_what_is_restated_has_fewer_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    game = gdl.parse(BOARD)
    narrowed = gdl.compile(game).ground_rules
    monkeypatch.setattr("gdl.propnet.pipeline.USUAL", 10**7)
    assert narrowed < gdl.compile(game).ground_rules / 2


@pytest.mark.parametrize(
    "rules",
    [
        # What is asked for goes beyond what the dropped argument can be: it cannot be dropped.
        """(<= (p ?a ?b) (n ?a) (n ?b) (true (on ?a))) (<= (p ?a ?b) (true (on ?b)) (n ?a))
           (<= (next (no ?x)) (m ?x) (not (p 1 ?x)))""",
        # The same with a constant, and with a function.
        """(<= (p ?a ?b) (n ?a) (n ?b) (true (on ?a))) (<= (p ?a ?b) (true (on ?b)) (n ?a))
           (<= (next (no ?x)) (n ?x) (not (p ?x 9)))""",
        """(<= (p ?a ?b) (n ?a) (n ?b) (true (on ?a))) (<= (p ?a ?b) (true (on ?b)) (n ?a))
           (<= (next (no ?x)) (n ?x) (not (p ?x (f ?x))))""",
        # Asked for both ways, and inside a disjunction.
        """(<= (p ?a ?b) (n ?a) (n ?b) (true (on ?a))) (<= (p ?a ?b) (true (on ?b)) (n ?a))
           (<= (next (no ?x)) (n ?x) (not (p ?x 2))) (<= (next (yes ?x ?y)) (p ?x ?y))
           (<= (next (both ?x)) (n ?x) (or (not (p ?x 2)) (p 2 ?x)))""",
        # A variable that only the comparison limits, and one that it limits further.
        """(<= (apart ?a ?b) (n ?a) (n ?b) (distinct ?a ?b)) (<= (apart ?a ?b) (n ?a) (n ?b)
           (distinct ?b 3)) (<= (next (no ?y)) (true (on ?x)) (apart ?x ?y))
           (<= (next (yes ?y)) (m ?y) (true (on ?x)) (apart ?y ?x))""",
        # Recursion through the relations that are joined.
        """(<= (up ?a ?b) (true (on ?a)) (s ?a ?b)) (<= (up ?a ?c) (any ?a ?b) (s ?b ?c))
           (<= (down ?a ?b) (true (on ?a)) (s ?b ?a)) (<= (any ?a ?b) (up ?a ?b))
           (<= (any ?a ?b) (down ?a ?b)) (<= (next (yes ?b)) (any ?a ?b) (not (down ?b ?a)))""",
    ],
)
def test_meaning_is_kept(rules: str) -> None:
    game = gdl.parse(f"""
        (role you) {" ".join(f"(n {i}) (m {i}) (s {i} {i + 1})" for i in range(5))} (m 9) (m 10)
        (init (on 1)) (init (on 3)) {rules}
        (<= (legal you (put ?x)) (m ?x)) (<= (legal you (leave ?x)) (true (on ?x)))
        (<= (next (on ?x)) (does you (put ?x)))
        (<= (next (on ?x)) (true (on ?x)) (not (does you (leave ?x))))
        (<= terminal (true (on 0)) (true (on 4)))
    """)
    machine, reasoner = gdl.compile(game), gdl.interpret(game)
    for seed in range(3):
        assert_lockstep(machine, reasoner, 20, seed)


SMALL = ["breakthrough", "connectFour", "nim", "ticTacToe"]


@pytest.mark.parametrize("path", [p for p in GAMES if p.stem in SMALL], ids=lambda p: p.stem)
def test_games_answer_the_same(path: Path) -> None:
    game = gdl.load(path)
    machine: PropnetStateMachine = gdl.compile(game)
    assert_lockstep(machine, gdl.interpret(game), 25, seed=0)


def test_what_stays_too_large_is_refused() -> None:
    with pytest.raises(gdl.GroundingLimitError, match="over 10 rules"):
        gdl.compile(gdl.parse(BOARD), CompileOptions(budget=Budget(rules=10)))
