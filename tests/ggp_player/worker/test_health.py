"""Problems are raised, replaced and cleared by their subjects."""

from __future__ import annotations

from ggp_player.worker.health import Health, HealthProblem, Subject


def test_problems_come_and_go() -> None:
    health = Health()
    assert health.problems == ()
    health.raise_problem(Subject.SEARCHES, "mcts fails")
    health.raise_problem(Subject.CACHE, "another user's")
    health.raise_problem(Subject.SEARCHES, "mcts fails again")
    assert health.has(Subject.SEARCHES)
    assert health.problems
    assert list(map(str, health.problems)) == [
        "searches: mcts fails again",
        "cache: another user's",
    ]
    health.clear(Subject.SEARCHES)
    health.clear(Subject.WARM_UP)
    assert health.problems == (HealthProblem(Subject.CACHE, "another user's"),)
