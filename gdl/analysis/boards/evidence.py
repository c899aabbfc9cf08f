"""What the rules alone tell of facts and static relations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod
from typing import TypeAlias

from gdl.analysis.boards.axes import has_gap
from gdl.analysis.boards.layout import function_of, words_of
from gdl.datalog import (
    EMPTY_DOMAIN,
    ArgumentPosition,
    Domains,
    FunctionKey,
    dependency_graph,
    domains_of,
    flatten_rules,
    reachable,
    variable_domains,
)
from gdl.errors import GdlError
from gdl.language import (
    KEYWORDS,
    MACHINE_RELATIONS,
    Atom,
    Constant,
    Function,
    RelationKey,
    Rule,
    Ruleset,
    Term,
    Variable,
    atoms_of,
    body_atoms,
)
from gdl.reasoner import evaluate_static

MAX_WORK = 2_000_000
"""The most bindings that a static rule may have, by the sizes of its variables' domains."""

MAX_ROWS = 20_000
"""The most rows of a static relation that are looked at."""

MAX_ARITY = 8
"""The most arguments of a static relation that is looked at."""

MAX_PLACE_FACTS = 20_000
"""The most facts of one function that places are made for."""

MIN_FILLED = 9
"""The fewest facts that fill a board in the initial state."""

Row = tuple[str, ...]


@dataclass(frozen=True)
class FluentTable:
    """The facts of one function that can be true.

    ``columns`` are the values of each argument; ``rows`` the rows that can occur, None where only
    the columns are known; ``initial`` those of the initial state. ``names`` are the variables that
    rules write at each argument.
    """

    name: str
    columns: tuple[frozenset[str], ...]
    rows: frozenset[Row] | None
    initial: frozenset[Row]
    names: tuple[frozenset[str], ...]

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return len(self.columns)

    @property
    def key(self) -> FunctionKey:
        """Name and number of arguments."""
        return self.name, self.arity

    def projected(self, columns: tuple[int, ...]) -> set[Row]:
        """Return the values that the given columns can have together; empty where too many."""
        if self.rows is not None:
            return {tuple([row[i] for i in columns]) for row in self.rows}
        domains = [sorted(self.columns[i]) for i in columns]
        return set(product(*domains)) if prod(map(len, domains)) <= MAX_PLACE_FACTS else set()


@dataclass(frozen=True)
class RulesEvidence:
    """A game's fluents, its static relations, and its rules."""

    ruleset: Ruleset
    roles: tuple[str, ...]
    fluents: Mapping[FunctionKey, FluentTable]
    static: Mapping[RelationKey, frozenset[Row]]


def gather(ruleset: Ruleset) -> RulesEvidence:
    """Evaluate what the rules alone determine, within bounds of size."""
    plain = _with_plain_init(ruleset)
    affordable = _affordable_relations(plain)
    relations = [("base", 1), _INITIAL, ("role", 1)]
    tables = _evaluate(plain, [r for r in relations if r in affordable])
    base = [row[0] for row in tables.get(("base", 1), ())]
    initial = [row[0] for row in tables.get(_INITIAL, ())]
    roles = tuple(role.name for role in ruleset.roles) or tuple(
        sorted(str(row[0]) for row in tables.get(("role", 1), ()))
    )
    domains = {} if base else _function_domains(ruleset, moves=False)
    candidates = sorted(
        r for r in affordable if r[0] not in KEYWORDS and r != _INITIAL and 2 <= r[1] <= MAX_ARITY
    )
    rows = {
        relation: frozenset(tuple(map(str, row)) for row in table)
        for relation, table in _evaluate(ruleset, candidates).items()
        if len(table) <= MAX_ROWS
    }
    return RulesEvidence(ruleset, roles, _fluents(ruleset, base, initial, domains), rows)


_INITIAL = ("initially true", 1)
"""A relation for the initial facts, which is not flattened; no rulesheet can use its name."""


