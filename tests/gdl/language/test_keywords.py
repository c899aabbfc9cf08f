"""The keyword table: where each relation may stand, what it may depend on, who moves by chance."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import Constant
from gdl.language import body_atoms
from gdl.language.keywords import (
    CONNECTIVES,
    GIVEN_LEVELS,
    HIGHEST_LEVELS,
    KEYWORDS,
    MACHINE_RELATIONS,
    RANDOM_ROLE,
    RESERVED_WORDS,
    Level,
    moves_by_chance,
)
from tests.support import syntax
from tests.support.compiled_games import EVERY_GAME, rules_of


def test_keywords_are_listed_under_their_own_names() -> None:
    assert all(keyword.name == name == name.lower() for name, keyword in KEYWORDS.items())


def test_the_tables_cannot_be_changed() -> None:
    for table in (KEYWORDS, GIVEN_LEVELS, HIGHEST_LEVELS):
        with pytest.raises(TypeError):
            table["role"] = None  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        KEYWORDS["role"].arity = 2  # type: ignore[misc]


def test_every_level_includes_those_below_it() -> None:
    assert Level.STATIC < Level.VIEW < Level.TRANSITION


def test_only_what_ends_or_begins_a_step_may_depend_on_the_move() -> None:
    assert {name for (name, _), level in HIGHEST_LEVELS.items() if level is Level.TRANSITION} == {
        "next",
        "sees",
    }
    assert GIVEN_LEVELS["true", 1] is Level.VIEW
    assert GIVEN_LEVELS["does", 2] is Level.TRANSITION


def test_what_the_match_gives_may_be_asked_for_and_the_rest_may_be_defined() -> None:
    assert all(keyword.in_head or keyword.in_body for keyword in KEYWORDS.values())
    assert {keyword.relation for keyword in KEYWORDS.values()} == {*GIVEN_LEVELS, *HIGHEST_LEVELS}
    assert {*MACHINE_RELATIONS} < {*HIGHEST_LEVELS}


def test_what_is_said_of_a_role_starts_with_it() -> None:
    assert {name for name, keyword in KEYWORDS.items() if keyword.starts_with_role} == {
        *("does", "legal", "goal", "sees", "input")
    }


def test_reserved_words_are_the_connectives_and_the_relations() -> None:
    assert CONNECTIVES.isdisjoint(KEYWORDS)
    assert len(RESERVED_WORDS) == len(CONNECTIVES) + len(KEYWORDS)
    assert RANDOM_ROLE not in RESERVED_WORDS


@pytest.mark.parametrize("keyword", KEYWORDS.values(), ids=lambda keyword: keyword.name)
@pytest.mark.parametrize("more", [-1, 1])
def test_no_other_arity_can_be_read(keyword: gdl.language.keywords.Keyword, more: int) -> None:
    right = f"({' '.join([keyword.name, *'abc'[: keyword.arity]])})"
    assert gdl.parse(right).rules[0].head.relation == keyword.relation
    if keyword.arity + more >= 0:
        with pytest.raises(gdl.GdlSyntaxError, match="argument"):
            gdl.parse(f"({' '.join([keyword.name, *'abc'[: keyword.arity + more]])})")


@pytest.mark.parametrize("name", EVERY_GAME)
def test_games_use_keywords_as_the_table_says(name: str) -> None:
    for rule in rules_of(name).rules:
        head = KEYWORDS.get(rule.head.name)
        assert head is None or (head.in_head and head.relation == rule.head.relation)
        for atom, _ in body_atoms(rule):
            asked = KEYWORDS.get(atom.name)
            assert asked is None or (asked.in_body and asked.relation == atom.relation)


@given(st.lists(st.booleans(), min_size=6, max_size=6))
def test_the_case_of_random_does_not_matter(upper: list[bool]) -> None:
    letters = zip(RANDOM_ROLE, upper, strict=True)
    name = "".join(letter.upper() if big else letter for letter, big in letters)
    assert moves_by_chance(Constant(name))


@given(syntax.names(), st.sampled_from(("", RANDOM_ROLE)))
def test_roles_of_any_other_name_choose_their_moves(name: str, start: str) -> None:
    assert not moves_by_chance(Constant(start + name))
    assert not moves_by_chance(Constant(name + start))
