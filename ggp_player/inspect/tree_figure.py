"""The figure of a search tree: the nodes that are shown, their shapes, labels and remarks.

The search lets one role choose after the other, even those that have a single move. The figure
leaves such choices out: if players move in turn, each step is one layer, as in a textbook.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from heapq import heappop, heappush

from gdl import Constant, Term
from ggp_player.errors import TreeSizeError
from ggp_player.inspect.search_trace import LeafKind, Node, NodeKind, SearchTrace, Value
from ggp_player.protocol import state_text
from ggp_player.search_steps.texts import choosing_roles, move_label, number, shortened

MAX_NODES = 150
"""The most nodes of a drawing that a person can still take in."""

MAX_WIDTH = 30
"""The most nodes of a drawing with nothing below them, which stand beside one another."""

LEAST_SHOWN = 3
"""The least nodes, the principal one among them, into which some moves of a node are unfolded."""

LONGEST_TITLE = 600
"""The most characters of a tooltip."""


class NodeShape(Enum):
    """How a node is drawn, with the text for its tooltip."""

    UP = "max"
    DOWN = "min"
    TOGETHER = "at the same time"
    CHANCE = "chance"
    EACH = "each for itself"
    LEAF = "end of the match"
    EVALUATED = "evaluated"
    FOLDED = "folded"
    PRUNED = "not searched"


_SHAPES = {
    NodeKind.MAX: NodeShape.UP,
    NodeKind.MIN: NodeShape.DOWN,
    NodeKind.CHANCE: NodeShape.CHANCE,
}


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the figure. ``edge`` is the move that leads to it, ``title`` its tooltip.

    ``remarks`` are lines beside the node: the window, and why the moves after a cut do not matter.
    ``states`` counts the states searched below it, ``hidden`` those of them that are not drawn,
    because the node is folded. A drawing that can be unfolded begins with the nodes that are open.
    """

    shape: NodeShape
    text: str
    title: str
    role: str = ""
    edge: str = ""
    remarks: tuple[str, ...] = ()
    children: tuple[TreeNode, ...] = ()
    is_principal: bool = False
    is_seen: bool = False
    states: int = 0
    hidden: int = 0
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class FigureLimits:
    """What may be drawn: ``depth`` in steps, ``nodes`` in all, ``width`` beside one another.

    None is no limit.
    """

    depth: int | None = None
    nodes: int | None = MAX_NODES
    width: int | None = MAX_WIDTH


@dataclass(frozen=True, slots=True)
class TreeFigure:
    """A tree to be drawn, to a depth in steps. ``remark`` says what is folded, if anything."""

    root: TreeNode
    depth: int
    remark: str = ""

    @property
    def layers(self) -> list[list[TreeNode]]:
        """The nodes of each depth, from left to right."""
        return list(_layers(self.root))


def make_tree_figure(
    trace: SearchTrace,
    limits: FigureLimits | None = None,
    windows: bool = False,
    opened: FigureLimits | None = None,
) -> TreeFigure:
    """Make the figure of the last finished tree; subtrees that do not fit are folded.

    A node is unfolded before those below it, and the principal line before all others. ``opened``
    limits what a drawing that can be unfolded begins with. Raises :class:`TreeSizeError` if no tree
    was finished.
    """
    if trace.finished is None:
        raise TreeSizeError(
            "no search was finished, so that there is no tree to draw: try more time, a position "
            "nearer to the end, or alpha_beta:depth=2"
        )
    builder = _FigureBuilder(trace, trace.finished, windows)
    return builder.figure(limits or FigureLimits(), opened)


@dataclass(frozen=True, slots=True)
class _Below:
    """What is drawn below a node: children, moves that were not searched, children that are folded.

    A child is a pair of the visit and the node that is shown in its place.
    """

    children: list[tuple[Node, Node]]
    skipped: list[Term]
    folded: list[tuple[Node, Node]]


