"""Terms: constants, variables and functions, as immutable values.

A term's ``str`` is KIF with single spaces, and reads back as an equal term. So is its ``repr``::

    >>> str(Function("mark", (Constant("1"), Variable("n"))))
    '(mark 1 ?n)'
    >>> [Constant("noop"), Function("drop", (Constant("4"),))]
    [noop, (drop 4)]

Numbers are constants like any other: ``1`` and ``01`` are different terms.
The span, the offsets ``(start, end)`` of the text that a term was read from, is for error messages
and takes no part in comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gdl.errors import Span


@dataclass(frozen=True, slots=True)
class Constant:
    """An object constant, such as ``noop``, ``white`` or ``100``."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; its name has no question mark."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"?{self.name}"

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Function:
    """A function applied to one or more terms, such as ``(cell 1 1 b)``."""

    name: str
    args: tuple[Term, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"({self.name} {' '.join(map(str, self.args))})"

    __repr__ = __str__


Term: TypeAlias = Constant | Variable | Function

Substitution: TypeAlias = Mapping[str, Term]
"""Terms for variables, by the variables' names."""


def variables_of(*terms: Term) -> list[Variable]:
    """Return every occurrence of a variable in the terms, from left to right."""
    found: list[Variable] = []
    for term in terms:
        if isinstance(term, Variable):
            found.append(term)
        elif isinstance(term, Function):
            found += variables_of(*term.args)
    return found


def is_ground(term: Term) -> bool:
    """Return True if the term holds no variable."""
    return not variables_of(term)


def substitute_term(term: Term, bindings: Substitution) -> Term:
    """Replace the variables of a term by the terms that they are bound to."""
    if isinstance(term, Variable):
        return bindings.get(term.name, term)
    if isinstance(term, Function):
        args = tuple(substitute_term(argument, bindings) for argument in term.args)
        return Function(term.name, args, term.span)
    return term
