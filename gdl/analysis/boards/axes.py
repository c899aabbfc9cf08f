"""Axes: values in the order in which they lie beside each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from gdl.language import RelationKey

Axis: TypeAlias = tuple[str, ...]

# Numbers of more digits than any game needs are words.
_NUMBERED = re.compile(r"(\D*?)(-?\d{1,18})", re.ASCII)

MIN_CHAIN = 3
"""The fewest values that a static relation, rather than their names, puts in order."""

MAX_AXIS = 64
"""The most values along one side of a board."""


def chains_of(static: Mapping[RelationKey, Iterable[tuple[str, ...]]]) -> tuple[Axis, ...]:
    """Find the static relations that link values one after the other, as successor relations do."""
    found = (_chain(static[relation]) for relation in sorted(static) if relation[1] == 2)
    return tuple(chain for chain in found if chain is not None and len(chain) >= MIN_CHAIN)


def _chain(pairs: Iterable[tuple[str, ...]]) -> Axis | None:
    after: dict[str, str] = {}
    before: dict[str, str] = {}
    for one, two in pairs:
        if one in after or two in before:
            return None
        after[one], before[two] = two, one
    starts = [value for value in after if value not in before]
    if len(starts) != 1:
        return None
    chain = [starts[0]]
    while chain[-1] in after:
        chain.append(after[chain[-1]])
    return tuple(chain) if len(chain) == len(after) + 1 else None


def order_of(values: frozenset[str], chains: Sequence[Axis]) -> Axis | None:
    """Put values in their order: that of numbers, of letters, or of a static relation."""
    if len(values) < 2 or any(" " in value for value in values):
        return None
    numbered = [_NUMBERED.fullmatch(value) for value in values]
    if all(numbered):
        prefixes = {match[1] for match in numbered if match}
        if len(prefixes) == 1:
            return in_natural_order(values)
        return None
    if _are_letters(values):
        return tuple(sorted(values))
    for chain in chains:
        if values <= frozenset(chain):
            return tuple(value for value in chain if value in values)
    return None


def has_gap(values: Iterable[str]) -> bool:
    """Whether numbers are missing between numbered values."""
    numbered = [_NUMBERED.fullmatch(value) for value in values]
    numbers = [int(match[2]) for match in numbered if match]
    if not numbers or len(numbers) < len(numbered):
        return False
    return max(numbers) - min(numbers) >= len(set(numbers))


def _are_letters(values: frozenset[str]) -> bool:
    """Whether the values are single letters that follow each other."""
    if not all(len(value) == 1 and value.isascii() and value.isalpha() for value in values):
        return False
    codes = sorted(map(ord, values))
    return codes[-1] - codes[0] == len(codes) - 1


def axis_of(values: Iterable[str], chains: Sequence[Axis] = ()) -> Axis:
    """Put values in their order; without one, numbers by size, then words by letters."""
    return order_of(frozenset(values), chains) or in_natural_order(values)


def in_natural_order(values: Iterable[str]) -> Axis:
    """Put numbers in the order of their size, and words after them in that of letters."""
    return tuple(sorted(values, key=natural_key))


def natural_key(value: str) -> tuple[bool, str, int, str]:
    """The key that sorts 2 before 10, and a2 before a10."""
    match = _NUMBERED.fullmatch(value)
    if match is None:
        return True, value, 0, value
    return bool(match[1]), match[1], int(match[2]), value
