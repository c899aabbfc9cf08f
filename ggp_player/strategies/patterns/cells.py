"""Cells: groups of fluents that exclude each other, such as all contents of one square.

A *digit* says which fluent of a cell holds. Cells are found in sampled states, not proved: where
two fluents of a cell hold all the same, its digit is the sum of theirs, and nothing worse happens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gdl import Function, Term

MAX_ARITY = 5
"""Facts with more arguments are cells of their own."""


MOST_TURNS, MOST_PROPOSITIONS = 9, 12
"""Digits of a cell that says whose turn it is, at most, and propositions that might say so."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: the fluents that its digit tells apart, by index; digit ``n + 1`` is the n-th.

    Digit 0 says that none of them holds: where one fluent always did, it is the one of ``others``.
    With ``digits``, from 1 on, one for each fluent, several fluents can have the same. Where
    fluents of so many ``supports`` are among them, the digit is the sum of those that hold, see
    :mod:`.supports`.
    """

    fluents: tuple[int, ...]
    others: tuple[int, ...] = ()
    digits: tuple[int, ...] = ()
    supports: int = 0

    def __post_init__(self) -> None:
        if not self.digits:
            object.__setattr__(self, "digits", tuple(range(1, len(self.fluents) + 1)))

    @property
    def radix(self) -> int:
        """How many digits there are."""
        return max(self.digits) + 1 + self.supports


def find_cells(
    facts: Sequence[Term], states: NDArray[np.uint8], relevant: NDArray[np.uint8]
) -> list[Cell]:
    """Find the cells of a game in sampled states, uint8 (n, fluents).

    Fluents that are not ``relevant``, uint8 (fluents,), and those that hold in every sample, are
    in no cell. The fluents of one relation are grouped in one way, by the fewest arguments that
    leave one fluent of a group at most in each sample.
    """
    relations: dict[object, list[int]] = defaultdict(list)
    constant = states.min(axis=0) > 0
    for number, fact in enumerate(facts):
        if relevant[number] and not constant[number]:
            relations[relation_of(fact)].append(number)
    cells = []
    for members in relations.values():
        for group in _exclusive_groups(facts, states, members):
            cells.append(_cell_of(states, group))
    return cells


def relation_of(fact: Term) -> object:
    """The name and arity of a fact's relation."""
    return (fact.name, len(fact.args)) if isinstance(fact, Function) else fact


def find_turns(
    cells: Sequence[Cell], states: NDArray[np.uint8], widths: NDArray[np.int64]
) -> list[Cell]:
    """Find the cells that say who has a choice in sampled states; none where nothing does.

    Mostly it is one. Where the rules have a proposition for each role, it is one for each. Exactly
    one of their fluents holds. ``widths`` int64 (n, roles): the legal moves of each role.
    """
    choosing = widths > 1
    known = choosing.sum(axis=1) == 1
    states, chooser = states[known], choosing[known].argmax(axis=1)
    roles = len(set(chooser.tolist()))
    if roles < 2:
        return []
    propositions: list[tuple[Cell, NDArray[np.int64]]] = []
    for cell in sorted(cells, key=lambda cell: cell.radix):
        held = states[:, [*cell.fluents, *cell.others]]
        if cell.radix > MOST_TURNS or not _says_who(held, chooser):
            continue
        count = held.sum(axis=1, dtype=np.int64)
        if (count == 1).all():
            return [cell]
        if held.shape[1] == 1:
            propositions.append((cell, count))
    propositions.sort(key=lambda pair: -pair[1].sum())
    for group in combinations(propositions[:MOST_PROPOSITIONS], roles):
        if (np.sum([count for _, count in group], axis=0) == 1).all():
            return [cell for cell, _ in group]
    return []


def _says_who(held: NDArray[np.uint8], chooser: NDArray[np.int64]) -> bool:
    """Whether none of some fluents, uint8 (n, fluents), holds for two roles that choose."""
    return all(len(set(chooser[column > 0].tolist())) <= 1 for column in held.T)


def _exclusive_groups(
    facts: Sequence[Term], states: NDArray[np.uint8], members: list[int]
) -> list[list[int]]:
    """Group the fluents of one relation."""
    for columns in _column_sets(facts[members[0]]):
        groups: dict[object, list[int]] = defaultdict(list)
        for number in members:
            fact = facts[number]
            assert isinstance(fact, Function)
            groups[tuple(fact.args[column] for column in columns)].append(number)
        if all(states[:, group].sum(axis=1).max(initial=0) <= 1 for group in groups.values()):
            return list(groups.values())
    return [[number] for number in members]


def _column_sets(fact: Term) -> Iterator[tuple[int, ...]]:
    """Yield the sets of arguments to group a relation's fluents by, the smallest first."""
    if isinstance(fact, Function) and len(fact.args) <= MAX_ARITY:
        for size in range(len(fact.args)):
            yield from combinations(range(len(fact.args)), size)


def _cell_of(states: NDArray[np.uint8], group: list[int]) -> Cell:
    """Make a cell of a group: where one always holds, digit 0 is the one that does most often."""
    held = states[:, group]
    if len(group) == 1 or not len(held) or not held.any(axis=1).all():
        return Cell(tuple(group))
    common = group[int(held.sum(axis=0).argmax())]
    return Cell(tuple(fluent for fluent in group if fluent != common), (common,))
