"""Tables of what each role has, and of lists, for games without a board to see.

Apart from lines of text, as other notes are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gdl.analysis.boards import BoardLayout
from gdl.drawing.scene import Note, say
from gdl.drawing.shapes import number, xml

MIN_LISTED = 4
"""The fewest things of a list that is a row of a table, as in ``(order p1 p3 p2 p4)``."""

MAX_COLUMNS = 8
"""The most columns of a table; what has more stays in lines."""

_ROW = 40
_WIDE = 76
"""Pixels from a column to the next."""


@dataclass(frozen=True)
class RoleTable:
    """Values of roles in columns: ``values`` has for each its fact, its word, whether it is new."""

    title: str
    columns: tuple[str, ...]
    roles: tuple[str, ...]
    values: dict[tuple[str, str], tuple[str, str, bool]]


def role_tables(
    notes: Iterable[Note], roles: Sequence[str]
) -> tuple[list[RoleTable], frozenset[str]]:
    """Make tables of notes that give roles one value each, or one for each of some things.

    The only fact of a function, if it lists things, is the row of a table without roles, and so are
    facts that number things from 1. Return them with the names of the functions that they show.
    """
    by_function: dict[str, list[tuple[str, tuple[str, ...], bool]]] = {}
    for note in notes:
        for fact, words in zip(note.facts, note.words, strict=True):
            by_function.setdefault(words[0], []).append((fact, words[1:], note.changed))
    single: dict[tuple[str, str], tuple[str, str, bool]] = {}
    tables: list[RoleTable] = []
    shown: list[str] = []
    for function, facts in by_function.items():
        if (listed := _list(function, facts, roles)) is not None:
            tables.append(listed)
            shown.append(function)
            continue
        lengths = {len(words) for _, words, _ in facts}
        keys = {words[:-1] for _, words, _ in facts}
        if len(lengths) > 1 or len(keys) < max(len(facts), 2):
            continue
        if any(not words or words[0] not in roles or len(words[-1]) > 8 for _, words, _ in facts):
            continue
        if lengths == {2}:
            single |= {(w[0], function): (fact, w[1], new) for fact, w, new in facts}
        elif lengths == {3} and len({words[1] for _, words, _ in facts}) <= MAX_COLUMNS:
            values = {(w[0], w[1]): (fact, w[2], new) for fact, w, new in facts}
            tables.append(_table(function, values, roles))
            shown.append(function)
    columns = {column for _, column in single}
    if 0 < len(columns) <= MAX_COLUMNS:
        tables.insert(0, _table("", single, roles))
        shown += columns
    return tables, frozenset(shown)


def table_beside(note: Note) -> RoleTable | None:
    """A row of what a note says of each of some things; None where it says something else."""
    values = {("", words[0]): ("", words[1], False) for words in note.words if len(words) == 2}
    if not len(values) == len(note.words) <= MAX_COLUMNS:
        return None
    return RoleTable(note.name, tuple(column for _, column in values), ("",), values)


def _list(
    title: str, facts: Sequence[tuple[str, tuple[str, ...], bool]], roles: Sequence[str]
) -> RoleTable | None:
    """A row of what the only fact lists, or of what each of several facts has a number for."""
    fact, words, changed = facts[0]
    if len(facts) == 1:
        listed = [(fact, word, changed) for word in words]
    else:
        numbered = {each[0]: (one, each[1], new) for one, each, new in facts if len(each) == 2}
        listed = [numbered[n] for i in range(len(facts)) if (n := str(i + 1)) in numbered]
    is_short = all(len(word) <= 8 and word not in roles for _, word, _ in listed)
    is_whole = MIN_LISTED <= len(listed) <= MAX_COLUMNS and len(listed) >= len(facts)
    if not is_short or not is_whole:
        return None
    values = {("", str(i)): value for i, value in enumerate(listed, 1)}
    return RoleTable(title, tuple(column for _, column in values), ("",), values)


def _table(
    title: str, values: dict[tuple[str, str], tuple[str, str, bool]], roles: Sequence[str]
) -> RoleTable:
    rows = tuple(role for role in roles if any(role == each for each, _ in values))
    return RoleTable(title, tuple(sorted({column for _, column in values})), rows, values)


def heading_width(table: RoleTable, layout: BoardLayout) -> float:
    """The pixels that a table's title and roles take before its first column."""
    title = say([table.title], layout)
    return max(60.0, 12 + 8.6 * max(len(text) for text in (title, *table.roles)))


def draw_role_table(
    table: RoleTable, layout: BoardLayout, corner: tuple[float, float], first: float
) -> tuple[str, float, float]:
    """Draw a table with its upper left corner at a point; return it with its width and height.

    Its columns begin ``first`` pixels to the right.
    """
    x, y = corner
    title, columns = say([table.title], layout), [say([each], layout) for each in table.columns]
    parts = [_text(x, y + 12, title, 14, "left soft")] if title else []
    parts += [
        _text(x + first + (i + 0.5) * _WIDE, y + 12, column, 14 if len(column) < 9 else 11, "soft")
        for i, column in enumerate(columns)
    ]
    for row, role in enumerate(table.roles):
        middle = y + 26 + (row + 0.5) * _ROW
        parts.append(_text(x, middle, role, 15, "left"))
        for i, column in enumerate(table.columns):
            left, value = x + first + i * _WIDE, table.values.get((role, column))
            fact, word, new = value or ("", "", False)
            parts.append(
                f'<g class="cell{" new" if new else ""}" data-fact="{xml(fact)}">'
                f'<rect class="sq" x="{number(left + 3)}" y="{number(middle - _ROW / 2 + 2)}" '
                f'width="{_WIDE - 6}" height="{_ROW - 4}" rx="5"/>'
                f"{_text(left + _WIDE / 2, middle, word, 20 if len(word) < 5 else 13, '')}</g>"
            )
    width = x + first + len(table.columns) * _WIDE
    return "".join(parts), width, 34.0 + len(table.roles) * _ROW


def _text(x: float, y: float, text: str, size: int, style: str) -> str:
    named = f' class="{style}"' if style else ""
    return (
        f'<text{named} x="{number(x)}" y="{number(y)}" font-size="{size}">{xml(text[:14])}</text>'
    )
