"""Diagrams of boxes and arrows, as SVG, and as text for Graphviz.

Arrows lead from what is defined to what it is defined through, dashed where under a negation. In
a picture that is from left to right, but for the arrows that close a cycle.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from gdl.errors import ResourceLimitError
from gdl.language import Level
from gdl.reports.layered_layout import PORT, Point, lay_out, svg_path

COLOURS = {Level.STATIC: "#ffffff", Level.VIEW: "#dbe9f6", Level.TRANSITION: "#fde3c8"}
"""White for what every match shares, blue for what depends on the state, orange on the moves."""

MAX_BOXES = 1000
"""Larger diagrams make pictures in which nothing can be seen."""

MAX_LETTERS = 60
"""Of a label in a picture; the tooltip has all of a longer one."""

LETTER = 7.3
"""The width of a character of 12 px in a monospaced font."""

RIM, PADDING, LINE, LOOP = 10.0, 8.0, 26.0, 18.0
"""Around a picture, beside a label, the least height of a box, and of an arrow above it."""

_STYLE = (
    "text{font:12px monospace;fill:#1d2320;text-anchor:middle}rect{stroke:#1d2320}"
    ".edge path{fill:none;stroke:#1d2320}.edge:hover path{stroke:#c0392b;stroke-width:3}"
)

_HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
    'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5 L8 4 L0 7.5 z" fill="#1d2320"/>'
    "</marker></defs>"
)

_UNUSABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML has no way to write."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box: the ``key`` that arrows name it by, its label, and its tooltip."""

    key: str
    label: str
    tooltip: str
    colour: str
    is_thick: bool = False


@dataclass(frozen=True, slots=True)
class Diagram:
    """Boxes by key, and arrows: from a box to others, with whether negated."""

    boxes: Mapping[str, Box]
    arrows: Mapping[str, Mapping[str, bool]]

    def all_arrows(self) -> Iterator[tuple[str, str, bool]]:
        """Yield source, target, and whether negated."""
        for source, targets in self.arrows.items():
            for target, negated in targets.items():
                yield source, target, negated


def dot_text(diagram: Diagram, name: str) -> str:
    """Write a diagram in DOT, the language of Graphviz."""
    lines = [
        f"digraph {quoted(name)} {{",
        '  node [shape=box, style=filled, fontname="sans-serif"];',
    ]
    for box in diagram.boxes.values():
        look = f'fillcolor="{box.colour}", penwidth={2 if box.is_thick else 1}'
        texts = f"label={quoted(escaped(box.label))}, tooltip={quoted(escaped(box.tooltip))}"
        lines.append(f"  {quoted(box.key)} [{look}, {texts}];")
    for source, target, negated in diagram.all_arrows():
        style = " [style=dashed]" if negated else ""
        lines.append(f"  {quoted(source)} -> {quoted(target)}{style};")
    return "\n".join([*lines, "}", ""])


def quoted(text: str) -> str:
    """Write a text as a string of DOT."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def escaped(label: str) -> str:
    """Escape what Graphviz would read as the entity of a character."""
    return label.replace("&", "&amp;")


def svg_text(diagram: Diagram, name: str) -> str:
    """Draw a diagram as SVG; raises :class:`gdl.ResourceLimitError` where it is too large."""
    if len(diagram.boxes) > MAX_BOXES:
        raise ResourceLimitError(
            f"the diagram has {len(diagram.boxes)} boxes; a picture is drawn of at most {MAX_BOXES}"
        )
    labels = {key: _shortened(box.label) for key, box in diagram.boxes.items()}
    arrows = [arrow for arrow in diagram.all_arrows() if arrow[0] != arrow[1]]
    loops = {source: no for source, target, no in diagram.all_arrows() if source == target}
    leaving = Counter(source for source, _, _ in arrows)
    reaching = Counter(target for _, target, _ in arrows)
    widths = {key: LETTER * len(label) + 2 * PADDING for key, label in labels.items()}
    heights = {key: max(LINE, PORT * max(leaving[key], reaching[key])) for key in labels}
    number = {key: index for index, key in enumerate(labels)}
    layout = lay_out(
        [(widths[key], heights[key] + 2 * LOOP * (key in loops)) for key in labels],
        [(number[source], number[target]) for source, target, _ in arrows],
    )
    middles = dict(zip(labels, layout.middles, strict=True))
    ways = {key: _loop(middles[key], heights[key]) for key in loops}
    body = [
        *(
            _arrow(labels[source], labels[target], svg_path(route), negated)
            for (source, target, negated), route in zip(arrows, layout.routes, strict=True)
        ),
        *(_arrow(labels[key], labels[key], ways[key], negated) for key, negated in loops.items()),
        *(
            _box(box, labels[key], middles[key], (widths[key], heights[key]))
            for key, box in diagram.boxes.items()
        ),
    ]
    return _picture(name, layout.width, layout.height, body)


def _picture(name: str, width: float, height: float, body: Sequence[str]) -> str:
    wide, high = width + 2 * RIM, height + 2 * RIM
    size = f'width="{wide:.0f}" height="{high:.0f}"'
    view = f'viewBox="{-RIM:.0f} {-RIM:.0f} {wide:.0f} {high:.0f}"'
    paper = f'<path d="M{-RIM} {-RIM} h{wide:.0f} v{high:.0f} h-{wide:.0f} z" fill="#ffffff"/>'
    first = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view}>'
    title = f"<title>{_xml(name)}</title><style>{_STYLE}</style>{_HEAD}"
    return "\n".join([first, title, paper, *body, "</svg>", ""])


def _loop(middle: Point, height: float) -> str:
    """Write the way of an arrow from a box to itself, above it."""
    x, y = middle
    return f"M{x + 10:.1f} {y - height / 2:.1f} c10 {-LOOP} -30 {-LOOP} -20 0"


def _arrow(source: str, target: str, way: str, negated: bool) -> str:
    dashes = ' stroke-dasharray="5 3"' if negated else ""
    title = f"<title>{_xml(source)} -&gt; {_xml(target)}</title>"
    return f'<g class="edge">{title}<path d="{way}"{dashes} marker-end="url(#head)"/></g>'


def _box(box: Box, label: str, middle: Point, size: Point) -> str:
    (x, y), (width, height) = middle, size
    corner = f'x="{x - width / 2:.1f}" y="{y - height / 2:.1f}"'
    look = f'fill="{box.colour}" stroke-width="{2 if box.is_thick else 1}"'
    outline = f'<rect {corner} width="{width:.1f}" height="{height:.1f}" rx="3" {look}/>'
    title = f"<title>{_xml(box.tooltip)}</title>"
    text = f'<text x="{x:.1f}" y="{y + 4:.1f}">{_xml(label)}</text>'
    return f'<g class="node">{title}{outline}{text}</g>'


def _shortened(label: str) -> str:
    return label if len(label) <= MAX_LETTERS else f"{label[: MAX_LETTERS - 1]}…"


def usable(text: str) -> str:
    """Replace characters that XML has no way to write."""
    return _UNUSABLE.sub("\ufffd", text)


def _xml(text: str) -> str:
    return escape(usable(text))
