"""What is shown of players, games, events, matches and standings: the values of the API.

Secrets are shown when all is over that follows from them, and before that what they are bound by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ggp_player.manager.tournament.ratings import rate
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.standings import Interval, interval, match_points
from ggp_player.manager_service.scheduling.public_view import RunningMatch
from ggp_player.manager_service.scheduling.roster import Presence
from ggp_player.manager_service.scheduling.scheduler import player_roles
from ggp_player.manager_service.scheduling.seeds import EventSecrets, MatchSecrets, commitment
from ggp_player.manager_service.storage.faces import ENDED
from ggp_player.manager_service.storage.store import OPEN, EventMatch, StoredEvent, StoredGame
from ggp_player.manager_service.web.models import (
    EventShown,
    GameShown,
    IntervalShown,
    MatchShown,
    PlayerShown,
    StandingsShown,
)


def summarise(
    results: Sequence[MatchResult], ratings: Mapping[str, Interval] | None = None
) -> list[StandingsShown]:
    """Sum up results, the players with the most points first.

    Without ``ratings`` they are computed here.
    """
    names = sorted({name for result in results for name in result.players})
    if ratings is None and len(names) > 1:
        ratings = rate(results, names)
    points: dict[str, list[tuple[int, float]]] = defaultdict(list)
    played: dict[str, list[tuple[MatchResult, int]]] = defaultdict(list)
    for result in results:
        for name, value in match_points(result).items():
            points[name].append((result.seed, value))
        for seat, name in enumerate(result.players):
            played[name].append((result, seat))
    rows = [
        StandingsShown(
            player=name,
            matches=len(points[name]),
            failed=len({result.match_id for result, _ in played[name]}) - len(points[name]),
            points=_shown(interval(points[name])),
            rating=_shown((ratings or {}).get(name)),
            late=sum(result.late(seat) for result, seat in played[name]),
            unreachable=sum(result.failed(seat) for result, seat in played[name]),
            illegal=sum(result.illegal(seat) for result, seat in played[name]),
        )
        for name in names
    ]
    return sorted(rows, key=lambda row: -(row.points.value if row.points else 0))


def _shown(found: Interval | None) -> IntervalShown | None:
    return None if found is None else IntervalShown(**asdict(found))


def player_shown(presence: Presence, matches: Mapping[str, str]) -> PlayerShown:
    """Show a player; ``matches`` has the match that each is in."""
    player = presence.player
    host, colon, rest = player.address.rpartition(":")
    address = f"{host}:{rest.partition('/')[0]}" if colon else player.address
    return PlayerShown(
        name=player.name,
        address=address,
        dialects=player.dialects,
        versions=dict(player.versions or {}),
        status=presence.status,
        problem=presence.problem,
        match=matches.get(player.name, ""),
        expires=player.expires,
    )


def game_shown(game: StoredGame) -> GameShown:
    """Show a game without its rules."""
    return GameShown(name=game.name, digest=game.digest, roles=player_roles(game.roles))


def event_shown(event: StoredEvent, counts: Mapping[str, int]) -> EventShown:
    """Show an event; ``counts`` are those of its matches by status."""
    secrets = EventSecrets.of(event.settings)
    is_over = event.status not in OPEN and not counts.keys() & {"running", "waiting"}
    open_settings = {
        key: value for key, value in event.settings.items() if key not in asdict(secrets)
    }
    shown = {
        "settings": {**open_settings, "games": list(event.digests)},
        "matches": dict(counts),
        "commitment": commitment(secrets),
        "nonce": (secrets.nonce or None) if is_over else None,
        "seed": secrets.seed if is_over else None,
    }
    return EventShown(**{**asdict(event), **shown})


def match_shown(
    match: EventMatch, secrets: MatchSecrets, running: RunningMatch | None
) -> MatchShown:
    """Show a match; ``secrets`` are those of its latest attempt, or of the next where it waits."""
    is_over = match.status in ENDED
    shown = {
        "step": running.step if running else None,
        "commitment": commitment(secrets),
        "nonce": (secrets.nonce or None) if is_over else None,
        "seed": match.seed if is_over else None,
    }
    return MatchShown(**{**asdict(match), **shown})
