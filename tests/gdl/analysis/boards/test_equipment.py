"""Two numbers that chance throws are no place of a board; what chance puts on one is."""

from __future__ import annotations

import pytest

import gdl
from gdl.analysis.boards import find_layout
from gdl.analysis.boards.equipment import sizes_of

NUMBERS = " ".join(f"(number {n})" for n in range(1, 7))

THROW = (
    """(role random) (role ann) (role bob)
(init (claimed 1 1)) (init (throwing ann))
(<= (legal random (roll ?x ?y)) (number ?x) (number ?y))
(<= (legal ann (claim ?x ?y)) (number ?x) (number ?y))
(legal bob noop)
(<= (next (dice ?p ?x ?y)) (does random (roll ?v ?w)) (true (throwing ?p)) (sorted ?v ?w ?x ?y))
(<= (next (dice ?p ?x ?y)) (true (dice ?p ?x ?y)) (not rolled))
(<= rolled (does random (roll ?x ?y)))
(<= (next (claimed ?x ?y)) (does ann (claim ?x ?y)))
(<= (next (claimed ?x ?y)) (true (claimed ?x ?y)) (not said))
(<= said (does ann (claim ?x ?y)))
(<= (sorted ?x ?y ?x ?y) (number ?x) (number ?y))
"""
    + NUMBERS
)

TILES = (
    """(role random) (role ann)
(init (tile 1 1 2))
(<= (legal random (put ?x ?y)) (number ?x) (number ?y))
(legal ann noop)
(<= (next (tile ?x ?y 2)) (does random (put ?x ?y)))
(<= (next (tile ?x ?y ?v)) (true (tile ?x ?y ?v)) (not (covered ?x ?y)))
(<= (covered ?x ?y) (does random (put ?x ?y)))
"""
    + NUMBERS
)


def test_numbers_that_are_thrown_are_dice() -> None:
    layout = find_layout(gdl.parse(THROW))
    assert layout.boards == ()
    assert layout.dice == {("dice", 3), ("claimed", 2)}


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("random", "bob"),  # a person says both
        ("(not rolled)", "(true (throwing ?q))"),  # dice stay beside each other
        ("(does ann (claim ?x ?y))", "(true (claimed ?w ?x)) (number ?y)"),  # one walks from there
    ],
)
def test_what_else_names_two_numbers_is_a_board(word: str, other: str) -> None:
    layout = find_layout(gdl.parse(THROW.replace(word, other)))
    assert [board.found_by[:16] for board in layout.boards] == ["arguments 1, 2 o"] or (
        [board.found_by[:16] for board in layout.boards] == ["arguments 2, 3 o"]
    )
    assert not layout.dice


def test_what_chance_puts_beside_others_is_on_a_board() -> None:
    layout = find_layout(gdl.parse(TILES))
    assert [len(board.places) for board in layout.boards] == [36]
    assert not layout.dice


ORDERED = frozenset({("a", "b"), ("b", "c"), ("a", "c"), ("a", "peg")})


@pytest.mark.parametrize(
    ("name", "rows", "sizes"),
    [
        ("smallerDisc", ORDERED, {"a": 1 / 3, "b": 2 / 3, "c": 1}),
        ("larger", ORDERED, {"a": 1, "b": 2 / 3, "c": 1 / 3}),
        ("before", ORDERED, {}),  # letters in order are of one size
        ("smaller", ORDERED - {("a", "c")}, {}),
    ],
)
def test_things_that_a_relation_orders_by_size_have_sizes(
    name: str, rows: frozenset[tuple[str, ...]], sizes: dict[str, float]
) -> None:
    assert sizes_of(frozenset("abc"), {(name, 2): rows}) == pytest.approx(sizes)
