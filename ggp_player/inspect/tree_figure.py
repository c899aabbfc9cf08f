"""The figure of a search tree: the nodes that are shown, their shapes, labels and remarks.

The search lets one role choose after the other, even those that have a single move. The figure
leaves such choices out: if players move in turn, each step is one layer, as in a textbook.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate

from gdl import Constant, Function, Term
from ggp_player.errors import TreeSizeError
from ggp_player.inspect.search_trace import LeafKind, Node, NodeKind, SearchTrace, Value
from ggp_player.protocol import state_text

MAX_NODES = 150
"""The most nodes of a drawing that a person, and a browser, can still take in."""

LONGEST_LABEL, LONGEST_TITLE = 18, 600
"""The most characters of a move on an edge, and of a tooltip."""


MORE = "⋮"
"""The remark of a node below which the tree goes on."""


class Shape(Enum):
    """How a node is drawn, with the text for its tooltip."""

    UP = "max"
    DOWN = "min"
    TOGETHER = "at the same time"
    CHANCE = "chance"
    EACH = "each for itself"
    LEAF = "end of the match"
    EVALUATED = "evaluated"
    PRUNED = "not searched"


_SHAPES = {NodeKind.MAX: Shape.UP, NodeKind.MIN: Shape.DOWN, NodeKind.CHANCE: Shape.CHANCE}


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the figure. ``edge`` is the move that leads to it, ``title`` its tooltip.

    ``remarks`` are lines beside the node: the window, and why the moves after a cut do not matter.
    """

    shape: Shape
    text: str
    title: str
    role: str = ""
    edge: str = ""
    remarks: tuple[str, ...] = ()
    children: tuple[TreeNode, ...] = ()
    is_principal: bool = False
    is_seen: bool = False


@dataclass(frozen=True, slots=True)
class TreeFigure:
    """A tree to be drawn, to a depth in steps. ``remark`` says what does not fit, if anything."""

    root: TreeNode
    depth: int
    remark: str = ""


def make_tree_figure(
    trace: SearchTrace, depth: int | None = None, windows: bool = False
) -> TreeFigure:
    """Make the figure of the last finished tree, by default as deep as ``MAX_NODES`` permits.

    Raises :class:`TreeSizeError` if no tree was finished, or the depth has too many nodes.
    """
    if trace.finished is None:
        raise TreeSizeError(
            "no search was finished, so that there is no tree to draw: try more time, a position "
            "nearer to the end, or alpha_beta:depth=2"
        )
    return _FigureBuilder(trace, trace.finished, windows).to_depth(depth)


