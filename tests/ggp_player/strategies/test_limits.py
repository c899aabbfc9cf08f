"""No search says that there is nothing more to find unless its value is proved."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count, product
from random import Random

import pytest

import gdl
from gdl import Constant, State, StateMachine
from gdl.playouts import play_out
from ggp_player import search_memory
from ggp_player.inspect.timed_search import TimedSearch, timed_search
from ggp_player.strategies import EngineStrategy, Limit, Position
from ggp_player.strategies.information_sets import findings
from ggp_player.strategies.selection.registry import STRATEGIES, create
from tests.support.compiled_games import machine_of

RIVALS = {
    "alpha_beta": ("alpha_beta:depth=1", "alpha_beta:depth=3", "alpha_beta"),
    "auto": ("auto:threads=1,learn=false",),
    "bounded_minimax": (
        "bounded_minimax:upper=1",
        "bounded_minimax:lower=99",
        "bounded_minimax:lower=40,upper=60",
        "bounded_minimax",
    ),
    "enumeration": ("enumeration:states=2", "enumeration"),
    "information_sets": ("information_sets:tree=1", "information_sets:tree=2000"),
    "learned_alpha_beta": ("learned_alpha_beta:seconds=0.01,megabytes=1",),
    "learned_mcts": ("learned_mcts:seconds=0.01,playouts=1000",),
    "legal": ("legal",),
    "max_n": ("max_n:depth=1", "max_n:depth=3", "max_n"),
    "mcts": ("mcts:playouts=1", "mcts:playouts=1000", "mcts:proofs=false,playouts=500"),
    "minimax": ("minimax",),
    "proof": ("proof:depth=1", "proof:depth=2", "proof:nodes=3", "proof:megabytes=1"),
    "random": ("random",),
    "textbook_uct": ("textbook_uct:playouts=1", "textbook_uct:playouts=30"),
    "uct": ("uct",),
}
"""Searches with tiny limits, and some without, for two rivals."""

ALONE = {
    "deliberation": ("deliberation:depth=1", "deliberation:depth=4", "deliberation"),
    "planner": ("planner:states=1", "planner"),
    "planning": ("planning:states=1", "planning"),
}
"""The same for one player."""

WALK = """
(role walker) (init (at 0)) (init (sum 0))
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7)
(worth 0 0) (worth 1 10) (worth 2 40) (worth 3 20) (worth 4 0) (worth 5 70) (worth 6 30)
(legal walker go) (legal walker stay)
(<= (next (at ?n)) (true (at ?m)) (after ?m ?n))
(<= (next (sum ?n)) (true (sum ?m)) (after ?m ?n) (does walker go))
(<= (next (sum ?m)) (true (sum ?m)) (does walker stay))
(<= terminal (true (at 6)))
(<= (goal walker ?v) (true (sum ?n)) (worth ?n ?v))
"""
"""Six steps of two moves; the best is to go in five of them, for 70."""

SECONDS = {True: 0.06, False: 600.0}
"""By whether the search yields after some hundredths of a second: the others end by themselves."""


def test_every_strategy_is_here() -> None:
    assert {*RIVALS, *ALONE} == {*STRATEGIES}


def all_but_chance(machine: StateMachine, state: State, role: Constant) -> int:
    """The least that a role gets of what it can force, by going through all lines of play."""

    @cache
    def value(state: State) -> int:
        if machine.is_terminal(state):
            return machine.goal(state, role) or 0
        moves = [machine.legal_moves(state, one) for one in machine.roles]
        of_move: dict[object, list[int]] = {}
        for joint_move in product(*moves):
            own = joint_move[machine.roles.index(role)]
            of_move.setdefault(own, []).append(value(machine.next_state(state, joint_move)))
        return max(map(min, of_move.values()))

    return value(state)


def ticking() -> Callable[[], float]:
    """A clock that goes on by a thousandth of a second whenever somebody looks at it."""
    ticks = count()
    return lambda: next(ticks) / 1000


def searched(spec: str, position: Position) -> TimedSearch:
    strategy = create(spec)
    seconds = SECONDS[isinstance(strategy, EngineStrategy) or spec.startswith("planning")]
    return timed_search(strategy, position, seconds, ticking())


def endgame(steps: int, role: int) -> Position:
    """A position of tic-tac-toe after some random steps."""
    machine = machine_of("ticTacToe")
    match = [step.state for step in play_out(machine, Random(steps), steps + 1) if step.joint_move]
    return Position(machine, match[-1], machine.roles[role], Random(1))


@cache
def value_of_endgame(steps: int, role: int) -> int:
    position = endgame(steps, role)
    return all_but_chance(position.machine, position.state, position.role)


def beginning(game: str) -> Position:
    machine = machine_of(game)
    return Position(machine, machine.initial_state(), machine.roles[0], Random(1))


POSITIONS = [(5, 0), (5, 1), (6, 1)]


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_memory, "_set", 2**16)
    monkeypatch.setattr(findings, "MAX_NODES", 200)


@pytest.mark.parametrize("spec", [spec for specs in RIVALS.values() for spec in specs])
def test_two_rivals(spec: str) -> None:
    for steps, role in POSITIONS:
        check(spec, searched(spec, endgame(steps, role)), value_of_endgame(steps, role))


@pytest.mark.parametrize("spec", [spec for specs in ALONE.values() for spec in specs])
def test_one_player(spec: str) -> None:
    machine = gdl.compile(gdl.parse(WALK))
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    assert all_but_chance(machine, position.state, position.role) == 70
    check(spec, searched(spec, position), 70)


def check(spec: str, found: TimedSearch, value: int) -> None:
    """What is called proved is right; what has ended without that says which limit it reached."""
    choice = found.choice
    assert choice is not None
    assert choice.method, "it says how the move was found"
    if found.is_complete or choice.proved:
        assert choice.value == value, found
    elif found.has_ended and spec not in ("legal", "random"):
        assert choice.limit is not None, choice
    for move in found.moves:
        low, high = move.bounds
        assert low <= high


@pytest.mark.parametrize(
    ("spec", "limit"),
    [
        ("alpha_beta:depth=1", Limit.DEPTH),
        ("bounded_minimax:lower=99", Limit.BOUND),
        ("enumeration:states=2", Limit.STATES),
        ("information_sets:tree=1", Limit.NODES),
        ("legal", None),
        ("max_n:depth=1", Limit.DEPTH),
        ("mcts:playouts=1", Limit.PLAYOUTS),
        ("proof:depth=1", Limit.DEPTH),
        ("proof:nodes=3", Limit.NODES),
        ("random", None),
    ],
)
def test_a_search_that_its_limit_ends_is_not_complete(spec: str, limit: Limit | None) -> None:
    position = beginning("connectFour" if spec.startswith("mcts") else "ticTacToe")
    found = timed_search(create(spec), position, 600, ticking())
    assert found.choice is not None
    assert (found.has_ended, found.is_complete, found.choice.proved) == (True, False, False)
    assert found.choice.limit == limit
    assert found.choice.details.endswith(limit or "")
