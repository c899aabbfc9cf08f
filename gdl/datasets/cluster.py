"""Recording on a Ray cluster: blocks of playouts as tasks, whose results come in order.

A task plays several blocks, so that starting it costs little beside them. A block depends on its
number and the seed alone, so that it does not matter where it is played, or how often: a task whose
worker dies is repeated by Ray on another, and its result is taken once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gdl
from gdl.cluster import RETRIES, connected, in_order
from gdl.datasets.json_lines import json_lines
from gdl.datasets.parquet import ArrowRows
from gdl.datasets.recording import Recorder, Recording, blocks_of
from gdl.engine import PropnetStateMachine

BLOCKS_OF_TASK = 8
"""How many blocks a task plays: some seconds of work in most games."""

PENDING = 3
"""How many tasks are given out for each processor of the cluster, so that none has to wait."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to record: the text of the rules, the playouts, and whether as Arrow or JSON lines."""

    rules: str
    name: str
    seed: int
    playouts: int
    max_steps: int
    as_arrow: bool


def record_on_cluster(job: Job, address: str) -> Iterator[Any]:
    """Yield the rows of each block in order: record batches, or JSON lines as bytes.

    If this process is connected with a cluster already, that one is used, and stays. Raises
    :class:`gdl.errors.MissingLibraryError` where Ray is not installed, ConnectionError where no
    cluster is at the address.
    """
    with connected(address) as ray:
        task = ray.remote(max_retries=RETRIES)(record_blocks)
        most = PENDING * max(1, int(ray.cluster_resources().get("CPU", 1)))
        shared = ray.put(job)
        tasks = (task.remote(shared, blocks) for blocks in _tasks(job))
        for rows in in_order(tasks, most, ray.get):
            yield from rows if job.as_arrow else map(bytes, rows)


def record_blocks(job: Job, blocks: Sequence[tuple[int, int]]) -> list[Any]:
    """Play some blocks, by number and size, in a worker: a record batch or bytes for each.

    Bytes are in arrays, which Ray hands over without copying them once more.
    """
    machine = _machine(job.rules, job.name)
    recorder = Recorder(machine)
    write = ArrowRows(machine).batch if job.as_arrow else _lines_of(machine)
    return [
        write(recorder.record(number, job.seed, playouts, job.max_steps))
        for number, playouts in blocks
    ]


def _lines_of(machine: PropnetStateMachine) -> Callable[[Any], NDArray[np.uint8]]:
    def lines(recording: Recording) -> NDArray[np.uint8]:
        text = "\n".join((*json_lines(machine, recording), ""))
        return np.frombuffer(text.encode(), dtype=np.uint8)

    return lines


@lru_cache(maxsize=4)
def _machine(rules: str, name: str) -> PropnetStateMachine:
    """Compile a game, once in each worker."""
    machine = gdl.compile(gdl.parse(rules, name))
    machine.warm_up()
    return machine


def _tasks(job: Job) -> Iterator[list[tuple[int, int]]]:
    blocks = blocks_of(job.playouts)
    while task := list(islice(blocks, BLOCKS_OF_TASK)):
        yield task
