"""The pretty-printer: breaks nested text into lines, with the comments that belong to it.

The text is a tree of groups, as in D. Oppen, Prettyprinting (1980). A :class:`Group` has an
opening, items and a closing. It is written on one line if it fits and has no comment inside;
otherwise every item is on a line of its own, indented below the opening, and the closing ends the
last line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

WIDTH = 100
"""How many characters a line may have, unless it cannot be broken."""

INDENT = 2
"""How many blanks further to the right items are than their opening."""


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments that belong to a group, each with its marker and without its line break."""

    before: tuple[str, ...] = ()
    """On lines of their own, above the group."""
    opening: str = ""
    """Behind the opening."""
    end: tuple[str, ...] = ()
    """On lines of their own, below the last item and above the closing if there is one."""
    after: str = ""
    """Behind the closing."""


NO_COMMENTS = Comments()


@dataclass(frozen=True, slots=True)
class Group:
    """Text that can be broken into lines."""

    opening: str
    items: tuple[Group, ...] = ()
    closing: str = ""
    gap: str = ""
    """Written between the opening and the first item on one line."""
    separator: str = ""
    """Written after each item but the last."""
    space: str = " "
    """Written between two items on one line, after the separator."""
    broken: bool = False
    """Whether the items are always on lines of their own."""
    comments: Comments = NO_COMMENTS

    def on_one_line(self) -> str | None:
        """Return the group as one line, None if it has to be broken.

        Comments above and behind the group are left to the caller.
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


def break_lines(group: Group, indent: int = 0, reserved: int = 0) -> list[Line]:
    """Break a group into lines; its last line is to have room for ``reserved`` characters more."""
    comments = group.comments
    lines = [Line(indent, "", comment) for comment in comments.before]
    end = [Line(indent + INDENT * bool(group.closing), "", comment) for comment in comments.end]
    text = group.on_one_line()
    if text is not None and (indent + len(text) + reserved <= WIDTH or not group.items):
        return [*lines, Line(indent, text, comments.after), *end]
    lines.append(Line(indent, group.opening, comments.opening))
    for item in group.items[:-1]:
        lines += _separated(break_lines(item, indent + INDENT, len(group.separator)), group)
    for item in group.items[-1:]:
        lines += break_lines(item, indent + INDENT, len(group.closing) + reserved)
    return _closed([*lines, *end], group, indent)


def _separated(lines: Sequence[Line], group: Group) -> list[Line]:
    """Add the separator to the last line of an item that has text: comments may come after it."""
    last = max(index for index, line in enumerate(lines) if line.text)
    separated = replace(lines[last], text=lines[last].text + group.separator)
    return [*lines[:last], separated, *lines[last + 1 :]]


def _closed(lines: Sequence[Line], group: Group, indent: int) -> list[Line]:
    """Add the closing, and the comment behind it, to the last line of a group."""
    *others, last = lines
    after = group.comments.after
    if last.text and not last.comment:
        return [*others, replace(last, text=last.text + group.closing, comment=after)]
    if group.closing or after:
        return [*lines, Line(indent, group.closing, after)]
    return list(lines)
