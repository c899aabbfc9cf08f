"""What the roles play for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gdl.analysis.evidence.evidence import Evidence
from gdl.analysis.evidence.findings import Confidence, Finding, Goals
from gdl.analysis.evidence.prover import Prover
from gdl.analysis.evidence.reachability import ReachableStates
from gdl.analysis.evidence.survey import NONE, Survey
from gdl.language import Constant, moves_by_chance

MAX_PAIRS = 400
"""Roles with more pairs of goal values are not reasoned about."""


def players(roles: Sequence[Constant]) -> list[int]:
    """The indices of the roles that play for something: all but chance."""
    return [index for index, role in enumerate(roles) if not moves_by_chance(role)]


def observed_goals(roles: Sequence[Constant], survey: Survey) -> Goals:
    """Conclude from the ends of random playouts what the roles play for."""
    who = players(roles)
    ended = survey.outcomes.total()
    outcomes = [[outcome[index] for index in who] for outcome in survey.outcomes]
    sums = {sum(outcome) for outcome in outcomes}
    complete = all(NONE not in outcome for outcome in outcomes)
    # Playouts that all end alike tell nothing: what is hard to reach is not seen at random.
    varied = len(who) > 1 and len(survey.outcomes) > 1
    constant = varied and len(sums) == 1 and complete
    values = {}
    means = {}
    for index in who:
        seen = survey.utilities_of(index)
        values[roles[index]] = Finding(tuple(sorted(seen.keys() - {NONE})))
        total = sum(max(0, utility) * count for utility, count in seen.items())
        means[roles[index]] = total / max(1, ended)
    known = Confidence.PROVED if len(sums) > 1 else Confidence.OBSERVED
    rising = [
        roles[index]
        for index in who
        if len(survey.midway[index] - {NONE}) > 1 and index not in survey.fallen
    ]
    return Goals(
        values=values,
        means=means,
        sum=Finding(sums.pop()) if constant else Finding(None, known),
        rising=Finding(tuple(rising)),
        shared=varied and all(len({*outcome}) == 1 for outcome in outcomes),
    )


def find_goals(evidence: Evidence) -> Goals:
    """Find what the roles play for, proved where the prover or all reachable states show it."""
    roles = evidence.machine.roles
    seen = observed_goals(roles, evidence.survey)
    if evidence.reachable is not None:
        seen = _in_all_states(evidence, seen, evidence.reachable)
    prover = evidence.prover
    if prover is None or not evidence.survey.outcomes:
        return seen
    prover.grant()
    rising = Finding(seen.rising.value, _rising_confidence(evidence, prover, seen.rising.value))
    if evidence.reachable is not None:
        return replace(seen, rising=rising)
    values = {
        role: Finding(
            found.value,
            evidence.confidence(_others(evidence, prover, role, found.value)),
        )
        for role, found in seen.values.items()
    }
    total = seen.sum
    if total.value is not None:
        total = Finding(total.value, _sum_confidence(evidence, prover, total.value))
    return replace(seen, values=values, sum=total, rising=rising)


def _in_all_states(evidence: Evidence, seen: Goals, reachable: ReachableStates) -> Goals:
    """Conclude what the roles play for where all states are known."""
    roles = evidence.machine.roles
    who = players(roles)
    outcomes = [[outcome[index] for index in who] for outcome in reachable.outcomes]
    columns = zip(*outcomes, strict=True) if outcomes else ([] for _ in who)
    values = {
        roles[index]: Finding(tuple(sorted({*column} - {NONE})), Confidence.PROVED)
        for index, column in zip(who, columns, strict=True)
    }
    sums = {sum(outcome) for outcome in outcomes}
    complete = all(NONE not in outcome for outcome in outcomes)
    constant = len(who) > 1 and len(sums) == 1 and complete
    return replace(
        seen,
        values=values,
        sum=Finding(sums.pop() if constant else None, Confidence.PROVED),
        shared=len(who) > 1
        and len(outcomes) > 1
        and all(len({*outcome}) == 1 for outcome in outcomes),
    )


def _others(evidence: Evidence, prover: Prover, role: Constant, values: Sequence[int]) -> list[int]:
    """Claims that the role ends with a value that was not seen, as literals."""
    rows = evidence.goal_rows(evidence.machine.roles.index(role))
    end = prover.after
    return [
        prover.all_of([end.terminal, end.goals[index]])
        for value, index in rows
        if value not in values
    ]


def _sum_confidence(evidence: Evidence, prover: Prover, total: int) -> Confidence:
    """Whether in every terminal state each player has one value, and these add up to the total."""
    end = prover.after
    weighted = []
    faults = []
    for index in players(evidence.machine.roles):
        own = [(end.goals[row], value) for value, row in evidence.goal_rows(index)]
        weighted += own
        faults.append(prover.at_least(2, [(literal, 1) for literal, _ in own]))
        faults.append(-prover.any_of(literal for literal, _ in own))
    faults.append(prover.at_least(total + 1, weighted))
    faults.append(-prover.at_least(total, weighted))
    return evidence.confidence([prover.all_of([end.terminal, fault]) for fault in faults])


def _rising_confidence(evidence: Evidence, prover: Prover, roles: Sequence[Constant]) -> Confidence:
    claims = []
    for role in roles:
        rows = evidence.goal_rows(evidence.machine.roles.index(role))
        if len(rows) ** 2 > MAX_PAIRS:
            return Confidence.OBSERVED
        claims += [
            prover.all_of([prover.before.goals[high], prover.after.goals[low]])
            for value, high in rows
            for other, low in rows
            if other < value
        ]
    return evidence.confidence(claims)
