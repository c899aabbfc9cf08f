"""The schedule of a tournament: every pairing, in every game, in every seating.

In a game of two roles a pairing plays a set of two matches, in which the players change seats. In
a game of n > 2 roles the two players divide the roles between them in all ways in which both have
one: 2**n - 2 matches. Either way each player takes each role equally often. In a game of one role
each player plays alone, and their points are compared; there a set has one match for each player.

All matches of a set have the same seed, so that chance deals both players the same. The seed
depends only on the tournament's seed, the game, the round and the pairing: adding rounds, or
players after those who are there, does not change the other matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from random import Random

from ggp_player.manager.tournament.results import Identity, MatchKey

SEED_BITS = 53
"""Any JSON reader keeps integers of this size exactly."""


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match of the schedule. Rounds count from 1.

    ``players`` take the game's roles in role order, except the role ``random``.
    """

    match_id: str
    game: str
    round: int
    players: tuple[str, ...]
    seed: int

    @property
    def key(self) -> MatchKey:
        """What distinguishes the match from all others of its tournament."""
        return self.game, self.round, self.players


def make_schedule(
    identity: Identity, roles: Mapping[str, int], rounds: int
) -> tuple[PlannedMatch, ...]:
    """List the matches of a tournament, round by round.

    ``roles`` has, for each game, the number of roles that players take. The label of the tournament
    is part of every match id: it distinguishes its matches from those of others.
    """
    label = identity.label
    return tuple(
        _planned(identity, label, game, number, seating, group)
        for number in range(1, rounds + 1)
        for game, count in roles.items()
        for group, seatings in _sets(count, identity.players)
        for seating in seatings
    )


def _sets(roles: int, players: Sequence[str]) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield the sets of a game in a round: a name for the seed, and the seatings."""
    if roles == 1:
        yield "alone", [(player,) for player in players]
        return
    for pairing in combinations(players, 2):
        mixed = [seats for seats in product(pairing, repeat=roles) if len(set(seats)) == 2]
        yield " against ".join(pairing), mixed


def _planned(
    identity: Identity, label: str, game: str, number: int, seating: tuple[str, ...], group: str
) -> PlannedMatch:
    seats = "-".join(str(identity.players.index(player) + 1) for player in seating)
    match_id = f"{game}.{label}.{number}.{seats}"
    seed = Random(f"{identity.seed}, {game}, round {number}, {group}").getrandbits(SEED_BITS)
    return PlannedMatch(match_id, game, number, seating, seed)
