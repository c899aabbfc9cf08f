"""Diagrams: boxes and arrows, as Graphviz text, and as SVG with a layout of our own.

Arrows lead from what is defined to what it is defined through, dashed where under a negation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from xml.etree import ElementTree

from gdl.datalog import strongly_connected_components
from gdl.language import Level

COLOURS = {Level.STATIC: "#ffffff", Level.VIEW: "#dbe9f6", Level.TRANSITION: "#fde3c8"}
"""White for what every match shares, blue for what depends on the state, orange on the moves."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box: the ``key`` that arrows name it by, its text, and what a mouse over it is told."""

    key: str
    label: str
    title: str
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


_CHARACTER, _PADDING, _HEIGHT = 7.5, 20, 26
_GAP, _LAYER_GAP, _MARGIN = 18, 54, 20
"""The measures of the SVG, in pixels: of a box, and between boxes."""

_SWEEPS = 8
"""How many times the boxes of each layer are put into the order of their neighbours."""


def dot_text(diagram: Diagram, name: str) -> str:
    """Return a diagram in the language of Graphviz."""
    lines = [
        f"digraph {_quoted(name)} {{",
        '  node [shape=box, style=filled, fontname="sans-serif"];',
    ]
    for box in diagram.boxes.values():
        look = f'fillcolor="{box.colour}", penwidth={2 if box.is_thick else 1}'
        label = "" if box.label == box.key else f", label={_quoted(box.label)}"
        lines.append(f"  {_quoted(box.key)} [{look}{label}];")
    for source, target, negated in diagram.all_arrows():
        style = " [style=dashed]" if negated else ""
        lines.append(f"  {_quoted(source)} -> {_quoted(target)}{style};")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


# ---------------------------------------------------------------------- SVG


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a box is drawn; x is the middle, y the top."""

    x: float
    y: float
    width: float


Places: TypeAlias = Mapping[str, _Place]


def svg_text(diagram: Diagram) -> str:
    """Return a diagram as an SVG picture: boxes stand above those they are defined through."""
    places = _placed(diagram, _ordered(diagram, _layers(diagram)))
    width = max((place.x + place.width / 2 for place in places.values()), default=0) + _MARGIN
    height = max((place.y + _HEIGHT for place in places.values()), default=0) + _MARGIN
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    root = ElementTree.Element("svg", size | {"xmlns": "http://www.w3.org/2000/svg"})
    _add_arrow_head(root)
    for source, target, negated in diagram.all_arrows():
        dashes = {"stroke-dasharray": "4 3"} if negated else {}
        shape = {"d": _path(places[source], places[target]), "fill": "none", "stroke": "#777777"}
        ElementTree.SubElement(root, "path", shape | dashes | {"marker-end": "url(#arrow)"})
    for key, box in diagram.boxes.items():
        _add_box(root, box, places[key])
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _layers(diagram: Diagram) -> list[list[str]]:
    """Return the boxes by layer, from the top; circles of boxes share a layer."""
    level: dict[str, int] = {}
    for component in strongly_connected_components(diagram.arrows):
        below = {t for key in component for t in diagram.arrows.get(key, ())} - set(component)
        level |= dict.fromkeys(component, max((level[t] + 1 for t in below), default=0))
    layers: list[list[str]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for key, number in level.items():
        layers[-1 - number].append(key)
    return layers


def _ordered(diagram: Diagram, layers: list[list[str]]) -> list[list[str]]:
    """Return the layers with their boxes near to those that they have arrows with."""
    neighbours: dict[str, list[str]] = {}
    for source, target, _ in diagram.all_arrows():
        neighbours.setdefault(source, []).append(target)
        neighbours.setdefault(target, []).append(source)
    for _ in range(_SWEEPS):
        x = {key: place.x for key, place in _placed(diagram, layers).items()}
        layers = [sorted(layer, key=lambda key: _middle(key, neighbours, x)) for layer in layers]
    return layers


def _middle(key: str, neighbours: Mapping[str, Sequence[str]], place: Mapping[str, float]) -> float:
    around = neighbours.get(key, ())
    return sum(place[other] for other in around) / len(around) if around else place[key]


def _placed(diagram: Diagram, layers: Sequence[Sequence[str]]) -> Places:
    """Return where boxes in their layers stand, each layer in the middle of the picture."""
    widths = [[_width(diagram.boxes[key]) for key in layer] for layer in layers]
    totals = [sum(row) + _GAP * (len(row) - 1) for row in widths]
    places = {}
    for number, (layer, row) in enumerate(zip(layers, widths, strict=True)):
        left = _MARGIN + (max(totals) - totals[number]) / 2
        for key, width in zip(layer, row, strict=True):
            places[key] = _Place(left + width / 2, _MARGIN + number * (_HEIGHT + _LAYER_GAP), width)
            left += width + _GAP
    return places


def _width(box: Box) -> float:
    return len(box.label) * _CHARACTER + _PADDING


def _path(source: _Place, target: _Place) -> str:
    """Return a curve from the bottom of one box to the top of another, or between two bottoms."""
    start, end = source.y + _HEIGHT, target.y
    if end > start:
        bend = (end - start) / 2
        curve = f"{source.x:.1f} {start + bend:.1f} {target.x:.1f} {end - bend:.1f}"
        return f"M {source.x:.1f} {start:.1f} C {curve} {target.x:.1f} {end - 1:.1f}"
    left, right, low = source.x - 8, target.x + 8, start + _LAYER_GAP * 0.45
    curve = f"{left:.1f} {low:.1f} {right:.1f} {low:.1f}"
    return f"M {left:.1f} {start:.1f} C {curve} {right:.1f} {target.y + _HEIGHT + 1:.1f}"


def _add_arrow_head(root: ElementTree.Element) -> None:
    size = {"markerWidth": "7", "markerHeight": "7", "orient": "auto"}
    place = {"id": "arrow", "viewBox": "0 0 10 10", "refX": "9", "refY": "5"}
    marker = ElementTree.SubElement(ElementTree.SubElement(root, "defs"), "marker", place | size)
    ElementTree.SubElement(marker, "path", {"d": "M 0 0 L 10 5 L 0 10 z", "fill": "#777777"})


def _add_box(root: ElementTree.Element, box: Box, place: _Place) -> None:
    group = ElementTree.SubElement(root, "g")
    ElementTree.SubElement(group, "title").text = box.title
    corner = {"x": f"{place.x - place.width / 2:.1f}", "y": f"{place.y:.1f}", "rx": "4"}
    size = {"width": f"{place.width:.1f}", "height": str(_HEIGHT)}
    border = {"stroke": "#333333", "stroke-width": "2" if box.is_thick else "1"}
    fill = {"fill": box.colour}
    ElementTree.SubElement(group, "rect", corner | size | border | fill)
    font = {"font-family": "monospace", "font-size": "12", "text-anchor": "middle"}
    middle = {"x": f"{place.x:.1f}", "y": f"{place.y + 17:.1f}"}
    ElementTree.SubElement(group, "text", middle | font).text = box.label
