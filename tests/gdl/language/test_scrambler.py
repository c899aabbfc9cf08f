"""Scrambling changes every name but those of the language, and can be undone exactly."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import Constant, Function, Ruleset, Term, Variable
from gdl.language.scrambler import KEPT, Scrambler
from tests.support.syntax import rulesets

RULES = """
(role White) (role random) (role nil)
(init (cell 1 b)) (init (step 01))
(succ 1 2) (succ -1 x-2)
(<= (legal ?r (mark ?n)) (role ?r) (true (cell ?n b)) (distinct ?n 2) (not (blocked ?n)))
(<= (legal ?r noop) (role ?r) (or (true (cell ?m x)) (and (blocked ?m) (succ ?m ?n))))
(<= (next (cell ?n x)) (does White (mark ?n)))
(<= (blocked ?n) (true (step ?n)))
(<= (goal ?r 100) (role ?r))
(<= terminal (true (cell 1 x)))
"""
NAMES = ["White", "cell", "b", "step", "succ", "x-2", "mark", "blocked", "noop", "x", "r", "n", "m"]


@pytest.fixture(scope="module")
def rules() -> Ruleset:
    return gdl.parse(RULES)


def names() -> st.SearchStrategy[str]:
    kept = st.sampled_from([*sorted(KEPT), "1", "01", "-1", "007"])
    return st.sampled_from(NAMES) | kept | st.from_regex(r"q[a-z0-9_+-]{9,12}", fullmatch=True)


def terms() -> st.SearchStrategy[Term]:
    return st.recursive(
        st.builds(Constant, names()) | st.builds(Variable, names()),
        lambda inner: st.builds(Function, names(), st.lists(inner, min_size=1).map(tuple)),
        max_leaves=8,
    )


@given(term=terms(), seed=st.integers(), variables=st.booleans())
def test_unscrambling_undoes_scrambling(
    rules: Ruleset, term: Term, seed: int, variables: bool
) -> None:
    scrambler = Scrambler.of(rules, Random(seed), variables)
    assert scrambler.unscramble(scrambler.scramble(term)) == term
    assert scrambler.scramble(scrambler.unscramble(term)) == term


@given(seed=st.integers(), variables=st.booleans())
def test_a_scrambled_ruleset_reads_back_and_unscrambles(
    rules: Ruleset, seed: int, variables: bool
) -> None:
    scrambler = Scrambler.of(rules, Random(seed), variables)
    scrambled = scrambler.scramble_ruleset(rules)
    assert gdl.parse(str(scrambled)) == scrambled
    assert scrambler.scramble_ruleset(scrambled) == rules


def test_every_name_changes_and_what_carries_meaning_stays(rules: Ruleset) -> None:
    text = str(Scrambler.of(rules, Random(1)).scramble_ruleset(rules))
    words = set(re.findall(r"[^\s()?]+", text))
    assert words.isdisjoint(NAMES)
    kept = {"role", "init", "legal", "true", "distinct", "not", "or", "and", "does", "goal", "<="}
    assert words >= kept | {"terminal", "next", "random", "nil", "1", "2", "01", "-1", "100"}
    assert all(re.fullmatch(r"[a-z]+", word) for word in words - kept if not word[-1].isdigit())


def test_variables_stay_where_asked(rules: Ruleset) -> None:
    text = str(Scrambler.of(rules, Random(1), variables=False).scramble_ruleset(rules))
    assert set(re.findall(r"\?\S+?\b", text)) == {"?r", "?n", "?m"}


def test_the_same_seed_gives_the_same_words(rules: Ruleset) -> None:
    assert Scrambler.of(rules, Random(5)) == Scrambler.of(rules, Random(5))
    assert Scrambler.of(rules, Random(5)) != Scrambler.of(rules, Random(6))


def test_a_players_capitals_do_not_matter(rules: Ruleset) -> None:
    scrambler = Scrambler.of(rules, Random(2))
    shouted = gdl.parse_term(str(scrambler.scramble(Constant("noop"))).upper())
    assert scrambler.unscramble(shouted) == Constant("noop")


def test_an_original_name_is_not_understood_in_a_scrambled_match(rules: Ruleset) -> None:
    scrambler = Scrambler.of(rules, Random(3))
    assert scrambler.unscramble(Constant("noop")) != Constant("noop")


def test_many_names_all_get_words_of_their_own() -> None:
    many = gdl.parse("(role you)" + "".join(f"(init item{n})" for n in range(11_000)))
    scrambled = Scrambler.of(many, Random(4)).scramble_ruleset(many)
    assert len(set(scrambled.rules)) == len(many.rules)


@given(rulesets(), st.integers())
def test_scrambling_twice_gives_the_rules_back(ruleset: Ruleset, seed: int) -> None:
    scrambler = Scrambler.of(ruleset, Random(seed))
    scrambled = scrambler.scramble_ruleset(ruleset)
    assert gdl.parse(str(scrambled)) == scrambled
    assert scrambler.scramble_ruleset(scrambled) == ruleset
    assert Scrambler(dict(scrambler.words)).scramble_ruleset(scrambled) == ruleset


def test_a_variable_and_a_constant_of_one_name_have_nothing_in_common() -> None:
    ruleset = gdl.parse("(p x ?x role ?role)")
    (fact,) = Scrambler.of(ruleset, Random(1)).scramble_ruleset(ruleset).rules
    constant, variable, role, other = map(str, fact.head.args)
    assert variable != f"?{constant}"
    assert role == "role"
    assert other != "?role"


@pytest.mark.parametrize(
    "words",
    [
        {"role": "king"},
        {"king": "role"},
        {"a": "7"},
        {"a": "two words"},
        {"a": ""},
        {"a": "b", "A": "c"},
        {"a": "word", "b": "Word"},
        {"a": "b", "b": "c"},
    ],
)
def test_a_dictionary_must_be_clear(words: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="'"):
        Scrambler(words)
