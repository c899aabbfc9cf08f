"""Every check of the validator, each with a tiny rulesheet that fails it at a marked position."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl import Problem, Ruleset, RulesetError, Severity, Source
from gdl.datalog.normal_form import normal_form
from gdl.language.forms import MAX_NESTING
from gdl.language.keywords import RESERVED_WORDS
from gdl.language.rules import Rule
from gdl.validation import stratification
from gdl.validation.ground_dependencies import NAMELESS
from gdl.validation.validator import MAX_PROBLEMS, problem_record
from tests.support.generators import rulesets

GAME = """
(role you) (init (on a)) (legal you go) (<= (next (on b)) (does you go))
(<= terminal (true (on b))) (goal you 100)
"""
"""A game without a problem, to which the cases add their rules."""


def marked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text without its marks «», and the spans between them."""
    spans = []
    while match := re.search("«([^«»]*)»", text):
        spans.append((match.start(), match.end() - 2))
        text = text[: match.start()] + match.group(1) + text[match.end() :]
    return text, spans


def codes(problems: tuple[Problem, ...], severity: Severity) -> list[str]:
    return [problem.code for problem in problems if problem.severity is severity]


# ---------------------------------------------------------------------- errors

ERRORS = [
    # what the text is made of
    ("unclosed-parenthesis", "«(»p a"),
    ("extra-parenthesis", "(p a)«)»"),
    ("no-name", "(«(»p) a)"),
    ("no-name", "«()»"),
    ("bad-character", "(p «\x00»)"),
    ("bad-character", "(<= (p a) (q «?» a))"),
    ("stray-text", "«glued»"),
    # facts and keywords
    ("variable-in-fact", "(p «?x»)"),
    ("variable-in-fact", "(<= (p a «?x»))"),
    ("keyword-arity", "(<= p «(not (q a) (q b))»)"),
    ("keyword-arity", "(<= p «(distinct a)»)"),
    ("keyword-arity", "(<= p «(or)»)"),
    ("keyword-arity", "«(legal you)»"),
    ("keyword-arity", "(<= p «(true a b)»)"),
    ("keyword-arity", "(<= «(terminal now)» (true (on b)))"),
    ("misplaced-keyword", "(p «not»)"),
    ("misplaced-keyword", "(p «<=» q)"),
    ("misplaced-keyword", "(p («not»))"),
    ("misplaced-keyword", "(p (f («<=») a))"),
    ("misplaced-keyword", "«(distinct a b)»"),
    ("misplaced-keyword", "(<= p «(<= q r)»)"),
    ("variable-as-atom", "(<= p «?x»)"),
    ("role-not-constant", "(role «(player 1)»)"),
    ("role-not-constant", "(<= (role «(player ?n)») (p ?n)) (p 1)"),
    ("keyword-in-head", "«(true (on a))»"),
    ("keyword-in-head", "(<= «(does you go)» (true (on a)))"),
    ("keyword-in-head", "(<= «(true (on a))» (p a))"),
    ("keyword-in-body", "(<= p «(init (on a))»)"),
    ("keyword-in-body", "(<= p (not «(next (on a))»))"),
    ("keyword-in-body", "(<= p (or q «(base (on a))»))"),
    ("keyword-in-body", "(<= p «(input you go)»)"),
    # what may depend on what
    ("depends-on-state", "(<= (role me) «(true (on a))»)"),
    ("depends-on-state", "(<= (init (on c)) (not «(true (on a))»))"),
    ("depends-on-state", "(<= (init (on c)) «p») (<= p q) (<= q (true (on a)))"),
    ("depends-on-state", "(<= (base (on c)) (or p «(does you go)»)) (p a)"),
    ("depends-on-state", "(<= (input you go) p «(q a)») p (<= (q ?x) (true (on ?x)))"),
    ("depends-on-moves", "(<= (legal you ?x) «(does you ?x)»)"),
    ("depends-on-moves", "(<= (goal you 50) (true (on a)) «p») (<= p (does you go))"),
    ("depends-on-moves", "(<= terminal (not «p»)) (<= p (does you go))"),
    # safety
    ("unsafe-variable", "(<= (p «?x») (q a))"),
    ("unsafe-variable", "(<= (p a) (q ?x) (not (q «?y»)))"),
    ("unsafe-variable", "(<= (p a) (q ?x) (distinct ?x «?y»))"),
    ("unsafe-variable", "(<= (p «?x») (distinct ?x a))"),
    ("unsafe-variable", "(<= (p «?x») (or (q ?x) (r ?y)))"),
    ("unsafe-variable", "(<= (p a) (or (q ?x) (r ?y)) (not (q «?y»)))"),
    ("unsafe-variable", "(<= (p a) (or (q a) (and (q ?x) (not (r «?y»)))))"),
    ("unsafe-variable", "(<= (p «?x») (not (or (q a) (not (q b)))))"),
    ("unsafe-variable", "(<= (p (f (g «?x»))) (q a))"),
    # the recursion restriction
    ("unrestricted-recursion", "(<= (p (f ?x)) (p «?x»))"),
    ("unrestricted-recursion", "(<= (p (f ?x)) (q «?x»)) (<= (q ?x) (p ?x))"),
    ("unrestricted-recursion", "(<= (p (f ?x)) (or (p «?x») (r ?x)))"),
    ("unrestricted-recursion", "(<= (p ?x) (q ?x) (p «(f ?x)»))"),
    ("unrestricted-recursion", "(<= (p ?x) (q ?x) (not (r (f ?x))) (p «(f ?x)»))"),
    # negation in cycles
    ("negation-cycle", "(<= p (not «p»))"),
    ("negation-cycle", "(<= p (not «q»)) (<= q p)"),
    ("negation-cycle", "(<= (p ?x) (q ?x) (not «(p ?x)»)) (q a)"),
    ("negation-cycle", "(<= (p ?x) (not «(q ?x)») (nobody ?x)) (<= (q ?x) (p ?x))"),
    ("negation-cycle", "(<= (p ?x) (q ?x ?y) (not «(p ?y)»)) (q a b) (q b a)"),
    ("negation-cycle", "(<= (p ?x) (true (on ?x)) (not «(p ?x)»))"),
    ("negation-cycle", "(<= (p ?x) (q ?x) (or (r ?x) (not «(p ?x)»))) (q a)"),
    ("negation-cycle", "(<= (p ?x) (q ?x) (not (and (r ?x) «(p ?x)»))) (q a)"),
]


