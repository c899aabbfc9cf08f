"""The parser reads rulesheets however they are really written, and printing is its inverse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given

import gdl
from gdl import (
    And,
    Atom,
    Constant,
    Distinct,
    Function,
    Not,
    Or,
    Rule,
    Ruleset,
    Source,
    Variable,
)
from gdl.language import kif, lexical
from gdl.language.parser import decode
from tests.support import generators, syntax
from tests.support.example_counts import one_in

PLAIN = "(role white)\n(<= (legal ?p noop) (role ?p) (not (true (control ?p))))\n"


def warnings_of(text: str) -> list[str]:
    return [problem.code for problem in gdl.parse(text).warnings]


def body_of(text: str) -> list[str]:
    """Return the literals of the only rule's body."""
    (rule,) = gdl.parse(text).rules
    return [str(literal) for literal in rule.body]


# ---------------------------------------------------------------------- what is read


def test_rules_are_values() -> None:
    text = "(<= (p ?x) (q ?x a) (not (r (f ?x))) (or s (distinct ?x b)) (and (t 1)))"
    x = Variable("x")
    assert gdl.parse(text).rules == (
        Rule(
            Atom("p", (x,)),
            (
                Atom("q", (x, Constant("a"))),
                Not(Atom("r", (Function("f", (x,)),))),
                Or((Atom("s"), Distinct(x, Constant("b")))),
                And((Atom("t", (Constant("1"),)),)),
            ),
        ),
    )


def test_the_grammar_and_the_lexical_rules_agree_on_every_character() -> None:
    terminals = {one.name: re.compile(one.pattern.to_regexp()) for one in kif._lark().terminals}
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


def test_rules_keep_the_order_of_the_text() -> None:
    text = "(p 2)\n(<= (q ?x) (p ?x))\n(p 1)"
    assert str(gdl.parse(text)) == text


@pytest.mark.parametrize("text", ["", " \n", "; nothing here", "\ufeff"])
def test_nothing_reads_as_no_rules(text: str) -> None:
    assert gdl.parse(text).rules == ()


def test_roles_are_those_stated_as_facts_in_order() -> None:
    rules = gdl.parse("(role red) (role blue) (<= (role ?x) (p ?x)) (p green) (role red)")
    assert list(map(str, rules.roles)) == ["red", "blue"]


# case


def test_spellings_that_differ_in_case_are_one_name() -> None:
    rules = gdl.parse("(role White) (Cell 1 B) (<= (p ?X) (role WHITE) (cell ?x b))").rules
    assert list(map(str, rules)) == [
        "(role White)",
        "(Cell 1 B)",
        "(<= (p ?X) (role White) (Cell ?X B))",
    ]


def test_variables_and_constants_have_separate_spellings() -> None:
    assert str(gdl.parse("(<= (p ?Go) (q ?Go)) (q go)")) == "(<= (p ?Go) (q ?Go))\n(q go)"


@pytest.mark.parametrize("rule", ["(ROLE a)", "(Init a)", "(<= TERMINAL (TRUE a))"])
def test_keywords_are_keywords_in_any_case(rule: str) -> None:
    assert str(gdl.parse(rule)) == rule.replace(" a)", " \0)").lower().replace("\0", "a")


@pytest.mark.parametrize("literal", ["(NOT (p ?x))", "(Or (p ?x) s)", "(DISTINCT ?x a)"])
def test_connectives_are_connectives_in_any_case(literal: str) -> None:
    assert not isinstance(gdl.parse(f"(<= (h ?x) (p ?x) {literal})").rules[0].body[1], Atom)


def test_ruleset_spells_a_term_as_it_does() -> None:
    rules = gdl.parse("(Mark 1 White)")
    assert str(rules.spell(gdl.parse_term("(mark 1 (WHITE other))"))) == "(Mark 1 (White other))"


# parentheses around a name alone


@pytest.mark.parametrize("atom", ["terminal", "open2"])
def test_empty_parentheses_make_no_difference(atom: str) -> None:
    bare = gdl.parse(f"(<= (p) {atom}) (<= {atom} (q a))")
    wrapped = gdl.parse(f"(<= p ({atom})) (<= ({atom}) (q a))")
    assert bare == wrapped


def test_empty_parentheses_are_a_warning_but_for_terminal() -> None:
    assert warnings_of("(<= (open2) (q a))") == ["empty-parentheses"]
    assert warnings_of("(<= (terminal) (q a))") == []


def test_empty_parentheses_in_a_term_are_a_constant() -> None:
    rules = gdl.parse("(legal x (noop))")
    assert rules.rules[0].head.args[1] == Constant("noop")
    assert [problem.code for problem in rules.warnings] == ["empty-parentheses"]


# numbers


def test_numbers_are_symbols() -> None:
    (rule,) = gdl.parse("(goal x 01)").rules
    assert rule.head.args[1] == Constant("01") != Constant("1")


