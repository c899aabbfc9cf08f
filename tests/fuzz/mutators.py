"""Mutators: from one input to another that is likely to be read further than random bytes are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias

from tests.support.mutations import mutated

Nested: TypeAlias = "str | list[Nested]"
"""An expression in parentheses, as a list, or a word."""

_TOKEN = re.compile(r"[()]|;[^\r\n]*|[^\s();]+")

MAX_NODES = 2000
"""The most words and lists of an input that grows."""

DONORS: tuple[str, ...] = (
    *("a", "b", "1", "100", "?x", "?y", "?", "x?", "noop", "nil", "random", "-1", "50.", "é", "_"),
    *("()", "(())", "(not)", "(or)", "(and)", "(distinct ?x ?x)", "(distinct a b)", "(terminal)"),
    *("role", "init", "true", "does", "next", "legal", "goal", "terminal", "sees", "distinct"),
    *("(role random)", "(role ?r)", "(init (p a))", "(true (p ?x))", "(true ?x)", "(does ?r ?m)"),
    *("(next ?x)", "(<= (next ?x) (true ?x))", "(legal ?r ?m)", "(goal ?r 100)", "(sees ?r ?x)"),
    *("(<= (p ?x) (p ?x))", "(<= p (not p))", "(<= (p (f ?x)) (p ?x))", "(f ?x (g ?y))"),
    *("(<= (init ?x) (p ?x))", "(<= (sees ?r (did ?q ?m)) (role ?r) (does ?q ?m))", "(p a b)"),
    *(
        "(p)",
        "(or (p a) (not (p b)))",
        "(not (not (p a)))",
        "(and (p ?x) (p ?y))",
        "(not (true a))",
    ),
)
"""What is put in from outside."""

WRAPPERS = ("not", "or", "and", "true", "next", "f", "<=", "does", "distinct", "p")


# ---------------------------------------------------------------------- expressions


def mutate_expressions(data: bytes, random: Random) -> bytes:
    """Change one to four expressions of a text in parentheses; sometimes its bytes."""
    if random.random() < 0.15:
        return mutated(data or b" ", random)
    roots = read_nested(data.decode("utf-8", "surrogateescape"))
    for _ in range(random.choice((1, 1, 2, 3, 4))):
        random.choice(_CHANGES)(roots, random)
        if sum(1 for _ in _slots(roots)) > MAX_NODES:
            del roots[random.randrange(len(roots)) :]
    return write_nested(roots).encode("utf-8", "surrogateescape")


def read_nested(text: str) -> list[Nested]:
    """Read whatever stands there; what is not closed ends with the text, and comments are lost."""
    roots: list[Nested] = []
    opened = [roots]
    for token in _TOKEN.findall(text):
        if token == "(":
            inner: list[Nested] = []
            opened[-1].append(inner)
            opened.append(inner)
        elif token == ")":
            del opened[max(1, len(opened) - 1) :]
        elif not token.startswith(";"):
            opened[-1].append(token)
    return roots


def write_nested(roots: list[Nested]) -> str:
    """Write expressions, each on a line of its own."""
    return "\n".join(map(_written, roots))


def _written(node: Nested) -> str:
    pieces: list[str] = []
    waiting: list[Nested | None] = [node]
    while waiting:
        match waiting.pop():
            case None:
                pieces.append(")")
            case list() as items:
                pieces.append("(")
                waiting += [None, *reversed(items)]
            case word:
                pieces.append(word)
    return " ".join(pieces).replace("( ", "(").replace(" )", ")")


def _slots(roots: list[Nested]) -> list[tuple[list[Nested], int]]:
    """Every place where an expression stands: the list that it is in, and its index."""
    found: list[tuple[list[Nested], int]] = []
    waiting = [roots]
    while waiting:
        items = waiting.pop()
        for index, item in enumerate(items):
            found.append((items, index))
            if isinstance(item, list):
                waiting.append(item)
    return found


def _slot(roots: list[Nested], random: Random) -> tuple[list[Nested], int]:
    if not roots:
        roots.append(_donor(random))
    return random.choice(_slots(roots))


def _donor(random: Random) -> Nested:
    return read_nested(random.choice(DONORS))[0]


def _copied(node: Nested) -> Nested:
    return read_nested(_written(node))[0]


def _delete(roots: list[Nested], random: Random) -> None:
    items, index = _slot(roots, random)
    del items[index]


def _double(roots: list[Nested], random: Random) -> None:
    items, index = _slot(roots, random)
    items.insert(index, _copied(items[index]))


def _swap(roots: list[Nested], random: Random) -> None:
    (items, index), (others, other) = _slot(roots, random), _slot(roots, random)
    first, second = _copied(items[index]), _copied(others[other])
    items[index], others[other] = second, first


def _graft(roots: list[Nested], random: Random) -> None:
    items, index = _slot(roots, random)
    others, other = _slot(roots, random)
    items[index] = _copied(others[other])


def _insert(roots: list[Nested], random: Random) -> None:
    items, index = _slot(roots, random)
    items.insert(index + random.randrange(2), _donor(random))


def _replace(roots: list[Nested], random: Random) -> None:
    items, index = _slot(roots, random)
    items[index] = _donor(random)


def _wrap(roots: list[Nested], random: Random) -> None:
    items, index = _slot(roots, random)
    items[index] = [random.choice(WRAPPERS), items[index]]


def _unwrap(roots: list[Nested], random: Random) -> None:
    items, index = _slot(roots, random)
    inner = items[index]
    if isinstance(inner, list):
        items[index : index + 1] = inner


def _rename(roots: list[Nested], random: Random) -> None:
    """Replace a word by another, in one place or everywhere."""
    words = [(items, index) for items, index in _slots(roots) if isinstance(items[index], str)]
    if not words:
        return
    (items, index), (others, other) = random.choice(words), random.choice(words)
    old, new = items[index], others[other]
    everywhere = random.random() < 0.3
    for holder, at in words if everywhere else [(items, index)]:
        if holder[at] == old:
            holder[at] = new


def _bind(roots: list[Nested], random: Random) -> None:
    """Make a word a variable, or a variable a constant."""
    words = [(items, index) for items, index in _slots(roots) if isinstance(items[index], str)]
    if words:
        items, index = random.choice(words)
        word = str(items[index])
        items[index] = word[1:] or "a" if word.startswith("?") else f"?{word}"


_CHANGES: tuple[Callable[[list[Nested], Random], None], ...] = (
    *(_delete, _double, _swap, _graft, _graft, _insert, _insert, _replace, _wrap, _unwrap),
    *(_rename, _rename, _bind),
)


# ---------------------------------------------------------------------- words and lines


def token_mutator(pattern: bytes, donors: Sequence[bytes]) -> Callable[[bytes, Random], bytes]:
    """Make a mutator that deletes, doubles, swaps and replaces what a pattern finds."""
    token = re.compile(pattern, re.DOTALL)

    def mutate(data: bytes, random: Random) -> bytes:
        if random.random() < 0.1:
            return mutated(data or b" ", random)
        tokens = token.findall(data) or [b" "]
        for _ in range(random.choice((1, 1, 2, 3, 4))):
            at, other = random.randrange(len(tokens)), random.randrange(len(tokens))
            match random.randrange(6):
                case 0:
                    tokens[at] = b""
                case 1:
                    tokens[at] += tokens[at]
                case 2:
                    tokens[at], tokens[other] = tokens[other], tokens[at]
                case 3:
                    tokens[at] = tokens[other]
                case 4:
                    tokens[at] = random.choice(donors)
                case _:
                    tokens[at] += random.choice(donors)
        return b"".join(tokens)

    return mutate


# ---------------------------------------------------------------------- JSON

_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 2**31, 2**63, 2**64, 10**400, 1e308, 0.5, -0.0, float("nan")),
    *(
        float("inf"),
        "",
        " ",
        "a",
        "TO",
        "3 TO",
        "1 IL",
        "(a)",
        "\ud800",
        "\0",
        "é",
        "x" * 300,
        [],
        {},
    ),
    *([[]], [None], ["a"], [["a"]], {"a": 1}, "2020-01-01", "../x", "1" * 5000),
)


def mutate_json(data: bytes, random: Random) -> bytes:
    """Change one to three values of a JSON text; sometimes its bytes."""
    if random.random() < 0.15:
        return mutated(data or b" ", random)
    try:
        roots = [json.loads(data)]
    except (ValueError, RecursionError):
        return mutated(data or b" ", random)
    for _ in range(random.choice((1, 1, 2, 3))):
        _change_json(roots, random)
    return json.dumps(roots[0] if roots else None).encode()


def _change_json(roots: list[Any], random: Random) -> None:
    places = _json_places(roots)
    if not places:
        roots.append({})
        return
    (holder, key), (other, index) = random.choice(places), random.choice(places)
    match random.randrange(5):
        case 0:
            del holder[key]
        case 1:
            holder[key] = random.choice(_VALUES)
        case 2:
            holder[key] = json.loads(json.dumps(other[index]))
        case 3 if isinstance(holder, list):
            holder.insert(key, json.loads(json.dumps(other[index])))
        case _ if isinstance(holder, dict):
            holder[random.choice([str(index), f"{key}x", "", "version"])] = holder[key]


def _json_places(roots: list[Any]) -> list[tuple[Any, Any]]:
    places: list[tuple[Any, Any]] = []
    waiting: list[Any] = [roots]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            places += [(value, index) for index in range(len(value))]
            waiting += value
        elif isinstance(value, dict):
            places += [(value, key) for key in value]
            waiting += value.values()
    return places
