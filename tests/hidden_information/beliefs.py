"""How far sampled beliefs are from exact ones."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from random import Random

from gdl import StateMachine
from gdl.language import moves_by_chance
from ggp_player.belief import Belief, BeliefLimits
from tests.support.hidden_matches import told_steps

MAX_STATES = 60_000
"""A match is followed until the exact belief has more states."""

REPEATS = 8
"""Sampled beliefs of each match, whose mean tells of bias."""


@dataclass
class BeliefErrors:
    """Errors of the probabilities of facts, over all facts and steps.

    ``mean`` is that of one sampled belief, ``of_mean`` that of the mean of some.
    """

    steps: int = 0
    most_states: int = 0
    mean: float = 0.0
    of_mean: float = 0.0


def belief_errors(machine: StateMachine, samples: int, matches: int) -> BeliefErrors:
    """Follow random matches, from the view of each role that does not move by chance in turn."""
    roles = [role for role in machine.roles if not moves_by_chance(role)]
    found = BeliefErrors()
    single, of_mean = list[float](), list[float]()
    exact_limits = BeliefLimits(hypotheses=10**6, steps=10**7)
    limits = BeliefLimits(hypotheses=samples, samples=samples)
    for match in range(matches):
        role = roles[match % len(roles)]
        exact = Belief(machine, role, "exact", exact_limits)
        sampled = [Belief(machine, role, f"{match} {number}", limits) for number in range(REPEATS)]
        for told in told_steps(machine, role, Random(match)):
            for belief in (exact, *sampled):
                if not belief.observe(told.move, told.percepts):
                    raise RuntimeError(f"nothing agrees with match {match} for {role}")
            found.steps += 1
            found.most_states = max(found.most_states, len(exact.states))
            single.append(_distance(exact, sampled[:1]))
            of_mean.append(_distance(exact, sampled))
            if len(exact.states) > MAX_STATES:
                break
    found.mean = sum(single) / len(single)
    found.of_mean = sum(of_mean) / len(of_mean)
    return found


def _distance(exact: Belief, sampled: list[Belief]) -> float:
    """The mean over all facts that may hold of how far their mean probability is from the exact."""
    wanted = _facts(exact)
    found: dict[str, float] = defaultdict(float)
    for belief in sampled:
        for fact, probability in _facts(belief).items():
            found[fact] += probability / len(sampled)
    return sum(abs(wanted[fact] - found[fact]) for fact in wanted) / max(1, len(wanted))


def _facts(belief: Belief) -> dict[str, float]:
    found: dict[str, float] = defaultdict(float)
    for state, probability in belief.probabilities.items():
        for fact in state:
            found[str(fact)] += probability
    return found
