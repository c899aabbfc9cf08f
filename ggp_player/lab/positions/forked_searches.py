"""Searches of many positions by one prepared strategy, each in a fork of the process.

What a strategy learns before a match, such as an evaluation, is there for each position, and what
it learns from one position never for the next. Preparing is done once, and a fork shares its memory
until it writes there; so that copying what every search writes to takes none of its time, the fork
first lets the strategy go on with the initial state for a slice or two.

Only on systems that can fork, so not on Windows. A fork has no thread but the one that made it:
strategies that keep threads of their own are refused.
"""

from __future__ import annotations

import multiprocessing
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from random import Random
from time import thread_time

from gdl import Constant, State, StateMachine, Term
from ggp_player.clock import Deadline
from ggp_player.errors import StrategyError
from ggp_player.lab.other_version import version_of
from ggp_player.search_memory import search_memory, set_search_memory
from ggp_player.search_slices import NORMAL_SECONDS, set_slice_seconds, slice_seconds
from ggp_player.strategies import Choice, Position, Strategy
from ggp_player.strategies.selection import create

SLICES = 8
"""Into how many slices a search divides its time at least, where it can."""

PREPARING_CHOICES = 3
"""Choices in the initial state after which a strategy has set itself up."""

WARMING_CHOICES = 3
"""Choices in the initial state after which a fork has its own copy of what is often written."""

COMPILING_SECONDS = 20.0
"""How long compiling in the background may go on after preparing."""

TREE_BYTES = 2**28
"""Memory of the searches of one position."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A strategy, as ``create`` takes it or with ``@PYTHON``, and its CPU time for each position.

    ``seconds`` is None for a strategy with a budget of its own. ``start_clock`` are seconds of CPU
    time for preparing in the initial state, once for each role.
    """

    strategy: str
    seconds: float | None
    start_clock: float = 0.0
    seed: int = 0

    @property
    def is_of_other_version(self) -> bool:
        """Whether the strategy is one of another version: ``STRATEGY@PYTHON``."""
        return version_of(self.strategy)[1] is not None

    def __str__(self) -> str:
        return self.strategy if self.seconds is None else f"{self.strategy} at {self.seconds:g} s"


