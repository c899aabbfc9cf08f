"""What the game manager tells of its matches, as events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from ggp_player.events import EventBus, MatchPublisher, MatchStarted, StepMade
from ggp_player.protocol import MatchRecord


class MatchTelling:
    """Tells what happens in one match; ``roles`` are in role order."""

    def __init__(self, bus: EventBus, roles: Sequence[str]) -> None:
        self._roles = tuple(roles)
        self._events = MatchPublisher(bus)

    def started(self, record: MatchRecord, rules: str, words: Mapping[str, str]) -> None:
        """Tell that the match begins whose record is still empty.

        ``words`` has a word of the rules for each scrambled one.
        """
        self._events.started(
            MatchStarted(
                match="",
                time=0,
                match_id=record.match_id,
                rules=rules,
                start_clock=record.start_clock,
                play_clock=record.play_clock,
                roles=self._roles,
                players=record.player_names_from_host,
                game=_game_at(record.game_meta_url),
                rulesheet_url=record.game_meta_url,
                random_token=record.random_token,
                scrambled=record.scrambled,
                words=words,
            ),
            record.start_time,
        )

    def step_made(self, event: StepMade) -> None:
        """Tell a step."""
        self._events.step_made(event)

    def completed(self, goals: Sequence[int | None]) -> None:
        """Tell that the match is over, with the goal values in role order."""
        self._events.ended("completed", goals=dict(zip(self._roles, goals, strict=True)))

    def taken_back(self, step: int) -> None:
        """Tell that the match goes on from an earlier step."""
        self._events.steps_taken_back(step)

    def aborted(self, reason: str) -> None:
        """Tell that the match is broken off, and why."""
        self._events.ended("aborted", reason=reason)


def _game_at(url: str) -> str:
    """The name of the game whose rulesheet has this address."""
    return PurePosixPath(unquote(urlsplit(url).path)).stem
