"""Ground dependencies: which ground atoms a ground atom may depend on, found from the rules alone.

The rules are instantiated over a delete relaxation of the game: negations never fail, facts once
true stay true, and every legal move is made. All that can hold in some state of some match holds
there. The ground rules are the instances whose positive atoms hold in the relaxation.

A relation that no rule defines is taken to hold for one nameless object, which matches everything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from gdl.datalog import SymbolTable, dependency_graph, expand_all, ids_of, key_of, reachable
from gdl.errors import ResourceLimitError
from gdl.language import (
    Atom,
    Constant,
    Distinct,
    Literal,
    Not,
    RelationKey,
    Rule,
    Term,
    Variable,
)

NAMELESS = Constant("?any")
"""What undefined relations hold for; no constant of a rulesheet has such a name."""

MAX_CLAUSES = 256
"""How many clauses one rule may become when its disjunctions are expanded."""

MAX_ATOMS = 200
"""The most atoms in the body of a clause."""

GroundAtom: TypeAlias = tuple[RelationKey, tuple[int, ...]]
"""A relation and the ids of its arguments."""

_FACT = Variable("fact")
_MATCH = (
    Rule(Atom("true", (_FACT,)), (Atom("init", (_FACT,)),)),
    Rule(Atom("true", (_FACT,)), (Atom("next", (_FACT,)),)),
    Rule(
        Atom("does", (Variable("role"), Variable("move"))),
        (Atom("legal", (Variable("role"), Variable("move"))),),
    ),
)
"""The course of a match, as rules."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule without disjunctions, the literals of its body sorted by kind."""

    head: Atom
    positive: tuple[Atom, ...]
    negative: tuple[Atom, ...]
    tests: tuple[Distinct | Not, ...]


@dataclass(frozen=True, slots=True)
class GroundRule:
    """An instance of a clause: its head and its body's atoms, in the order of the clause."""

    clause: Clause
    head: GroundAtom
    positive: tuple[GroundAtom, ...]
    negative: tuple[GroundAtom, ...]


def clauses_of(rule: Rule) -> list[Clause]:
    """Expand the disjunctions of a rule.

    Raises :class:`gdl.ResourceLimitError` if the clauses are too many or too long.
    """
    expanded = list(islice(expand_all(rule), MAX_CLAUSES + 1))
    if len(expanded) > MAX_CLAUSES:
        raise ResourceLimitError(f"the disjunctions of a rule make over {MAX_CLAUSES} clauses")
    return [_clause(simple.head, simple.body) for simple in expanded]


def _clause(head: Atom, literals: Iterable[Literal]) -> Clause:
    positive, negative = list[Atom](), list[Atom]()
    tests = list[Distinct | Not]()
    for literal in literals:
        if isinstance(literal, Atom):
            positive.append(literal)
        elif isinstance(literal, Not) and isinstance(literal.literal, Atom):
            negative.append(literal.literal)
        elif isinstance(literal, Not | Distinct):
            tests.append(literal)
    if len(positive) > MAX_ATOMS:
        raise ResourceLimitError(f"a rule for '{head.name}' has over {MAX_ATOMS} atoms")
    return Clause(head, tuple(positive), tuple(negative), tuple(tests))