class _FigureBuilder:
    """Builds figures of one tree."""

    def __init__(self, trace: SearchTrace, root: Node, windows: bool) -> None:
        self._trace = trace
        self._machine = trace.machine
        self._root = self._shown(root)
        self._is_each = root.kind is NodeKind.EACH
        self._windows = windows
        self._principal = set(_principal_line(root))

    def figure(self, limits: FigureLimits, opened: FigureLimits | None) -> TreeFigure:
        """Make the figure within its limits."""
        below = self._unfolded(limits)
        is_open = below.keys() if opened is None else self._unfolded(opened).keys()
        root = self._node(self._root, below, is_open)
        depth = max([0, *(child.steps for b in below.values() for _, child in b.children)])
        hidden = sum(each.hidden for layer in _layers(root) for each in layer)
        count = f"{hidden:,} of the {root.states:,} states searched"
        return TreeFigure(root, depth, f"{count} are folded" if hidden else "")

    # ------------------------------------------------------------- what is shown

    def _unfolded(self, limits: FigureLimits) -> dict[int, _Below]:
        """Find what is drawn below each node that is unfolded, by the node's id."""
        most_nodes, most_width = (
            math.inf if n is None else n for n in (limits.nodes, limits.width)
        )
        found: dict[int, _Below] = {}
        count, width = 1, 1
        order = itertools.count()
        waiting = [(False, self._root.steps, next(order), self._root)]
        while waiting:
            is_other, steps, _, node = heappop(waiting)
            if limits.depth is not None and steps >= limits.depth:
                continue
            room = min(most_nodes - count, most_width - width + 1)
            below = self._fitting(node, room, not is_other)
            if below is None:
                continue
            found[id(node)] = below
            new = len(below.children) + len(below.skipped) + bool(below.folded)
            count, width = count + new, width + new - 1
            for child, shown in below.children:
                is_other = id(child) not in self._principal
                heappush(waiting, (is_other, shown.steps, next(order), shown))
        return found

    def _fitting(self, node: Node, room: float, is_principal: bool) -> _Below | None:
        """Find what is drawn below a node where there is room for so many nodes."""
        children = list(self._children(node))
        if not children:
            return None
        skipped = self._skipped(node)
        if len(children) + len(skipped) <= room:
            return _Below(children, skipped, [])
        if not is_principal or room < LEAST_SHOWN:
            return None
        others = [child for child in children if id(child[0]) not in self._principal]
        folded = others[max(0, int(room) - 1 - (len(children) - len(others))) :]
        hidden = {id(child) for child, _ in folded}
        return _Below([child for child in children if id(child[0]) not in hidden], [], folded)

    def _children(self, node: Node) -> Iterator[tuple[Node, Node]]:
        """Yield pairs: each child, and the node that is shown in its place."""
        return ((child, self._shown(child)) for child in node.children)

    def _shown(self, node: Node) -> Node:
        """Return the node, or the first one below it with a choice of moves."""
        while len(node.children) == 1 and not self._is_choice(node):
            (node,) = node.children
        return node

    def _is_choice(self, node: Node) -> bool:
        ends_step = any(child.joint_move is not None for child in node.children)
        if not node.moves and ends_step:
            return True
        return node.role in self._choosers(node)

    def _choosers(self, node: Node) -> tuple[Constant, ...]:
        return choosing_roles(self._machine, node.state, self._trace.order)

    def _legal(self, node: Node, role: Constant) -> tuple[Term, ...]:
        return self._machine.legal_moves(node.state, role)

    def _skipped(self, node: Node) -> list[Term]:
        """Return the legal moves of a searched node that were not searched."""
        searched = {child.via for child in node.children}
        return [move for move in self._legal(node, node.role) if move not in searched]

    # ---------------------------------------------------------- shapes and labels

    def _node(
        self,
        node: Node,
        below: Mapping[int, _Below],
        is_open: Container[int],
        via: Term | None = None,
    ) -> TreeNode:
        drawn = below.get(id(node))
        children = () if drawn is None else tuple(self._drawn_below(drawn, below, is_open))
        hidden = node.states if drawn is None else 0
        shape, role = self._shape(node)
        title = self._title(node, shape, role)
        return TreeNode(
            NodeShape.FOLDED if hidden else shape,
            value_text(node),
            title,
            str(role),
            "" if via is None else move_label(via),
            self._remarks(node, bool(children)),
            children,
            is_principal=id(node) in self._principal,
            is_seen=node.leaf_kind is LeafKind.SEEN,
            states=node.states,
            hidden=hidden,
            is_open=id(node) in is_open,
        )

    def _drawn_below(
        self, drawn: _Below, below: Mapping[int, _Below], is_open: Container[int]
    ) -> Iterator[TreeNode]:
        for child, shown in drawn.children:
            yield self._node(shown, below, is_open, child.via)
        if drawn.folded:
            yield _folded_moves([child for child, _ in drawn.folded])
        yield from map(_pruned, drawn.skipped)

    def _shape(self, node: Node) -> tuple[NodeShape, Constant]:
        if node.leaf_kind is LeafKind.TERMINAL:
            return NodeShape.LEAF, node.role
        if node.leaf_kind is LeafKind.HORIZON:
            return NodeShape.EVALUATED, node.role
        if node.children or node.moves:
            earlier = self._trace.order[: len(node.moves)]
            if node.kind is NodeKind.MIN and any(len(self._legal(node, r)) > 1 for r in earlier):
                return NodeShape.TOGETHER, node.role
            return _SHAPES.get(node.kind, NodeShape.EACH), node.role
        # The node was not searched here: its shape follows from the role that chooses next.
        role = self._choosers(node)[0] if node.role == self._trace.role else node.role
        if self._is_each:
            return NodeShape.EACH, role
        return (NodeShape.UP if role == self._trace.role else NodeShape.DOWN), role

    def _remarks(self, node: Node, is_followed: bool) -> tuple[str, ...]:
        lines = []
        is_bounded = node.kind in (NodeKind.MAX, NodeKind.MIN)
        if self._windows and is_bounded:
            lines.append("[{}, {}]".format(*map(number, node.window)))
        if is_followed and is_bounded and self._skipped(node):
            lines += _reason(node, node.children[-1].measure(self._trace.index))
        return tuple(lines)

    def _title(self, node: Node, shape: NodeShape, role: Constant) -> str:
        who = (
            f"{shape.value}: {role}"
            if node.leaf_kind in (LeafKind.NONE, LeafKind.SEEN)
            else shape.value
        )
        seen = ", seen before" if node.leaf_kind is LeafKind.SEEN else ""
        text = f"{who}{seen}, value {value_text(node)}\n{state_text(node.state)}"
        return shortened(text, LONGEST_TITLE)


