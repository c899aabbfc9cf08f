"""Checking: the problems of rulesheets, found in a process that can be ended.

Rulesheets come from anywhere. So they are checked by ``gdl serve-oracle``, which bounds the time
and memory of an answer, and which is ended should it not answer all the same. It is asked once a
text has rested for a moment; of a text that changes meanwhile only the latest is checked.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

from gdl.system import child_environment

CHECK_SECONDS = 10.0
"""The most time for checking one text."""

GRACE_SECONDS = 2.0
"""How much later the process is ended, should it not have answered."""

MEMORY_MIB = 1024
"""The most memory for checking one text, where the system has such limits."""

REST_SECONDS = 0.2
"""How long a text must not have changed before it is checked."""

ProblemRecords: TypeAlias = list[dict[str, Any]]
"""Problems as :func:`gdl.validation.validator.problem_record` writes them."""


class TextVersion(NamedTuple):
    """A text as it was after some change, with the number that the editor gave to that."""

    uri: str
    number: int | None
    text: str


class TextChecker:
    """Checks one text after the other; starts its process when it needs one."""

    def __init__(self, seconds: float = CHECK_SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def check(self, text: str) -> ProblemRecords:
        """Find the problems of a text; that it cannot be checked is one, too."""
        request = json.dumps({"method": "check", "rules": text}).encode("ascii")
        try:
            answer = self._answer(request)
        except OSError as error:
            answer = {"error": {"message": str(error)}}
        if answer is None:
            answer = {"error": {"message": f"it takes longer than {self._seconds:g} seconds"}}
            self.close()
        if "error" in answer:
            return [_not_checked(answer["error"]["message"])]
        problems: ProblemRecords = answer["result"]["problems"]
        return problems

    def interrupt(self) -> None:
        """End the process, from any thread: what it was asked has no answer then."""
        if (process := self._process) is not None:
            process.kill()

    def close(self) -> None:
        """End the process, and forget it."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _answer(self, request: bytes) -> Any:  # noqa: ANN401 - JSON
        """Return the answer, None if the process has ended or was ended without one."""
        process = self._process = self._process or _started(self._seconds)
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(self._seconds + GRACE_SECONDS, process.kill)
        timer.start()
        try:
            process.stdin.write(request + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            return None
        finally:
            timer.cancel()
        return json.loads(line) if line.endswith(b"\n") else None


def _started(seconds: float) -> subprocess.Popen[bytes]:
    limits = ("--seconds", str(seconds), "--memory", str(MEMORY_MIB))
    return subprocess.Popen(
        [sys.executable, "-m", "gdl", "serve-oracle", *limits],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=child_environment(),
    )


def _not_checked(reason: str) -> dict[str, Any]:
    places = dict.fromkeys(("line", "column", "end_line", "end_column"), 1)
    message = f"the rules are not checked: {reason}"
    return {"severity": "warning", "code": "not-checked", "message": message, **places}


class CheckQueue:
    """Has the latest version of each text checked, and reports what is found of it.

    ``report`` is called in another thread, and not for a text that has changed since.
    """

    def __init__(
        self, checker: TextChecker, report: Callable[[TextVersion, ProblemRecords], None]
    ) -> None:
        self._checker = checker
        self._report = report
        self._checking = threading.Lock()
        self._reporting = threading.Lock()
        self._latest: dict[str, tuple[TextVersion, threading.Timer]] = {}

    def put(self, version: TextVersion) -> None:
        """Have a text checked in place of its earlier version."""
        self.drop(version.uri)
        timer = threading.Timer(REST_SECONDS, self._check, (version,))
        self._latest[version.uri] = version, timer
        timer.start()

    def drop(self, uri: str) -> None:
        """Forget a text: nothing more is reported of it."""
        with self._reporting:
            if uri in self._latest:
                _, timer = self._latest.pop(uri)
                timer.cancel()

    def close(self) -> None:
        """Forget all texts, and end the process."""
        for uri in list(self._latest):
            self.drop(uri)
        self._checker.interrupt()
        with self._checking:
            self._checker.close()

    def _check(self, version: TextVersion) -> None:
        with self._checking:
            problems = self._checker.check(version.text) if self._is_latest(version) else []
            with self._reporting, suppress(OSError):  # the editor may have gone
                if self._is_latest(version):
                    self._report(version, problems)

    def _is_latest(self, version: TextVersion) -> bool:
        latest, _ = self._latest.get(version.uri, (None, None))
        return latest is version
