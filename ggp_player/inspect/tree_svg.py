"""Search trees as SVG, drawn as in a lecture.

A triangle that points up is a choice of the player, one that points down an opponent's; a circle is
chance, or the choice of somebody who moves at the same time. Values stand in the nodes, moves at
the edges. What was not searched is grey and struck out, the principal line is bold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from xml.etree import ElementTree

from ggp_player.inspect.tree_figure import Figure, FigureNode, Shape

_CHARACTER, _SMALL_CHARACTER = 7.4, 6.3
"""The widths of characters in nodes, and of those around them, in pixels."""

_HALF, _LAYER, _GAP, _MARGIN, _LINE = 17, 96, 14, 24, 13
"""Half the height of a node, and the distances between layers, siblings, borders and lines."""

_LABEL_AT = 0.66
"""Where on an edge its move stands, from its top to its bottom."""

_INK, _GREY = "#333333", "#a8a8a8"

_COLOURS: Mapping[Shape, str] = MappingProxyType(
    {
        Shape.UP: "#dbe9f6",
        Shape.DOWN: "#fde3c8",
        Shape.TOGETHER: "#fde3c8",
        Shape.CHANCE: "#fff6c4",
        Shape.EACH: "#e2f0dc",
        Shape.LEAF: "#ffffff",
        Shape.EVALUATED: "#ffffff",
        Shape.PRUNED: "#ffffff",
    }
)

_UNUSABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML has no way to write."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A node and where its middle is; ``above`` is the node that its edge comes from."""

    node: FigureNode
    x: float
    y: float
    above: _Placed | None = None


def svg_text(figure: Figure, heading: str) -> str:
    """Return the figure as an SVG picture under a heading."""
    roles = _roles_by_layer(figure.root)
    left = _MARGIN + max((len(text) for text in roles), default=0) * _SMALL_CHARACTER + _GAP
    legend = list(_legend(figure))
    top = _MARGIN + 2 * _LINE + _HALF
    placed = list(_place(figure.root, left, top, _widths(figure.root)))
    words = max(map(len, (heading, figure.remark, *legend))) * _SMALL_CHARACTER
    width = max(left + _widths(figure.root)[id(figure.root)], _MARGIN + words) + _MARGIN
    bottom = max(p.y for p in placed) + _HALF + 3 * _LINE
    height = bottom + len(legend) * (_LINE + 4) + _MARGIN
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    root = ElementTree.Element("svg", size | {"xmlns": "http://www.w3.org/2000/svg"})
    _add(root, "rect", size | {"fill": "#ffffff"})
    _add_text(root, heading, _MARGIN, _MARGIN, {"font-weight": "bold", "text-anchor": "start"})
    for layer, text in enumerate(roles):
        _add_text(root, text, _MARGIN, top + layer * _LAYER + 4, {"text-anchor": "start"})
    for place in sorted(placed, key=lambda p: p.node.is_principal):
        _add_edge(root, place)
    for place in placed:
        _add_label(root, place)
        _add_node(root, place)
    for line, text in enumerate(legend):
        y = bottom + (line + 1) * (_LINE + 4)
        _add_text(root, text, _MARGIN, y, {"text-anchor": "start", "fill": "#555555"})
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


# ----------------------------------------------------------------------- layout


def _widths(root: FigureNode) -> dict[int, float]:
    """Return the width of each node with all that is below it."""
    widths: dict[int, float] = {}
    for node in reversed(list(_nodes(root))):
        below = sum(widths[id(child)] for child in node.children)
        widths[id(node)] = max(below, _slot(node))
    return widths


def _nodes(root: FigureNode) -> Iterator[FigureNode]:
    """Yield all nodes, each before those below it."""
    waiting = [root]
    while waiting:
        yield (node := waiting.pop())
        waiting.extend(reversed(node.children))


def _slot(node: FigureNode) -> float:
    """Return the room that a node and its words take."""
    # Where the moves stand, the edges are not yet as far apart as the nodes.
    edge = len(node.edge) * _SMALL_CHARACTER / _LABEL_AT
    below = max((len(line) for line in node.below), default=0) * _SMALL_CHARACTER
    beside = 2 * (below + 4) if node.children and below else 0
    return max(2 * _half_width(node) + beside, edge, below) + _GAP


