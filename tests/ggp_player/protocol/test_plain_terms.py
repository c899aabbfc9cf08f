"""The quick reader of terms agrees with the parser of the language wherever it says anything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from ggp_player.protocol.plain_terms import MAX_NESTING, plain_term

WORDS = st.sampled_from(["a", "B", "12", "mark", "not", "does", "x_y"])
TERMS = st.recursive(
    WORDS, lambda inner: st.lists(inner, max_size=4).map(lambda items: f"({' '.join(items)})")
)
TEXTS = st.text(alphabet="ab1 ()\n?;.,_é", max_size=30).map(lambda text: f"({text}")


DEEP = "(f " * MAX_NESTING + "a" + ")" * MAX_NESTING


@given(TERMS | TEXTS)
def test_it_agrees_with_the_parser(text: str) -> None:
    term = plain_term(text)
    if term is not None:
        assert term == gdl.parse_term(text)


@pytest.mark.parametrize("text", ["(mark 1 1)", "( f (g a_b)\n(h) )", "(a)", "(move a(b c))"])
def test_what_it_reads(text: str) -> None:
    assert plain_term(text) == gdl.parse_term(text)


@pytest.mark.parametrize(
    "text",
    ["a", "()", "(a", "(a))", "(a) b", "((a) b)", "(f ?x)", "(f a.)", "(f not)", "(f é)", "", DEEP],
)
def test_what_it_leaves_to_the_parser(text: str) -> None:
    assert plain_term(text) is None
