"""Seats: who acts in an environment, with which actions, and what is reported to it.

An environment has one seat for a role, whose opponents move at random or by policies; one that
passes from role to role, to whichever has the choice; or one for every role at once. The role
``random`` never has one: the engine moves for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from gdl.engine import PropnetStateMachine, Stepper, SteppingPlan, random_actions
from gdl.envs.observations import (
    ObservationKind,
    ObservationSpec,
    hides_information,
    observation_of,
)
from gdl.errors import GdlError
from gdl.language import Term, moves_by_chance

TRIAL_LANES, TRIAL_STEPS = 64, 200
"""How much random play a game must pass without two roles having a choice at once."""


class Seats(StrEnum):
    """Who acts, where it is not one role. No role has these names."""

    TURN = "<turn>"
    """Whichever role has a choice; one at a time."""
    ALL = "<all>"
    """All roles at once."""


class SeatError(GdlError, ValueError):
    """A seat that a game does not have; the text says why."""


@dataclass(frozen=True)
class SeatPlan:
    """What an environment reports and takes.

    ``roles`` are those that act, by index. ``actions`` are the moves that can be chosen, for each
    column of actions: one column, or one for each of ``roles`` where all act at once.
    ``observations`` has one entry where all roles see the same, or one for each of ``roles``.
    """

    stepping: SteppingPlan
    seats: Seats | None
    roles: tuple[int, ...]
    actions: tuple[tuple[Term, ...], ...]
    observations: tuple[ObservationSpec, ...]

    @property
    def hides(self) -> bool:
        """Whether information is hidden."""
        return self.stepping.hides


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """How episodes are scored and cut off.

    ``reward_range`` is what the goal values 0 and 100 are worth; those between are in proportion.
    ``max_steps`` is the number of steps of the game after which an episode is truncated, 0 for
    none.
    """

    reward_range: tuple[float, float] = (-1.0, 1.0)
    max_steps: int = 0


def players_of(machine: PropnetStateMachine) -> tuple[int, ...]:
    """Return the roles that do not move by chance, by index."""
    return tuple(i for i, role in enumerate(machine.roles) if not moves_by_chance(role))


def plan_seat(
    machine: PropnetStateMachine,
    role: str | None,
    kind: ObservationKind,
    settings: EpisodeSettings,
) -> SeatPlan:
    """Plan the seat of one role, the first unless it is named; all others move at random.

    Raises :class:`SeatError` for a name of no role, and for the role that moves by chance.
    """
    players = players_of(machine)
    names = [machine.roles[player].name for player in players]
    wanted = (role or names[0]).lower()
    found = [p for p, name in zip(players, names, strict=True) if name.lower() == wanted]
    if not found:
        raise SeatError(f"expected one of the roles {', '.join(names)}; found {role}")
    (chosen,) = found
    hides = hides_information(machine)
    observation = observation_of(machine, chosen, kind)
    stepping = SteppingPlan(
        columns=(chosen,),
        rewarded=(chosen,),
        observed=observation.rows,
        masked=_legal_rows(machine, [chosen]),
        rewards=_rewards(machine, settings),
        skips=not hides,
        hides=hides,
        limit=settings.max_steps,
    )
    return SeatPlan(stepping, None, (chosen,), (tuple(machine.moves[chosen]),), (observation,))


def plan_all(
    machine: PropnetStateMachine,
    kind: ObservationKind,
    settings: EpisodeSettings,
    skips: bool | None = None,
) -> SeatPlan:
    """Plan a seat for every role but chance. ``skips``: whether steps without a choice are."""
    players, hides = players_of(machine), hides_information(machine)
    shown = [observation_of(machine, p, kind) for p in (players if hides else players[:1])]
    stepping = SteppingPlan(
        columns=players,
        rewarded=players,
        observed=np.concatenate([observation.rows for observation in shown]),
        masked=_legal_rows(machine, players),
        rewards=_rewards(machine, settings),
        skips=not hides if skips is None else skips and not hides,
        hides=hides,
        limit=settings.max_steps,
    )
    actions = tuple(tuple(machine.moves[player]) for player in players)
    return SeatPlan(stepping, Seats.ALL, players, actions, tuple(shown))


def plan_turn(
    machine: PropnetStateMachine, kind: ObservationKind, settings: EpisodeSettings
) -> SeatPlan:
    """Plan a seat that passes to whichever role has a choice.

    Its actions are the moves of all roles, those of one text together. Raises :class:`SeatError`
    where information is hidden, and where several roles have a choice at once in random play.
    """
    if hides_information(machine):
        raise SeatError("information is hidden: a seat that passes from role to role would show it")
    players, rows = players_of(machine), machine.engine.layout.rows
    moves = {str(move): move for player in players for move in machine.moves[player]}
    names = list(moves)
    table = np.full((len(machine.roles), len(names)), -1, dtype=np.int64)
    for player in players:
        numbers = {str(move): i for i, move in enumerate(machine.moves[player])}
        table[player] = [numbers.get(name, -1) for name in names]
    observation = observation_of(machine, None, kind)
    stepping = SteppingPlan(
        columns=players,
        rewarded=players,
        observed=observation.rows,
        masked=rows + np.arange(len(names)),
        rewards=_rewards(machine, settings),
        shared_moves=table,
        limit=settings.max_steps,
    )
    _check_turns(machine, stepping, players)
    actions = (tuple(moves[name] for name in names),)
    return SeatPlan(stepping, Seats.TURN, players, actions, (observation,))


def _check_turns(machine: PropnetStateMachine, plan: SteppingPlan, players: Sequence[int]) -> None:
    """Raise :class:`SeatError` where two roles have a choice at once in random play."""
    stepper, random = Stepper(machine, TRIAL_LANES, plan), np.random.default_rng(0)
    result = stepper.reset()
    for _ in range(TRIAL_STEPS):
        if (stepper.choices()[:, players].sum(axis=1) > 1).any():
            raise SeatError("several roles choose at once: take a seat for all of them")
        result = stepper.step(random_actions(result.masks, random))


def _legal_rows(machine: PropnetStateMachine, roles: Sequence[int]) -> NDArray[np.int64]:
    starts = machine.engine.layout.legal + np.cumsum([0, *map(len, machine.moves)])
    return np.concatenate([np.arange(starts[role], starts[role + 1]) for role in roles])


def _rewards(machine: PropnetStateMachine, settings: EpisodeSettings) -> NDArray[np.float64]:
    low, high = settings.reward_range
    goals: NDArray[np.float64] = machine.engine.goal_table[:, 1] / 100
    return low + goals * (high - low)
