"""What rules for the next state say of fluents: functional dependencies, and constants.

A fluent depends functionally on its key if a state holds one value of it for each key.

Where a cell holds one mark at most, a rule that reads the marks of nine cells and says nine things
of them need not join all nine for each: ``mark(a, X), mark(b, Y), p(X, Y), q(X, Y)`` says that
some marks satisfy ``p``, and that some, which are the same ones, satisfy ``q``. Each literal that
ties several values becomes an auxiliary relation over the keys, and relations that would have a row
for every combination of values are replaced by their rules, so that decomposition can take one
value after the other.

That a value depends on its key is proved by induction: at most one value is there in the initial
state, facts stay or are made by the one move of one role, and that is legal only where the key has
no value yet.

Source: S. Abiteboul, R. Hull and V. Vianu, Foundations of Databases (1995), chapter 8.

Constant fluents are those that no move can change, by the same rules: where every rule for the next
state says no more than that a fact stays, it holds in the initial state or never. The walls of a
maze are often part of the state. Read as static, they are evaluated by the grounder, and with them
all that follows from walls alone; without this, the relaxed game walks through them. The fact stays
part of the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from gdl.datalog import EMPTY_DOMAIN, ArgumentPosition, counterpart, dependency_graph, reachable
from gdl.language import (
    Atom,
    Constant,
    Level,
    Literal,
    Not,
    RelationKey,
    Rule,
    Term,
    Variable,
    holds_distinct_variables,
    is_ground,
    map_atoms,
    names_in,
    substitute,
    variables_in,
)
from gdl.rewriting.inlining import instance
from gdl.rewriting.rule_analysis import RuleAnalysis

MIN_VALUES_TIED = 2
"""A literal that holds fewer values does not tie them."""

MAX_CASES = 64
"""An auxiliary relation is given at most so many rules."""

MAX_RELATIONS_FOLLOWED = 3
"""What makes a move legal is followed through so many relations."""

_UNFOLDING_DEPTH = 8


def split_functional_joins(analysis: RuleAnalysis) -> list[Rule]:
    """Divide the large rules that tie values which depend on their keys in several ways."""
    values = dict(functional_columns(analysis))
    if not values:
        return list(analysis.rules)
    splitter = _Splitter(analysis, values)
    rules = [made for rule in analysis.rules for made in splitter.split(rule)]
    return _needed(rules, analysis) if splitter.has_split else rules


def functional_columns(analysis: RuleAnalysis) -> Iterator[tuple[RelationKey, int]]:
    """Yield the fluents with a column of which a state holds one value for each key: the last."""
    for relation, function in analysis.flat.fluents:
        if function is None:
            continue
        for column in reversed(range(relation[1])):
            if _Fluent(relation, column, analysis).is_functional():
                yield relation, column
                break


@dataclass(frozen=True, slots=True)
class _Fluent:
    """A fluent, whose value in one column may depend on the others."""

    relation: RelationKey
    column: int
    analysis: RuleAnalysis

    def is_functional(self) -> bool:
        """Prove that a state holds one value for each key; False where that fails."""
        rules = self.analysis.definitions.get(counterpart(self.relation, "next"), ())
        makers = [rule for rule in rules if Atom(self.relation[0], rule.head.args) not in rule.body]
        return len(makers) <= 1 and self._begins_functional() and all(map(self._is_safe, makers))

    def _begins_functional(self) -> bool:
        begin = self.analysis.definitions.get(counterpart(self.relation, "init"), ())
        keys = {self._key(rule.head) for rule in begin}
        are_facts = all(not rule.body and all(map(is_ground, rule.head.args)) for rule in begin)
        return are_facts and len(keys) == len({rule.head.args for rule in begin})

    def _is_safe(self, maker: Rule) -> bool:
        """Check that a rule makes one fact a step, of a key without a value."""
        moves = {relation for relation, _ in self.analysis.flat.moves}
        return any(
            isinstance(part, Atom)
            and part.relation in moves
            and isinstance(part.args[0], Constant)
            and names_in([maker.head]) <= names_in([part])
            and self._is_excluded_by(part, maker.head)
            for part in maker.body
        )

    def _is_excluded_by(self, move: Atom, made: Atom) -> bool:
        """Check that a move is legal only where the key of what it makes has no value."""
        for rule in self.analysis.definitions.get(counterpart(move.relation, "legal"), ()):
            bindings = _matched(rule.head.args, move.args)
            if bindings is None:
                return False
            body = tuple(substitute(part, bindings) for part in rule.body)
            key = tuple(bindings.get(str(term), term) for term in self._key(made))
            if not self._values() <= self._absent(body, key, MAX_RELATIONS_FOLLOWED):
                return False
        return bool(self._values())

    def _values(self) -> frozenset[str]:
        """All that the column can hold; nothing where that is not known."""
        where = ArgumentPosition(True, *self.relation, self.column)
        domain = self.analysis.domains.get(where, EMPTY_DOMAIN)
        return frozenset() if domain.functions else frozenset(domain.constants)

    def _absent(self, body: Sequence[Literal], key: Sequence[Term], depth: int) -> set[str]:
        """Find values that a key has not where a body holds."""
        found: set[str] = set()
        for part in body:
            if isinstance(part, Not) and isinstance(part.literal, Atom):
                atom = part.literal
                if atom.relation == self.relation and self._key(atom) == tuple(key):
                    value = atom.args[self.column]
                    found |= {value.name} if isinstance(value, Constant) else set()
            elif isinstance(part, Atom) and depth > 0:
                found |= self._absent_by(part, key, depth)
        return found

    def _absent_by(self, atom: Atom, key: Sequence[Term], depth: int) -> set[str]:
        """Find values that a key has not where an atom holds: by all rules for it."""
        rules = self.analysis.definitions.get(atom.relation, ())
        if not rules or not all(holds_distinct_variables(rule.head) for rule in rules):
            return set()
        bodies = (instance(rule, atom, depth) for rule in rules)
        return set.intersection(*(self._absent(body, key, depth - 1) for body in bodies))

    def _key(self, atom: Atom) -> tuple[Term, ...]:
        return tuple(term for i, term in enumerate(atom.args) if i != self.column)


def _matched(given: Sequence[Term], wanted: Sequence[Term]) -> dict[str, Term] | None:
    """Bind different variables to terms; None where it takes more to make the two equal."""
    names = [term.name for term in given if isinstance(term, Variable)]
    if len(names) < len(given) and any(
        not isinstance(one, Variable) and one != other
        for one, other in zip(given, wanted, strict=True)
    ):
        return None
    if len(set(names)) < len(names):
        return None
    return {
        one.name: other
        for one, other in zip(given, wanted, strict=True)
        if isinstance(one, Variable)
    }


class _Splitter:
    """Divides rules by the columns of fluents that depend on the others."""

    def __init__(self, analysis: RuleAnalysis, values: dict[RelationKey, int]) -> None:
        self._analysis = analysis
        self._values = values
        self._numbers = count()
        self._relations: dict[tuple[Literal, ...], str] = {}
        self.has_split = False

    def split(self, rule: Rule) -> Iterator[Rule]:
        """Yield a rule, or the rules of auxiliary relations and what is left of it."""
        readers = self._readers(rule)
        tied = [part for part in rule.body if self._ties(part, readers)]
        if len(tied) < MIN_VALUES_TIED or not self._analysis.is_large(rule):
            yield rule
            return
        self.has_split = True
        rest = [part for part in rule.body if part not in tied]
        made = [self._auxiliary(part, rest, readers) for part in tied]
        for auxiliary in made:
            for case in self._unfolded(auxiliary):
                yield from self._each_apart(case, readers)
        read = {readers[name] for name in names_in(tied)}
        kept = [part for part in rest if part not in read or self._is_read(part, rule, rest)]
        yield Rule(rule.head, (*kept, *(auxiliary.head for auxiliary in made)), rule.span)

    def _is_read(self, part: Literal, rule: Rule, rest: Sequence[Literal]) -> bool:
        """Check whether a rule needs an atom's value besides what auxiliary relations say of it."""
        assert isinstance(part, Atom)
        value = names_in([Atom("", (part.args[self._values[part.relation]],))])
        return not value.isdisjoint(names_in([rule.head, *(p for p in rest if p != part)]))

    def _readers(self, rule: Rule) -> dict[str, Atom]:
        """Map variables to the atoms on whose keys they depend; they are in no key themselves."""
        found: dict[str, Atom] = {}
        keys: set[str] = set()
        for part in rule.body:
            if isinstance(part, Atom) and part.relation in self._values:
                column = self._values[part.relation]
                value = part.args[column]
                others = part.args[:column] + part.args[column + 1 :]
                keys |= names_in([Atom("", others)])
                if isinstance(value, Variable):
                    found.setdefault(value.name, part)
        return {name: part for name, part in found.items() if name not in keys}

    def _ties(self, part: Literal, readers: dict[str, Atom]) -> bool:
        """Check for a positive literal that holds several values and nothing else."""
        names = names_in([part])
        return (
            isinstance(part, Atom)
            and part.relation not in self._values
            and len(names) >= MIN_VALUES_TIED
            and names <= readers.keys()
        )

    def _auxiliary(self, part: Literal, rest: Sequence[Literal], readers: dict[str, Atom]) -> Rule:
        """Join a literal with what reads its values, over the keys of these."""
        read = list(dict.fromkeys(readers[variable.name] for variable in variables_in(part)))
        keys = sorted(names_in(read) - names_in([part]))
        static = [
            other
            for other in rest
            if isinstance(other, Atom)
            and self._analysis.level_of(other.relation) is Level.STATIC
            and names_in([other]) <= set(keys)
            and names_in([other])
        ]
        head = Atom(f" value {next(self._numbers)}", tuple(map(Variable, keys)))
        return Rule(head, (*static, *read, part))

    def _unfolded(self, rule: Rule) -> list[Rule]:
        """Replace wide static relations by their rules; leave a rule that has too many cases."""
        bodies = [rule.body]
        for depth in range(_UNFOLDING_DEPTH):
            bodies = [case for body in bodies for case in self._cases(body, depth)]
            if len(bodies) > MAX_CASES:
                return [rule]
        return [Rule(rule.head, body) for body in bodies]

    def _each_apart(self, rule: Rule, readers: dict[str, Atom]) -> Iterator[Rule]:
        """Yield a rule in which a relation stands for each value that no literal ties to others.

        These relations are those of equal atoms and literals with other names; they come first.
        """
        body = rule.body
        for name in sorted(names_in(body) & readers.keys()):
            own = [part for part in body if name in names_in([part])]
            if readers[name] not in own or any(
                names_in([part]) != {name} for part in own if part != readers[name]
            ):
                continue
            keys = sorted(names_in([readers[name]]) - {name})
            new = {key: Variable(str(i)) for i, key in enumerate([*keys, name])}
            said = tuple(sorted((substitute(part, new) for part in own), key=str))
            known = self._relations.get(said)
            if known is None:
                known = self._relations[said] = f" value {next(self._numbers)}"
                yield Rule(Atom(known, tuple(new[key] for key in keys)), said)
            atom = Atom(known, tuple(map(Variable, keys)))
            body = (*(part for part in body if part not in own), atom)
        yield Rule(rule.head, body)

    def _cases(self, body: tuple[Literal, ...], depth: int) -> Iterator[tuple[Literal, ...]]:
        """Yield a body for each rule of its first wide static relation."""
        wide = next((part for part in body if self._is_unfolded(part)), None)
        if wide is None:
            yield body
            return
        assert isinstance(wide, Atom)
        rest = tuple(part for part in body if part is not wide)
        for rule in self._analysis.definitions[wide.relation]:
            yield (*rest, *instance(rule, wide, depth))

    def _is_unfolded(self, part: Literal) -> bool:
        if not isinstance(part, Atom) or not self._analysis.is_wide(part.relation):
            return False
        rules = self._analysis.definitions.get(part.relation, ())
        return (
            bool(rules)
            and self._analysis.level_of(part.relation) is Level.STATIC
            and all(rule.body and holds_distinct_variables(rule.head) for rule in rules)
        )


