"""Tables are bounded, forget what was not used for long, and never hold wrong values."""

from __future__ import annotations

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from gdl import State
from ggp_player.strategies.textbook.memory import MemoTable, remembered
from ggp_player.strategies.textbook.transposition_table import TO_THE_END, ValueBounds, transposed


@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 20), st.booleans())))
def test_a_table_is_a_mapping_with_gaps(capacity: int, uses: list[tuple[int, bool]]) -> None:
    table, everything = MemoTable[int, int](capacity), dict[int, int]()
    for number, (key, write) in enumerate(uses):
        if write:
            table[key] = everything[key] = number
        assert table.get(key) in (None, everything.get(key))
        assert len(table) <= max(2, capacity)


def test_what_is_in_use_stays() -> None:
    table = MemoTable[int, str](10)
    table[0] = "in use"
    for key in range(1, 100):
        table[key] = "new"
        assert table.get(0) == "in use"
    assert table.get(1) is None


class Squares:
    def __init__(self) -> None:
        self.memory: MemoTable[tuple[int], int] = MemoTable()
        self.calls = 0

    @remembered
    def square(self, number: int) -> int:
        self.calls += 1
        return number * number


def test_remembered_methods_are_called_once_for_each_object() -> None:
    one, other = Squares(), Squares()
    assert [one.square(0), one.square(3), one.square(0), one.square(3)] == [0, 9, 0, 9]
    assert other.square(3) == 9
    assert (one.calls, other.calls) == (2, 1)


S = cast("State", "s")


class Depths:
    """A search that finds the value 60 if it looks to the end, and 30 where it does not."""

    def __init__(self) -> None:
        self.table: MemoTable = MemoTable()
        self.horizons = 0
        self.calls = 0

    @transposed
    def score(self, state: object, depth: int, alpha: float, beta: float) -> float:
        self.calls += 1
        if depth < 5:
            self.horizons += 1
        return max(alpha, min(beta, 30 if depth < 5 else 60))


def test_a_shallow_value_serves_shallow_searches_only() -> None:
    search = Depths()
    assert search.score(S, 2, 0, 100) == search.score(S, 1, 0, 100) == 30
    assert (search.calls, search.horizons) == (1, 2)
    assert search.score(S, 3, 0, 100) == 30
    assert search.calls == 2


def test_a_value_from_the_end_serves_every_depth() -> None:
    search = Depths()
    assert search.score(S, 5, 0, 100) == search.score(S, 50, 0, 100) == 60
    assert (search.calls, search.horizons) == (1, 0)


def test_a_cut_value_is_a_bound() -> None:
    search = Depths()
    assert search.score(S, 9, 70, 80) == 70
    assert search.table.get(("s",)) == ValueBounds(TO_THE_END, 0, 70)
    assert search.score(S, 9, 90, 95) <= 90
    assert search.calls == 1
    assert search.score(S, 9, 10, 50) == 50
    assert search.table.get(("s",)) == ValueBounds(TO_THE_END, 50, 100)
    assert search.score(S, 9, 10, 40) >= 40
    assert search.calls == 2
    assert search.score(S, 9, 0, 100) == 60
    assert search.calls == 3
