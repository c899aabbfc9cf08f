"""A rule inside another form betrays a missing parenthesis, even where the numbers agree."""

from __future__ import annotations

from gdl import Source
from gdl.parser import read_ruleset


def test_a_missing_and_a_surplus_parenthesis_do_not_make_one_form() -> None:
    text = "(role a)\n(role b\n(<= terminal (q))\n(init (q)))\n(legal a x)\n"
    ruleset, problems = read_ruleset(Source(text))
    found = [(problem.code, problem.span[0]) for problem in problems if problem.severity == "error"]
    assert found == [("unclosed-parenthesis", 9), ("extra-parenthesis", text.index(")))") + 2)]
    assert [rule.head.name for rule in ruleset.rules] == ["role", "terminal", "init", "legal"]
