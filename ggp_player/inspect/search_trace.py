"""The trace of a search: every node that it visits, in the order of the visits.

A *node* is a choice of one role. Players who move at the same time are analysed one after the
other, so that a step of the match is as many nodes deep as there are roles. The strategies of
:mod:`~ggp_player.inspect.traced_strategies` call :meth:`SearchTrace.visit` around each visit: the
trace holds exactly what was searched, and nothing is searched for its sake.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from gdl import Constant, State, StateMachine, Term
from ggp_player.strategies import Choice, MoveReport
from ggp_player.strategies.textbook.game_tree import Moves, in_role_order, own_first
from ggp_player.strategies.textbook.memory import MemoTable

KEPT_NODES = 20_000
"""The most nodes, a few megabytes; beyond them the deepest layers are forgotten."""

REMEMBERED_NODES = 50_000
"""Nodes that can be looked up when a search answers from its transposition table."""

Value: TypeAlias = float | tuple[float, ...]
"""The value of a node to the player, or to every role."""

Window: TypeAlias = tuple[float, float]
"""Alpha and beta, in the fail-hard convention: a value outside is answered as the nearer bound."""

FULL: Window = (0, 100)


class NodeKind(Enum):
    """Whose choice a node is."""

    MAX = "max"
    """The player's."""
    MIN = "min"
    """An opponent's, which is assumed to minimize the player's value."""
    CHANCE = "chance"
    EACH = "each"
    """Any role's, which maximizes its own utility."""


class LeafKind(Enum):
    """Why a node has no children."""

    NONE = "searched"
    TERMINAL = "terminal"
    HORIZON = "evaluated"
    SEEN = "seen before"
    FORGOTTEN = "not kept"


@dataclass(slots=True, eq=False)
class Node:
    """One visit. ``moves`` are those that the roles before this one have chosen in the same step.

    ``via`` is the move that leads here from the node above, ``joint_move`` that of the whole step
    if the node begins a new one, ``steps`` the number of steps from the root. ``best`` is the child
    that gives the value. ``is_open`` says that the value depends on an evaluation. ``states``
    counts the states visited below, also those that are forgotten.
    """

    state: State
    role: Constant
    kind: NodeKind
    moves: Moves = ()
    window: Window = FULL
    steps: int = 0
    via: Term | None = None
    joint_move: Moves | None = None
    value: Value | None = None
    leaf_kind: LeafKind = LeafKind.NONE
    children: list[Node] = field(default_factory=list)
    best: Node | None = None
    is_open: bool = False
    states: int = 0

    @property
    def bounds(self) -> tuple[float, float]:
        """What the visit proves of a value that is a single one."""
        value = self.value
        if value is None or isinstance(value, tuple):
            return FULL
        alpha, beta = self.window
        exact = self.leaf_kind in (LeafKind.TERMINAL, LeafKind.HORIZON) or alpha < value < beta
        low = value if exact or value > alpha else FULL[0]
        high = value if exact or value < beta else FULL[1]
        return low, high

    def count_states(self) -> None:
        """Add up the states below, when all children are there."""
        self.states = sum(each.states + (each.joint_move is not None) for each in self.children)

    def measure(self, index: int) -> float:
        """Return the value for the player, whose utility has that index in a vector."""
        value = self.value
        if isinstance(value, tuple):
            return value[index]
        return -1 if value is None else value