@pytest.mark.parametrize(("code", "text"), ERRORS, ids=[f"{c}: {t}" for c, t in ERRORS])
def test_error(code: str, text: str) -> None:
    text, expected = marked(GAME + text)
    problems = gdl.validate(text)
    errors = [p for p in problems if p.severity is Severity.ERROR]
    assert [(p.code, p.span) for p in errors] == [(code, span) for span in expected]


@pytest.mark.parametrize("name", ["role", "legal", "goal", "terminal"])
def test_missing_relation(name: str) -> None:
    forms = re.findall(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", GAME)
    text = "\n".join(form for form in forms if not re.match(rf"\((<= \(?)?{name}\b", form))
    assert codes(gdl.validate(text), Severity.ERROR) == [f"missing-{name}"]


def test_an_empty_rulesheet_lacks_all_that_a_game_needs() -> None:
    missing = {f"missing-{name}" for name in ("role", "legal", "goal", "terminal")}
    assert {problem.code for problem in gdl.validate("")} == missing
    assert {problem.code for problem in gdl.validate("; only a comment")} == missing


def test_what_could_not_be_read_is_not_called_missing() -> None:
    spoilt = "(p a) (<= (legal you ?x) (q ?x) (r ?x)) (<= (q ?x) (p ?x)) (<= (goal you 100) (p a)"
    problems = gdl.validate(GAME.replace("(goal you 100)", spoilt.replace("(<= (q", "(<= (or) (q")))
    assert codes(problems, Severity.ERROR) == ["misplaced-keyword", "unclosed-parenthesis"]
    # `goal`, `p` and `q` occur in what could not be read; `r` occurs nowhere else
    assert codes(problems, Severity.WARNING) == ["undefined-relation"]


# ---------------------------------------------------------------------- warnings

WARNINGS = [
    ("relation-arities", "(<= (legal you stay) (p a) («p» a b)) (p a) (p a b)"),
    ("function-arities", "(init (on a)) (init («on» a b))"),
    ("relation-and-function", "(init («p» a)) (p a) (<= (legal you stay) (p a))"),
    ("empty-body", "«(<= (legal you stay))»"),
    ("empty-parentheses", "(<= (legal you stay) «(p)») (<= p (true (on a)))"),
    ("empty-parentheses", "(legal you «(stay)»)"),
    ("negated-distinct", "(<= (legal you ?x) (p ?x) «(not (distinct ?x a))») (p a)"),
    (
        "negated-distinct",
        "(<= (legal you ?x) (p ?x) (or (q ?x) «(not (distinct ?x a))»)) (p a) (q a)",
    ),
    ("and-connective", "(<= (legal you stay) «(and (true (on a)) (true (on a)))»)"),
    ("keyword-as-term", "(legal you «true»)"),
    ("keyword-as-term", "(<= (sees you («does» you ?m)) (does you ?m))"),
    ("keyword-as-term", "(init (on («not» 18)))"),
    ("undefined-relation", "(<= (legal you stay) («p» a))"),
    ("undefined-relation", "(<= (legal you stay) (not «p»))"),
    ("unused-relation", "(«p» a)"),
    ("unused-relation", "(<= («p» ?x) (p ?x))"),
    ("never-true", "(<= (legal you stay) (true «(no a)»))"),
    ("never-true", "(<= (legal you stay) (or (not (true «no»)) (true no)))"),
    ("never-does", "(<= (next (on c)) (does you «(jump ?x)»))"),
    ("unknown-role", "(legal «me» go)"),
    ("unknown-role", "(<= (next (on c)) (does «me» go))"),
    ("capitals", "(legal you stay) (init (on STAY))".replace("STAY", "«Stay»")),
    ("capitals", "(P a) (<= (legal you stay) («p» a))"),
    ("capitals", "(<= (legal you ?X) (p «?x»)) (p a)"),
    ("unusual-name", "(legal you «+2»)"),
    ("unusual-name", "(<= (legal you «?n++») (p ?n++)) (p a)"),
    ("bare-fact", "(<= (legal you stay) p) «p»"),
]


@pytest.mark.parametrize(("code", "text"), WARNINGS, ids=[f"{c}: {t}" for c, t in WARNINGS])
def test_warning(code: str, text: str) -> None:
    text, expected = marked(GAME + text)
    problems = gdl.validate(text)
    assert [(p.severity, p.code, p.span) for p in problems] == [
        (Severity.WARNING, code, span) for span in expected
    ]


def test_negation_that_is_too_large_to_decide_is_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stratification, "MAX_INSTANTIATION_STEPS", 1000)
    objects = " ".join(f"(e {number})" for number in range(20))
    rule = "(<= (p ?a ?b ?c ?d) (e ?a) (e ?b) (e ?c) (e ?d) (not «(p ?d ?c ?b ?a)»))"
    text, (span,) = marked(f"{GAME} {objects} {rule} (<= (legal you stay) (p 1 2 3 4))")
    (problem,) = gdl.validate(text)
    assert (problem.severity, problem.code) == (Severity.WARNING, "undecided-negation")
    assert problem.span == span


