"""Disjoint sets against a partition that is kept as plain sets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gdl.analysis.evidence.disjoint_sets import DisjointSets

COUNT = 9

joins = st.lists(st.lists(st.integers(0, COUNT - 1), max_size=4), max_size=8)


def partition(united: list[list[int]]) -> list[list[int]]:
    """Merge sets that share an element of a join, one join after the other."""
    sets = [{element} for element in range(COUNT)]
    for elements in united:
        met = [own for own in sets if own & set(elements)]
        sets = [own for own in sets if own not in met]
        sets += [set[int]().union(*met)] if met else []
    return sorted(map(sorted, sets))


def joined(united: list[list[int]]) -> DisjointSets:
    found = DisjointSets(COUNT)
    for elements in united:
        found.join(elements)
    return found


def test_joining_nothing_has_no_representative() -> None:
    found = DisjointSets(2)
    assert found.join([]) is None
    assert found.sets() == [[0], [1]]


def test_elements_may_come_from_an_iterator() -> None:
    found = DisjointSets(4)
    assert found.root(3) != found.root(1)
    found.join(element for element in (3, 1))
    assert found.sets() == [[0], [1, 3], [2]]


def test_a_long_chain_of_joins_is_one_set() -> None:
    """Joined from the end, every root becomes the child of the next: no recursion follows them."""
    count = 50_000
    found = DisjointSets(count)
    for element in reversed(range(count - 1)):
        found.join((element, element + 1))
    assert {found.root(element) for element in range(count)} == {found.root(0)}


@given(joins)
def test_sets_are_the_naive_partition_in_order(united: list[list[int]]) -> None:
    assert joined(united).sets() == partition(united)


@given(joins)
def test_elements_have_one_root_if_they_are_in_one_set(united: list[list[int]]) -> None:
    found = joined(united)
    roots = [{found.root(element) for element in own} for own in partition(united)]
    assert all(len(own) == 1 for own in roots)
    assert len(set[int]().union(*roots)) == len(roots)


@given(joins, st.lists(st.integers(0, COUNT - 1), min_size=1, max_size=4))
def test_a_join_returns_the_representative(united: list[list[int]], last: list[int]) -> None:
    found = joined(united)
    representative = found.join(last)
    assert {found.root(element) for element in last} == {representative}
