"""What workers learn is averaged, whoever dies is repeated, and Ctrl-C keeps what there is."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np
import pytest

from ggp_player.errors import StrategyError
from ggp_player.strategies.learning import LongLearning, cluster_learning
from ggp_player.strategies.learning.cluster_learning import (
    ClusterLearning,
    Course,
    Lesson,
    averaged,
    check_worker,
    fluents_of,
    learn_in_worker,
)
from ggp_player.strategies.patterns.pattern_tables import Weights
from tests.support.learned_games import GAME, exhaust, learned, numbered_evaluation, ticking
from tests.support.ray_cluster import ray_cluster, workers_at_work
from tests.support.small_games import compiled

# ---------------------------------------------------------------------- averages


def column(*values: float) -> Weights:
    return np.array(values, np.float32).reshape(-1, 1)


def paces(*squared_errors: float) -> Weights:
    return ((1 + column(*squared_errors)) ** -0.5).astype(np.float32)


def test_entries_move_by_the_mean_weighted_by_what_was_learned_of_them() -> None:
    before = Lesson(column(1, 1, 1, 1), paces(2, 2, 2, 0))
    one = Lesson(column(2, 2, 1, 2), paces(5, 3, 2, 0), 10)
    other = Lesson(column(1, 5, 1, 6), paces(2, 5, 2, 0), 20)
    mean = averaged(before, [one, other])
    # Met by one alone, by both, by none; and the bias.
    np.testing.assert_allclose(mean.weights, column(2, 1 + (1 * 1 + 3 * 4) / 4, 1, 4), rtol=1e-5)
    np.testing.assert_allclose(mean.paces, paces(5, 6, 2, 0), rtol=1e-6)
    assert mean.games == 30
    assert mean.weights.dtype == mean.paces.dtype == np.float32


def test_a_worker_alone_is_its_own_mean() -> None:
    before = Lesson(column(0, 1, 2), paces(0, 1, 0))
    only = Lesson(column(0.5, -1, 3), paces(4, 2, 0), 5)
    mean = averaged(before, [only])
    np.testing.assert_allclose(mean.weights, only.weights, rtol=1e-6)
    np.testing.assert_allclose(mean.paces, only.paces, rtol=1e-6)


# ---------------------------------------------------------------------- a stand-in for a cluster


class StandIn:
    """In place of the module ``ray``: tasks run when they are waited for, one after the other.

    ``clock`` goes on while they do, as if they ran at once, and a little whenever it is read.
    """

    class exceptions:  # noqa: N801
        class RayError(Exception):
            """What Ray raises."""

        class RayTaskError(RayError):
            """What Ray raises where a task has raised a ``cause``."""

            def __init__(self, cause: Exception) -> None:
                self.cause = cause

    def __init__(self, cpus: int = 2) -> None:
        self._cpus = cpus
        self._time = 0.0
        self.seeds: list[int] = []
        self.cancelled: list[object] = []
        self.before_lesson: Callable[[], None] = lambda: None

    def clock(self) -> float:
        self._time += 0.01
        return self._time

    def lesson(self, seconds: float) -> None:
        self.before_lesson()
        self._time += seconds / self._cpus

    def nodes(self) -> list[dict[str, Any]]:
        dead = {"Alive": False, "Resources": {"CPU": 64.0}}
        return [{"Alive": True, "Resources": {"CPU": float(self._cpus)}}, dead]

    def put(self, value: Any) -> Any:
        return replace(value, weights=value.weights.copy()) if isinstance(value, Lesson) else value

    def remote(self, **options: object) -> Callable[[Any], Any]:
        assert options["num_cpus"] == 1
        assert options["max_retries"]
        return lambda function: _Remote(self, function)

    def wait(self, tasks: list[Any], **_: object) -> tuple[list[Any], list[Any]]:
        tasks[0].run()
        return tasks[:1], tasks[1:]

    def get(self, task: Any) -> Any:
        if isinstance(task.result, Exception):
            raise self.exceptions.RayTaskError(task.result)
        return task.result

    def cancel(self, task: object) -> None:
        self.cancelled.append(task)


class _Remote:
    def __init__(self, cluster: StandIn, function: Callable[..., Any]) -> None:
        self._cluster, self._function = cluster, function

    def remote(self, *arguments: Any) -> _Task:
        if self._function is learn_in_worker:
            self._cluster.seeds.append(arguments[2])
        return _Task(self._cluster, self._function, arguments)


class _Task:
    result: Any = None

    def __init__(self, cluster: StandIn, function: Callable[..., Any], arguments: Any) -> None:
        self._cluster, self._function, self._arguments = cluster, function, arguments

    def run(self) -> None:
        if self._function is learn_in_worker:
            self._cluster.lesson(self._arguments[-1])
        try:
            found = self._function(*self._arguments)
        except StrategyError as error:
            found = error
        if isinstance(found, Lesson):  # a process has arrays of its own
            found = replace(found, weights=found.weights.copy(), paces=found.paces.copy())
        self.result = found


@pytest.fixture(autouse=True)
def _in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_learning, "monotonic", ticking(0.01))
    monkeypatch.setattr(cluster_learning, "_learnings", {})
    monkeypatch.setattr(cluster_learning, "_machines", {})


def learned_on(cluster: StandIn, monkeypatch: pytest.MonkeyPatch) -> ClusterLearning:
    monkeypatch.setattr(cluster_learning, "monotonic", ticking(0.01))
    cluster_learning._learnings.clear()
    learning = ClusterLearning(cluster, compiled(GAME), 3)
    exhaust(learning.work(3.0, cluster.clock))
    return learning


def test_all_workers_learn_with_seeds_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = StandIn()
    learning = learned_on(cluster, monkeypatch)
    assert learning.workers == 2
    assert len(cluster.seeds) == len(set(cluster.seeds)) >= 4
    found, again = learning.evaluation, learned_on(StandIn(), monkeypatch).evaluation
    assert found is not None
    assert found.games > 100
    assert np.abs(found.weights).max() > 0.01
    assert again is not None
    assert found.games == again.games
    np.testing.assert_array_equal(found.weights, again.weights)


def test_it_goes_on_from_what_is_known() -> None:
    machine = compiled(GAME)
    known = learned(machine)
    cluster = StandIn()
    learning = ClusterLearning(cluster, machine, 3, known)
    exhaust(learning.work(4.0, cluster.clock))
    found = learning.evaluation
    assert found is not None
    assert found.games > known.games
    assert found.tables is known.tables


def test_of_too_few_states_nothing_is_learned() -> None:
    cluster = StandIn()
    learning = ClusterLearning(cluster, compiled(GAME), 3)
    exhaust(learning.work(2.0, ticking(10.0)))
    assert learning.evaluation is None
    assert not cluster.seeds


def test_ctrl_c_gives_tasks_up_and_keeps_what_was_averaged() -> None:
    cluster, machine = StandIn(), compiled(GAME)

    def interrupt() -> None:
        if len(cluster.seeds) > 2:
            raise KeyboardInterrupt

    cluster.before_lesson = interrupt
    own = ClusterLearning(cluster, machine, 3)
    learning = LongLearning(machine, 3, cluster.clock, learning=own, by_alpha_beta=True)
    with pytest.raises(KeyboardInterrupt):
        exhaust(learning.work(100.0))
    assert len(cluster.cancelled) == 2
    learning.keep_first_round()
    assert learning.evaluation is not None
    assert learning.evaluation.games > 0


def test_a_cluster_without_processors_is_refused() -> None:
    with pytest.raises(ConnectionError, match="no processor"):
        ClusterLearning(StandIn(0), compiled(GAME), 3)


def test_a_task_that_is_lost_for_good_is_an_error() -> None:
    cluster = StandIn()
    learning = ClusterLearning(cluster, compiled(GAME), 3)

    def lose() -> None:
        raise cluster.exceptions.RayError

    cluster.before_lesson = lose
    with pytest.raises(ConnectionError, match="lost a task: RayError"):
        exhaust(learning.work(4.0, cluster.clock))


def test_a_worker_that_numbers_fluents_otherwise_is_refused() -> None:
    machine = compiled(GAME)
    check_worker(machine.ruleset, fluents_of(machine))
    with pytest.raises(StrategyError, match="numbers the game's fluents otherwise"):
        check_worker(machine.ruleset, "0" * 64)
    cluster = StandIn()
    learning = ClusterLearning(cluster, machine, 3, numbered_evaluation(machine))
    cluster_learning._machines.clear()
    learning._course = Course("a run", machine.ruleset, "0" * 64, numbered_evaluation(machine))
    with pytest.raises(StrategyError, match="numbers the game's fluents otherwise"):
        exhaust(learning.work(4.0, cluster.clock))


def test_games_go_on_from_one_lesson_to_the_next() -> None:
    machine = compiled(GAME)
    known = numbered_evaluation(machine)
    course = Course("a run", machine.ruleset, fluents_of(machine), known)
    lesson = Lesson(known.weights, np.ones_like(known.weights))
    first = learn_in_worker(course, lesson, 1, 9.0, 0.5)
    learning = cluster_learning._learnings["a run"]
    second = learn_in_worker(course, lesson, 1, 9.0, 0.5)
    assert cluster_learning._learnings == {"a run": learning}
    assert first.games > 0
    assert second.games > 0
    learn_in_worker(replace(course, name="another"), lesson, 1, 9.0, 0.5)
    assert [*cluster_learning._learnings] == ["another"]


# ---------------------------------------------------------------------- a cluster


@pytest.mark.thorough
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform != "linux", reason="looks for the workers in /proc")
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_is_repeated() -> None:
    killed: list[int] = []
    with ray_cluster(2) as ray:
        learning = ClusterLearning(ray, compiled(GAME), 3)
        for _ in learning.work(4.0, monotonic):
            for pid in [] if killed else workers_at_work("learn_in_worker")[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
        assert killed
        assert killed[0] not in workers_at_work("learn_in_worker")
    assert learning.evaluation is not None
    assert learning.evaluation.games > 0
