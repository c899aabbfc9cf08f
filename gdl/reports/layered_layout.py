"""The layout of a directed graph in layers, from left to right: where boxes stand, and arrows run.

The steps are those of K. Sugiyama, S. Tagawa and M. Toda, Methods for Visual Understanding of
Hierarchical System Structures (1981): edges that close a cycle are turned around, nodes get
layers, edges a bend in each layer that they pass, layers an order with few crossings, and what
stands in them heights that keep edges level. Equal graphs are laid out alike.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise
from math import isqrt

from gdl.errors import ResourceLimitError

MAX_STEPS = 10_000
"""Of edges from column to column, which take some seconds."""

GAP, BEND_GAP = 12.0, 7.0
"""Between what stands one above the other: at least one of them a node; two edges that pass."""

COLUMN_GAP, MAX_COLUMN_GAP = 36.0, 200.0
"""Between two columns, and at most, where edges climb far from one to the other."""

PORT = 8.0
"""Between edges at the same side of a node, where its height allows it."""

_BEND_WEIGHT = 8.0
"""How much more it counts that a long edge is level than that a node is amid its neighbours."""

_LAYER_SWEEPS, _ORDER_SWEEPS, _FRUITLESS_SWEEPS, _HEIGHT_SWEEPS = 50, 24, 6, 12

Point = tuple[float, float]
Edge = tuple[int, int]
Neighbours = list[list[int]]


@dataclass(frozen=True, slots=True)
class LayeredLayout:
    """The size of a drawing, the middle of each node, and the route of each edge.

    A route is an even number of points, from the side of the edge's source to the side of its
    target. From the first to the second it is level, and between nodes; from the second to the
    third there is free space for a line or a curve; and so on.
    """

    width: float
    height: float
    middles: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]


def lay_out(sizes: Sequence[Point], edges: Sequence[Edge]) -> LayeredLayout:
    """Lay out nodes, numbered from 0, of some widths and heights, and edges between two of them.

    Raises :class:`gdl.ResourceLimitError` where edges are many, or pass many columns.
    """
    if not sizes:
        return LayeredLayout(0.0, 0.0, (), ())
    _check_steps(len(edges))
    turned = _edges_back(len(sizes), edges)
    forward = [edge[::-1] if turn else edge for edge, turn in zip(edges, turned, strict=True)]
    places = _Places(sizes, forward)
    _reduce_crossings(places)
    ys = _heights(places)
    return _routed(places, ys, turned)


def svg_path(route: Sequence[Point], *, downwards: bool = False) -> str:
    """Write a route as the path of an SVG, curved where it is free.

    ``downwards`` exchanges the axes: the drawing goes from top to bottom.
    """

    def text(x: float, y: float) -> str:
        return f"{y:.1f} {x:.1f}" if downwards else f"{x:.1f} {y:.1f}"

    parts = [f"M{text(*route[0])}"]
    for index in range(1, len(route), 2):
        x, y = route[index]
        if abs(x - route[index - 1][0]) > 0.1:  # of no length, it would turn the head
            parts.append(f"L{text(x, y)}")
        if index + 1 < len(route):
            to_x, to_y = route[index + 1]
            middle = (x + to_x) / 2
            parts.append(f"C{text(middle, y)} {text(middle, to_y)} {text(to_x, to_y)}")
    return " ".join(parts)


def _check_steps(steps: int) -> None:
    if steps > MAX_STEPS:
        raise ResourceLimitError(
            f"the arrows lead {steps} times from a column to the next; a picture is drawn of at "
            f"most {MAX_STEPS}"
        )


class _Places:
    """Nodes and, numbered after them, the bends of edges, in layers.

    ``chains`` has what each edge passes, from its left to its right end; ``left`` and ``right``
    have the neighbours of each place; ``part`` tells parts that are not connected.
    """

    def __init__(self, sizes: Sequence[Point], edges: Sequence[Edge]) -> None:
        count = len(sizes)
        left, right = _neighbours(count, edges)
        order, self.part = _parts(left, right)
        layer_of = _layers(order, self.part, left, right)
        steps = sum(layer_of[target] - layer_of[source] for source, target in edges)
        _check_steps(steps)
        total = count + steps - len(edges)
        self.nodes, self.sizes = count, [*sizes, *[(0.0, 0.0)] * (total - count)]
        self.layers: list[list[int]] = [[] for _ in range(max(layer_of) + 1)]
        for node in order:
            self.layers[layer_of[node]].append(node)
        self.chains = []
        for source, target in edges:
            bends = range(len(self.part), len(self.part) + layer_of[target] - layer_of[source] - 1)
            self.part += [self.part[source]] * len(bends)
            for layer, bend in enumerate(bends, layer_of[source] + 1):
                self.layers[layer].append(bend)
            self.chains.append([source, *bends, target])
        self.left, self.right = _neighbours(
            total, [step for chain in self.chains for step in pairwise(chain)]
        )

    def separation(self, upper: int, lower: int) -> float:
        """How far apart the middles of two places are that stand one above the other."""
        gap = GAP if min(upper, lower) < self.nodes else BEND_GAP
        return (self.sizes[upper][1] + self.sizes[lower][1]) / 2 + gap


def _neighbours(count: int, edges: Sequence[Edge]) -> tuple[Neighbours, Neighbours]:
    left: Neighbours = [[] for _ in range(count)]
    right: Neighbours = [[] for _ in range(count)]
    for source, target in edges:
        right[source].append(target)
        left[target].append(source)
    return left, right


# ---------------------------------------------------------------------------- layers


def _edges_back(count: int, edges: Sequence[Edge]) -> list[bool]:
    """Whether each edge leads back on the path of a search in depth; the others have no cycle."""
    leaving: Neighbours = [[] for _ in range(count)]
    for number, (source, _) in enumerate(edges):
        leaving[source].append(number)
    is_reached = {target for _, target in edges}
    back = [False] * len(edges)
    seen: set[int] = set()
    for root in sorted(range(count), key=is_reached.__contains__):
        path = {root: iter(leaving[root])} if root not in seen else {}
        seen.add(root)
        while path:
            number = next(path[next(reversed(path))], -1)
            if number < 0:
                path.popitem()
                continue
            target = edges[number][1]
            back[number] = target in path
            if target not in seen:
                seen.add(target)
                path[target] = iter(leaving[target])
    return back


def _parts(left: Neighbours, right: Neighbours) -> tuple[list[int], list[int]]:
    """Order nodes so that neighbours are close, larger parts first; and number the parts."""
    found: list[list[int]] = []
    seen: set[int] = set()
    for root in sorted(range(len(left)), key=lambda node: bool(left[node])):
        part, waiting = [], [root]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                part.append(node)
                waiting += [*left[node][::-1], *right[node][::-1]]
        if part:
            found.append(part)
    found.sort(key=len, reverse=True)
    part_of = [0] * len(left)
    for number, part in enumerate(found):
        for node in part:
            part_of[node] = number
    return [node for part in found for node in part], part_of


def _layers(
    order: Sequence[int], part: Sequence[int], left: Neighbours, right: Neighbours
) -> list[int]:
    """Give each node a layer; each part begins in layer 0.

    Nodes without neighbours are spread over the layers.
    """
    layer = [0] * len(left)
    sorter = TopologicalSorter({node: left[node] for node in order})
    connected = [node for node in sorter.static_order() if left[node] or right[node]]
    for node in connected:
        layer[node] = max((layer[other] + 1 for other in left[node]), default=0)
    for _ in range(_LAYER_SWEEPS):
        if not _shorten(connected, layer, left, right):
            break
    first: dict[int, int] = {}
    for node in connected:
        first[part[node]] = min(layer[node], first.get(part[node], layer[node]))
    for node in connected:
        layer[node] -= first[part[node]]
    alone = [node for node in order if not left[node] and not right[node]]
    count = max(max(layer) + 1, isqrt(len(alone)))
    for index, node in enumerate(alone):
        layer[node] = index % count
    return layer


def _shorten(nodes: Sequence[int], layer: list[int], left: Neighbours, right: Neighbours) -> bool:
    """Move each node to its next neighbour on the side where it has more; say if one moved."""
    before = list(layer)
    for node in reversed(nodes):
        if right[node] and len(right[node]) >= len(left[node]):
            layer[node] = min(layer[other] for other in right[node]) - 1
    for node in nodes:
        if len(right[node]) < len(left[node]):
            layer[node] = max(layer[other] for other in left[node]) + 1
    return layer != before


# ---------------------------------------------------------------------------- order


def _reduce_crossings(places: _Places) -> None:
    """Order each layer by where its neighbours are, to the right and back; keep the best order."""
    layers, left, right = places.layers, places.left, places.right
    for layer in layers:
        layer.sort(key=places.part.__getitem__)
    position = {place: index for layer in layers for index, place in enumerate(layer)}
    best, fewest, fruitless = layers, -1, 0
    for sweep in range(_ORDER_SWEEPS):
        to_right = sweep % 2 == 0
        for layer in layers if to_right else layers[::-1]:
            _sort(layer, left if to_right else right, places.part, position)
            _exchange(layer, places, position)
        crossings = sum(_crossings(layer, right, position) for layer in layers)
        fruitless += 1
        if fewest < 0 or crossings < fewest:
            best, fewest, fruitless = [list(layer) for layer in layers], crossings, 0
        if fruitless == _FRUITLESS_SWEEPS or not crossings:
            break
    places.layers = best


def _sort(
    layer: list[int], beside: Neighbours, part: Sequence[int], position: dict[int, int]
) -> None:
    """Order a layer by the barycentres of the neighbours on one side, part by part."""

    def rank(place: int) -> tuple[int, float]:
        ends = [position[other] for other in beside[place]]
        return part[place], sum(ends) / len(ends) if ends else position[place]

    layer.sort(key=rank)
    position.update((place, index) for index, place in enumerate(layer))


def _exchange(layer: list[int], places: _Places, position: dict[int, int]) -> None:
    """Exchange neighbours in a layer, of the same part, where fewer edges cross then."""
    ends = {
        place: [sorted(position[o] for o in side[place]) for side in (places.left, places.right)]
        for place in layer
    }
    for index in range(len(layer) - 1):
        upper, lower = layer[index : index + 2]
        gain = sum(
            _inversions(one, other) - _inversions(other, one)
            for one, other in zip(ends[upper], ends[lower], strict=True)
        )
        if gain > 0 and places.part[upper] == places.part[lower]:
            layer[index : index + 2] = lower, upper
            position[lower], position[upper] = index, index + 1


def _inversions(upper: Sequence[int], lower: Sequence[int]) -> int:
    """Count the pairs of an end of the one, sorted, that is below an end of the other."""
    return sum(len(upper) - bisect(upper, end) for end in lower)


def _crossings(layer: Sequence[int], right: Neighbours, position: dict[int, int]) -> int:
    """Count the crossings of edges between a layer and the next."""
    seen: list[int] = []
    found = 0
    for place in layer:
        for end in sorted(position[other] for other in right[place]):
            found += len(seen) - bisect(seen, end)
            insort(seen, end)
    return found


# ---------------------------------------------------------------------------- coordinates


def _heights(places: _Places) -> list[float]:
    """Place each layer amid its neighbours on the left, then on the right, and last on both."""
    ys = [0.0] * len(places.sizes)
    for layer in places.layers:
        for upper, lower in pairwise(layer):
            ys[lower] = ys[upper] + places.separation(upper, lower)
    for sweep in range(_HEIGHT_SWEEPS):
        to_right = sweep % 2 == 0
        sides = [places.left if to_right else places.right]
        if sweep >= _HEIGHT_SWEEPS - 4:
            sides = [places.left, places.right]
        for layer in places.layers if to_right else places.layers[::-1]:
            _settle(layer, places, ys, sides)
    top = min(y - height / 2 for y, (_, height) in zip(ys, places.sizes, strict=True))
    return [y - top for y in ys]


def _settle(
    layer: Sequence[int], places: _Places, ys: list[float], sides: Sequence[Neighbours]
) -> None:
    """Move a layer's places as close to where they want to be as their order and sizes allow.

    What would overlap forms a block, which stands where the sum of squares is least.
    """
    blocks: list[tuple[float, float, int]] = []  # weighted sum of wishes, weight, how many
    offset, offsets = 0.0, []
    for index, place in enumerate(layer):
        if index:
            offset += places.separation(layer[index - 1], place)
        offsets.append(offset)
        wish, weight = _wish(place, places, ys, sides)
        block = (weight * (wish - offset), weight, 1)
        while blocks and blocks[-1][0] * block[1] > block[0] * blocks[-1][1]:
            above = blocks.pop()
            block = (above[0] + block[0], above[1] + block[1], above[2] + block[2])
        blocks.append(block)
    index = 0
    for total, weight, count in blocks:
        for place in layer[index : index + count]:
            ys[place] = total / weight + offsets[index]
            index += 1


def _wish(
    place: int, places: _Places, ys: Sequence[float], sides: Sequence[Neighbours]
) -> tuple[float, float]:
    """Where a place wants to be, and how much that counts: amid neighbours, bends above all."""
    others = [other for side in sides for other in side[place]]
    if not others:
        return ys[place], 0.1
    is_bend = place >= places.nodes
    weights = [_BEND_WEIGHT if is_bend and other >= places.nodes else 1.0 for other in others]
    total = sum(weights)
    return sum(w * ys[o] for w, o in zip(weights, others, strict=True)) / total, total


def _routed(places: _Places, ys: Sequence[float], turned: Sequence[bool]) -> LayeredLayout:
    """Place the columns, the further apart the more edges climb between them, and route edges."""
    left_sides, right_sides = [0.0] * len(ys), [0.0] * len(ys)
    middles = [(0.0, 0.0)] * places.nodes
    x = width = 0.0
    for layer in places.layers:
        width = x + max(places.sizes[place][0] for place in layer)
        for place in layer:
            left_sides[place], right_sides[place] = x, width
            if place < places.nodes:
                middles[place] = ((x + width) / 2, ys[place])
        climbs = [abs(ys[place] - ys[other]) for place in layer for other in places.right[place]]
        x = width + min(MAX_COLUMN_GAP, COLUMN_GAP + max(climbs, default=0.0) / 4)
    starts, ends = _ports(places, ys, 0), _ports(places, ys, -1)
    routes = []
    for number, chain in enumerate(places.chains):
        first, last = chain[0], chain[-1]
        start = middles[first][0] + places.sizes[first][0] / 2
        end = middles[last][0] - places.sizes[last][0] / 2
        route = [(start, starts[number]), (right_sides[first], starts[number])]
        for bend in chain[1:-1]:
            route += [(left_sides[bend], ys[bend]), (right_sides[bend], ys[bend])]
        route += [(left_sides[last], ends[number]), (end, ends[number])]
        routes.append(tuple(route[::-1] if turned[number] else route))
    height = max(y + size[1] / 2 for y, size in zip(ys, places.sizes, strict=True))
    return LayeredLayout(width, height, tuple(middles), tuple(routes))


def _ports(places: _Places, ys: Sequence[float], end: int) -> list[float]:
    """The height at which each edge leaves its left end (``end`` 0) or reaches its right (-1)."""
    numbers_of: dict[int, list[int]] = {}
    for number, chain in enumerate(places.chains):
        numbers_of.setdefault(chain[end], []).append(number)
    ports = [0.0] * len(places.chains)
    for node, numbers in numbers_of.items():
        numbers.sort(key=lambda number: ys[places.chains[number][-2 if end else 1]])
        step = min(PORT, places.sizes[node][1] / len(numbers))
        for index, number in enumerate(numbers):
            ports[number] = ys[node] + (index - (len(numbers) - 1) / 2) * step
    return ports
