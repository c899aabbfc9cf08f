"""The tree of the proof search around its arrays and kernels: it is asked position by position."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gdl import Constant, State, Term
from gdl.engine import PropnetStateMachine, SymmetryGroup, aligned_rows
from ggp_player.search_slices import slice_share
from ggp_player.strategies import Choice, Counts, Limit, MoveReport, Position, tally
from ggp_player.strategies.patterns.pattern_tables import NO_TABLES, new_scratch
from ggp_player.strategies.solver.proof_kernels import (
    FINISHED,
    PAUSED,
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
    ParentPatterns,
    ProofSearch,
    Stack,
    StateEvaluation,
    place_root,
)
from ggp_player.strategies.solver.solver_block import SolverBlock

SLICE = 2**16
"""Nodes visited between two yields in a normal slice: some hundredths of a second."""

MAX_DEPTH = 250
"""Steps; a depth has one byte in the table."""

MOST_BYTES = 2**27
"""Memory for the legal moves of the nodes on the path and beside them, about; where there are many
moves, it limits the depth."""

LANES = 64
"""Lanes to fill with states that may be needless, at least: states are moved so many at a time."""

GATES_FOR_LANE = 45
"""So many gates cost as much as a lane: measured on seven games of 900 to 7,000 gates."""

ENTRY_BYTES = 16
"""The size of an entry of the transposition table."""

NO_EVALUATION = StateEvaluation(NO_TABLES, np.zeros((1, 0), np.float32), 0)
"""All states at the horizon are worth the same."""


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
    all states at the horizon are worth the same. With several ``threads`` the others search the
    position on their own, to the same depth or the next, and share the table (lazy SMP); what is
    found then depends on their timing.

    Source: R. Hyatt and T. Mann, A lock-less transposition table implementation for parallel search
    chess engines (2002).
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        role: Constant,
        entries: int,
        symmetries: SymmetryGroup | None = None,
        evaluation: StateEvaluation | None = None,
        threads: int = 1,
    ) -> None:
        self.problem = ""
        self.position: Position | None = None
        self._is_finished = False
        self._visited_before = 0
        self._machine = machine
        self._mine = self._mover = machine.roles.index(role)
        table = _new_table(1 << entries.bit_length() - 1)
        self._main, *self._helpers = (
            _ThreadSearch(
                SolverBlock(machine, symmetries), self._mine, table, evaluation or NO_EVALUATION
            )
            for _ in range(threads)
        )
        self._pool = ThreadPoolExecutor(len(self._helpers)) if self._helpers else None

    @property
    def proved(self) -> bool:
        """Whether the value of the position is exact."""
        low, high = self._main.bounds
        return low == high

    @property
    def nodes(self) -> int:
        """How many nodes were visited for this position."""
        return sum(each.nodes for each in (self._main, *self._helpers))

    @property
    def visited(self) -> int:
        """How many nodes were visited for all positions."""
        return self._visited_before + self.nodes

    def search(
        self, position: Position, depth: int = MAX_DEPTH, budget: int = 0
    ) -> Iterator[Choice]:
        """Search a position deeper and deeper; yield the best move so far after each slice.

        It ends when the value is proved, or for a reason that the last choice says: at ``depth``,
        after ``budget`` nodes if that is not 0, or where several roles have a choice at once.
        """
        self.start(position)
        depth = min(depth, self._main.max_depth)
        best, reached = Choice.first_of(position.legal_moves), 0
        while reached < depth and not self.proved and not self.problem:
            reached += 1
            for _ in self.deepen(reached, budget):
                if self.has_choice:
                    best = self.choice(best.move)
                yield replace(best, counts=Counts(reached, nodes=self.nodes))
            if 0 < budget <= self.nodes:
                break
        if self.proved:
            return
        if self.problem:
            yield replace(best, note=self.problem)
        else:
            limit = Limit.NODES if 0 < budget <= self.nodes else Limit.DEPTH
            yield replace(best, counts=Counts(reached, nodes=self.nodes), limit=limit)

    def start(self, position: Position) -> None:
        """Make a position the root."""
        self._visited_before += self.nodes
        self.position, self.problem = position, ""
        self._mover = self._machine.roles.index(position.role)
        for each in (self._main, *self._helpers):
            each.start(position.state)

    @property
    def has_choice(self) -> bool:
        """Whether a move is known to be the best of those searched at the present depth.

        Moves of which the table knows the value come before all others, and say nothing alone: the
        best move of the depth before is the first that is searched.
        """
        root = self._main.root_frame
        return self._is_finished or (int(root["index"]) > 0 and int(root["best_move"]) >= 0)

    def deepen(self, depth: int, budget: int = 0) -> Iterator[bool]:
        """Search to a depth; after each slice of the work, yield whether it is finished.

        ``budget`` is how many nodes may be visited for this position in all, 0 for any number.
        """
        assert self.position is not None
        self._main.begin(depth)
        self._is_finished = False
        while not self._is_finished:
            normal = max(1, int(SLICE * slice_share()))
            piece = min(normal, self.position.work_until(self.nodes, normal))
            if budget:
                piece = min(piece, budget - self.nodes)
            if piece <= 0:
                return
            before = self.nodes
            status = self._run(depth, piece)
            self._is_finished = status == FINISHED
            tally(nodes=self.nodes - before, depth=depth if self._is_finished else None)
            if status == REFUSED:
                self.problem = "several roles have a choice at once"
                return
            yield self._is_finished

    def _run(self, depth: int, piece: int) -> int:
        """Search ``piece`` nodes in each thread; return the status of the main thread's search."""
        if self._pool is None:
            return self._main.run(piece)
        for number, helper in enumerate(self._helpers):
            helper.aim_at(depth + (number + 1) % 2)
        running = [self._pool.submit(helper.run, piece) for helper in self._helpers]
        status = self._main.run(piece)
        for each in running:
            each.result()
        return status

    def choice(self, before: Term) -> Choice:
        """Return the best move found at the present depth.

        Of proved moves of the best value the one with the shortest proof is chosen; if all moves
        lose, the one with the longest; on ties the move ``before``.
        """
        assert self.position is not None
        low, high = self._main.bounds
        value, best_move = (int(self._main.root_frame[name]) for name in ("best", "best_move"))
        legal = self.position.legal_moves
        if len(legal) == 1:
            return Choice(legal[0], low if low == high else value, low == high)
        if low < high:
            return Choice(self._own_move(best_move), value)
        best = [known for known in self.moves() if known.low == known.high == low]
        if not best:
            return Choice(before, low, proved=True)
        # The shortest proof gets shorter with each step, so that a win is not put off for ever.
        sign = -1 if low == (LOWEST if self._mover == self._mine else HIGHEST) else 1
        chosen = min(best, key=lambda known: (sign * known.depth, known.move != before))
        return Choice(chosen.move, low, proved=True)

    def moves(self) -> list[RootMove]:
        """Return the proved bounds of each move at the root."""
        return [
            RootMove(self._own_move(move), low, high, depth)
            for move, low, high, depth in self._main.moves()
        ]

    def report(self, position: Position) -> tuple[MoveReport, ...]:
        """Return the bounds of each move, if the last search was of this position."""
        if self.position is None or self.position.state != position.state:
            return ()
        return tuple(
            MoveReport(
                known.move,
                known.low if known.low == known.high else None,
                bounds=(known.low, known.high),
            )
            for known in self.moves()
        )

    def _own_move(self, index: int) -> Term:
        first, last = self._main.block.move_offsets[self._mover : self._mover + 2]
        if not first <= index < last:
            assert self.position is not None
            return self.position.legal_moves[0]
        move: Term = self._machine.moves[self._mover][index - int(first)]
        return move


