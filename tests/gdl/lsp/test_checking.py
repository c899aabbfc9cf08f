"""Texts are checked in a process that can be ended, and only the latest is reported."""

from __future__ import annotations

import queue
from collections.abc import Iterator

import pytest

from gdl.lsp import checking
from gdl.lsp.checking import CheckQueue, ProblemRecords, TextChecker, TextVersion


@pytest.fixture
def checker() -> Iterator[TextChecker]:
    checker = TextChecker()
    yield checker
    checker.close()


def test_texts_are_checked_one_after_the_other(checker: TextChecker) -> None:
    assert "unclosed-parenthesis" in {one["code"] for one in checker.check("(role r)\n(foo")}
    assert "missing-legal" in {one["code"] for one in checker.check("(role 🂡\ud800)")}


def test_a_text_that_cannot_be_checked_gets_a_warning(checker: TextChecker) -> None:
    (problem,) = checker.check("(role r)" * 300_000)
    assert problem["code"] == "not-checked"
    assert "2 MiB" in problem["message"]


def test_a_process_that_does_not_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "GRACE_SECONDS", -9.99)
    checker = TextChecker(seconds=10)
    (problem,) = checker.check("(role r)")
    assert "longer than 10 seconds" in problem["message"]
    monkeypatch.undo()
    assert "missing-goal" in {one["code"] for one in checker.check("(role r)")}
    checker.interrupt()
    checker.check("(role r)")
    assert "missing-goal" in {one["code"] for one in checker.check("(role r)")}
    checker.close()


def test_only_the_latest_version_is_reported() -> None:
    reported: queue.Queue[tuple[TextVersion, ProblemRecords]] = queue.Queue()
    checks = CheckQueue(TextChecker(), lambda *found: reported.put(found))
    for number in range(20):
        checks.put(TextVersion("a", number, "(role r)"))
    checks.put(TextVersion("b", 1, "(role r)"))
    checks.put(TextVersion("c", 1, "(role r)"))
    checks.drop("b")
    found = [reported.get(timeout=60)[0] for _ in "ac"]
    assert {(version.uri, version.number) for version in found} == {("a", 19), ("c", 1)}
    checks.close()
    assert reported.empty()
