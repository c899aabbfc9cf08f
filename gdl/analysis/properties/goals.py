"""What the roles play for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gdl.analysis.evidence import (
    NONE,
    Certainty,
    Evidence,
    Finding,
    Goals,
    Observation,
    Prover,
    ReachableStates,
)
from gdl.language import Constant, moves_by_chance

MAX_PAIRS = 400
"""Pairs of goal values of a role: more are not reasoned about."""


def players(roles: Sequence[Constant]) -> list[int]:
    """Return the places of the roles that play for something."""
    return [place for place, role in enumerate(roles) if not moves_by_chance(role)]


def observed_goals(roles: Sequence[Constant], record: Observation) -> Goals:
    """Return what the roles were given at the ends of random playouts."""
    who = players(roles)
    ended = record.endings.total()
    sums = {sum(ending[place] for place in who) for ending in record.endings}
    complete = all(NONE not in (ending[place] for place in who) for ending in record.endings)
    # Playouts that all end alike tell nothing: what is hard to reach is not seen at random.
    constant = len(who) > 1 and len(sums) == 1 and len(record.endings) > 1 and complete
    values = {}
    means = {}
    for place in who:
        seen = {ending[place] for ending in record.endings}
        values[roles[place]] = Finding(tuple(sorted(seen - {NONE})))
        total = sum(max(0, ending[place]) * count for ending, count in record.endings.items())
        means[roles[place]] = total / max(1, ended)
    known = Certainty.PROVED if len(sums) > 1 else Certainty.OBSERVED
    rising = [
        roles[place]
        for place in who
        if len(record.midway[place] - {NONE}) > 1 and place not in record.fallen
    ]
    equal = all(len({ending[place] for place in who}) == 1 for ending in record.endings)
    return Goals(
        values=values,
        means=means,
        sum=Finding(sums.pop()) if constant else Finding(None, known),
        rising=Finding(tuple(rising)),
        shared=len(who) > 1 and len(record.endings) > 1 and equal,
    )


def find_goals(evidence: Evidence) -> Goals:
    """Return what the roles play for, proved where the network shows it."""
    roles = evidence.machine.roles
    seen = observed_goals(roles, evidence.record)
    if evidence.count.census is not None:
        seen = _counted(evidence, seen, evidence.count.census)
    prover = evidence.prover
    if prover is None or not evidence.record.endings:
        return seen
    prover.grant()
    rising = Finding(seen.rising.value, _rising_certainty(evidence, prover, seen.rising.value))
    if evidence.count.census is not None:
        return replace(seen, rising=rising)
    values = {
        role: Finding(found.value, evidence.certainty(_others(evidence, prover, role, found.value)))
        for role, found in seen.values.items()
    }
    total = seen.sum
    if total.value is not None:
        total = Finding(total.value, _sum_certainty(evidence, prover, total.value))
    return replace(seen, values=values, sum=total, rising=rising)


def _counted(evidence: Evidence, seen: Goals, census: ReachableStates) -> Goals:
    """Return what the roles play for where all states are known."""
    roles = evidence.machine.roles
    who = players(roles)
    endings = [[ending[place] for place in who] for ending in census.endings]
    columns = zip(*endings, strict=True) if endings else ([] for _ in who)
    values = {
        roles[place]: Finding(tuple(sorted({*column} - {NONE})), Certainty.PROVED)
        for place, column in zip(who, columns, strict=True)
    }
    sums = {sum(ending) for ending in endings}
    complete = all(NONE not in ending for ending in endings)
    constant = len(who) > 1 and len(sums) == 1 and complete
    return replace(
        seen,
        values=values,
        sum=Finding(sums.pop() if constant else None, Certainty.PROVED),
        shared=len(who) > 1 and len(endings) > 1 and all(len({*end}) == 1 for end in endings),
    )


def _others(evidence: Evidence, prover: Prover, role: Constant, values: Sequence[int]) -> list[int]:
    """Return claims that the role ends with a value that was not seen."""
    rows = evidence.goal_rows(evidence.machine.roles.index(role))
    end = prover.after
    return [
        prover.all_of([end.terminal, end.goals[place]])
        for value, place in rows
        if value not in values
    ]


def _sum_certainty(evidence: Evidence, prover: Prover, total: int) -> Certainty:
    """Return whether every end gives each player one value, and these add up to the total."""
    end = prover.after
    weighted = []
    faults = []
    for place in players(evidence.machine.roles):
        own = [(end.goals[row], value) for value, row in evidence.goal_rows(place)]
        weighted += own
        faults.append(prover.at_least(2, [(literal, 1) for literal, _ in own]))
        faults.append(-prover.any_of(literal for literal, _ in own))
    faults.append(prover.at_least(total + 1, weighted))
    faults.append(-prover.at_least(total, weighted))
    return evidence.certainty([prover.all_of([end.terminal, fault]) for fault in faults])


def _rising_certainty(evidence: Evidence, prover: Prover, roles: Sequence[Constant]) -> Certainty:
    claims = []
    for role in roles:
        rows = evidence.goal_rows(evidence.machine.roles.index(role))
        if len(rows) ** 2 > MAX_PAIRS:
            return Certainty.OBSERVED
        claims += [
            prover.all_of([prover.before.goals[high], prover.after.goals[low]])
            for value, high in rows
            for other, low in rows
            if other < value
        ]
    return evidence.certainty(claims)
