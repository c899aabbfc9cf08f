"""Latches: facts that can change only once, and what they decide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gdl.analysis.evidence.evidence import Evidence
from gdl.analysis.evidence.prover import Prover
from gdl.language import Constant, Term

MAX_DECIDING = 400
"""Queries about what latches decide, at most."""

ENDS_NEEDED = 4
"""A latch that is true in fewer sampled terminal states is not asked about."""


@dataclass(frozen=True, slots=True)
class LatchedFluents:
    """Latches, by index; ``seen`` counts the candidates that are not proved."""

    rising: tuple[int, ...] = ()
    falling: tuple[int, ...] = ()
    seen: int = 0


def prove_latches(evidence: Evidence) -> LatchedFluents:
    """Prove which fluents stay true once they are true, or false once they are false.

    Candidates are those that changed in some playout: what never changes is no latch.
    """
    samples = evidence.samples
    rising = np.flatnonzero(samples.rose & ~samples.fell).tolist()
    falling = np.flatnonzero(samples.fell & ~samples.rose).tolist()
    prover = evidence.prover
    if prover is None:
        return LatchedFluents(seen=len(rising) + len(falling))
    prover.grant()
    never_fall = prover.never([prover.falls(fluent) for fluent in rising])
    never_rise = prover.never([prover.rises(fluent) for fluent in falling])
    proved_rising = tuple(f for f, proved in zip(rising, never_fall, strict=True) if proved)
    proved_falling = tuple(f for f, proved in zip(falling, never_rise, strict=True) if proved)
    seen = len(rising) + len(falling) - len(proved_rising) - len(proved_falling)
    return LatchedFluents(proved_rising, proved_falling, seen)


def find_deciding_latches(
    evidence: Evidence, latched: LatchedFluents
) -> dict[Term, tuple[tuple[Constant, int], ...]]:
    """Find the rising latches that fix roles' utilities, with these roles and utilities."""
    prover = evidence.prover
    if prover is None:
        return {}
    prover.grant(0.5)
    candidates = _candidates(evidence, latched)[:MAX_DECIDING]
    claims = [_escapes(evidence, prover, *candidate) for candidate in candidates]
    found: dict[Term, tuple[tuple[Constant, int], ...]] = {}
    for (fluent, role, value), proved in zip(candidates, prover.never(claims), strict=True):
        if proved:
            fact = evidence.machine.facts[fluent]
            found[fact] = (*found.get(fact, ()), (evidence.machine.roles[role], value))
    return found


def _candidates(evidence: Evidence, latched: LatchedFluents) -> list[tuple[int, int, int]]:
    """Fluents, roles and utilities that went together in all sampled terminal states."""
    samples = evidence.samples
    states, goals = samples.states[samples.terminal], samples.goals[samples.terminal]
    varied = [role for role in range(goals.shape[1]) if len(np.unique(goals[:, role])) > 1]
    found = []
    for fluent in latched.rising:
        ends = goals[states[:, fluent] == 1]
        for role in varied:
            values = np.unique(ends[:, role])
            if len(ends) >= ENDS_NEEDED and len(values) == 1 and values[0] >= 0:
                found.append((fluent, role, int(values[0])))
    return found


def _escapes(evidence: Evidence, prover: Prover, fluent: int, role: int, value: int) -> int:
    """The claim that a match ends with the fluent true and another utility, as a literal."""
    end = prover.after
    rows = evidence.goal_rows(role)
    others = [end.goals[index] for lower, index in rows if lower < value]
    others += [-end.goals[index] for own, index in rows if own == value]
    return prover.all_of([end.terminal, end.fluents[fluent], prover.any_of(others)])
