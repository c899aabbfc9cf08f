"""The relation graph has every relation and every mention; diagrams show it whole."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

import gdl
from gdl import Ruleset
from gdl.language import Level
from gdl.reports.diagrams import dot_text, svg_text
from gdl.reports.relation_graph import (
    Relation,
    build_relation_graph,
    draw_relations,
    fluents,
    moves,
)
from tests.support.syntax import rulesets

SVG = "{http://www.w3.org/2000/svg}"

GAME = """
(role a) (init (at 1)) (edge 1 2) (edge 2 3)
(<= (path ?x ?y) (edge ?x ?y))
(<= (path ?x ?z) (edge ?x ?y) (path ?y ?z))
(<= (legal a (go ?y)) (true (at ?x)) (path ?x ?y))
(<= (legal a stay) (not (true (at 3))))
(<= (next (at ?y)) (does a (go ?y)))
(<= (next (late)) (does a stay) (not (true late)) (or (lost ?a) (not (path 1 3))))
"""


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return gdl.parse(GAME)


def test_relations_are_counted_and_classified(ruleset: Ruleset) -> None:
    relations = {str(relation): relation for relation in build_relation_graph(ruleset).relations}
    assert relations["edge/2"] == Relation(("edge", 2), 2, 0, Level.STATIC, False)
    assert relations["path/2"] == Relation(("path", 2), 0, 2, Level.STATIC, True)
    assert relations["legal/2"] == Relation(("legal", 2), 0, 2, Level.VIEW, False)
    assert relations["next/1"].level is Level.TRANSITION
    assert relations["lost/1"] == Relation(("lost", 1), 0, 0, Level.STATIC, False)
    keywords = {name for name, relation in relations.items() if relation.is_keyword}
    assert keywords == {"role/1", "init/1", "legal/2", "next/1", "true/1", "does/2"}


def test_edges_say_whether_a_mention_is_negated(ruleset: Ruleset) -> None:
    edges = build_relation_graph(ruleset).edges
    assert edges["legal", 2] == {("true", 1): True, ("path", 2): False}
    assert edges["next", 1][("path", 2)]
    assert not edges["next", 1][("does", 2)]


def test_definitions_come_before_uses(ruleset: Ruleset) -> None:
    order = [str(relation) for relation in build_relation_graph(ruleset).relations]
    assert order.index("edge/2") < order.index("path/2") < order.index("legal/2")


def test_facts_and_moves_are_listed_by_kind(ruleset: Ruleset) -> None:
    assert fluents(ruleset) == ["(at ?)", "late"]
    assert moves(ruleset) == ["(go ?)", "stay"]


def test_dot_has_every_relation_and_every_arrow(ruleset: Ruleset) -> None:
    graph = build_relation_graph(ruleset)
    text = dot_text(draw_relations(graph), 'my "game"')
    assert text.startswith('digraph "my \\"game\\"" {\n')
    assert text.endswith("}\n")
    assert len(re.findall(r"fillcolor=", text)) == len(graph.relations)
    assert text.count(" -> ") == sum(map(len, graph.edges.values()))
    assert '"legal/2" -> "true/1" [style=dashed];' in text
    assert '"path/2" -> "path/2";' in text


@settings(max_examples=15, deadline=None)
@given(rulesets())
def test_svg_has_every_relation_and_every_arrow(ruleset: Ruleset) -> None:
    graph = build_relation_graph(ruleset)
    root = ElementTree.fromstring(svg_text(draw_relations(graph), "game"))
    names = [element.text for element in root.iter(f"{SVG}text")]
    assert sorted(map(str, names)) == sorted(map(str, graph.relations))
    arrows = [group for group in root.iter(f"{SVG}g") if group.attrib.get("class") == "edge"]
    assert len(arrows) == sum(map(len, graph.edges.values()))
    paths = [path for group in arrows for path in group.findall(f"{SVG}path")]
    assert len(paths) == len(arrows)
    dashed = sum("stroke-dasharray" in path.attrib for path in paths)
    assert dashed == sum(sum(targets.values()) for targets in graph.edges.values())


def test_a_ruleset_without_rules_has_an_empty_picture() -> None:
    empty = draw_relations(build_relation_graph(gdl.parse("")))
    assert ElementTree.fromstring(svg_text(empty, "empty")).tag == f"{SVG}svg"
