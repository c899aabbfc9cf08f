"""Results of matches for the tests of tournaments, in few words."""

from collections.abc import Iterable, Sequence
from typing import Any

from ggp_player.manager.tournament.results import Identity, MatchResult

IDENTITY = Identity(
    games={"nim": "1234", "maze": "5678"},
    players=("x", "y", "z"),
    start_clock=2,
    play_clock=1,
    seed=7,
)


def identity_of(players: Iterable[str], seed: int = 0) -> Identity:
    """Return the identity of a tournament of which nothing else matters."""
    return Identity({}, tuple(players), start_clock=2, play_clock=1, seed=seed)


def result(
    players: Sequence[str], goals: str, seed: int = 1, game: str = "nim", **more: Any
) -> MatchResult:
    """Return the result of a match; ``players`` are letters, ``goals`` in role order."""
    seats = tuple(players)
    values: dict[str, Any] = {
        "match_id": f"{game}.{seed}.{''.join(players)}",
        "game": game,
        "round": seed,
        "seed": seed,
        "roles": tuple(f"role{number}" for number in range(len(seats))),
        "players": seats,
        "goals": tuple(None if goal == "none" else int(goal) for goal in goals.split()),
        "steps": 5,
        "errors": ((),) * len(seats),
        "longest_replies": (0.5,) * len(seats),
    }
    return MatchResult(**{**values, **more})
