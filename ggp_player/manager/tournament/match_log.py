"""What goes wrong in a match, step by step, and the result that is made of it.

Warnings are logged by match, while several are played at the same time.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from gdl import Constant
from gdl.language import moves_by_chance
from ggp_player.clock import Clock, monotonic
from ggp_player.errors import MatchError
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.match_runner.game_manager import MatchStep


class MatchLog:
    """Sums up the steps of one match; ``seats`` are the indices of roles that players take."""

    def __init__(self, match: PlannedMatch, roles: Sequence[Constant], max_steps: int) -> None:
        self.match = match
        self.seats = [index for index, role in enumerate(roles) if not moves_by_chance(role)]
        self._steps = 0
        self._errors: list[list[str]] = [[] for _ in self.seats]
        self._longest = [0.0] * len(self.seats)
        self._roles = tuple(str(roles[index]) for index in self.seats)
        self._max_steps = max_steps

    def add(self, step: MatchStep) -> None:
        """Take a step. Raises :class:`MatchError` where the match has too many."""
        self._steps = step.number
        for seat, role in enumerate(self.seats):
            self._longest[seat] = max(self._longest[seat], step.seconds[role])
            if step.errors[role]:
                self._errors[seat].append(f"{step.number} {step.errors[role]}")
        if step.number > self._max_steps:
            raise MatchError(f"no end after {self._max_steps} steps")

    def result(
        self, goals: Sequence[int | None], began: float, failure: str = "", clock: Clock = monotonic
    ) -> MatchResult:
        """Return the result; ``goals`` are those of all roles, none for a match that failed."""
        return MatchResult(
            match_id=self.match.match_id,
            game=self.match.game,
            round=self.match.round,
            seed=self.match.seed,
            roles=self._roles,
            players=self.match.players,
            goals=tuple(goals[index] for index in self.seats) if goals else (),
            steps=self._steps,
            errors=tuple(map(tuple, self._errors)),
            longest_replies=tuple(round(one, 3) for one in self._longest),
            seconds=round(clock() - began, 3),
            failure=failure,
        )


MAX_WARNINGS = 20
"""The most warnings that are kept of a match."""


class _Collector(logging.Handler):
    """Keeps the warnings of one match, that its task, or a task started by it, has logged."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.warnings: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if _collector.get() is self and len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(record.getMessage())


_collector: ContextVar[_Collector | None] = ContextVar("_collector", default=None)


@contextmanager
def warnings_of_match() -> Iterator[list[str]]:
    """Yield a list that receives the warnings of this task and of the tasks started by it."""
    collector, root = _Collector(), logging.getLogger()
    token = _collector.set(collector)
    root.addHandler(collector)
    try:
        yield collector.warnings
    finally:
        root.removeHandler(collector)
        _collector.reset(token)
