"""The context that every check of a ruleset gets: its dependency graph, levels and cycles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gdl.datalog import (
    dependency_graph,
    is_recursive,
    levels,
    shortest_path,
    strongly_connected_components,
)
from gdl.errors import Problem, Severity, Source, Span
from gdl.language import Level, RelationKey, Ruleset

_COMMENT_OR_WORD = re.compile(r";[^\r\n]*|[^\s(),;]+")
_OPENING = re.compile(r"[\s(]*")

MAX_SHOWN = 10
"""The most relations of a chain that a message shows."""


@dataclass(frozen=True, slots=True)
class CheckContext:
    """A ruleset with its dependency graph and what follows from that.

    ``cycle_of`` maps each recursive relation to the number of its cycle. ``unread`` are the words,
    in lower case, of the text that could not be read: a rule with a mistake in it is not missing.
    """

    ruleset: Ruleset
    graph: Mapping[RelationKey, Mapping[RelationKey, bool]]
    level: Mapping[RelationKey, Level]
    cycle_of: Mapping[RelationKey, int]
    unread: frozenset[str]

    @classmethod
    def of(cls, ruleset: Ruleset, *, complete: bool = True) -> CheckContext:
        """Analyse a ruleset; ``complete`` says whether all of its text could be read."""
        graph = dependency_graph(ruleset.rules)
        components = strongly_connected_components(graph)
        cycles = (component for component in components if is_recursive(graph, component))
        numbers = {relation: number for number, cycle in enumerate(cycles) for relation in cycle}
        unread = frozenset[str]() if complete else frozenset(_unread_words(ruleset))
        return cls(ruleset, graph, levels(graph, components), numbers, unread)

    def in_cycle(self, one: RelationKey, other: RelationKey) -> bool:
        """Return True if each of the relations is defined through the other."""
        return one in self.cycle_of and self.cycle_of[one] == self.cycle_of.get(other)

    def chain(self, origin: RelationKey, target: RelationKey) -> str:
        """Describe a shortest chain by which the origin is defined through the target."""
        return _joined([origin, *shortest_path(self.graph, origin, target)])

    def cycle(self, relation: RelationKey, through: RelationKey) -> str:
        """Describe a shortest cycle from a relation through another and back."""
        path = [relation, *shortest_path(self.graph, relation, through)]
        if relation != through:
            path += shortest_path(self.graph, through, relation)
        return _joined(path)


def _joined(relations: Sequence[RelationKey]) -> str:
    names = [name for name, _ in relations]
    if len(names) > MAX_SHOWN:
        names = [*names[: MAX_SHOWN - 2], "...", names[-1]]
    return " -> ".join(names)


def _unread_words(ruleset: Ruleset) -> Iterator[str]:
    text, last = ruleset.source.text, 0
    spans = [rule.span for rule in ruleset.rules if rule.span is not None]
    for start, end in [*spans, (len(text), len(text))]:
        for match in _COMMENT_OR_WORD.finditer(text, last, start):
            if not match.group().startswith(";"):
                yield match.group().lower()
        last = end


def error(code: str, message: str, span: Span | None) -> Problem:
    """Return an error; without a span, as in rules made without a text, it is at the beginning."""
    return Problem(Severity.ERROR, code, message, span or (0, 0))


def warning(code: str, message: str, span: Span | None) -> Problem:
    """Return a warning; without a span, as in rules made without a text, it is at the beginning."""
    return Problem(Severity.WARNING, code, message, span or (0, 0))


def name_span(source: Source, name: str, span: Span | None) -> Span | None:
    """Return the span of the name with which the form or word at the span begins."""
    if span is None:
        return None
    opening = _OPENING.match(source.text, *span)
    start = opening.end() if opening else span[0]
    end = start + len(name)
    return (start, end) if source.text[start:end].lower() == name.lower() else span
