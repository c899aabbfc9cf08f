"""Layout: how nested text is broken into lines, with the comments that belong in it.

A text is a :class:`Group`: an opening, items and a closing. It goes on one line where it fits and
has no comment inside; otherwise every item goes on a line of its own, indented below the opening,
and the closing ends the last line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

WIDTH = 100
"""How many characters a line may have, if it can be broken at all."""

INDENT = 2
"""By how many blanks items stand to the right of their opening."""


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments that belong to a piece, each with its marker and without its line's end."""

    before: tuple[str, ...] = ()
    """On lines of their own, above the piece."""
    opening: str = ""
    """Behind the opening."""
    end: tuple[str, ...] = ()
    """On lines of their own, below the last item and above the closing if there is one."""
    after: str = ""
    """Behind the piece."""


NO_COMMENTS = Comments()


@dataclass(frozen=True, slots=True)
class Group:
    """Text that can be broken into lines."""

    opening: str
    items: tuple[Group, ...] = ()
    closing: str = ""
    gap: str = ""
    """What stands between the opening and the first item on one line."""
    separator: str = ""
    """What follows each item but the last."""
    space: str = " "
    """What stands between two items on one line, after the separator."""
    broken: bool = False
    """Whether the items always have lines of their own."""
    comments: Comments = NO_COMMENTS

    def on_one_line(self) -> str | None:
        """Return the piece as one line, None where it has to be broken.

        Comments before and behind the piece are left to the caller.
        """
        if self.broken or self.comments.opening or (self.comments.end and self.closing):
            return None
        texts = []
        for item in self.items:
            text = item.on_one_line()
            if text is None or item.comments != NO_COMMENTS:
                return None
            texts.append(text)
        body = f"{self.separator}{self.space}".join(texts)
        return f"{self.opening}{self.gap if texts else ''}{body}{self.closing}"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text with the comment behind it."""

    indent: int
    text: str
    comment: str = ""

    def __str__(self) -> str:
        return " " * self.indent + " ".join(filter(None, (self.text, self.comment)))


def break_lines(piece: Group, indent: int = 0, reserved: int = 0) -> list[Line]:
    """Break a piece into lines; ``reserved`` is the length of what follows on its last line."""
    comments = piece.comments
    lines = [Line(indent, "", comment) for comment in comments.before]
    end = [Line(indent + INDENT * bool(piece.closing), "", comment) for comment in comments.end]
    text = piece.on_one_line()
    if text is not None and (indent + len(text) + reserved <= WIDTH or not piece.items):
        return [*lines, Line(indent, text, comments.after), *end]
    lines.append(Line(indent, piece.opening, comments.opening))
    for item in piece.items[:-1]:
        lines += break_lines(item, indent + INDENT, len(piece.separator))
        lines[-1] = replace(lines[-1], text=lines[-1].text + piece.separator)
    for item in piece.items[-1:]:
        lines += break_lines(item, indent + INDENT, len(piece.closing) + reserved)
    return _closed([*lines, *end], piece, indent)


def _closed(lines: Sequence[Line], piece: Group, indent: int) -> list[Line]:
    """Return a piece's lines with its closing, and what comes after, on the last line of text."""
    *others, last = lines
    after = piece.comments.after
    if last.text and not last.comment:
        return [*others, replace(last, text=last.text + piece.closing, comment=after)]
    if piece.closing or after:
        return [*lines, Line(indent, piece.closing, after)]
    return list(lines)
