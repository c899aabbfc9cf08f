"""The steps of a search: its own values, nodes and lines, and no more than there is room for."""

from __future__ import annotations

import inspect
import json
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import gdl
from gdl import StateMachine
from ggp_player.errors import StrategyError
from ggp_player.inspect.search_trace import LeafKind, Node
from ggp_player.inspect.traced_strategies import TRACED_STRATEGIES, TracedStrategy
from ggp_player.search_steps.recording import (
    STEPPED_STRATEGIES,
    RecordedSearch,
    StepLimits,
    record_search,
)
from ggp_player.search_steps.step_log import LoggedNode
from ggp_player.search_steps.texts import number
from ggp_player.strategies import Choice, Position
from ggp_player.strategies.selection.registry import STRATEGIES, create, strategy_from
from ggp_player.worker.interruptible import InterruptibleMachine
from tests.support.clocks import FakeClock
from tests.support.compiled_games import machine_of, reasoner_of
from tests.support.paths import ROOT
from tests.support.tree_games import (
    CORRIDOR,
    LOOP,
    THREE_PLAYERS,
    TWO_PLY,
    Tree,
    last_choice,
    position,
    together,
    turns,
)

THREE_PLY: Tree = (
    ((40, 30), (60, 20)),
    ((70, 10), (80, 90)),
    ((30, 0), (100, 100)),
)

SEARCHES = [
    ("minimax", turns(TWO_PLY), 0),
    ("minimax", turns(TWO_PLY), 1),
    ("minimax", together(TWO_PLY), 0),
    ("minimax", turns(THREE_PLY), 0),
    ("bounded_minimax:upper=51", turns(THREE_PLY), 0),
    ("bounded_minimax:lower=50,upper=51", turns(THREE_PLY), 1),
    ("alpha_beta", turns(THREE_PLY), 0),
    ("alpha_beta:ordering=false,evaluation=none", turns(THREE_PLY), 0),
    ("alpha_beta:ordering=false,evaluation=none", turns(THREE_PLY), 1),
    ("alpha_beta", together(TWO_PLY), 0),
    ("alpha_beta", turns(((0, 50), (30, 40)), ("max", "random")), 0),
    ("max_n", turns(THREE_PLAYERS, ("A", "B", "C")), 0),
    ("max_n", turns(THREE_PLY), 1),
    ("deliberation", gdl.interpret(gdl.parse(CORRIDOR)), 0),
    ("textbook_uct:playouts=40", turns(THREE_PLY), 0),
    ("textbook_uct:playouts=40", together(TWO_PLY), 1),
]

NAMES = [f"{spec}, {len(machine.roles)} roles, {role}" for spec, machine, role in SEARCHES]


def at(machine: StateMachine, role: int) -> Position:
    return Position(machine, machine.initial_state(), machine.roles[role], Random(1))


def root_of_last_tree(recorded: RecordedSearch) -> LoggedNode:
    nodes = recorded.log.nodes
    last = recorded.log.steps[-1].tree
    (root,) = (node for node in nodes if node.tree == last and node.parent < 0)
    return root


@pytest.mark.parametrize(("spec", "machine", "role"), SEARCHES, ids=NAMES)
def test_the_last_step_has_the_value_of_the_search(
    spec: str, machine: StateMachine, role: int
) -> None:
    recorded = record_search(create(spec), at(machine, role))
    expected = last_choice(create(spec), at(machine, role))
    assert recorded.choice == expected
    assert not recorded.log.cut
    assert expected.value is not None
    root, last = root_of_last_tree(recorded), recorded.log.steps[-1]
    assert last.node == root.number
    if not spec.startswith("textbook_uct"):  # its root has the mean of all moves
        assert root.text == number(expected.value)
    if last.tree == 0:
        assert number(expected.value) in last.says


@pytest.mark.parametrize(("spec", "machine", "role"), SEARCHES, ids=NAMES)
def test_it_asks_the_machine_for_what_the_search_asks_for(
    spec: str, machine: StateMachine, role: int
) -> None:
    counting = InterruptibleMachine(machine, lambda: False)
    alone = Position(counting, machine.initial_state(), machine.roles[role], Random(1))
    last_choice(create(spec), alone)
    assert record_search(create(spec), at(machine, role)).states == counting.states


