"""How long matches are: clocks that no move can stop, and bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from gdl.analysis.evidence import (
    Certainty,
    Evidence,
    Finding,
    GateGraph,
    Length,
    Observation,
    ternary_simulation,
    without_others,
)
from gdl.analysis.properties.latches import LatchedFluents
from gdl.language import Function, Term

MAX_CLOCK = 1000
"""Steps for which clocks are followed."""


def observed_length(record: Observation) -> Length:
    """Return how long random playouts were."""
    ended = record.lengths.total()
    steps = list(record.lengths.elements())
    return Length(
        playouts=record.playouts,
        ended=ended / max(1, record.playouts),
        least=min(steps, default=None),
        mean=fmean(steps) if steps else None,
        most=max(steps, default=None),
        bound=Finding(None),
    )


def find_length(
    evidence: Evidence, latched: LatchedFluents, groups: Sequence[frozenset[int]]
) -> Length:
    """Return how long matches are, with a bound where clocks or latches give one."""
    seen = observed_length(evidence.record)
    clock = clock_fluents(evidence.circuit, evidence.supports)
    if evidence.count.census is not None:
        bounds = [evidence.count.census.longest]
    else:
        bounds = [_bound_by_clock(evidence, clock), *_bounds_by_latches(evidence, latched, groups)]
    known = [bound for bound in bounds if bound is not None]
    return replace(
        seen,
        bound=Finding(min(known), Certainty.PROVED) if known else seen.bound,
        clock=frozenset(evidence.machine.facts[fluent] for fluent in clock),
    )


def clock_fluents(circuit: GateGraph, supports: Sequence[int]) -> list[int]:
    """Return the fluents that change, as long as play goes on, whatever is done.

    They depend on no move, and on no fluents but each other.
    """
    needs = {place: supports[literal >> 1] for place, literal in enumerate(circuit.next)}
    while True:
        inside = sum(1 << circuit.fluents[place] for place in needs)
        outside = [place for place, need in needs.items() if need & ~inside]
        if not outside:
            return list(needs)
        for place in outside:
            del needs[place]


def _bound_by_clock(evidence: Evidence, clock: Sequence[int]) -> int | None:
    """Return the first step at which the clocks alone make the match end."""
    course = _course(evidence, clock)
    everywhere = (1 << len(course)) - 1
    place_of = {fluent: place for place, fluent in enumerate(clock)}
    fluents = []
    for fluent in range(len(evidence.circuit.fluents)):
        if fluent in place_of:
            bit = place_of[fluent]
            value = sum(((state >> bit) & 1) << step for step, state in enumerate(course))
            fluents.append((value, value))
        else:
            fluents.append((0, everywhere))
    ends = ternary_simulation(evidence.circuit, fluents, everywhere, {}).holds(
        evidence.circuit.terminal
    )
    return (ends & -ends).bit_length() - 1 if ends else None


def _course(evidence: Evidence, clock: Sequence[int]) -> list[int]:
    """Return the states of the clocks, a bit each, step after step until they come back."""
    circuit = without_others(evidence.circuit, [evidence.circuit.next[f] for f in clock])
    state = sum(int(evidence.initial[fluent]) << place for place, fluent in enumerate(clock))
    course: dict[int, None] = {}
    while state not in course and len(course) < MAX_CLOCK:
        course[state] = None
        fluents = [(0, 1)] * len(circuit.fluents)
        for place, fluent in enumerate(clock):
            fluents[fluent] = ((state >> place) & 1,) * 2
        known = ternary_simulation(circuit, fluents, 1, {circuit.terminal: 0})
        state = sum(known.holds(circuit.next[f]) << place for place, f in enumerate(clock))
    return list(course)


def _bounds_by_latches(
    evidence: Evidence, latched: LatchedFluents, groups: Sequence[frozenset[int]]
) -> list[int]:
    """Return bounds from sets of latches of which some one changes at each step."""
    prover = evidence.prover
    if prover is None:
        return []
    prover.grant()
    facts = evidence.machine.facts
    changes = {
        **{fluent: prover.rises(fluent) for fluent in latched.rising},
        **{fluent: prover.falls(fluent) for fluent in latched.falling},
    }
    kinds: dict[str, list[int]] = defaultdict(list)
    for fluent in changes:
        kinds[_kind(facts[fluent])].append(fluent)
    rising = set(latched.rising)
    found = []
    for fluents in (*kinds.values(), list(latched.rising), list(changes)):
        if fluents and all(prover.never([-prover.any_of(changes[f] for f in fluents)])):
            rises = _rises(evidence, [f for f in fluents if f in rising], groups)
            falls = sum(int(evidence.initial[f]) for f in fluents if f not in rising)
            found.append(rises + falls)
    return found


def _kind(fact: Term) -> str:
    return fact.name if isinstance(fact, Function) else ""


def _rises(evidence: Evidence, rising: Sequence[int], groups: Sequence[frozenset[int]]) -> int:
    """Return how often rising latches can rise in a match: of a group, only one can."""
    left = {fluent for fluent in rising if not evidence.initial[fluent]}
    count = 0
    for group in sorted(groups, key=lambda group: -len(group & left)):
        if len(group & left) > 1:
            count += 1
            left -= group
    return count + len(left)
