"""Mutex groups: facts that exclude each other, such as all contents of one square."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.evidence.evidence import Evidence
from gdl.analysis.evidence.prover import Prover
from gdl.language import Function, Term

MAX_ARITY = 5
"""Facts with more arguments are grouped by their name alone."""

MAX_TESTED_STATES = 1024
"""States in which candidates are tested before anything is proved."""

MAX_MEMBERS = 100_000
"""Facts in all candidates together; the largest candidates come first."""

MAX_PLAIN = 16
"""Of at most so many facts without arguments, each pair is a candidate."""


def prove_mutex_groups(evidence: Evidence) -> list[frozenset[int]]:
    """Prove groups of fluents, by index, of which at most one is true in any state.

    They are proved together, by induction, along with two other invariants: that some member of a
    group is true if one was in every sample, and that fluents that never changed are constant. The
    prover uses all of these from then on. Groups within other groups are left out.
    """
    prover = evidence.prover
    if prover is None:
        return []
    states = np.vstack([evidence.initial, evidence.samples.states[:MAX_TESTED_STATES]])
    candidates = _candidates(evidence.machine.facts, states)
    full: list[list[int]] = []
    others: list[list[int]] = []
    for group in candidates:
        (full if states[:, group].any(axis=1).all() else others).append(group)
    found = _prove(prover, full, [_several, _none])
    inside = _Subsets(found)
    found += _prove(prover, [group for group in others if not inside.contains(group)], [_several])
    _prove_constants(evidence, prover)
    return _maximal(sorted(found, key=lambda group: -len(group)))


Claim: TypeAlias = Callable[[Prover, Sequence[int]], int]
"""Builds the literal of what must never hold of some fluents."""


def _several(prover: Prover, literals: Sequence[int]) -> int:
    return prover.at_least(2, [(literal, 1) for literal in literals])


def _none(prover: Prover, literals: Sequence[int]) -> int:
    return -prover.any_of(literals)


def _prove(
    prover: Prover, groups: Sequence[Sequence[int]], claims: Sequence[Claim]
) -> list[frozenset[int]]:
    """Prove claims of groups, and keep the groups whose first claim is proved, largest first."""
    prover.grant()
    before, after = prover.before.fluents, prover.after.fluents
    pairs = [
        (claim(prover, [before[f] for f in group]), claim(prover, [after[f] for f in group]))
        for group in groups
        for claim in claims
    ]
    kept = prover.prove_invariants(pairs)[:: len(claims)]
    return [frozenset(group) for group, holds in zip(groups, kept, strict=True) if holds]


def _prove_constants(evidence: Evidence, prover: Prover) -> None:
    prover.grant(0.5)
    samples = evidence.samples
    unchanged = np.flatnonzero(~samples.rose & ~samples.fell).tolist()
    sign = [-1 if evidence.initial[fluent] else 1 for fluent in unchanged]
    prover.prove_invariants(
        [
            (s * prover.before.fluents[fluent], s * prover.after.fluents[fluent])
            for s, fluent in zip(sign, unchanged, strict=True)
        ]
    )


def _candidates(facts: Sequence[Term], states: NDArray[np.uint8]) -> list[list[int]]:
    """Groups of which no state has two members, largest first."""
    found = {
        tuple(group): None
        for group in _alike(facts)
        if states[:, group].sum(axis=1, dtype=np.int64).max() <= 1
    }
    chosen = []
    members = 0
    for group in sorted(found, key=lambda group: (-len(group), group)):
        members += len(group)
        if members > MAX_MEMBERS:
            break
        chosen.append(list(group))
    return chosen


def _alike(facts: Sequence[Term]) -> Iterator[list[int]]:
    """Yield groups of fluents with a name and some arguments in common."""
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    plain = []
    for fluent, fact in enumerate(facts):
        if not isinstance(fact, Function):
            plain.append(fluent)
            continue
        columns = range(len(fact.args)) if len(fact.args) <= MAX_ARITY else range(0)
        for size in range(len(columns) + 1):
            for kept in combinations(columns, size):
                common = tuple((column, fact.args[column]) for column in kept)
                groups[fact.name, len(fact.args), common].append(fluent)
    yield from (group for group in groups.values() if len(group) > 1)
    if len(plain) > 1:
        yield plain
    if len(plain) <= MAX_PLAIN:
        yield from map(list, combinations(plain, 2))


def _maximal(groups: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """Drop the groups that are part of another; they come largest first."""
    kept: list[frozenset[int]] = []
    inside = _Subsets([])
    for group in groups:
        if not inside.contains(group):
            kept.append(group)
            inside.add(group)
    return kept


class _Subsets:
    """Groups, to test whether others are subsets of them."""

    def __init__(self, groups: Iterable[frozenset[int]]) -> None:
        self._holding: dict[int, list[frozenset[int]]] = defaultdict(list)
        for group in groups:
            self.add(group)

    def add(self, group: frozenset[int]) -> None:
        """Add a group."""
        for fluent in group:
            self._holding[fluent].append(group)

    def contains(self, group: Collection[int]) -> bool:
        """Whether a group is a subset of one of the groups."""
        return any(other.issuperset(group) for other in self._holding[min(group)])
