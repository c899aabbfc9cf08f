"""The textbook strategies with a record of what they visit, to be drawn and talked about.

The routines are the textbook's own: each is called as ever, and a visit is noted around the call.
What differs is that they tell: :meth:`Strategy.report` has the moves with their lines. A visit
takes up to twice the stack, so that a search that ends for want of stack does so at half the depth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from gdl import Constant, State, Term
from ggp_player.inspect.search_trace import FULL, Node, NodeKind, SearchTrace, Window
from ggp_player.strategies import Choice, MoveReport, Position, Strategy
from ggp_player.strategies.textbook import (
    AlphaBeta,
    AlphaBetaTree,
    BoundedMinimax,
    BoundedSearch,
    DepthLimitedTree,
    Evaluator,
    MaxN,
    MaxNTree,
    Minimax,
    MinimaxSearch,
    Moves,
    NegamaxTree,
    Utilities,
    flipped,
    in_role_order,
    moves_by_chance,
    opponents_of,
)


class TracedStrategy(Strategy):
    """A strategy with the ``record`` of its last search, None before there is one."""

    record: SearchTrace | None = None

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Return what the record knows of the position's moves."""
        return self.record.report(position.state) if self.record else ()


def _recorded(
    record: SearchTrace, state: State, kind: NodeKind, window: Window, search: Iterator[Choice]
) -> Iterator[Choice]:
    """Yield what a search yields; it makes one tree, which is finished when the search is."""
    record.begin(state, kind, window)
    last = None
    for choice in search:
        last = choice
        yield choice
    if last is not None:
        record.finish(last)


# ------------------------------------------------------------- minimax, bounded minimax


class RecordedMinimax(TracedStrategy, Minimax):
    """Minimax that keeps a record."""

    def search(self, position: Position) -> Iterator[Choice]:
        """Search as minimax does."""
        self.record = SearchTrace(position.machine, position.role)
        search = _MinimaxSearch(self.record).bestmove(position.state)
        return _recorded(self.record, position.state, NodeKind.MAX, FULL, search)


class _MinimaxSearch(MinimaxSearch):
    def __init__(self, record: SearchTrace) -> None:
        super().__init__(record.machine, record.role)
        self._record = record

    def maxscore(self, state: State) -> int:
        with self._record.visit(Node(state, self.role, NodeKind.MAX)) as node:
            node.value = value = super().maxscore(state)
        return value

    def minscore(self, moves: Moves, state: State) -> int:
        with self._record.visit(_enemy(self.role, self.opponents, moves, state)) as node:
            node.value = value = super().minscore(moves, state)
        return value


class RecordedBoundedMinimax(TracedStrategy, BoundedMinimax):
    """Bounded minimax that keeps a record."""

    def search(self, position: Position) -> Iterator[Choice]:
        """Search as bounded minimax does."""
        self.record = SearchTrace(position.machine, position.role)
        window = self.lower, self.upper
        search = _BoundedSearch(self.record, *window).bestmove(position.state)
        return _recorded(self.record, position.state, NodeKind.MAX, window, search)


class _BoundedSearch(BoundedSearch):
    def __init__(self, record: SearchTrace, lower: int, upper: int) -> None:
        super().__init__(record.machine, record.role, lower, upper)
        self._record = record
        self._window = lower, upper

    def maxscore(self, state: State) -> int:
        with self._record.visit(Node(state, self.role, NodeKind.MAX, window=self._window)) as node:
            node.value = value = super().maxscore(state)
        return value

    def minscore(self, moves: Moves, state: State) -> int:
        with self._record.visit(_enemy(self.role, self.opponents, moves, state)) as node:
            node.window = self._window
            node.value = value = super().minscore(moves, state)
        return value


def _enemy(role: Constant, opponents: Moves, moves: Moves, state: State) -> Node:
    """Return the node of the opponent that chooses after ``moves``."""
    chooser = opponents[len(moves) - 1] if len(moves) <= len(opponents) else role
    assert isinstance(chooser, Constant)
    return Node(state, chooser, NodeKind.MIN, moves)


# ---------------------------------------------------------------------- alpha-beta


class RecordedAlphaBeta(TracedStrategy, AlphaBeta):
    """Alpha-beta that keeps a record of its latest depth."""

    def search(self, position: Position) -> Iterator[Choice]:
        """Search as alpha-beta does."""
        self.record, self._tree = SearchTrace(position.machine, position.role), None
        return super().search(position)

    def _iteration(self, position: Position, depth: int, before: Choice) -> Iterator[Choice]:
        assert self.record is not None
        search = super()._iteration(position, depth, before)
        return _recorded(self.record, position.state, NodeKind.MAX, FULL, search)

    def _new_tree(self, form: type[DepthLimitedTree], position: Position) -> DepthLimitedTree:
        assert self.record is not None
        # A negamax tree that met moves made at the same time was given up: it is no part of this.
        self.record.begin(position.state, NodeKind.MAX)
        recorded = _RecordedNegamax if form is NegamaxTree else _RecordedAlphaBetaTree
        tree = super()._new_tree(recorded, position)
        assert isinstance(tree, _RecordedNegamax | _RecordedAlphaBetaTree)
        tree.record = self.record
        return tree


