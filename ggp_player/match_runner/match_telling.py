"""What is told of a match when it begins.

Apart from the game manager, to which a match is its requests, not what archives are told of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from ggp_player.events import MatchStarted
from ggp_player.protocol import MatchRecord


def beginning(
    record: MatchRecord, roles: Iterable[object], rules: str, words: Mapping[str, str]
) -> MatchStarted:
    """The event that tells of a match whose record has no step yet; its key is to be filled in.

    ``words`` has a word of the rules for each scrambled one.
    """
    return MatchStarted(
        match_id=record.match_id,
        rules=rules,
        start_clock=record.start_clock,
        play_clock=record.play_clock,
        roles=tuple(map(str, roles)),
        players=record.player_names_from_host,
        game=PurePosixPath(unquote(urlsplit(record.game_meta_url).path)).stem,
        rulesheet_url=record.game_meta_url,
        random_token=record.random_token,
        scrambled=record.scrambled,
        words=words,
    )
