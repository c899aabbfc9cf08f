"""Positions for the points of a map, of which only the neighbours are known.

The distances between points are to be close to the number of steps between them: stress
majorization, begun from classical scaling (E. Gansner, Y. Koren, S. North: Graph Drawing by Stress
Majorization, 2004). The result depends on the map alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_POINTS = 200
"""The most points that are laid out; the work grows with their cube."""

ITERATIONS = 60


def lay_out(
    names: Sequence[str], edges: Sequence[tuple[str, str]]
) -> dict[str, tuple[float, float]]:
    """Lay out a connected map: neighbours about one apart, the upper left corner at 0, 0."""
    index = {name: i for i, name in enumerate(names)}
    pairs = np.array([(index[a], index[b]) for a, b in edges], dtype=np.int64)
    steps = _step_counts(len(names), pairs)
    points = _majorize(_classical_scaling(steps), steps)
    points = _turned(points, pairs)
    points -= points.min(axis=0)
    lengths = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    points *= 1.3 / max(float(np.median(lengths)), 1e-9)
    return {
        name: (round(float(x), 3), round(float(y), 3))
        for name, (x, y) in zip(names, points, strict=True)
    }


def _step_counts(count: int, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Count the steps between all points, float64 (count, count)."""
    steps = np.full((count, count), np.inf)
    np.fill_diagonal(steps, 0)
    steps[pairs[:, 0], pairs[:, 1]] = steps[pairs[:, 1], pairs[:, 0]] = 1
    for middle in range(count):
        steps = np.minimum(steps, steps[:, middle, None] + steps[None, middle])
    return steps


def _classical_scaling(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    count = len(steps)
    centre = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(-centre @ (steps**2) @ centre / 2)
    top = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-6))
    points: NDArray[np.float64] = top[:, ::-1] * np.where(top[0, ::-1] > 0, -1.0, 1.0)
    return points


def _majorize(points: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    count = len(steps)
    far = steps + np.eye(count)
    weights = 1 / far**2 - np.eye(count)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    for _ in range(ITERATIONS):
        gaps = np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(count)
        ratios = -weights * steps / np.maximum(gaps, 1e-6)
        np.fill_diagonal(ratios, 0)
        np.fill_diagonal(ratios, -ratios.sum(axis=1))
        points = inverse @ ratios @ points
    return points


def _turned(points: NDArray[np.float64], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Turn so that most lines are level, with the first point above the middle."""
    ways = points[pairs[:, 1]] - points[pairs[:, 0]]
    angles = np.arctan2(ways[:, 1], ways[:, 0])
    level = [(np.abs(np.sin(angles - angle)) < 0.08).sum() for angle in angles]
    angle = float(angles[int(np.argmax(level))])
    cos, sin = np.cos(-angle), np.sin(-angle)
    points = points @ np.array([[cos, sin], [-sin, cos]])
    centre = points.mean(axis=0)
    sense = np.where(points[0] > centre, -1.0, 1.0)
    turned: NDArray[np.float64] = points * np.array([1.0, sense[1]])
    return turned
