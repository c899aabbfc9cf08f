"""Proof search: alpha-beta with iterative deepening on blocks of states, until a value is proved.

It looks for proofs, not for good evaluations: a state at the horizon is worth 50, and each node
keeps, beside the value at the present depth, the bounds on its value that follow from terminal
states alone. These hold at any depth, so that what is proved once is never searched again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from gdl import StateMachine
from gdl.engine import SymmetryGroup
from gdl.language import moves_by_chance
from ggp_player.strategies import (
    Choice,
    Component,
    EngineStrategy,
    Method,
    MoveReport,
    Position,
    component,
)
from ggp_player.strategies.solver.proof_tree import ENTRY_BYTES, MAX_DEPTH, ProofTree
from ggp_player.strategies.solver.solver_block import MAX_MOVES


class Proof(EngineStrategy):
    """Searches for a proof of the game's value, for roles that take turns. No role ``random``.

    Every other role is treated as an enemy; for two roles and a constant sum the values are the
    game's, otherwise pessimistic, as in ``minimax``. The search ends where several roles have a
    choice at once. Siblings are expanded together in one block, terminal states among the children
    are recognised at once, and transpositions are looked up before anything is searched; moves are
    ordered by the table, then by the history heuristic. The table, of ``megabytes``, is kept
    between steps; states that the ``symmetries`` map to each other have one entry. ``depth`` is the
    largest depth, in steps; a search visits at most ``nodes`` nodes, 0 for no limit.

    Source: D. Knuth and R. Moore, An Analysis of Alpha-Beta Pruning (1975); J. Schaeffer, The
    History Heuristic (1983); D. Breuker, Memory versus Search in Games (1998), for the table.
    """

    name = "proof"
    method = Method.PROOF_SEARCH
    max_moves = MAX_MOVES

    def __init__(
        self,
        depth: Annotated[int, Field(ge=1, le=MAX_DEPTH)] = MAX_DEPTH,
        nodes: Annotated[int, Field(ge=0)] = 0,
        megabytes: Annotated[int, Field(ge=1)] = 128,
        *,
        symmetries: SymmetryGroup | None = None,
    ) -> None:
        self.depth = depth
        self.nodes = nodes
        self.megabytes = megabytes
        self._symmetries = symmetries
        self._tree: ProofTree | None = None

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse chance, interpreted rules, and games with too many moves."""
        if any(map(moves_by_chance, machine.roles)):
            return "proof is for games without chance, and this one has the role random"
        return super().refusal(machine)

    @component(Component.PROOF)
    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move of each depth, and in between, until the value is proved."""
        moves = position.legal_moves
        if not moves:
            return
        yield Choice.first_of(moves)
        if self._tree is None:
            entries = self.megabytes * 2**20 // ENTRY_BYTES
            self._tree = ProofTree(
                self.machine_of(position), position.role, entries, self._symmetries
            )
        for choice in self._tree.search(position, self.depth, self.nodes):
            yield replace(choice, method=Method.SOLVED) if choice.proved else choice

    @property
    def work(self) -> int:
        """Nodes visited so far."""
        return self._tree.visited if self._tree is not None else 0

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Return the bounds of each move, if the last search was of this position."""
        return self._tree.report(position) if self._tree is not None else ()