def descendants(node: Node) -> Iterator[Node]:
    for child in node.children:
        yield child
        yield from descendants(child)


@pytest.mark.parametrize(
    ("spec", "tree"),
    [
        ("minimax", TWO_PLY),
        ("minimax", THREE_PLY),
        ("bounded_minimax:upper=51", THREE_PLY),
        ("alpha_beta:ordering=false,evaluation=none", THREE_PLY),
        ("alpha_beta", THREE_PLY),
    ],
)
def test_its_nodes_are_those_of_the_traced_search(spec: str, tree: Tree) -> None:
    """The trace of the drawings is made in another way: by overridden methods."""
    machine = turns(tree)
    recorded = record_search(create(spec), at(machine, 0))
    strategy = strategy_from(spec, TRACED_STRATEGIES)
    assert isinstance(strategy, TracedStrategy)
    list(strategy.search(at(machine, 0)))
    assert strategy.trace is not None
    assert strategy.trace.finished is not None
    root = strategy.trace.finished
    last = root_of_last_tree(recorded).tree
    mine = [node for node in recorded.log.shown if node.tree == last and node.parent >= 0]
    shapes = [node.history[-1][1] for node in mine]
    assert len(mine) - shapes.count("pruned") == root.states  # in turn: a state is a node
    leaves = sum(node.leaf_kind is LeafKind.TERMINAL for node in descendants(root))
    assert shapes.count("leaf") == leaves


def test_alpha_beta_shows_its_cuts_and_windows() -> None:
    spec = "alpha_beta:ordering=false,evaluation=none"
    recorded = record_search(create(spec), at(turns(THREE_PLY), 0))
    last = root_of_last_tree(recorded).tree
    nodes = [node for node in recorded.log.shown if node.tree == last]
    assert sum(node.history[-1][1] == "pruned" for node in nodes) == 3
    (c,) = (node for node in nodes if node.edge == "a3" and nodes[0].number == node.parent)
    assert c.history[0][3] == "α 70  β 100"  # noqa: RUF001 it is alpha
    assert c.text == "≤70"
    assert any("cannot matter any more" in step.says for step in recorded.log.steps)


@pytest.mark.parametrize(("spec", "machine", "role"), SEARCHES, ids=NAMES)
def test_every_line_is_one_of_the_function_that_runs(
    spec: str, machine: StateMachine, role: int
) -> None:
    """What the page shows at a step is what stands in the file of the strategy."""
    values = json.loads(json.dumps(record_search(create(spec), at(machine, role)).as_values()))
    for _, _, place, callers, _, _ in values["steps"]:
        for function, line in (place, *callers):
            source = values["sources"][function]
            text = source["lines"][line - source["first"]]
            file = str(ROOT / source["file"])
            assert linecache.getline(file, line).strip() == text.strip()
            assert text.strip()


def test_a_returned_value_is_marked_at_the_line_that_returns_it() -> None:
    recorded = record_search(create("minimax"), at(turns(TWO_PLY), 0))
    values = recorded.as_values()
    for step in recorded.log.steps:
        source = values["sources"][step.place[0]]
        line = source["lines"][step.place[1] - source["first"]].strip()
        if step.says.startswith("returns"):
            assert line == "return score"
        elif step.says.startswith("now score"):
            assert line == "score = min(score, self.minscore((*moves, move), state))"
        elif step.says.startswith("the match is over"):
            assert line == "return utility(self.machine, state, self.role)"


# ----------------------------------------------------------------------------- bounds


def test_a_search_of_many_steps_is_cut_and_says_so() -> None:
    recorded = record_search(
        create("minimax"), at(reasoner_of("ticTacToe"), 0), StepLimits(steps=150)
    )
    assert len(recorded.log.steps) == 150
    assert recorded.log.cut.startswith("The search is cut here, after 150 steps: it was not")


