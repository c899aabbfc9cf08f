"""What the API shows of players, games, events and matches.

Secrets are shown when all is over that follows from them, and before that what they are bound by.
Apart from the API, which asks for what is shown, and decides nothing of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from ggp_player.manager_service.scheduling.public_view import RunningMatch
from ggp_player.manager_service.scheduling.roster import Presence
from ggp_player.manager_service.scheduling.scheduler import player_roles
from ggp_player.manager_service.scheduling.seeds import EventSecrets, MatchSecrets, commitment
from ggp_player.manager_service.storage.faces import ENDED
from ggp_player.manager_service.storage.store import OPEN, EventMatch, StoredEvent, StoredGame
from ggp_player.manager_service.web.models import EventShown, GameShown, MatchShown, PlayerShown


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
