"""Problems are told to programs with their place and their text."""

from __future__ import annotations

import gdl
from gdl import Source
from gdl.validation import problem_record


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
