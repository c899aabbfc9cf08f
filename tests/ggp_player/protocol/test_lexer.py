"""A message is split into the lists and words that were written, each with its position."""

from __future__ import annotations

from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.errors import ProtocolError
from ggp_player.protocol.lexer import (
    MAX_ITEMS,
    MAX_NESTING,
    Item,
    is_word,
    items_of,
    items_of_message,
    tokens,
)

Nested: TypeAlias = "str | list[Nested]"

words = st.text("ab?<=-.:é'\"", min_size=1, max_size=4)
gaps = st.sampled_from([" ", "\n", "\t \r\n", "\x00", " ; (a ) note\n", ";\r"])
lists: st.SearchStrategy[list[Nested]] = st.lists(
    st.recursive(words, lambda below: st.lists(below, max_size=4), max_leaves=12), max_size=5
)


def written(nested: Nested, gap: str) -> str:
    if isinstance(nested, str):
        return nested
    return "(" + gap + "".join(written(each, gap) + gap for each in nested) + ")"


def read(item: Item, message: str) -> Nested:
    """Read an item to the bottom, and check that it says where it stands."""
    assert message[item.start :].startswith(item.text)
    if not item.is_list:
        return item.text
    return [read(each, message) for each in items_of(item.text, 0, item.start)]


@given(lists, gaps, st.sampled_from(["", ")", " (more", " ; more"]))
def test_what_is_written_is_read_back(nested: list[Nested], gap: str, rest: str) -> None:
    message = gap + written(nested, gap) + rest
    assert [read(item, message) for item in items_of_message(message)] == nested


@given(lists, gaps)
def test_tokens_are_parentheses_and_words_only(nested: list[Nested], gap: str) -> None:
    spaced = written(nested, " ").split()
    text = written(nested, gap)
    assert [token.group() for token in tokens(text)] == spaced
    assert [token.group() for token in tokens(text, 1)] == spaced[1:]


@given(st.text("ab?;() \n\x00\ufeff", max_size=5) | words)
def test_a_word_is_one_token_with_nothing_around_it(text: str) -> None:
    alone = [token.group() for token in tokens(text)] == [text] and text not in ("(", ")")
    assert is_word(text) == alone


@pytest.mark.parametrize(
    ("text", "offset", "sentence"),
    [
        ("; (\n )", 5, "expected '(' and a command, found ')'"),
        (" (a", 3, "expected ')' for the '(' at character 2, found the end of the message"),
        ("(a ; )", 6, "expected ')' for the '(' at character 1, found the end of the message"),
        ("(a (b (c)", 9, "expected ')' for the '(' at character 4, found the end of the message"),
    ],
)
def test_an_expression_without_an_end(text: str, offset: int, sentence: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        items_of_message(text)
    assert (caught.value.offset, caught.value.sentence) == (offset, sentence)


def test_positions_in_errors_are_those_of_the_whole_message() -> None:
    with pytest.raises(ProtocolError, match=r"^character 105: .* the '\(' at character 103,"):
        list(items_of("a (b", 2, 100))


def test_an_item_comes_before_the_fault_behind_it() -> None:
    items = items_of("(a (b) (c", 0, 0)
    assert [next(items), next(items)] == [Item("a", 1), Item("(b)", 3)]
    with pytest.raises(ProtocolError):
        next(items)


def test_only_so_many_items_are_read() -> None:
    for count in (MAX_ITEMS - 1, MAX_ITEMS, MAX_ITEMS + 1):
        assert len(items_of_message(f"({'a ' * count})")) == min(count, MAX_ITEMS)


def test_only_so_many_levels_are_followed() -> None:
    deepest = "(" * MAX_NESTING + "a" + ")" * MAX_NESTING
    assert items_of_message(f"({deepest})") == [Item(deepest, 1)]
    with pytest.raises(ProtocolError, match="nested deeper than 1000 levels") as caught:
        items_of_message(f"((({deepest})))")
    assert caught.value.offset == 1 + MAX_NESTING


def test_long_items_are_cut_where_they_are_quoted() -> None:
    assert str(Item("a" * 40, 0)) == f"'{'a' * 40}'"
    assert str(Item("a" * 41, 0)) == f"'{'a' * 37}...'"