class _RecordedAlphaBetaTree(AlphaBetaTree):
    record: SearchTrace

    def beyond(self, state: State) -> float:
        self.record.mark_horizon()
        return super().beyond(state)

    def maxscore(self, state: State, depth: int, alpha: float, beta: float) -> float:
        with self.record.visit(Node(state, self.role, NodeKind.MAX, window=(alpha, beta))) as node:
            node.value = value = super().maxscore(state, depth, alpha, beta)
        return value

    def minscore(self, moves: Moves, state: State, depth: int, alpha: float, beta: float) -> float:
        with self.record.visit(_enemy(self.role, self.opponents, moves, state)) as node:
            node.window = alpha, beta
            if moves_by_chance(node.role):
                node.kind, node.window = NodeKind.CHANCE, FULL
            node.value = value = super().minscore(moves, state, depth, alpha, beta)
        return value


class _RecordedNegamax(NegamaxTree):
    """Negamax values are those of the role that chooses; the record has the player's."""

    record: SearchTrace
    _latest: tuple[State, State, Moves] | None = None

    def score(self, state: State, move: Term, depth: int, alpha: float) -> float:
        value = super().score(state, move, depth, alpha)
        if self.record.top.children:
            # Where the player waits, its move leads to no other state: nobody has named it yet.
            self.record.top.children[-1].via = move
        return value

    def after(self, state: State, moves: Moves) -> State:
        after = super().after(state, moves)
        self._latest = state, after, moves
        return after

    def beyond(self, state: State) -> float:
        self.record.mark_horizon()
        return super().beyond(state)

    def negamax(self, state: State, depth: int, alpha: float, beta: float, role: Constant) -> float:
        is_own = role == self.role
        window = (alpha, beta) if is_own else (flipped(beta), flipped(alpha))
        node = Node(state, role, NodeKind.MAX if is_own else NodeKind.MIN, window=window)
        if self._latest is not None and self._latest[1] is state:
            self._name_the_way(node, self._latest[2])
        self._latest = None
        with self.record.visit(node):
            value = super().negamax(state, depth, alpha, beta, role)
            node.value = value if is_own else flipped(value)
        return value

    def _name_the_way(self, node: Node, moves: Moves) -> None:
        above = self.record.top
        node.via = moves[self.order.index(above.role)]
        node.joint_move = in_role_order(self.machine, self.role, moves)


# --------------------------------------------------------------------------- max^n


class RecordedMaxN(TracedStrategy, MaxN):
    """Max^n that keeps a record of its latest depth."""

    def search(self, position: Position) -> Iterator[Choice]:
        """Search as max^n does."""
        self.record = SearchTrace(position.machine, position.role, NodeKind.EACH)
        return super().search(position)

    def _new_tree(self, position: Position, evaluator: Evaluator) -> MaxNTree:
        assert self.record is not None
        return _RecordedMaxNTree(self.record, evaluator)


class _RecordedMaxNTree(MaxNTree):
    def __init__(self, record: SearchTrace, evaluator: Evaluator) -> None:
        super().__init__(record.machine, record.role, evaluator)
        self._record = record

    def bestmove(self, state: State, depth: int, before: Choice) -> Iterator[Choice]:
        search = super().bestmove(state, depth, before)
        return _recorded(self._record, state, NodeKind.EACH, FULL, search)

    def utilities(self, state: State, depth: int) -> Utilities:
        with self._record.visit(Node(state, self.role, NodeKind.EACH)) as node:
            if depth == 0 and not self.machine.is_terminal(state):
                self._record.mark_horizon()
            node.value = value = super().utilities(state, depth)
        return value

    def picked(self, moves: Moves, state: State, depth: int) -> Utilities:
        if not moves:
            return super().picked(moves, state, depth)  # the state's own node is there already
        node = _enemy(self.role, opponents_of(self.machine, self.role), moves, state)
        node.kind = NodeKind.CHANCE if moves_by_chance(node.role) else NodeKind.EACH
        with self._record.visit(node):
            node.value = value = super().picked(moves, state, depth)
        return value


TRACED_STRATEGIES: Mapping[str, type[Strategy]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (RecordedMinimax, RecordedBoundedMinimax, RecordedAlphaBeta, RecordedMaxN)
    }
)
"""Every strategy that can keep a record, by its name."""
