"""Whether a game hides anything: many with ``sees`` tell each role all that it wants to know."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product
from math import prod
from random import Random

from gdl import State, StateMachine, Term
from gdl.engine import PropnetStateMachine
from gdl.language import moves_by_chance
from gdl.playouts import play_out

PLAYOUTS = 12
"""Playouts in which something hidden is looked for."""

STEPS = 60
"""The most steps of a playout that are looked at."""

ALL_JOINT_MOVES = 8192
"""The most joint moves that are looked at in all."""

INTERPRETED_JOINT_MOVES = 512
"""The same where the rules are interpreted, and each takes some milliseconds at worst."""

JOINT_MOVES = 64
"""The most joint moves of a state that are looked at."""


def hides_states(machine: StateMachine, random: Random) -> bool:
    """Whether some role that does not move by chance may be left in doubt about the state.

    Random playouts are searched for a state, known to all, after which some role can see the same
    in two different states. That none is found is no proof that there is none.
    """
    is_compiled = isinstance(machine, PropnetStateMachine)
    left = ALL_JOINT_MOVES if is_compiled else INTERPRETED_JOINT_MOVES
    for _ in range(PLAYOUTS):
        for step in islice(play_out(machine, random, STEPS), STEPS):
            if step.joint_move is None or left <= 0:
                break
            left -= min(JOINT_MOVES, prod(map(len, step.options)))
            if _leaves_doubt(machine, step.state, step.options, random):
                return True
    return False


def _leaves_doubt(
    machine: StateMachine, state: State, options: Sequence[Sequence[Term]], random: Random
) -> bool:
    """Whether two joint moves lead to different states in which some role saw the same."""
    if prod(map(len, options)) <= JOINT_MOVES:
        joint_moves = list(product(*options))
    else:
        joint_moves = [tuple(map(random.choice, options)) for _ in range(JOINT_MOVES)]
    after = [machine.next_state(state, joint_move) for joint_move in joint_moves]
    for number, role in enumerate(machine.roles):
        if moves_by_chance(role):
            continue
        known: dict[tuple[Term, frozenset[Term]], State] = {}
        for joint_move, following in zip(joint_moves, after, strict=True):
            seen = frozenset(machine.percepts(state, joint_move, role))
            if known.setdefault((joint_move[number], seen), following) != following:
                return True
    return False
