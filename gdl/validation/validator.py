"""The validator: everything that is wrong or odd about a rulesheet, found without playing it.

Each check is a function from a :class:`~gdl.validation.context.CheckContext` to problems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeAlias

from gdl.errors import Problem, Severity, Source
from gdl.language import Ruleset, read_ruleset
from gdl.validation.context import CheckContext
from gdl.validation.keywords import (
    forbidden_dependencies,
    impossible_terms,
    misformed_roles,
    misplaced_relations,
    missing_relations,
    unknown_roles,
)
from gdl.validation.names import (
    keywords_in_terms,
    names_used_in_two_ways,
    negated_inequalities,
    odd_spellings,
    undefined_relations,
    unused_relations,
)
from gdl.validation.safety import unrestricted_recursion, unsafe_variables
from gdl.validation.stratification import negation_cycles

MAX_PROBLEMS = 200
"""How many problems each check reports before it stops looking for more."""

Check: TypeAlias = Callable[[CheckContext], Iterator[Problem]]

CHECKS: tuple[Check, ...] = (
    missing_relations,
    misplaced_relations,
    misformed_roles,
    forbidden_dependencies,
    unsafe_variables,
    unrestricted_recursion,
    negation_cycles,
    names_used_in_two_ways,
    keywords_in_terms,
    odd_spellings,
    undefined_relations,
    unused_relations,
    impossible_terms,
    unknown_roles,
    negated_inequalities,
)


def validate(rules: Ruleset | Source | str) -> tuple[Problem, ...]:
    """Find every problem of a ruleset, or of a rulesheet's text, in text order.

    The problems found by the parser are among them. Never raises for a bad rulesheet, and takes
    bounded time and memory. Rules with an ERROR cannot be played; a WARNING is a harmless oddity.
    """
    if isinstance(rules, Ruleset):
        ruleset, problems = rules, rules.warnings
    else:
        source = Source(rules) if isinstance(rules, str) else rules
        ruleset, problems = read_ruleset(source)
    complete = all(problem.severity is not Severity.ERROR for problem in problems)
    context = CheckContext.of(ruleset, complete=complete)
    found = dict.fromkeys(problems)
    for check in CHECKS:
        found |= dict.fromkeys(islice(check(context), MAX_PROBLEMS))
    return tuple(sorted(found, key=lambda problem: problem.span))


def problem_record(source: Source, problem: Problem) -> dict[str, Any]:
    """Write a problem as a JSON object; lines and columns count from 1."""
    start, end = problem.span
    line, column = source.position(start)
    end_line, end_column = source.position(end)
    return {
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "text": source.text[start:end],
    }
