"""What happens in a match, step by step, and the result that is made of it."""

from __future__ import annotations

from collections.abc import Sequence

from gdl import Constant
from gdl.language import moves_by_chance
from ggp_player.clock import Clock, monotonic
from ggp_player.manager import MatchError, MatchStep
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch


class MatchLog:
    """Collects the steps of one match; ``seats`` are the indices of roles that players take."""

    def __init__(self, match: PlannedMatch, roles: Sequence[Constant], max_steps: int) -> None:
        self.match = match
        self.seats = [index for index, role in enumerate(roles) if not moves_by_chance(role)]
        self.steps: list[MatchStep] = []
        self._roles = tuple(str(roles[index]) for index in self.seats)
        self._max_steps = max_steps

    def add(self, step: MatchStep) -> None:
        """Keep a step. Raises :class:`MatchError` where the match has too many."""
        self.steps.append(step)
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
            steps=max(0, len(self.steps) - 1),
            errors=tuple(map(self._errors, self.seats)),
            longest_replies=tuple(map(self._longest_reply, self.seats)),
            seconds=round(clock() - began, 3),
            failure=failure,
        )

    def _errors(self, index: int) -> tuple[str, ...]:
        return tuple(
            f"{step.number} {step.errors[index]}" for step in self.steps if step.errors[index]
        )

    def _longest_reply(self, index: int) -> float:
        return round(max((step.seconds[index] for step in self.steps), default=0.0), 3)
