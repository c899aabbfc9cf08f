"""Ground fluents and moves in the order of their texts, many at once.

There can be hundreds of thousands of moves, made of a few arguments: these become text once, and
the moves become terms where somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.arrays import Integers
from gdl.grounding import GroundRows
from gdl.language import Function, RelationKey, Term


@dataclass(frozen=True, slots=True)
class SymbolKind:
    """Rows of a relation that stand for terms.

    They are those of the last ``arity`` arguments, in a ``function`` or, where it is None, alone.
    """

    relation: RelationKey
    function: str | None
    arity: int
    rows: GroundRows

    def arguments(self) -> NDArray[np.int32]:
        """The arguments of each term: int32 (rows, arity)."""
        count = self.rows.arguments.shape[1]
        return self.rows.arguments[:, count - self.arity :]


class GroundSymbols(Sequence[Term]):
    """The terms that rows of some relations stand for, sorted by their text.

    Each is made when it is first asked for, or all together. ``kind`` and ``row``, int64
    (symbols,), say of which kind each is, and which of its rows.
    """

    def __init__(self, kinds: Sequence[SymbolKind], decode: Callable[[int], Term]) -> None:
        self.kinds = kinds
        self._decode = decode
        counts = [len(each.rows) for each in kinds]
        kind = np.repeat(np.arange(len(kinds)), counts)
        row = np.concatenate([np.zeros(0, dtype=np.int64), *map(np.arange, counts)])
        order = _sorted(self._tokens(), len(kind))
        self.kind, self.row = kind[order], row[order]

    def __len__(self) -> int:
        return len(self.row)

    @overload
    def __getitem__(self, index: int) -> Term: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Term, ...]: ...

    def __getitem__(self, index: int | slice) -> Term | tuple[Term, ...]:
        if isinstance(index, slice) or "_all" in self.__dict__:
            return self._all[index]
        kind = self.kinds[self.kind[index]]
        return term_of(kind, kind.arguments()[self.row[index]].tolist(), self._decode)

    def __iter__(self) -> Iterator[Term]:
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (GroundSymbols, tuple)) and self._all == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all)

    def __repr__(self) -> str:
        return repr(self._all)

    @cached_property
    def _all(self) -> tuple[Term, ...]:
        kinds = self.kinds
        rows = [each.arguments().tolist() for each in kinds]
        of = zip(self.kind.tolist(), self.row.tolist(), strict=True)
        return tuple([term_of(kinds[kind], rows[kind][row], self._decode) for kind, row in of])

    def atoms(self) -> Integers:
        """The atom of each symbol: int64 (symbols,)."""
        return self._chosen([each.rows.atoms.astype(np.int64) for each in self.kinds])

    def atoms_in(self, tables: Callable[[RelationKey], GroundRows]) -> Integers:
        """The atom of each symbol's row in other tables, by relation: int64 (symbols,)."""
        return self._chosen(
            [tables(each.relation).atoms_of(each.rows.arguments) for each in self.kinds]
        )

    def _chosen(self, by_kind: Sequence[Integers]) -> Integers:
        """Bring values, which each kind has for its rows, into the order of the symbols."""
        begins = np.cumsum([0, *map(len, by_kind)])[:-1].astype(np.int64)
        values = np.concatenate([np.zeros(0, dtype=np.int64), *by_kind])
        found: Integers = values[begins[self.kind] + self.row]
        return found

    def _tokens(self) -> Integers:
        """The ranks of the words in each symbol's text: int64 (words, symbols), -1 for none.

        A space is less than any character of a word, and ends all words but the last: so the order
        of the texts is that of the words, of which the last counts with its parenthesis.
        """
        if any(each.function is None and self._holds_functions(each) for each in self.kinds):
            return self._ranks_of_texts()
        texts = self._texts()
        words = {f"({each.function}" for each in self.kinds if each.function is not None}
        words |= {word for text in texts.values() for word in (text, text + ")")}
        rank = {word: index for index, word in enumerate(sorted(words))}
        plain, last = (np.zeros(1 + max(texts, default=0), dtype=np.int64) for _ in range(2))
        for each, text in texts.items():
            plain[each], last[each] = rank[text], rank[text + ")"]
        width = 1 + max((each.arity for each in self.kinds), default=0)
        parts = [np.zeros((width, 0), dtype=np.int64)]
        for kind in self.kinds:
            part = np.full((width, len(kind.rows)), -1, dtype=np.int64)
            arguments = kind.arguments()
            if kind.function is None:
                part[0] = plain[arguments[:, 0]]
            else:
                part[0] = rank[f"({kind.function}"]
                part[1 : 1 + kind.arity] = plain[arguments.T]
                part[kind.arity] = last[arguments[:, -1]]
            parts.append(part)
        return np.concatenate(parts, axis=1)

    def _holds_functions(self, kind: SymbolKind) -> bool:
        arguments = np.unique(kind.arguments()).tolist()
        return any(isinstance(self._decode(each), Function) for each in arguments)

    def _ranks_of_texts(self) -> Integers:
        """The ranks of whole texts: int64 (1, symbols)."""
        texts = [
            str(term_of(kind, row, self._decode))
            for kind in self.kinds
            for row in kind.arguments().tolist()
        ]
        rank = {text: index for index, text in enumerate(sorted(set(texts)))}
        return np.array([[rank[text] for text in texts]], dtype=np.int64)

    def _texts(self) -> dict[int, str]:
        """The texts of all arguments, by their numbers."""
        used: set[int] = set()
        for kind in self.kinds:
            used.update(np.bincount(kind.arguments().ravel()).nonzero()[0].tolist())
        terms = [self._decode(each) for each in used]
        return dict(zip(used, map(str, terms), strict=True))


def _sorted(tokens: Integers, count: int) -> Integers:
    """The order of columns of small numbers, of which the first row counts most."""
    base = 2 + int(tokens.max(initial=0))
    if base ** len(tokens) >= 2**63:
        found: Integers = np.lexsort(tokens[::-1])
        return found
    numbers = np.zeros(count, dtype=np.int64)
    for row in tokens:
        numbers = numbers * base + (row + 1)
    return np.argsort(numbers, kind="stable")


def term_of(kind: SymbolKind, arguments: Sequence[int], decode: Callable[[int], Term]) -> Term:
    """Make the term of a kind with some arguments."""
    if kind.function is None:
        return decode(arguments[0])
    return Function(kind.function, tuple(map(decode, arguments)))
