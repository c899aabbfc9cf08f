"""Max^n: several players, each for itself.

The value of a state is the vector of all roles' utilities. The role that moves chooses the vector
that is best for itself, and of several such the one that is worst for the others together; of those
that are still equal it chooses the first. So a role that cannot gain is not expected to help.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, TypeAlias

from pydantic import Field

from gdl import Constant, State, StateMachine, Term
from gdl.language import moves_by_chance
from ggp_player.strategies import Choice, Counts, Method, Position
from ggp_player.strategies.textbook.evaluation import EvaluationName, Evaluator, features_of
from ggp_player.strategies.textbook.game_tree import (
    HIGHEST_VALUE,
    Moves,
    MoveScore,
    ScoringStrategy,
    in_role_order,
    iterative_deepening,
    own_first,
    utility,
)
from ggp_player.strategies.textbook.memory import MemoTable

Utilities: TypeAlias = tuple[float, ...]
"""One value per role, in the order of the game's roles."""

BEST_RANK = (100, 0)
"""The rank of a vector that none can surpass: everything for one role, nothing for the others."""


class MaxN(ScoringStrategy):
    """Depth-limited max^n search with iterative deepening. Refuses games for one role.

    ``depth`` is the largest depth, in steps; ``evaluation`` names the mixture of features that
    values states at the horizon, for every role. Moves made at the same time are analysed as if the
    player chose first, then the others in the order of the roles; for ``random`` the mean is taken.
    Nothing is kept between steps.

    Where the utilities of two roles have a constant sum, this is minimax. Where they have none it
    differs from :mod:`.minimax`, which takes every other role for an enemy.

    Source: C. Luckhardt and K. Irani, An Algorithmic Solution of N-Person Games (1986), where ties
    are left open; S. Russell and P. Norvig, Artificial Intelligence: A Modern Approach, 3rd
    edition, section 5.2.
    """

    name = "max_n"
    method = Method.MAX_N

    def __init__(
        self, depth: Annotated[int, Field(ge=1)] = 200, evaluation: EvaluationName = "quick"
    ) -> None:
        self.depth = depth
        self.evaluation = evaluation

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse games in which nobody else moves."""
        if len(machine.roles) > 1:
            return None
        return "max_n is for games of two or more roles, and this one has one"

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move so far, after each move searched and after each depth."""
        evaluator = Evaluator(position.machine, features_of(self.evaluation, position.random))
        scores: dict[Term, MoveScore] = {}
        self._searched, self._scores = position.state, scores

        def iteration(position: Position, depth: int, before: Choice) -> Iterator[Choice]:
            tree = self._new_tree(position, evaluator)
            tree.scores = scores
            return tree.bestmove(position.state, depth, before)

        return iterative_deepening(position, self.depth, iteration)

    def _new_tree(self, position: Position, evaluator: Evaluator) -> MaxNTree:
        return MaxNTree(position.machine, position.role, evaluator)


class MaxNTree:
    """The tree to one depth.

    ``horizons`` counts the evaluations that values depend on: a vector during whose search it stays
    the same holds however deep the search is.
    """

    def __init__(self, machine: StateMachine, role: Constant, evaluator: Evaluator) -> None:
        self.machine = machine
        self.role = role
        self.own_index = machine.roles.index(role)
        self.choosing = [i for i, each in enumerate(machine.roles) if not moves_by_chance(each)]
        self.order = own_first(machine, role)
        self.evaluator = evaluator
        self.horizons = 0
        self.scores: dict[Term, MoveScore] = {}
        self.memory: MemoTable[tuple[State, int], tuple[Utilities, bool]] = MemoTable()

    def bestmove(self, state: State, depth: int, before: Choice) -> Iterator[Choice]:
        """Search all moves of a state; yield the best so far after each of them.

        The move of the choice ``before`` is searched first if it has a value, and wins ties.
        """
        moves = list(self.machine.legal_moves(state, self.role))
        if before.value is not None:
            moves.sort(key=lambda move: move != before.move)
        best, best_rank, is_final = before, None, False
        for move in moves:
            horizons = self.horizons
            vector = self.picked((move,), state, depth)
            final = self.horizons == horizons
            own = vector[self.own_index]
            self.scores[move] = MoveScore(own, final=final, extremes_are_final=False)
            rank = self.rank(vector, self.own_index)
            if best_rank is None or rank > best_rank:
                best, best_rank = Choice(move, rank[0], counts=Counts(depth)), rank
                is_final = final
            yield best
            if best_rank == BEST_RANK:
                break
        is_best = is_final and best.value == HIGHEST_VALUE
        yield replace(best, proved=is_best or not self.horizons)

    def utilities(self, state: State, depth: int) -> Utilities:
        """Return the utilities of all roles if each plays for itself."""
        known = self.memory.get((state, depth))
        if known is None:
            horizons = self.horizons
            vector = self._searched(state, depth)
            known = self.memory[state, depth] = vector, self.horizons == horizons
        elif not known[1]:
            self.horizons += 1
        return known[0]

    def _searched(self, state: State, depth: int) -> Utilities:
        roles = self.machine.roles
        if self.machine.is_terminal(state):
            return tuple(utility(self.machine, state, role) for role in roles)
        if depth == 0:
            self.horizons += 1
            return tuple(self.evaluator.value(state, role) for role in roles)
        return self.picked((), state, depth)

    def picked(self, moves: Moves, state: State, depth: int) -> Utilities:
        """Return the vector chosen by the role that follows ``moves``."""
        if len(moves) == len(self.order):
            joint_move = in_role_order(self.machine, self.role, moves)
            return self.utilities(self.machine.next_state(state, joint_move), depth - 1)
        role, before = self.order[len(moves)], self.horizons
        vectors: list[Utilities] = []
        finals: list[bool] = []
        for move in self.machine.legal_moves(state, role):
            horizons = self.horizons
            vectors.append(self.picked((*moves, move), state, depth))
            finals.append(self.horizons == horizons)
        if not vectors:
            return (0,) * len(self.order)
        if moves_by_chance(role):
            return tuple(sum(column) / len(vectors) for column in zip(*vectors, strict=True))
        ranks = [self.rank(vector, self.machine.roles.index(role)) for vector in vectors]
        if (BEST_RANK, True) in zip(ranks, finals, strict=True):
            self.horizons = before  # whatever the others are worth, they are no better
        return vectors[ranks.index(max(ranks))]

    def rank(self, vector: Utilities, index: int) -> tuple[float, float]:
        """Rank a vector for a role: by its own utility, then by how little the others get."""
        return vector[index], -sum(vector[other] for other in self.choosing if other != index)
