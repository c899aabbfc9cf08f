"""What a role believes: exactly where that is possible, else by samples that come near."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.language import moves_by_chance
from ggp_player.belief import ROOT, Belief, BeliefLimits, InformationSets
from ggp_player.belief.belief import resample
from tests.support.compiled_games import machine_of, reasoner_of
from tests.support.hidden_games import three_doors
from tests.support.hidden_matches import told_steps

EXACT = BeliefLimits(hypotheses=10**6, steps=10**7)
SAMPLED = BeliefLimits(hypotheses=512, samples=512)

HIDDEN = ["codeBreaker", "fourCups", "kuhnPoker", "phantomTicTacToe"]


def term(text: str) -> gdl.Term:
    return gdl.parse_term(text)


def fact_probabilities(belief: Belief) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for state, probability in belief.probabilities.items():
        for fact in state:
            found[str(fact)] = found.get(str(fact), 0.0) + probability
    return found


def players(machine: gdl.StateMachine) -> list[gdl.Constant]:
    return [role for role in machine.roles if not moves_by_chance(role)]


@pytest.mark.parametrize("compiled", [False, True])
def test_the_open_door_tells_more_of_the_other_than_of_ours(compiled: bool) -> None:
    machine = gdl.compile(three_doors()) if compiled else gdl.interpret(three_doors())
    belief = Belief(machine, machine.roles[1])
    assert belief.is_known
    assert belief.observe(term("noop"), ())
    assert belief.observe(term("(choose 1)"), ())
    assert len(belief.states) == 3
    assert belief.observe(term("noop"), (term("3"),))
    found = fact_probabilities(belief)
    assert found["(car 1)"] == pytest.approx(1 / 3)
    assert found["(car 2)"] == pytest.approx(2 / 3)
    assert "(car 3)" not in found
    assert belief.legal_moves == (term("stay"), term("switch"))


@pytest.mark.parametrize("name", HIDDEN)
@given(seed=st.integers(0, 2**20), data=st.data())
def test_the_state_is_always_among_those_that_are_possible(
    name: str, seed: int, data: st.DataObject
) -> None:
    machine = machine_of(name)
    role = data.draw(st.sampled_from(players(machine)))
    belief = Belief(machine, role, "seed", EXACT, keeps_information=True)
    for _, told in zip(range(6), told_steps(machine, role, Random(seed)), strict=False):
        assert belief.observe(told.move, told.percepts)
        assert told.state in belief.probabilities
        assert sum(belief.probabilities.values()) == pytest.approx(1)
        assert belief.is_exact


@pytest.mark.parametrize("name", HIDDEN)
def test_samples_come_near(name: str) -> None:
    machine = machine_of(name)
    errors = []
    for seed in range(12):
        role = players(machine)[seed % len(players(machine))]
        exact = Belief(machine, role, "exact", EXACT)
        sampled = Belief(machine, role, f"{seed}", SAMPLED)
        for _, told in zip(range(9), told_steps(machine, role, Random(seed)), strict=False):
            assert exact.observe(told.move, told.percepts)
            assert sampled.observe(told.move, told.percepts)
            one, other = fact_probabilities(exact), fact_probabilities(sampled)
            errors += [abs(one[fact] - other.get(fact, 0.0)) for fact in one]
    assert sum(errors) / len(errors) < 0.02


@pytest.mark.parametrize("name", ["kuhnPoker", "phantomTicTacToe"])
def test_compiled_and_interpreted_rules_give_the_same_belief(name: str) -> None:
    compiled, interpreted = machine_of(name), reasoner_of(name)
    role = players(compiled)[1]
    beliefs = [Belief(m, role, "", EXACT, keeps_information=True) for m in (compiled, interpreted)]
    for _, told in zip(range(5), told_steps(compiled, role, Random(3)), strict=False):
        for belief in beliefs:
            assert belief.observe(told.move, told.percepts)
        first, second = map(fact_probabilities, beliefs)
        assert first == pytest.approx(second)
        assert len(beliefs[0].hypotheses) == len(beliefs[1].hypotheses)


def test_a_set_that_runs_dry_is_built_anew() -> None:
    machine = machine_of("codeBreaker")
    role = machine.roles[0]
    few = BeliefLimits(hypotheses=2, samples=2, steps=64, attempts=4)
    for seed in range(8):
        belief = Belief(machine, role, f"{seed}", few)
        for told in told_steps(machine, role, Random(seed)):
            if not machine.is_terminal(told.state):
                assert belief.observe(told.move, told.percepts)
                assert belief.is_consistent


def test_percepts_that_cannot_be_are_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    belief = Belief(gdl.interpret(three_doors()), gdl.Constant("guest"))
    assert not belief.observe(term("noop"), (term("thunder"),))
    assert not belief.is_consistent
    assert "step 1: no state explains it" in caplog.text
    assert len(belief.states) == 3
    assert len(belief.legal_moves) == 3


def test_a_move_that_was_replaced(caplog: pytest.LogCaptureFixture) -> None:
    belief = Belief(gdl.interpret(three_doors()), gdl.Constant("guest"))
    belief.observe(term("noop"), ())
    assert belief.observe(term("(choose 9)"), ())
    assert "step 2: our move was not (choose 9)" in caplog.text
    assert belief.is_consistent
    assert len(belief.states) == 9


def test_what_was_missed_may_be_anything() -> None:
    belief = Belief(gdl.interpret(three_doors()), gdl.Constant("guest"))
    assert belief.miss(None)
    assert belief.miss(term("(choose 2)"))
    assert belief.miss(None)
    assert len(belief.states) == 4


def test_it_goes_on_with_the_compiled_machine() -> None:
    machine, other = machine_of("kuhnPoker"), reasoner_of("kuhnPoker")
    role = players(machine)[0]
    steps = list(told_steps(machine, role, Random(5)))
    for change in range(len(steps)):
        belief, same = Belief(other, role), Belief(machine, role)
        for number, told in enumerate(steps):
            assert belief.observe(told.move, told.percepts)
            assert same.observe(told.move, told.percepts)
            if number == change:
                belief.use_machine(machine)
            assert fact_probabilities(belief) == pytest.approx(fact_probabilities(same))


def test_the_same_seed_gives_the_same_belief() -> None:
    machine = machine_of("phantomTicTacToe")
    role = machine.roles[0]
    few = BeliefLimits(hypotheses=16, samples=16)
    one, other = (Belief(machine, role, "seed", few) for _ in range(2))
    for _, told in zip(range(7), told_steps(machine, role, Random(1)), strict=False):
        one.observe(told.move, told.percepts)
        other.observe(told.move, told.percepts)
    assert one.probabilities == other.probabilities
    assert not one.is_exact


def test_what_looks_the_same_is_one_information_set() -> None:
    sets = InformationSets()
    left, right = gdl.parse_term("left"), gdl.parse_term("right")
    seen = frozenset({gdl.parse_term("(card 3)")})
    first = sets.after(ROOT, left, seen)
    assert first != ROOT
    assert sets.after(ROOT, left, frozenset({gdl.parse_term("(card 3)")})) == first
    others = {sets.after(ROOT, right, seen), sets.after(ROOT, left, frozenset())}
    assert len({ROOT, first, *others, sets.after(first, left, seen)}) == 5 == len(sets)


WEIGHTS = st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=60)


@given(WEIGHTS, st.integers(1, 40), st.integers(0, 2**32))
def test_few_stand_for_many(weights: list[float], count: int, seed: int) -> None:
    before = np.array(weights)
    chosen, after = resample(before, count, Random(seed))
    assert len(chosen) == len(set(chosen.tolist())) == len(after)
    assert len(chosen) <= count or len(weights) <= count
    assert (np.diff(chosen) > 0).all()
    if len(weights) <= count:
        assert (after == before).all()


def test_the_mean_weight_is_that_before() -> None:
    before = np.array([0.4, 0.3, *[0.01] * 30])
    means = np.zeros(len(before))
    for seed in range(2000):
        chosen, after = resample(before, 8, Random(seed))
        means[chosen] += after / 2000
    np.testing.assert_allclose(means, before, atol=0.005)
    np.testing.assert_allclose(means[:2], before[:2])  # what is heavy is always kept
