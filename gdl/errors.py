"""The errors of the package: the exception tree, and problems with their positions in the text.

::

    GdlError
     ├── GdlSyntaxError        the text is not GDL; carries every problem found
     ├── RulesetError          the rules cannot be given a meaning (no roles, negation in a cycle)
     ├── ResourceLimitError    the rules ask for more time, memory or depth than allowed
     │    └── GroundingLimitError   grounding would; the reasoner can still play the game
     ├── OpeningError          no position can be found from which a match could begin
     ├── MissingLibraryError   an optional library is not installed; says how to install it
     ├── DeviceError           there is no such GPU, or it fails: no driver, no memory, too old
     └── MoveError             a joint move or a role that does not fit the game
          └── IllegalActionError   an action that is not legal, among those of many lanes
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeAlias

Span: TypeAlias = tuple[int, int]
"""The offsets of the start and the end of a piece of a rulesheet's text."""

LINE_END = re.compile(r"\r\n|\r|\n")


@lru_cache(maxsize=4)
def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in LINE_END.finditer(text))]


class Severity(StrEnum):
    """How bad a problem is: errors make a rulesheet unplayable, warnings do not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a rulesheet: what, and where.

    ``code`` is stable and meant for programs; ``span`` holds offsets into the text.
    """

    severity: Severity
    code: str
    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Source:
    """A rulesheet's text and its name, such as the file's; turns offsets into positions."""

    text: str
    name: str = "<rulesheet>"

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both counted from 1."""
        starts = _line_starts(self.text)
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def excerpt(self, span: Span, width: int = 100) -> str:
        """Quote the line in which the span begins, with carets under the span."""
        start, end = span
        line_start = start - self.position(start)[1] + 1
        end_of_line = LINE_END.search(self.text, start)
        line_end = end_of_line.start() if end_of_line else len(self.text)
        left = max(line_start, min(start - width // 2, line_end - width))
        shown = self.text[left : min(line_end, left + width)]
        line = "".join(character if character.isprintable() else " " for character in shown)
        carets = max(1, min(end, left + len(line)) - start)
        return f"  {line}\n  {' ' * (start - left)}{'^' * carets}"

    def describe(self, problem: Problem) -> str:
        """Describe the problem as compilers do, with the offending line and carets."""
        line, column = self.position(problem.span[0])
        head = (
            f"{self.name}:{line}:{column}: {problem.severity}: {problem.message} [{problem.code}]"
        )
        return f"{head}\n{self.excerpt(problem.span)}"


def counted(number: int, noun: str) -> str:
    """Write a number with its noun, as in ``no arguments`` and ``1 argument``."""
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


class GdlError(Exception):
    """The root of all errors that this package raises on purpose."""


class GdlSyntaxError(GdlError):
    """The text cannot be read as GDL. ``problems`` lists every mistake, in text order."""

    def __init__(self, source: Source, problems: tuple[Problem, ...]) -> None:
        self.source = source
        self.problems = problems
        super().__init__("\n".join(source.describe(problem) for problem in problems))


class RulesetError(GdlError):
    """The rules can be read but have no meaning as a game."""


class ResourceLimitError(GdlError):
    """A rulesheet asks for more than the stated bound; the message names the bound."""


class GroundingLimitError(ResourceLimitError):
    """Grounding the rules would exceed the budget; the reasoner can still play the game."""


class OpeningError(GdlError):
    """No position was found from which a match can begin; the message says what was tried."""


class MissingLibraryError(GdlError):
    """A library that is optional is not installed; the message says how to install it."""


def optional_library(name: str, message: str) -> Any:  # noqa: ANN401
    """Import a library that is optional; raises :class:`MissingLibraryError` with the message."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingLibraryError(message) from error


class DeviceError(GdlError):
    """There is no such GPU, or it fails; says why."""


class MoveError(GdlError):
    """A joint move has the wrong length, or a role is not one of the game's."""


class IllegalActionError(MoveError):
    """An action, by number, that is not legal in one of many lanes. Nothing was changed.

    ``lane`` and ``column`` say whose it is, ``action`` what was given, ``legal`` what would be.
    """

    def __init__(self, lane: int, column: int, action: int, legal: tuple[int, ...]) -> None:
        self.lane, self.column, self.action, self.legal = lane, column, action, legal
        allowed = ", ".join(map(str, legal)) or "none"
        super().__init__(f"lane {lane}: action {action} is not legal; legal: {allowed}")
