"""What tests on solved positions have shown: by game, over all games, and by pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean
from typing import Any

from ggp_player.lab.positions.paired_errors import PairedErrors, paired
from ggp_player.lab.positions.position_test import SetResult, Setting


def settings_of(results: Iterable[SetResult]) -> list[Setting]:
    """The settings, in the order of the results."""
    return list(dict.fromkeys(result.setting for result in results))


def mean_share(results: Sequence[SetResult], setting: Setting) -> float:
    """The share of errors of a setting, games weighing the same."""
    return mean(result.count.share for result in results if result.setting == setting)


def comparisons(
    results: Sequence[SetResult], first: Setting, second: Setting
) -> dict[str, PairedErrors]:
    """Compare two settings for each game; the last entry, ``all``, has all positions together."""
    found: dict[str, PairedErrors] = {}
    all_first: list[bool] = []
    all_second: list[bool] = []
    others = {result.game: result for result in results if result.setting == second}
    for result in results:
        if result.setting == first and result.game in others:
            other = others[result.game]
            found[result.game] = paired(result.errors, other.errors)
            all_first += result.errors
            all_second += other.errors
    return {**found, "all": paired(all_first, all_second)}


def as_json(
    results: Sequence[SetResult], pairs: Sequence[tuple[Setting, Setting]]
) -> dict[str, Any]:
    """All results: for each setting and game the counts, and the positions that were wrong."""
    return {
        "results": [
            {
                "strategy": result.setting.strategy,
                "seconds": result.setting.seconds,
                "start_clock": result.setting.start_clock,
                "seed": result.setting.seed,
                "game": result.game,
                "positions": result.count.positions,
                "errors": result.count.errors,
                "used_seconds": round(result.seconds, 5),
                "wrong": [number for number, wrong in enumerate(result.errors, 1) if wrong],
            }
            for result in results
        ],
        "comparisons": [
            {
                "first": str(first),
                "second": str(second),
                "game": game,
                "only_first_errs": found.only_first,
                "only_second_errs": found.only_second,
                "p_value": found.p_value,
                "verdict": found.verdict,
            }
            for first, second in pairs
            for game, found in comparisons(results, first, second).items()
        ],
    }
