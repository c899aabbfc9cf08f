"""Infix reads and writes the same rules as KIF, and explains what it cannot read."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import Ruleset, Source
from gdl.language.formatter import Notation, convert_text
from gdl.language.forms import MAX_NESTING, MAX_PROBLEMS
from gdl.language.infix import is_infix, read_infix
from gdl.language.parser import read_ruleset
from tests.support.syntax import rulesets

GAME = """\
% tic-tac-toe, its beginning
role(white) role(black)
index(1). index(2).

legal(P,mark(M,N)) :- true(cell(M,N,b)) & true(control(P))
legal(white,noop) :-
  true(control(black))
next(cell(M,N,b)) :- does(_,mark(J,_)) & (distinct(M,J) | ~near(M,J) & true(cell(M,N,b)))
goal(P,50) :- role(P) & ~line(P) & not(open)
terminal :- ~open.
"""

IN_KIF = """\
(role white)
(role black)
(index 1)
(index 2)
(<= (legal ?p (mark ?m ?n)) (true (cell ?m ?n b)) (true (control ?p)))
(<= (legal white noop) (true (control black)))
(<= (next (cell ?m ?n b)) (does ?_1 (mark ?j ?_2)) \
(or (distinct ?m ?j) (and (not (near ?m ?j)) (true (cell ?m ?n b)))))
(<= (goal ?p 50) (role ?p) (not (line ?p)) (not open))
(<= terminal (not open))"""


NOISE = ("", "(", ")", "[", '"', "&", "|", ":-", ".", ",", "X", "_", "\n", "%", "é")


def problems_of(text: str) -> list[tuple[str, str]]:
    """Return the code and the text of each error."""
    _, problems = read_ruleset(Source(text))
    return [
        (problem.code, text[slice(*problem.span)])
        for problem in problems
        if problem.severity is gdl.Severity.ERROR
    ]


def test_infix_reads_as_the_same_rules_as_kif() -> None:
    assert str(gdl.parse(GAME)) == IN_KIF


def test_terms_read_in_both_notations() -> None:
    assert gdl.parse_term("mark(1,f(N))") == gdl.parse_term("(mark 1 (f ?n))")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("role(x)", True),
        ("  \r\n\ufeffopen :- free(X)", True),
        ("% a comment is all there is", True),
        ("open. role(x)", True),
        ('"White"(x)', True),
        ("(role x)", False),
        ("; role(x)\n(role x)", False),
        ("terminal\n(role x)", False),
        ("", False),
        ("role (x)", False),
    ],
)
def test_the_notation_is_recognised_by_the_beginning(text: str, expected: bool) -> None:
    assert is_infix(text) is expected


@pytest.mark.parametrize(
    ("infix", "kif"),
    [
        ("p(X,Abc,A1)", "(p ?x ?abc ?a1)"),
        ("p(_X,__,_1)", "(p ?X ?_ ?1)"),
        ('p(_"n++")', "(p ?n++)"),
        ('p("White","x-y")', "(p White x-y)"),
        (r'p("a\"b\\")', '(p a"b\\)'),
        ("p(+2,-1,01)", "(p +2 -1 01)"),
        ("p(not(18),does(Q,M))", "(p (not 18) (does ?q ?m))"),
        ("p() :- q()", "(<= (p) (q))"),
        ("p :- a & b | c", "(<= p (or (and a b) c))"),
        ("p :- a & (b | c)", "(<= p a (or b c))"),
        ("p :- (a & b) & c", "(<= p (and a b) c)"),
        ("p :- ~~a & ~(a | b)", "(<= p (not (not a)) (not (or a b)))"),
        ("p :- or(a,not(b)) & and(a)", "(<= p (or a (not b)) (and a))"),
        ("p :- true", "(<= p)"),
        ("p(a)%c\n.q(b)% d", "(p a)(q b)"),
        ("p(\n a,\n b)\nq :- a &\nb", "(p a b) (<= q a b)"),
    ],
)
def test_what_infix_means_in_kif(infix: str, kif: str) -> None:
    assert gdl.parse(infix) == gdl.parse(kif)


def test_every_underscore_is_a_variable_of_its_own() -> None:
    first, second = gdl.parse("p(_,_) q(_)").rules
    assert [str(first), str(second)] == ["(p ?_1 ?_2)", "(q ?_1)"]


def test_facts_without_arguments_give_no_warning() -> None:
    _, problems = read_ruleset(Source("open. closed terminal :- open"))
    assert problems == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("role(white", [("unclosed-parenthesis", "(")]),
        ("p(a))", [("extra-parenthesis", ")")]),
        ("p(a]", [("bad-syntax", "]")]),
        ("p(a,)", [("bad-syntax", ")")]),
        ("p(a b)", [("bad-syntax", "b")]),
        ("p :- a, b", [("bad-syntax", ",")]),
        ("p :- a &", [("bad-syntax", "&")]),
        ("p :- a :- b", [("bad-syntax", ":-")]),
        ("p :- a ~b", [("bad-syntax", "~")]),
        ("p(é)", [("bad-character", "é")]),
        ('p("a)\nq(b', [("bad-character", '"'), ("unclosed-parenthesis", "(")]),
        ('p("a b")', [("bad-name", '"a b"')]),
        ('p("", "?x")', [("bad-name", '""'), ("bad-name", '"?x"')]),
        ('p(_" ")', [("bad-name", '_" "')]),
        ("p([a,b])", [("list", "[")]),
        ("p(a) X(b)", [("bad-syntax", "X")]),
        ("p :- X", [("variable-as-atom", "X")]),
        ("not(p)", [("misplaced-keyword", "not(p)")]),
        ("role(a,b)", [("keyword-arity", "role(a,b)")]),
        ("p :- ~role", [("keyword-arity", "role")]),
    ],
)
def test_mistakes_are_found_where_they_are(text: str, expected: list[tuple[str, str]]) -> None:
    assert problems_of(text) == expected


def test_one_reading_finds_all_mistakes_and_the_rest_still_reads() -> None:
    text = "p(a)\nq(b\nr(c)\ns(d,)\nt :- u ~v\nw(é)\nrole(x) :- y(z)\nr(X))\nend(e)\n"
    ruleset, problems = read_ruleset(Source(text))
    errors = [p for p in problems if p.severity is gdl.Severity.ERROR]
    lines = [ruleset.source.position(error.span[0])[0] for error in errors]
    assert lines == [2, 4, 5, 6, 8]
    assert "(r c)" in str(ruleset)
    assert str(ruleset).endswith("(end e)")


def test_an_error_says_what_was_expected() -> None:
    with pytest.raises(gdl.GdlSyntaxError) as error:
        gdl.parse("legal(P,noop) :- role(P), turn(P)")
    assert str(error.value) == (
        "<rulesheet>:1:25: error: "
        "expected '&', '|' or the end of the statement, found ',' [bad-syntax]\n"
        "  legal(P,noop) :- role(P), turn(P)\n"
        "                          ^"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p :- a &", "expected a name or a variable, found the end of the statement"),
        ("p :-", "expected a name or a variable, found the end of the statement"),
        ("p(a) &", "expected ':-' or the end of the statement, found '&'"),
        ("p(a,", "this '(' is never closed"),
        ("p(~)", "expected a name or a variable, found ')'"),
        ("p(a,]", "expected a name or a variable, found ']'"),
    ],
)
def test_messages_name_what_is_expected(text: str, message: str) -> None:
    _, (problem, *_) = read_infix(Source(text))
    assert problem.message == message


def test_nothing_grows_without_bound() -> None:
    assert problems_of("p(" * 100_000)[0][0] == "too-deep"
    assert gdl.parse("p(" * (MAX_NESTING - 1) + "a" + ")" * (MAX_NESTING - 1)).rules
    assert len(problems_of("p(a))\n" * 1000)) == MAX_PROBLEMS
    assert problems_of("p" * 10 + "(" + "\\" * 100_000) != []


@given(rulesets())
def test_infix_undoes_kif(ruleset: Ruleset) -> None:
    infix = convert_text(str(ruleset), Notation.INFIX)
    assert is_infix(infix)
    assert gdl.parse(infix) == ruleset
    assert gdl.parse(convert_text(infix, Notation.KIF)) == ruleset


@pytest.mark.thorough
@given(rulesets(), st.integers())
def test_damaged_infix_gives_problems_or_rules(ruleset: Ruleset, seed: int) -> None:
    random = Random(seed)
    text = convert_text(str(ruleset), Notation.INFIX)
    for _ in range(random.randrange(1, 4)):
        start = random.randrange(len(text))
        end = random.randrange(start, min(start + 4, len(text)) + 1)
        text = text[:start] + random.choice(NOISE) + text[end:]
    _, problems = read_infix(Source(text))
    for problem in problems:
        start, end = problem.span
        assert 0 <= start < end <= len(text)


def test_writing_has_quotes_only_where_needed() -> None:
    kif = "(<= (p ?x ?Y ?n++ White b_1) (TRUE (q ROLE)) (not (distinct ?x -1)))"
    infix = 'p(X,_Y,_"n++","White",b_1) :- true(q("ROLE")) & ~distinct(X,"-1")\n'
    assert convert_text(kif, Notation.INFIX) == infix
    assert re.search("ROLE", convert_text(infix, Notation.KIF))
