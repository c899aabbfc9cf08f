"""Flat rules: a game's rules in normal form, checked, ordered and flattened.

They are what both the reasoner and the grounder start from.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gdl.datalog.dependencies import (
    chain_length,
    dependency_graph,
    levels,
    reachable,
    strongly_connected_components,
)
from gdl.datalog.domains import ArgumentPosition, Flow, FunctionKey, domains_of
from gdl.datalog.flattening import Flattening
from gdl.datalog.normal_form import normal_form, split_recursion
from gdl.errors import MoveError, ResourceLimitError, RulesetError, Source
from gdl.language import (
    GIVEN_LEVELS,
    HIGHEST_LEVELS,
    KEYWORDS,
    Constant,
    Level,
    RelationKey,
    Rule,
    Ruleset,
    Term,
    body_atoms,
)

MAX_CHAIN = 2000
"""The longest chain of relations, each defined through the next; known games reach 60."""

FRAMES_PER_RELATION = 12
"""The Python frames that planning needs for each relation of a chain."""

_INTEGER = re.compile("[0-9]{1,9}")

_LEVEL_TEXTS = {Level.VIEW: "the state ('true')", Level.TRANSITION: "moves ('does')"}


@dataclass(frozen=True, slots=True)
class FlatRules:
    """Flattened rules, definitions before their uses.

    ``fluents`` and ``moves`` are the specialized relations of ``true`` and ``does``, each with the
    function that it stands for, None for plain constants.
    """

    rules: list[Rule]
    fluents: list[tuple[RelationKey, FunctionKey | None]]
    moves: list[tuple[RelationKey, FunctionKey | None]]

    def flows(self) -> Iterator[tuple[RelationKey, RelationKey]]:
        """Yield pairs of relations: rows of the first can come to be rows of the second."""
        for relation, _ in self.fluents:
            yield counterpart(relation, "init"), relation
            yield counterpart(relation, "next"), relation
        for relation, _ in self.moves:
            yield counterpart(relation, "legal"), relation

    def column_flows(self) -> Iterator[Flow]:
        """Yield the same flows for each column."""
        for origin, target in self.flows():
            for column in range(origin[1]):
                yield (
                    ArgumentPosition(True, *origin, column),
                    ArgumentPosition(True, *target, column),
                )


def flatten_rules(ruleset: Ruleset, asked: Iterable[RelationKey]) -> FlatRules:
    """Flatten the rules that the relations ``asked`` for are defined through.

    Raises :class:`gdl.RulesetError` for rules that cannot be evaluated.
    """
    rules = split_recursion(normal_form(ruleset.rules, ruleset.source))
    graph = dependency_graph(rules)
    ordered = strongly_connected_components(graph)
    _check_levels(rules, levels(graph, ordered), ruleset.source)
    _raise_recursion_limit(chain_length(graph, ordered))
    asked = frozenset(asked)
    wanted = reachable(graph, asked)
    order = {r: i for i, c in enumerate(ordered) for r in c}
    rules = [rule for rule in rules if rule.head.relation in wanted]
    rules.sort(key=lambda rule: order[rule.head.relation])
    flattening = Flattening(domains_of(rules), asked)
    return FlatRules(
        flattening.rules(rules),
        list(flattening.specializations(("true", 1))),
        list(flattening.specializations(("does", 2))),
    )


def is_keyword_relation(relation: RelationKey) -> bool:
    """Check whether a relation is a keyword's, or a specialized relation of one."""
    return relation[0].split(" ")[0] in KEYWORDS


def counterpart(relation: RelationKey, name: str) -> RelationKey:
    """Return a specialized relation's counterpart under another keyword: ``next`` for ``true``."""
    _, blank, function = relation[0].partition(" ")
    return name + blank + function, relation[1]


def ordered_roles(ruleset: Ruleset, derived: Iterable[Term]) -> tuple[Constant, ...]:
    """List the roles: those stated as facts in their order, then derived ones by name."""
    names = {role.name: role for role in derived if isinstance(role, Constant)}
    ordered = dict.fromkeys([*(role.name for role in ruleset.roles), *sorted(names)])
    if not ordered:
        raise RulesetError(f"{ruleset.source.name}: the rules name no role")
    return tuple(names[name] for name in ordered)


def index_of_role(ruleset: Ruleset, roles: Iterable[Constant], role: Term | str) -> int:
    """Return the index of a role, a term or text, whatever case it is written in."""
    names = [own.name for own in roles]
    name = str(ruleset.spell(Constant(role.strip()) if isinstance(role, str) else role))
    if name not in names:
        raise MoveError(f"no role is called {role}; the roles are {', '.join(names)}")
    return names.index(name)


def goal_value(term: Term) -> int | None:
    """Return a goal's integer, None for other terms."""
    name = str(term)
    return int(name) if _INTEGER.fullmatch(name) else None


def _check_levels(
    rules: Sequence[Rule], level: Mapping[RelationKey, Level], source: Source
) -> None:
    """Raise an error for rules whose head may not depend on what their body depends on."""
    bodies = [body_atoms(rule) for rule in rules]
    for rule, atoms in zip(rules, bodies, strict=True):
        head = rule.head.relation
        found = max([level.get(a.relation, Level.STATIC) for a, _ in atoms], default=Level.STATIC)
        if head in GIVEN_LEVELS:
            problem = f"'{head[0]}' is given by the match, no rule can state it"
        elif found > HIGHEST_LEVELS.get(head, Level.TRANSITION):
            problem = f"'{head[0]}' must not depend on {_LEVEL_TEXTS[found]}"
        else:
            continue
        line, column = source.position((rule.span or (0, 0))[0])
        raise RulesetError(f"{source.name}:{line}:{column}: {problem}")


def _raise_recursion_limit(chain: int) -> None:
    """Let Python recurse as deeply as relations are defined through each other."""
    if chain > MAX_CHAIN:
        raise ResourceLimitError(f"relations are defined through over {MAX_CHAIN} others in a row")
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 1000 + FRAMES_PER_RELATION * chain))