def _principal_line(root: Node) -> Iterator[int]:
    node: Node | None = root
    while node is not None:
        yield id(node)
        node = node.best


def _reason(node: Node, value: float) -> list[str]:
    """Explain a cut by its bound, if it was made for a value."""
    alpha, beta = node.window
    if node.kind is NodeKind.MIN and value <= alpha:
        return [f"cut: {number(value)} ≤ {number(alpha)}"]
    if node.kind is NodeKind.MAX and value >= beta:
        return [f"cut: {number(value)} ≥ {number(beta)}"]
    return []


def _layers(root: TreeNode) -> Iterator[list[TreeNode]]:
    layer = [root]
    while layer:
        yield layer
        layer = [child for node in layer for child in node.children]


def _folded_moves(children: Sequence[Node]) -> TreeNode:
    """Draw several moves as one node."""
    states = sum(child.states + (child.joint_move is not None) for child in children)
    title = ", ".join(f"{child.via} {value_text(child)}" for child in children)
    edge = f"{len(children)} more moves"
    title = shortened(title, LONGEST_TITLE)
    return TreeNode(NodeShape.FOLDED, "", title, edge=edge, states=states, hidden=states)


def _pruned(move: Term) -> TreeNode:
    return TreeNode(NodeShape.PRUNED, "", f"{move} was not searched", edge=move_label(move))


def value_text(node: Node) -> str:
    """Write a node's value; ≤ and ≥ mean that only this bound is known."""
    value: Value | None = node.value
    if value is None:
        return "?"
    if isinstance(value, tuple):
        return f"({', '.join(map(number, value))})"
    low, high = node.bounds
    return ("≤" if low < value else "≥" if high > value else "") + number(value)


def folded_text(node: TreeNode) -> str:
    """Say how many states are below a folded node."""
    return f"{node.hidden:,} state{'' if node.hidden == 1 else 's'}"
