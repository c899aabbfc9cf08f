"""The symbol table: every ground term that evaluation meets is interned as a small integer, its id.

Equal terms have equal ids, so that joins compare and hash integers. Two dictionaries lead from a
function's arguments to its id and back; the key is the bare id for a function of one argument,
otherwise a tuple of ids.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

from gdl.datalog.domains import FunctionKey
from gdl.errors import ResourceLimitError
from gdl.language import Constant, Function, Term

Key: TypeAlias = int | tuple[int, ...]
"""Several ids as one value: the bare id where there is one, a tuple otherwise."""

MAX_TERM_DEPTH = 200
"""The deepest term that rules may build."""

MAX_TERM_SIZE = 10_000
"""The most names in a term: a rule that doubles a term fills the memory in few steps."""

MAX_TERMS = 1_000_000
"""The most terms in a symbol table."""


class FunctionTable:
    """The interned terms of one function."""

    __slots__ = ("arguments_of", "id_of", "key", "number", "symbols")

    def __init__(self, key: FunctionKey, number: int, symbols: SymbolTable) -> None:
        self.key = key
        self.number = number
        self.symbols = symbols
        self.id_of: dict[Key, int] = {}
        self.arguments_of: dict[int, Key] = {}

    def make(self, arguments: Key) -> int:
        """Return the id of the function applied to the arguments, interned if it is new."""
        known = self.id_of.get(arguments)
        if known is None:
            ids = arguments if isinstance(arguments, tuple) else (arguments,)
            known = self.symbols.add_function(self, ids)
            self.id_of[arguments] = known
            self.arguments_of[known] = arguments
        return known


class SymbolTable:
    """The constants and functions of a ruleset, and every ground term met so far."""

    def __init__(self) -> None:
        self._constants: dict[str, int] = {}
        self._functions: dict[FunctionKey, FunctionTable] = {}
        self._terms: list[Term | None] = []
        self._origin: list[tuple[FunctionTable, tuple[int, ...]] | None] = []
        self._depth: list[int] = []
        self._size: list[int] = []

    def constant(self, name: str) -> int:
        """Return a constant's id."""
        known = self._constants.get(name)
        if known is None:
            known = self._constants[name] = len(self._terms)
            self._terms.append(Constant(name))
            self._origin.append(None)
            self._depth.append(0)
            self._size.append(1)
        return known

    def function(self, name: str, arity: int) -> FunctionTable:
        """Return the table of a function's terms."""
        key = name, arity
        if key not in self._functions:
            self._functions[key] = FunctionTable(key, len(self._functions), self)
        return self._functions[key]

    def functions(self) -> Iterator[FunctionTable]:
        """Yield the tables of all functions, in the order of their numbers."""
        yield from self._functions.values()

    def add_function(self, table: FunctionTable, arguments: tuple[int, ...]) -> int:
        """Add a new term; only :class:`FunctionTable` calls this."""
        depth = 1 + max(map(self._depth.__getitem__, arguments))
        if depth > MAX_TERM_DEPTH:
            raise ResourceLimitError(f"the rules build terms over {MAX_TERM_DEPTH} levels deep")
        size = 1 + sum(map(self._size.__getitem__, arguments))
        if size > MAX_TERM_SIZE:
            raise ResourceLimitError(f"the rules build terms of over {MAX_TERM_SIZE} names")
        if len(self._terms) >= MAX_TERMS:
            raise ResourceLimitError(f"the rules build over {MAX_TERMS} different terms")
        self._terms.append(None)
        self._origin.append((table, arguments))
        self._depth.append(depth)
        self._size.append(size)
        return len(self._terms) - 1

    def encode(self, term: Term) -> int:
        """Return the id of a ground term, interned if it is new."""
        if isinstance(term, Constant):
            return self.constant(term.name)
        assert isinstance(term, Function)
        table = self.function(term.name, len(term.args))
        return table.make(self.encode_all(term.args))

    def encode_all(self, terms: Iterable[Term]) -> Key:
        """Return the ids of ground terms as one key."""
        return key_of(list(map(self.encode, terms)))

    def decode(self, term_id: int) -> Term:
        """Return the term with an id."""
        term = self._terms[term_id]
        if term is None:
            origin = self._origin[term_id]
            assert origin is not None
            table, arguments = origin
            term = Function(table.key[0], tuple(map(self.decode, arguments)))
            self._terms[term_id] = term
        return term


def key_of(ids: list[int]) -> Key:
    """Return the ids as one key."""
    return ids[0] if len(ids) == 1 else tuple(ids)


def ids_of(key: Key) -> tuple[int, ...]:
    """Return a key as a tuple of ids."""
    return key if isinstance(key, tuple) else (key,)


def sizes_of_columns(table: Collection[Key]) -> list[int]:
    """Count the different values in each column of a table; a table without rows has none."""
    return [len(set(column)) for column in zip(*map(ids_of, table), strict=True)]
