"""Monte Carlo tree search guided by patterns that are learned from the game first.

Apart, as each strategy has a file, so that a name leads to one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from gdl import StateMachine
from gdl.engine import SymmetryGroup
from gdl.language import moves_by_chance
from ggp_player.clock import Clock
from ggp_player.strategies import Choice, Component, Position, component
from ggp_player.strategies.learning.stored_evaluations import OwnEvaluation
from ggp_player.strategies.mcts import MINIMAX_SHARE, MonteCarlo, Settings

DEFAULT = Settings()


class LearnedMonteCarlo(MonteCarlo):
    """Tree search as by ``mcts``, guided by patterns. Two roles or more.

    The patterns are those of ``learned_alpha_beta``, learned in ``seconds`` of CPU time, once, or
    stored by ``ggp-player learn``. They say which moves of a node are likely to be best, where
    ``guidance`` takes the place of ``exploration``, and ``temperature``, in logits, makes moves
    more alike; and what each is worth, which counts as so many visits as their ``trust``. The
    part ``minimax_share`` of a move's value is what patterns say, backed up by minimax or max^n.
    Where roles move at once, what patterns say of a leaf is the part ``leaf_weight`` of its value.
    The part ``move_share`` of the time for a move is for learning on from games that begin in its
    position. ``threads`` and ``playouts`` are those of ``mcts``.

    Sources: see :mod:`ggp_player.strategies.mcts.priors`.
    """

    name = "learned_mcts"

    def __init__(
        self,
        seconds: Annotated[float, Field(gt=0, le=3600)] = 12.0,
        threads: Annotated[int, Field(ge=1, le=64)] = 1,
        playouts: Annotated[int, Field(ge=1)] | None = None,
        guidance: Annotated[float, Field(ge=0)] = DEFAULT.guidance,
        temperature: Annotated[float, Field(gt=0)] = DEFAULT.temperature,
        trust: Annotated[float, Field(gt=0)] = DEFAULT.trust,
        minimax_share: Annotated[float, Field(ge=0, le=1)] = MINIMAX_SHARE,
        move_share: Annotated[float, Field(ge=0, lt=1)] = 0.0,
        leaf_weight: Annotated[float, Field(ge=0, le=1)] = DEFAULT.leaf_weight,
        *,
        symmetries: SymmetryGroup | None = None,
        clock: Clock = time.process_time,
    ) -> None:
        super().__init__(threads, playouts, symmetries=symmetries, clock=clock)
        self._settings = self._settings._replace(
            guidance=guidance, temperature=temperature, trust=trust, leaf_weight=leaf_weight
        )
        self._minimax_share = minimax_share
        self._own = OwnEvaluation(seconds, clock)
        self._move_share = move_share

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse a role alone, and what ``mcts`` refuses."""
        if sum(not moves_by_chance(role) for role in machine.roles) < 2:
            return f"{self.name} is for two roles and more"
        return super().refusal(machine)

    @component(Component.TREE_SEARCH)
    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move after each slice, once the patterns are learned."""
        first = Choice.first_of(position.legal_moves, "learning patterns")
        yield first
        machine = self.machine_of(position)
        for _ in self._own.learn(machine, position.random):
            yield first
        for _ in self._own.learn_from(machine, position, self._move_share):
            yield first
        evaluation = self._own.evaluation
        if evaluation is not None:
            self.guide(evaluation.tables, evaluation.weights, self._minimax_share)
        yield from super().search(position)