class _ThreadSearch:
    """The search of one thread: its own block and stack, and the table that all share."""

    def __init__(
        self,
        block: SolverBlock,
        mine: int,
        table: NDArray[np.uint64],
        evaluation: StateEvaluation,
    ) -> None:
        self.block = block
        nodes, stack = _new_stack(block)
        control = np.zeros(1, CONTROL)
        control["mine"], control["lanes"] = mine, _lanes_worth(block)
        lanes = stack.order.shape[1]
        patterns = ParentPatterns(
            np.zeros((lanes, len(evaluation.tables.sizes)), np.uint16),
            np.zeros(lanes, np.int64),
            np.zeros(lanes, np.int32),
            np.zeros((lanes, 1), np.float32),
            new_scratch(evaluation.tables, evaluation.weights),
        )
        self._arrays = ProofSearch(
            block.arrays(), nodes, stack, table, control, evaluation, patterns
        )
        self._depth = 0
        self._status = FINISHED

    @property
    def max_depth(self) -> int:
        """The depth that there is room for."""
        return len(self._arrays.stack.frames) - 2

    @property
    def bounds(self) -> tuple[int, int]:
        """The proved bounds of the root's value."""
        root = self._arrays.nodes.facts[0]
        return int(root["low"]), int(root["high"])

    @property
    def root_frame(self) -> np.void:
        """The root's ``FRAME``."""
        frame: np.void = self._arrays.stack.frames[0]
        return frame

    @property
    def nodes(self) -> int:
        """How many nodes were visited since the start."""
        return int(self._arrays.control[0]["node_count"])

    def start(self, state: State) -> None:
        """Make a state the root."""
        self._arrays = self._arrays._replace(block=self.block.arrays())
        control = self._arrays.control
        control["node_count"], control["problem"] = 0, NO_PROBLEM
        control["age"] = (control["age"] + 1) % 256
        self._depth, self._status = 0, FINISHED
        place_root(self._arrays, self.block.packed(state))

    def begin(self, depth: int) -> None:
        """Begin to search the root to a depth."""
        begin(self._arrays, depth)
        self._depth, self._status = depth, PAUSED

    def aim_at(self, depth: int) -> None:
        """Search to a depth of at least that, unless the search has ended or goes there already."""
        if self._status == FINISHED:
            self.begin(max(depth, self._depth + 1))
        elif self._status == PAUSED and self._depth < depth - 1:
            self.begin(depth)

    def run(self, nodes: int) -> int:
        """Search about so many nodes; return ``PAUSED``, ``FINISHED`` or ``REFUSED``."""
        if self._status == PAUSED:
            self._status = int(search_on(self._arrays, nodes))
        return self._status

    def moves(self) -> list[tuple[int, int, int, int]]:
        """Each move at the root with its bounds, and the depth of the search for them."""
        found = np.zeros((self._arrays.stack.order.shape[1], 4), np.int64)
        return [tuple(row) for row in found[: list_moves(self._arrays, found)].tolist()]


