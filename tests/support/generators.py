"""Random small rulesets that have a meaning: safe, finite, and stratified by default.

Relations come in layers. A rule uses its own layer and those below, and negates those below only,
so that recursion is free and no cycle has a negation in it. One name has two arities here, for
relations and functions, and is a relation, a function and a constant at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from gdl import And, Atom, Constant, Distinct, Function, Literal, Not, Or, Rule, Ruleset, Term
from gdl import Variable as Var
from gdl.language.rules import atoms_of, substitute_rule, variables_in, variables_of

Relation = tuple[str, int]
Relations = tuple[Relation, ...]
Terms = tuple[Term, ...]


def _constants(names: str) -> Terms:
    return tuple(Constant(name) for name in names.split())


def _applied(name: str, *arguments: Term) -> Term:
    return Function(name, arguments)


ROLES = _constants("red blue")
GOALS = _constants("0 50 100")
RANKS = _constants("1 2 3 4")
A, B, C, F = _constants("a b c f")
X, Y, Z = VARIABLES = tuple(Var(name) for name in "xyz")
FUNCTIONS: Terms = (_applied("f", A), _applied("g", B), _applied("f", A, B))
GROUND: Terms = (*((A, B, C) * 4), F, *FUNCTIONS, _applied("f", B, _applied("g", A)))
PATTERNS: Terms = (
    *(_applied("f", X), _applied("f", Y), _applied("g", X), _applied("f", X, Y)),
    *(_applied("f", Z, X), _applied("f", X, X), _applied("f", X, _applied("g", Y))),
)
TERMS: Terms = (*(VARIABLES * 16), *PATTERNS, _applied("g", B), A, B, ROLES[0])
"""The terms of bodies: mostly variables, as otherwise nothing would match."""
HEADS: Terms = (*(VARIABLES * 4), *PATTERNS, *GROUND)
HEADS_OF_RECURSION: Terms = (*(VARIABLES * 4), *GROUND)
"""Without functions of variables, which would grow without end."""


@dataclass(frozen=True)
class Layer:
    """Relations that may be defined through each other."""

    heads: Relations
    facts: int = 4
    """The least number of facts: without some, hardly any rule would ever apply."""
    sources: Relations = ()
    """What its bodies may use besides other layers: ``true`` or ``does``."""
    ranked: str = ""
    """A relation above this layer whose recursion goes along ranks."""


LAYERS = (
    Layer((("p", 1), ("p", 2)), facts=5, ranked="win"),
    Layer((("q", 2), ("f", 1)), facts=5),
    Layer((("flag", 0),), facts=0),
    Layer((("init", 1),)),
    Layer((("v", 1), ("v", 2)), sources=(("true", 1),), ranked="gain"),
    Layer((("w", 2), ("on", 0))),
    Layer((("legal", 2),), facts=3),
    Layer((("h", 1), ("h", 3))),
    Layer((("goal", 2),), facts=0),
    Layer((("terminal", 0),), facts=0),
    Layer((("n", 1), ("n", 2)), sources=(("does", 2),)),
    Layer((("next", 1),), facts=0),
    Layer((("sees", 2),), facts=0),
)
HIDDEN = {"init", "next", "sees"}
"""These may not occur in bodies."""
OWNED = {"legal", "goal", "sees"}
"""The first argument of these is a role."""


@st.composite
def rulesets(draw: DrawFn, in_cycles: bool = False) -> Ruleset:
    """A game of two roles; ``in_cycles`` lets relations be negated in their own definition."""
    rules = [Rule(Atom("role", (role,))) for role in ROLES]
    rules += [Rule(Atom("legal", (role, Constant("noop")))) for role in ROLES]
    rules.append(Rule(Atom("next", (Y,)), (Atom("does", (X, Y)),)))
    below: Relations = (("nothing", 1), ("role", 1))
    for layer in LAYERS:
        below += layer.sources
        own = tuple(relation for relation in layer.heads if relation[0] not in HIDDEN)
        rules += draw(_definitions(layer, below + own, below + own if in_cycles else below))
        below += own
        if layer.ranked:
            rules += draw(_ranked(layer.ranked, below))
            below += ((layer.ranked, 2), (f"{layer.ranked}-reach", 1))
    return Ruleset(tuple(dict.fromkeys(rules)))


@cache
def _definitions(
    layer: Layer, usable: Relations, negatable: Relations
) -> SearchStrategy[list[Rule]]:
    rules = st.lists(_rules(layer, usable, negatable), min_size=1, max_size=3)
    most = layer.facts and layer.facts + 3
    facts = _atoms(layer.heads, GROUND, owners=ROLES).map(Rule)
    return st.tuples(st.lists(facts, min_size=layer.facts, max_size=most), rules).map(_joined)


def _joined(lists: tuple[list[Rule], list[Rule]]) -> list[Rule]:
    return lists[0] + lists[1]


@st.composite
def _rules(draw: DrawFn, layer: Layer, usable: Relations, negatable: Relations) -> Rule:
    own = tuple(relation for relation in layer.heads if relation in usable)
    body = draw(_bodies(usable, negatable, own))
    atoms = (atom for literal in body for atom, _ in atoms_of(literal))
    recursive = any(atom.relation in layer.heads for atom in atoms)
    terms = HEADS_OF_RECURSION if recursive else HEADS
    head = draw(_atoms(layer.heads, terms, owners=(*ROLES, X, X)))
    if head.name in OWNED and head.args[0] == X:
        body.append(Atom("role", (X,)))
    return made_safe(Rule(head, tuple(body)))


@st.composite
def _ranked(draw: DrawFn, name: str, below: Relations) -> list[Rule]:
    """Draw relations over a few ranks: one negates itself for lower ranks, one is a closure."""
    pairs = draw(st.lists(st.sampled_from(list(combinations(RANKS, 2))), min_size=2, max_size=6))
    rules = [Rule(Atom(f"{name}-above", (high, low))) for low, high in pairs]
    rules += [Rule(Atom(name, (RANKS[0], A))), Rule(Atom(f"{name}-reach", (RANKS[3],)))]
    high, low = Var("high"), Var("low")
    link = Atom(f"{name}-above", (high, low))
    for _ in range(draw(st.integers(0, 2))):
        other = Atom(name, (low, draw(st.sampled_from(HEADS_OF_RECURSION))))
        choices: list[Literal] = [Not(other), Not(other), other]
        literal = draw(st.sampled_from(choices))
        head = Atom(name, (high, draw(st.sampled_from(HEADS_OF_RECURSION))))
        rules.append(made_safe(Rule(head, (*draw(_bodies(below, below)), literal, link))))
    for _ in range(draw(st.integers(1, 2))):
        reached, other = Atom(f"{name}-reach", (high,)), Atom(name, (high, A))
        variants: list[Literal] = [
            reached,
            Or((other, reached)),
            Or((And((other, reached)), Not(Not(reached)))),
        ]
        rest = draw(st.one_of(st.just([]), _bodies(below, below)))
        body = (*rest, draw(st.sampled_from(variants)), link)
        rules.append(made_safe(Rule(Atom(f"{name}-reach", (low,)), body)))
    return rules


# ---------------------------------------------------------------------- literals


def _atoms(relations: Relations, terms: Terms, owners: Terms = ()) -> SearchStrategy[Atom]:
    return st.sampled_from(relations).flatmap(lambda relation: _atoms_of(relation, terms, owners))


@cache
def _atoms_of(relation: Relation, terms: Terms, owners: Terms) -> SearchStrategy[Atom]:
    name, arity = relation
    columns = [terms] * arity
    if owners and name in OWNED:
        columns = [owners, GOALS if name == "goal" else terms]
    return st.tuples(*map(st.sampled_from, columns)).map(lambda args: Atom(name, args))


@cache
def _bodies(
    usable: Relations, negatable: Relations, own: Relations = ()
) -> SearchStrategy[list[Literal]]:
    # The latest relations more often: they are what makes a layer differ from those below.
    atoms = _atoms(usable + usable[-4:] + own * 3, TERMS)
    terms = st.sampled_from(TERMS)
    pairs = st.tuples(terms, terms).filter(lambda pair: pair[0] != pair[1])
    inequalities = pairs.map(lambda pair: Distinct(*pair))
    negations = _filters(_atoms(negatable + negatable[-4:], TERMS), inequalities).map(Not)
    simple = st.one_of(atoms, atoms, negations, inequalities)
    branches = st.lists(st.one_of(simple, _compounds(simple)), min_size=1, max_size=3)
    disjunctions = branches.map(lambda parts: Or(tuple(parts)))
    others = st.lists(
        st.one_of(negations, inequalities, disjunctions, _compounds(simple)), max_size=1
    )
    binding = st.lists(atoms, min_size=1, max_size=3)
    return st.tuples(others, binding, others).map(lambda parts: [*chain(*parts)])


def _filters(
    negated: SearchStrategy[Atom], inequalities: SearchStrategy[Distinct]
) -> SearchStrategy[Literal]:
    simple = st.one_of(negated, negated, inequalities, negated.map(Not))
    return st.one_of(negated, negated, negated, inequalities, _compounds(simple))


def _compounds(parts: SearchStrategy[Literal]) -> SearchStrategy[Literal]:
    lists = st.lists(parts, min_size=1, max_size=2).map(tuple)
    return st.one_of(lists.map(Or), lists.map(And))


# ---------------------------------------------------------------------- safety


def made_safe(rule: Rule) -> Rule:
    """Replace every unbound variable of a rule by a constant."""
    bound = _bound(rule.body)
    missing = {v.name for term in rule.head.args for v in variables_of(term)} - bound
    missing |= _missing(rule.body, frozenset())
    return substitute_rule(rule, dict.fromkeys(missing, A)) if missing else rule


def _bound(literals: Iterable[Literal]) -> frozenset[str]:
    """Return the variables that the literals bind."""
    return frozenset[str]().union(*map(_bound_by, literals))


def _bound_by(literal: Literal) -> frozenset[str]:
    if isinstance(literal, Atom):
        return frozenset(v.name for v in variables_in(literal))
    if isinstance(literal, And):
        return _bound(literal.literals)
    if isinstance(literal, Or):
        return frozenset.intersection(*map(_bound_by, literal.literals))
    return frozenset()


def _missing(literals: Sequence[Literal], outer: frozenset[str]) -> set[str]:
    """Return the variables of negations and inequalities that nothing binds."""
    known = outer | _bound(literals)
    missing: set[str] = set()
    for literal in literals:
        if isinstance(literal, Not | Distinct):
            missing |= {v.name for v in variables_in(literal)} - known
        elif isinstance(literal, And):
            missing |= _missing(literal.literals, known)
        elif isinstance(literal, Or):
            for branch in literal.literals:
                missing |= _missing([branch], known)
    return missing
