"""Passes over what is static: it is the same in every state, and the grounder evaluates it.

Constant fluents are facts that a match begins with and always keeps. The walls of a maze are often
part of the state. Where every rule for the next state says no more than that such a fact stays, the
fact holds in the initial state or never. Read as static, it is evaluated by the grounder, and with
it all that follows from walls alone; without this, the relaxed game walks through them. The fact
stays part of the state.

Products are static relations with all combinations of their columns' values. "A cell is a file and
a rank" ties two variables that have nothing to do with each other. An atom for each of them ties
none, and says no more than the domain of the variable: other passes leave such atoms out, and the
arguments with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl.datalog import EMPTY_DOMAIN, ArgumentPosition, counterpart
from gdl.language import (
    Atom,
    Constant,
    Level,
    Literal,
    RelationKey,
    Rule,
    holds_distinct_variables,
    map_atoms,
)
from gdl.rewriting.rule_analysis import RuleAnalysis


def find_constant_fluents(analysis: RuleAnalysis) -> dict[RelationKey, str]:
    """Map the relation of each constant fluent to the name of its initial facts."""
    return {
        relation: counterpart(relation, "init")[0]
        for relation, _ in analysis.flat.fluents
        if _is_constant(relation, analysis)
    }


def make_constants_static(analysis: RuleAnalysis) -> Iterator[Rule]:
    """Read the initial facts wherever a constant fluent is read."""
    constants = find_constant_fluents(analysis)

    def read(atom: Atom) -> Atom:
        initial = constants.get(atom.relation)
        return atom if initial is None else Atom(initial, atom.args, atom.span)

    for rule in analysis.rules:
        body = tuple(map_atoms(literal, read) for literal in rule.body)
        yield Rule(rule.head, body, rule.span)


def _is_constant(relation: RelationKey, analysis: RuleAnalysis) -> bool:
    """Return True if all rules for the next facts keep old ones, and one keeps every fact."""
    own = analysis.definitions.get(counterpart(relation, "next"), ())
    kept = [Atom(relation[0], rule.head.args) for rule in own]
    return all(atom in rule.body for atom, rule in zip(kept, own, strict=True)) and any(
        rule.body == (atom,) and (not atom.args or holds_distinct_variables(atom))
        for atom, rule in zip(kept, own, strict=True)
    )


def expand_products(analysis: RuleAnalysis) -> Iterator[Rule]:
    """Replace atoms of static products by an atom for each argument."""
    products = {
        relation: columns
        for relation in analysis.definitions
        if (columns := _columns(relation, analysis)) is not None
    }
    named = {frozenset(facts): name for (name, _), facts in analysis.unary_facts.items()}
    made: dict[frozenset[str], str] = {}
    for rule in analysis.rules:
        body: list[Literal] = []
        for literal in rule.body:
            if isinstance(literal, Atom) and literal.relation in products:
                for values, term in zip(products[literal.relation], literal.args, strict=True):
                    name = named.get(values) or made.setdefault(values, f" factor {len(made)}")
                    body.append(Atom(name, (term,)))
            else:
                body.append(literal)
        yield Rule(rule.head, tuple(dict.fromkeys(body)), rule.span)
    for values, name in made.items():
        yield from (Rule(Atom(name, (Constant(value),)), ()) for value in sorted(values))


def _columns(relation: RelationKey, analysis: RuleAnalysis) -> Sequence[frozenset[str]] | None:
    """List the values of the columns of a static product; None for other relations.

    A static relation has been evaluated, so that its figures are exact, unless that costs much.
    """
    estimator = analysis.estimator
    if relation[1] < 2 or analysis.level_of(relation) is not Level.STATIC:
        return None
    if not estimator.is_exact(relation) or estimator.rows(relation) != estimator.domain_size(
        relation
    ):
        return None
    domains = [
        analysis.domains.get(ArgumentPosition(True, *relation, column), EMPTY_DOMAIN)
        for column in range(relation[1])
    ]
    sizes = [estimator.distinct(relation, column) for column in range(relation[1])]
    if any(
        domain.functions or len(domain.constants) != size
        for domain, size in zip(domains, sizes, strict=True)
    ):
        return None
    return [frozenset(domain.constants) for domain in domains]
