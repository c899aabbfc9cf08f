"""Magic guards: wide relations are ground only for the arguments that are demanded of them.

A relation of seven arguments may have millions of instances of which its users can meet a few
thousand. What they can meet is found in a relaxed game, in which every fact that is ever possible
holds at once and nothing is negated: a rule that holds in some state holds there too. Its
relations are static, so that grounding evaluates them away, and they give each wide relation a
guard: the keys that are demanded of it. Where moves have arguments enough for very many, the
relaxed game does not list them: its rules on a move say where the arguments that they need come
from, which is little beside what makes the move legal.

The literals of a body pass bindings on to one another in a fixed order: first the atoms of narrow
relations, then those of wide ones, those with the fewest unbound variables first, and at last the
filters. A column belongs to the key of a relation where, at each occurrence, its variables are
bound by then, and where the bindings say more than the domain of the column.

This is the magic-set transformation over a relaxed program, and not that of
:mod:`gdl.datalog.magic_sets`, which makes versions of the relations of one recursive component for
each combination of bound columns and follows the demand of one state. Here one demand must cover
all states, relations that are negated or depend on moves have guards too, and a relation keeps its
name and has one guard for all of its uses.

Source: C. Beeri and R. Ramakrishnan, On the power of magic (1991), applied to a relaxation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import prod

from gdl.datalog import CardinalityEstimator, Columns, is_keyword_relation
from gdl.language import (
    Atom,
    Level,
    Literal,
    RelationKey,
    Rule,
    Variable,
    atoms_of,
    body_atoms,
    names_in,
    variables_of,
)
from gdl.rewriting.inlining import unfolded
from gdl.rewriting.rule_analysis import RuleAnalysis

MIN_GUARDED_ROWS = 100_000
"""Relations whose domains allow more rows are guarded."""

MIN_USER_ROWS = 256
"""So are relations that use guarded ones, if their domains allow more rows than this."""

MAX_BOUND_SHARE = 0.5
"""Bindings that leave a larger share of what the domains allow are no use in a key."""


def guard_wide_relations(analysis: RuleAnalysis) -> list[Rule]:
    """Add guards to the rules of wide relations, and the rules that define the guards."""
    wide = _wide_relations(analysis)
    keys = find_keys(analysis.rules, wide, analysis.estimator) if wide else {}
    return _GuardedProgram(analysis, wide, keys).rules() if keys else list(analysis.rules)


def relaxed_relation(relation: RelationKey) -> RelationKey:
    """Return the relation that has a relation's rows in the relaxed game."""
    return f" reachable {relation[0]}", relation[1]


def without_atoms(rule: Rule, atoms: Iterable[Atom]) -> Rule:
    """Leave atoms out of the body of a relaxed rule, if the rest binds all variables that it needs.

    More follows from the rest, so that it is as sound a relaxation.
    """
    body = rule.body
    for atom in atoms:
        rest = tuple(part for part in body if part != atom)
        bound = names_in(part for part in rest if isinstance(part, Atom))
        if names_in([rule.head, *rest]) <= bound:
            body = rest
    return Rule(rule.head, body, rule.span)


def _wide_relations(analysis: RuleAnalysis) -> list[RelationKey]:
    """Find the relations that may be worth a guard."""
    size = {
        relation: analysis.estimator.domain_size(relation)
        for relation in analysis.definitions
        if not is_keyword_relation(relation)
    }
    wide = {relation for relation in size if size[relation] > MIN_GUARDED_ROWS}
    users = [
        (rule.head.relation, {atom.relation for atom, _ in body_atoms(rule)})
        for rule in analysis.rules
        if size.get(rule.head.relation, 0.0) > MIN_USER_ROWS
    ]
    while added := {relation for relation, used in users if used & wide} - wide:
        wide |= added
    return [relation for relation in size if relation in wide]


