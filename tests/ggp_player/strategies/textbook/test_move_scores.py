"""The textbook's searches report on their moves, as their traces do."""

from __future__ import annotations

import pytest

import gdl
from ggp_player.inspect.traced_strategies import TRACED_STRATEGIES
from ggp_player.strategies import Position
from ggp_player.strategies.selection.registry import STRATEGIES, strategy_from
from tests.support.tree_games import CORRIDOR, THREE_PLAYERS, TWO_PLY, position, turns


def reported(spec: str, start: Position, *, traced: bool = False) -> list[tuple[object, ...]]:
    strategy = strategy_from(spec, TRACED_STRATEGIES if traced else STRATEGIES)
    assert list(strategy.search(start))
    reports = strategy.report(start)
    return sorted((str(report.move), report.value, report.bounds) for report in reports)


@pytest.mark.parametrize(
    "spec",
    [
        "minimax",
        "bounded_minimax",
        "bounded_minimax:lower=2,upper=14",
        "bounded_minimax:upper=3",
        "alpha_beta:ordering=false",
        "alpha_beta",
        "max_n",
        "max_n:depth=1",
    ],
)
@pytest.mark.parametrize("role", [0, 1])
def test_reports_are_those_of_the_trace(spec: str, role: int) -> None:
    start = position(turns(TWO_PLY), role)
    found = reported(spec, start)
    assert found
    assert found == reported(spec, start, traced=True)


def test_each_for_itself() -> None:
    start = position(turns(THREE_PLAYERS, ("a", "b", "c")))
    assert reported("max_n", start) == reported("max_n", start, traced=True)


def test_cut_moves_have_bounds_and_no_value() -> None:
    found = reported("alpha_beta:ordering=false", position(turns(TWO_PLY)))
    assert found == [("a1", 3, (3, 3)), ("a2", None, (0, 3)), ("a3", None, (0, 3))]


def test_what_lies_beyond_the_depth_may_be_worth_more() -> None:
    start = position(gdl.interpret(gdl.parse(CORRIDOR)))
    assert reported("deliberation:depth=1", start) == [
        ("back", None, (0, 100)),
        ("on", None, (0, 100)),
    ]
    assert ("on", 100, (100, 100)) in reported("deliberation", start)


def test_a_plan_is_reported_with_its_line() -> None:
    start = position(gdl.interpret(gdl.parse(CORRIDOR)))
    strategy = strategy_from("planning", STRATEGIES)
    assert list(strategy.search(start))
    (report,) = strategy.report(start)
    assert (str(report.move), report.value, report.proved) == ("on", 100, True)
    assert [str(move) for (move,) in report.line] == ["on"] * 3


@pytest.mark.parametrize("spec", ["minimax", "alpha_beta", "max_n"])
def test_another_position_has_no_report(spec: str) -> None:
    start = position(turns(TWO_PLY))
    strategy = strategy_from(spec, STRATEGIES)
    assert strategy.report(start) == ()
    assert list(strategy.search(start))
    other = start.machine.next_state(start.state, [gdl.parse_term("a1"), gdl.parse_term("noop")])
    assert strategy.report(position(turns(TWO_PLY), 1, other)) == ()
