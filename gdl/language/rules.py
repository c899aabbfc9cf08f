"""Terms and rules: what a rulesheet says, as immutable values, and how to walk them.

A term is a constant, a variable or a function of terms. A rule is ``head <= body``; the body is a
conjunction of literals. A literal is an atom, a negation, a disjunction, a conjunction or an
inequality of terms. A rule without a body is a fact. ``str`` of any of these is KIF with single
spaces, and reads back as an equal value. So is the ``repr`` of a term::

    >>> str(Function("mark", (Constant("1"), Variable("n"))))
    '(mark 1 ?n)'
    >>> [Constant("noop"), Function("drop", (Constant("4"),))]
    [noop, (drop 4)]

Numbers are constants like any other: ``1`` and ``01`` are different terms.

The span, the offsets ``(start, end)`` of the text that a value was read from, is for error messages
and takes no part in comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TypeAlias

from gdl.errors import Problem, Source, Span


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


RelationKey: TypeAlias = tuple[str, int]
"""A relation's name and arity: one name with two arities is two relations."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation applied to terms, such as ``(true (cell 1 1 b))`` or ``terminal``."""

    name: str
    args: tuple[Term, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)
    relation: RelationKey = field(init=False, compare=False, repr=False)
    """The relation that the atom belongs to."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "relation", (self.name, len(self.args)))

    def __str__(self) -> str:
        return f"({self.name} {' '.join(map(str, self.args))})" if self.args else self.name

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Not:
    """The negation of a literal: it holds if the literal cannot be proved."""

    literal: Literal
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"(not {self.literal})"

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Or:
    """A disjunction of literals."""

    literals: tuple[Literal, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return _form("or", self.literals)

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class And:
    """A conjunction of literals inside another connective."""

    literals: tuple[Literal, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return _form("and", self.literals)

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Distinct:
    """The inequality of two terms, which are compared syntactically."""

    left: Term
    right: Term
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"(distinct {self.left} {self.right})"

    __repr__ = __str__


Literal: TypeAlias = Atom | Not | Or | And | Distinct

Leaf: TypeAlias = Atom | Distinct
"""What connectives are applied to."""


@dataclass(frozen=True, slots=True)
class Rule:
    """``head`` holds if every literal of ``body`` does; a rule without a body is a fact."""

    head: Atom
    body: tuple[Literal, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        # A fact without arguments needs its parentheses: a bare word is not a form.
        head = str(self.head) if self.head.args or self.body else f"({self.head})"
        return _form("<=", (self.head, *self.body)) if self.body else head

    __repr__ = __str__


def _form(name: str, parts: Iterable[object]) -> str:
    return f"({' '.join([name, *map(str, parts)])})"


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules of a rulesheet in the order of the text.

    ``spellings`` maps each name in lower case to its first spelling in the text: names that differ
    only in case are the same. ``warnings`` are the harmless oddities that the parser found.
    """

    rules: tuple[Rule, ...]
    source: Source = field(default=Source(""), compare=False, repr=False)
    spellings: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    warnings: tuple[Problem, ...] = field(default=(), compare=False, repr=False)

    @property
    def roles(self) -> tuple[Constant, ...]:
        """The roles stated as facts, in the order in which joint moves list them."""
        stated = (rule.head for rule in self.rules if not rule.body)
        names = (head.args[0] for head in stated if head.relation == ("role", 1))
        return tuple(dict.fromkeys(name for name in names if isinstance(name, Constant)))

    def __str__(self) -> str:
        return "\n".join(map(str, self.rules))

    @property
    def has_percepts(self) -> bool:
        """Whether the rules say what roles see (``sees``): GDL-II, with hidden information."""
        return any(rule.head.relation == ("sees", 2) for rule in self.rules)

    @property
    def game(self) -> str:
        """The name of the game: that of the file of the rules, without folder and ending."""
        return PurePath(self.source.name).stem

    def __repr__(self) -> str:
        roles = ", ".join(map(str, self.roles))
        return f"<ruleset {self.game}: {len(self.rules)} rules for {roles or 'no roles'}>"

    def spell(self, term: Term) -> Term:
        """Return the term with every name as the rulesheet first spelled it."""
        if isinstance(term, Function):
            return Function(self._spelling(term.name), tuple(map(self.spell, term.args)))
        return type(term)(self._spelling(term.name))

    def _spelling(self, name: str) -> str:
        return self.spellings.get(name.lower(), name)


def check_ruleset(ruleset: object) -> None:
    """Raise TypeError for what is no ruleset, such as text that was not parsed."""
    if not isinstance(ruleset, Ruleset):
        found = type(ruleset).__name__
        raise TypeError(f"expected a ruleset, from gdl.parse or gdl.load, found {found}")


def terms_of(leaf: Leaf) -> tuple[Term, ...]:
    """Return the arguments of an atom, or the two sides of an inequality."""
    return leaf.args if isinstance(leaf, Atom) else (leaf.left, leaf.right)


