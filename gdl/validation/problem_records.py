"""Problems of rulesheets as JSON, for programs."""

from __future__ import annotations

from typing import Any

from gdl.errors import Problem, Source


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
