"""Results and standings as lines and tables for people, as JSON and CSV for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial

from rich.box import SIMPLE_HEAD
from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from ggp_player.manager.tournament.results import Identity, MatchResult, identity_json
from ggp_player.manager.tournament.standings import Interval, Standings, StandingsRow

LEGEND = (
    "points: mean goal value; score: 1 for more points than the opponent, one half for as many; "
    "[low high]: 95 % confidence\n"
    "late, failed, illegal: replies too late, connections that failed, illegal moves (a column is "
    "left out where there are none)"
)
"""What stands below the tables."""

NAME_WIDTH = 9
"""Characters of a player's name that are never wrapped."""


@dataclass(frozen=True, slots=True)
class TournamentReport:
    """The state of a tournament, finished or not.

    ``ratings`` are empty where nobody asked for them. ``played`` counts the matches played
    to their end, ``broke_off`` those that failed.
    """

    identity: Identity
    standings: Standings
    ratings: Mapping[str, Interval]
    planned: int
    played: int
    broke_off: int

    def to_json(self) -> dict[str, object]:
        """Return everything as values for JSON."""
        return {
            "tournament": identity_json(self.identity),
            "planned": self.planned,
            "played": self.played,
            "broke_off": self.broke_off,
            "players": [asdict(row) for row in self.standings.players],
            "games": [asdict(row) for row in self.standings.games],
            "pairings": [asdict(row) for row in self.standings.pairings],
            "ratings": {player: asdict(rating) for player, rating in self.ratings.items()},
        }

    def to_csv(self) -> str:
        """Write a line for every row of the standings; a cell is empty if its figure is unknown."""
        text = io.StringIO(newline="")
        lines = [*self._lines()]
        writer = csv.DictWriter(text, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
        return text.getvalue()

    def to_tables(self) -> RenderableType:
        """Make the tables, without those that would only repeat others."""
        parts: list[RenderableType] = [
            self._summary(),
            self._table("all games", self.standings.players),
        ]
        if len(self.identity.games) > 1:
            for game in self.identity.games:
                rows = [row for row in self.standings.games if row.game == game]
                parts.append(self._table(game, rows))
        if len(self.identity.players) > 2:
            parts.append(self._table("pairings", self.standings.pairings))
        parts.append(Text(LEGEND))
        return Group(*parts)

    def _lines(self) -> Iterator[dict[str, object]]:
        parts = {
            "player": self.standings.players,
            "game": self.standings.games,
            "pairing": self.standings.pairings,
        }
        for scope, rows in parts.items():
            for row in rows:
                rating = self.ratings.get(row.player) if scope == "player" else None
                yield {"scope": scope, **_line(row, rating)}

    def _summary(self) -> Text:
        missing = self.planned - self.played - self.broke_off
        parts = [f"{self.played} of {self.planned} matches played"]
        parts += [f"{self.broke_off} broke off"] if self.broke_off else []
        parts += [f"{missing} to be played"] if missing else []
        return Text(", ".join(parts))

    def _table(self, title: str, rows: Sequence[StandingsRow]) -> Table:
        """Make a table, without the columns whose cells would all be empty."""
        has_ratings = bool(self.ratings) and rows is self.standings.players
        columns: dict[str, Callable[[StandingsRow], str]] = {
            "player": lambda row: row.player,
            "against": lambda row: row.opponent,
            "matches": lambda row: str(row.matches),
            "points %": lambda row: _share(row.points),
            "W/D/L": lambda row: f"{row.wins}/{row.draws}/{row.losses}",
            "score %": lambda row: _share(row.score),
            "rating": lambda row: _rating(self.ratings[row.player]) if has_ratings else "",
            **{name: partial(_fault, name) for name in ("late", "failed", "illegal")},
        }
        table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, collapse_padding=True)
        shown = {name: cells for name, cells in columns.items() if any(map(cells, rows))}
        for name in shown:
            is_text = name in {"player", "against"}
            justify: JustifyMethod = "left" if is_text else "right"
            least = NAME_WIDTH if is_text else None
            table.add_column(
                name, justify=justify, no_wrap=not is_text, overflow="fold", min_width=least
            )
        for row in rows:
            table.add_row(*(Text(cell(row)) for cell in shown.values()))
        return table


def result_line(result: MatchResult) -> str:
    """Summarize a match in one line."""
    goals = result.goals or ("",) * len(result.roles)
    seats = zip(result.roles, result.players, goals, strict=True)
    parts = [
        f"{role} {player} {'none' if goal is None else goal}".rstrip()
        for role, player, goal in seats
    ]
    faults = [
        f"{result.players[seat]} {_counted(result, seat)}"
        for seat in range(len(result.roles))
        if result.errors[seat]
    ]
    line = f"{result.game}, round {result.round}: {', '.join(parts)}; {result.steps} steps"
    for part in (*faults, f"broke off: {result.failure}" if result.failure else ""):
        line += f"; {part}" if part else ""
    return line


def _counted(result: MatchResult, seat: int) -> str:
    counts = {
        "late": result.late(seat),
        "failed": result.failed(seat),
        "illegal": result.illegal(seat),
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def _line(row: StandingsRow, rating: Interval | None) -> dict[str, object]:
    """Return the cells of a row for CSV, each figure followed by its bounds."""
    line: dict[str, object] = {}
    for field in fields(row):
        value = getattr(row, field.name)
        is_figure = field.name in {"points", "score"}
        line |= _figure(field.name, value) if is_figure else {field.name: value}
    return line | _figure("rating", rating)


def _figure(name: str, figure: Interval | None) -> dict[str, object]:
    if figure is None:
        return {name: "", f"{name}_low": "", f"{name}_high": ""}
    return {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}


def _fault(name: str, row: StandingsRow) -> str:
    return str(getattr(row, name) or "")


def _share(figure: Interval | None) -> str:
    """Write a share in per cent, with the bounds of its interval."""
    if figure is None:
        return ""
    value, low, high = (100 * share for share in (figure.value, figure.low, figure.high))
    return f"{value:.0f} [{low:.0f} {high:.0f}]"


def _rating(figure: Interval) -> str:
    return f"{figure.value:+.0f} [{figure.low:+.0f} {figure.high:+.0f}]"
