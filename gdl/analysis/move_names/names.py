"""The names of a game's moves, as a value: what each word of a move becomes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from gdl.analysis.boards import ARGUMENT
from gdl.language import Term

NOOP = "noop"
"""The move that all rules call so, and that waits unless it is seen to be a choice."""

_LINE = re.compile(r"(?:column|row) (\S+)", re.IGNORECASE)
_GAPS = re.compile(r"[\s-]+")
_JOINS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")

_MoveT = TypeVar("_MoveT", Term, str)


@dataclass(frozen=True, slots=True)
class CellNames:
    """How the cells of a board are called.

    ``size`` words name a cell. ``order`` are the positions in this key of its column and its row,
    and ``columns`` and ``rows`` their labels by the words of the rules, in small letters; all three
    are empty where a key is said as it is, or as ``names`` says by its words. Where cells are
    corners, ``ends`` are the names of those to which a side leads from others, by its word in the
    rules and by their names.
    """

    size: int = 1
    order: tuple[int, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)
    rows: dict[str, str] = field(default_factory=dict)
    ends: dict[str, dict[str, str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def name(self, key: Sequence[str]) -> str | None:
        """Name a cell: ``e4``, ``5,4``, with the words for one of several boards before it.

        None where the board has no such column or row.
        """
        if not self.order:
            words = " ".join(key)
            return self.names.get(words.lower(), words)
        column = self.columns.get(key[self.order[0]].lower())
        row = self.rows.get(key[self.order[1]].lower())
        if column is None or row is None:
            return None
        panel = ",".join(word for i, word in enumerate(key) if i not in self.order)
        return f"{panel} {joined(column, row)}".lstrip()

    def line(self, kind: str, word: str) -> str:
        """The label of a ``column`` or ``row``."""
        return (self.columns if kind == "column" else self.rows).get(word.lower(), word)


def joined(column: str, row: str) -> str:
    """Write a letter and a number together, the letter first; two words of a kind with a comma."""
    if column.isalpha() and row.isdigit():
        return column + row
    if column.isdigit() and row.isalpha():
        return row + column
    return f"{column},{row}"


@dataclass(frozen=True, slots=True)
class MoveTemplate:
    """How the moves of one function are said.

    ``cells`` has for each cell that a move names its first argument, counted from 0, and its board;
    ``lines`` the arguments that are a whole ``column`` or ``row``, and of which board.
    ``side`` is the argument that says, instead of a second cell, at which side of the square the
    move is. ``constants`` are words in small letters that are not said, by argument. The function's
    name is said where ``with_name``. A ``text`` is the whole of what is said, with ``{1}`` for the
    first argument.
    """

    name: str
    arity: int
    cells: tuple[tuple[int, int], ...] = ()
    lines: tuple[tuple[int, str, int], ...] = ()
    constants: tuple[tuple[int, frozenset[str]], ...] = ()
    with_name: bool = True
    side: int | None = None
    text: str = ""


@dataclass(frozen=True)
class MoveNames:
    """The names of a game's moves: a value that follows from the rules, and is read as JSON, too.

    Without templates moves are said in their own words. ``words`` are what people say instead of
    words of the rules, which are in small letters. ``waiting`` are moves that a role makes only
    while others choose. ``column`` and ``row`` are the words for whole ones, which a page can say
    in its language.
    """

    templates: tuple[MoveTemplate, ...] = ()
    boards: tuple[CellNames, ...] = ()
    waiting: frozenset[str] = frozenset({NOOP})
    words: dict[str, str] = field(default_factory=dict)
    column: str = "column"
    row: str = "row"

    @cached_property
    def _template_of(self) -> dict[tuple[str, int], MoveTemplate]:
        return {(each.name.lower(), each.arity): each for each in self.templates}

    def name(self, move: Term | str) -> str:
        """Return the name of a move; two legal moves may share it, see :meth:`names`."""
        text = str(move)
        words = _flat_words(text)
        if not words:
            return " ".join(text.split())
        template = self._template_of.get((words[0].lower(), len(words) - 1))
        if template is None:
            return " ".join(words)
        return self.said(template, words[1:])

    def names(self, legal: Iterable[Term | str]) -> dict[str, str]:
        """Return the names of a role's legal moves by their texts; no two have the same name."""
        found = {str(move): self.name(move) for move in legal}
        counts = Counter(name.lower() for name in found.values())
        return {text: text if counts[name.lower()] > 1 else name for text, name in found.items()}

    def waits(self, move: Term | str) -> bool:
        """Whether a role makes this move only while others choose."""
        return str(move).lower() in self.waiting

    def told(
        self, moves: Iterable[Term | str], legal: Iterable[Iterable[Term | str]] = ()
    ) -> dict[str, str]:
        """Return for a page the names of moves by their texts: empty for those that wait.

        ``legal`` has the legal moves of each role, which are told apart. Moves that are called as
        they are written are left out.
        """
        found = {str(move): self.name(move) for move in moves}
        for of_role in legal:
            found |= self.names(of_role)
        found |= {text: "" for text in found if self.waits(text)}
        return {text: name for text, name in found.items() if name != text}

    def parse(self, text: str, legal: Sequence[_MoveT]) -> _MoveT | None:
        """Return the legal move that a text names; None where it is none, or not only one.

        The text can be the move's text in the rules, its name in any case and with or without
        hyphens, or the one word of a column or a row.
        """
        names = self.names(legal)
        readings: tuple[Callable[[str], str | None], ...] = (
            lambda move: move,
            lambda move: _plain(move),
            lambda move: _plain(names.get(move, move)),
            lambda move: _compact(names.get(move, move)),
            lambda move: self.word(names.get(move, move)),
        )
        wanted = (text.strip(), _plain(text), _plain(text), _compact(text), text.strip().lower())
        for reading, sought in zip(readings, wanted, strict=True):
            found = [move for move in legal if sought and reading(str(move)) == sought]
            if len(found) == 1:
                return found[0]
        return None

    @staticmethod
    def word(name: str) -> str | None:
        """The word that stands for the name of a column or a row; None for other names."""
        match = _LINE.fullmatch(name)
        return match[1].lower() if match else None

    def said(self, template: MoveTemplate, words: Sequence[str]) -> str:
        """Say a move by its template; in its own words where they name no cell of the board."""
        if template.text:
            return ARGUMENT.sub(lambda found: self._said(words[int(found[1]) - 1]), template.text)
        cells, lines = dict(template.cells), {i: (kind, n) for i, kind, n in template.lines}
        unsaid = dict(template.constants)
        said, is_after_cell, i = [self._said(template.name)] if template.with_name else [], False, 0
        while i < len(words):
            size = 1
            if i in cells:
                board = self.boards[cells[i]]
                size = board.size
                cell = board.name(words[i : i + size])
                if cell is None:
                    return " ".join([template.name, *words])
                if template.side is not None:
                    end = board.ends.get(words[template.side].lower(), {}).get(cell)
                    if end is None:
                        return " ".join([template.name, *words])
                    cell = f"{cell}-{end}"
                said.append(f"{said.pop()}-{cell}" if is_after_cell else cell)
                is_after_cell = True
            elif i in lines:
                kind, number = lines[i]
                line = self.column if kind == "column" else self.row
                said.append(f"{line} {self.boards[number].line(kind, words[i])}")
            elif i != template.side and words[i].lower() not in unsaid.get(i, ()):
                said.append(self._said(words[i]))
                is_after_cell = False
            i += size
        return " ".join(said)

    def _said(self, word: str) -> str:
        return self.words.get(word.lower()) or spoken(word)


def spoken(word: str) -> str:
    """Write a name of a rulesheet as words.

    >>> spoken("prizesLeft"), spoken("prizes_left"), spoken("A")
    ('prizes left', 'prizes left', 'A')
    """
    parted = _JOINS.sub(" ", word)
    return parted.lower() if parted != word else word


def _flat_words(text: str) -> list[str]:
    """The words of a move without nested terms; none for others."""
    inner = text.strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    return [] if "(" in inner or ")" in inner else inner.split()


def _plain(text: str) -> str:
    """A text for comparisons: without parentheses and case, with one space for each gap."""
    return _GAPS.sub(" ", text.replace("(", " ").replace(")", " ")).strip().lower()


def _compact(text: str) -> str | None:
    """A text without gaps; None where that could be the number of a move."""
    found = _GAPS.sub("", text).lower()
    return None if not found or found.isdigit() else found
