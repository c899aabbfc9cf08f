"""States, facts and moves in the reasoner's own form, and back as terms.

``true`` and ``does`` are flattened into one relation for each function that a fact or a move can
be, its *variants*; a state is a table of rows for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl.datalog import FunctionKey, Key, SymbolTable, ids_of
from gdl.language import Function, RelationKey, Term


class ReasonerState:
    """A state: one table of rows for each kind of fluent."""

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


class Variants:
    """The relations that a core relation is flattened into, and their rows as terms."""

    def __init__(
        self,
        program_vocabulary: SymbolTable,
        variants: Sequence[tuple[RelationKey, FunctionKey | None]],
    ) -> None:
        self.relations = [relation for relation, _ in variants]
        self._functions = [function for _, function in variants]
        self._index = {function: i for i, function in enumerate(self._functions)}
        self._vocabulary = program_vocabulary
        self._terms: list[dict[Key, tuple[str, Term]]] = [{} for _ in variants]

    def named(self, variant: int, row: Key) -> tuple[str, Term]:
        """Return the term of a row, after its text."""
        known = self._terms[variant].get(row)
        if known is None:
            function = self._functions[variant]
            terms = tuple(map(self._vocabulary.decode, ids_of(row)))
            term = terms[0] if function is None else Function(function[0], terms)
            known = self._terms[variant][row] = str(term), term
        return known

    def row(self, term: Term) -> tuple[int, tuple[int, ...]] | None:
        """Return the variant and the columns of a term, None for an unknown function."""
        if isinstance(term, Function):
            variant = self._index.get((term.name, len(term.args)))
            if variant is None:
                return None
            return variant, tuple(map(self._vocabulary.encode, term.args))
        return self._index[None], (self._vocabulary.encode(term),)


class Fluents(Variants):
    """The kinds of fluents, in the order of a state's tables."""

    def terms(self, tables: tuple[frozenset[Key], ...]) -> Iterator[Term]:
        """Yield the facts of a state."""
        for variant, table in enumerate(tables):
            for row in table:
                yield self.named(variant, row)[1]
