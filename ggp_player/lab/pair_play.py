"""Who plays the pairs: this process, several processes, or a Ray cluster.

A pair depends on its task alone, so it does not matter where it is played. Results are yielded in
the order of the tasks, however long each takes; a few tasks more than there are processes are under
way, so that no process waits for a slow pair.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import Any, TypeAlias

from gdl.cluster import RETRIES, connected, cpus_of_nodes, in_order
from gdl.system import children_import_our_code, main_module_hidden
from ggp_player.errors import LabError
from ggp_player.lab.match import PairResult, PairTask, play_pair

AHEAD = 2
"""Pairs under way for each process."""

PairPlay: TypeAlias = Callable[[Iterator[PairTask]], Iterator[PairResult]]
"""Plays pairs, several at a time or not; yields their results in the order of the tasks.

A task is taken from the iterator when there is room for it.
"""


@contextmanager
def opened_play(jobs: int, ray: str | None = None) -> Iterator[PairPlay]:
    """Play with ``jobs`` processes, or on the Ray cluster at an address; one job is this process.

    Pairs that are under way at the end are given up. Raises what :func:`gdl.cluster.connected`
    does.
    """
    if ray is not None:
        with connected(ray) as module:
            yield _on_cluster(module)
    elif jobs == 1:
        yield lambda tasks: map(play_pair, tasks)
    else:
        yield from _in_processes(jobs)


def _in_processes(jobs: int) -> Iterator[PairPlay]:
    others = set(active_children())
    with children_import_our_code(), main_module_hidden():
        pool = ProcessPoolExecutor(jobs, get_context("spawn"), _ignore_interrupts)
        try:
            yield lambda tasks: in_order(
                (pool.submit(play_pair, task) for task in tasks), AHEAD * jobs, _result_of
            )
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in set(active_children()) - others:
                child.terminate()


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that has started this one, which ends it then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _result_of(pending: Future[PairResult]) -> PairResult:
    try:
        return pending.result()
    except BrokenProcessPool as error:
        raise LabError("a process that played a pair has died: too little memory?") from error


def _on_cluster(ray: Any) -> PairPlay:  # noqa: ANN401 its types are not looked at
    if not (cpus := sum(cpus_of_nodes(ray))):
        raise LabError("the cluster has no processor to play on")
    remote = ray.remote(max_retries=RETRIES, num_cpus=1)(play_pair)

    def result_of(pending: Any) -> PairResult:  # noqa: ANN401
        try:
            result: PairResult = ray.get(pending)
        except ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, LabError) else error from None
        except ray.exceptions.RayError as error:
            raise LabError(f"the cluster has lost a pair: {type(error).__name__}") from error
        return result

    return lambda tasks: in_order(map(remote.remote, tasks), AHEAD * cpus, result_of)