class _GuardedProgram:
    def __init__(
        self,
        analysis: RuleAnalysis,
        wide: Collection[RelationKey],
        keys: Mapping[RelationKey, Columns],
    ) -> None:
        self._analysis = analysis
        self._origins: dict[RelationKey, list[RelationKey]] = {}
        for origin, target in analysis.flat.flows():
            self._origins.setdefault(target, []).append(origin)
        self._wide = frozenset(wide)
        self._keys = keys
        self._relaxed_relations: list[RelationKey] = []

    def rules(self) -> list[Rule]:
        """All rules: guarded ones, those of guards, and those of the relaxed game."""
        rules = self._analysis.rules
        guarded = [self._guarded(rule) for rule in rules]
        guards = [guard for rule in rules for guard in self._guards(rule)]
        # Relaxing a relation's rules can add relations to the list.
        relaxed = [new for each in self._relaxed_relations for new in self._relaxed_rules(each)]
        return [*guarded, *dict.fromkeys(guards), *relaxed]

    # ------------------------------------------------------------------ guards

    def _guard(self, atom: Atom) -> Atom:
        columns = self._keys[atom.relation]
        name = f" demanded {atom.name} {len(atom.args)}"
        return Atom(name, tuple(atom.args[column] for column in columns))

    def _guarded(self, rule: Rule) -> Rule:
        if rule.head.relation not in self._keys:
            return rule
        return Rule(rule.head, (self._guard(rule.head), *rule.body), rule.span)

    def _guards(self, rule: Rule) -> Iterator[Rule]:
        """Yield the rules for what a rule demands of wide relations."""
        for atom, passed in occurrences(rule, self._wide):
            if atom.relation not in self._keys:
                continue
            guard = self._guard(atom)
            body = tuple(_connected(self._demanding_body(rule, passed), names_in([guard])))
            if guard not in body:
                yield Rule(guard, body)

    # ------------------------------------------------------------------ the relaxed game

    def _demanding_body(self, rule: Rule, passed: Sequence[Atom]) -> list[Literal]:
        """List what must hold in the relaxed game before a rule demands more."""
        body: list[Literal] = []
        if rule.head.relation in self._keys:
            body.append(self._guard(rule.head))
        body += map(self._relaxed, passed)
        known = names_in(body)
        filters = [part for part in rule.body if not isinstance(part, Atom)]
        body += [part for part in filters if self._is_static(part) and names_in([part]) <= known]
        return body

    def _is_static(self, literal: Literal) -> bool:
        return all(self._is_static_relation(atom.relation) for atom, _ in atoms_of(literal))

    def _is_static_relation(self, relation: RelationKey) -> bool:
        return self._analysis.level_of(relation) is Level.STATIC and relation not in self._keys

    def _relaxed(self, atom: Atom) -> Atom:
        """Return the atom of the relaxed game; a static one stays, and what is done was legal."""
        if self._is_static_relation(atom.relation):
            return atom
        origin = self._copied(atom.relation)
        if origin is not None:
            return self._relaxed(Atom(origin[0], atom.args))
        if atom.relation not in self._relaxed_relations:
            self._relaxed_relations.append(atom.relation)
        return Atom(relaxed_relation(atom.relation)[0], atom.args)

    def _copied(self, relation: RelationKey) -> RelationKey | None:
        """Return the one relation whose rows another has, unless its own rows are stated."""
        origins = self._origins.get(relation, [])
        is_copy = len(origins) == 1 and relation not in self._analysis.definitions
        return origins[0] if is_copy and self._analysis.reachable is None else None

    def _relaxed_rules(self, relation: RelationKey) -> Iterator[Rule]:
        columns = tuple(Variable(str(i)) for i in range(relation[1]))
        for origin in self._origins.get(relation, ()):
            reached = self._relaxed(Atom(origin[0], columns))
            yield Rule(Atom(relaxed_relation(relation)[0], columns), (reached,))
        for rule in self._analysis.definitions.get(relation, ()):
            yield from map(self._relaxed_rule, self._without_wide_move(rule))

    def _relaxed_rule(self, rule: Rule) -> Rule:
        relation = rule.head.relation
        body: list[Literal] = []
        if relation in self._keys:
            body.append(self._guard(rule.head))
        for literal in rule.body:
            if isinstance(literal, Atom):
                body.append(self._relaxed(literal))
            elif self._is_static(literal):
                body.append(literal)
        return Rule(Atom(relaxed_relation(relation)[0], rule.head.args), tuple(body))

    def _without_wide_move(self, rule: Rule) -> Iterator[Rule]:
        """Yield what a rule becomes when the first move that it needs is said to be legal instead.

        Where there can be very many such moves, they are never listed: wide relations that only
        restrict them are left out, and what the head does not depend on.
        """
        move = next((part for part in rule.body if self._is_wide_move(part)), None)
        if move is None:
            yield rule
            return
        assert isinstance(move, Atom)
        legal = self._copied(move.relation)
        assert legal is not None
        rest = Rule(rule.head, tuple(part for part in rule.body if part is not move), rule.span)
        for definition in self._analysis.definitions.get(legal, ()):
            case = unfolded(rest, move, definition)
            if case is not None:
                wide = [atom for atom, _ in body_atoms(case) if atom.relation in self._keys]
                body = without_atoms(case, wide).body
                yield Rule(case.head, tuple(_connected(body, names_in([case.head]))))

    def _is_wide_move(self, literal: Literal) -> bool:
        if not isinstance(literal, Atom):
            return False
        legal = self._copied(literal.relation)
        if legal is None or self._analysis.level_of(literal.relation) is not Level.TRANSITION:
            return False
        return self._analysis.estimator.domain_size(legal) > MIN_GUARDED_ROWS


