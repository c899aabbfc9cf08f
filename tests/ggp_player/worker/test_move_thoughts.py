"""All readers show the same rows: best first, proved values, and twins by symmetry."""

from __future__ import annotations

import pytest

import gdl
from gdl import Term
from ggp_player.events import BranchThought
from ggp_player.events.search_view import MAX_CHILDREN, MAX_PLIES, MAX_TEXT
from ggp_player.strategies import BranchReport, Choice, MoveReport, Position
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta
from ggp_player.worker.move_thoughts import SymmetricMoves, move_thoughts, told_tree
from tests.support.paths import ROOT


def put(cell: str) -> Term:
    return gdl.parse_term(f"(put {cell})")


@pytest.fixture(scope="module")
def start() -> Position:
    machine = gdl.compile(gdl.load(ROOT / "games" / "ticTacToe.kif"))
    return Position(machine, machine.initial_state(), machine.roles[0])


def rows(position: Position, *reports: MoveReport, choice: str = "a1") -> list[tuple[str, ...]]:
    found = move_thoughts(position, reports, Choice(put(choice)), SymmetricMoves())
    return [thought.cells for thought in found]


def test_merged_moves_have_the_figures_of_their_twin(start: Position) -> None:
    found = rows(start, MoveReport(put("a1"), 50.04, 900), MoveReport(put("b2"), 61, 1200))
    assert found[:5] == [
        ("(put a1)", "50", "", "900", ""),
        ("(put b2)", "61", "", "1,200", ""),
        *(
            (f"(put {cell})", "50", "", "", "as (put a1), by symmetry")
            for cell in ("a3", "c1", "c3")
        ),
    ]
    # Nothing is known of an edge.
    assert found[5:] == [(f"(put {cell})", "", "", "", "") for cell in ("a2", "b1", "b3", "c2")]


def test_a_move_that_was_searched_keeps_its_own_figures(start: Position) -> None:
    reports = [MoveReport(put("a1"), 50, 900), MoveReport(put("a3"), 47, 12)]
    found = {row[0]: row for row in rows(start, *reports)}
    assert found["(put a3)"] == ("(put a3)", "47", "", "12", "")
    assert found["(put c1)"][4] == "as (put a1), by symmetry"


def test_a_proved_move_shows_its_proved_value(start: Position) -> None:
    reports = [
        MoveReport(put("a1"), 97.3, 10, (100, 100)),
        MoveReport(put("b2"), 65.3, 10, (0, 50)),
        MoveReport(put("b1"), None, 10, (30, 30)),
    ]
    found = {row[0]: row[1:3] for row in rows(start, *reports)}
    assert found["(put a1)"] == ("100", "yes")
    assert found["(put b2)"] == ("50", "≤ 50")
    assert found["(put b1)"] == ("30", "yes")


def test_interpreted_rules_have_no_twins() -> None:
    machine = gdl.interpret(gdl.load(ROOT / "games" / "ticTacToe.kif"))
    position = Position(machine, machine.initial_state(), machine.roles[0])
    assert [row[4] for row in rows(position, MoveReport(put("a1"), 50, 900))] == [""] * 9


def test_a_strategy_that_tells_nothing_has_no_rows(start: Position) -> None:
    assert rows(start) == []


def classes(game: str, *steps: str) -> set[frozenset[str]]:
    machine = gdl.compile(gdl.load(ROOT / "games" / f"{game}.kif"))
    state = machine.initial_state()
    for step in steps:
        joint_move = gdl.parse_term(f"(moves {step})")
        assert isinstance(joint_move, gdl.Function)
        state = machine.next_state(state, joint_move.args)
    role = next(r for r in machine.roles if len(machine.legal_moves(state, r)) > 1)
    found = SymmetricMoves().classes(machine, state, role)
    return {frozenset(str(move).split()[-1].rstrip(")") for move in equal) for equal in found}


def test_corners_and_edges_of_tic_tac_toe() -> None:
    corners, edges = frozenset({"a1", "a3", "c1", "c3"}), frozenset({"a2", "b1", "b3", "c2"})
    assert classes("ticTacToe") == {corners, edges}


def test_a_mark_in_a_corner_leaves_one_reflection() -> None:
    pairs = [("a2", "b1"), ("a3", "c1"), ("b3", "c2")]
    assert classes("ticTacToe", "(put a1) noop") == set(map(frozenset, pairs))


def test_a_game_without_symmetries() -> None:
    assert classes("nim") == set()


def test_moves_made_at_once_are_not_compared() -> None:
    assert classes("handDuel") == set()


def test_finding_the_symmetries_is_timed_and_done_once() -> None:
    machine = gdl.compile(gdl.load(ROOT / "games" / "ticTacToe.kif"))
    ticks = iter(range(100))
    moves = SymmetricMoves(lambda: float(next(ticks)))
    for _ in range(2):
        moves.classes(machine, machine.initial_state(), machine.roles[0])
        assert moves.cpu_seconds == 1


def test_the_tree_is_told_with_the_most_visited_first() -> None:
    reply = BranchReport((put("noop"), put("b2")), None, 5)
    branches = [
        BranchReport((put("a1"), put("noop")), 50.00049, 7),
        BranchReport((put("c3"), put("noop")), 61.5, 9, (reply,)),
    ]
    reports = [MoveReport(one.joint_move[0], branch=one) for one in branches]
    first, second = told_tree([*reports, MoveReport(put("a2"), 40, 3)])
    assert first.moves == ("(put c3)", "(put noop)")
    assert first.children == (BranchThought(moves=("(put noop)", "(put b2)"), visits=5),)
    assert (second.value, second.visits, second.children) == (50, 7, ())


def test_the_tree_that_is_told_is_bounded() -> None:
    move = put("x" * 2 * MAX_TEXT)
    branch = BranchReport((move,), 50, 1)
    for _ in range(2 * MAX_PLIES):
        branch = BranchReport((move,), 50, 1, (branch,) * 2 * MAX_CHILDREN)
    told = told_tree([MoveReport(move, branch=branch)] * 2 * MAX_CHILDREN)
    for _ in range(MAX_PLIES):
        assert len(told) == MAX_CHILDREN
        assert len(told[0].moves[0]) == MAX_TEXT
        told = told[0].children
    assert told == ()


def test_searches_without_visits_tell_no_tree(start: Position) -> None:
    strategy = AlphaBeta()
    for _ in zip(range(3), strategy.search(start), strict=False):
        pass
    assert strategy.report(start)
    assert told_tree(strategy.report(start)) == ()
