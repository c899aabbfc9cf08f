"""Flattening: the function at the top of an argument becomes part of the relation.

``(true (cell 1 2 b))`` turns into an atom of the specialized relation ``true cell`` with the
arguments 1, 2 and b, so that a state is a table for each function and a join sees coordinates
instead of terms. Facts, moves and all arguments that hold one and the same function everywhere are
flattened. A variable in such an argument is replaced by each function that it can stand for, which
makes a rule for each.

The names of specialized relations contain a blank: no name of a rulesheet does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from gdl.datalog.domains import (
    EMPTY_DOMAIN,
    ArgumentPosition,
    Domain,
    FunctionKey,
    positions,
    variable_domains,
)
from gdl.errors import ResourceLimitError
from gdl.language import (
    Atom,
    Constant,
    Function,
    Literal,
    RelationKey,
    Rule,
    Term,
    Variable,
    atoms_of,
    map_atoms,
    substitute_rule,
)

MAX_SPECIALIZATIONS = 4096
"""The most rules that one rule may become when its variables are replaced by functions."""

_CORE = frozenset(
    {
        ArgumentPosition(True, "true", 1, 0),
        ArgumentPosition(True, "next", 1, 0),
        ArgumentPosition(True, "init", 1, 0),
        ArgumentPosition(True, "does", 2, 1),
        ArgumentPosition(True, "legal", 2, 1),
    }
)


@dataclass(frozen=True, slots=True)
class Flattening:
    """Flattens rules in normal form by the domains of their arguments.

    The ``kept`` relations are not flattened, apart from the facts and moves of the core relations.
    """

    domains: Mapping[ArgumentPosition, Domain]
    kept: frozenset[RelationKey] = frozenset()

    def rules(self, rules: Sequence[Rule]) -> list[Rule]:
        """Flatten rules; those that can never apply are left out."""
        flat: dict[Rule, None] = {}
        for rule in rules:
            for special in self._specialize(rule) if rule.body else (rule,):
                head = self.atom(special.head)
                body = tuple([self._literal(literal) for literal in special.body])
                is_flat = head is special.head and not body
                flat[special if is_flat else Rule(head, body, rule.span)] = None
        return list(flat)

    def atom(self, atom: Atom) -> Atom:
        """Flatten an atom; a variable at a flattened argument stays as it is."""
        name = atom.name
        args: list[Term] = []
        for index, term in enumerate(atom.args):
            position = ArgumentPosition(True, atom.name, len(atom.args), index)
            if isinstance(term, Function) and self._is_flat(position):
                name += _suffix(position, term.name)
                args += term.args
            else:
                args.append(term)
        return atom if name == atom.name else Atom(name, tuple(args), atom.span)

    def _literal(self, literal: Literal) -> Literal:
        return self.atom(literal) if isinstance(literal, Atom) else map_atoms(literal, self.atom)

    def specializations(
        self, relation: RelationKey
    ) -> Iterator[tuple[RelationKey, FunctionKey | None]]:
        """Yield the specialized relations of a core relation, each with the function it stands for.

        The function is None for the relation of plain constants.
        """
        name, arity = relation
        position = ArgumentPosition(True, name, arity, arity - 1)
        yield relation, None
        for function in sorted(self.domains.get(position, EMPTY_DOMAIN).functions):
            yield (name + _suffix(position, function[0]), arity - 1 + function[1]), function

    def _is_flat(self, position: ArgumentPosition) -> bool:
        if position in _CORE:
            return True
        if position.is_relation and (position.name, position.arity) in self.kept:
            return False
        domain = self.domains.get(position, EMPTY_DOMAIN)
        return position.is_relation and not domain.constants and len(domain.functions) == 1

    def _specialize(self, rule: Rule) -> Iterator[Rule]:
        """Yield the rules that a rule with a body stands for."""
        values = variable_domains(rule, self.domains)
        if values is None:
            return
        atoms = (atom for atom, _ in atoms_of(rule.head, *rule.body))
        names = dict.fromkeys(self._variables_at_flat(*atoms))
        if not names:
            yield rule
            return
        bound = set(
            self._variables_at_flat(*(part for part in rule.body if isinstance(part, Atom)))
        )
        choices = [_choices(name, values[name], name in bound) for name in names]
        if prod(map(len, choices)) > MAX_SPECIALIZATIONS:
            message = f"a rule for '{rule.head.name}' becomes over {MAX_SPECIALIZATIONS} rules"
            raise ResourceLimitError(message)
        for combination in product(*choices):
            yield substitute_rule(rule, dict(zip(names, combination, strict=True)))

    def _variables_at_flat(self, *atoms: Atom) -> Iterator[str]:
        for position, term in positions(*atoms):
            if isinstance(term, Variable) and self._is_flat(position):
                yield term.name


def _suffix(position: ArgumentPosition, function: str) -> str:
    """The end of a specialized relation's name, which distinguishes it from the others."""
    return f" {position.arity}.{position.column}.{function}"


def _choices(name: str, domain: Domain, bound_flat: bool) -> list[Term]:
    """Return the terms that a variable at a flattened argument stands for.

    Where a flattened atom binds the variable, it stays a variable for the constants. Elsewhere it
    could be bound to a function, so that each constant is written out.
    """
    terms: list[Term] = [
        Function(function, tuple(Variable(f"{name} {i}") for i in range(arity)))
        for function, arity in sorted(domain.functions)
    ]
    if domain.constants:
        if bound_flat or not domain.functions:
            terms.append(Variable(name))
        else:
            terms += map(Constant, sorted(domain.constants))
    return terms