def _connected(body: Sequence[Literal], needed: set[str]) -> Iterator[Literal]:
    """Yield the literals that share variables, directly or not, with the needed ones."""
    names = set(needed)
    pending = list(body)
    while True:
        linked = [part for part in pending if names_in([part]) & names]
        if not linked:
            return
        for part in linked:
            names |= names_in([part])
            yield part
        pending = [part for part in pending if part not in linked]


# ---------------------------------------------------------------------- keys


def occurrences(
    rule: Rule, wide: Collection[RelationKey]
) -> Iterator[tuple[Atom, tuple[Atom, ...]]]:
    """Yield each atom of a wide relation with the atoms that pass bindings on to it."""
    atoms = [literal for literal in rule.body if isinstance(literal, Atom)]
    passed = [atom for atom in atoms if atom.relation not in wide]
    pending = [atom for atom in atoms if atom.relation in wide]
    known = names_in(passed)
    if rule.head.relation in wide:
        known |= names_in([rule.head])
    while pending:
        atom = min(pending, key=lambda atom: len(names_in([atom]) - known))
        yield atom, tuple(passed)
        pending.remove(atom)
        passed.append(atom)
        known |= names_in([atom])
    for literal in rule.body:
        if not isinstance(literal, Atom):
            for atom, _ in atoms_of(literal):
                if atom.relation in wide:
                    yield atom, tuple(passed)


def find_keys(
    rules: Sequence[Rule], wide: Collection[RelationKey], estimator: CardinalityEstimator
) -> dict[RelationKey, Columns]:
    """Find the columns that a guard of each wide relation can hold; those without are left out."""
    keys = {relation: tuple(range(relation[1])) for relation in wide}
    uses = [(rule, atom, passed) for rule in rules for atom, passed in occurrences(rule, wide)]
    changed = True
    while changed:
        changed = False
        for rule, atom, passed in uses:
            before = keys[atom.relation]
            given = _names_at(rule.head, keys.get(rule.head.relation, ()))
            after = _bound_columns(atom, before, given, passed, estimator)
            if after != before:
                keys[atom.relation] = after
                changed = True
    return {relation: columns for relation, columns in keys.items() if columns}


def _names_at(atom: Atom, columns: Columns) -> set[str]:
    """Collect the names of the variables in some columns of an atom."""
    return {v.name for column in columns for v in variables_of(atom.args[column])}


def _bound_columns(
    atom: Atom,
    columns: Columns,
    given: set[str],
    passed: Sequence[Atom],
    estimator: CardinalityEstimator,
) -> Columns:
    """Keep the columns whose variables are given or passed on, and thereby restricted."""
    known = given | names_in(passed)
    bound = {
        column: names
        for column in columns
        if (names := _names_at(atom, (column,))) <= known or not names
    }
    useless: set[int] = set()
    for names, linked in _linked(passed):
        own = {column: of for column, of in bound.items() if of & names}
        if own and not names & given and not _restricts(atom, own, linked, estimator):
            useless |= own.keys()
    return tuple(column for column in bound if column not in useless)


def _linked(atoms: Iterable[Atom]) -> list[tuple[set[str], list[Atom]]]:
    """Group atoms so that no two groups share variables, with the variables of each."""
    groups: list[tuple[set[str], list[Atom]]] = []
    for atom in atoms:
        names = names_in([atom])
        joined = [group for group in groups if group[0] & names]
        groups = [group for group in groups if not group[0] & names]
        names = names.union(*(group[0] for group in joined))
        groups.append((names, [part for group in joined for part in group[1]] + [atom]))
    return groups


def _restricts(
    atom: Atom,
    columns: Mapping[int, set[str]],
    linked: Sequence[Atom],
    estimator: CardinalityEstimator,
) -> bool:
    """Return True if atoms leave fewer rows for some columns than their domains do."""
    names = set[str]().union(*columns.values())
    if not all(isinstance(atom.args[column], Variable) for column in columns):
        return True
    if len(names) < len(columns):
        return True
    allowed = prod(estimator.distinct(atom.relation, column) for column in columns)
    return estimator.instances(linked, names) <= MAX_BOUND_SHARE * allowed
