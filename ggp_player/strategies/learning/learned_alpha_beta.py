"""Alpha-beta on blocks of states, with an evaluation that is learned from the game first."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from gdl import StateMachine
from gdl.engine import SymmetryGroup
from ggp_player.clock import Clock
from ggp_player.search_memory import search_memory
from ggp_player.strategies import (
    Choice,
    Component,
    EngineStrategy,
    Method,
    MoveReport,
    Position,
    component,
)
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation, has_two_rivals
from ggp_player.strategies.learning.stored_evaluations import OwnEvaluation
from ggp_player.strategies.solver import ENTRY_BYTES, MAX_MOVES, ProofTree


class LearnedAlphaBeta(EngineStrategy):
    """Searches by alpha-beta with an evaluation learned from games. Two roles in turn.

    The evaluation is a sum of weights over patterns, which are digits of a few cells that the rules
    bring together; they are learned by temporal differences from games against itself, which takes
    ``seconds`` of CPU time, once. Where ``ggp-player learn`` has stored an evaluation of the game,
    it is used instead. Then each position is searched deeper and deeper, as by ``proof``, with
    which it shares its search: blocks of siblings, the history heuristic, a transposition table of
    ``megabytes``, or less where :func:`.search_memory` is. Moves after the first are searched with
    a null window, and late ones less deep (late-move reductions); a state near the horizon that is
    far beyond the window is left at its estimate (reverse futility pruning), and at the horizon
    moves that change the evaluation much are followed on (quiescence search). What terminal states
    prove is kept apart from what is evaluated, so that a proved value is exact. With several
    ``threads`` all search the same position and share the table.

    The part ``move_share`` of the time for a move is for learning on from games that begin in its
    position; the search then begins anew.

    The other role is treated as an enemy: without a constant sum a role evaluates what it gets
    itself. The search ends where both have a choice at once.

    Sources: D. Knuth and R. Moore, An analysis of alpha-beta pruning (1975); J. Pearl, Scout: a
    simple game-searching algorithm (1980); E. Heinz, Scalable search in computer chess (2000), for
    reductions, futility and quiescence; M. Thill, P. Koch and W. Konen, Reinforcement learning with
    n-tuples on the game Connect-4 (2012).
    """

    name = "learned_alpha_beta"
    method = Method.LEARNED
    ponders: ClassVar[bool] = True
    max_moves = MAX_MOVES

    def __init__(
        self,
        seconds: Annotated[float, Field(gt=0, le=3600)] = 12.0,
        megabytes: Annotated[int, Field(ge=1)] = 256,
        threads: Annotated[int, Field(ge=1, le=64)] = 1,
        move_share: Annotated[float, Field(ge=0, lt=1)] = 0.0,
        *,
        symmetries: SymmetryGroup | None = None,
        evaluation: LearnedEvaluation | None = None,
        clock: Clock = time.thread_time,
    ) -> None:
        self._memory = megabytes * 2**20
        self._threads = threads
        self._symmetries = symmetries
        self._own = OwnEvaluation(seconds, clock, evaluation)
        self._move_share = move_share
        self._tree: ProofTree | None = None
        self._seen: LearnedEvaluation | None = None

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse chance, interpreted rules, too many moves, and any number of roles but two."""
        if not has_two_rivals(machine):
            return f"{self.name} is for two roles without chance"
        return super().refusal(machine)

    @component(Component.ALPHA_BETA)
    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move so far after each slice, until its value is proved."""
        moves = position.legal_moves
        if not moves:
            return
        first = Choice.first_of(moves, "learning an evaluation")
        yield first
        machine = self.machine_of(position)
        for _ in self._own.learn(machine, position.random):
            yield first
        for _ in self._own.learn_from(machine, position, self._move_share):
            yield first
        yield from self._tree_of(position).search(position)

    @property
    def work(self) -> int:
        """Nodes visited so far."""
        return self._tree.visited if self._tree is not None else 0

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Return the bounds of each move, if the last search was of this position."""
        return self._tree.report(position) if self._tree is not None else ()

    def _tree_of(self, position: Position) -> ProofTree:
        evaluation = self._own.evaluation
        if self._tree is None or evaluation is not self._seen:
            self._seen = evaluation
            machine, role = self.machine_of(position), position.role
            mine = machine.roles.index(role)
            seen = evaluation.seen_from(mine) if evaluation is not None else None
            entries = min(self._memory, search_memory()) // ENTRY_BYTES
            self._tree = ProofTree(machine, role, entries, self._symmetries, seen, self._threads)
        return self._tree
