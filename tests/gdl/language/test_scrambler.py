"""Scrambling renames everything but the keywords, and can be undone."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import Ruleset
from gdl.language.scrambler import Scrambler
from tests.support.syntax import rulesets


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