class _FigureBuilder:
    """Builds figures of one tree."""

    def __init__(self, trace: SearchTrace, root: Node, windows: bool) -> None:
        self._trace = trace
        self._machine = trace.machine
        self._root = self._shown(root)
        self._windows = windows
        self._principal = set(_principal_line(root))

    def to_depth(self, wanted: int | None) -> TreeFigure:
        sizes = self._sizes()
        fitting = max((d for d, size in enumerate(sizes) if size <= MAX_NODES), default=0)
        whole = len(sizes) - 1
        depth = fitting if wanted is None else min(wanted, whole)
        deeper = min(max(depth, fitting + 1), whole)
        too_many = f"to depth {deeper} the tree has {sizes[deeper]} nodes, and {MAX_NODES} fit"
        if depth > fitting or fitting == 0 < whole:
            offer = f"; --depth {fitting} has {sizes[fitting]}" if fitting else ""
            raise TreeSizeError(f"{too_many} into a drawing{offer}")
        remark = f"{too_many} in" if wanted is None and fitting < whole else ""
        return TreeFigure(self._node(self._root, depth), depth, remark)

    # ------------------------------------------------------------- what is shown

    def _sizes(self) -> list[int]:
        """Count the nodes of the figure to each depth, from 0 on."""
        counts = Counter([0])
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            children = [shown for _, shown in self._children(node)]
            if children:
                counts[node.steps + 1] += len(children) + len(self._skipped(node))
            waiting.extend(children)
        return list(accumulate(counts[depth] for depth in range(max(counts) + 1)))

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

    def _choosers(self, node: Node) -> list[Constant]:
        """Return the roles with a choice in the node's state; one role if nobody has a choice."""
        legal = {role: self._legal(node, role) for role in self._trace.order}
        choosers = [role for role, moves in legal.items() if len(moves) > 1]
        if choosers:
            return choosers
        acting = [role for role, moves in legal.items() if moves and isinstance(moves[0], Function)]
        return (acting or list(legal))[:1]

    def _legal(self, node: Node, role: Constant) -> tuple[Term, ...]:
        return self._machine.legal_moves(node.state, role)

    def _skipped(self, node: Node) -> list[Term]:
        """Return the legal moves of a searched node that were not searched."""
        searched = {child.via for child in node.children}
        return [move for move in self._legal(node, node.role) if move not in searched]

    # ---------------------------------------------------------- shapes and labels

    def _node(self, node: Node, depth: int, via: Term | None = None) -> TreeNode:
        is_cropped = node.steps >= depth
        children: list[TreeNode] = []
        if not is_cropped:
            for child, shown in self._children(node):
                children.append(self._node(shown, depth, child.via))
            if children:
                children.extend(map(_pruned, self._skipped(node)))
        shape, role = self._shape(node)
        remarks = self._remarks(node, bool(children))
        if (is_cropped and node.children) or node.leaf_kind is LeafKind.FORGOTTEN:
            remarks = (*remarks, MORE)
        return TreeNode(
            shape,
            value_text(node),
            self._title(node, shape, role),
            str(role),
            "" if via is None else move_label(via),
            remarks,
            tuple(children),
            is_principal=id(node) in self._principal,
            is_seen=node.leaf_kind is LeafKind.SEEN,
        )

    def _shape(self, node: Node) -> tuple[Shape, Constant]:
        if node.leaf_kind is LeafKind.TERMINAL:
            return Shape.LEAF, node.role
        if node.leaf_kind is LeafKind.HORIZON:
            return Shape.EVALUATED, node.role
        if node.children or node.moves:
            earlier = self._trace.order[: len(node.moves)]
            if node.kind is NodeKind.MIN and any(len(self._legal(node, r)) > 1 for r in earlier):
                return Shape.TOGETHER, node.role
            return _SHAPES.get(node.kind, Shape.EACH), node.role
        # The node was not searched here: its shape follows from the role that chooses next.
        role = self._choosers(node)[0] if node.role == self._trace.role else node.role
        if self._trace.others is NodeKind.EACH:
            return Shape.EACH, role
        return (Shape.UP if role == self._trace.role else Shape.DOWN), role

    def _remarks(self, node: Node, is_followed: bool) -> tuple[str, ...]:
        lines = []
        is_bounded = node.kind in (NodeKind.MAX, NodeKind.MIN)
        if self._windows and is_bounded:
            lines.append("[{}, {}]".format(*map(number, node.window)))
        if is_followed and is_bounded and self._skipped(node):
            lines += _reason(node, node.children[-1].measure(self._trace.index))
        return tuple(lines)

    def _title(self, node: Node, shape: Shape, role: Constant) -> str:
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


def _pruned(move: Term) -> TreeNode:
    return TreeNode(Shape.PRUNED, "", f"{move} was not searched", edge=move_label(move))


def value_text(node: Node) -> str:
    """Write a node's value; ≤ and ≥ mean that only this bound is known."""
    value: Value | None = node.value
    if value is None:
        return "?"
    if isinstance(value, tuple):
        return f"({', '.join(map(number, value))})"
    low, high = node.bounds
    return ("≤" if low < value else "≥" if high > value else "") + number(value)


def number(value: float) -> str:
    """Write a value, with one decimal place unless it is whole."""
    return f"{value:.1f}".removesuffix(".0")


def move_label(move: Term) -> str:
    """Write a move for an edge: short, and without the outer parentheses."""
    text = str(move)
    return shortened(text[1:-1] if text.startswith("(") else text, LONGEST_LABEL)


def shortened(text: str, length: int) -> str:
    """Cut a text to a length, with an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
