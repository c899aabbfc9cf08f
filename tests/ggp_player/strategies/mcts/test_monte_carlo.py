"""The strategies ``mcts`` and ``uct``: what they choose, and what they report."""

from __future__ import annotations

from itertools import count, islice
from random import Random

import pytest

import gdl
from ggp_player.lab.positions.turns import replayed
from ggp_player.strategies import Choice, Position
from ggp_player.strategies.mcts.monte_carlo import MonteCarlo, best_move, equally_good
from ggp_player.strategies.mcts.tree_search import MoveStatistics, TreeSearch
from ggp_player.strategies.selection.registry import create
from tests.support.compiled_games import machine_of, reasoner_of
from tests.support.small_games import compiled_tree
from tests.support.tree_games import last_choice, position, turns


def last_of(spec: str, position: Position, choices: int = 40) -> Choice:
    search = create(spec).search(position)
    last = next(search)
    for _, last in zip(range(choices), search, strict=False):
        if last.proved:
            break
    return last


# Cross has b2 and a1 and threatens c3; nought has to play there.
THREAT = [gdl.parse_term(move) for move in ("(put b2)", "(put a2)", "(put a1)")]


@pytest.mark.thorough
@pytest.mark.parametrize("spec", ["mcts", "mcts:threads=2", "uct"])
def test_the_only_move_that_does_not_lose_is_found(spec: str) -> None:
    machine = machine_of("ticTacToe")
    position = Position(machine, replayed(machine, THREAT), machine.roles[1], Random(0))
    assert last_of(spec, position).move == gdl.parse_term("(put c3)")


def test_a_win_is_proved() -> None:
    machine = machine_of("ticTacToe")
    state = replayed(machine, [*THREAT, gdl.parse_term("(put b1)")])
    choice = last_of("mcts", Position(machine, state, machine.roles[0], Random(0)))
    assert (choice.move, choice.value, choice.proved) == (gdl.parse_term("(put c3)"), 100, True)


def test_a_budget_of_playouts_gives_the_same_choices_again() -> None:
    machine = machine_of("connectFour")

    def choices() -> list[Choice]:
        position = Position(machine, machine.initial_state(), machine.roles[0], Random(3))
        return list(create("mcts:playouts=20000").search(position))

    machine.warm_up()
    assert choices() == choices()


def test_the_report_tells_of_every_move() -> None:
    machine = machine_of("connectFour")
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(3))
    strategy = MonteCarlo(playouts=5000)
    *_, last = strategy.search(position)
    report = strategy.report(position)
    assert {known.move for known in report} == set(position.legal_moves)
    assert max(report, key=lambda known: known.visits or 0).move == last.move
    assert all(known.line[0][0] == known.move for known in report)
    branches = [known.branch for known in report if known.branch is not None]
    assert sum(known.visits or 0 for known in report if known.branch is not None) == sum(
        branch.visits for branch in branches
    )
    assert branches
    other = Position(machine, replayed(machine, [gdl.parse_term("(drop 1)")]), machine.roles[0])
    assert strategy.report(other) == ()


@pytest.mark.parametrize("spec", ["mcts", "uct"])
def test_interpreted_games_are_refused(spec: str) -> None:
    machine = reasoner_of("ticTacToe")
    assert "compiled" in (create(spec).refusal(machine) or "")
    with pytest.raises(TypeError, match="refuses"):
        list(create(spec).search(Position(machine, machine.initial_state(), machine.roles[0])))


@pytest.mark.parametrize(
    ("moves", "assured", "best"),
    [
        ([(40, 10, 0, 100), (60, 30, 0, 100)], 0, 1),
        ([(40, 90, 0, 100), (60, 30, 0, 100)], 0, 0),
        ([(90, 50, 0, 0), (20, 30, 0, 100)], 0, 1),
        ([(30, 90, 0, 100), (50, 1, 50, 50)], 50, 1),
        ([(70, 90, 0, 100), (50, 1, 50, 50)], 50, 0),
        ([(99, 90, 0, 100), (100, 1, 100, 100)], 100, 1),
        ([(0, 9, 0, 0), (0, 10, 0, 0)], 0, 1),
    ],
)
def test_the_move_to_make(
    moves: list[tuple[float, int, int, int]], assured: int, best: int
) -> None:
    known = [MoveStatistics(index, *numbers) for index, numbers in enumerate(moves)]
    assert best_move(known, assured).index == best


