"""The equipment besides boards: dice, cards, and pieces with traits of two values.

Dice are found in how rules make facts, cards and traits in the words of the rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from gdl.analysis.boards.evidence import Row, RulesEvidence
from gdl.analysis.boards.grids import Grid, GridFacts
from gdl.analysis.boards.layout import function_of
from gdl.datalog import dependency_graph, reachable
from gdl.language import (
    Atom,
    Constant,
    Function,
    Not,
    RelationKey,
    Rule,
    Term,
    body_atoms,
    moves_by_chance,
    variables_in,
)

CARDS = ("card", "cards")
"""What rules call the relation that lists their cards."""

_COUNTS = (2**3, 2**4)
"""How many pieces can be drawn: by their size, colour and shape, and a hole."""


def are_thrown(evidence: RulesEvidence, grid: Grid) -> bool:
    """Whether the numbers of a grid's facts are thrown or said anew, and chance throws some.

    They are no places then, though two of them look like coordinates.

    These facts are kept as a whole or not at all, so that there is one of each function at a time,
    or one for each role. What chance puts on a board is kept by its place.
    """
    if not any(role.lower() == "random" for role in evidence.roles):
        return False
    graph = dependency_graph(evidence.ruleset.rules)
    dynamic = {relation for relation in graph if ("true", 1) in reachable(graph, [relation])}
    by_chance = False
    for facts in grid.facts:
        made = [rule for rule in _rules_of(evidence, facts) if not _keeps(rule, facts)]
        if not made or not all(_is_said(rule, facts, dynamic) for rule in made):
            return False
        by_chance = by_chance or any(map(_is_by_chance, made))
    return by_chance


def _rules_of(evidence: RulesEvidence, facts: GridFacts) -> Iterable[Rule]:
    for rule in evidence.ruleset.rules:
        fact = rule.head.args[0] if rule.head.relation == ("next", 1) else None
        if isinstance(fact, Function) and function_of(fact) == facts.fluent.key:
            yield rule


def _numbers(fact: Term, facts: GridFacts) -> set[Term]:
    assert isinstance(fact, Function)
    return {fact.args[i] for i in facts.pair}


def _keeps(rule: Rule, facts: GridFacts) -> bool:
    """Whether a fact stays unless something happens that does not ask for its numbers."""
    kept = Atom("true", (rule.head.args[0],))
    numbers = _numbers(rule.head.args[0], facts)
    others = [literal for literal in rule.body if literal != kept]
    return (
        len(others) < len(rule.body)
        and any(isinstance(literal, Not) for literal in others)
        and not any(numbers & set(variables_in(literal)) for literal in others)
    )


def _is_said(rule: Rule, facts: GridFacts, dynamic: set[RelationKey]) -> bool:
    """Whether the numbers come from a move, and depend on no fact."""
    numbers = _numbers(rule.head.args[0], facts)
    asked = [atom for atom, _ in body_atoms(rule)]
    return any(atom.relation == ("does", 2) for atom in asked) and not any(
        numbers & set(variables_in(atom))
        for atom in asked
        if atom.relation == ("true", 1) or atom.relation in dynamic
    )


def _is_by_chance(rule: Rule) -> bool:
    movers = (atom.args[0] for atom, _ in body_atoms(rule) if atom.relation == ("does", 2))
    return any(isinstance(mover, Constant) and moves_by_chance(mover) for mover in movers)


def traits_of_words(domains: Iterable[frozenset[str]]) -> Mapping[str, tuple[int, ...]]:
    """Return the traits of all words of arguments whose values are letters in all combinations.

    So of slrf, slrh, ... tdqh, the sixteen pieces of quarto, and p0000 to p1111; each is 0 or 1.
    """
    found: dict[str, tuple[int, ...]] = {}
    for words in domains:
        length = min(map(len, words), default=0)
        if len(words) not in _COUNTS or max(map(len, words)) != length:
            continue
        letters = [sorted({word[i] for word in words}) for i in range(length)]
        telling = [i for i, each in enumerate(letters) if len(each) == 2]
        is_whole = 2 ** len(telling) == len(words) and max(map(len, letters)) == 2
        if is_whole and not any(word.isdigit() for word in words):
            found |= {word: tuple(letters[i].index(word[i]) for i in telling) for word in words}
    return found


_DRAWN_TRAITS = (
    frozenset({"small", "short", "little", "low"}),
    frozenset({"light", "white", "pale", "bright"}),
    frozenset({"square", "angular", "cubic", "box"}),
    frozenset({"hollow", "holed", "hole"}),
)
"""Words for what is drawn where the trait of each kind is 1."""


def named_traits(
    traits: Mapping[str, tuple[int, ...]], static: Mapping[RelationKey, frozenset[Row]]
) -> tuple[Mapping[str, tuple[int, ...]], Mapping[str, tuple[str, ...]]]:
    """Find the words of a static relation for the traits of pieces, as (has tdrf tall).

    Return the traits, as they are drawn where these words tell it, and the words of each piece;
    the traits as they were, and no words, where no relation has one for each.
    """
    count = len(next(iter(traits.values()), ()))
    alike = [
        [frozenset(word for word, bits in traits.items() if bits[i] == bit) for bit in (0, 1)]
        for i in range(count)
    ]
    for relation, rows in sorted(static.items()) if traits else ():
        if relation[1] != 2 or not traits.keys() <= {thing for thing, _ in rows}:
            continue
        carriers: dict[str, set[str]] = {}
        for thing, word in rows:
            carriers.setdefault(word, set()).add(thing)
        word_of = {frozenset(those): word for word, those in sorted(carriers.items())}
        if all(those in word_of for pair in alike for those in pair):
            said = {
                piece: tuple(word_of[alike[i][bit]] for i, bit in enumerate(bits))
                for piece, bits in traits.items()
            }
            return _as_drawn(traits, said), said
    return traits, {}


def _as_drawn(
    traits: Mapping[str, tuple[int, ...]], said: Mapping[str, tuple[str, ...]]
) -> Mapping[str, tuple[int, ...]]:
    """The traits, with small, light, square and hollow pieces drawn so; else as they were."""
    drawn = {
        piece: tuple(int(not known.isdisjoint(words)) for known in _DRAWN_TRAITS[: len(words)])
        for piece, words in said.items()
    }
    return drawn if len(set(drawn.values())) == len(traits) else traits


_SIZE = re.compile(r"(small|narrow|light)|large|big|wide|heav", re.IGNORECASE)
"""What names of relations that order things by their size have in them."""


def sizes_of(
    things: frozenset[str], static: Mapping[RelationKey, frozenset[Row]]
) -> Mapping[str, float]:
    """Return the sizes of things, up to 1, that a static relation puts in order.

    The relation, such as (smaller 1 2), has all pairs of these things; empty where none does.
    """
    for (name, arity), rows in sorted(static.items()):
        found = _SIZE.search(name) if arity == 2 else None
        if found is None:
            continue
        pairs = [row if found[1] else row[::-1] for row in rows if things.issuperset(row)]
        ranks = Counter(large for _, large in pairs)
        if sorted(ranks[thing] for thing in things) == list(range(len(things))):
            return {thing: (ranks[thing] + 1) / len(things) for thing in things}
    return {}


def hands_of(evidence: RulesEvidence) -> frozenset[tuple[str, int]]:
    """Return the functions of one or two arguments, of a holder and a card, whose last is a card.

    Cards are what facts of the rules list in a relation that is called so, of one argument.
    """
    cards = {
        str(rule.head.args[0])
        for rule in evidence.ruleset.rules
        if not rule.body and len(rule.head.args) == 1 and rule.head.name.lower() in CARDS
    }
    return frozenset(
        fluent.key
        for fluent in evidence.fluents.values()
        if fluent.arity in (1, 2) and fluent.columns[-1] and fluent.columns[-1] <= cards
    )