def _with_plain_init(ruleset: Ruleset) -> Ruleset:
    rules = tuple(
        replace(rule, head=Atom(_INITIAL[0], rule.head.args))
        if rule.head.relation == ("init", 1)
        else rule
        for rule in ruleset.rules
    )
    return replace(ruleset, rules=rules)


# ---------------------------------------------------------------------- static relations


def _affordable_relations(ruleset: Ruleset) -> frozenset[RelationKey]:
    """Find the relations that depend on nothing but the rules and are cheap to evaluate."""
    graph = dependency_graph(ruleset.rules)
    dynamic = {("true", 1), ("does", 2)}
    defined = {rule.head.relation for rule in ruleset.rules}
    closed = [r for r in defined if reachable(graph, [r]).isdisjoint(dynamic)]
    try:
        flat = flatten_rules(ruleset, closed)
    except (GdlError, RecursionError):
        return frozenset()
    domains = domains_of(flat.rules)
    dear = {rule.head.relation for rule in flat.rules if _work(rule, domains) > MAX_WORK}
    flat_graph = dependency_graph(flat.rules)
    return frozenset(r for r in closed if reachable(flat_graph, [r]).isdisjoint(dear))


def _work(rule: Rule, domains: Domains) -> int:
    values = variable_domains(rule, domains)
    return prod(max(1, len(domain)) for domain in values.values()) if values else 0


def _evaluate(
    ruleset: Ruleset, relations: Sequence[RelationKey]
) -> dict[RelationKey, list[tuple[Term, ...]]]:
    try:
        return evaluate_static(ruleset, relations) if relations else {}
    except (GdlError, RecursionError):
        return {}


# ---------------------------------------------------------------------- fluents


def move_domains(ruleset: Ruleset) -> Domains:
    """Find the values of each argument of a move; they can be more than are ever legal."""
    return _function_domains(ruleset, moves=True)


def _function_domains(ruleset: Ruleset, *, moves: bool) -> Domains:
    """Find the values of the arguments of all facts or moves; empty where the rules are wrong."""
    try:
        flat = flatten_rules(ruleset, MACHINE_RELATIONS)
    except (GdlError, RecursionError):
        return {}
    domains = domains_of(flat.rules, flat.column_flows())
    found = {}
    for relation, function in flat.moves if moves else flat.fluents:
        if function is None:
            continue
        before = relation[1] - function[1]  # the role of a move
        for column in range(function[1]):
            domain = domains.get(ArgumentPosition(True, *relation, before + column))
            if domain is not None:
                found[ArgumentPosition(False, *function, column)] = domain
    return found


def _fluents(
    ruleset: Ruleset, base: list[Term], initial: list[Term], domains: Domains
) -> dict[FunctionKey, FluentTable]:
    names = _variable_names(ruleset)
    listed, first = _rows_by_function(base), _rows_by_function(initial)
    keys = dict.fromkeys([*_written(ruleset), *listed, *first])
    found = {}
    for key in keys:
        if not key[1]:
            continue
        rows = listed.get(key, set()) | first.get(key, set()) if listed else None
        columns = _columns(key, rows, first.get(key, set()), domains)
        if all(columns):
            found[key] = FluentTable(
                key[0],
                columns,
                None if rows is None or len(rows) > MAX_PLACE_FACTS else frozenset(rows),
                frozenset(first.get(key, ())),
                tuple(frozenset(names[*key, i]) for i in range(key[1])),
            )
    return found


def _columns(
    key: FunctionKey, rows: set[Row] | None, initial: set[Row], domains: Domains
) -> tuple[frozenset[str], ...]:
    positions = [ArgumentPosition(False, *key, i) for i in range(key[1])]
    if rows or positions[0] not in domains:
        return tuple(frozenset(row[i] for row in rows or initial) for i in range(key[1]))
    filled = _filled_columns(key, initial)
    return tuple(
        filled.get(i) or frozenset(domains.get(position, EMPTY_DOMAIN).constants)
        for i, position in enumerate(positions)
    )


