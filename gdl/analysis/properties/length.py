"""How long matches are, and how large a game is.

Lengths are observed, or bounded by clocks that no move can influence, and by latches. Lines of play
are estimated; states are counted where they are few.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from gdl.analysis.evidence.evidence import Evidence
from gdl.analysis.evidence.findings import Confidence, Finding, Length, Size
from gdl.analysis.evidence.gate_graph import GateGraph, fanin_cone
from gdl.analysis.evidence.reachability import ReachableStates
from gdl.analysis.evidence.survey import Survey
from gdl.analysis.evidence.ternary_simulation import simulate_ternary
from gdl.analysis.properties.latches import LatchedFluents
from gdl.language import Function, Term

MAX_CLOCK = 1000
"""Steps for which clocks are simulated."""

WINDOW = 2
"""Steps before and after one that are pooled with it, as meetings are few."""

ENOUGH_PAIRS = 10_000
"""If none of so many pairs of playouts meet, there are very many states."""


def observed_length(survey: Survey) -> Length:
    """Conclude from random playouts how long matches are."""
    lengths = survey.lengths
    return Length(
        playouts=survey.playouts,
        ended=len(lengths) / max(1, survey.playouts),
        least=lengths.least if lengths else None,
        mean=lengths.mean if lengths else None,
        most=lengths.most if lengths else None,
        bound=Finding(None),
    )


def find_length(
    evidence: Evidence, latched: LatchedFluents, mutex_groups: Sequence[frozenset[int]]
) -> Length:
    """Find how long matches are, with a bound where clocks or latches give one."""
    seen = observed_length(evidence.survey)
    clock = clock_fluents(evidence.circuit, evidence.supports)
    if evidence.reachable is not None:
        bounds = [evidence.reachable.longest]
    else:
        bounds = [
            _bound_by_clock(evidence, clock),
            *_bounds_by_latches(evidence, latched, mutex_groups),
        ]
    known = [bound for bound in bounds if bound is not None]
    return replace(
        seen,
        bound=Finding(min(known), Confidence.PROVED) if known else seen.bound,
        clock=evidence.facts_of(clock),
    )


def clock_fluents(circuit: GateGraph, supports: Sequence[int]) -> list[int]:
    """List the fluents that, while play goes on, no move influences.

    They depend on no move, and on no fluents but each other.
    """
    needs = {fluent: supports[literal >> 1] for fluent, literal in enumerate(circuit.next)}
    while True:
        inside = sum(1 << circuit.fluents[fluent] for fluent in needs)
        outside = [fluent for fluent, need in needs.items() if need & ~inside]
        if not outside:
            return list(needs)
        for fluent in outside:
            del needs[fluent]


def _bound_by_clock(evidence: Evidence, clock: Sequence[int]) -> int | None:
    """The first step at which the clocks alone make the match end."""
    course = _course(evidence, clock)
    all_steps = (1 << len(course)) - 1
    bit_of = {fluent: bit for bit, fluent in enumerate(clock)}
    fluents = []
    for fluent in range(len(evidence.circuit.fluents)):
        if fluent in bit_of:
            bit = bit_of[fluent]
            value = sum(((state >> bit) & 1) << step for step, state in enumerate(course))
            fluents.append((value, value))
        else:
            fluents.append((0, all_steps))
    ends = simulate_ternary(evidence.circuit, fluents, all_steps, {}).holds(
        evidence.circuit.terminal
    )
    return (ends & -ends).bit_length() - 1 if ends else None


def _course(evidence: Evidence, clock: Sequence[int]) -> list[int]:
    """Simulate the clocks, a bit each, step after step until a state recurs."""
    circuit = fanin_cone(evidence.circuit, [evidence.circuit.next[f] for f in clock])
    state = sum(int(evidence.initial[fluent]) << bit for bit, fluent in enumerate(clock))
    course: dict[int, None] = {}
    while state not in course and len(course) < MAX_CLOCK:
        course[state] = None
        fluents = [(0, 1)] * len(circuit.fluents)
        for bit, fluent in enumerate(clock):
            fluents[fluent] = ((state >> bit) & 1,) * 2
        known = simulate_ternary(circuit, fluents, 1, {circuit.terminal: 0})
        state = sum(known.holds(circuit.next[f]) << bit for bit, f in enumerate(clock))
    return list(course)


def _bounds_by_latches(
    evidence: Evidence, latched: LatchedFluents, mutex_groups: Sequence[frozenset[int]]
) -> list[int]:
    """Bounds from sets of latches of which at least one changes at each step."""
    prover = evidence.prover
    if prover is None:
        return []
    prover.grant()
    facts = evidence.machine.facts
    changes = {
        **{fluent: prover.rises(fluent) for fluent in latched.rising},
        **{fluent: prover.falls(fluent) for fluent in latched.falling},
    }
    by_name: dict[str, list[int]] = defaultdict(list)
    for fluent in changes:
        by_name[_name(facts[fluent])].append(fluent)
    rising = set(latched.rising)
    bounds = []
    for fluents in (*by_name.values(), list(latched.rising), list(changes)):
        if fluents and all(prover.never([-prover.any_of(changes[f] for f in fluents)])):
            rises = _rises(evidence, [f for f in fluents if f in rising], mutex_groups)
            falls = sum(int(evidence.initial[f]) for f in fluents if f not in rising)
            bounds.append(rises + falls)
    return bounds


def _name(fact: Term) -> str:
    return fact.name if isinstance(fact, Function) else ""


def _rises(
    evidence: Evidence, rising: Sequence[int], mutex_groups: Sequence[frozenset[int]]
) -> int:
    """How often rising latches can rise in a match: of a mutex group, only one can."""
    left = {fluent for fluent in rising if not evidence.initial[fluent]}
    count = 0
    for group in sorted(mutex_groups, key=lambda group: -len(group & left)):
        if len(group & left) > 1:
            count += 1
            left -= group
    return count + len(left)


def find_size(survey: Survey, reachable: ReachableStates | None, counted: int) -> Size:
    """Find the size of a game, of which so many states were counted."""
    states = None if reachable is None else reachable.states
    return Size(survey.lines, states, counted, _typical_states(survey))


def _typical_states(survey: Survey) -> int | None:
    """Estimate the number of states by how often playouts meet, None where they do not.

    If the n states after a number of steps were all equally likely, one in n pairs of playouts
    would meet; where they are not, more do.
    """
    total = 0.0
    for step in range(len(survey.pairs)):
        around = slice(max(0, step - WINDOW), step + WINDOW + 1)
        pairs, meetings = sum(survey.pairs[around]), sum(survey.meetings[around])
        if meetings:
            total += pairs / meetings
        elif pairs >= ENOUGH_PAIRS:
            return None
    return round(total)
