"""The opening comment of a rulesheet: what its author says of the game, in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from gdl.language.formatter import notation_of

MAX_LENGTH = 4_000
"""The most characters that are looked at: a comment may be as long as its author likes."""

MAX_TITLE = 60
"""A first paragraph of one line that is no longer is the game's title."""

_STROKE = re.compile(r"-{2,}|\|")
"""A line with two of these is part of a drawing, such as a map."""

_ITEM = re.compile(r"(\w[\w ]{0,20}):\s+\S")


@dataclass(frozen=True, slots=True)
class OpeningComment:
    """A title, empty where there is none, and paragraphs without line breaks.

    ``items`` are lines such as ``Roles: red, blue``, each as a name and what it says.
    """

    title: str = ""
    paragraphs: tuple[str, ...] = ()
    items: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.title or self.paragraphs or self.items)


def opening_comment(text: str) -> OpeningComment:
    """Read the comment lines before the first rule of a rulesheet, in KIF or infix.

    Lines without a letter, such as a frame of asterisks, count as empty, and so do those of a
    drawing.
    """
    paragraphs = [
        list(lines) for is_text, lines in groupby(_lines(text[:MAX_LENGTH]), key=bool) if is_text
    ]
    title = ""
    if paragraphs and len(paragraphs[0]) == 1 and _is_title(paragraphs[0][0]):
        title = paragraphs.pop(0)[0].rstrip(":")
    if paragraphs and len(paragraphs[-1]) == 1 and _is_title(paragraphs[-1][0]):
        paragraphs.pop()  # the heading of the first rules
    prose: list[str] = []
    items: list[tuple[str, str]] = []
    for lines in paragraphs:
        if _ITEM.match(lines[0]):
            items += _items(lines)
        else:
            prose.append(" ".join(lines))
    return OpeningComment(title, tuple(prose), tuple(items))


def _is_title(line: str) -> bool:
    return len(line) <= MAX_TITLE and line[-1] not in ".!" and not _ITEM.match(line)


def _lines(text: str) -> Iterator[str]:
    """Yield the words of each comment line at the beginning; nothing for one that has no text."""
    marker = notation_of(text).marker
    for line in text.splitlines():
        words = line.strip()
        if words and not words.startswith(marker):
            return
        words = " ".join(words.lstrip(marker).split()).strip("*#=- ")
        is_drawn = len(_STROKE.findall(words)) > 1
        yield words if re.search(r"[^\W\d_]", words) and not is_drawn else ""


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
