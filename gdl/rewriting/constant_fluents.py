"""Constant fluents: facts that are the same in every state, so that the grounder evaluates them.

A match begins with them and always keeps them. The walls of a maze are often part of the state.
Where every rule for the next state says no more than that such a fact stays, the fact holds in the
initial state or never. Read as static, it is evaluated by the grounder, and with it all that
follows from walls alone; without this, the relaxed game walks through them. The fact stays part of
the state.

Apart, as each kind of pass over rules has a module.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.datalog import counterpart
from gdl.language import Atom, RelationKey, Rule, holds_distinct_variables, map_atoms
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
