"""What people's matches are played with: who sits where, at which level, with which clocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gdl import Constant, StateMachine
from gdl.language import moves_by_chance
from ggp_player.errors import PlayError
from ggp_player.languages import Sentence
from ggp_player.match_runner.game_manager import MatchSetup
from ggp_player.match_runner.players import DistantPlayer
from ggp_player.play.levels import HIGHEST, OpponentLevel
from ggp_player.play.match_clock import TimeControl

Opponent: TypeAlias = str | DistantPlayer
"""A strategy, or a player server."""


@dataclass(frozen=True, slots=True)
class PlaySetup(MatchSetup):
    """What people's matches are played with; the id of each is ``match_id`` and when it began.

    ``opponents`` take the roles without a person, in role order; the last one takes the rest. The
    strategy ``adviser`` gives hints; where it is empty, the first one among the opponents does. The
    ``level`` is that of the opponents, if they have one; where it ``adapts``, it follows the
    person's results. People, and opponents that are strategies, have the clocks of ``control``.
    """

    persons: tuple[str, ...] = ()
    opponents: tuple[Opponent, ...] = ("auto",)
    ponder: bool = True
    adviser: str = ""
    level: OpponentLevel | None = None
    adapts: bool = False
    control: TimeControl | None = None

    def at(self, level: OpponentLevel) -> PlaySetup:
        """The same with all opponents at a level."""
        found, adviser = (level.strategy,), HIGHEST.strategy
        ponders = level.ponders
        return replace(self, level=level, opponents=found, ponder=ponders, adviser=adviser)


def seats_of(machine: StateMachine) -> tuple[Constant, ...]:
    """The roles that people and opponents take: those without chance."""
    return tuple(role for role in machine.roles if not moves_by_chance(role))


def persons_of(machine: StateMachine, names: Sequence[str]) -> tuple[Constant, ...]:
    """The roles of these names, in role order; without names the first that is not chance.

    Raises :class:`PlayError` for a role that the game does not have.
    """
    free = seats_of(machine)
    if not names:
        return (free[0],)
    wanted = {name.lower() for name in names}
    unknown = wanted - {str(role).lower() for role in free}
    if unknown:
        roles = ", ".join(map(str, free))
        raise PlayError(
            Sentence(
                "there is no role {role} to take; the roles are {roles}",
                role=min(unknown),
                roles=roles,
            )
        )
    return tuple(role for role in free if str(role).lower() in wanted)