def _needed(rules: Sequence[Rule], analysis: RuleAnalysis) -> list[Rule]:
    """Leave out static relations of rules that nothing uses any more."""
    roots = [
        rule.head.relation
        for rule in rules
        if not rule.body or analysis.level_of(rule.head.relation) is not Level.STATIC
    ]
    used = reachable(dependency_graph(rules), dict.fromkeys(roots))
    return [rule for rule in rules if rule.head.relation in used]


def find_constant_fluents(analysis: RuleAnalysis) -> dict[RelationKey, str]:
    """Map the relation of each constant fluent to the name of its initial facts."""
    return {
        relation: counterpart(relation, "init")[0]
        for relation, _ in analysis.flat.fluents
        if _is_constant(relation, analysis)
    }


def make_constants_static(analysis: RuleAnalysis) -> Sequence[Rule]:
    """Read the initial facts wherever a constant fluent is read."""
    constants = find_constant_fluents(analysis)
    if not constants:
        return analysis.rules

    def read(atom: Atom) -> Atom:
        initial = constants.get(atom.relation)
        return atom if initial is None else Atom(initial, atom.args, atom.span)

    return [
        Rule(rule.head, tuple(map_atoms(literal, read) for literal in rule.body), rule.span)
        for rule in analysis.rules
    ]


def _is_constant(relation: RelationKey, analysis: RuleAnalysis) -> bool:
    """Return True if all rules for the next facts keep old ones, and one keeps every fact."""
    own = analysis.definitions.get(counterpart(relation, "next"), ())
    kept = [Atom(relation[0], rule.head.args) for rule in own]
    return all(atom in rule.body for atom, rule in zip(kept, own, strict=True)) and any(
        rule.body == (atom,) and (not atom.args or holds_distinct_variables(atom))
        for atom, rule in zip(kept, own, strict=True)
    )
