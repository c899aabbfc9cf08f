"""Mutations: random damage to rulesheets, of the kinds that occur in practice."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

TOKEN = re.compile(rb"[()]|[^\s();]+")

DEEP = 100_000
"""How many parentheses the deepest mutation opens."""

LONG = 10 * 2**20
"""How many bytes the longest line has."""

UNITS = (b"x", b"( ", b")", b"?", b"(p ?x) ", b"p ", b";", b"\x01", b"(not ", b"()", b"p(", b"~p&")
"""What the longest lines are made of."""

Mutation = Callable[[bytes, Random], bytes]


def delete_token(text: bytes, random: Random) -> bytes:
    start, end = _token(text, random)
    return text[:start] + text[end:]


def double_token(text: bytes, random: Random) -> bytes:
    start, end = _token(text, random)
    return text[:end] + b" " + text[start:end] + text[end:]


def cut(text: bytes, random: Random) -> bytes:
    return text[: random.randrange(len(text) + 1)]


def swap_names(text: bytes, random: Random) -> bytes:
    (a, b), (c, d) = sorted((_token(text, random), _token(text, random)))
    return text if c < b else text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def scatter_bytes(text: bytes, random: Random) -> bytes:
    changed = bytearray(text)
    for _ in range(random.randint(1, 20)):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def nest(text: bytes, random: Random) -> bytes:
    at = random.randrange(len(text) + 1)
    closing = b")" * random.choice((0, DEEP, DEEP + 1))
    return text[:at] + b"(" * DEEP + closing + text[at:]


def lengthen(text: bytes, random: Random) -> bytes:
    at = random.randrange(len(text) + 1)
    unit = random.choice(UNITS)
    return text[:at] + (unit * (LONG // len(unit))) + text[at:]


SMALL: tuple[Mutation, ...] = (delete_token, double_token, cut, swap_names, scatter_bytes)
LARGE: tuple[Mutation, ...] = (nest, lengthen)


def mutated(text: bytes, random: Random, mutations: tuple[Mutation, ...] = SMALL) -> bytes:
    """Return the text after one to three mutations."""
    for _ in range(random.choice((1, 1, 2, 3))):
        text = random.choice(mutations)(text, random) or b" "
    return text


def _token(text: bytes, random: Random) -> tuple[int, int]:
    """Return where some token begins and ends."""
    at = random.randrange(len(text) + 1)
    found = TOKEN.search(text, at) or TOKEN.search(text)
    return found.span() if found else (0, 0)
