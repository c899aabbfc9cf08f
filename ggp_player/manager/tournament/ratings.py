"""Ratings: the players' strengths on the Elo scale, by the model of Bradley and Terry.

The model says that a player wins against another with probability 1 / (1 + 10**(-d / 400)), where
d is the difference of their ratings; a draw is half a win for each. The ratings are those under
which the observed scores are likeliest, all at once, so the order of the matches does not matter.
The mean rating is 0. Each pairing gets one additional draw, without which a player who has won
everything would be infinitely strong. The interval is Wald's, from the Fisher information.

Where players come and go, as on a ladder, the mean says nothing: there one player is the anchor,
whose rating is 0, and the intervals are those of the differences from it. Only pairings that have
met get the additional draw there, so that a new player does not draw all others together.

The likelihood is concave, and its maximum is found by Newton's method; a step that would lead down
is halved. Source: Hunter, *Annals of Statistics* 32 (2004).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.standings import QUANTILE, Bout, Interval, bouts_of

ELO = 400 / log(10)
"""Rating points for a factor of e in the odds of winning."""

TOLERANCE = 1e-10
"""Where no strength would change by more, the maximum is reached."""

MAX_ROUNDS = 1000
"""Steps towards the maximum; a few are enough unless thousands of bouts are all won."""


def ratings(
    bouts: Iterable[Bout], players: Sequence[str], anchor: str | None = None
) -> dict[str, Interval]:
    """Rate the players, around their mean or an ``anchor``, to which bouts must lead from each."""
    won = np.zeros((len(players),) * 2)
    indices = {player: index for index, player in enumerate(players)}
    for bout in bouts:
        won[indices[bout.player], indices[bout.opponent]] += bout.score
    drawn = 1 - np.eye(len(players)) if anchor is None else won + won.T > 0
    won += drawn / 2  # the additional draw
    strengths = _likeliest(won)
    zero = None if anchor is None else indices[anchor]
    errors = _standard_errors(won + won.T, strengths, zero)
    strengths -= 0 if zero is None else strengths[zero]
    return {
        player: Interval(*(ELO * (value + side * QUANTILE * error) for side in (0, -1, 1)))
        for player, value, error in zip(players, strengths, errors, strict=True)
    }


def rate(results: Sequence[MatchResult], players: Sequence[str]) -> dict[str, Interval]:
    """Rate the players by the matches."""
    return ratings(bouts_of(results), players)


def _likeliest(won: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the strengths under which the wins are likeliest; their mean is 0.

    ``won[i, j]`` is how often a player won against another.
    """
    met = won + won.T
    strengths = np.zeros(len(won))
    for _ in range(MAX_ROUNDS):
        chances = _chances(strengths)
        slope = (won - met * chances).sum(axis=1)
        # All strengths may be raised by the same, which the added ones keep from happening.
        step = np.linalg.solve(_information(met, chances) + 1, slope)
        if np.abs(step).max() < TOLERANCE:
            break
        while _log_likelihood(won, strengths + step) < _log_likelihood(won, strengths):
            step /= 2
        strengths = strengths + step
    centred: NDArray[np.float64] = strengths - strengths.mean()
    return centred


def _chances(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how likely it is that a player, by row, wins against another, by column."""
    found: NDArray[np.float64] = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    return found


def _log_likelihood(won: NDArray[np.float64], strengths: NDArray[np.float64]) -> float:
    return float(-(won * np.logaddexp(0, strengths[None, :] - strengths[:, None])).sum())


def _information(met: NDArray[np.float64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Fisher information; ``met[i, j]`` is the number of bouts between two players."""
    weights = met * chances * (1 - chances)
    found: NDArray[np.float64] = np.diag(weights.sum(axis=1)) - weights
    return found


def _standard_errors(
    met: NDArray[np.float64], strengths: NDArray[np.float64], zero: int | None
) -> NDArray[np.float64]:
    """Return the standard error of each strength when their mean, or one, is held at 0."""
    covariance = np.linalg.pinv(_information(met, _chances(strengths)))
    variances = np.diag(covariance)
    if zero is not None:
        variances = np.maximum(0, variances + variances[zero] - 2 * covariance[zero])
    errors: NDArray[np.float64] = np.sqrt(variances)
    return errors