def _half_width(node: FigureNode) -> float:
    text = len(node.text) * _CHARACTER / 2
    if node.shape in (Shape.UP, Shape.DOWN):
        return max(27, text + 14)
    if node.shape in (Shape.CHANCE, Shape.TOGETHER):
        return max(_HALF + 2, text + 5)
    return 5 if node.shape is Shape.PRUNED else max(16, text + 7)


def _reach(node: FigureNode) -> float:
    """Return how far a node reaches above and below its middle."""
    if node.shape is Shape.PRUNED:
        return 4
    return _HALF - 4 if node.shape in (Shape.EACH, Shape.LEAF, Shape.EVALUATED) else _HALF


def _place(root: FigureNode, left: float, y: float, widths: dict[int, float]) -> Iterator[_Placed]:
    waiting: list[tuple[FigureNode, float, float, _Placed | None]] = [(root, left, y, None)]
    while waiting:
        node, left, y, above = waiting.pop()
        place = _Placed(node, left + widths[id(node)] / 2, y, above)
        yield place
        spare = widths[id(node)] - sum(widths[id(child)] for child in node.children)
        left += spare / 2
        children = []
        for child in node.children:
            children.append((child, left, y + _LAYER, place))
            left += widths[id(child)]
        waiting.extend(reversed(children))


def _roles_by_layer(root: FigureNode) -> list[str]:
    """Return who chooses in each layer of the tree."""
    texts, layer = [], [root]
    while layer:
        choosing = (n for n in layer if n.role and n.shape not in (Shape.LEAF, Shape.EVALUATED))
        texts.append(" / ".join(dict.fromkeys(node.role for node in choosing)))
        layer = [child for node in layer for child in node.children]
    return texts


def _legend(figure: Figure) -> Iterator[str]:
    """Yield what the drawing has that needs a word."""
    nodes = list(_nodes(figure.root))
    shapes = {node.shape for node in nodes}
    words = {
        Shape.UP: "△ takes the highest value",
        Shape.DOWN: "▽ takes the lowest",
        Shape.TOGETHER: "○ takes the lowest, and moves at the same time as the one above",
        Shape.CHANCE: "○ chance: the mean",
        Shape.EACH: "▢ takes the vector that is best for itself",
        Shape.EVALUATED: "dashed: evaluated, not searched",
        Shape.PRUNED: "grey: not searched",
    }
    yield "; ".join(text for shape, text in words.items() if shape in shapes)
    marks = ["moves from left to right as searched", "bold: the principal line"]
    if any(node.text[:1] in ("≤", "≥") for node in nodes):
        marks.append("≤ ≥: no more was found out")
    if any(node.is_seen for node in nodes):
        marks.append("dotted: searched before, on another path")
    if any("⋮" in node.below for node in nodes):
        marks.append("⋮: goes on below")
    yield "; ".join(marks)
    if figure.remark:
        yield f"drawn to depth {figure.depth}: {figure.remark} one drawing"


# ---------------------------------------------------------------------- drawing


def _add(root: ElementTree.Element, kind: str, shape: Mapping[str, str]) -> ElementTree.Element:
    return ElementTree.SubElement(root, kind, dict(shape))


def _add_text(
    root: ElementTree.Element, text: str, x: float, y: float, style: Mapping[str, str]
) -> None:
    font = {"font-family": "monospace", "font-size": "10.5", "text-anchor": "middle"}
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "fill": _INK}
    _add(root, "text", {**place, **font, **style}).text = _UNUSABLE.sub("�", text)


def _edge(place: _Placed, above: _Placed) -> tuple[float, float, float, float]:
    """Return where the edge to a node begins and ends: x and y, x and y."""
    return above.x, above.y + _reach(above.node), place.x, place.y - _reach(place.node)


def _along(edge: tuple[float, float, float, float], share: float) -> tuple[float, float]:
    x, y, to_x, to_y = edge
    return x + share * (to_x - x), y + share * (to_y - y)


def _add_edge(root: ElementTree.Element, place: _Placed) -> None:
    if place.above is None:
        return
    edge = _edge(place, place.above)
    line = {key: f"{v:.1f}" for key, v in zip(("x1", "y1", "x2", "y2"), edge, strict=True)}
    is_pruned = place.node.shape is Shape.PRUNED
    stroke = {
        "stroke": _GREY if is_pruned else _INK,
        "stroke-width": "3" if place.node.is_principal else "1",
    }
    _add(root, "line", line | stroke | ({"stroke-dasharray": "4 3"} if is_pruned else {}))
    if is_pruned:
        _add_strike(root, *_along(edge, 0.3))


