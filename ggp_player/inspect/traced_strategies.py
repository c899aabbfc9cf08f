"""The textbook strategies with a trace of the nodes that they visit.

The routines are the textbook's own: each is called as it is, with a visit of the trace around the
call. In addition :meth:`Strategy.report` returns the moves with their lines. A visit takes up to
twice the stack, so that a search that is limited by the stack ends at half the depth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from gdl import Constant, State, Term
from gdl.language import moves_by_chance
from ggp_player.inspect.search_trace import FULL, Node, NodeKind, SearchTrace, Window
from ggp_player.strategies import Choice, MoveReport, Position, Strategy
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta, AlphaBetaTree
from ggp_player.strategies.textbook.bounded_minimax import BoundedMinimax, BoundedSearch
from ggp_player.strategies.textbook.depth_limited import DepthLimitedTree
from ggp_player.strategies.textbook.evaluation import Evaluator
from ggp_player.strategies.textbook.game_tree import Moves, in_role_order, opponents_of
from ggp_player.strategies.textbook.max_n import MaxN, MaxNTree, Utilities
from ggp_player.strategies.textbook.minimax import Minimax, MinimaxSearch
from ggp_player.strategies.textbook.negamax import NegamaxTree, flipped


class TracedStrategy(Strategy):
    """A strategy with the ``trace`` of its last search, None before there is one."""

    trace: SearchTrace | None = None

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Report on the position's moves from the trace."""
        return self.trace.report(position.state) if self.trace else ()


def _traced(
    trace: SearchTrace, state: State, kind: NodeKind, window: Window, search: Iterator[Choice]
) -> Iterator[Choice]:
    """Pass on the choices of a search, which is one tree of the trace."""
    trace.begin(state, kind, window)
    last = None
    for choice in search:
        last = choice
        yield choice
    if last is not None:
        trace.finish(last)


# ------------------------------------------------------------- minimax, bounded minimax


class TracedMinimax(TracedStrategy, Minimax):
    """Minimax that keeps a trace."""

    def search(self, position: Position) -> Iterator[Choice]:
        """Search as minimax does."""
        self.trace = SearchTrace(position.machine, position.role)
        search = _TracedMinimaxSearch(self.trace).bestmove(position.state)
        return _traced(self.trace, position.state, NodeKind.MAX, FULL, search)


class _TracedMinimaxSearch(MinimaxSearch):
    def __init__(self, trace: SearchTrace) -> None:
        super().__init__(trace.machine, trace.role)
        self._trace = trace

    def maxscore(self, state: State) -> int:
        with self._trace.visit(Node(state, self.role, NodeKind.MAX)) as node:
            node.value = value = super().maxscore(state)
        return value

    def minscore(self, moves: Moves, state: State) -> int:
        with self._trace.visit(_opponent_node(self.role, self.opponents, moves, state)) as node:
            node.value = value = super().minscore(moves, state)
        return value


class TracedBoundedMinimax(TracedStrategy, BoundedMinimax):
    """Bounded minimax that keeps a trace."""

    def search(self, position: Position) -> Iterator[Choice]:
        """Search as bounded minimax does."""
        self.trace = SearchTrace(position.machine, position.role)
        window = self.lower, self.upper
        search = _TracedBoundedSearch(self.trace, *window).bestmove(position.state)
        return _traced(self.trace, position.state, NodeKind.MAX, window, search)


class _TracedBoundedSearch(BoundedSearch):
    def __init__(self, trace: SearchTrace, lower: int, upper: int) -> None:
        super().__init__(trace.machine, trace.role, lower, upper)
        self._trace = trace
        self._window = lower, upper

    def maxscore(self, state: State) -> int:
        with self._trace.visit(Node(state, self.role, NodeKind.MAX, window=self._window)) as node:
            node.value = value = super().maxscore(state)
        return value

    def minscore(self, moves: Moves, state: State) -> int:
        with self._trace.visit(_opponent_node(self.role, self.opponents, moves, state)) as node:
            node.window = self._window
            node.value = value = super().minscore(moves, state)
        return value


def _opponent_node(role: Constant, opponents: Moves, moves: Moves, state: State) -> Node:
    """Make the node of the opponent that chooses after ``moves``."""
    chooser = opponents[len(moves) - 1] if len(moves) <= len(opponents) else role
    assert isinstance(chooser, Constant)
    return Node(state, chooser, NodeKind.MIN, moves)


# ---------------------------------------------------------------------- alpha-beta


class TracedAlphaBeta(TracedStrategy, AlphaBeta):
    """Alpha-beta that keeps a trace of its latest depth."""

    def search(self, position: Position) -> Iterator[Choice]:
        """Search as alpha-beta does."""
        self.trace, self._tree = SearchTrace(position.machine, position.role), None
        return super().search(position)

    def _iteration(self, position: Position, depth: int, before: Choice) -> Iterator[Choice]:
        assert self.trace is not None
        search = super()._iteration(position, depth, before)
        return _traced(self.trace, position.state, NodeKind.MAX, FULL, search)

    def _new_tree(self, form: type[DepthLimitedTree], position: Position) -> DepthLimitedTree:
        assert self.trace is not None
        # A negamax tree is given up when roles move at the same time: it is no part of this trace.
        self.trace.begin(position.state, NodeKind.MAX)
        traced = _TracedNegamax if form is NegamaxTree else _TracedAlphaBetaTree
        tree = super()._new_tree(traced, position)
        assert isinstance(tree, _TracedNegamax | _TracedAlphaBetaTree)
        tree.trace = self.trace
        return tree


