"""Ground symbols are in the order of their texts, and are found again in other tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.ground_symbols import GroundSymbols, SymbolKind
from gdl.datalog import SymbolTable
from gdl.grounding import NO_ATOM, GroundRows
from gdl.language import Constant, Function, Term
from tests.support.grounding import ground_rows

names = st.sampled_from(["a", "ab", "a!", "b", "b1", "1", "10", "2", "a#"])
terms = st.recursive(
    names.map(Constant),
    lambda inner: st.builds(Function, names, st.lists(inner, min_size=1, max_size=2).map(tuple)),
    max_leaves=4,
)
moves = st.lists(st.tuples(terms, terms), unique=True, max_size=12)


def rows_of(symbols: SymbolTable, found: list[tuple[Term, ...]], arity: int) -> GroundRows:
    rows = {tuple(map(symbols.encode, row)): 7 + number for number, row in enumerate(found)}
    return ground_rows(rows, arity)


@given(st.lists(terms, unique=True, max_size=12), moves, moves)
def test_symbols_are_sorted_by_their_texts(
    plain: list[Term], one: list[tuple[Term, ...]], other: list[tuple[Term, ...]]
) -> None:
    symbols = SymbolTable()
    kinds = [
        SymbolKind(("does", 1), None, 1, rows_of(symbols, [(term,) for term in plain], 1)),
        SymbolKind(("does f", 2), "f", 2, rows_of(symbols, one, 2)),
        SymbolKind(("does a", 2), "a", 2, rows_of(symbols, other, 2)),
    ]
    found = GroundSymbols(kinds, symbols.decode)
    expected = [*plain, *(Function("f", row) for row in one)]
    expected += [Function("a", row) for row in other]
    assert sorted(map(str, expected)) == list(map(str, found))
    assert len(found) == len(expected)
    # Atoms come with their symbols.
    atoms = [*range(7, 7 + len(plain)), *range(7, 7 + len(one)), *range(7, 7 + len(other))]
    of = {id(term): atom for term, atom in zip(expected, atoms, strict=True)}
    by_text = sorted(expected, key=str)
    assert sorted(zip(map(str, found), found.atoms().tolist(), strict=True)) == sorted(
        (str(term), of[id(term)]) for term in by_text
    )


def sequence() -> GroundSymbols:
    symbols = SymbolTable()
    rows: list[tuple[Term, ...]] = [
        (Constant("white"), Constant(text), Constant("x")) for text in ("2", "10", "1")
    ]
    kind = SymbolKind(("does put", 3), "put", 2, rows_of(symbols, rows, 3))
    return GroundSymbols([kind], symbols.decode)


def test_terms_are_a_sequence() -> None:
    found = sequence()
    assert str(found[1]) == "(put 10 x)"
    assert str(found[-1]) == "(put 2 x)"
    assert len(found) == 3
    assert found == tuple(found)
    assert hash(found) == hash(tuple(found))
    assert found[:1] == (found[0],)
    assert repr(found) == "((put 1 x), (put 10 x), (put 2 x))"
    assert found.index(found[2]) == 2


def test_rows_are_looked_up_in_other_tables() -> None:
    found = sequence()
    chosen = found.kinds[0].rows.arguments[1:]
    legal = GroundRows(chosen, np.array([40, 41], dtype=np.int32))
    assert found.atoms_in(lambda _: legal).tolist() == [41, 40, NO_ATOM]