def _add_label(root: ElementTree.Element, place: _Placed) -> None:
    """Write the move at the edge to a node, on white ground."""
    node = place.node
    if place.above is None:
        return
    x, y = _along(_edge(place, place.above), _LABEL_AT)
    width = len(node.edge) * _SMALL_CHARACTER + 4
    ground = {"x": f"{x - width / 2:.1f}", "y": f"{y - 6:.1f}", "width": f"{width:.1f}"}
    _add(root, "rect", ground | {"height": "13", "fill": "#ffffff"})
    is_pruned = node.shape is Shape.PRUNED
    style = {"fill": _GREY, "text-decoration": "line-through"} if is_pruned else {}
    style |= {"font-weight": "bold"} if node.is_principal else {}
    _add_text(root, node.edge, x, y + 4, style)


def _add_strike(root: ElementTree.Element, x: float, y: float) -> None:
    """Draw two short strokes across an edge."""
    path = " ".join(f"M {x - 6:.1f} {y + d + 3:.1f} L {x + 6:.1f} {y + d - 3:.1f}" for d in (-2, 2))
    _add(root, "path", {"d": path, "stroke": "#c0392b", "stroke-width": "1.5"})


def _add_node(root: ElementTree.Element, place: _Placed) -> None:
    node, x, y = place.node, place.x, place.y
    group = _add(root, "g", {})
    _add(group, "title", {}).text = _UNUSABLE.sub("�", node.title)
    kind, outline = _outline(place)
    pruned = node.shape is Shape.PRUNED
    stroke = {
        "stroke": _GREY if pruned else _INK,
        "stroke-width": "2.5" if node.is_principal else "1",
    }
    if node.is_seen or node.shape is Shape.EVALUATED:
        stroke["stroke-dasharray"] = "1.5 2.5" if node.is_seen else "5 3"
    _add(group, kind, outline | {"fill": _COLOURS[node.shape]} | stroke)
    # The wide part of a triangle holds the number.
    shift = {Shape.UP: 10, Shape.DOWN: -1}.get(node.shape, 4)
    weight = {"font-weight": "bold"} if node.is_principal else {}
    if node.text:
        _add_text(group, node.text, x, y + shift, {"font-size": "12"} | weight)
    _add_words(group, place)


def _add_words(group: ElementTree.Element, place: _Placed) -> None:
    """Write the words of a node: below a leaf, and beside a node with edges below it."""
    node, x, y = place.node, place.x, place.y + _HALF + _LINE
    anchor = {}
    if node.children:
        x, y = x + _half_width(node) + 4, place.y - (len(node.below) - 1) * _LINE / 2 + 4
        anchor = {"text-anchor": "start"}
    for line, text in enumerate(node.below):
        colour = {"fill": "#c0392b" if text.startswith("cut") else "#555555"}
        _add_text(group, text, x, y + line * _LINE, colour | anchor)


def _outline(place: _Placed) -> tuple[str, dict[str, str]]:
    """Return the element that is a node's outline, and its measures."""
    node, x, y = place.node, place.x, place.y
    half = _half_width(node)
    if node.shape in (Shape.UP, Shape.DOWN):
        tip = -_HALF if node.shape is Shape.UP else _HALF
        corners = (x, y + tip), (x - half, y - tip), (x + half, y - tip)
        return "polygon", {"points": " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)}
    if node.shape in (Shape.CHANCE, Shape.TOGETHER):
        radii = {"rx": f"{half:.1f}", "ry": f"{_HALF}"}
        return "ellipse", {"cx": f"{x:.1f}", "cy": f"{y:.1f}"} | radii
    if node.shape is Shape.PRUNED:
        return "circle", {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "4"}
    size = {"width": f"{2 * half:.1f}", "height": f"{2 * _reach(node)}"}
    corner = {"rx": "10" if node.shape is Shape.EACH else "2"}
    return "rect", {"x": f"{x - half:.1f}", "y": f"{y - _reach(node):.1f}"} | size | corner
