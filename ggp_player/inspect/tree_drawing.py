"""Search trees as drawings, in the shapes of a lecture: for Graphviz, and as HTML.

A triangle that points up is a choice of the player, one that points down an opponent's; a circle is
chance, or the choice of a role that moves at the same time. Values are in the nodes, moves on the
edges. Moves that were not searched are grey and struck out, the principal line is bold. For SVG,
which needs no Graphviz, see :mod:`.tree_svg`.

In an HTML file, see :mod:`ggp_player.pages.page_file`, a browser moves, zooms, folds and unfolds
the tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from types import MappingProxyType

from gdl.reports.diagrams import escaped, quoted, usable
from ggp_player.inspect.tree_figure import (
    FigureLimits,
    NodeShape,
    TreeFigure,
    TreeNode,
    folded_text,
)
from ggp_player.pages.page_file import page_in_a_file

_GREY = "#a8a8a8"

_DEFAULTS = """\
  graph [fontname="monospace", fontsize=11, labelloc=t, labeljust=l, ordering=out, ranksep=0.3,
         nodesep=0.2];
  node [fontname="monospace", fontsize=12, margin="0.03,0.02", height=0.3, width=0.4, style=filled];
  edge [fontname="monospace", fontsize=10.5, dir=none];
"""

_SHAPES: Mapping[NodeShape, str] = MappingProxyType(
    {
        NodeShape.UP: 'shape=triangle, fillcolor="#dbe9f6", margin=0',
        NodeShape.DOWN: 'shape=invtriangle, fillcolor="#fde3c8", margin=0',
        NodeShape.TOGETHER: 'shape=ellipse, fillcolor="#fde3c8"',
        NodeShape.CHANCE: 'shape=ellipse, fillcolor="#fff6c4"',
        NodeShape.EACH: 'shape=box, style="filled,rounded", fillcolor="#e2f0dc"',
        NodeShape.LEAF: 'shape=box, fillcolor="#ffffff"',
        NodeShape.EVALUATED: 'shape=box, style="filled,dashed", fillcolor="#ffffff"',
        NodeShape.FOLDED: f'shape=folder, fillcolor="#eeeeee", color="{_GREY}"',
        NodeShape.PRUNED: (
            f'shape=circle, width=0.1, height=0.1, fillcolor="#ffffff", color="{_GREY}"'
        ),
    }
)

_PRUNED_EDGE = f'style=dashed, color="{_GREY}", fontcolor="{_GREY}", dir=back, arrowtail=noneteetee'
"""Two strokes cross the edge, as cuts are marked by hand."""

_LEGEND: Mapping[NodeShape, str] = MappingProxyType(
    {
        NodeShape.UP: "△ takes the highest value",
        NodeShape.DOWN: "▽ takes the lowest",
        NodeShape.TOGETHER: "○ takes the lowest, and moves at the same time as the one above",
        NodeShape.CHANCE: "○ chance: the mean",
        NodeShape.EACH: "▢ takes the vector that is best for itself",
        NodeShape.EVALUATED: "dashed: evaluated, not searched",
        NodeShape.FOLDED: "tab: a folded subtree, with the number of states searched in it",
        NodeShape.PRUNED: "grey: not searched",
    }
)


def tree_dot(figure: TreeFigure, heading: str) -> str:
    """Write a figure in DOT, the language of Graphviz: a rank for each layer, its roles first."""
    layers = figure.layers
    nodes = [node for layer in layers for node in layer]
    names = {id(node): f"n{number}" for number, node in enumerate(nodes)}
    lines = ["digraph tree {", _DEFAULTS, f"  label={_heading(figure, heading)};"]
    for depth, layer in enumerate(layers):
        names_of_roles = _label(" / ".join(roles_of(layer)))
        lines.append(
            f"  {{ rank=same; r{depth} [shape=plaintext, style=solid, label={names_of_roles}];"
        )
        lines += [f"    {names[id(node)]} {_node_attributes(node)};" for node in layer]
        lines.append("  }")
    lines += [f"  r{depth - 1} -> r{depth} [style=invis];" for depth in range(1, len(layers))]
    for node in nodes:
        start = names[id(node)]
        lines += [f"  {start} -> {names[id(c)]} {_edge_attributes(c)};" for c in node.children]
    return "\n".join([*lines, "}", ""])


def legend(figure: TreeFigure) -> Iterator[str]:
    """Yield the lines that explain the marks of a figure."""
    nodes = [node for layer in figure.layers for node in layer]
    shapes = {node.shape for node in nodes}
    yield "; ".join(text for shape, text in _LEGEND.items() if shape in shapes)
    marks = ["moves from left to right as searched", "bold: the principal line"]
    if any(node.text[:1] in ("≤", "≥") for node in nodes):
        marks.append("≤ ≥: a bound, nothing more is known")
    if any(node.is_seen for node in nodes):
        marks.append("dotted: searched before, on another path")
    yield "; ".join(marks)
    if figure.remark:
        yield f"drawn to depth {figure.depth}: {figure.remark}"


def roles_of(layer: Sequence[TreeNode]) -> list[str]:
    """Return the roles that choose in a layer."""
    choosing = (n for n in layer if n.role and n.shape not in (NodeShape.LEAF, NodeShape.EVALUATED))
    return list(dict.fromkeys(node.role for node in choosing))


def _node_attributes(node: TreeNode) -> str:
    found = [
        _SHAPES[node.shape],
        f"class={node.shape.name.lower()}",
        f"label={_node_label(node)}",
        f"tooltip={quoted(escaped(usable(node.title)))}",
    ]
    found += ["penwidth=2.5"] if node.is_principal else []
    found += ['style="filled,dotted"'] if node.is_seen else []
    if node.remarks and not node.edge:  # the root: other nodes have theirs at the edge above
        found.append(f"xlabel=<{''.join(map(_line, node.remarks))}>")
    return f"[{', '.join(found)}]"


def _edge_attributes(child: TreeNode) -> str:
    """Describe the edge to a node, which bears its remarks too: there they overlap nothing."""
    is_pruned = child.shape is NodeShape.PRUNED
    tag = "s" if is_pruned else "b" if child.is_principal else ""
    remarks = "".join(map(_line, child.remarks))
    label = _label(child.edge, tag, remarks)
    look = f"{_PRUNED_EDGE}, " if is_pruned else "penwidth=3, " if child.is_principal else ""
    return f"[{look}label={label}]"


def _html(text: str) -> str:
    return escape(usable(text)).replace("\\", "&#92;")


def _label(text: str, tag: str = "", remarks: str = "") -> str:
    """Write a label, bold in the tag ``b`` and struck out in ``s``, and remarks below it."""
    if not text:
        return '""'
    inner = f"<{tag}>{_html(text)}</{tag}>" if tag else _html(text)
    return f'<{inner}<br align="left"/>{remarks}>' if remarks else f"<{inner}>"


def _node_label(node: TreeNode) -> str:
    """Write the value, and in a folded node the number of states, too."""
    if node.shape is not NodeShape.FOLDED:
        return _label(node.text, "b" if node.is_principal else "")
    value = f"{_html(node.text)}<br/>" if node.text else ""
    return f'<{value}<font point-size="10">{_html(folded_text(node))}</font>>'


def _line(text: str) -> str:
    colour = "#c0392b" if text.startswith("cut") else "#555555"
    return f'<font color="{colour}">{_html(text)}</font><br align="left"/>'


def _heading(figure: TreeFigure, heading: str) -> str:
    lines = "".join(map(_line, legend(figure)))
    return f'<<b>{_html(heading)}</b><br align="left"/>{lines}>'


PAGE_LIMITS = FigureLimits(nodes=5_000, width=None)
"""What a file holds, unless asked otherwise: some megabytes."""


def tree_html(figure: TreeFigure, heading: str) -> str:
    """Write a figure as an HTML file; nodes that are not open begin folded."""
    return page_in_a_file(
        "tree.html",
        ("tree_nodes.css", "tree.css"),
        "tree.js",
        _values(figure.root),
        heading=heading,
        legend="; ".join(legend(figure)),
    )


def _values(node: TreeNode) -> dict[str, object]:
    """A node as values for JSON, as ``tree.js`` reads them."""
    return {
        "shape": node.shape.name.lower(),
        "text": node.text,
        "title": node.title,
        "edge": node.edge,
        "remarks": node.remarks,
        "principal": node.is_principal,
        "seen": node.is_seen,
        "states": node.states,
        "hidden": node.hidden,
        "open": node.is_open,
        "children": list(map(_values, node.children)),
    }
