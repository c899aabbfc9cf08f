"""The health of a server: what does not work as it should, for whoever watches the server.

A server plays on whatever happens: a search that fails is replaced by a simpler one, and code that
cannot be compiled is interpreted. Its replies do not show that. So whoever falls back on less
raises a problem here, and clears it once all works again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Subject(StrEnum):
    """What can be out of order; one problem of each at a time."""

    WARM_UP = "warm-up"
    """What all matches share is not compiled; textbook searches play."""
    SEARCHES = "searches"
    """The strategy fails in a match, which a textbook search plays on."""
    CACHE = "cache"
    """The folder of compiled code is not used."""
    WORKERS = "workers"
    """No worker process can be started."""


@dataclass(frozen=True, slots=True)
class HealthProblem:
    """What is out of order, with a reason for people to read."""

    subject: Subject
    reason: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.reason}"


class Health:
    """The problems that a server has now; none where it is well."""

    def __init__(self) -> None:
        self._problems: dict[Subject, HealthProblem] = {}

    @property
    def problems(self) -> tuple[HealthProblem, ...]:
        """What is out of order now, the longest-standing first."""
        return tuple(self._problems.values())

    def has(self, subject: Subject) -> bool:
        """Check whether there is a problem with a subject."""
        return subject in self._problems

    def raise_problem(self, subject: Subject, reason: str) -> None:
        """Note a problem; it takes the place of an earlier one with the same subject."""
        self._problems[subject] = HealthProblem(subject, reason)

    def clear(self, subject: Subject) -> None:
        """Note that a subject is in order again."""
        self._problems.pop(subject, None)