class _TracedAlphaBetaTree(AlphaBetaTree):
    trace: SearchTrace

    def beyond(self, state: State) -> float:
        self.trace.mark_horizon()
        return super().beyond(state)

    def maxscore(self, state: State, depth: int, alpha: float, beta: float) -> float:
        with self.trace.visit(Node(state, self.role, NodeKind.MAX, window=(alpha, beta))) as node:
            node.value = value = super().maxscore(state, depth, alpha, beta)
        return value

    def minscore(self, moves: Moves, state: State, depth: int, alpha: float, beta: float) -> float:
        with self.trace.visit(_opponent_node(self.role, self.opponents, moves, state)) as node:
            node.window = alpha, beta
            if moves_by_chance(node.role):
                node.kind, node.window = NodeKind.CHANCE, FULL
            node.value = value = super().minscore(moves, state, depth, alpha, beta)
        return value


class _TracedNegamax(NegamaxTree):
    """Negamax values are those of the role that chooses; the trace has the player's."""

    trace: SearchTrace
    _latest: tuple[State, State, Moves] | None = None

    def score(self, state: State, move: Term, depth: int, alpha: float) -> float:
        value = super().score(state, move, depth, alpha)
        if self.trace.top.children:
            # If the player waits, its move leads to no other state, and the node has no move yet.
            self.trace.top.children[-1].via = move
        return value

    def after(self, state: State, moves: Moves) -> State:
        after = super().after(state, moves)
        self._latest = state, after, moves
        return after

    def beyond(self, state: State) -> float:
        self.trace.mark_horizon()
        return super().beyond(state)

    def negamax(self, state: State, depth: int, alpha: float, beta: float, role: Constant) -> float:
        is_own = role == self.role
        window = (alpha, beta) if is_own else (flipped(beta), flipped(alpha))
        node = Node(state, role, NodeKind.MAX if is_own else NodeKind.MIN, window=window)
        if self._latest is not None and self._latest[1] is state:
            self._set_moves(node, self._latest[2])
        self._latest = None
        with self.trace.visit(node):
            value = super().negamax(state, depth, alpha, beta, role)
            node.value = value if is_own else flipped(value)
        return value

    def _set_moves(self, node: Node, moves: Moves) -> None:
        above = self.trace.top
        node.via = moves[self.order.index(above.role)]
        node.joint_move = in_role_order(self.machine, self.role, moves)


# --------------------------------------------------------------------------- max^n


class TracedMaxN(TracedStrategy, MaxN):
    """Max^n that keeps a trace of its latest depth."""

    def search(self, position: Position) -> Iterator[Choice]:
        """Search as max^n does."""
        self.trace = SearchTrace(position.machine, position.role)
        return super().search(position)

    def _new_tree(self, position: Position, evaluator: Evaluator) -> MaxNTree:
        assert self.trace is not None
        return _TracedMaxNTree(self.trace, evaluator)


class _TracedMaxNTree(MaxNTree):
    def __init__(self, trace: SearchTrace, evaluator: Evaluator) -> None:
        super().__init__(trace.machine, trace.role, evaluator)
        self._trace = trace

    def bestmove(self, state: State, depth: int, before: Choice) -> Iterator[Choice]:
        search = super().bestmove(state, depth, before)
        return _traced(self._trace, state, NodeKind.EACH, FULL, search)

    def utilities(self, state: State, depth: int) -> Utilities:
        horizons = self.horizons
        with self._trace.visit(Node(state, self.role, NodeKind.EACH)) as node:
            if depth == 0 and not self.machine.is_terminal(state):
                self._trace.mark_horizon()
            node.value = value = super().utilities(state, depth)
        node.is_open = self.horizons != horizons
        return value

    def picked(self, moves: Moves, state: State, depth: int) -> Utilities:
        if not moves:
            return super().picked(moves, state, depth)  # the state's own node is there already
        node = _opponent_node(self.role, opponents_of(self.machine, self.role), moves, state)
        node.kind = NodeKind.CHANCE if moves_by_chance(node.role) else NodeKind.EACH
        horizons = self.horizons
        with self._trace.visit(node):
            node.value = value = super().picked(moves, state, depth)
        node.is_open = self.horizons != horizons
        return value


TRACED_STRATEGIES: Mapping[str, type[Strategy]] = MappingProxyType(
    {kind.name: kind for kind in (TracedMinimax, TracedBoundedMinimax, TracedAlphaBeta, TracedMaxN)}
)
"""The strategies that keep a trace, by name."""
