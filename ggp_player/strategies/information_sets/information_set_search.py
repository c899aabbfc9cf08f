"""The strategy that searches the information sets of a game with hidden information."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice
from math import isnan
from random import Random
from typing import Annotated

import numpy as np
from pydantic import Field

from gdl import StateMachine, Term
from ggp_player.belief import Belief
from ggp_player.strategies import Choice, EngineStrategy, Limit, Method, MoveReport, Position
from ggp_player.strategies.information_sets.belief_expectimax import BeliefExpectimax
from ggp_player.strategies.information_sets.findings import (
    MAX_VERTICES,
    Equilibrium,
    Findings,
    SearchFinding,
    expectimax_findings,
    tree_findings,
)
from ggp_player.strategies.information_sets.game_graph import GameGraph
from ggp_player.strategies.information_sets.information_set_tree import InformationSetTree
from ggp_player.strategies.information_sets.playouts import playout_evaluator

STEPS_OF_SOLVER = 4
"""Steps that a solver makes for each of the tree search."""


class InformationSetSearch(EngineStrategy):
    """Searches what the players know, in games with hidden information. Plays every game.

    A single player against chance searches its beliefs by expectimax, with more and more moves of
    each belief until that is exact. In a game of several players with at most ``tree`` nodes regret
    minimisation approaches an equilibrium. Beside these, and alone in all other games,
    information-set Monte Carlo tree search goes on. Where a mixture of moves is best, one is drawn.

    Sources: P. Cowling, E. Powley and D. Whitehouse, Information set Monte Carlo tree search
    (2012); O. Tammelin, Solving large imperfect information games using CFR+ (2014).
    """

    name = "information_sets"
    method = Method.INFORMATION_SETS
    plays_by_belief = True

    def __init__(self, tree: Annotated[int, Field(ge=0)] = 200_000) -> None:
        self._max_nodes = tree
        self._graph: GameGraph | None = None
        self._equilibrium: Equilibrium | None = None
        self._moves: tuple[Term, ...] = ()
        self._found: SearchFinding | None = None

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse nothing."""
        return None

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the move that the best finding so far chooses."""
        self._moves = position.legal_moves
        self._found = None
        if not self._moves:
            return
        yield Choice.first_of(self._moves, "looking at the game")
        drawn = position.random.random()  # once: the choice changes only as the policy does
        for found in self._findings(position):
            self._found = found
            bounds = list(accumulate(found.policy.tolist()))
            chosen = int(np.searchsorted(bounds, drawn * bounds[-1], side="right"))
            move = self._moves[min(chosen, len(self._moves) - 1)]
            yield Choice(
                move, found.value, found.proved, found.note, found.method, found.counts, found.limit
            )

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Report the expected value of each move, and how often it was tried."""
        found = self._found
        if found is None or position.legal_moves != self._moves:
            return ()
        return [
            MoveReport(
                move,
                None if isnan(value) else value,
                None if found.visits is None else int(found.visits[number]),
            )
            for number, (move, value) in enumerate(
                zip(self._moves, found.values.tolist(), strict=True)
            )
        ]

    def _findings(self, position: Position) -> Iterator[SearchFinding]:
        """Yield the best finding so far of the searches that suit the game, which run in turn."""
        graph, random = self._graph_of(position.machine), position.random
        role = position.machine.roles.index(position.role)
        belief = position.belief or known_belief(position)
        evaluator = playout_evaluator(position.machine, random)
        tree = InformationSetTree(graph, role, evaluator, random)
        sampling = tree_findings(tree, graph, belief, random)
        solving = self._solving(graph, role, belief, random)
        return _better(sampling, solving, is_alone=graph.chance.count(False) == 1)

    def _solving(self, graph: GameGraph, role: int, belief: Belief, random: Random) -> Findings:
        if graph.chance.count(False) == 1:
            return expectimax_findings(BeliefExpectimax(graph, role), graph, belief, self._moves)
        if self._equilibrium is None:
            self._equilibrium = Equilibrium(graph, self._max_nodes, random)
        return self._equilibrium.findings(role, belief)

    def _graph_of(self, machine: StateMachine) -> GameGraph:
        if self._graph is None or self._graph.machine is not machine:
            self._graph = GameGraph(machine)
            self._equilibrium = None
        elif len(self._graph.vertices) > MAX_VERTICES:
            self._graph.forget()
            self._equilibrium = None
        return self._graph


def _better(sampling: Findings, solving: Findings, is_alone: bool) -> Iterator[SearchFinding]:
    """Yield the better finding of the tree search and of the solver, which run in turn.

    A single player takes the one with the higher value, both being what it can expect. Among
    several, what regret minimisation finds makes the tree search superfluous. The last one says
    which limit has ended them, unless it is proved.
    """
    sampled: SearchFinding | None = None
    solved: SearchFinding | None = None
    best: SearchFinding | None = None
    limit: Limit | None = None
    for is_solver, finding in _in_turn(solving, sampling):
        if is_solver:
            solved = finding or solved
        else:
            sampled = finding
        if solved is not None and (solved.proved or not is_alone):
            sampling.close()
            sampled = None
        limit = (finding and finding.limit) or limit
        found = [finding for finding in (solved, sampled) if finding is not None]
        if found:
            best = replace(max(found, key=lambda finding: finding.value), limit=None)
            yield best
    if best is not None and limit is not None and not best.proved:
        yield replace(best, limit=limit)


def _in_turn(solving: Findings, sampling: Findings) -> Iterator[tuple[bool, SearchFinding | None]]:
    """Yield the steps of both, and whether each is the solver's, until both have ended."""
    is_over = False
    while not is_over:
        is_over = True
        for is_solver, steps in (
            (True, islice(solving, STEPS_OF_SOLVER)),
            (False, islice(sampling, 1)),
        ):
            for finding in steps:
                is_over = False
                yield is_solver, finding


def known_belief(position: Position) -> Belief:
    """The belief of a role that knows the state."""
    belief = Belief(position.machine, position.role, keeps_information=True)
    belief.know(position.state)
    return belief
