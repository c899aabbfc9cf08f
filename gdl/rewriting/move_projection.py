"""Projections of moves: relations that hold some of the arguments of a move.

A role makes one move, so that all literals about its move are about the same one: the atom of a
move is equivalent to the conjunction of its projections.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gdl.datalog import EMPTY_DOMAIN, ArgumentPosition, CardinalityEstimator, Columns, Domain
from gdl.language import (
    Atom,
    Constant,
    Literal,
    RelationKey,
    Rule,
    Variable,
    atoms_of,
    variables_of,
)


class MoveProjections:
    """The relations of moves and of their projections; the first column is the role.

    ``moves`` are the relations of whole moves. The domains of the projections' columns are added
    to ``domains``, their sizes to ``estimator``.
    """

    def __init__(
        self,
        moves: Collection[RelationKey],
        estimator: CardinalityEstimator,
        domains: dict[ArgumentPosition, Domain],
    ) -> None:
        self.rules: list[Rule] = []
        self._relations = set(moves)
        self._estimator = estimator
        self._domains = domains
        self._origins: dict[RelationKey, tuple[RelationKey, Columns]] = {}
        self._names: dict[tuple[RelationKey, Columns], str] = {}
        self._undefined: dict[RelationKey, Rule] = {}

    def holds_move(self, literal: Literal) -> bool:
        """Return True if a literal holds an atom of a move or of a projection."""
        return any(atom.relation in self._relations for atom, _ in atoms_of(literal))

    def is_move(self, atom: Atom) -> bool:
        """Return True if an atom is one of a move or a projection with arguments."""
        return atom.relation in self._relations and len(atom.args) > 1

    def project(self, move: Atom, needed: Collection[str]) -> Atom:
        """Project a move to its role, constants and needed variables."""
        origin, every = self._origins.get(
            move.relation, (move.relation, tuple(range(len(move.args))))
        )
        kept = [column for column in range(len(move.args)) if _is_kept(move, column, needed)]
        if len(kept) == len(move.args):
            return move
        columns = tuple(every[column] for column in kept)
        relation = self._projection(origin, columns)
        return Atom(relation[0], tuple(move.args[column] for column in kept))

    def cost(self, relations: Iterable[RelationKey]) -> float:
        """Estimate how many instances the definitions of new projections have."""
        origins = {self._origins[r][0] for r in relations if r in self._undefined}
        return sum(self._estimator.rows(origin) for origin in origins)

    def define(self, relations: Iterable[RelationKey]) -> None:
        """Add the rules of those relations that are projections without rules so far."""
        for relation in sorted(relations):
            rule = self._undefined.pop(relation, None)
            if rule is not None:
                self.rules.append(rule)

    def _projection(self, origin: RelationKey, columns: Columns) -> RelationKey:
        name = self._names.get((origin, columns))
        if name is None:
            name = self._names[origin, columns] = f" done {len(self._names)}"
            self._add((name, len(columns)), origin, columns)
        return name, len(columns)

    def _add(self, relation: RelationKey, origin: RelationKey, columns: Columns) -> None:
        args = tuple(Variable(str(i)) for i in range(origin[1]))
        head = Atom(relation[0], tuple(args[column] for column in columns))
        self._undefined[relation] = Rule(head, (Atom(origin[0], args),))
        self._relations.add(relation)
        self._origins[relation] = origin, columns
        sizes = [self._estimator.distinct(origin, column) for column in columns]
        self._estimator.set_estimate(relation, self._estimator.rows(origin), sizes)
        for index, column in enumerate(columns):
            domain = self._domains.get(ArgumentPosition(True, *origin, column), EMPTY_DOMAIN)
            self._domains[ArgumentPosition(True, *relation, index)] = domain


def _is_kept(move: Atom, column: int, needed: Collection[str]) -> bool:
    term = move.args[column]
    if column == 0 or isinstance(term, Constant):
        return True
    names = {v.name for v in variables_of(term)}
    return not names or bool(names & set(needed))
