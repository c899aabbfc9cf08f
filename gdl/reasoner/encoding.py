"""Encoding: states, facts and moves as rows of ids, and back as terms.

``true`` and ``does`` are flattened into *specialized relations*, one for each function that a fact
or a move can have and one for constants; a state is a table of rows for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl.datalog import FunctionKey, Key, SymbolTable, ids_of
from gdl.language import Function, RelationKey, Term


class ReasonerState:
    """A state: one table of rows for each specialized relation of ``true``."""

    __slots__ = ("_fluents", "_hash", "tables")

    def __init__(self, fluents: Fluents, tables: tuple[frozenset[Key], ...]) -> None:
        self.tables = tables
        self._fluents = fluents
        self._hash = hash(tables)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ReasonerState):
            return NotImplemented
        return self.tables == other.tables and self._fluents is other._fluents

    def __iter__(self) -> Iterator[Term]:
        return self._fluents.terms(self.tables)

    def __len__(self) -> int:
        return sum(map(len, self.tables))

    def __repr__(self) -> str:
        return f"<state {' '.join(sorted(map(str, self)))}>"


class SpecializedRelations:
    """The relations that a core relation is flattened into, with their rows as terms."""

    def __init__(
        self,
        symbols: SymbolTable,
        specialized: Sequence[tuple[RelationKey, FunctionKey | None]],
    ) -> None:
        self.relations = [relation for relation, _ in specialized]
        self._functions = [function for _, function in specialized]
        self._index = {function: i for i, function in enumerate(self._functions)}
        self._symbols = symbols
        self._terms: list[dict[Key, tuple[str, Term]]] = [{} for _ in specialized]

    def text_and_term(self, index: int, row: Key) -> tuple[str, Term]:
        """Decode a row of the relation with an index: the term's text, then the term."""
        known = self._terms[index].get(row)
        if known is None:
            function = self._functions[index]
            terms = tuple(map(self._symbols.decode, ids_of(row)))
            term = terms[0] if function is None else Function(function[0], terms)
            known = self._terms[index][row] = str(term), term
        return known

    def row(self, term: Term) -> tuple[int, tuple[int, ...]] | None:
        """Encode a term: the index of its relation and its columns, None if no rule has such."""
        if isinstance(term, Function):
            index = self._index.get((term.name, len(term.args)))
            if index is None:
                return None
            return index, tuple(map(self._symbols.encode, term.args))
        constants = self._index.get(None)
        return None if constants is None else (constants, (self._symbols.encode(term),))


class Fluents(SpecializedRelations):
    """The specialized relations of ``true``, in the order of a state's tables."""

    def terms(self, tables: tuple[frozenset[Key], ...]) -> Iterator[Term]:
        """Yield the facts of a state."""
        for index, table in enumerate(tables):
            for row in table:
                yield self.text_and_term(index, row)[1]
