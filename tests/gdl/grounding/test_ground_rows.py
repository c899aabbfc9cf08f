"""Rows are a mapping to atoms, and are looked up one by one or many at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gdl.grounding.ground_rows import NO_ATOM, Row
from tests.support.grounding import ground_rows

ids = st.one_of(st.integers(0, 3), st.integers(0, 2**31 - 1))


def tables(arity: int) -> st.SearchStrategy[tuple[int, dict[Row, int], list[Row]]]:
    rows = st.tuples(*[ids] * arity)
    return st.tuples(
        st.just(arity),
        st.dictionaries(rows, st.integers(0, 9), max_size=8),
        st.lists(rows, max_size=8),
    )


@given(st.integers(0, 5).flatmap(tables))
def test_many_rows_are_found_as_single_ones_are(
    drawn: tuple[int, dict[Row, int], list[Row]],
) -> None:
    arity, expected, others = drawn
    rows = ground_rows(expected, arity)
    assert dict(rows) == expected
    assert len(rows) == len(expected)
    wanted = [*expected, *others]
    found = rows.atoms_of(np.array(wanted, dtype=np.int32).reshape(len(wanted), arity))
    assert found.tolist() == [expected.get(row, NO_ATOM) for row in wanted]
