"""Search trees as SVG, in the shapes of a lecture; the layout is our own and needs no program.

Subtrees stand as close as they fit, and a node in the middle above its children, as in ``tree.js``
of the pages (E. Reingold and J. Tilford, Tidier Drawings of Trees, 1981).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType

from gdl.reports.diagrams import LETTER, usable
from ggp_player.inspect.tree_drawing import legend, roles_of
from ggp_player.inspect.tree_figure import NodeShape, TreeFigure, TreeNode, folded_text

GAP, RIM, LINE = 14.0, 8.0, 13.0
"""Between nodes, around the drawing, from one line of text to the next."""

_FILLS: Mapping[NodeShape, str] = MappingProxyType(
    {
        NodeShape.UP: "#dbe9f6",
        NodeShape.DOWN: "#fde3c8",
        NodeShape.TOGETHER: "#fde3c8",
        NodeShape.CHANCE: "#fff6c4",
        NodeShape.EACH: "#e2f0dc",
        NodeShape.FOLDED: "#eeeeee",
    }
)

_STYLE = (
    "text{font:12px monospace;fill:#1d2320}.small{font-size:10.5px;fill:#555}"
    ".cut{fill:#c0392b}.middle{text-anchor:middle}.head{font-weight:bold}"
)


@dataclass(slots=True, eq=False)
class _Placed:
    """A node with its place: ``x`` of its middle, at first relative to the node above."""

    node: TreeNode
    lines: list[str]
    half: float
    children: list[_Placed] = field(default_factory=list)
    x: float = 0.0

    @property
    def edge_lines(self) -> list[str]:
        """What stands at the edge above: the move, and remarks."""
        return [self.node.edge, *self.node.remarks] if self.node.edge else []


def tree_svg(figure: TreeFigure, heading: str) -> str:
    """Draw a figure as SVG, shown at its own size where there is room, and else shrunk."""
    root = _placed(figure.root)
    outline = _lay_out(root)
    head = [heading, *filter(None, legend(figure))]
    names = [" / ".join(roles_of(layer)) for layer in figure.layers]
    left = RIM + max(map(_width, names)) + GAP
    _shift(root, left - min(low for low, _ in outline))
    right = left - min(low for low, _ in outline) + max(high for _, high in outline)
    width = max(right, *(RIM + _width(line) for line in head)) + RIM
    tops = _tops(root, RIM + LINE * (len(head) + 1))
    height = tops[-1] + 30 + RIM
    body = [
        *_heading(head),
        *(_text(RIM, tops[depth] + 16, name) for depth, name in enumerate(names) if name),
        *_edges(root, tops, 0),
        *_nodes(root, tops, 0),
    ]
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    fitting = 'style="max-width: 100%; height: auto"'
    first = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {fitting}>'
    paper = f'<style>{_STYLE}</style><rect width="100%" height="100%" fill="#ffffff"/>'
    return "\n".join([first, paper, *body, "</svg>", ""])


# ---------------------------------------------------------------------------- layout


def _width(text: str) -> float:
    return LETTER * len(text)


def _placed(node: TreeNode) -> _Placed:
    lines = [node.text] if node.text else []
    if node.shape is NodeShape.FOLDED:
        lines.append(folded_text(node))
    half = max(20.0, *(_width(line) / 2 + 5 for line in lines)) if lines else 20.0
    if node.shape in (NodeShape.UP, NodeShape.DOWN):
        half += 8
    return _Placed(node, lines, half, [_placed(child) for child in node.children])


def _lay_out(placed: _Placed) -> list[tuple[float, float]]:
    """Place the children of a node; return from where to where each level reaches, from its x."""
    wide = max(placed.half, *(_width(line) / 2 + 3 for line in (placed.edge_lines or [""])))
    levels: list[tuple[float, float]] = []
    for child in placed.children:
        outline = _lay_out(child)
        pairs = zip(levels, outline, strict=False)
        child.x = max([0.0, *(high + GAP - low for (_, high), (low, _) in pairs)])
        for depth, (low, high) in enumerate(outline):
            if depth < len(levels):
                levels[depth] = levels[depth][0], high + child.x
            else:
                levels.append((low + child.x, high + child.x))
    if placed.children:
        middle = (placed.children[0].x + placed.children[-1].x) / 2
        for child in placed.children:
            child.x -= middle
        levels = [(low - middle, high - middle) for low, high in levels]
    return [(-wide, wide), *levels]


def _shift(placed: _Placed, by: float) -> None:
    placed.x += by
    for child in placed.children:
        _shift(child, placed.x)


def _tops(root: _Placed, top: float) -> list[float]:
    """Where the nodes of each level begin: below the longest text at an edge above."""
    tops, layer = [top + LINE * len(root.node.remarks)], root.children
    while layer:
        lines = max(len(placed.edge_lines) for placed in layer)
        tops.append(tops[-1] + 58 + LINE * lines)
        layer = [child for placed in layer for child in placed.children]
    return tops


# ---------------------------------------------------------------------------- drawing


def _text(x: float, y: float, text: str, kind: str = "", more: str = "") -> str:
    names = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{names}{more}>{escape(usable(text))}</text>'


def _heading(lines: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield _text(RIM, RIM + LINE * (number + 1), line, "small" if number else "head")


def _edges(placed: _Placed, tops: list[float], depth: int) -> Iterator[str]:
    for child in placed.children:
        lines = child.edge_lines
        start, end = tops[depth] + 30, tops[depth + 1] - 4 - LINE * len(lines)
        is_pruned = child.node.shape is NodeShape.PRUNED
        look = 'stroke="#1d2320"'
        if is_pruned:
            look = 'stroke="#a8a8a8" stroke-dasharray="4 3"'
        elif child.node.is_principal:
            look = 'stroke="#1d2320" stroke-width="3"'
        way = f"M{placed.x:.1f} {start:.1f} L{child.x:.1f} {end:.1f}"
        yield f'<g class="edge"><path d="{way}" {look}/>'
        if is_pruned:
            yield from _strokes(placed.x, start, child.x, end)
        for number, line in enumerate(lines):
            yield _edge_text(child, number, line, end + 10 + LINE * number)
        yield "</g>"
        yield from _edges(child, tops, depth + 1)


def _edge_text(child: _Placed, number: int, line: str, y: float) -> str:
    if number:
        return _text(child.x, y, line, f"middle small{' cut' * line.startswith('cut')}")
    more = ""
    if child.node.shape is NodeShape.PRUNED:
        more = ' text-decoration="line-through"'
    elif child.node.is_principal:
        more = ' font-weight="bold"'
    return _text(child.x, y, line, "middle", more)


def _strokes(x: float, y: float, to_x: float, to_y: float) -> Iterator[str]:
    """Two strokes across an edge, as cuts are marked by hand."""
    for part in (0.35, 0.5):
        at, height = x + (to_x - x) * part, y + (to_y - y) * part
        yield f'<path d="M{at - 6:.1f} {height:.1f} h12" stroke="#c0392b"/>'


def _nodes(placed: _Placed, tops: list[float], depth: int) -> Iterator[str]:
    node, top = placed.node, tops[depth]
    yield f'<g class="node {node.shape.name.lower()}"><title>{escape(usable(node.title))}</title>'
    yield _outline(placed, top)
    if not node.edge:  # the root: other nodes have theirs at the edge above
        for number, line in enumerate(node.remarks):
            kind = f"middle small{' cut' * line.startswith('cut')}"
            yield _text(placed.x, top - 4 - LINE * (len(node.remarks) - 1 - number), line, kind)
    first = top + {NodeShape.UP: 26, NodeShape.DOWN: 14}.get(node.shape, 19)
    first -= LINE / 2 * (len(placed.lines) - 1)
    bold = ' font-weight="bold"' if node.is_principal else ""
    for number, line in enumerate(placed.lines):
        yield _text(placed.x, first + LINE * number, line, "middle", "" if number else bold)
    yield "</g>"
    for child in placed.children:
        yield from _nodes(child, tops, depth + 1)


def _outline(placed: _Placed, top: float) -> str:
    node, x, half = placed.node, placed.x, placed.half
    left, right, bottom = x - half, x + half, top + 30
    look = f'fill="{_FILLS.get(node.shape, "#ffffff")}"'
    pale = node.shape in (NodeShape.PRUNED, NodeShape.FOLDED)
    look += f' stroke="{"#a8a8a8" if pale else "#1d2320"}"'
    look += ' stroke-width="2.5"' if node.is_principal else ""
    if node.is_seen:
        look += ' stroke-dasharray="1.5 2.5"'
    elif node.shape is NodeShape.EVALUATED:
        look += ' stroke-dasharray="4 3"'
    if node.shape is NodeShape.PRUNED:
        return f'<circle cx="{x:.1f}" cy="{top + 4:.1f}" r="4" {look}/>'
    if node.shape in (NodeShape.TOGETHER, NodeShape.CHANCE):
        return f'<ellipse cx="{x:.1f}" cy="{top + 15:.1f}" rx="{half:.1f}" ry="15" {look}/>'
    if node.shape in (NodeShape.UP, NodeShape.DOWN):
        tip, base = (top, bottom) if node.shape is NodeShape.UP else (bottom, top)
        points = f"{x:.1f},{tip:.1f} {right:.1f},{base:.1f} {left:.1f},{base:.1f}"
    else:
        points = " ".join(
            f"{a:.1f},{b:.1f}"
            for a, b in ((left, top), (right, top), (right, bottom), (left, bottom))
        )
    round_corners = ' stroke-linejoin="round"' if node.shape is NodeShape.EACH else ""
    return f'<polygon points="{points}" {look}{round_corners}/>'
