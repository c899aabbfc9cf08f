"""Ratings: the players' strengths on the Elo scale, by the model of Bradley and Terry.

The model says that a player wins against another with probability 1 / (1 + 10**(-d / 400)), where
d is the difference of their ratings; a draw is half a win for each. The ratings are those under
which the observed scores are likeliest, all at once, so the order of the matches does not matter.
The mean rating is 0. Each pairing gets one additional draw, without which a player who has won
everything would be infinitely strong. The interval is Wald's, from the Fisher information.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from math import log
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from ggp_player.errors import TournamentError
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.standings import QUANTILE, Bout, Interval, bouts_of

ELO = 400 / log(10)
"""Rating points for a factor of e in the odds of winning."""

LIBRARY = "choix"
"""Imported only when needed: it comes with the extra ``tournament``, and brings scipy."""

MISSING = f"ratings need the library {LIBRARY}: pip install 'ggp-player[tournament]'"


def is_available() -> bool:
    """Check whether the library that fits the model is installed."""
    return find_spec(LIBRARY) is not None


def library() -> ModuleType:
    """Import the library that fits the model; raises TournamentError if it is missing."""
    if not is_available():
        raise TournamentError(MISSING)
    return import_module(LIBRARY)


def ratings(bouts: Iterable[Bout], players: Sequence[str]) -> dict[str, Interval]:
    """Rate the players; raises TournamentError if the library is missing."""
    won = (np.ones((len(players),) * 2) - np.eye(len(players))) / 2  # the additional draw
    indices = {player: index for index, player in enumerate(players)}
    for bout in bouts:
        won[indices[bout.player], indices[bout.opponent]] += bout.score
    strengths: NDArray[np.float64] = library().ilsr_pairwise_dense(won)
    strengths = strengths - strengths.mean()
    errors = _standard_errors(won + won.T, strengths)
    return {
        player: Interval(*(ELO * (value + side * QUANTILE * error) for side in (0, -1, 1)))
        for player, value, error in zip(players, strengths, errors, strict=True)
    }


def rate(results: Sequence[MatchResult], players: Sequence[str]) -> dict[str, Interval]:
    """Rate the players by the matches; raises TournamentError if the library is missing."""
    return ratings(bouts_of(results), players)


def _standard_errors(
    met: NDArray[np.float64], strengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the standard error of each strength when their mean is held at 0.

    ``met[i, j]`` is the number of bouts between two players.
    """
    chances = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    weights = met * chances * (1 - chances)
    information = np.diag(weights.sum(axis=1)) - weights
    errors: NDArray[np.float64] = np.sqrt(np.diag(np.linalg.pinv(information)))
    return errors
