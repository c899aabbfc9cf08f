"""Blocks that are played on a cluster are those of one machine, also where a worker dies."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from gdl.cluster import in_order
from gdl.datasets import BLOCK, Job, Recorder, blocks_of, json_lines, record_on_cluster
from gdl.datasets.cluster import BLOCKS_OF_TASK, record_blocks
from gdl.errors import MissingLibraryError
from tests.support.compiled_games import machine_of
from tests.support.ray_cluster import ray_cluster, workers_at_work
from tests.support.small_games import game


def job(playouts: int, name: str = "nim", as_arrow: bool = False) -> Job:
    return Job(game(name), name, seed=3, playouts=playouts, max_steps=100, as_arrow=as_arrow)


def on_one_machine(wanted: Job) -> bytes:
    machine = machine_of(wanted.name)
    recorder = Recorder(machine)
    lines = (
        line
        for number, count in blocks_of(wanted.playouts)
        for line in json_lines(machine, recorder.record(number, 3, count, 100))
    )
    return "".join(f"{line}\n" for line in lines).encode()


def test_a_task_plays_its_blocks() -> None:
    wanted = job(BLOCK + 3)
    assert b"".join(record_blocks(wanted, [*blocks_of(BLOCK + 3)])) == on_one_machine(wanted)


def test_a_task_may_answer_with_record_batches() -> None:
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    (batch,) = record_blocks(job(4, as_arrow=True), [(0, 4)])
    assert batch.num_rows == on_one_machine(job(4)).count(b"\n")


def test_results_come_in_order_and_few_tasks_are_given_out_at_a_time() -> None:
    given: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(6):
            given.append(number)
            yield number

    waiting = []
    for result in in_order(tasks(), 2, lambda number: number * 10):
        waiting.append((result, len(given)))
    assert waiting == [(0, 2), (10, 3), (20, 4), (30, 5), (40, 6), (50, 6)]


def test_without_ray_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'ggp-player\[ray\]'"):
        list(record_on_cluster(job(1), "local"))


@pytest.fixture
def cluster() -> Iterator[Any]:
    with ray_cluster(3) as ray:
        yield ray


@pytest.mark.thorough
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform != "linux", reason="looks for the workers in /proc")
@pytest.mark.filterwarnings("ignore")
def test_a_workers_death_changes_nothing(cluster: Any) -> None:
    wanted = job(10 * BLOCKS_OF_TASK * BLOCK, "connectFour")
    rows = record_on_cluster(wanted, "local")
    found = [next(rows)]
    victims = workers_at_work("record_blocks")
    assert victims
    os.kill(victims[0], signal.SIGKILL)
    found += rows
    assert victims[0] not in workers_at_work("record_blocks")
    assert len(found) == 10 * BLOCKS_OF_TASK
    assert b"".join(found) == on_one_machine(wanted)
    assert cluster.is_initialized()
