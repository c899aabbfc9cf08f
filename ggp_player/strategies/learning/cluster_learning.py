"""Learning on a Ray cluster: workers play games of their own, and what they learn is averaged.

Every few seconds all workers begin with the same weights. What an entry of a table moves by is then
the mean of what it has moved by in each worker, weighted by how much that has learned of it: the
squared errors that its pace has counted (:class:`.SelfPlayGames`). So an entry that one worker
alone has met moves as that worker says, and others do not pull it back.

A worker's games go on where they were, in the same process. One that dies is repeated by Ray on
another process, where its games begin anew.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from random import Random
from time import monotonic
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

import gdl
from gdl import Ruleset
from gdl.cluster import RETRIES, cpus_of_nodes
from gdl.engine import PropnetStateMachine
from ggp_player.clock import Clock
from ggp_player.errors import StrategyError
from ggp_player.strategies import Component, component
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.pattern_learning import Learning
from ggp_player.strategies.patterns.pattern_tables import Weights
from ggp_player.strategies.patterns.self_play_kernels import SelfPlayGames

SLICE_SECONDS = 5.0
"""Seconds between two averages, but a quarter of the time that there is to learn at most."""

WAIT_SECONDS = 0.05
"""How long to wait for the cluster between two yields."""


@dataclass(frozen=True, slots=True)
class Course:
    """What workers need to know once: the rules, and tables for their fluents.

    ``name`` is that of one run of learning, and of no other.
    """

    name: str
    ruleset: Ruleset
    fluents: str
    evaluation: LearnedEvaluation


@dataclass(frozen=True, slots=True)
class Lesson:
    """Weights, the paces of their entries as in :class:`.SelfPlayGames`, and games played."""

    weights: Weights
    paces: Weights
    games: int = 0


class ClusterLearning(Learning):
    """Learns as :class:`.Learning` does, on all processors of the cluster of the module ``ray``.

    Making one takes as long as it takes the workers to compile the game. Raises ConnectionError
    where the cluster has no processor, or has lost a task for good, and :class:`StrategyError`
    where a worker numbers the fluents of the game otherwise.
    """

    def __init__(
        self,
        ray: Any,  # noqa: ANN401 its types are not looked at
        machine: PropnetStateMachine,
        seed: int,
        known: LearnedEvaluation | None = None,
        is_long: bool = False,
    ) -> None:
        super().__init__(machine, seed, known, is_long=is_long)
        self._ray = ray
        self.workers = sum(cpus_of_nodes(ray))
        if not self.workers:
            raise ConnectionError("the cluster has no processor to learn on")
        remote = partial(ray.remote, max_retries=RETRIES, num_cpus=1)
        self._task = remote()(learn_in_worker)
        self._random = Random(seed)
        self._course: Any = None
        ruleset, fluents = ray.put(machine.ruleset), fluents_of(machine)
        check = remote()(check_worker)
        for _ in self._results([check.remote(ruleset, fluents) for _ in range(self.workers)]):
            pass

    @component(Component.SELF_PLAY)
    def _play_games(
        self, play: SelfPlayGames, seconds: float, clock: Clock, began: float
    ) -> Iterator[None]:
        if self._course is None:
            evaluation = LearnedEvaluation(play.tables, play.weights.copy())
            machine = self._machine
            course = Course(uuid4().hex, machine.ruleset, fluents_of(machine), evaluation)
            self._course = self._ray.put(course)
        length = min(SLICE_SECONDS, seconds / 4)
        while (passed := clock() - began) < seconds:
            lesson = Lesson(play.weights, play.paces)
            rate = self._rate(min(1.0, (passed + length / 2) / seconds), seconds)
            shared = self._ray.put(lesson)
            own = min(length, seconds - passed)
            seeds = [self._random.getrandbits(32) for _ in range(self.workers)]
            learned = yield from self._results(
                [self._task.remote(self._course, shared, seed, rate, own) for seed in seeds]
            )
            mean = averaged(lesson, learned)
            play.weights[:], play.paces[:] = mean.weights, mean.paces
            self._counts[0][1] += mean.games

    def _results(self, tasks: Sequence[Any]) -> Generator[None, None, list[Any]]:
        """The results of tasks, in their order; those that are under way at the end are given up.

        Yields every few hundredths of a second.
        """
        ray, pending = self._ray, list(tasks)
        try:
            while pending:
                _, pending = ray.wait(pending, num_returns=len(pending), timeout=WAIT_SECONDS)
                yield
            return [ray.get(task) for task in tasks]
        except ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, StrategyError) else error from None
        except ray.exceptions.RayError as error:
            raise ConnectionError(f"the cluster has lost a task: {type(error).__name__}") from error
        finally:
            for task in pending:
                ray.cancel(task)


def averaged(before: Lesson, learned: Sequence[Lesson]) -> Lesson:
    """What workers have learned together that all began with the same; see the module.

    The bias, whose pace stays the same, moves by the plain mean. A pace counts the squared errors
    of all, as if one worker had made them.
    """
    counted = _squared_errors(before.paces)
    total, moved, plain = (np.zeros(before.weights.shape) for _ in range(3))
    for each in learned:
        added = np.maximum(_squared_errors(each.paces) - counted, 0)
        change = each.weights.astype(np.float64) - before.weights
        total += added
        moved += added * change
        plain += change
    change = np.where(total > 0, moved / np.where(total > 0, total, 1), plain / len(learned))
    weights = (before.weights + change).astype(np.float32)
    paces = ((1 + counted + total) ** -0.5).astype(np.float32)
    return Lesson(weights, paces, sum(each.games for each in learned))


def _squared_errors(paces: Weights) -> NDArray[np.float64]:
    """The sums of squared errors that made paces what they are, in a unit of their own."""
    return paces.astype(np.float64) ** -2 - 1


def fluents_of(machine: PropnetStateMachine) -> str:
    """A digest of the fluents of a game in the order of their numbers."""
    return sha256("\n".join(map(str, machine.facts)).encode()).hexdigest()


class _WorkerLearning(Learning):
    """The games of a worker, which go on from one lesson to the next."""

    def learn(self, lesson: Lesson, rate: float, seconds: float) -> Lesson:
        """Go on from the weights of a lesson for so many seconds."""
        if self._play is None:
            for _ in self.work(0.0, monotonic):
                pass
        play, games = self._play, self.games
        assert play is not None
        play.weights[:], play.paces[:] = lesson.weights, lesson.paces
        began = monotonic()
        while monotonic() - began < seconds:
            self._play_slice(play, rate, monotonic)
        return Lesson(play.weights, play.paces, self.games - games)


_machines: dict[Ruleset, PropnetStateMachine] = {}
_learnings: dict[str, _WorkerLearning] = {}
"""The game, and the run of learning, that this worker had last; one of each at most."""


def check_worker(ruleset: Ruleset, fluents: str) -> None:
    """Compile a game in a worker. Raises :class:`StrategyError` where its fluents are others."""
    _machine(ruleset, fluents)


def _machine(ruleset: Ruleset, fluents: str) -> PropnetStateMachine:
    machine = _machines.get(ruleset)
    if machine is None:
        machine = gdl.compile(ruleset)
        machine.warm_up()
        _machines.clear()
        _machines[ruleset] = machine
    if fluents_of(machine) != fluents:
        raise StrategyError("a worker numbers the game's fluents otherwise: another version?")
    return machine


def learn_in_worker(
    course: Course, lesson: Lesson, seed: int, rate: float, seconds: float
) -> Lesson:
    """Go on from the weights of a lesson for so many seconds, in a process of its own."""
    learning = _learnings.get(course.name)
    if learning is None:
        machine = _machine(course.ruleset, course.fluents)
        learning = _WorkerLearning(machine, seed, course.evaluation)
        _learnings.clear()
        _learnings[course.name] = learning
    return learning.learn(lesson, rate, seconds)
