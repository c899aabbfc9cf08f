"""What profiles have shown: tables, a verdict on the provers in words, and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from rich.table import Table

from ggp_player.lab.profile.game_profile import GameProfile, ProfileSettings
from ggp_player.lab.profile.search_profile import SearchProfile
from ggp_player.strategies import PROVERS, Component, Usage

LEAST_SEARCHING = 1.0
"""CPU seconds of searching: with less, shares depend on what it takes to set the searches up."""

ELSEWHERE = "other threads"
"""What belongs to no component."""

VISIBLE = 0.0005
"""A share below this is shown as 0.0."""


class ProverShare(NamedTuple):
    """A prover's share of the time for searching, in a search after so many ``plies``."""

    share: float
    prover: Component
    game: str
    plies: int

    def __str__(self) -> str:
        place = f"{self.game} after {self.plies} plies"
        return f"{self.prover} {100 * self.share:.0f} % in {place}"


@dataclass(frozen=True, slots=True)
class ProverVerdict:
    """Whether provers take more than ``most`` of the time for searching.

    ``shares`` are those of all searches that can be judged, the greatest first: a search that was
    proved in time has been well served, and one of less than ``LEAST_SEARCHING`` says nothing.
    ``judged`` counts these searches, also those without a prover.
    """

    most: float
    shares: Sequence[ProverShare]
    judged: int

    @property
    def exceeding(self) -> Sequence[ProverShare]:
        """The shares that are too large."""
        return [each for each in self.shares if each.share > self.most]

    @property
    def is_passed(self) -> bool:
        """Whether something was judged, and nothing is too large."""
        return self.judged > 0 and not self.exceeding

    def __str__(self) -> str:
        limit = f"{100 * self.most:g} % of the time for searching"
        if not self.judged:
            return "nothing is said of the provers: no search went on long enough without a proof"
        if self.exceeding:
            return f"provers take more than {limit}: {'; '.join(map(str, self.exceeding))}"
        if not self.shares:
            return f"no prover takes more than {limit}: none was running"
        return f"no prover takes more than {limit}; the most is {self.shares[0]}"


def verdict_on_provers(profiles: Iterable[GameProfile], most: float) -> ProverVerdict:
    """Judge each prover in each search by the most that it may take, from 0 to 1."""
    searches = [
        (profile.game, search)
        for profile in profiles
        for search in profile.searches
        if not search.is_proved and search.searching >= LEAST_SEARCHING
    ]
    shares = [
        ProverShare(search.share_of_searching(prover), prover, game, search.plies)
        for game, search in searches
        for prover in PROVERS
        if prover in search.used
    ]
    return ProverVerdict(most, sorted(shares, key=lambda each: -each.share), len(searches))


def profile_tables(profiles: Sequence[GameProfile]) -> Iterator[Table]:
    """The shares of CPU time, what was counted, and what proving took; without what is empty."""
    searches = [(profile.game, search) for profile in profiles for search in profile.searches]
    if searches:
        yield _shares_table(searches)
        yield _counts_table(searches)
    if any(profile.solving is not None for profile in profiles):
        yield _solving_table(profiles)


def remarks(profiles: Iterable[GameProfile]) -> list[str]:
    """A sentence for each game of which something could not be measured."""
    return [f"{profile.game}: {profile.remark}" for profile in profiles if profile.remark]


def _table(title: str, *headings: str) -> Table:
    """A table without lines, whose columns but the first are figures."""
    table = Table(*headings, title=title, title_justify="left", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _shares_table(searches: Sequence[tuple[str, SearchProfile]]) -> Table:
    """A row for each search, and a column for each component that took part in any."""
    columns = [which for which in Component if any(which in search.used for _, search in searches)]
    has_threads = any(search.elsewhere > VISIBLE * search.seconds for _, search in searches)
    headings = ("plies", "seconds", *columns, *([ELSEWHERE] if has_threads else []))
    table = _table("CPU time, %", "game", *headings, "prover of searching", "")
    for game, search in searches:
        cells = [_percent(search.seconds_of(which), search) for which in columns]
        if has_threads:
            cells.append(_percent(search.elsewhere, search))
        most = max(map(search.share_of_searching, PROVERS))
        cells += [f"{100 * most:.1f}" if most else "", "proved" if search.is_proved else ""]
        table.add_row(game, str(search.plies), f"{search.seconds:.2f}", *cells)
    return table


def _percent(seconds: float, search: SearchProfile) -> str:
    return f"{100 * seconds / search.seconds:.1f}" if seconds and search.seconds else ""


def _counts_table(searches: Sequence[tuple[str, SearchProfile]]) -> Table:
    """A row for each component that counts something: its counts for a CPU second of its own."""
    counting = [
        (game, search, which, usage)
        for game, search in searches
        for which, usage in sorted(search.used.items(), key=lambda item: _place(item[0]))
        if usage.counts
    ]
    names = list(dict.fromkeys(name for *_, usage in counting for name in usage.counts))
    headings = ("game", "component", "plies", "seconds", *names, "depth")
    table = _table("counted in a CPU second of the component", *headings)
    table.columns[1].justify = "left"
    for game, search, which, usage in counting:
        rates = [_rate(usage, name) for name in names]
        depth = "" if usage.depth is None else str(usage.depth)
        table.add_row(game, which, str(search.plies), f"{usage.seconds:.2f}", *rates, depth)
    return table


def _place(which: Component) -> int:
    return list(Component).index(which)


def _rate(usage: Usage, name: str) -> str:
    if name not in usage.counts or not usage.seconds:
        return ""
    return f"{usage.counts[name] / usage.seconds:,.0f}"


def _solving_table(profiles: Iterable[GameProfile]) -> Table:
    headings = ("game", "positions", "proved", "seconds", "nodes", "limit for each")
    table = _table("proofs of stored positions", *headings)
    for profile in profiles:
        if (found := profile.solving) is not None:
            counts = (str(found.positions), str(found.solved), f"{found.seconds:.2f}")
            table.add_row(profile.game, *counts, f"{found.nodes:,}", f"{found.limit:,}")
    return table


def profiles_to_json(
    profiles: Sequence[GameProfile], settings: ProfileSettings, verdict: ProverVerdict
) -> dict[str, Any]:
    """All that was measured; times are CPU seconds, shares from 0 to 1."""
    return {
        "settings": asdict(settings),
        "games": [
            {
                "game": profile.game,
                "searches": list(map(_search_to_json, profile.searches)),
                "solving": None if profile.solving is None else asdict(profile.solving),
                "remark": profile.remark,
            }
            for profile in profiles
        ],
        "most_prover_share": verdict.most,
        "judged": verdict.judged,
        "exceeding": [each._asdict() for each in verdict.exceeding],
        "verdict": str(verdict),
    }


def _search_to_json(search: SearchProfile) -> dict[str, Any]:
    return {
        "plies": search.plies,
        "seconds": round(search.seconds, 4),
        "searching": round(search.searching, 4),
        "is_proved": search.is_proved,
        "other_threads": round(search.elsewhere, 4),
        "components": {
            which.value: {
                "seconds": round(usage.seconds, 4),
                "share": round(usage.seconds / search.seconds, 4) if search.seconds else 0.0,
                "counts": dict(usage.counts),
                "depth": usage.depth,
            }
            | _share_of_searching(search, which)
            for which, usage in sorted(search.used.items(), key=lambda item: _place(item[0]))
        },
    }


def _share_of_searching(search: SearchProfile, which: Component) -> dict[str, float]:
    if which not in PROVERS:
        return {}
    return {"share_of_searching": round(search.share_of_searching(which), 4)}