def leaves_of(literal: Literal, positive: bool = True) -> list[tuple[Leaf, bool]]:
    """Return every atom and inequality in a literal with True, or False where it is negated."""
    if isinstance(literal, Atom | Distinct):
        return [(literal, positive)]
    if isinstance(literal, Not):
        return leaves_of(literal.literal, not positive)
    return [leaf for part in literal.literals for leaf in leaves_of(part, positive)]


def atoms_of(*literals: Literal) -> list[tuple[Atom, bool]]:
    """Return every atom in literals with True, or False where it is negated."""
    leaves = (leaf for literal in literals for leaf in leaves_of(literal))
    return [(leaf, positive) for leaf, positive in leaves if isinstance(leaf, Atom)]


def body_atoms(rule: Rule) -> list[tuple[Atom, bool]]:
    """Return every atom in a rule's body with True, or False where it is negated."""
    return atoms_of(*rule.body)


def named_in(rule: Rule) -> Iterator[Atom | Term]:
    """Yield the atoms and terms of a rule, all of which have names, from left to right."""
    for literal in (rule.head, *rule.body):
        for leaf, _ in leaves_of(literal):
            if isinstance(leaf, Atom):
                yield leaf
            for term in terms_of(leaf):
                yield from _with_arguments(term)


def _with_arguments(term: Term) -> Iterator[Term]:
    yield term
    if isinstance(term, Function):
        for argument in term.args:
            yield from _with_arguments(argument)


def variables_in(literal: Literal) -> list[Variable]:
    """Return every occurrence of a variable in the literal, from left to right."""
    if isinstance(literal, Atom):
        return variables_of(*literal.args)
    return variables_of(*(term for leaf, _ in leaves_of(literal) for term in terms_of(leaf)))


def names_by_argument(literals: Iterable[Literal]) -> list[list[list[str]]]:
    """Return the names of the variables in each argument of each literal.

    A literal that is no atom has one list, of all its variables.
    """
    return [
        [[variable.name for variable in variables_of(term)] for term in literal.args]
        if isinstance(literal, Atom)
        else [[variable.name for variable in variables_in(literal)]]
        for literal in literals
    ]


def map_leaves(literal: Literal, function: Callable[[Leaf], Literal]) -> Literal:
    """Replace every atom and inequality in a literal by what ``function`` makes of it."""
    if isinstance(literal, Atom | Distinct):
        return function(literal)
    if isinstance(literal, Not):
        return Not(map_leaves(literal.literal, function), literal.span)
    parts = tuple(map_leaves(part, function) for part in literal.literals)
    return type(literal)(parts, literal.span)


def map_atoms(literal: Literal, function: Callable[[Atom], Atom]) -> Literal:
    """Replace every atom in a literal by what ``function`` makes of it."""
    return map_leaves(literal, lambda leaf: function(leaf) if isinstance(leaf, Atom) else leaf)


def map_terms(literal: Literal, function: Callable[[Term], Term]) -> Literal:
    """Replace the arguments of every atom and inequality by what ``function`` makes of them."""

    def replaced(leaf: Leaf) -> Literal:
        if isinstance(leaf, Atom):
            return Atom(leaf.name, tuple(map(function, leaf.args)), leaf.span)
        return Distinct(function(leaf.left), function(leaf.right), leaf.span)

    return map_leaves(literal, replaced)


def substitute(literal: Literal, bindings: Substitution) -> Literal:
    """Replace the variables of a literal by the terms that they are bound to."""
    return map_terms(literal, lambda term: substitute_term(term, bindings))


def substitute_rule(rule: Rule, bindings: Substitution) -> Rule:
    """Replace the variables of a rule by the terms that they are bound to."""
    head = substitute(rule.head, bindings)
    assert isinstance(head, Atom)
    return Rule(head, tuple(substitute(literal, bindings) for literal in rule.body), rule.span)


def names_in(literals: Iterable[Literal]) -> set[str]:
    """Return the names of the variables that occur in the literals."""
    return {variable.name for literal in literals for variable in variables_in(literal)}


def names_in_order(literals: Iterable[Literal]) -> list[str]:
    """Return the names of the variables in the literals, each once, where it occurs first."""
    return list(dict.fromkeys(v.name for literal in literals for v in variables_in(literal)))


def holds_distinct_variables(atom: Atom) -> bool:
    """Return True if the atom has arguments and they are different variables."""
    return len(set(atom.args)) == len(atom.args) > 0 and all(
        isinstance(term, Variable) for term in atom.args
    )


def by_relation(rules: Iterable[Rule]) -> dict[RelationKey, list[Rule]]:
    """Group the rules by the relation that they define, in their order."""
    found: dict[RelationKey, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.head.relation, []).append(rule)
    return found