@pytest.mark.parametrize(("draw", "best"), [(0.0, 1), (0.24, 1), (0.26, 2), (0.999, 2)])
def test_the_move_to_make_at_a_simultaneous_move_node_is_drawn(draw: float, best: int) -> None:
    known = [
        MoveStatistics(0, 90, 50, 0, 20, 0.2),  # cannot be better than what is assured
        MoveStatistics(1, 40, 10, 0, 100, 0.2),
        MoveStatistics(2, 30, 10, 20, 100, 0.6),
    ]
    assert best_move(known, 20, draw).index == best


@pytest.mark.parametrize(("seconds", "shrink"), [(1.0, True), (0.001, False)])
def test_slices_that_take_long_become_short(
    seconds: float, shrink: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []
    run = TreeSearch.run

    def recorded(search: TreeSearch, asked: int) -> None:
        steps.append(asked)
        run(search, asked)

    monkeypatch.setattr(TreeSearch, "run", recorded)
    machine, ticks = machine_of("hex"), count(step=seconds)
    strategy = MonteCarlo(clock=lambda: float(next(ticks)))
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    for _ in islice(strategy.search(position), 6):
        pass
    assert len(steps) > 3
    assert (steps[-1] < 0.1 * steps[0]) == shrink
    assert max(steps) == steps[0]


HOPELESS = ((((0,) * 3,) * 3,) * 4, (0, 0, 0, 0))
"""Two moves after which we lose whatever the rival replies; the first takes long to prove."""

ONLY_REPLY = ((100,), (0,), (100,), (100,))
"""We lose only if the rival finds its second move."""


def test_of_lost_moves_the_one_that_needs_an_only_reply_is_made() -> None:
    machine = compiled_tree(turns((HOPELESS[0], ONLY_REPLY, HOPELESS[1])))
    *before, last = MonteCarlo(playouts=5000).search(position(machine))
    assert (str(last.move), last.value, last.proved) == ("a2", 0, True)
    assert not any(choice.proved for choice in before)


def test_a_drawn_position_is_played_on_for_a_win() -> None:
    drawn = ((50, 50, 50), (100, 50, 100), (0, 100, 100))
    last = last_choice(MonteCarlo(playouts=5000), position(compiled_tree(turns(drawn))))
    assert (str(last.move), last.value, last.proved) == ("a2", 50, True)


def test_a_win_is_not_searched_on() -> None:
    strategy = MonteCarlo(playouts=1_000_000)
    last = last_choice(strategy, position(compiled_tree(turns((100, 100, (0, 100))))))
    assert (last.value, last.proved) == (100, True)
    assert last.counts.playouts is not None
    assert last.counts.playouts < 1_000_000


def test_without_a_budget_a_lost_position_takes_two_seconds_of_the_clock() -> None:
    ticks = count(step=0.125)
    strategy = MonteCarlo(clock=lambda: float(next(ticks)))
    *_, last = strategy.search(position(compiled_tree(turns(HOPELESS))))
    assert last.proved
    assert next(ticks) < 5


def test_moves_of_equal_proved_value() -> None:
    known = [
        MoveStatistics(0, 20, 9, 20, 20, others=80),
        MoveStatistics(1, 50, 9, 50, 50, others=50),
        MoveStatistics(2, 50, 9, 50, 50, others=20),
        MoveStatistics(3, 50, 1, 50, 50, others=20),
    ]
    assert [move.index for move in equally_good(known)] == [2, 3]
    assert best_move(known, 50).index == 2
