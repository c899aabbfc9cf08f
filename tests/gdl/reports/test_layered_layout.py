"""Boxes do not overlap, arrows keep out of them, and equal graphs are drawn alike, soon."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from time import process_time
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl.circuit import CompileOptions, compile_game
from gdl.reports.circuit_diagram import draw_circuit
from gdl.reports.diagrams import LETTER, Box, Diagram, svg_text
from gdl.reports.layered_layout import MAX_STEPS, lay_out
from gdl.reports.relation_graph import build_relation_graph, draw_relations
from tests.support.compiled_games import EVERY_GAME
from tests.support.paths import GAMES

SVG = "{http://www.w3.org/2000/svg}"


Graph = tuple[list[tuple[float, float]], list[tuple[int, int]]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    widths = st.sampled_from([10.0, 40.0, 123.0])
    heights = st.sampled_from([26.0, 50.0, 120.0])
    sizes = draw(st.lists(st.tuples(widths, heights), max_size=12))
    nodes = st.integers(0, len(sizes) - 1)
    pairs = st.tuples(nodes, nodes).filter(lambda pair: pair[0] != pair[1])
    return sizes, draw(st.lists(pairs, max_size=24)) if len(sizes) > 1 else []


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_nodes_keep_apart_and_edges_keep_out_of_them(graph: Graph) -> None:
    sizes, edges = graph
    layout = lay_out(sizes, edges)
    boxes = [
        (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        for (x, y), (width, height) in zip(layout.middles, sizes, strict=True)
    ]
    for box in boxes:
        assert box[0] > -0.01
        assert box[1] > -0.01
        assert box[2] < layout.width + 0.01
        assert box[3] < layout.height + 0.01
    for one, other in combinations(boxes, 2):
        assert one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
    assert len(layout.routes) == len(edges)
    for (source, target), route in zip(edges, layout.routes, strict=True):
        assert route[0][0] in (boxes[source][0], boxes[source][2])
        assert route[-1][0] in (boxes[target][0], boxes[target][2])
        assert boxes[source][1] < route[0][1] < boxes[source][3]
        assert boxes[target][1] < route[-1][1] < boxes[target][3]
        stretches = list(pairwise(route))
        assert all(start[1] == end[1] for start, end in stretches[::2])
        for index, (start, end) in enumerate(stretches):
            left, right = sorted((start[0], end[0]))
            top, bottom = sorted((start[1], end[1]))
            for box in boxes:
                beside = right <= box[0] + 0.01 or left >= box[2] - 0.01
                # A curve has its column gap to itself; a level stretch passes above or below.
                assert beside or (not index % 2 and (bottom < box[1] or top > box[3]))
    assert lay_out(sizes, edges) == layout


def test_edges_lead_to_the_right_but_for_one_of_each_cycle() -> None:
    layout = lay_out([(40.0, 26.0)] * 5, [(0, 1), (1, 2), (2, 0), (2, 3), (0, 3)])
    leads_back = [route[0][0] > route[-1][0] for route in layout.routes]
    assert leads_back == [False, False, True, False, False]
    xs = [x for x, _ in layout.middles]
    assert xs[0] < xs[1] < xs[2] < xs[3]
    assert layout.routes[0][0][1] == layout.middles[0][1] - 8  # the uppermost of three ports


def test_edges_do_not_cross_where_they_need_not() -> None:
    layout = lay_out([(40.0, 26.0)] * 6, [(0, 5), (1, 4), (2, 3)])
    ys = [y for _, y in layout.middles]
    assert [ys[0], ys[1], ys[2]] == [ys[5], ys[4], ys[3]]


def test_edges_are_bounded() -> None:
    sizes = [(40.0, 26.0)] * 200
    chain = [(node, node + 1) for node in range(199)]
    with pytest.raises(gdl.ResourceLimitError, match=r"^the arrows lead \d+ times from a column"):
        lay_out(sizes, chain + [(0, node) for node in range(90, 200)])
    with pytest.raises(gdl.ResourceLimitError, match=f"at most {MAX_STEPS}$"):
        lay_out(sizes, [(0, 1)] * (MAX_STEPS + 1))


# ---------------------------------------------------------------------- pictures


def check(diagram: Diagram, picture: str) -> None:
    """Check that a picture has every box with its label inside, and every arrow."""
    root = ElementTree.fromstring(picture)
    rects = []
    for group in root.iterfind(f"{SVG}g[@class='node']"):
        rect, text = group.find(f"{SVG}rect"), group.find(f"{SVG}text")
        assert rect is not None
        assert text is not None
        x, y, width, height = (float(rect.attrib[n]) for n in ("x", "y", "width", "height"))
        assert len(text.text or "") * LETTER < width
        assert x < float(text.attrib["x"]) < x + width
        assert y < float(text.attrib["y"]) < y + height
        rects.append((x, y, x + width, y + height))
    assert len(rects) == len(diagram.boxes)
    for one, other in combinations(rects, 2):
        assert one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
    drawn = [title.text for title in root.iterfind(f"{SVG}g[@class='edge']/{SVG}title")]
    label = {key: box.label for key, box in diagram.boxes.items()}
    assert not re.search(r"([\d.]+ [\d.]+) L\1\"", picture), "a head without a direction"
    arrows = [f"{label[source]} -> {label[target]}" for source, target, _ in diagram.all_arrows()]
    assert sorted(map(str, drawn)) == sorted(arrows)


@pytest.mark.parametrize("name", EVERY_GAME)
def test_the_relations_of_a_game_are_drawn(name: str) -> None:
    diagram = draw_relations(build_relation_graph(gdl.load(GAMES / f"{name}.kif")))
    began = process_time()
    picture = svg_text(diagram, name)
    assert process_time() - began < 5
    check(diagram, picture)
    assert svg_text(diagram, name) == picture


@pytest.mark.parametrize("name", ["ticTacToe", "phantomTicTacToe"])
def test_the_circuit_of_a_game_is_drawn(name: str) -> None:
    diagram = draw_circuit(compile_game(gdl.load(GAMES / f"{name}.kif"), CompileOptions()))
    check(diagram, svg_text(diagram, name))


def test_long_labels_and_names_that_xml_cannot_write() -> None:
    label = "a\x01<b>&" + "c" * 100
    diagram = Diagram({"a": Box("a", label, label, "#ffffff")}, {"a": {"a": True}})
    root = ElementTree.fromstring(svg_text(diagram, 'my "game"\x00'))
    (text,) = root.iter(f"{SVG}text")
    assert re.fullmatch(r"a\ufffd<b>&c{53}…", text.text or "")
    titles = [title.text or "" for title in root.iter(f"{SVG}title")]
    assert titles[0] == 'my "game"\ufffd'
    assert titles[-1] == label.replace("\x01", "\ufffd")
    (arrow,) = root.iterfind(f"{SVG}g[@class='edge']/{SVG}path")
    assert arrow.attrib["stroke-dasharray"]