# ---------------------------------------------------------------------- accepted

ACCEPTED = [
    "(<= (goal you 50) (not (goal you 0)))",
    "(<= (goal ?r 50) (role ?r) (not (goal ?r 0))) (<= (goal ?r 0) (role ?r) (not (true (on b))))",
    # a game on a graph without cycles
    "(e a b) (e b c) (<= (win ?x) (e ?x ?y) (not (win ?y))) (<= (legal you stay) (win a))",
    # ranks given by a recursive relation
    "(s 1 2) (s 2 3) (<= (lt ?x ?y) (s ?x ?y)) (<= (lt ?x ?z) (s ?x ?y) (lt ?y ?z))"
    "(<= (win ?x) (lt ?y ?x) (not (win ?y))) (<= (legal you stay) (win 2))",
    # facts that always keep their order
    "(init (s 1 2)) (init (s 2 3)) (<= (next (s ?x ?y)) (true (s ?x ?y)))"
    "(<= (win ?x) (true (s ?x ?y)) (not (win ?y))) (<= (legal you stay) (win 1))",
    # cycles without negation, and negation without a cycle
    "(<= (p a) (p b)) (<= (p b) (p a)) (<= (legal you stay) (not (p a)))",
    "(<= (r ?a (f ?a)) (r ?b ?a) (q ?b)) (r 0 0) (q 0) (<= (legal you stay) (r 0 0))",
    "(<= (legal you ?x) (or (p ?x) (not (not (p ?x))))) (p a)",
    "(<= (legal you ?x) (distinct ?x ?y) (not (q ?y)) (p ?x ?y)) (p a b) (q c)",
    "(<= (role me) (p a)) (p a) (legal me go) (goal me 0)",
    "(<= (init (on ?x)) (p ?x)) (p c) (<= (base (on ?x)) (p ?x)) (<= (input ?r go) (role ?r))",
    "(<= (goal you 10) (p a)) (<= (p a) (legal you go))",
    "(<= (next (on ?m)) (legal you ?m) (does you ?m))",
    "(<= (legal you stay) (p ?x ?x)) (p a a)",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted_without_problems(text: str) -> None:
    assert gdl.validate(GAME + text) == ()


def test_a_cycle_is_named_atom_by_atom() -> None:
    text = GAME + "(<= (p ?x) (e ?x) (not (q ?x))) (<= (q ?x) (r ?x)) (<= (r ?x) (p ?x)) (e b)"
    (problem,) = (p for p in gdl.validate(text) if p.severity is Severity.ERROR)
    assert problem.message == (
        "(p b) depends on its own negation: (p b) -> (not (q b)) -> (r b) -> (p b)"
    )


def test_a_chain_of_dependencies_is_named() -> None:
    text = GAME + "(<= (init (on c)) p) (<= p q) (<= q (true (on a)))"
    (problem,) = gdl.validate(text)
    assert problem.message == "'init' must not depend on 'true': p -> q -> true"


# ---------------------------------------------------------------------- the whole

FIVE_MISTAKES = """\
(role you)
(legal you «?move»)
(<= (next (at ?y))
    (does you (to ?y ?z))
    (not (wall «?w»)))
(<= terminal
    «(true goal here)»)
(<= (goal you 100)
    («reched» exit))
(init (at entrance))«)»
(wall north)
"""


def test_five_mistakes_are_shown_each_with_a_caret_under_its_column() -> None:
    text, spans = marked(FIVE_MISTAKES)
    source = Source(text, "maze.kif")
    problems = gdl.validate(source)
    assert [problem.span for problem in problems] == spans
    shown = [source.describe(problem).splitlines() for problem in problems]
    assert [
        (head.split(": ")[0], line.strip(), line[caret.index("^") : caret.rindex("^") + 1])
        for head, line, caret in shown
    ] == [
        ("maze.kif:2:12", "(legal you ?move)", "?move"),
        ("maze.kif:5:16", "(not (wall ?w)))", "?w"),
        ("maze.kif:7:5", "(true goal here))", "(true goal here)"),
        ("maze.kif:9:6", "(reched exit))", "reched"),
        ("maze.kif:10:21", "(init (at entrance)))", ")"),
    ]


def test_a_ruleset_has_the_problems_of_its_text() -> None:
    text = GAME + "(<= (legal you ?X) (p ?x)) (<= (p ?x) (not (distinct a ?x))) (<= (legal you a))"
    problems = gdl.validate(text)
    assert {"capitals", "negated-distinct", "empty-body", "unsafe-variable"} == {
        problem.code for problem in problems
    }
    assert gdl.validate(gdl.parse(text)) == problems
    assert gdl.validate(Source(text, "name")) == problems


def test_problems_come_in_the_order_of_the_text_and_once() -> None:
    text = GAME + "(p ?x) (<= (q ?y) (r a)) (<= (init ?z) (true ?z)) (P b) (<= (q a) (q (f a)))"
    problems = gdl.validate(text)
    assert [p.span for p in problems] == sorted(p.span for p in problems)
    assert len(set(problems)) == len(problems) > 5


def test_a_flood_of_mistakes_is_cut_short() -> None:
    flood = " ".join(f"(<= (legal you ?x{n}) (p{n} a))" for n in range(2 * MAX_PROBLEMS))
    found = [problem.code for problem in gdl.validate(GAME + flood)]
    assert found.count("unsafe-variable") == MAX_PROBLEMS
    assert found.count("undefined-relation") == MAX_PROBLEMS


def test_rules_without_a_text_as_deep_as_texts_may_be() -> None:
    literal: gdl.Literal = gdl.Atom("p", (gdl.Variable("x"),))
    for _ in range(MAX_NESTING // 2):
        literal = gdl.Not(gdl.And((literal,)))
    rule = Rule(gdl.Atom("p", (gdl.Variable("x"),)), (literal,))
    assert "missing-role" in codes(gdl.validate(Ruleset((rule,))), Severity.ERROR)


# ---------------------------------------------------------------------- properties

KEYWORDS = sorted(RESERVED_WORDS)
TOKENS = st.sampled_from([*"((()))", *"pqfab;?", "?x", "?y", "?x", "\n", "100", "<=", *KEYWORDS])


@given(st.lists(TOKENS, max_size=60))
def test_anything_gives_problems_within_the_text(tokens: list[str]) -> None:
    text = " ".join(tokens)
    for problem in gdl.validate(text):
        start, end = problem.span
        assert 0 <= start <= end <= len(text)
        assert problem.message
        assert Source(text).describe(problem)


@pytest.mark.thorough
@settings(deadline=None, max_examples=25)
@given(rulesets())
def test_rules_with_a_meaning_have_no_errors(ruleset: Ruleset) -> None:
    for problem in gdl.validate(ruleset):
        # The generator's recursion is finite without the restriction, and where a relation is not
        # defined at all, a cycle through negation is an error though it can do no harm.
        harmless = problem.code == "unrestricted-recursion" or NAMELESS.name in problem.message
        assert problem.severity is Severity.WARNING or harmless, problem


@pytest.mark.thorough
@settings(deadline=None, max_examples=25)
@given(rulesets(in_cycles=True))
def test_negation_that_the_reasoner_refuses_is_an_error(ruleset: Ruleset) -> None:
    try:
        machine = gdl.interpret(ruleset)
        state = machine.initial_state()
        for role in machine.roles:
            machine.goals(state, role)
            machine.legal_moves(state, role)
        machine.is_terminal(state)
    except RulesetError:
        assert "negation-cycle" in codes(gdl.validate(ruleset), Severity.ERROR)


@pytest.mark.thorough
@settings(deadline=None, max_examples=25)
@given(rulesets())
def test_a_variable_that_the_reasoner_cannot_bind_is_an_error(ruleset: Ruleset) -> None:
    for rule in ruleset.rules:
        for index in range(len(rule.body)):
            shorter = Rule(rule.head, rule.body[:index] + rule.body[index + 1 :])
            try:
                normal_form([shorter], Source(""))
            except RulesetError:
                found = codes(gdl.validate(Ruleset((shorter,))), Severity.ERROR)
                assert {"unsafe-variable", "variable-in-fact"} & set(found)


def test_a_problem_has_its_place_and_its_text() -> None:
    source = Source("(role a)\n(legal a b c)")
    (problem,) = (one for one in gdl.validate(source) if one.code == "keyword-arity")
    assert problem_record(source, problem) == {
        "severity": "error",
        "code": "keyword-arity",
        "message": "'legal' takes 2 arguments, found 3",
        "line": 2,
        "column": 1,
        "end_line": 2,
        "end_column": 14,
        "text": "(legal a b c)",
    }
