"""Small games that can be solved: our own on smaller boards and plain trees; shared assertions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from random import Random

import pytest
from hypothesis import strategies as st

import gdl
from gdl import Constant, State, StateMachine
from gdl.engine.machine import PropnetStateMachine
from gdl.playouts import play_out
from gdl.reasoner.reasoner import ReasonerStateMachine
from ggp_player.lab.positions.turns import after_choice
from ggp_player.strategies import Position, Strategy
from ggp_player.strategies.solver.enumeration import Enumeration
from ggp_player.strategies.solver.solution import Solution
from ggp_player.strategies.textbook.minimax import Minimax
from tests.support.paths import GAMES
from tests.support.tree_games import Tree, last_choice, position, trees, turns


@cache
def compiled(text: str) -> PropnetStateMachine:
    """The compiled machine of a rulesheet, before it has native code."""
    return gdl.compile(gdl.parse(text))


def compiled_tree(machine: ReasonerStateMachine) -> PropnetStateMachine:
    """The compiled machine of a game that is a plain tree."""
    return gdl.compile(machine.ruleset)


def vectors(roles: int) -> st.SearchStrategy[Tree]:
    """Trees that have a utility for each role at each leaf."""
    leaf = st.lists(st.sampled_from((0, 20, 50, 70, 100)), min_size=roles, max_size=roles)
    nodes = st.recursive(
        leaf, lambda below: st.lists(below, min_size=1, max_size=3).map(tuple), max_leaves=12
    )
    return st.lists(nodes, min_size=1, max_size=3).map(tuple)


games_in_turn = st.one_of(
    trees.map(turns),
    vectors(2).map(turns),
    vectors(3).map(lambda tree: turns(tree, ("one", "two", "three"))),
    trees.map(lambda tree: turns(tree, ("solver",))),
).map(compiled_tree)
"""Games of two roles with a constant sum, of two and three with aims of their own, and of one."""


def sampled(machine: StateMachine, count: int, random: Random) -> list[State]:
    """Non-terminal states, each from a random step of a playout of its own."""
    found: list[State] = []
    for _ in range(count):
        steps = play_out(machine, random, 200)
        found.append(random.choice([step.state for step in steps if step.joint_move]))
    return found


def game(name: str) -> str:
    return (GAMES / f"{name}.kif").read_text(encoding="utf-8")


def changed(name: str, *changes: tuple[str, str]) -> str:
    """The text of a rulesheet with each old text, which must occur in it, replaced."""
    text = game(name)
    for old, new in changes:
        assert old in text, (name, old)
        text = text.replace(old, new)
    return text


def numbers(relation: str, count: int) -> str:
    return " ".join(f"({relation} {i})" for i in range(1, count + 1))


def in_order(relation: str, last: int, first: int = 1) -> str:
    return " ".join(f"({relation} {i} {i + 1})" for i in range(first, last))


def connect_four(columns: int, levels: int) -> str:
    return changed(
        "connectFour",
        (numbers("column", 7), numbers("column", columns)),
        (numbers("level", 6), numbers("level", levels)),
    )


def hex_board(size: int) -> str:
    return changed(
        "hex",
        (numbers("number", 6), numbers("number", size)),
        (in_order("after", 6), in_order("after", size)),
        ("(farEdge red ?x 6)", f"(farEdge red ?x {size})"),
        ("(farEdge blue 6 ?y)", f"(farEdge blue {size} ?y)"),
    )


def breakthrough(columns: int, ranks: int) -> str:
    largest = max(columns, ranks)
    here = "(column ?column) (column ?column2)"
    return changed(
        "breakthrough",
        ("(number ?column)", "(column ?column)"),
        ("(beside ?column ?column2)", f"(beside ?column ?column2) {here}"),
        (numbers("number", 8), f"{numbers('number', largest)} {numbers('column', columns)}"),
        (in_order("after", 8), in_order("after", largest)),
        ("(home black 7) (home black 8)", f"(home black {ranks - 1}) (home black {ranks})"),
        ("(farRank white 8)", f"(farRank white {ranks})"),
    )


def dots_and_boxes(width: int, height: int) -> str:
    boxes = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
    follows = " ".join(f"(follows {a} {b} {c} {d})" for (a, b), (c, d) in pairwise(boxes))
    worth = " ".join(
        f"(worth {i} {100 * i // len(boxes)})" for i in range(len(boxes) + 1)
    )  # both together may fall short of 100 by one: the sum need not be constant
    text = game("dotsAndBoxes")
    lines = [
        line
        for line in text.splitlines()
        if not line.startswith(("(follows", "(worth", "(oneMore"))
    ]
    text = "\n".join([*lines, follows, worth, in_order("oneMore", len(boxes), 0)])
    for old, new in (
        ("(number ?x)", "(column ?x)"),
        ("(number ?y)", "(row ?y)"),
        ("(after ?x ?x2)", "(after ?x ?x2) (column ?x)"),
        ("(after ?y ?y2)", "(after ?y ?y2) (row ?y)"),
        (numbers("number", 3), f"{numbers('column', width)} {numbers('row', height)}"),
        (in_order("after", 4), in_order("after", max(width, height) + 1)),
        ("(boxesUpTo ?role 3 3 ?count)", f"(boxesUpTo ?role {width} {height} ?count)"),
    ):
        assert old in text, old
        text = text.replace(old, new)
    return text


def reversi(size: int) -> str:
    """Reversi on a board of even size, 4 to 8."""
    low, high = size // 2, size // 2 + 1
    return changed(
        "reversi",
        (numbers("number", 8), numbers("number", size)),
        (in_order("after", 8), in_order("after", size)),
        ("(init (disc 4 4 black))", f"(init (disc {low} {low} black))"),
        ("(init (disc 5 5 black))", f"(init (disc {high} {high} black))"),
        ("(init (disc 4 5 white))", f"(init (disc {low} {high} white))"),
        ("(init (disc 5 4 white))", f"(init (disc {high} {low} white))"),
    )


def nim(heaps: Sequence[int]) -> str:
    names = [f"heap{i}" for i in range(len(heaps))]
    most = max(heaps)
    return changed(
        "nim",
        ("(heap left 3)", " ".join(f"(heap {n} {h})" for n, h in zip(names, heaps, strict=True))),
        ("(heap middle 5)", ""),
        ("(heap right 6)", ""),
        (
            "(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)",
            in_order("after", most, 0),
        ),
        ("(number 6)", f"(number {most})"),
    )


BOARDS = [
    pytest.param(game("ticTacToe"), id="ticTacToe"),
    pytest.param(nim((3, 5, 6)), id="nim"),
    pytest.param(hex_board(3), id="hex3"),
    pytest.param(dots_and_boxes(2, 2), id="dotsAndBoxes2x2"),
    pytest.param(breakthrough(3, 4), id="breakthrough3x4"),
    pytest.param(connect_four(4, 4), id="connectFour4x4", marks=pytest.mark.slow),
    pytest.param(breakthrough(4, 4), id="breakthrough4x4", marks=pytest.mark.slow),
]
"""Games of two rivals that a complete enumeration solves."""


def solution_of(strategy: Enumeration, machine: PropnetStateMachine) -> Solution:
    """Solve a game by enumeration."""
    last_choice(strategy, position(machine))
    assert strategy.solution is not None
    return strategy.solution


def assert_value_of_minimax(strategy: Strategy, start: Position) -> None:
    """Assert that a strategy proves the value that the textbook's minimax finds."""
    exact, choice = (last_choice(each, start) for each in (Minimax(), strategy))
    assert (choice.value, choice.proved) == (exact.value, True)


def assert_moves_keep_the_value(
    machine: PropnetStateMachine, solution: Solution, strategies: Mapping[Constant, Strategy]
) -> None:
    """Assert that each role's strategy proves the value of sampled states, and keeps it."""
    for state in sampled(machine, 60, Random(3)):
        role = max(machine.roles, key=lambda role: len(machine.legal_moves(state, role)))
        choice = last_choice(strategies[role], Position(machine, state, role))
        assert (choice.value, choice.proved) == (solution.bounds(state, role).low, True)
        after = after_choice(machine, state, machine.roles.index(role), choice.move)
        assert solution.bounds(after, role).low == choice.value