def _filled_columns(key: FunctionKey, initial: set[Row]) -> dict[int, frozenset[str]]:
    """The values of two arguments that the initial state has in every combination.

    Domains can be wider: where rules compare columns with rows, each has the values of both. Where
    numbers are missing, as between the ranks of pieces, the board is larger than what is filled.
    """
    if len(initial) < MIN_FILLED:
        return {}
    values = [frozenset(row[i] for row in initial) for i in range(key[1])]
    for one, two in combinations(range(key[1]), 2):
        pairs = {(row[one], row[two]) for row in initial}
        if has_gap(values[one]) or has_gap(values[two]):
            continue
        if min(len(values[one]), len(values[two])) > 1 and (
            len(pairs) == len(initial) == len(values[one]) * len(values[two])
        ):
            return {one: values[one], two: values[two]}
    return {}


def _rows_by_function(facts: Iterable[Term]) -> dict[FunctionKey, set[Row]]:
    found: dict[FunctionKey, set[Row]] = defaultdict(set)
    for fact in facts:
        found[function_of(fact)].add(words_of(fact))
    return found


def _facts_in(rule: Rule) -> Iterable[Term]:
    if rule.head.name in ("next", "init", "base") and len(rule.head.args) == 1:
        yield rule.head.args[0]
    for atom, _ in body_atoms(rule):
        if atom.relation == ("true", 1):
            yield atom.args[0]


def _written(ruleset: Ruleset) -> list[FunctionKey]:
    """List the functions of facts in the order in which rules first write them."""
    facts = (fact for rule in ruleset.rules for fact in _facts_in(rule))
    keys = (function_of(fact) for fact in facts if not isinstance(fact, Variable))
    return list(dict.fromkeys(keys))


Argument: TypeAlias = tuple[str, int, int]
"""An argument of a fact or a move: the function's name and number of arguments, and its index."""


def _arguments_of(term: Term) -> list[tuple[Argument, Term]]:
    args = term.args if isinstance(term, Function) else ()
    return [((term.name, len(args), i), argument) for i, argument in enumerate(args)]


def _variable_names(ruleset: Ruleset) -> dict[Argument, set[str]]:
    found: dict[Argument, set[str]] = defaultdict(set)
    facts = (fact for rule in ruleset.rules for fact in _facts_in(rule))
    for argument, term in (each for fact in facts for each in _arguments_of(fact)):
        if isinstance(term, Variable):
            found[argument].add(term.name.lower())
    return found


Links: TypeAlias = Mapping[Argument, Mapping[Argument, int]]
"""For an argument of a move, how often rules write its variable in an argument of a fact."""


def _moves_in(rule: Rule) -> Iterator[Term]:
    """Yield the moves that a rule speaks of."""
    for atom, _ in atoms_of(rule.head, *rule.body):
        if atom.name in ("does", "legal") and len(atom.args) == 2:
            yield atom.args[1]


def moves_written(ruleset: Ruleset) -> set[FunctionKey]:
    """Return the functions of moves that rules write, with their numbers of arguments."""
    moves = (move for rule in ruleset.rules for move in _moves_in(rule))
    return {function_of(move) for move in moves if not isinstance(move, Variable)}


def link_moves(ruleset: Ruleset) -> Links:
    """Count for each argument of a move the arguments of facts that share its variable."""
    found: dict[Argument, Counter[Argument]] = defaultdict(Counter)
    for rule in ruleset.rules:
        facts = [each for fact in _facts_in(rule) for each in _arguments_of(fact)]
        moves = [each for move in _moves_in(rule) for each in _arguments_of(move)]
        for (argument, term), (other, known) in product(moves, facts):
            if term == known and not isinstance(term, Constant):
                found[argument][other] += 1
    return found
