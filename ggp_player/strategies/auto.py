"""The choice of a strategy by the game: what to play when nobody says how."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import prod
from statistics import fmean

from ggp_player.strategies.alpha_beta import AlphaBeta
from ggp_player.strategies.base import Choice, Position, Strategy
from ggp_player.strategies.evaluation import EvaluationName
from ggp_player.strategies.game_tree import moves_by_chance, opponents_of, playout, utility
from ggp_player.strategies.max_n import MaxN
from ggp_player.strategies.planning import Planning

SURVEY_PLAYOUTS = 8
"""Playouts after which a game counts as surveyed."""

SURVEY_STEPS = 150
"""Steps after which it does so too: a slow or endless game must not be surveyed for long."""

SMALL_TREE = 1_000_000
"""Lines of play in a tree that is searched to its end rather than evaluated."""

_log = logging.getLogger(__name__)


class Auto(Strategy):
    """Looks at the game, then plays as the strategy that suits it. Plays every game.

    One player plans. Two whose utilities always have the same sum search with alpha-beta, and so
    does one alone against ``random``; all others with max^n. A game that looks small is searched
    to its end with a cheap evaluation. The choice is made once, logged, and noted with the moves.
    """

    name = "auto"

    def __init__(self) -> None:
        self._survey = Survey()
        self._chosen: Strategy | None = None
        self._reason = ""

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield what the chosen strategy yields, after the first legal move."""
        moves = position.legal_moves
        if not moves:
            return
        if self._chosen is None:
            first = Choice(moves[0], note="looking at the game")
            yield first
            for _ in self._survey.explore(position):
                yield first
            self._chosen, self._reason = suitable(position, self._survey)
            _log.info("%s plays as %s: %s", position.role, self._chosen.name, self._reason)
        why = f"{self._chosen.name}, {self._reason}"
        for choice in self._chosen.search(position):
            yield replace(choice, note=f"{why}; {choice.note}" if choice.note else why)


def suitable(position: Position, survey: Survey) -> tuple[Strategy, str]:
    """Return a strategy for the game of a position, and why it is the one."""
    others = opponents_of(position.machine, position.role)
    rivals = [role for role in others if not moves_by_chance(role)]
    small = survey.size is not None and survey.size <= SMALL_TREE
    how: EvaluationName = "mobility" if small else "quick"
    scale = "a small tree" if small else "a large tree"
    moves = "moves at the same time" if survey.simultaneous else "moves in turn"
    if not others:
        return Planning(), "one player"
    if not rivals:
        return AlphaBeta(evaluation=how), f"one player against chance, {scale}"
    if len(rivals) == 1 and survey.constant_sum:
        return AlphaBeta(evaluation=how), f"two rivals for a constant sum, {moves}, {scale}"
    if len(rivals) == 1:
        return MaxN(evaluation=how), f"two players with interests of their own, {moves}, {scale}"
    return MaxN(evaluation=how), f"{len(rivals) + 1} players, {moves}, {scale}"


@dataclass(slots=True)
class Survey:
    """What some playouts show of a game."""

    playouts: int = 0
    steps: int = 0
    simultaneous: bool = False
    sums: set[int] = field(default_factory=set)
    sizes: list[float] = field(default_factory=list)

    @property
    def constant_sum(self) -> bool:
        """Whether the utilities had the same sum at the end of each playout."""
        return len(self.sums) <= 1

    @property
    def size(self) -> float | None:
        """The estimated number of lines of play, None where no playout came to an end.

        Source: D. Knuth, Estimating the Efficiency of Backtrack Programs (1975).
        """
        return fmean(self.sizes) if self.sizes else None

    def explore(self, position: Position) -> Iterator[None]:
        """Play out until enough is known; yield after each step."""
        while self.playouts < SURVEY_PLAYOUTS and self.steps < SURVEY_STEPS:
            self.playouts += 1
            yield from self._explore_once(position)

    def _explore_once(self, position: Position) -> Iterator[None]:
        machine, last, size = position.machine, position.state, 1.0
        for step in playout(machine, last, position.random):
            choices = [len(machine.legal_moves(step.before, role)) for role in machine.roles]
            size *= prod(choices)
            self.simultaneous |= sum(number > 1 for number in choices) > 1
            self.steps += 1
            last = step.after
            yield
            if self.steps >= SURVEY_STEPS:
                break
        if machine.is_terminal(last):
            players = [role for role in machine.roles if not moves_by_chance(role)]
            self.sums.add(sum(utility(machine, last, role) for role in players))
            self.sizes.append(size)
