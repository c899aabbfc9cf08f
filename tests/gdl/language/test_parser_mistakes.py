"""All mistakes in a rulesheet are reported with their positions, whatever the text is."""

from __future__ import annotations

import pytest

import gdl
from gdl import Constant, GdlSyntaxError, Problem, Severity, Source
from gdl.language.parser import read_ruleset

NO_RULESHEET = "<html>404 not found</html>"


def errors_of(text: str) -> tuple[Problem, ...]:
    with pytest.raises(GdlSyntaxError) as caught:
        gdl.parse(text)
    return caught.value.problems


def codes_of(text: str) -> list[str]:
    return [problem.code for problem in errors_of(text)]


def marked(text: str) -> list[tuple[str, str]]:
    """Return the code of each error with the text under the carets."""
    return [(problem.code, text[slice(*problem.span)]) for problem in errors_of(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(p a", [("unclosed-parenthesis", "(")]),
        ("(p (q a)", [("unclosed-parenthesis", "(")]),
        ("(p a))", [("extra-parenthesis", ")")]),
        (")", [("extra-parenthesis", ")")]),
        ("()", [("no-name", "()")]),
        ("(p ())", [("no-name", "()")]),
        ("((p a))", [("no-name", "(")]),
        ("(<= ((p a)) (q b))", [("no-name", "(")]),
        ("(?x a)", [("no-name", "?x")]),
        ("(<= (p ?x) (?x a))", [("no-name", "?x")]),
        ("(<= (p ?x) ?x)", [("variable-as-atom", "?x")]),
        ("(<= ?x (p a))", [("variable-as-atom", "?x")]),
        ("(<=)", [("empty-rule", "(<=)")]),
        ("(p ?)", [("bad-character", "?")]),
        ("(p \x00 a)", [("bad-character", "\x00")]),
        ("(role)", [("keyword-arity", "(role)")]),
        ("(role a b)", [("keyword-arity", "(role a b)")]),
        ("(<= (p a) (true))", [("keyword-arity", "(true)")]),
        ("(<= (p a) (does x))", [("keyword-arity", "(does x)")]),
        ("(<= (terminal a) (p b))", [("keyword-arity", "(terminal a)")]),
        ("(<= (p a) true)", [("keyword-arity", "true")]),
        ("(sees a)", [("keyword-arity", "(sees a)")]),
        ("(<= (p a) (not))", [("keyword-arity", "(not)")]),
        ("(<= (p a) (not q r))", [("keyword-arity", "(not q r)")]),
        ("(<= (p a) (or))", [("keyword-arity", "(or)")]),
        ("(<= (p a) (distinct a))", [("keyword-arity", "(distinct a)")]),
        ("(<= (p a) (distinct a b c))", [("keyword-arity", "(distinct a b c)")]),
        ("(not (p a))", [("misplaced-keyword", "(not (p a))")]),
        ("(or p q)", [("misplaced-keyword", "(or p q)")]),
        ("(distinct a b)", [("misplaced-keyword", "(distinct a b)")]),
        ("(<= (not (p a)) (q b))", [("misplaced-keyword", "(not (p a))")]),
        ("(<= (p a) not)", [("misplaced-keyword", "not")]),
        ("(<= (p a) (<= (q b) (r c)))", [("misplaced-keyword", "(<= (q b) (r c))")]),
        ("(p not)", [("misplaced-keyword", "not")]),
        ("(p a) stray", [("stray-text", "stray")]),
        ("(p a) ?x", [("stray-text", "?x")]),
        ("p a", [("stray-text", "p"), ("stray-text", "a")]),
        ("(<= (q ?x) (p ?x)) p", [("stray-text", "p")]),
        (NO_RULESHEET, [("stray-text", word) for word in NO_RULESHEET.split()]),
    ],
)
def test_mistakes_have_their_positions(text: str, found: list[tuple[str, str]]) -> None:
    assert marked(text) == found


@pytest.mark.parametrize("cut", range(1, len("(<= (p ?x) (q ?x))")))
def test_file_that_ends_inside_a_form_is_refused(cut: int) -> None:
    text = "(role a)\n" + "(<= (p ?x) (q ?x))"[:cut]
    assert "unclosed-parenthesis" in codes_of(text)


def test_unclosed_parenthesis_is_named_by_its_position() -> None:
    (problem,) = errors_of("(p a)\n(<= (q b)\n    (r c)\n(s d)\n")
    assert Source("(p a)\n(<= (q b)\n    (r c)\n(s d)\n").position(problem.span[0]) == (2, 1)


def test_missing_parenthesis_spoils_one_form_alone() -> None:
    ruleset, problems = read_ruleset(Source("(p a)\n(<= (q ?x) (p ?x)\n(r a)\n(role b c)\n(s d)"))
    assert [problem.code for problem in problems] == ["unclosed-parenthesis", "keyword-arity"]
    assert list(map(str, ruleset.rules)) == ["(p a)", "(r a)", "(s d)"]


def test_five_mistakes_are_reported_in_the_order_of_the_text() -> None:
    text = "(role)\n(<= (p ?x) (q ?x) (distinct ?x))\n((r a))\n(s ?)\n(<= (t a) ?x)\n(u a)"
    assert marked(text) == [
        ("keyword-arity", "(role)"),
        ("keyword-arity", "(distinct ?x)"),
        ("no-name", "("),
        ("bad-character", "?"),
        ("variable-as-atom", "?x"),
    ]
    message = str(GdlSyntaxError(Source(text), errors_of(text)))
    carets = [line for line in message.split("\n") if set(line.strip()) == {"^"}]
    assert [line.index("^") - 1 for line in carets] == [1, 19, 2, 4, 11]


def test_reading_never_raises_and_leaves_out_what_makes_no_sense() -> None:
    ruleset, problems = read_ruleset(Source("(p a) (not) (role) (q b)"))
    assert list(map(str, ruleset.rules)) == ["(p a)", "(q b)"]
    errors = [problem.code for problem in problems if problem.severity is Severity.ERROR]
    assert errors == ["misplaced-keyword", "keyword-arity"]


def test_name_of_the_rulesheet_is_in_the_message() -> None:
    with pytest.raises(GdlSyntaxError, match=r"^mygame\.kif:1:1: error: "):
        gdl.parse("(not)", name="mygame.kif")


# ---------------------------------------------------------------------- bounds


def test_depth_is_bounded() -> None:
    assert gdl.parse("(f " * 199 + "a" + ")" * 199).rules
    assert codes_of("(f " * 201 + "a" + ")" * 201) == ["too-deep"]
    assert codes_of("(" * 100_000) == ["too-deep"]
    assert codes_of("(" * 100_000 + ")" * 100_000) == ["too-deep"]


def test_number_of_problems_is_bounded() -> None:
    assert len(errors_of(")" * 10_000)) == 100
    assert len(errors_of("?\n" * 10_000)) == 100


def test_size_is_bounded() -> None:
    assert codes_of(" " * (32 * 2**20 + 1)) == ["too-long"]


def test_one_long_line_is_read() -> None:
    assert len(gdl.parse("(p a) " * 5_000).rules) == 5_000
    assert gdl.parse(f"(p {'x' * 1_000_000})").rules[0].head.args == (Constant("x" * 1_000_000),)


# ---------------------------------------------------------------------- single terms


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "one-term"),
        ("a b", "one-term"),
        ("(f a) b", "one-term"),
        ("(f a", "unclosed-parenthesis"),
        ("f)", "extra-parenthesis"),
        ("()", "no-name"),
        ("((f a))", "no-name"),
        ("(?x a)", "no-name"),
        ("?", "bad-character"),
    ],
)
def test_text_that_is_not_one_term_is_refused(text: str, code: str) -> None:
    with pytest.raises(GdlSyntaxError) as caught:
        gdl.parse_term(text)
    assert code in [problem.code for problem in caught.value.problems]


def test_term_may_have_blanks_and_comments_around_it() -> None:
    assert gdl.parse_term(" ; hello\n ( mark 1;\n2 ) ") == gdl.parse_term("(mark 1 2)")
