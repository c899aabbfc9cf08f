"""Positions of editors: lines, and characters in the units that the editor counts in.

The offsets of the language count code points. Editors count lines from 0, and characters of a line
in UTF-16 code units unless both sides agree on another encoding, so a character outside the Basic
Multilingual Plane takes two. Lines end as in the language: with a line feed, a carriage return, or
both.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TypeAlias

from gdl.errors import LINE_END

Position: TypeAlias = tuple[int, int]
"""A line and a character of it, both counted from 0."""

_LONG_CHARACTERS = {
    "utf-8": re.compile("[^\x00-\x7f]"),
    "utf-16": re.compile("[^\x00-\uffff]"),
}
"""The characters that take more than one unit; UTF-32 has none."""


class Positions:
    """Turns offsets into a text into an editor's positions, and back.

    ``encoding`` is ``utf-8``, ``utf-16`` or ``utf-32``.
    """

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        ends = [match.span() for match in LINE_END.finditer(text)]
        self._starts = [0, *(end for _, end in ends)]
        self._ends = [*(start for start, _ in ends), len(text)]
        # The offset of each such character, once for every unit that it takes beyond the first.
        self._extra: list[int] = []
        if encoding in _LONG_CHARACTERS:
            for match in _LONG_CHARACTERS[encoding].finditer(text):
                self._extra += [match.start()] * (_units(match.group(), encoding) - 1)

    def position(self, offset: int) -> Position:
        """Return the position of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return line, self.units(self._starts[line], offset)

    def offset(self, position: Position) -> int:
        """Return the offset of a position.

        One beyond the end of its line, or of the text, stands for that end; one inside of a
        character for the end of it.
        """
        line, character = position
        if line >= len(self._starts):
            return self._ends[-1]
        start = self._starts[line]
        inside = range(start, self._ends[line])
        return start + bisect_left(inside, character, key=lambda at: self.units(start, at))

    def offset_of_column(self, line: int, column: int) -> int:
        """Return the offset of a line and column of the language, both counted from 1."""
        return self._starts[line - 1] + column - 1

    def units(self, start: int, end: int) -> int:
        """Return how many units the text between two offsets takes."""
        return end - start + bisect_left(self._extra, end) - bisect_left(self._extra, start)


def _units(character: str, encoding: str) -> int:
    return 2 if encoding == "utf-16" else len(character.encode("utf-8", "surrogatepass"))
