"""Who is to move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from gdl.analysis.evidence.evidence import Evidence
from gdl.analysis.evidence.findings import Choices, Confidence, Finding, Turns
from gdl.analysis.evidence.reachability import ReachableStates
from gdl.analysis.evidence.survey import Distribution, Survey
from gdl.language import Constant, moves_by_chance

MAX_ROLES = 8
"""Pairs of more roles are not reasoned about."""


def observed_turns(roles: Sequence[Constant], survey: Survey) -> Turns:
    """Conclude from random playouts who is to move."""
    choices = dict(zip(roles, map(_choices, survey.moves), strict=True))
    in_turn = not survey.together
    return Turns(
        one_at_a_time=Finding(in_turn, _known_if(not in_turn)),
        alternating=Finding(
            in_turn and not survey.repeated, _known_if(not in_turn or survey.repeated > 0)
        ),
        choices=choices,
        dummies=Finding(tuple(role for role in roles if not choices[role].share)),
        chance=next((role for role in roles if moves_by_chance(role)), None),
    )


def _choices(moves: Distribution) -> Choices:
    several = moves.above(1)
    if not moves:
        return Choices(0.0, 0, 0.0)
    return Choices(several.mean if several else 0.0, moves.most, len(several) / len(moves))


def _known_if(shown: bool) -> Confidence:
    """A playout that shows a counterexample proves that a property does not hold."""
    return Confidence.PROVED if shown else Confidence.OBSERVED


def find_turns(evidence: Evidence) -> Turns:
    """Find who is to move, proved where the prover or all reachable states show it."""
    roles = evidence.machine.roles
    seen = observed_turns(roles, evidence.survey)
    if evidence.reachable is not None:
        return _in_all_states(seen, roles, evidence.reachable)
    prover = evidence.prover
    if prover is None:
        return seen
    prover.grant()
    has_choice = [prover.has_choice(role) for role in range(len(roles))]
    one_at_a_time, dummies = seen.one_at_a_time, seen.dummies
    if one_at_a_time.value and len(roles) <= MAX_ROLES:
        clashes = [prover.all_of(pair) for pair in combinations(has_choice, 2)]
        one_at_a_time = Finding(True, evidence.confidence(clashes))
    idle = [has_choice[roles.index(role)] for role in dummies.value]
    dummies = Finding(dummies.value, evidence.confidence(idle))
    return replace(seen, one_at_a_time=one_at_a_time, dummies=dummies)


def _in_all_states(seen: Turns, roles: Sequence[Constant], reachable: ReachableStates) -> Turns:
    """Conclude who is to move where all states are known."""
    in_turn = all(len(movers) <= 1 for movers in reachable.choosing)
    movers = {role for movers in reachable.choosing for role in movers}
    dummies = tuple(role for index, role in enumerate(roles) if index not in movers)
    alternating = seen.alternating if in_turn else Finding(False, Confidence.PROVED)
    return replace(
        seen,
        one_at_a_time=Finding(in_turn, Confidence.PROVED),
        alternating=alternating,
        dummies=Finding(dummies, Confidence.PROVED),
    )
