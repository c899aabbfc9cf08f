"""The choice of a strategy by the game: what to play when nobody says how.

Games that are compiled are analysed, and played by the strong searches; the others are surveyed by
some playouts, and played by the textbook's.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from statistics import fmean
from typing import Annotated

from pydantic import Field

from gdl import StateMachine
from gdl.analysis import Analysis, Structure
from gdl.analysis.symmetry import generated_group
from gdl.engine import PropnetStateMachine
from ggp_player.strategies import Choice, MoveReport, Position, Strategy
from ggp_player.strategies.engine_strategy import EngineStrategy, compiled_machine
from ggp_player.strategies.mcts import MonteCarlo
from ggp_player.strategies.planner import Planner
from ggp_player.strategies.selection.portfolio import Portfolio
from ggp_player.strategies.solver import Enumeration, Proof, Series
from ggp_player.strategies.textbook import (
    AlphaBeta,
    EvaluationName,
    MaxN,
    SequentialPlanning,
    moves_by_chance,
    opponents_of,
    playout,
    utility,
)

SURVEY_PLAYOUTS = 8
"""Playouts after which a game counts as surveyed."""

SURVEY_STEPS = 150
"""Steps after which it does so too: a slow or endless game must not be surveyed for long."""

SMALL_TREE = 1_000_000
"""Lines of play in a tree that is searched to its end rather than evaluated."""

MAX_STATES = 4_000_000
"""States that are gone through at most."""

_log = logging.getLogger(__name__)


class Auto(EngineStrategy):
    """Looks at the game, then plays as the strategy that suits it. Plays every game.

    Where the rules are compiled, one player plans; others search with playouts, on ``threads``
    cores (0 for all of them), while provers try to solve the game at their side. Where they are
    not, one player plans blindly; two whose utilities always have the same sum search with
    alpha-beta, and so does one alone against ``random``; all others with max^n. The choice is
    made once, logged, and noted with the moves.
    """

    name = "auto"
    ponders = True

    def __init__(self, threads: Annotated[int, Field(ge=0, le=64)] = 0) -> None:
        self._threads = threads or len(os.sched_getaffinity(0))
        self._survey = GameProbe()
        self._analysis: Analysis | None = None
        self._chosen: Strategy | None = None
        self._reason = ""

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse nothing."""
        return None

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield what the chosen strategy yields, after the first legal move."""
        moves = position.legal_moves
        if not moves:
            return
        if self._chosen is None:
            first = Choice(moves[0], note="looking at the game")
            yield first
            for _ in self._look(position):
                yield first
        assert self._chosen is not None
        why = f"{self._chosen.name}, {self._reason}"
        for choice in self._chosen.search(position):
            yield replace(choice, note=f"{why}; {choice.note}" if choice.note else why)

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Return what the chosen strategy reports."""
        return self._chosen.report(position) if self._chosen is not None else ()

    def _look(self, position: Position) -> Iterator[None]:
        """Choose the strategy; yield now and then."""
        machine = compiled_machine(position.machine)
        if machine is not None:
            if self._analysis is None:
                self._analysis = Analysis(machine, position.random.getrandbits(32))
            # Not yielded from: what is broken off here goes on in the next position.
            for _ in self._analysis.work:
                yield
            assert self._analysis.structure is not None
            chosen = strong(machine, self._analysis.structure, self._threads)
            self._chosen, self._reason = chosen
        else:
            yield from self._survey.explore(position)
            self._chosen, self._reason = suitable(position, self._survey)
        _log.info("%s plays as %s: %s", position.role, self._chosen.name, self._reason)


def strong(
    machine: PropnetStateMachine, structure: Structure, threads: int
) -> tuple[Strategy, str]:
    """Return a strategy for a compiled game of which the structure is known, and why it is it."""
    if len(machine.roles) == 1:
        return Planner(decomposition=structure.division), "one player"
    images = generated_group(machine, structure.symmetries)
    main = MonteCarlo(threads=threads, images=images)
    turns = structure.turns.one_at_a_time.value
    rivals = structure.goals.is_rivalry
    alone = len(structure.goals.values) == 1
    manner = "moves in turn" if turns else "moves at the same time"
    if alone:
        kind = "one player against chance"
    elif rivals:
        kind = f"two rivals for a constant sum, {manner}"
    else:
        kind = f"{len(structure.goals.values)} players with interests of their own, {manner}"
    provers: list[Strategy] = []
    if turns and (rivals or alone):
        if structure.division is not None and structure.division.in_series.is_proved:
            provers.append(Series(structure.division))
        typical = structure.size.typical
        if structure.size.states is not None or (typical is not None and typical < MAX_STATES):
            provers.append(Enumeration(states=MAX_STATES, symmetries=images))
        if rivals and structure.turns.chance is None:
            provers.append(Proof(symmetries=images))
    if not provers:
        return main, kind
    return Portfolio(main, provers), f"{kind}, with {' and '.join(p.name for p in provers)}"


def suitable(position: Position, survey: GameProbe) -> tuple[Strategy, str]:
    """Return a strategy for the game of a position, and why it is the one."""
    others = opponents_of(position.machine, position.role)
    rivals = [role for role in others if not moves_by_chance(role)]
    small = survey.size is not None and survey.size <= SMALL_TREE
    how: EvaluationName = "mobility" if small else "quick"
    scale = "a small tree" if small else "a large tree"
    moves = "moves at the same time" if survey.simultaneous else "moves in turn"
    if not others:
        return SequentialPlanning(), "one player"
    if not rivals:
        return AlphaBeta(evaluation=how), f"one player against chance, {scale}"
    if len(rivals) == 1 and survey.constant_sum:
        return AlphaBeta(evaluation=how), f"two rivals for a constant sum, {moves}, {scale}"
    if len(rivals) == 1:
        return MaxN(evaluation=how), f"two players with interests of their own, {moves}, {scale}"
    return MaxN(evaluation=how), f"{len(rivals) + 1} players, {moves}, {scale}"


@dataclass(slots=True)
class GameProbe:
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
