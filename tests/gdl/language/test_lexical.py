"""The lexical rules: what is a name, a variable, a word, and how far a comment goes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import Constant, Variable
from gdl.language.lexical import COMMENT, NAME, NAME_CHARACTER, VARIABLE, WORD

SEPARATORS = (" ", "\t", "\n", "\r", "\v", "\0", "\x1f", "\x7f", "\x85", "\xa0", "\u2003", "\ufeff")

texts = st.text(st.one_of(st.characters(), st.sampled_from("a1?;() \r\n\ufeff")), max_size=12)


@pytest.mark.parametrize("text", ["a", "01", "+", "<=", "a?", "a?b", "'a", '"', "é", "王", "😀"])
def test_a_name_has_any_characters_but_a_question_mark_in_front(text: str) -> None:
    assert NAME.fullmatch(text)
    assert not VARIABLE.fullmatch(text)
    assert VARIABLE.fullmatch(f"?{text}")
    assert not NAME.fullmatch(f"?{text}")


def test_question_marks_alone() -> None:
    assert not VARIABLE.fullmatch("?")
    assert not NAME.fullmatch("?")
    assert VARIABLE.fullmatch("??")


@pytest.mark.parametrize("pattern", [NAME, VARIABLE, WORD])
def test_nothing_is_neither_a_name_nor_a_variable(pattern: re.Pattern[str]) -> None:
    assert not pattern.fullmatch("")


@pytest.mark.parametrize("character", [*SEPARATORS, "(", ")", ";"])
def test_what_ends_a_name_is_no_part_of_one(character: str) -> None:
    assert not re.fullmatch(NAME_CHARACTER, character)
    assert WORD.findall(f"{character}ab{character}?c{character}") == ["ab", "?c"]
    for text in (f"{character}a", f"a{character}", f"a{character}b"):
        assert not NAME.fullmatch(text)
        assert not VARIABLE.fullmatch(f"?{text}")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", ""])
def test_a_comment_ends_before_the_end_of_its_line(end: str) -> None:
    found = re.search(COMMENT, f"(a) ;; (b) ; ?c{end}")
    assert found is not None
    assert found[0] == ";; (b) ; ?c"


@pytest.mark.parametrize("character", ["\v", "\f", "\x85", "\u2028"])
def test_nothing_but_a_line_break_ends_a_comment(character: str) -> None:
    assert re.fullmatch(COMMENT, f";a{character}b")
    assert gdl.parse(f"(p);a{character}(q)\n(r)") == gdl.parse("(p) (r)")


@given(texts)
def test_a_word_is_a_name_or_a_variable_and_never_both(text: str) -> None:
    for word in WORD.findall(text):
        assert (word == "?") + bool(NAME.fullmatch(word)) + bool(VARIABLE.fullmatch(word)) == 1


@given(texts)
def test_words_are_as_long_as_they_can_be_and_leave_nothing_else(text: str) -> None:
    rest = WORD.split(text)
    assert all(rest[1:-1])
    assert not re.search(NAME_CHARACTER, "".join(rest))
    assert all(re.fullmatch(rf"{NAME_CHARACTER}+", word) for word in WORD.findall(text))


@given(texts)
def test_comments_hold_no_line_break_and_leave_no_semicolon(text: str) -> None:
    assert not any(set(comment) & {"\r", "\n"} for comment in re.findall(COMMENT, text))
    rest = re.sub(COMMENT, "", text)
    assert ";" not in rest
    assert re.findall(r"[\r\n]", rest) == re.findall(r"[\r\n]", text)


@pytest.mark.thorough
@given(st.from_regex(NAME, fullmatch=True))
def test_every_name_is_read_as_a_constant_or_a_variable(name: str) -> None:
    assert gdl.parse(f"(p {name} ?{name})").rules[0].head.args == (
        Constant(name),
        Variable(name),
    )
