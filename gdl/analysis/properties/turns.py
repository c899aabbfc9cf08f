"""Who is to move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from gdl.analysis.evidence import (
    Certainty,
    Choices,
    Evidence,
    Finding,
    Observation,
    ReachableStates,
    Turns,
)
from gdl.language import Constant, moves_by_chance

MAX_ROLES = 8
"""Pairs of more roles are not reasoned about."""


def observed_turns(roles: Sequence[Constant], record: Observation) -> Turns:
    """Return who was to move in random playouts."""
    states = max(1, record.states)
    choices = {
        role: Choices(
            mean=record.choices[place] / max(1, record.with_choice[place]),
            most=record.most[place],
            share=record.with_choice[place] / states,
        )
        for place, role in enumerate(roles)
    }
    in_turn = not record.together
    return Turns(
        one_at_a_time=Finding(in_turn, _known_if(not in_turn)),
        alternating=Finding(
            in_turn and not record.repeated, _known_if(not in_turn or record.repeated > 0)
        ),
        choices=choices,
        dummies=Finding(tuple(r for i, r in enumerate(roles) if not record.with_choice[i])),
        chance=next((role for role in roles if moves_by_chance(role)), None),
    )


def _known_if(shown: bool) -> Certainty:
    """A playout that shows the contrary of a rule is proof that the rule does not hold."""
    return Certainty.PROVED if shown else Certainty.OBSERVED


def find_turns(evidence: Evidence) -> Turns:
    """Return who is to move, proved where the network shows it."""
    roles = evidence.machine.roles
    seen = observed_turns(roles, evidence.record)
    if evidence.count.census is not None:
        return _counted(seen, roles, evidence.count.census)
    prover = evidence.prover
    if prover is None:
        return seen
    prover.grant()
    has_choice = [prover.has_choice(place) for place in range(len(roles))]
    one_at_a_time, dummies = seen.one_at_a_time, seen.dummies
    if one_at_a_time.value and len(roles) <= MAX_ROLES:
        clashes = [prover.all_of(pair) for pair in combinations(has_choice, 2)]
        one_at_a_time = Finding(True, evidence.certainty(clashes))
    idle = [has_choice[roles.index(role)] for role in dummies.value]
    dummies = Finding(dummies.value, evidence.certainty(idle))
    return replace(seen, one_at_a_time=one_at_a_time, dummies=dummies)


def _counted(seen: Turns, roles: Sequence[Constant], census: ReachableStates) -> Turns:
    """Return who is to move where all states are known."""
    in_turn = all(len(movers) <= 1 for movers in census.choosing)
    movers = {place for movers in census.choosing for place in movers}
    dummies = tuple(role for place, role in enumerate(roles) if place not in movers)
    alternating = seen.alternating if in_turn else Finding(False, Certainty.PROVED)
    return replace(
        seen,
        one_at_a_time=Finding(in_turn, Certainty.PROVED),
        alternating=alternating,
        dummies=Finding(dummies, Certainty.PROVED),
    )