def test_a_page_does_not_grow_beyond_its_bytes() -> None:
    limits = StepLimits(size=20_000)
    recorded = record_search(create("minimax"), at(reasoner_of("ticTacToe"), 0), limits)
    assert "as the page would grow too large" in recorded.log.cut
    assert 5_000 < len(json.dumps(recorded.as_values()["steps"])) < 40_000


def test_a_search_that_takes_long_is_cut() -> None:
    machine = reasoner_of("ticTacToe")
    recorded = record_search(
        create("minimax"), at(machine, 0), StepLimits(seconds=1), FakeClock(step=0.01)
    )
    assert "after 1 s" in recorded.log.cut
    assert 10 < len(recorded.log.steps) < 100


def test_a_search_without_end_is_cut() -> None:
    machine = gdl.interpret(gdl.parse(LOOP))
    recorded = record_search(create("minimax"), at(machine, 0), StepLimits(steps=400), FakeClock())
    assert "after 400 steps" in recorded.log.cut


def test_it_leaves_no_trace_and_no_limit_behind() -> None:
    before = sys.gettrace(), sys.getrecursionlimit()
    record_search(create("minimax"), at(turns(TWO_PLY), 0), StepLimits(steps=3))
    assert (sys.gettrace(), sys.getrecursionlimit()) == before


@pytest.mark.parametrize("spec", ["uct", "auto", "planning"])
def test_other_strategies_are_refused(spec: str) -> None:
    known = f"there are steps of alpha_beta, bounded_minimax.*; found {spec}$"
    with pytest.raises(StrategyError, match=known):
        record_search(create(spec), at(turns(TWO_PLY), 0))


def grown(steps: int) -> RecordedSearch:
    """A tree of connect four that has grown for so many steps."""
    machine = machine_of("connectFour")
    begins = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    return record_search(create("mcts"), begins, StepLimits(steps), FakeClock())


def test_the_tree_of_the_lane_search_grows_from_step_to_step() -> None:
    recorded = grown(20)
    root, *others = recorded.log.nodes
    totals = [int(beside.split()[0].replace(",", "")) for _, _, _, beside, _ in root.history]
    assert totals == sorted(set(totals))
    assert len(totals) == len(recorded.log.steps) == 20
    assert {node.parent for node in others} <= {node.number for node in recorded.log.nodes}
    assert recorded.choice is not None
    ply = [node for node in others if node.parent == root.number]
    assert sum(int(node.history[-1][3].split()[0].replace(",", "")) for node in ply) <= totals[-1]
    best = recorded.log.nodes[root.history[-1][4]]
    assert f"({best.edge})" == str(recorded.choice.move)
    assert recorded.log.cut == "The search is cut here, after 20 steps: its tree would grow on."
    (source,) = recorded.as_values()["sources"]
    assert "while True" in source["lines"][recorded.log.steps[0].place[1] - source["first"]]


def test_the_same_seed_grows_the_same_tree() -> None:
    assert grown(8).as_json() == grown(8).as_json()


def test_a_game_that_the_strategy_refuses() -> None:
    with pytest.raises(StrategyError, match="deliberation is for games of one role"):
        record_search(create("deliberation"), at(turns(TWO_PLY), 0))


def test_each_textbook_search_has_steps() -> None:
    """One that is added is watched, too, or does not search a tree."""
    others = {"legal", "random", "planning"}
    folder = ROOT / "ggp_player" / "strategies" / "textbook"
    kinds = [kind for kind in STRATEGIES.values() if Path(inspect.getfile(kind)).parent == folder]
    assert {kind.name for kind in kinds} - others == set(STEPPED_STRATEGIES)


def test_the_root_of_a_tree_of_playouts_counts_them() -> None:
    recorded = record_search(create("textbook_uct:playouts=25"), position(turns(THREE_PLY)))
    root = root_of_last_tree(recorded)
    assert root.history[-1][3] == "25 visits"
    below = [node for node in recorded.log.shown if node.parent == root.number]
    visits = sum(int(node.history[-1][3].split()[0]) for node in below)
    assert visits == 25
    assert isinstance(recorded.choice, Choice)
