"""Diagrams of boxes and arrows, as text for Graphviz, and as SVG drawn by Graphviz.

Arrows lead from what is defined to what it is defined through, dashed where under a negation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gdl.errors import GdlError
from gdl.language import Level

COLOURS = {Level.STATIC: "#ffffff", Level.VIEW: "#dbe9f6", Level.TRANSITION: "#fde3c8"}
"""White for what every match shares, blue for what depends on the state, orange on the moves."""


class DrawingError(GdlError):
    """A diagram cannot be drawn: Graphviz is not installed, or failed."""


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
    """Draw a diagram as SVG; raises :class:`DrawingError` where Graphviz is not installed."""
    return draw_dot(dot_text(diagram, name))


def draw_dot(dot: str) -> str:
    """Draw a text in DOT as SVG; raises :class:`DrawingError` where Graphviz is not installed."""
    advice = "or use --format dot, which needs nothing"
    try:
        import graphviz
    except ImportError:
        package = "the Python package graphviz (pip install 'ggp-player[diagrams]')"
        raise DrawingError(f"drawing SVG needs {package}: install it, {advice}") from None
    try:
        return str(graphviz.Source(dot).pipe("svg", encoding="utf-8"))
    except graphviz.ExecutableNotFound:
        program = "the program dot of Graphviz (https://graphviz.org/download)"
        raise DrawingError(f"drawing SVG needs {program}: install it, {advice}") from None
    except graphviz.CalledProcessError as error:
        raise DrawingError(f"dot failed: {error.stderr}") from error