def _lanes_worth(block: SolverBlock) -> int:
    """How many lanes to fill with states that may be needless: they cost what their block costs."""
    layout = block.machine.engine.layout
    gates = 2 * len(layout.moves_view.gates) + len(layout.transition.gates)
    return max(LANES, gates // GATES_FOR_LANE)


def _new_stack(block: SolverBlock) -> tuple[Nodes, Stack]:
    lanes, moves = 64 * block.machine.words, int(block.move_offsets[-1])
    move_words = -(-moves // 64)
    levels = min(MAX_DEPTH + 2, MOST_BYTES // (2 * lanes * 8 * move_words))
    size = 2 * lanes * levels
    nodes = Nodes(
        np.zeros((size, block.words), np.uint64),
        np.zeros((size, move_words), np.uint64),
        np.zeros((size, 2), np.uint64),
        np.zeros(size, FACTS),
    )
    stack = Stack(
        np.zeros(levels, FRAME),
        np.zeros((levels, lanes), np.int32),
        np.zeros(moves, np.int32),
        np.zeros((levels, 2), np.int32),
    )
    return nodes, stack


def _new_table(entries: int) -> NDArray[np.uint64]:
    """Return an empty table, uint64 (entries, 2), with each bucket of four in one cache line."""
    return aligned_rows(entries // 4, 8).reshape(entries, 2)
