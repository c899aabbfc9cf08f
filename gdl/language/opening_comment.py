"""The opening comment of a rulesheet: what its author says of the game, in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent

from gdl.language.formatter import notation_of

MAX_LENGTH = 4_000
"""The most characters that are looked at: a comment may be as long as its author likes."""

MAX_TITLE = 60
"""A first paragraph of one line that is no longer is the game's title."""

LEAST_DRAWN = 3
"""Lines and different characters of the smallest drawing: what has fewer is a frame or prose."""

LEAST_CELLS = 3
"""Single characters before the explanation of a drawing's line, such as ``S . #   S start``."""

_STROKE = re.compile(r"-{2,}|\|")
"""A line with two of these is part of a drawing, such as a map."""

_LETTERS = re.compile(r"[^\W\d_]+")

_GAP = re.compile(r" {2,}")
_ITEM = re.compile(r"(\w[\w ]{0,20}):\s+\S")


@dataclass(frozen=True, slots=True)
class OpeningComment:
    """A title, empty where there is none, and paragraphs without line breaks.

    ``items`` are lines such as ``Roles: red, blue``, each as a name and what it says. ``drawings``,
    such as maps, have their lines as they are.
    """

    title: str = ""
    paragraphs: tuple[str, ...] = ()
    items: tuple[tuple[str, str], ...] = ()
    drawings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.title or self.paragraphs or self.items or self.drawings)


def opening_comment(text: str) -> OpeningComment:
    """Read the comment lines before the first rule of a rulesheet, in KIF or infix.

    Lines without a letter, such as a frame of asterisks, count as empty.
    """
    paragraphs: list[list[str]] = []
    drawings: list[str] = []
    is_heading = False
    for is_drawn, lines in _blocks(text[:MAX_LENGTH]):
        if is_drawn:
            drawings.append(dedent("\n".join(lines)))
        else:
            paragraphs.append(list(map(_words, lines)))
        is_heading = not is_drawn
    title = ""
    if paragraphs and len(paragraphs[0]) == 1 and _is_title(paragraphs[0][0]):
        title = paragraphs.pop(0)[0].rstrip(":")
    if is_heading and paragraphs and len(paragraphs[-1]) == 1 and _is_title(paragraphs[-1][0]):
        paragraphs.pop()  # the heading of the first rules
    prose: list[str] = []
    items: list[tuple[str, str]] = []
    for lines in paragraphs:
        if _ITEM.match(lines[0]):
            items += _items(lines)
        else:
            prose.append(" ".join(lines))
    return OpeningComment(title, tuple(prose), tuple(items), tuple(drawings))


def _is_title(line: str) -> bool:
    return len(line) <= MAX_TITLE and line[-1] not in ".!" and not _ITEM.match(line)


def _blocks(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield the lines of each paragraph and of each drawing, these with True."""
    prose: list[str] = []
    for is_drawn, group in groupby(_lines(text), key=_is_drawn):
        lines = list(group)
        if is_drawn and _is_drawing(lines):
            yield from _paragraphs(prose)
            prose = []
            yield True, lines
        else:
            prose += lines
    yield from _paragraphs(prose)


def _paragraphs(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    for has_words, group in groupby(lines, key=lambda line: bool(_words(line))):
        if has_words:
            yield False, list(group)


def _lines(text: str) -> Iterator[str]:
    """Yield each comment line at the beginning, without its marker."""
    marker = notation_of(text).marker
    for line in map(str.strip, text.splitlines()):
        if line and not line.startswith(marker):
            return
        yield line.lstrip(marker).expandtabs()


def _unframed(line: str) -> str:
    return " ".join(line.split()).strip("*#=- ")


def _words(line: str) -> str:
    """The words of a line; nothing for one that has no text."""
    words = _unframed(line)
    return words if _LETTERS.search(words) and not _has_strokes(words) else ""


def _has_strokes(words: str) -> bool:
    return len(_STROKE.findall(words)) > 1


def _is_drawing(lines: list[str]) -> bool:
    characters = set("".join(lines)) - {" "}
    return min(len(lines), len(characters)) >= LEAST_DRAWN


def _is_drawn(line: str) -> bool:
    """Whether a line is part of a drawing, if those beside it are.

    It has strokes or no words: letters that are all the same, as in ``XXX``, are none. What follows
    a wide gap may be an explanation.
    """
    if _has_strokes(_unframed(line)):
        return True
    if all(len(set(letters.lower())) == 1 for letters in _LETTERS.findall(line)):
        return bool(line)
    cells = _GAP.split(line.strip(), maxsplit=1)[0].split()
    return len(cells) >= LEAST_CELLS and all(len(cell) == 1 for cell in cells)


def _items(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the items of a paragraph; a line that begins none goes on with the one before."""
    found: list[str] = []
    for line in lines:
        if _ITEM.match(line):
            found.append(line)
        else:
            found[-1] += f" {line}"
    for item in found:
        name, _, said = item.partition(":")
        yield name, said.strip()