# blanks, line ends, comments


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.replace("\n", "\r", 1),
        PLAIN.replace(" ", "\t"),
        PLAIN.replace(" ", "\n"),
        PLAIN.strip(),
        "\ufeff" + PLAIN,
        "\n\n  " + PLAIN + "\n\n",
        PLAIN.replace("\n", " ; comment\n"),
        PLAIN.replace("\n", ";comment ( with ) odd (( text\n"),
        PLAIN.replace("\n", "\r; comment (\r"),
        PLAIN.replace("\n", "; comment (\r\n"),
        PLAIN.replace(" ", ";\n"),
        PLAIN.replace("(", ";one\n(;two\n"),
        PLAIN.replace(")", ";one\n);two\n"),
        PLAIN + "; no final newline (",
        PLAIN + ";",
        "(role white)(<=(legal ?p noop)(role ?p)(not(true(control ?p))))",
        "( role white ) ( <= ( legal ?p noop ) ( role ?p ) ( not ( true ( control ?p ) ) ) )",
    ],
    ids=repr,
)
def test_white_space_makes_no_difference(text: str) -> None:
    assert gdl.parse(text) == gdl.parse(PLAIN)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_comments_end_with_the_line(end: str) -> None:
    assert str(gdl.parse(f"(p a) ; (p b){end}(p c)")) == "(p a)\n(p c)"


def test_comment_that_touches_a_name() -> None:
    assert str(gdl.parse("(p a;b\n c)")) == "(p a c)"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("(p é)".encode(), "é"),
        ("(p é)".encode("latin-1"), "é"),
        ("(p é)".encode("utf-8-sig"), "é"),
        ("; ©\r(p a)".encode("latin-1"), "a"),
    ],
)
def test_files_are_utf8_or_latin1(data: bytes, name: str, tmp_path: Path) -> None:
    path = tmp_path / "game.kif"
    path.write_bytes(data)
    assert gdl.load(path).rules == (Rule(Atom("p", (Constant(name),))),)
    assert gdl.load(str(path)).source == Source(decode(data), str(path))


def test_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        gdl.load(tmp_path / "none.kif")


# What is accepted though odd


@pytest.mark.parametrize("name", ["n++", "+2", ">", "x-1", "a_b", "é", "100%", "a.b", "'x", "->"])
def test_names_may_hold_other_characters(name: str) -> None:
    assert str(gdl.parse(f"(p {name} ?{name})".replace("(p", "(<= (p a) (q") + ")")) == (
        f"(<= (p a) (q {name} ?{name}))"
    )


def test_one_name_with_two_arities() -> None:
    rules = gdl.parse("(p a) (p a b) (q (f a)) (q (f a b))").rules
    assert [rule.head.relation for rule in rules] == [("p", 1), ("p", 2), ("q", 1), ("q", 1)]


def test_one_name_as_relation_function_and_constant() -> None:
    assert str(gdl.parse("(cell (cell cell))")) == "(cell (cell cell))"


@pytest.mark.parametrize(
    "term", ["(does ?q ?m)", "(not 18)", "(true a)", "(role x)", "(distinct a b c)", "(or x)"]
)
def test_keywords_are_plain_functions_inside_terms(term: str) -> None:
    (literal,) = body_of(f"(<= (sees ?p x) (q ?p ?q ?m {term}))")
    assert literal == f"(q ?p ?q ?m {term})"


@pytest.mark.parametrize("name", ["does", "true", "role", "legal", "terminal", "next", "input"])
def test_relations_are_plain_constants_inside_terms(name: str) -> None:
    assert gdl.parse(f"(p {name})").rules[0].head.args == (Constant(name),)


def test_connective_in_a_term_is_a_warning() -> None:
    assert warnings_of("(contains 1 (not 18))") == ["keyword-as-term"]


def test_rule_with_an_empty_body_is_a_fact() -> None:
    rules = gdl.parse("(<= (legal robot move))")
    assert rules.rules == gdl.parse("(legal robot move)").rules
    assert [problem.code for problem in rules.warnings] == ["empty-body"]


def test_bare_word_is_a_fact_where_a_body_asks_for_it() -> None:
    rules = gdl.parse("open (<= terminal (not open))")
    assert rules.rules[0] == Rule(Atom("open"))
    assert [problem.code for problem in rules.warnings] == ["bare-fact"]


def test_inequality_may_be_negated() -> None:
    assert body_of("(<= (p ?x) (q ?x) (not (distinct ?x a)))") == [
        "(q ?x)",
        "(not (distinct ?x a))",
    ]


def test_connectives_may_be_nested() -> None:
    literals = ["(or (not (q a)) (and (q b) (or (q c) (not (and (q d) (q e))))))", "(not (or r s))"]
    rule = f"(<= (p a) {' '.join(literals)})"
    assert body_of(rule) == literals
    assert set(warnings_of(rule)) == {"and-connective"}


def test_duplicate_rules_are_kept() -> None:
    assert len(gdl.parse("(p a) (p a)").rules) == 2


def test_warnings_have_a_position() -> None:
    text = "(p (q))\n(<= (r a))"
    spans = [(p.code, text[slice(*p.span)]) for p in gdl.parse(text).warnings]
    assert spans == [("empty-parentheses", "(q)"), ("empty-body", "(<= (r a))")]


# ---------------------------------------------------------------------- printing


@one_in(3)
@given(syntax.rulesets())
def test_printing_reads_back_the_same(rules: Ruleset) -> None:
    again = gdl.parse(str(rules))
    assert again == rules
    assert str(again) == str(rules)


@pytest.mark.thorough
@one_in(5)
@given(generators.rulesets())
def test_printing_a_game_reads_back_the_same(rules: Ruleset) -> None:
    assert gdl.parse(str(rules)) == rules


@one_in(3)
@given(syntax.rulesets())
def test_case_changes_nothing_but_the_spelling(rules: Ruleset) -> None:
    text = str(rules)
    upper = text.upper()
    if upper.lower() == text.lower():  # not so for some letters, such as the sharp s
        assert str(gdl.parse(upper)).lower() == str(gdl.parse(text)).lower()
