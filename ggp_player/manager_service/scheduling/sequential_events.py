"""Sequential tests as events: two players meet until it is known which of them is stronger.

The test is the laboratory's (:mod:`ggp_player.lab.sequential_test`). An observation is a pair of
matches of one game, with the seats exchanged: their mean result from the first player's point of
view, 0.5 + 0.005 times its goal value less that of the other. A pair with a match that has failed
counts for nothing.

Apart from the formats, which plan rounds: pages show where the test stands as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from ggp_player.errors import ManagerError
from ggp_player.lab.sequential_test import (
    MIN_PAIRS,
    Estimate,
    PairSums,
    SequentialTest,
    SequentialVerdict,
    at_equal_weight,
)
from ggp_player.manager.tournament.results import MatchResult

MOST_PAIRS = 1000
"""Pairs of each game after which a test ends without a verdict, unless the event says more."""


def standing(
    test: SequentialTest, first: str, games: Iterable[str], results: Iterable[MatchResult]
) -> tuple[Estimate, SequentialVerdict]:
    """Sum up the pairs so far; whether the player ``first`` is stronger is the question."""
    sums = _sums(first, results)
    estimates = [sums[game].estimate for game in games]
    estimate = at_equal_weight(estimates)
    is_early = any(one.pairs < MIN_PAIRS for one in estimates)
    return estimate, SequentialVerdict.OPEN if is_early else test.verdict(estimate)


def sequential_test_of(settings: Mapping[str, Any]) -> SequentialTest:
    """Return the test that the settings of an event name.

    Raises :class:`ManagerError` where they name none.
    """
    names = ("elo0", "elo1", "alpha", "beta")
    try:
        return SequentialTest(**{name: settings[name] for name in names if name in settings})
    except ValueError as error:
        raise ManagerError(f"elo1: {error}") from error


def _sums(player: str, results: Iterable[MatchResult]) -> Mapping[str, PairSums]:
    """Return by game the sums of its pairs, in the order of their rounds."""
    pairs: dict[tuple[int, str], list[MatchResult]] = defaultdict(list)
    for result in results:
        pairs[result.round, result.game].append(result)
    sums: dict[str, PairSums] = defaultdict(PairSums)
    for (_, game), matches in sorted(pairs.items()):
        if len(matches) == 2 and not any(match.failure for match in matches):
            sums[game].add(fmean(_result_for(player, match) for match in matches))
    return sums


def _result_for(player: str, match: MatchResult) -> float:
    ours, theirs = ((goal or 0) for goal in match.goals)
    difference = ours - theirs if match.players[0] == player else theirs - ours
    return 0.5 + 0.005 * difference
