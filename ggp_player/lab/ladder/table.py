"""The table of the ladder: who is how strong, by all matches together.

The ratings are those of tournaments, with ``uct`` as the anchor at 0. Where it has not played,
whoever has played most is the anchor. A player from whom no matches lead to the anchor has no
rating. Both matches from an opening count by themselves; as the seats are exchanged, they vary less
than the intervals assume.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ggp_player.lab.ladder.matches import LadderMatch
from ggp_player.lab.ladder.players import ANCHOR, LadderPlayer
from ggp_player.manager.tournament.ratings import ratings
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.standings import Bout, Interval, StandingsRow, standings


@dataclass(frozen=True, slots=True)
class LadderRow:
    """A player: its Elo above the anchor, None where that is not known, and its figures.

    ``player`` has the version that has played last, ``since`` is the day of the first match.
    """

    player: LadderPlayer
    elo: Interval | None
    figures: StandingsRow
    since: str


@dataclass(frozen=True, slots=True)
class LadderTable:
    """The players, the strongest first; ``game`` is empty where all games count."""

    game: str
    anchor: str
    rows: tuple[LadderRow, ...]
    days: tuple[str, str]
    """Of the first match and of the last."""
    clocks: tuple[str, ...]
    """Start clock and play clock of the matches, as ``20/6``."""
    warnings: int
    """How many there were in the matches, as where a strategy had to be replaced by another."""


def games_of(matches: Iterable[LadderMatch]) -> list[str]:
    """The games of the matches, by their names."""
    return sorted({match.opening.game for match in matches})


def by_release(matches: Iterable[LadderMatch]) -> list[LadderMatch]:
    """The same matches with all builds of a release as one player, who meets only others."""
    found = []
    for match in matches:
        players = [str(LadderPlayer.read(player).release) for player in match.result.players]
        if len(set(players)) == len(players):
            found.append(replace(match, result=replace(match.result, players=tuple(players))))
    return found


def ladder_table(matches: Sequence[LadderMatch], game: str = "") -> LadderTable:
    """Rate the players of all matches, at least one, or of those of one game."""
    played = [match for match in matches if game in ("", match.opening.game)]
    players: dict[str, LadderPlayer] = {}
    since: dict[str, str] = {}
    for match in sorted(played, key=lambda one: one.date):
        for one in map(LadderPlayer.read, match.result.players):
            players[one.rated_as] = one
            since.setdefault(one.rated_as, match.date)
    table = standings([_rated(match) for match in played], list(players), [])
    busiest = max(table.players, key=lambda row: row.matches).player
    anchor = ANCHOR if ANCHOR in players else busiest
    rated = _connected(table.bouts, anchor)
    found = ratings([bout for bout in table.bouts if bout.player in rated], rated, anchor)
    rows = [
        LadderRow(players[row.player], found.get(row.player), row, since[row.player])
        for row in table.players
    ]
    days = [match.date for match in played]
    clocks = sorted({(match.start_clock, match.play_clock) for match in played})
    return LadderTable(
        game,
        anchor,
        tuple(sorted(rows, key=_place)),
        (min(days), max(days)),
        tuple(f"{start}/{play}" for start, play in clocks),
        sum(len(match.result.warnings) for match in played),
    )


def _rated(match: LadderMatch) -> MatchResult:
    """The result of a match, with the players by what has their ratings."""
    players = tuple(LadderPlayer.read(player).rated_as for player in match.result.players)
    return replace(match.result, players=players)


def _connected(bouts: Sequence[Bout], anchor: str) -> list[str]:
    """The players to whom bouts lead from the anchor, directly or not."""
    found, waiting = {anchor}, [anchor]
    while waiting:
        player = waiting.pop()
        new = {bout.opponent for bout in bouts if bout.player == player} - found
        found |= new
        waiting += new
    return sorted(found)


def _place(row: LadderRow) -> tuple[bool, float, str]:
    return row.elo is None, -(row.elo.value if row.elo else 0.0), row.figures.player
