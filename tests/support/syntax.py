"""Random rulesets that need not mean anything: every form, with every kind of name."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

import gdl
from gdl import And, Atom, Constant, Distinct, Function, Literal, Not, Or, Rule, Ruleset, Term
from gdl import Variable as Var
from gdl.language.keywords import KEYWORDS, RESERVED_WORDS

PLAIN = ("a", "cell", "noop", "x1", "8", "01", "white_king", "q", "true0")
ODD = (
    *("White", "A", "_", "_a", "-", "-1", "+2", "x-1", "n++", ">", "a.b", "%", "%x", "~", ":-"),
    *('"', '"a"', "\\", 'a\\"', "é", "Ünlaut", "a,b", "[", "a]", "&", "|", "'", "a?b", "#"),
)


def names() -> SearchStrategy[str]:
    return st.one_of(st.sampled_from(PLAIN), st.sampled_from(PLAIN), st.sampled_from(ODD))


def variable_names() -> SearchStrategy[str]:
    return st.one_of(names(), st.sampled_from(("?", "x?", "X", "Role")))


@cache
def terms() -> SearchStrategy[Term]:
    constants = st.one_of(names(), st.sampled_from(sorted(KEYWORDS))).map(Constant)
    functions = st.one_of(names(), names(), st.sampled_from(sorted(RESERVED_WORDS)))
    return st.recursive(
        st.one_of(constants, constants, variable_names().map(Var)),
        lambda inner: st.builds(
            Function, functions, st.lists(inner, min_size=1, max_size=2).map(tuple)
        ),
        max_leaves=4,
    )


@st.composite
def atoms(draw: DrawFn) -> Atom:
    if draw(st.booleans()):
        name, arity = draw(
            st.sampled_from(sorted(keyword.relation for keyword in KEYWORDS.values()))
        )
        return Atom(name, tuple(draw(terms()) for _ in range(arity)))
    return Atom(draw(names()), tuple(draw(st.lists(terms(), max_size=3))))


@cache
def literals() -> SearchStrategy[Literal]:
    simple = st.one_of(atoms(), atoms(), st.builds(Distinct, terms(), terms()))
    return st.recursive(
        simple,
        lambda inner: st.one_of(
            inner.map(Not),
            st.lists(inner, min_size=1, max_size=3).map(tuple).map(Or),
            st.lists(inner, max_size=3).map(tuple).map(And),
        ),
        max_leaves=5,
    )


@st.composite
def rulesets(draw: DrawFn) -> Ruleset:
    """A ruleset as the parser returns it: names that differ only in case have one spelling."""
    rules = st.builds(Rule, atoms(), st.lists(literals(), max_size=4).map(tuple))
    return gdl.parse("\n".join(map(str, draw(st.lists(rules, min_size=1, max_size=4)))))
