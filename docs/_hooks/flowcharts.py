"""The flowcharts of the documents as drawings: ``python docs/_hooks/flowcharts.py`` writes them.

The repository's pages show Mermaid, which would need three megabytes of JavaScript on the site. So
each flowchart is drawn once, to ``PAGE_NUMBER.svg`` beside the page. What is read is what our
flowcharts use: nodes with texts, arrows with labels, and dotted lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

from gdl.reports.layered_layout import Point, lay_out, svg_path

DOCS = Path(__file__).parents[1]

FLOWCHART = re.compile(r"^```mermaid\nflowchart TB\n(.*?)^```$", re.MULTILINE | re.DOTALL)

_NODE = r'(\w+)(?:\(\((.+?)\)\)|\["(.+?)"\]|\[(.+?)\])?'
_EDGE = re.compile(rf"\s*{_NODE} (?:-->(?:\|(.+?)\|)?|-\. (.+?) \.-) {_NODE}")

_LETTER, _LINE, _RIM = 6.6, 16.0, 8.0

_STYLE = (
    "text{font:12px sans-serif;fill:#1d2320;text-anchor:middle}rect{fill:#eef4f3;stroke:#1d2320}"
    ".edge path{fill:none;stroke:#1d2320}"
    ".edge text{font-size:11px;stroke:#ffffff;stroke-width:5;paint-order:stroke}"
)

_HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
    'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5 L8 4 L0 7.5 z" fill="#1d2320"/>'
    "</marker></defs>"
)


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a flowchart: its name, the lines of its text, with ``<b>``, and its shape."""

    name: str
    lines: tuple[str, ...]
    is_round: bool

    @property
    def size(self) -> Point:
        """The width and height of its box."""
        longest = max(len(re.sub("<.*?>", "", line)) for line in self.lines)
        return _LETTER * longest + 24, _LINE * len(self.lines) + 14


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from a node to another, or a dotted line, with its label."""

    source: str
    target: str
    label: str
    is_dotted: bool


def read_flowchart(flowchart: str) -> tuple[dict[str, Node], list[Arrow]]:
    """Read nodes, by name, and arrows; a line that is not understood is an error."""
    nodes: dict[str, Node] = {}
    arrows = []
    for line in flowchart.splitlines():
        match = _EDGE.fullmatch(line)
        if match is None:
            raise ValueError(f"no line of a flowchart: {line}")
        for name, around, quoted, plain in (match.groups()[:4], match.groups()[6:]):
            if text := around or quoted or plain:
                nodes[name] = Node(name, tuple(text.split("<br>")), bool(around))
        label, dotted = match.group(5, 6)
        arrows.append(Arrow(match[1], match[7], label or dotted or "", bool(dotted)))
    return nodes, arrows


def draw_flowchart(flowchart: str) -> str:
    """Draw a flowchart as SVG, from top to bottom in the order in which nodes are named first.

    Labels are laid out as nodes that arrows pass.
    """
    nodes, arrows = read_flowchart(flowchart)
    number = {name: index for index, name in enumerate(nodes)}
    sizes = [node.size for node in nodes.values()]
    edges: list[tuple[int, int]] = []
    labelled: dict[Arrow, int] = {}
    for arrow in arrows:
        ends = sorted([number[arrow.source], number[arrow.target]])
        if arrow.label:
            labelled[arrow] = len(sizes)
            ends.insert(1, len(sizes))
            sizes.append((_LETTER * len(arrow.label) * 11 / 12 + 10, _LINE))
        edges += pairwise(ends)
    # The layout is from left to right: turned, its x is the y of the drawing.
    layout = lay_out([(height, width) for width, height in sizes], edges)
    middles = [(y, x) for x, y in layout.middles]
    routes = iter(layout.routes)
    body = []
    for arrow in arrows:
        route = [*next(routes), *(next(routes) if arrow in labelled else ())]
        if number[arrow.source] > number[arrow.target]:
            route.reverse()
        text = ""
        if arrow in labelled:
            x, y = middles[labelled[arrow]]
            text = f'<text x="{x:.1f}" y="{y + 4:.1f}">{escape(arrow.label)}</text>'
        look = ' stroke-dasharray="2 3"' if arrow.is_dotted else ' marker-end="url(#head)"'
        title = f"<title>{arrow.source}-&gt;{arrow.target}</title>"
        way = f'<path d="{svg_path(route, downwards=True)}"{look}/>'
        body.append(f'<g class="edge">{title}{way}{text}</g>')
    body += [_box(node, middles[number[node.name]]) for node in nodes.values()]
    wide, high = layout.height + 2 * _RIM, layout.width + 2 * _RIM
    view = f'viewBox="{-_RIM:.0f} {-_RIM:.0f} {wide:.0f} {high:.0f}"'
    first = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{high:.0f}" {view}>'
    )
    paper = f'<path d="M{-_RIM} {-_RIM} h{wide:.0f} v{high:.0f} h-{wide:.0f} z" fill="#ffffff"/>'
    return "\n".join([first, f"<style>{_STYLE}</style>{_HEAD}", paper, *body, "</svg>", ""])


def _box(node: Node, middle: Point) -> str:
    (x, y), (width, height) = middle, node.size
    corner = f'x="{x - width / 2:.1f}" y="{y - height / 2:.1f}"'
    radius = f'rx="{height / 2 if node.is_round else 5:.0f}"'
    box = f'<rect {corner} width="{width:.1f}" height="{height:.1f}" {radius}/>'
    top = y + 4 - _LINE * (len(node.lines) - 1) / 2
    lines = "".join(
        f'<text x="{x:.1f}" y="{top + _LINE * index:.1f}">{_bold(line)}</text>'
        for index, line in enumerate(node.lines)
    )
    return f'<g class="node"><title>{node.name}</title>{box}{lines}</g>'


def _bold(line: str) -> str:
    text = escape(line, quote=False)
    return text.replace("&lt;b&gt;", '<tspan font-weight="bold">').replace("&lt;/b&gt;", "</tspan>")


def drawings() -> Iterator[tuple[Path, str]]:
    """Yield where the drawing of each flowchart is, and the flowchart."""
    for page in sorted(DOCS.glob("*.md")):
        for number, flowchart in enumerate(FLOWCHART.findall(page.read_text(encoding="utf-8")), 1):
            yield page.with_name(f"{page.stem}_{number}.svg"), flowchart


if __name__ == "__main__":
    for path, flowchart in drawings():
        path.write_text(draw_flowchart(flowchart), encoding="utf-8")
