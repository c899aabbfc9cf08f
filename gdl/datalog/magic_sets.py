"""Magic sets: restricting a recursive component to what its callers ask for.

A relation that is called with some columns bound becomes two: its *magic* relation, the keys asked
for so far, and its *answers*, the rows for those keys. A rule applies to keys in the magic relation
only, and what it needs from its own component adds keys in turn. The result are ordinary rules,
whose magic relations and answers grow together to a fixpoint.

The grounder restricts wide relations by the same idea in :mod:`gdl.rewriting.magic_guards`, with a
transformation of its own. Here one call is answered in one state, with a version of a relation for
each adornment and with exact keys. There the keys must cover every state of every match before any
state is known: they come from a relaxed game without negation, and each relation has one guard for
all callers, lest the ground rules multiply.

Source: C. Beeri and R. Ramakrishnan, On the power of magic (1991).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from gdl.datalog.join_plan import Columns
from gdl.language import Atom, Literal, RelationKey, Rule, Variable, names_in, variables_of


@dataclass(frozen=True, slots=True)
class Adornment:
    """A relation together with the columns that are bound when it is called."""

    relation: RelationKey
    bound: Columns

    @property
    def magic(self) -> RelationKey:
        """The relation of the keys asked for."""
        return f"{self._name} magic", len(self.bound)

    @property
    def answers(self) -> RelationKey:
        """The relation of the rows for those keys."""
        return f"{self._name} answers", self.relation[1]

    @property
    def _name(self) -> str:
        return f"{self.relation[0]} {self.relation[1]} {'.'.join(map(str, self.bound))}"


def facts_relation(relation: RelationKey) -> RelationKey:
    """Return the relation in which the magic rules look up a relation's facts."""
    return f"{relation[0]} facts", relation[1]


def magic_rules(
    start: Adornment,
    component: Collection[RelationKey],
    rules_of: Callable[[RelationKey], Sequence[Rule]],
    order: Callable[[Rule, Columns], Sequence[Literal]],
) -> dict[Adornment, list[Rule]]:
    """Return the rules for answers and magic relations of every adornment that ``start`` needs.

    ``order`` sorts a rule's body into the order of its join plan for some bound columns of the
    head. The component must not negate its own relations.
    """
    found: dict[Adornment, list[Rule]] = {start: []}
    worklist = [start]
    while worklist:
        adornment = worklist.pop()
        rules = [
            adorned
            for rule in (*rules_of(adornment.relation), _fact_rule(adornment.relation))
            for adorned in _adorned(rule, adornment, component, order(rule, adornment.bound))
        ]
        for rule, needed in rules:
            found[adornment].append(rule)
            if needed is not None and needed not in found:
                found[needed] = []
                worklist.append(needed)
    return found


def _fact_rule(relation: RelationKey) -> Rule:
    columns = tuple(Variable(str(i)) for i in range(relation[1]))
    return Rule(Atom(relation[0], columns), (Atom(facts_relation(relation)[0], columns),))


def _adorned(
    rule: Rule,
    adornment: Adornment,
    component: Collection[RelationKey],
    body: Sequence[Literal],
) -> Iterator[tuple[Rule, Adornment | None]]:
    """Yield the magic rules of a body, each with the adornment it needs, then the rule itself."""
    key = tuple(rule.head.args[i] for i in adornment.bound)
    done: list[Literal] = [Atom(adornment.magic[0], key)]
    known = {v.name for term in key for v in variables_of(term)}
    for literal in body:
        evaluated = literal
        if isinstance(literal, Atom) and literal.relation in component:
            bound = tuple(
                column
                for column, term in enumerate(literal.args)
                if all(v.name in known for v in variables_of(term))
            )
            needed = Adornment(literal.relation, bound)
            asked = Atom(needed.magic[0], tuple(literal.args[i] for i in bound))
            yield Rule(asked, tuple(done)), needed
            evaluated = Atom(needed.answers[0], literal.args)
        if isinstance(literal, Atom):
            known |= names_in([literal])
        done.append(evaluated)
    yield Rule(Atom(adornment.answers[0], rule.head.args), tuple(done)), None
