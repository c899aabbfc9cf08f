"""Domains: which values an argument can take, found from the rules alone.

The analysis looks one level deep: for each argument of a relation, and for each argument of a
function wherever it occurs, it collects the constants and the function names that may occur there.
It starts from nothing and applies the rules up to a fixpoint, so that a value that no chain of
rules can produce is not in the domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from gdl.language import Atom, Constant, Function, Rule, Term, Variable

FunctionKey: TypeAlias = tuple[str, int]
"""A function's name and number of arguments."""


class ArgumentPosition(NamedTuple):
    """An argument, counted from 0, of a relation or of a function."""

    is_relation: bool
    name: str
    arity: int
    column: int


@dataclass(slots=True)
class Domain:
    """The constants, by name, and the functions that can occur at a position."""

    constants: set[str] = field(default_factory=set)
    functions: set[FunctionKey] = field(default_factory=set)

    @classmethod
    def of(cls, term: Term) -> Domain:
        """Return the domain of one term by its top symbol; that of a variable is empty."""
        if isinstance(term, Constant):
            return cls({term.name})
        return cls(set(), {(term.name, len(term.args))}) if isinstance(term, Function) else cls()

    def __len__(self) -> int:
        return len(self.constants) + len(self.functions)

    def __and__(self, other: Domain) -> Domain:
        return Domain(self.constants & other.constants, self.functions & other.functions)

    def add(self, other: Domain) -> bool:
        """Add the other's values, and return True if any was new."""
        before = len(self)
        self.constants |= other.constants
        self.functions |= other.functions
        return len(self) > before

    def admits(self, term: Term) -> bool:
        """Check whether the term can occur here, by its top symbol; variables always can."""
        if isinstance(term, Constant):
            return term.name in self.constants
        if isinstance(term, Function):
            return (term.name, len(term.args)) in self.functions
        return True


EMPTY_DOMAIN = Domain()
"""The domain without values; not to be changed."""

Domains: TypeAlias = Mapping[ArgumentPosition, Domain]
"""The domain of each argument that can have a value."""

MATCH_FLOWS = (
    (ArgumentPosition(True, "init", 1, 0), ArgumentPosition(True, "true", 1, 0)),
    (ArgumentPosition(True, "next", 1, 0), ArgumentPosition(True, "true", 1, 0)),
    (ArgumentPosition(True, "legal", 2, 0), ArgumentPosition(True, "does", 2, 0)),
    (ArgumentPosition(True, "legal", 2, 1), ArgumentPosition(True, "does", 2, 1)),
)
"""What a match carries over: next facts become true, legal moves are done."""


Placed: TypeAlias = tuple[ArgumentPosition, Term]
"""A term with the position at which it stands."""


def positions(*atoms: Atom) -> list[Placed]:
    """Return every argument of atoms, also inside functions, with its position."""
    return [placed for atom in atoms for placed in _positions(True, atom.name, atom.args)]


def _positions(is_relation: bool, name: str, args: tuple[Term, ...]) -> list[Placed]:
    found: list[Placed] = []
    for column, term in enumerate(args):
        found.append((ArgumentPosition(is_relation, name, len(args), column), term))
        if isinstance(term, Function):
            found += _positions(False, term.name, term.args)
    return found


Flow: TypeAlias = tuple[ArgumentPosition, ArgumentPosition]
"""Whatever occurs at the first position may later occur at the second."""


def domains_of(
    rules: Sequence[Rule],
    flows: Iterable[Flow] = MATCH_FLOWS,
    known: Domains = MappingProxyType({}),
) -> Domains:
    """Find the domain of every position that some chain of rules can fill.

    ``rules`` are in normal form; with definitions before their uses they take fewer rounds. The
    ``known`` domains are taken as they are, whatever the rules derive.
    """
    flows = tuple(flows)
    found = {position: Domain() for position in known}
    for position, domain in known.items():
        found[position].add(domain)
    for rule in rules:
        if not rule.body:
            _contribute(positions(rule.head), {}, found)
    pending = [(positions(rule.head), _binding(rule)) for rule in rules if rule.body]
    changed = True
    while changed:
        changed = _flow(found, flows)
        for head, body in pending:
            values = _values(body, found)
            if values is not None and _contribute(head, values, found):
                changed = True
    return found | dict(known)


def variable_domains(rule: Rule, found: Domains) -> dict[str, Domain] | None:
    """Find the domain of each variable of a normal rule; None if the body can never hold."""
    return _values(_binding(rule), found)


def _binding(rule: Rule) -> list[Placed]:
    """Return the arguments that bind the variables of a normal rule."""
    return positions(*(part for part in rule.body if isinstance(part, Atom)))


def _values(body: list[Placed], found: Domains) -> dict[str, Domain] | None:
    values: dict[str, Domain] = {}
    for position, term in body:
        domain = found.get(position, EMPTY_DOMAIN)
        if isinstance(term, Variable):
            known = values.get(term.name)
            if known is not None:
                domain = known & domain
            values[term.name] = domain
            if not domain:
                return None
        elif not domain.admits(term):
            return None
    return values


def _contribute(
    head: list[Placed], values: Mapping[str, Domain], found: dict[ArgumentPosition, Domain]
) -> bool:
    changed = False
    for position, term in head:
        domain = found.setdefault(position, Domain())
        changed |= domain.add(values[term.name] if isinstance(term, Variable) else Domain.of(term))
    return changed


def _flow(found: dict[ArgumentPosition, Domain], flows: Iterable[Flow]) -> bool:
    changed = False
    for origin, target in flows:
        if origin in found:
            changed |= found.setdefault(target, Domain()).add(found[origin])
    return changed
