"""Mutators of rules that leave rules: most of what they make can be played, and is another game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from tests.fuzz.mutators import Nested, mutate_expressions, read_nested, write_nested

Rules: TypeAlias = list[Nested]

MAX_RULES = 80

CONNECTIVES = ("not", "or", "and")


def rule_mutator(donors: Sequence[bytes]) -> Callable[[bytes, Random], bytes]:
    """Make a mutator that changes rules, and takes others from rulesheets."""
    given = [rule for text in donors for rule in read_nested(text.decode())]

    def mutate(data: bytes, random: Random) -> bytes:
        if random.random() < 0.1:
            return mutate_expressions(data, random)
        rules = read_nested(data.decode("utf-8", "replace")) or [random.choice(given)]
        for _ in range(random.choice((1, 1, 2, 3, 5))):
            if random.random() < 0.15:
                rules.insert(random.randrange(len(rules) + 1), _copied(random.choice(given)))
            else:
                random.choice(_CHANGES)(rules, random)
        del rules[MAX_RULES:]
        return write_nested(rules).encode()

    return mutate


def cross_rules(first: bytes, second: bytes, random: Random) -> bytes:
    """Make a rulesheet of some rules of one and some of another."""
    sheets = [read_nested(text.decode("utf-8", "replace")) for text in (first, second)]
    share = random.random()
    kept = [rule for rule in sheets[0] if random.random() < 0.5 + share / 2]
    kept += [rule for rule in sheets[1] if random.random() < 1 - share]
    return write_nested(kept[:MAX_RULES]).encode()


def _copied(node: Nested) -> Nested:
    return read_nested(write_nested([node]))[0]


def _bodies(rules: Rules) -> list[list[Nested]]:
    """The rules that have a body, as lists."""
    return [rule for rule in rules if isinstance(rule, list) and rule[:1] == ["<="]]


def _atoms(node: Nested) -> list[list[Nested]]:
    """The atoms of a rule, as lists; those without arguments are not among them."""
    if not isinstance(node, list) or not node:
        return []
    if node[0] in ("<=", *CONNECTIVES):
        return [atom for part in node[1:] for atom in _atoms(part)]
    return [node]


def _terms(rules: Sequence[Nested]) -> list[tuple[list[Nested], int]]:
    """Every place of a term: the atom or function that it is in, and its index."""
    found: list[tuple[list[Nested], int]] = []
    waiting = [atom for rule in rules for atom in _atoms(rule)]
    while waiting:
        items = waiting.pop()
        for index in range(1, len(items)):
            found.append((items, index))
            item = items[index]
            if isinstance(item, list):
                waiting.append(item)
    return found


def _drop_rule(rules: Rules, random: Random) -> None:
    if len(rules) > 1:
        del rules[random.randrange(len(rules))]


def _double_rule(rules: Rules, random: Random) -> None:
    rules.append(_copied(random.choice(rules)) if rules else "terminal")


def _drop_literal(rules: Rules, random: Random) -> None:
    if bodies := [rule for rule in _bodies(rules) if len(rule) > 2]:
        rule = random.choice(bodies)
        del rule[random.randrange(2, len(rule))]


def _add_literal(rules: Rules, random: Random) -> None:
    """Copy a literal from one body to another, or make a fact a rule."""
    bodies = [rule for rule in _bodies(rules) if len(rule) > 2]
    if not bodies:
        return
    literal = _copied(random.choice(random.choice(bodies)[2:]))
    if random.random() < 0.2 and len(rules) > len(bodies):
        at = random.randrange(len(rules))
        if rules[at] not in bodies:
            rules[at] = ["<=", rules[at], literal]
        return
    rule = random.choice(bodies)
    rule.insert(random.randrange(2, len(rule) + 1), literal)


def _connect(rules: Rules, random: Random) -> None:
    """Negate a literal, or join it with another one; or undo that."""
    bodies = [rule for rule in _bodies(rules) if len(rule) > 2]
    if not bodies:
        return
    rule = random.choice(bodies)
    at = random.randrange(2, len(rule))
    literal = rule[at]
    if isinstance(literal, list) and literal[:1] and literal[0] in CONNECTIVES:
        rule[at : at + 1] = literal[1:2]
    elif random.random() < 0.5:
        rule[at] = ["not", literal]
    else:
        other = _copied(random.choice(random.choice(bodies)[2:]))
        rule[at] = [random.choice(CONNECTIVES[1:]), literal, other]


def _change_term(rules: Rules, random: Random) -> None:
    if places := _terms(rules):
        (items, index), (others, other) = random.choice(places), random.choice(places)
        items[index] = _copied(others[other])


def _change_variable(rules: Rules, random: Random) -> None:
    """Replace a term wherever it stands in one rule."""
    rule = random.choice(rules) if rules else "a"
    places, others = _terms([rule]), _terms([rule, random.choice(rules or ["a"])])
    if places:
        items, index = random.choice(places)
        old = _copied(items[index])
        holder, at = random.choice(others)
        new = holder[at]
        for items, index in places:
            if items[index] == old:
                items[index] = _copied(new)


def _change_relation(rules: Rules, random: Random) -> None:
    """Give an atom the name of another one with as many arguments."""
    atoms = [atom for rule in rules for atom in _atoms(rule)]
    if atoms:
        atom = random.choice(atoms)
        atom[0] = random.choice([other[0] for other in atoms if len(other) == len(atom)])


def _change_arity(rules: Rules, random: Random) -> None:
    """Add or remove an argument of a function."""
    functions = [items[at] for items, at in _terms(rules) if isinstance(items[at], list)]
    if functions:
        function = random.choice(functions)
        assert isinstance(function, list)
        if len(function) > 2 and random.random() < 0.5:
            del function[random.randrange(1, len(function))]
        elif len(function) > 1:
            function.append(_copied(function[random.randrange(1, len(function))]))


def _shuffle(rules: Rules, random: Random) -> None:
    """Change the order of rules, and of a body's literals."""
    random.shuffle(rules)
    for rule in _bodies(rules):
        body = rule[2:]
        random.shuffle(body)
        rule[2:] = body


_CHANGES: tuple[Callable[[Rules, Random], None], ...] = (
    *(_drop_rule, _double_rule, _drop_literal, _drop_literal, _add_literal, _add_literal),
    *(_connect, _connect, _change_term, _change_term, _change_term, _change_variable),
    *(_change_variable, _change_relation, _change_relation, _change_arity, _shuffle),
)