class SearchTrace:
    """The nodes that one search has visited from its last root; see :class:`Node`.

    ``root`` is the tree being searched, ``finished`` the last one that was searched completely.
    Layers that do not fit into ``KEPT_NODES`` are forgotten, except their principal line.
    """

    def __init__(self, machine: StateMachine, role: Constant) -> None:
        self.machine = machine
        self.role = role
        self.order = own_first(machine, role)
        self.index = machine.roles.index(role)
        self.root: Node | None = None
        self.finished: Node | None = None
        self.deepest = 2**30
        self._kept = KEPT_NODES
        self._count = 0
        self._stack: list[Node] = []
        self._known: MemoTable[State, Node] = MemoTable(REMEMBERED_NODES)

    def begin(self, state: State, kind: NodeKind, window: Window = FULL) -> None:
        """Start a new tree, whose root is the player's choice in the state."""
        self.root = Node(state, self.role, kind, window=window)
        self._stack = [self.root]
        self._count = 0

    def finish(self, choice: Choice) -> None:
        """End the tree with the choice that the search has made."""
        root = self.root
        assert root is not None
        chosen = [child for child in root.children if child.via == choice.move]
        root.best = chosen[0] if chosen else self._best(root)
        root.value = root.best.value if root.best else choice.value
        root.is_open = not choice.proved
        root.count_states()
        self.finished = root

    @contextmanager
    def visit(self, node: Node) -> Iterator[Node]:
        """Trace a visit; the caller sets the node's value. A visit that raises is left out."""
        above = self.top
        is_step = len(above.moves) == len(self.order) or node.joint_move is not None
        node.steps = above.steps + is_step
        if node.moves:
            node.via = node.moves[-1]
        self._stack.append(node)
        try:
            yield node
        finally:
            self._stack.pop()
        self._adopt(node, above)

    def _adopt(self, node: Node, above: Node) -> None:
        if len(node.moves) == len(self.order):
            # All roles have chosen: this is no choice, but the transition to the next state.
            (after,) = node.children
            after.via = node.via
            after.joint_move = in_role_order(self.machine, self.role, node.moves)
            above.children.append(after)
            return
        node.count_states()
        if not node.children:
            self._explain(node)
        elif len(node.children) == 1 and node.children[0].via is None:
            # The role only waits: the same state follows, with the role that chooses.
            (chooser,) = node.children
            chooser.via, chooser.joint_move = node.via, node.joint_move
            above.children.append(chooser)
            return
        else:
            node.best = self._best(node)
            node.is_open = any(child.is_open for child in node.children)
            if not node.moves:
                self._known[node.state] = node
        above.children.append(node)
        self._crop(node)

    def _explain(self, node: Node) -> None:
        if node.leaf_kind is LeafKind.HORIZON:
            node.is_open = True
        elif not node.moves and self.machine.is_terminal(node.state):
            node.leaf_kind = LeafKind.TERMINAL
        elif self.machine.legal_moves(node.state, node.role):
            node.leaf_kind = LeafKind.SEEN
            known = self._known.get(node.state)
            node.is_open = known is not None and known.is_open

    @property
    def top(self) -> Node:
        """The node that is being visited."""
        return self._stack[-1]

    def mark_horizon(self) -> None:
        """Mark the value of the node being visited as an evaluation."""
        self.top.leaf_kind = LeafKind.HORIZON

    def _best(self, node: Node) -> Node | None:
        if not node.children or node.kind is NodeKind.CHANCE:
            return None
        if node.kind is NodeKind.EACH and node.value is not None:
            return next((child for child in node.children if child.value == node.value), None)
        choose = min if node.kind is NodeKind.MIN else max
        return choose(node.children, key=lambda child: child.measure(self.index))

    # ---------------------------------------------------------------- forgetting

    def _crop(self, node: Node) -> None:
        self._count += 1
        if node.steps >= self.deepest:
            self._count -= sum(1 for _ in _descendants(node)) - 1
            _forget(node)
        if self._count > self._kept:
            self._forget_layers()

    def _forget_layers(self) -> None:
        """Forget the deepest layers, so that half of the nodes are free."""
        layers = Counter(each.steps for each in self._kept_nodes())
        room, depth = self._kept // 2, 0
        while layers[depth] <= room and depth <= max(layers):
            room -= layers[depth]
            depth += 1
        self.deepest = max(1, depth - 1)
        for each in list(self._kept_nodes()):
            if each.steps >= self.deepest:
                _forget(each)
        self._count = sum(1 for _ in self._kept_nodes())

    def _kept_nodes(self) -> Iterator[Node]:
        # What is on the stack is not yet among the children of the node above.
        return (each for node in self._stack for each in _descendants(node))

    # ----------------------------------------------------------------- reporting

    def line(self, node: Node) -> tuple[Moves, ...]:
        """Return the joint moves that the search expects from the root on, through the node."""
        moves: list[Moves] = []
        met: set[State] = set()
        following: Node | None = node
        while following is not None:
            if following.joint_move is not None:
                if following.state in met:
                    break
                met.add(following.state)
                moves.append(following.joint_move)
            if following.best is None and following.leaf_kind is LeafKind.SEEN:
                following = self._known.get(following.state)
            following = following.best if following else None
        return tuple(moves)

    def report(self, state: State) -> list[MoveReport]:
        """Report on each move of the root, if the root is that state.

        A move has no value if a cut showed only that it is no better than another.
        """
        root = self.root if self.root and self.root.children else self.finished
        if root is None or root.state != state:
            return []
        return [
            MoveReport(
                node.via,
                self._exact(node),
                bounds=self._proved(node),
                line=self.line(node),
            )
            for node in root.children
            if node.via is not None
        ]

    def _exact(self, node: Node) -> float | None:
        low, high = node.bounds
        return node.measure(self.index) if isinstance(node.value, tuple) or low == high else None

    def _proved(self, node: Node) -> tuple[float, float]:
        value, is_vector = node.measure(self.index), isinstance(node.value, tuple)
        if node.is_open and (is_vector or value not in FULL):
            return FULL  # with a vector, the others may have chosen by evaluations
        return (value, value) if is_vector else node.bounds


def _descendants(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        yield (following := waiting.pop())
        waiting.extend(following.children)


def _forget(node: Node) -> None:
    if node.children and not node.moves:
        node.children = []
        node.leaf_kind = LeafKind.FORGOTTEN
