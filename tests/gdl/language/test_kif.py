"""The reader of KIF agrees with a grammar of it, ``kif.lark``, that Lark reads with."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from lark import Lark, Token, Tree

from gdl import Source
from gdl.language import lexical
from gdl.language.forms import Expression, Form
from gdl.language.kif import read_kif
from tests.support.example_counts import one_in
from tests.support.syntax import names


@cache
def grammar() -> Lark:
    text = Path(__file__).with_name("kif.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="basic")


def form_of(tree: Tree[Token] | Token) -> Expression:
    """Turn what Lark read into a form, or leave a token as it is."""
    if isinstance(tree, Token):
        return tree
    opening, *items, closing = tree.children
    assert isinstance(opening, Token)
    assert isinstance(closing, Token)
    return Form(tuple(map(form_of, items)), (opening.start_pos or 0, closing.end_pos or 0))


def shape(expression: Expression) -> object:
    """All that is known of an expression, with the types and positions of its tokens."""
    if isinstance(expression, Form):
        return expression.span, [shape(item) for item in expression.items]
    return expression.type, str(expression), expression.start_pos, expression.end_pos


BLANKS = st.sampled_from(["", " ", "\n", "\t\r\n", "\ufeff", "; (a ?b\n", ";\r", "\u3000"])
WORDS = st.one_of(names(), names().map("?{}".format))


def texts() -> st.SearchStrategy[str]:
    """Texts in which every parenthesis is closed and every question mark begins a name."""
    words = st.builds("{} {} ".format, WORDS, BLANKS)
    lists = st.recursive(
        words,
        lambda inner: st.builds("({}{}){}".format, BLANKS, st.lists(inner).map("".join), BLANKS),
    )
    return st.lists(lists).map("".join)


@given(texts())
@one_in(1)
def test_forms_are_those_of_the_grammar(text: str) -> None:
    expressions, problems = read_kif(Source(text, "a text"))
    assert not problems
    assert list(map(shape, expressions)) == [
        shape(form_of(child)) for child in grammar().parse(text).children
    ]


def test_the_grammar_and_the_lexical_rules_agree_on_every_character() -> None:
    terminals = {one.name: re.compile(one.pattern.to_regexp()) for one in grammar().terminals}
    patterns = {
        "NAME": lexical.NAME,
        "VARIABLE": lexical.VARIABLE,
        "COMMENT": re.compile(lexical.COMMENT),
    }
    for character in map(chr, range(0x10000)):
        texts = [f"{start}{character}" for start in ("", "a", "?", ";")]
        for name, pattern in patterns.items():
            for text in texts:
                known = terminals[name].fullmatch(text)
                assert (pattern.fullmatch(text) is None) == (known is None), (name, text)
        word = lexical.WORD.fullmatch(character) is not None
        assert word == (character == "?" or lexical.NAME.fullmatch(character) is not None)
