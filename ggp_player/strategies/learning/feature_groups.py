"""Groups of fluents that are alike, so that what is learned of one is learned of its kin.

A fluent such as ``(cell 3 4 white)`` belongs to the groups of all cells, of all in column 3, of all
white ones, of all white ones in row 4, and so on. A weight for each group, beside one for each
fluent, lets a few hundred games tell what a piece is worth anywhere: the weights of single fluents
need not each be found alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl import Function, Term

MAX_GROUPS = 400
"""With more groups the regression takes too long: the finest are left out."""

Key: TypeAlias = tuple[object, ...]


def feature_groups(facts: Sequence[Term]) -> NDArray[np.float32]:
    """The members of each group: float32 (fluents, groups), 1 or 0.

    Groups of the same members are one. The coarsest come first: those of a relation, of an
    argument, of two arguments, and the single fluents.
    """
    found: dict[tuple[int, ...], None] = {}
    for fixed in (0, 1, 2, None):
        members: dict[Key, list[int]] = defaultdict(list)
        for number, fact in enumerate(facts):
            for key in _keys(fact, fixed, number):
                members[key].append(number)
        finer = dict.fromkeys(map(tuple, members.values()))
        if found and len(found | finer) > MAX_GROUPS:
            continue
        found |= finer
    groups = np.zeros((len(facts), len(found)), np.float32)
    for column, numbers in enumerate(found):
        groups[list(numbers), column] = 1
    return groups


def _keys(fact: Term, fixed: int | None, number: int) -> Iterator[Key]:
    """The groups of a fluent in which so many arguments are the same; None for the fluent alone."""
    if fixed is None:
        yield (number,)
    elif isinstance(fact, Function):
        arguments = enumerate(fact.args)
        for same in combinations(arguments, fixed):
            yield (fact.name, len(fact.args), *same)
    elif fixed == 0:
        yield (fact,)
