"""Asking: which arguments of wide relations are bound wherever the relations are asked for.

The literals of a body pass bindings on to one another in a fixed order: first the atoms of narrow
relations, then those of wide ones, those with the fewest unbound variables first, and at last the
filters. A column belongs to the key of a relation where, at each occurrence, its variables are
bound by then, and where the bindings say more than the column's domain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import prod

from gdl.datalog import CardinalityEstimator, Columns
from gdl.language import Atom, RelationKey, Rule, Variable, atoms_of, names_in, variables_of

RESTRICTIVE = 0.5
"""Bindings that leave a larger share of what the domains allow are no use in a key."""


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
    rules: Sequence[Rule], wide: Collection[RelationKey], statistics: CardinalityEstimator
) -> dict[RelationKey, Columns]:
    """Return the columns of each wide relation that a guard can hold; those without are left out.

    ``statistics`` say how many rows the relations can have in any state.
    """
    keys = {relation: tuple(range(relation[1])) for relation in wide}
    asked = [(rule, atom, passed) for rule in rules for atom, passed in occurrences(rule, wide)]
    changed = True
    while changed:
        changed = False
        for rule, atom, passed in asked:
            before = keys[atom.relation]
            given = _names_at(rule.head, keys.get(rule.head.relation, ()))
            after = _bound_columns(atom, before, given, passed, statistics)
            if after != before:
                keys[atom.relation] = after
                changed = True
    return {relation: columns for relation, columns in keys.items() if columns}


def _names_at(atom: Atom, columns: Columns) -> set[str]:
    """Return the names of the variables in some columns of an atom."""
    return {v.name for column in columns for v in variables_of(atom.args[column])}


def _bound_columns(
    atom: Atom,
    columns: Columns,
    given: set[str],
    passed: Sequence[Atom],
    statistics: CardinalityEstimator,
) -> Columns:
    """Return the columns whose variables are given or passed on, and thereby restricted."""
    known = given | names_in(passed)
    bound = {
        column: names
        for column in columns
        if (names := _names_at(atom, (column,))) <= known or not names
    }
    useless: set[int] = set()
    for names, linked in _linked(passed):
        own = {column: of for column, of in bound.items() if of & names}
        if own and not names & given and not _restricts(atom, own, linked, statistics):
            useless |= own.keys()
    return tuple(column for column in bound if column not in useless)


def _linked(atoms: Iterable[Atom]) -> list[tuple[set[str], list[Atom]]]:
    """Return atoms in groups that share no variables, with the variables of each."""
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
    statistics: CardinalityEstimator,
) -> bool:
    """Tell whether atoms leave fewer rows for some columns than their domains."""
    names = set[str]().union(*columns.values())
    if not all(isinstance(atom.args[column], Variable) for column in columns):
        return True
    if len(names) < len(columns):
        return True
    allowed = prod(statistics.distinct(atom.relation, column) for column in columns)
    return statistics.instances(linked, names) <= RESTRICTIVE * allowed
