"""Results of random matches are those of the game, wherever they are played."""

from __future__ import annotations

import numpy as np
import pytest

from gdl.datasets import play_matches
from tests.support.compiled_games import machine_of


@pytest.mark.parametrize("device", [None, "host"])
def test_results_are_those_of_random_play(device: str | None) -> None:
    machine, matches = machine_of("ticTacToe"), 5000
    parts = list(play_matches(machine, matches, seed=1, device=device))
    ends = np.cumsum([len(part.steps) for part in parts])
    assert [part.first for part in parts] == [0, *ends[:-1].tolist()]
    ended, steps = (np.concatenate([getattr(p, n) for p in parts]) for n in ("ended", "steps"))
    goals = np.concatenate([part.goals for part in parts])
    assert ended.all()
    assert goals.shape == (matches, 2)
    assert (goals.sum(axis=1) == 100).all()
    assert (steps.min(), steps.max()) == (5, 9)
    # Of random matches the first player wins 58.5 %.
    assert abs((goals[:, 0] == 100).mean() - 0.585) < 0.03


@pytest.mark.parametrize("device", [None, "host"])
def test_one_seed_has_one_result(device: str | None) -> None:
    machine = machine_of("nim")
    found = [
        np.concatenate([part.goals for part in play_matches(machine, 100, seed, device=device)])
        for seed in (3, 3, 4)
    ]
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])
