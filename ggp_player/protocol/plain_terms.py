"""Reads the terms that moves nearly always are: names of letters, digits and _, in parentheses.

A game manager waits while its moves are parsed, and the parser of the language takes some 30 us for
each character, to be exact about mistakes. This one takes a fiftieth of that, and says nothing of
texts that are not plain: the parser has to read those.
"""

from __future__ import annotations

import re

from gdl import Constant, Function, Term
from gdl.language import KEYWORDS

MAX_NESTING = 100
"""Parentheses within each other; deeper terms are not plain."""

_PLAIN = re.compile(r"[\s\w()]*", re.ASCII)
_TOKEN = re.compile(r"[()]|\w+", re.ASCII)
_PLAIN_INFIX = re.compile(r"[a-z0-9][\w(),]*", re.ASCII)
_BAD_INFIX = re.compile(r"(?<!\w)[A-Z_]|[(,][),]|\)[\w(]|,\(|\(\(|,$", re.ASCII)
_APPLICATION = re.compile(r"(\w+)\(", re.ASCII)
_NOT_PLAIN = frozenset({"and", "distinct", "not", "or", *KEYWORDS})


def plain_term(text: str) -> Term | None:
    """Parse a plain term in parentheses; return None for any other text."""
    if not text.startswith("(") or _PLAIN.fullmatch(text) is None:
        return None
    opened: list[list[Term | str]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            opened.append([])
        elif token != ")":
            opened[-1].append(token)
        elif len(opened) == 1 or (term := _term(opened.pop())) is None:
            return None
        else:
            opened[-1].append(term)
        if len(opened) > MAX_NESTING or len(opened[0]) > 1:
            return None
    read = opened[0][0] if len(opened) == 1 else None
    return None if isinstance(read, str) else read


def plain_infix_term(text: str) -> Term | None:
    """Parse a plain term in infix, ``mark(1,1)`` or ``noop``; return None for any other text."""
    text = text.replace(", ", ",")
    if _PLAIN_INFIX.fullmatch(text) is None or _BAD_INFIX.search(text) is not None:
        return None
    if "(" not in text:
        return Constant(text) if "," not in text and ")" not in text else None
    # The same term in prefix: a name moves behind its parenthesis, and commas become blanks.
    return plain_term(_APPLICATION.sub(r"(\1 ", text).replace(",", " "))


def _term(items: list[Term | str]) -> Term | None:
    """Make a term of a list, whose words are still text; None where it is not plain."""
    words = {item.lower() for item in items if isinstance(item, str)}
    name = items[0] if items else None
    if not isinstance(name, str) or not _NOT_PLAIN.isdisjoint(words):
        return None
    arguments = tuple(Constant(item) if isinstance(item, str) else item for item in items[1:])
    return Function(name, arguments) if arguments else Constant(name)