class _Table:
    """The known rows of a relation, indexed by column and value."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, ...]] = []
        self.rows_with: dict[tuple[int, int], list[tuple[int, ...]]] = defaultdict(list)

    def add(self, row: tuple[int, ...]) -> None:
        self.rows.append(row)
        for column, value in enumerate(row):
            self.rows_with[column, value].append(row)


@dataclass(slots=True)
class StepBudget:
    """How many more steps may be taken; several instantiations can share one budget."""

    steps: int

    def spend(self, steps: int) -> None:
        """Take steps, or raise :class:`gdl.ResourceLimitError` if none are left."""
        self.steps -= steps
        if self.steps < 0:
            raise ResourceLimitError("the ground rules are too many to look at all of them")


class GroundDependencies:
    """Instantiates safe rules by forward chaining, one new atom at a time.

    ``wanted`` are the relations whose ground rules are reported. Every rule and every comparison of
    an atom with a row takes a step of the budget.
    """

    def __init__(
        self, rules: Sequence[Rule], wanted: Collection[RelationKey], budget: StepBudget
    ) -> None:
        budget.spend(len(rules))
        self._symbols = SymbolTable()
        self._nameless = self._symbols.encode(NAMELESS)
        self._wanted = wanted
        self._spend = budget.spend
        self._tables: dict[RelationKey, _Table] = defaultdict(_Table)
        self._seen: set[GroundAtom] = set()
        self._worklist: list[GroundAtom] = []
        self._clauses = list(_clauses_for(wanted, [*rules, *_MATCH]))
        self._uses: dict[RelationKey, list[tuple[Clause, int]]] = defaultdict(list)
        for clause in self._clauses:
            for index, atom in enumerate(clause.positive):
                self._uses[atom.relation].append((clause, index))

    def ground_rules(self) -> Iterator[GroundRule]:
        """Yield the ground rules for the wanted relations, some of them more than once."""
        for clause in self._clauses:
            if not clause.positive:
                yield from self._conclude(clause, {})
        while self._worklist:
            relation, row = self._worklist.pop()
            self._tables[relation].add(row)
            for clause, index in self._uses[relation]:
                bindings: dict[str, int] = {}
                if self._matches(clause.positive[index].args, row, bindings):
                    others = clause.positive[:index] + clause.positive[index + 1 :]
                    for solution in self._solutions(others, bindings):
                        yield from self._conclude(clause, solution)

    def _conclude(self, clause: Clause, bindings: Mapping[str, int]) -> Iterator[GroundRule]:
        if not all(self._passes(test, bindings) for test in clause.tests):
            return
        head = self._atom(clause.head, bindings)
        if head not in self._seen:
            self._seen.add(head)
            self._worklist.append(head)
        if clause.head.relation in self._wanted:
            positive = tuple(self._atom(atom, bindings) for atom in clause.positive)
            negative = tuple(self._atom(atom, bindings) for atom in clause.negative)
            yield GroundRule(clause, head, positive, negative)

    def _passes(self, test: Distinct | Not, bindings: Mapping[str, int]) -> bool:
        inequality = test.literal if isinstance(test, Not) else test
        assert isinstance(inequality, Distinct)
        left, right = (self._id(t, bindings) for t in (inequality.left, inequality.right))
        if self._nameless in (left, right):
            return True
        return (left == right) == isinstance(test, Not)

    def _solutions(
        self, atoms: tuple[Atom, ...], bindings: dict[str, int]
    ) -> Iterator[dict[str, int]]:
        """Yield the bindings under which all the atoms hold, the rarest atom matched first."""
        if not atoms:
            yield bindings
            return
        choices = [self._candidates(atom, bindings) for atom in atoms]
        best = min(range(len(atoms)), key=lambda index: len(choices[index]))
        others = atoms[:best] + atoms[best + 1 :]
        for row in choices[best]:
            extended = dict(bindings)
            if self._matches(atoms[best].args, row, extended):
                yield from self._solutions(others, extended)

    def _candidates(self, atom: Atom, bindings: Mapping[str, int]) -> Sequence[tuple[int, ...]]:
        """Look up the rows that may match the atom by its most selective bound argument."""
        self._spend(1)
        table = self._tables[atom.relation]
        best: Sequence[tuple[int, ...]] = table.rows
        for column, term in enumerate(atom.args):
            value = self._known(term, bindings)
            if value is not None and value != self._nameless:
                rows = table.rows_with.get((column, value), [])
                nameless = table.rows_with.get((column, self._nameless), [])
                if len(rows) + len(nameless) < len(best):
                    best = rows + nameless if nameless else rows
        return best

    def _known(self, term: Term, bindings: Mapping[str, int]) -> int | None:
        if isinstance(term, Variable):
            return bindings.get(term.name)
        return self._symbols.constant(term.name) if isinstance(term, Constant) else None

    def _matches(
        self, terms: Iterable[Term], values: Iterable[int], bindings: dict[str, int]
    ) -> bool:
        """Match terms with values and bind their variables; return False if they do not match."""
        self._spend(1)
        pairs = zip(terms, values, strict=True)
        return all(self._matches_one(term, value, bindings) for term, value in pairs)

    def _matches_one(self, term: Term, value: int, bindings: dict[str, int]) -> bool:
        nameless = self._nameless
        if isinstance(term, Variable):
            known = bindings.get(term.name, nameless)
            if known == nameless:
                bindings[term.name] = value
            return nameless in (known, value) or known == value
        if isinstance(term, Constant):
            return value in (nameless, self._symbols.constant(term.name))
        if value == nameless:
            return self._matches(term.args, [nameless] * len(term.args), bindings)
        key = self._symbols.function(term.name, len(term.args)).arguments_of.get(value)
        return key is not None and self._matches(term.args, ids_of(key), bindings)

    def _atom(self, atom: Atom, bindings: Mapping[str, int]) -> GroundAtom:
        return atom.relation, tuple(self._id(term, bindings) for term in atom.args)

    def _id(self, term: Term, bindings: Mapping[str, int]) -> int:
        if isinstance(term, Variable):
            return bindings[term.name]
        if isinstance(term, Constant):
            return self._symbols.constant(term.name)
        table = self._symbols.function(term.name, len(term.args))
        return table.make(key_of([self._id(argument, bindings) for argument in term.args]))

    def text(self, atom: GroundAtom) -> str:
        """Write a ground atom as KIF, with dots for what is nested too deeply."""
        (name, _), row = atom
        return f"({' '.join([name, *(self._text(value, 3) for value in row)])})" if row else name

    def _text(self, value: int, depth: int) -> str:
        for table in self._symbols.functions():
            key = table.arguments_of.get(value)
            if key is not None:
                if not depth:
                    return "(...)"
                parts = [self._text(part, depth - 1) for part in ids_of(key)]
                return f"({' '.join([table.key[0], *parts])})"
        return str(self._symbols.decode(value))


def _clauses_for(wanted: Collection[RelationKey], rules: Sequence[Rule]) -> Iterator[Clause]:
    """Yield the clauses that the wanted relations depend on, and facts for undefined ones."""
    relevant = reachable(dependency_graph(rules), wanted)
    defined = {rule.head.relation for rule in rules}
    states = {("init", 1), ("next", 1)}
    if defined & states:
        defined |= states
    for rule in rules:
        if rule.head.relation in relevant:
            yield from clauses_of(rule)
    for name, arity in sorted(relevant - defined):
        yield Clause(Atom(name, (NAMELESS,) * arity), (), (), ())
