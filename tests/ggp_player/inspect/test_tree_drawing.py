"""Search trees: what is traced of a search, what is drawn of it, and how."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl import StateMachine
from ggp_player.errors import TreeSizeError
from ggp_player.inspect.search_trace import LeafKind, Node, SearchTrace
from ggp_player.inspect.traced_strategies import TRACED_STRATEGIES, TracedStrategy
from ggp_player.inspect.tree_drawing import PAGE_LIMITS, tree_dot, tree_html
from ggp_player.inspect.tree_figure import (
    FigureLimits,
    NodeShape,
    TreeFigure,
    TreeNode,
    make_tree_figure,
)
from ggp_player.inspect.tree_svg import tree_svg
from ggp_player.search_steps.texts import move_label
from ggp_player.strategies import Choice, Position
from ggp_player.strategies.selection.registry import STRATEGIES, create, strategy_from
from tests.support.browser import launched, looking, needs_chromium
from tests.support.paths import GAMES
from tests.support.tree_games import (
    THREE_PLAYERS,
    TWO_PLY,
    Counting,
    Tree,
    position,
    together,
    turns,
)

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Searched:
    trace: SearchTrace
    choices: list[Choice]


def search(spec: str, start: Position, kept: int | None = None) -> Searched:
    """Search with a trace, which forgets what does not fit into ``kept`` nodes."""
    strategy = strategy_from(spec, TRACED_STRATEGIES)
    assert isinstance(strategy, TracedStrategy)
    searching = iter(strategy.search(start))
    choices = [next(searching)]
    assert strategy.trace is not None
    if kept is not None:
        strategy.trace._kept = kept
    choices += searching
    return Searched(strategy.trace, choices)


def draw(spec: str, machine: StateMachine, depth: int | None = None) -> TreeFigure:
    return make_tree_figure(search(spec, position(machine)).trace, FigureLimits(depth))


def outline(node: TreeNode) -> object:
    """Return a node as its text, or as its text and what is below; pruned moves are struck out."""
    if node.shape is NodeShape.PRUNED:
        return f"-{node.edge}-"
    return (node.text, *map(outline, node.children)) if node.children else node.text


def nodes(node: TreeNode) -> Iterator[TreeNode]:
    yield node
    for child in node.children:
        yield from nodes(child)


def test_minimax_visits_the_whole_two_ply_tree() -> None:
    root = draw("minimax", turns(TWO_PLY)).root
    assert outline(root) == (
        "3",
        ("3", "3", "12", "8"),
        ("2", "2", "4", "6"),
        ("2", "14", "5", "2"),
    )
    assert [child.edge for child in root.children] == ["a1", "a2", "a3"]
    assert [child.shape for child in root.children] == [NodeShape.DOWN] * 3
    assert root.shape is NodeShape.UP
    assert {leaf.shape for leaf in nodes(root) if not leaf.children} == {NodeShape.LEAF}


def test_alpha_beta_prunes_two_leaves_of_the_two_ply_tree() -> None:
    root = draw("alpha_beta:ordering=false", turns(TWO_PLY)).root
    assert outline(root) == (
        "3",
        ("3", "3", "12", "8"),
        ("≤3", "2", "-a2-", "-a3-"),
        ("≤3", "14", "5", "2"),
    )
    assert [child.remarks for child in root.children] == [(), ("cut: 2 ≤ 3",), ()]


@pytest.mark.parametrize("spec", ["minimax", "bounded_minimax", "alpha_beta", "max_n"])
def test_a_player_that_waits_sees_the_choice_of_the_other(spec: str) -> None:
    start = position(turns(TWO_PLY), role=1)
    trace = search(spec, start).trace
    root = make_tree_figure(trace).root
    assert (root.role, [child.edge for child in root.children]) == ("max", ["a1", "a2", "a3"])
    (report,) = trace.report(start.state)
    assert (str(report.move), report.value, report.proved) == ("noop", 97, True)
    line = [" ".join(map(str, joint_move)) for joint_move in report.line]
    assert line == ["a1 noop", "noop a1"]


def test_nothing_is_proved_where_others_chose_by_evaluations() -> None:
    machine = gdl.interpret(gdl.load(GAMES / "trefoil.kif"))
    state, random = machine.initial_state(), Random(5)
    for _ in range(random.randint(0, 12)):
        legal = [sorted(machine.legal_moves(state, role), key=str) for role in machine.roles]
        state = machine.next_state(state, tuple(map(random.choice, legal)))
    start = Position(machine, state, machine.roles[0], Random(1))
    trace = search("max_n:depth=2", start).trace
    assert trace.finished is not None
    lost = [node for node in trace.finished.children if node.measure(trace.index) == 0]
    assert len(lost) == 15
    plain = create("max_n:depth=2")
    assert list(plain.search(start))
    for reported in (plain.report(start), trace.report(state)):
        assert len(reported) >= 15
        assert not any(move.proved for move in reported)


def test_windows_on_request() -> None:
    trace = search("alpha_beta:ordering=false", position(turns(TWO_PLY))).trace
    root = make_tree_figure(trace, windows=True).root
    assert root.remarks == ("[0, 100]",)
    assert [child.remarks[0] for child in root.children] == ["[0, 100]", "[3, 100]", "[3, 100]"]
    assert [leaf.remarks for leaf in root.children[2].children] == [
        ("[3, 100]",),
        ("[3, 14]",),
        ("[3, 5]",),
    ]


@pytest.mark.parametrize("form", [turns, together])
@pytest.mark.parametrize("spec", ["minimax", "bounded_minimax", "alpha_beta", "max_n"])
def test_the_principal_line_is_the_first_of_the_best(
    spec: str, form: Callable[[Tree], StateMachine]
) -> None:
    searched = search(spec, position(form(TWO_PLY)))
    bold = [node for node in nodes(make_tree_figure(searched.trace).root) if node.is_principal]
    assert [node.edge for node in bold] == ["", "a1", "a1"]
    root = searched.trace.finished
    assert root is not None
    reports = {str(r.move): r for r in searched.trace.report(root.state)}
    line = [" ".join(map(str, joint_move)) for joint_move in reports["a1"].line]
    assert line == (["a1 noop", "noop a1"] if form is turns else ["a1 a1"])
    assert (reports["a1"].value, reports["a1"].proved) == (3, True)


def test_players_who_move_at_the_same_time_are_circles() -> None:
    root = draw("minimax", together(TWO_PLY)).root
    assert outline(root) == (
        "3",
        ("3", "3", "12", "8"),
        ("2", "2", "4", "6"),
        ("2", "14", "5", "2"),
    )
    assert [child.shape for child in root.children] == [NodeShape.TOGETHER] * 3


def test_vectors_of_three_players() -> None:
    root = draw("max_n", turns(THREE_PLAYERS, ("A", "B", "C"))).root
    assert root.text == "(1, 5, 2)"
    assert [child.text for child in root.children] == ["(1, 2, 6)", "(1, 5, 2)"]
    assert {node.shape for node in nodes(root) if node.children} == {NodeShape.EACH}
    assert [child.role for child in (root, root.children[0])] == ["A", "B"]


def test_chance_is_a_circle_with_the_mean() -> None:
    root = draw("alpha_beta:ordering=false", turns(((0, 50), (30, 40)), ("max", "random"))).root
    assert outline(root) == ("35", ("25", "0", "50"), ("35", "30", "40"))
    assert [child.shape for child in root.children] == [NodeShape.CHANCE] * 2


def test_a_satisficing_search_stops_at_its_bound() -> None:
    root = draw("bounded_minimax:lower=20,upper=60", turns(((10, 70), (70, 90), (99, 99)))).root
    assert outline(root) == ("≥70", ("≤10", "10", "-a2-"), ("≥70", "70", "90"), "-a3-")
    assert root.remarks == ("cut: 70 ≥ 60",)


def trees(depth: int) -> st.SearchStrategy[Tree]:
    leaves = st.integers(0, 100)
    below = leaves if depth == 1 else st.one_of(leaves, trees(depth - 1))
    return st.lists(below, min_size=1, max_size=3).map(tuple)


def worth(tree: Tree, is_max: bool) -> int:
    if isinstance(tree, int):
        return tree
    return (max if is_max else min)(worth(child, not is_max) for child in tree)


def true_value(tree: Tree, node: Node) -> int:
    """Return the value of the state of a node in a game of :func:`turns`."""
    (fact,) = map(str, node.state)
    path = fact.removesuffix(")").split("_")[1:]
    for number in path:
        assert isinstance(tree, tuple)
        tree = tree[int(number)]
    return worth(tree, is_max=len(path) % 2 == 0)


@settings(max_examples=6, deadline=None)
@given(trees(4))
def test_what_is_recorded_of_a_visit_is_true(tree: Tree) -> None:
    for spec in ("minimax", "bounded_minimax", "alpha_beta", "alpha_beta:ordering=false"):
        root = search(spec, position(turns(tree))).trace.finished
        assert root is not None
        assert root.value == worth(tree, is_max=True)
        for node in descendants(root):
            low, high = node.bounds
            # Between the moves of one step, the value is that of the move that is chosen already.
            if not node.moves and not node.is_open:
                assert low <= true_value(tree, node) <= high


@settings(max_examples=8, deadline=None)
@given(trees(3))
def test_minimax_is_recorded_leaf_by_leaf(tree: Tree) -> None:
    machine = Counting(turns(tree))
    root = search("minimax", position(machine)).trace.finished
    assert root is not None
    assert machine.leaves == sum(node.leaf_kind is LeafKind.TERMINAL for node in descendants(root))


DEEP: Tree = ((((1, 2), (3, 4)), ((5, 6), (7, 8))), (((9, 10), (11, 12)), ((13, 14), (15, 16))))


def test_depth_limits_the_drawing_and_not_the_search() -> None:
    figure = draw("minimax", turns(DEEP), depth=2)
    assert figure.root.text == "11"
    leaves = [node for node in nodes(figure.root) if not node.children]
    assert len(leaves) == 4
    assert {(leaf.shape, leaf.states, leaf.hidden) for leaf in leaves} == {(NodeShape.FOLDED, 6, 6)}
    assert figure.remark == "24 of the 30 states searched are folded"


def test_an_evaluated_horizon_is_marked() -> None:
    root = draw("alpha_beta:depth=1", turns(DEEP)).root
    assert [child.shape for child in root.children] == [NodeShape.EVALUATED] * 2
    assert all(child.text[0].isdigit() for child in root.children)


@pytest.fixture(scope="module")
def wide() -> SearchTrace:
    """The whole search of a tree of ten moves, with ten replies to each."""
    return search("minimax", position(turns(tuple(tuple(range(10)) for _ in range(10))))).trace


def sizes(figure: TreeFigure) -> tuple[int, int]:
    """Return the number of all nodes, and of those with nothing below."""
    drawn = list(nodes(figure.root))
    return len(drawn), sum(not node.children for node in drawn)


@pytest.mark.parametrize("limits", [FigureLimits(nodes=60), FigureLimits(width=20, nodes=None)])
def test_what_does_not_fit_is_folded(limits: FigureLimits, wide: SearchTrace) -> None:
    figure = make_tree_figure(wide, limits)
    count, width = sizes(figure)
    assert count <= (limits.nodes or count)
    assert width <= (limits.width or width)
    folded = [node for node in nodes(figure.root) if node.shape is NodeShape.FOLDED]
    assert folded
    assert all(node.hidden and not node.children for node in folded)
    drawn = sum(1 for node in nodes(figure.root) if not node.edge.endswith("more moves"))
    assert drawn - 1 + sum(node.hidden for node in folded) == 10 + 10 * 10 == figure.root.states


def test_the_principal_line_is_drawn_before_all_else() -> None:
    trace = search("minimax", position(turns(DEEP))).trace
    bold = [
        node
        for node in nodes(make_tree_figure(trace, FigureLimits(nodes=9)).root)
        if node.is_principal
    ]
    assert [node.text for node in bold] == ["11"] * 5
    assert bold[-1].shape is NodeShape.LEAF


def test_more_moves_than_fit_are_drawn_as_one_node(wide: SearchTrace) -> None:
    root = make_tree_figure(wide, FigureLimits(nodes=6)).root
    *shown, rest = root.children
    assert len(shown) == 4
    assert (rest.shape, rest.edge, rest.hidden) == (NodeShape.FOLDED, "6 more moves", 66)


def test_states_that_are_forgotten_are_counted(crowded: Position) -> None:
    whole, small = (search("minimax", crowded, kept).trace.finished for kept in (None, 60))
    assert whole is not None
    assert small is not None
    assert small.states == whole.states > 60


def test_a_tree_of_nothing_finished() -> None:
    machine = turns(TWO_PLY)
    trace = SearchTrace(machine, machine.roles[0])
    with pytest.raises(TreeSizeError, match="no search was finished"):
        make_tree_figure(trace)


TIC_TAC_TOE = "games/ticTacToe.kif"


@pytest.fixture(scope="module")
def crowded() -> Position:
    """Tic-tac-toe after four marks; cross can win by force."""
    machine = gdl.interpret(gdl.load(TIC_TAC_TOE))
    state = machine.initial_state()
    moves = [("(put a1)", "noop"), ("noop", "(put b1)"), ("(put a3)", "noop"), ("noop", "(put a2)")]
    for joint_move in moves:
        state = machine.next_state(state, list(map(gdl.parse_term, joint_move)))
    return Position(machine, state, machine.roles[0])


@pytest.mark.parametrize("spec", ["minimax", "bounded_minimax", "alpha_beta", "max_n"])
def test_a_record_changes_nothing(spec: str, crowded: Position) -> None:
    assert TRACED_STRATEGIES.keys() <= STRATEGIES.keys()
    first, second = (replace(crowded, random=Random(1)) for _ in range(2))
    assert search(spec, first).choices == list(create(spec).search(second))


def test_layers_that_do_not_fit_are_forgotten(crowded: Position) -> None:
    whole, small = search("minimax", crowded).trace, search("minimax", crowded, kept=60)
    assert small.trace.deepest < 5
    assert small.choices[-1].value == 100
    assert small.trace.finished is not None
    kept = list(descendants(small.trace.finished))
    assert len(kept) <= 60
    assert any(node.leaf_kind is LeafKind.FORGOTTEN for node in kept)
    assert small.trace.report(crowded.state)[0].line == whole.report(crowded.state)[0].line


def descendants(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from descendants(child)


def test_a_report_is_about_the_position_that_was_searched(crowded: Position) -> None:
    trace = search("minimax", crowded).trace
    assert trace.report(crowded.machine.initial_state()) == []
    assert len(trace.report(crowded.state)) == 5


# --------------------------------------------------------------------------- drawing


def elements(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    """Return the groups of a class, such as ``node down``."""
    return [group for group in root.iter(f"{SVG}g") if kind in group.get("class", "").split()]


def corners(node: ElementTree.Element) -> list[tuple[float, float]]:
    """Return the corners of the polygon that a node is drawn as."""
    polygon = next(node.iter(f"{SVG}polygon"))
    x_y = (pair.split(",") for pair in polygon.get("points", "").split())
    return [(float(x), float(y)) for x, y in x_y]


def test_the_drawing_is_well_formed_and_the_same_each_time() -> None:
    figures = [draw("alpha_beta:ordering=false", turns(TWO_PLY)) for _ in range(2)]
    first, second = (tree_svg(figure, "a < b & c") for figure in figures)
    assert first == second
    root = ElementTree.fromstring(first)
    assert root.tag == f"{SVG}svg"
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert texts[0] == "a < b & c"
    assert {"max", "min", "≤3", "cut: 2 ≤ 3"} <= set(texts)
    struck = [e.text for e in root.iter(f"{SVG}text") if e.get("text-decoration") == "line-through"]
    assert struck == ["a2", "a3"]
    triangles = [*elements(root, "up"), *elements(root, "down")]
    assert [len(set(corners(node))) for node in triangles] == [3] * 4
    assert len([line for line in root.iter(f"{SVG}path") if line.get("stroke-width") == "3"]) == 2


def test_triangles_point_up_for_max_and_down_for_min() -> None:
    root = ElementTree.fromstring(tree_svg(draw("minimax", turns(TWO_PLY)), "two ply"))
    for kind, tip in (("up", min), ("down", max)):
        for node in elements(root, kind):
            heights = [y for _, y in set(corners(node))]
            assert heights.count(tip(heights)) == 1


def test_nothing_is_drawn_outside_and_no_node_on_another() -> None:
    root = ElementTree.fromstring(tree_svg(draw("minimax", turns(DEEP)), "deep"))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    boxes = []
    for node in elements(root, "node"):
        xs, ys = zip(*corners(node), strict=True)
        assert 0 <= min(xs) <= max(xs) <= width
        assert 0 <= min(ys) <= max(ys) <= height
        if "leaf" in node.get("class", ""):
            boxes.append((min(ys), min(xs), max(xs)))
    boxes.sort()
    assert len(boxes) == 16
    for (y, _, right), (other_y, left, _) in pairwise(boxes):
        assert y != other_y or right < left


def test_moves_are_drawn_from_left_to_right_and_roles_left_of_them() -> None:
    root = ElementTree.fromstring(tree_svg(draw("minimax", turns(DEEP)), "deep"))
    at = {text.text: float(text.get("x", "")) for text in root.iter(f"{SVG}text")}
    leaves = [at[str(value)] for value in range(1, 17) if value not in (3, 7, 11, 15)]
    assert leaves == sorted(leaves)
    assert max(at["max"], at["min"]) < min(leaves)


def test_characters_that_xml_has_not() -> None:
    node = TreeNode(NodeShape.LEAF, "1", "title \x01", edge="\x02")
    text = tree_svg(
        TreeFigure(TreeNode(NodeShape.UP, "1", "t\ud800", children=(node,)), 1), "\x00 ok"
    )
    root = ElementTree.fromstring(text)
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert titles == ["t\ufffd", "title \ufffd"]


def test_a_graph_for_graphviz_needs_no_graphviz() -> None:
    dot = tree_dot(draw("alpha_beta:ordering=false", turns(TWO_PLY)), "a < b \\N")
    assert "<b>a &lt; b &#92;N</b>" in dot
    assert dot.count("class=down") == 3
    assert dot.count("class=pruned") == 2
    assert dot.count("penwidth=3") == 2
    assert "<s>a2</s>" in dot


@pytest.mark.parametrize(
    ("move", "label"),
    [
        ("noop", "noop"),
        ("(put a1)", "put a1"),
        ("(move abcdefg hijklmn opq)", "move abcdefg hijk…"),
    ],
)
def test_labels_of_moves(move: str, label: str) -> None:
    assert move_label(gdl.parse_term(move)) == label


THREE_DEEP: Tree = tuple(tuple((n, n + 1, n + 2) for n in range(5)) for _ in range(6))


@pytest.fixture(scope="module")
def figure() -> TreeFigure:
    trace = search("minimax", position(turns(THREE_DEEP))).trace
    return make_tree_figure(trace, PAGE_LIMITS, opened=FigureLimits(nodes=20))


def test_all_nodes_are_in_the_file_and_some_are_open(figure: TreeFigure) -> None:
    text = tree_html(figure, "wide")
    data = re.search(r'id="page-data">(.*?)</script>', text)
    assert data is not None
    waiting, count, is_open = [json.loads(data[1])], 0, 0
    while waiting:
        node = waiting.pop()
        count += 1
        is_open += node["open"] and bool(node["children"])
        waiting += node["children"]
    assert count == 1 + 6 + 30 + 90
    assert 1 < is_open < 10
    assert figure.remark == ""


def test_nothing_is_loaded_and_all_text_is_escaped(figure: TreeFigure) -> None:
    text = tree_html(figure, "</script><b>&")
    assert "</script><b>" not in text
    assert "&lt;/script&gt;&lt;b&gt;&amp;" in text
    assert not re.search(r'(src|href)="', text)
    assert "default-src 'none'" in html.unescape(text)
    assert text.count("</script>") == 2


@pytest.mark.thorough
@needs_chromium
def test_a_browser_folds_and_unfolds(figure: TreeFigure, tmp_path: Path) -> None:
    file = tmp_path / "tree.html"
    file.write_text(tree_html(figure, "wide"), encoding="utf-8")
    with launched() as browser, looking(browser, 1280) as page:
        page.goto(file.as_uri())
        before = page.locator(".node").count()
        assert page.locator(".node.folded").count() > 0
        page.click("#fit")
        page.locator(".node.folded.turns").first.click()
        unfolded = page.locator(".node").count()
        assert unfolded > before
        page.keyboard.press("Enter")
        assert page.locator(".node").count() == before
        page.click("#unfold")
        assert page.locator(".node").count() == 1 + 6 + 30 + 90
        placed = page.locator("#tree > g").get_attribute("transform")
        page.click("#larger")
        assert page.locator("#tree > g").get_attribute("transform") != placed
