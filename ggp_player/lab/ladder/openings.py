"""Balanced openings as rulesheets, which players are sent as any others."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import islice

import gdl
from gdl.openings import rules_from
from ggp_player.errors import LabError
from ggp_player.lab.balance import BalancedOpenings, LabGame, Plies
from ggp_player.lab.match import choosers, machine_of
from ggp_player.manager.tournament import TournamentGame


@dataclass(frozen=True, slots=True)
class LadderOpening:
    """What an opening can be made from again, and a digest of its facts.

    ``plies`` are the least and the most, ``value`` is what the reference search has found for the
    first role, of 100.
    """

    game: str
    seed: int
    plies: tuple[int, int]
    candidate: int
    value: float
    facts: str

    @property
    def name(self) -> str:
        """The name of the game that begins here."""
        return f"{self.game}-{self.candidate}"


def ladder_openings(
    game: LabGame, count: int, seed: int, plies: Plies
) -> dict[LadderOpening, TournamentGame]:
    """The first ``count`` balanced openings of a game, and the games that begin in them.

    There are fewer where a game has no more. Raises :class:`LabError` where it has none, or cannot
    be played from openings, and :class:`gdl.RulesetError` where its rules read ``init``.
    """
    ruleset = gdl.parse(game.rules, game.name)
    machine = machine_of(game.rules, game.name)
    found = {}
    for opening in islice(BalancedOpenings(game, seed, plies), count):
        state = machine.initial_state()
        for joint_move in opening.moves:
            state = machine.next_state(state, [gdl.parse_term(move) for move in joint_move])
        facts = "\n".join(sorted(map(str, state)))
        digest = hashlib.sha256(facts.encode()).hexdigest()[:16]
        made = LadderOpening(
            game.name, seed, (plies.least, plies.most), opening.candidate, opening.value, digest
        )
        roles = tuple(map(str, choosers(machine)))
        found[made] = TournamentGame(made.name, rules_from(ruleset, state), roles)
    if not found:
        raise LabError(
            f"{game.name} has no balanced opening after {plies.least} to {plies.most} plies"
        )
    return found
