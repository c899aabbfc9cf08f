"""Proof search: alpha-beta with iterative deepening on blocks of states, until a value is proved.

It looks for proofs, not for good evaluations: a state at the horizon is worth 50, and each node
keeps, beside the value at the present depth, the bounds on its value that follow from terminal
states alone. These hold at any depth, so that what is proved once is never searched again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from gdl import Constant, StateMachine, Term
from gdl.engine import PropnetStateMachine, SymmetryGroup, aligned_rows
from ggp_player.strategies import Choice, EngineStrategy, MoveReport, Position
from ggp_player.strategies.solver.proof_kernels import (
    FINISHED,
    REFUSED,
    begin,
    list_moves,
    search_on,
)
from ggp_player.strategies.solver.proof_nodes import (
    CONTROL,
    FACTS,
    FRAME,
    HIGHEST,
    LOWEST,
    NO_PROBLEM,
    Nodes,
    ProofSearch,
    Stack,
    StateEvaluation,
    place_root,
)
from ggp_player.strategies.solver.solver_block import MAX_MOVES, SolverBlock
from ggp_player.strategies.textbook import moves_by_chance

SLICE = 2**16
"""Nodes visited between two yields: some hundredths of a second."""

MAX_DEPTH = 250
"""Steps; a depth has one byte in the table."""

ENTRY_BYTES = 16
"""The size of an entry of the transposition table."""


NO_EVALUATION = StateEvaluation(np.zeros(0, np.float32), 0)
"""All states at the horizon are worth the same."""


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

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move of each depth, and in between, until the value is proved."""
        moves = position.legal_moves
        if not moves:
            return
        best = Choice(moves[0])
        yield best
        if self._tree is None:
            entries = self.megabytes * 2**20 // ENTRY_BYTES
            self._tree = ProofTree(
                self.machine_of(position), position.role, entries, self._symmetries
            )
        tree = self._tree
        tree.start(position)
        depth = 0
        while depth < self.depth and not tree.proved and not tree.problem:
            depth += 1
            for finished in tree.deepen(depth, self.nodes):
                if finished:
                    best = tree.choice(best.move)
                yield replace(best, note=f"depth {depth}, {tree.nodes} nodes")
            if 0 < self.nodes <= tree.nodes:
                break
        if tree.problem:
            yield replace(best, note=tree.problem)

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Return the bounds of each move, if the last search was of this position."""
        tree = self._tree
        if tree is None or tree.position is None or tree.position.state != position.state:
            return ()
        return tree.report()


@dataclass(frozen=True, slots=True)
class RootMove:
    """A move at the root: proved bounds of its value, and the depth that was searched for them."""

    move: Term
    low: int
    high: int
    depth: int


class ProofTree:
    """The search of one role in one match: a position is started, then searched depth by depth.

    All values are the role's, but a position may be one in which another role moves.

    The table has ``entries``, rounded down to a power of 2, at least 4. Without an ``evaluation``
    all states at the horizon are worth the same.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        role: Constant,
        entries: int,
        symmetries: SymmetryGroup | None = None,
        evaluation: StateEvaluation | None = None,
    ) -> None:
        self.problem = ""
        self.position: Position | None = None
        self._is_finished = False
        self._machine = machine
        self._block = SolverBlock(machine, symmetries)
        self._table = _new_table(1 << entries.bit_length() - 1)
        self._nodes, self._stack = self._new_tree()
        self._control = np.zeros(1, CONTROL)
        self._control["mine"] = self._mover = machine.roles.index(role)
        self._evaluation = evaluation or NO_EVALUATION
        self._search = self._new_search()

    @property
    def proved(self) -> bool:
        """Whether the value of the position is exact."""
        root = self._nodes.facts[0]
        return bool(root["low"] == root["high"])

    @property
    def nodes(self) -> int:
        """How many nodes were visited for this position."""
        return int(self._control[0]["node_count"])

    def start(self, position: Position) -> None:
        """Make a position the root."""
        self.position, self.problem = position, ""
        self._mover = self._machine.roles.index(position.role)
        self._search = self._new_search()
        self._control["node_count"], self._control["problem"] = 0, NO_PROBLEM
        self._control["age"] = (self._control["age"] + 1) % 256
        place_root(self._search, self._block.packed(position.state))

    @property
    def has_choice(self) -> bool:
        """Whether a move is known to be the best of those searched at the present depth.

        Moves of which the table knows the value come before all others, and say nothing alone: the
        best move of the depth before is the first that is searched.
        """
        root = self._stack.frames[0]
        return self._is_finished or (int(root["index"]) > 0 and int(root["best_move"]) >= 0)

    def deepen(self, depth: int, budget: int = 0) -> Iterator[bool]:
        """Search to a depth; after each slice of the work, yield whether it is finished.

        ``budget`` is how many nodes may be visited for this position in all, 0 for any number.
        """
        begin(self._search, depth)
        self._is_finished, status = False, None
        while status != FINISHED:
            piece = min(SLICE, budget - self.nodes) if budget else SLICE
            if piece <= 0:
                return
            status = search_on(self._search, piece)
            if status == REFUSED:
                self.problem = "several roles have a choice at once"
                return
            self._is_finished = status == FINISHED
            yield self._is_finished

    def choice(self, before: Term) -> Choice:
        """Return the best move found at the present depth.

        Of proved moves of the best value the one with the shortest proof is chosen; if all moves
        lose, the one with the longest; on ties the move ``before``.
        """
        assert self.position is not None
        low, high = (int(self._nodes.facts[0][bound]) for bound in ("low", "high"))
        value, best_move = (int(self._stack.frames[0][name]) for name in ("best", "best_move"))
        legal = self.position.legal_moves
        if len(legal) == 1:
            return Choice(legal[0], low if low == high else value, low == high)
        if low < high:
            return Choice(self._own_move(best_move), value)
        best = [known for known in self.moves() if known.low == known.high == low]
        if not best:
            return Choice(before, low, proved=True)
        # The shortest proof gets shorter with each step, so that a win is not put off for ever.
        is_mine = self._mover == int(self._control[0]["mine"])
        sign = -1 if low == (LOWEST if is_mine else HIGHEST) else 1
        chosen = min(best, key=lambda known: (sign * known.depth, known.move != before))
        return Choice(chosen.move, low, proved=True)

    def moves(self) -> list[RootMove]:
        """Return the proved bounds of each move at the root."""
        found = np.zeros((self._stack.order.shape[1], 4), np.int64)
        count = list_moves(self._search, found)
        return [
            RootMove(self._own_move(move), low, high, depth)
            for move, low, high, depth in found[:count].tolist()
        ]

    def report(self) -> tuple[MoveReport, ...]:
        """Return the bounds of each move."""
        return tuple(
            MoveReport(
                known.move,
                known.low if known.low == known.high else None,
                bounds=(known.low, known.high),
            )
            for known in self.moves()
        )

    def _own_move(self, index: int) -> Term:
        first, last = self._block.move_offsets[self._mover : self._mover + 2]
        if not first <= index < last:
            assert self.position is not None
            return self.position.legal_moves[0]
        move: Term = self._machine.moves[self._mover][index - int(first)]
        return move

    def _new_search(self) -> ProofSearch:
        return ProofSearch(
            self._block.arrays(),
            self._nodes,
            self._stack,
            self._table,
            self._control,
            self._evaluation,
        )

    def _new_tree(self) -> tuple[Nodes, Stack]:
        lanes, levels = 64 * self._machine.words, MAX_DEPTH + 2
        moves = int(self._block.move_offsets[-1])
        size = lanes * levels
        nodes = Nodes(
            np.zeros((size, self._block.words), np.uint64),
            np.zeros((size, -(-moves // 64)), np.uint64),
            np.zeros((size, 2), np.uint64),
            np.zeros(size, FACTS),
        )
        stack = Stack(
            np.zeros(levels, FRAME),
            np.zeros((levels, lanes), np.int32),
            np.zeros(moves, np.int32),
        )
        return nodes, stack


def _new_table(entries: int) -> NDArray[np.uint64]:
    """Return an empty table, uint64 (entries, 2), with each bucket of four in one cache line."""
    return aligned_rows(entries // 4, 8).reshape(entries, 2)
