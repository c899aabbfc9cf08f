"""Equal terms have equal ids, and ids give back their terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import Constant, Function, ResourceLimitError, Term
from gdl.datalog.symbol_table import MAX_TERM_DEPTH, SymbolTable, ids_of, key_of

ground_terms = st.recursive(
    st.sampled_from("ab1").map(Constant),
    lambda inner: st.builds(
        Function, st.sampled_from("afg"), st.lists(inner, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=8,
)


@given(st.lists(ground_terms))
def test_ids_and_terms_are_one_to_one(terms: list[Term]) -> None:
    symbols = SymbolTable()
    ids = [symbols.encode(term) for term in terms]
    assert [symbols.decode(term_id) for term_id in ids] == terms
    assert len(set(ids)) == len(set(terms))
    assert [symbols.encode(term) for term in terms] == ids


def test_functions_are_distinguished_by_name_and_arity() -> None:
    symbols = SymbolTable()
    tables = [symbols.function(*key) for key in (("f", 1), ("f", 2), ("g", 1), ("f", 1))]
    assert tables[0] is tables[3]
    assert [table.number for table in symbols.functions()] == [0, 1, 2]


def test_function_tables_lead_both_ways() -> None:
    symbols = SymbolTable()
    a, b = symbols.constant("a"), symbols.constant("b")
    table = symbols.function("f", 2)
    made = table.make((a, b))
    assert table.make((a, b)) == made == table.id_of[a, b]
    assert table.arguments_of[made] == (a, b)
    assert symbols.decode(made) == gdl.parse_term("(f a b)")
    single = symbols.function("s", 1).make(a)
    assert symbols.function("s", 1).arguments_of[single] == a


def test_keys_are_bare_ids_where_there_is_one() -> None:
    assert (key_of([3]), key_of([3, 4]), key_of([])) == (3, (3, 4), ())
    assert (ids_of(3), ids_of((3, 4)), ids_of(())) == ((3,), (3, 4), ())


def test_depth_is_bounded_and_what_is_allowed_can_be_printed() -> None:
    symbols = SymbolTable()
    table, term_id = symbols.function("s", 1), symbols.constant("z")
    for _ in range(MAX_TERM_DEPTH):
        term_id = table.make(term_id)
    assert str(symbols.decode(term_id)).count("(s ") == MAX_TERM_DEPTH
    with pytest.raises(ResourceLimitError, match=str(MAX_TERM_DEPTH)):
        table.make(term_id)


def test_number_of_terms_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl.datalog.symbol_table.MAX_TERMS", 10)
    symbols = SymbolTable()
    table = symbols.function("f", 1)
    ids = [symbols.constant(str(i)) for i in range(8)]
    made = [table.make(ids[0]), table.make(ids[1])]
    with pytest.raises(ResourceLimitError, match="10"):
        table.make(ids[2])
    assert [table.make(ids[0]), table.make(ids[1])] == made