@dataclass(frozen=True, slots=True)
class SearchTask:
    """A position to search: a state, the role that has the choice, and the seed of the search."""

    state: State
    role: Constant
    seed: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The move that a search has chosen, and the CPU seconds of its thread that it took."""

    move: Term
    seconds: float


def can_fork() -> bool:
    """Whether this system can fork a process."""
    return "fork" in multiprocessing.get_all_start_methods()


def searched(search: Iterator[Choice], seconds: float | None, at_least: int = 1) -> SearchResult:
    """Take choices until so many seconds of CPU time of this thread are over; the last one holds.

    ``seconds`` is None for a search that ends by itself. ``at_least`` so many choices are taken.
    The time is read after each choice. Raises :class:`StrategyError` for a search without choices.
    """
    began = thread_time()
    move, taken = None, 0.0
    for number, choice in enumerate(search, 1):
        move, taken = choice.move, thread_time() - began
        if seconds is not None and taken >= seconds and number >= at_least:
            break
    if move is None:
        raise StrategyError("the search ended without a choice")
    return SearchResult(move, taken)


def prepare(
    strategy: Strategy, machine: StateMachine, role: Constant, seconds: float, seed: str
) -> None:
    """Let a strategy search the initial state for so many seconds, as in a start clock.

    Raises :class:`StrategyError` where it leaves threads behind that do not end.
    """
    deadline = Deadline.after(seconds, thread_time)
    position = Position(machine, machine.initial_state(), role, Random(seed), deadline=deadline)
    before = set(threading.enumerate())
    searched(strategy.search(position), seconds, PREPARING_CHOICES)
    for thread in set(threading.enumerate()) - before:
        thread.join(COMPILING_SECONDS)
        if thread.is_alive():
            raise StrategyError("the strategy keeps threads, which forks have not: use threads=1")


class PreparedSearches:
    """Searches by the strategy of a setting, that of each role as it is after its start clock.

    Raises :class:`StrategyError` where there is no such strategy, or it refuses the ``game``.
    """

    def __init__(self, setting: Setting, machine: StateMachine, game: str) -> None:
        refusal = create(setting.strategy).refusal(machine)
        if refusal is not None:
            raise StrategyError(f"{game}: {refusal}")
        self._setting = setting
        self._machine = machine
        self._prepared: dict[Constant, Strategy] = {}

    def search(
        self, tasks: Sequence[SearchTask], jobs: int = 1
    ) -> Iterator[tuple[int, SearchResult]]:
        """Search positions as :func:`search_all` does, with less memory and in shorter slices.

        The seed of the setting is part of each position's.
        """
        seconds = self._setting.seconds
        tasks = [replace(task, seed=f"{self._setting.seed}:{task.seed}") for task in tasks]
        memory, slices = search_memory(), slice_seconds()
        set_search_memory(min(memory, TREE_BYTES))
        limit = NORMAL_SECONDS * SLICES if seconds is None else seconds
        set_slice_seconds(min(slices, limit / SLICES))
        try:
            yield from search_all(self._strategy_of, self._machine, tasks, seconds, jobs)
        finally:
            set_search_memory(memory)
            set_slice_seconds(slices)

    def _strategy_of(self, role: Constant) -> Strategy:
        """The strategy of a role, which is prepared when it is first asked for."""
        if role not in self._prepared:
            setting = self._setting
            strategy = create(setting.strategy)
            seed = f"{setting.seed}:{role}"
            prepare(strategy, self._machine, role, setting.start_clock, seed)
            self._prepared[role] = strategy
        return self._prepared[role]


def search_all(
    strategies: Callable[[Constant], Strategy],
    machine: StateMachine,
    tasks: Sequence[SearchTask],
    seconds: float | None,
    jobs: int = 1,
) -> Iterator[tuple[int, SearchResult]]:
    """Search positions, ``jobs`` at a time; yield the numbers of positions with their results.

    ``strategies`` gives the prepared strategy of a role. Results come in any order. Raises
    :class:`StrategyError` where a search fails or its process dies, with the reason.
    """
    context = multiprocessing.get_context("fork")
    running: dict[Connection, tuple[int, BaseProcess]] = {}
    waiting = list(enumerate(tasks))[::-1]
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                number, task = waiting.pop()
                receiver, sender = context.Pipe(duplex=False)
                work = (strategies(task.role), machine, task, seconds, sender)
                process: BaseProcess = context.Process(
                    target=_search_and_send, args=work, daemon=True
                )
                _start(process)
                sender.close()
                running[receiver] = (number, process)
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                number, process = running.pop(ready)
                yield number, _received(ready, process)
    finally:
        for receiver, (_, process) in running.items():
            process.kill()
            process.join()
            receiver.close()


def _start(process: BaseProcess) -> None:
    """Start a process; Python 3.12 warns where other threads run, which a search has no use for."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*multi-threaded.*", DeprecationWarning)
        process.start()


def _search_and_send(
    strategy: Strategy,
    machine: StateMachine,
    task: SearchTask,
    seconds: float | None,
    sender: Connection,
) -> None:
    """Search a position and send the result, or a sentence that says why there is none."""
    start = Position(machine, machine.initial_state(), task.role, Random(task.seed))
    deadline = None if seconds is None else Deadline.after(seconds, thread_time)
    position = Position(machine, task.state, task.role, Random(task.seed), deadline=deadline)
    try:
        searched(strategy.search(start), 0, WARMING_CHOICES)
        sender.send(searched(strategy.search(position), seconds))
    except Exception as error:
        sender.send(f"{type(error).__name__}: {error}")


def _received(receiver: Connection, process: BaseProcess) -> SearchResult:
    try:
        result = receiver.recv()
    except EOFError:
        result = "its process has died"
    finally:
        receiver.close()
        process.join()
    if not isinstance(result, SearchResult):
        raise StrategyError(f"a search has failed: {result}")
    return result
