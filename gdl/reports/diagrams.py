"""Diagrams of a relation graph: as Graphviz text, and as SVG with a layout of our own.

Arrows lead from a relation to those that it is defined through, dashed where under a negation.
Relations that every match shares are white, those that depend on the state blue, those that depend
on the joint move orange; the language's own have a thick border.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from xml.etree import ElementTree

from gdl.dependencies import Level, components
from gdl.reports.relation_graph import Relation, RelationGraph, relation_text
from gdl.ruleset import RelationKey

_COLOURS = {Level.STATIC: "#ffffff", Level.VIEW: "#dbe9f6", Level.TRANSITION: "#fde3c8"}

_CHARACTER, _PADDING, _HEIGHT = 7.5, 20, 26
_GAP, _LAYER_GAP, _MARGIN = 18, 54, 20
"""The measures of the SVG, in pixels: of a box, and between boxes."""

_SWEEPS = 8
"""How many times the boxes of each layer are put into the order of their neighbours."""


def dot_text(graph: RelationGraph, name: str) -> str:
    """Return the graph in the language of Graphviz."""
    lines = [
        f"digraph {_quoted(name)} {{",
        '  node [shape=box, style=filled, fontname="sans-serif"];',
    ]
    for relation in graph.relations:
        width = 2 if relation.is_keyword else 1
        colour = _COLOURS[relation.level]
        lines.append(f'  {_quoted(str(relation))} [fillcolor="{colour}", penwidth={width}];')
    for source, target, negated in _edges(graph):
        style = " [style=dashed]" if negated else ""
        ends = f"{_quoted(relation_text(source))} -> {_quoted(relation_text(target))}"
        lines.append(f"  {ends}{style};")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _edges(graph: RelationGraph) -> Iterator[tuple[RelationKey, RelationKey, bool]]:
    for source, targets in graph.edges.items():
        for target, negated in targets.items():
            yield source, target, negated


# ---------------------------------------------------------------------- SVG


@dataclass(frozen=True, slots=True)
class _Box:
    """Where a relation is drawn; x is the middle, y the top."""

    x: float
    y: float
    width: float


Boxes: TypeAlias = Mapping[RelationKey, _Box]


def svg_text(graph: RelationGraph) -> str:
    """Return the graph as an SVG picture: relations stand above those they are defined through."""
    layers = _ordered(graph, _layers(graph))
    boxes = _placed(layers)
    width = max((box.x + box.width / 2 for box in boxes.values()), default=0) + _MARGIN
    height = max((box.y + _HEIGHT for box in boxes.values()), default=0) + _MARGIN
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    root = ElementTree.Element("svg", size | {"xmlns": "http://www.w3.org/2000/svg"})
    _add_arrow_head(root)
    for source, target, negated in _edges(graph):
        dashes = {"stroke-dasharray": "4 3"} if negated else {}
        shape = {"d": _path(boxes[source], boxes[target]), "fill": "none", "stroke": "#777777"}
        ElementTree.SubElement(root, "path", shape | dashes | {"marker-end": "url(#arrow)"})
    for relation in graph.relations:
        _add_box(root, relation, boxes[relation.key])
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _layers(graph: RelationGraph) -> list[list[RelationKey]]:
    """Return the relations by layer, from the top; circles of relations share a layer."""
    level: dict[RelationKey, int] = {}
    for component in components(graph.edges):
        below = {t for key in component for t in graph.edges.get(key, ())} - set(component)
        level |= dict.fromkeys(component, max((level[t] + 1 for t in below), default=0))
    layers: list[list[RelationKey]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for key, number in level.items():
        layers[-1 - number].append(key)
    return layers


def _ordered(graph: RelationGraph, layers: list[list[RelationKey]]) -> list[list[RelationKey]]:
    """Return the layers with their relations near to those that they have arrows with."""
    neighbours: dict[RelationKey, list[RelationKey]] = {}
    for source, target, _ in _edges(graph):
        neighbours.setdefault(source, []).append(target)
        neighbours.setdefault(target, []).append(source)
    for _ in range(_SWEEPS):
        place = {key: box.x for key, box in _placed(layers).items()}
        layers = [
            sorted(layer, key=lambda key: _middle(key, neighbours, place)) for layer in layers
        ]
    return layers


def _middle(
    key: RelationKey,
    neighbours: Mapping[RelationKey, Sequence[RelationKey]],
    place: Mapping[RelationKey, float],
) -> float:
    around = neighbours.get(key, ())
    return sum(place[other] for other in around) / len(around) if around else place[key]


def _placed(layers: Sequence[Sequence[RelationKey]]) -> dict[RelationKey, _Box]:
    """Return the boxes of relations in their layers, each layer in the middle of the picture."""
    widths = [[_width(key) for key in layer] for layer in layers]
    totals = [sum(row) + _GAP * (len(row) - 1) for row in widths]
    boxes = {}
    for number, (layer, row) in enumerate(zip(layers, widths, strict=True)):
        left = _MARGIN + (max(totals) - totals[number]) / 2
        for key, width in zip(layer, row, strict=True):
            boxes[key] = _Box(left + width / 2, _MARGIN + number * (_HEIGHT + _LAYER_GAP), width)
            left += width + _GAP
    return boxes


def _width(key: RelationKey) -> float:
    return len(relation_text(key)) * _CHARACTER + _PADDING


def _path(source: _Box, target: _Box) -> str:
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


def _add_box(root: ElementTree.Element, relation: Relation, box: _Box) -> None:
    group = ElementTree.SubElement(root, "g")
    title = f"{relation}: {relation.facts} facts, {relation.rules} rules"
    ElementTree.SubElement(group, "title").text = title
    place = {"x": f"{box.x - box.width / 2:.1f}", "y": f"{box.y:.1f}", "rx": "4"}
    size = {"width": f"{box.width:.1f}", "height": str(_HEIGHT)}
    border = {"stroke": "#333333", "stroke-width": "2" if relation.is_keyword else "1"}
    fill = {"fill": _COLOURS[relation.level]}
    ElementTree.SubElement(group, "rect", place | size | border | fill)
    font = {"font-family": "monospace", "font-size": "12", "text-anchor": "middle"}
    middle = {"x": f"{box.x:.1f}", "y": f"{box.y + 17:.1f}"}
    ElementTree.SubElement(group, "text", middle | font).text = str(relation)
