"""The supervisors of a match's two workers: each starts its worker, and replaces it when it dies.

A supervisor outlives its workers: it keeps the history of the match, and sends it to each new one.
A search that is no longer wanted is told so, and killed where it does not stop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from gdl.system import is_stopped
from ggp_player.clock import Deadline, monotonic
from ggp_player.events import (
    BestMove,
    EventBus,
    GameDescribed,
    History,
    MatchPublisher,
    ObservedStep,
    StateReached,
    Step,
)
from ggp_player.logs import shown
from ggp_player.metrics import Metrics
from ggp_player.protocol import Start
from ggp_player.worker.fallback_moves import KnownMoves
from ggp_player.worker.health import Health, Subject
from ggp_player.worker.messages import (
    FALLBACK,
    ApplyStep,
    BeginMatch,
    BeginSearch,
    LegalByFacts,
    MatchStatus,
    MessageToServer,
    MessageToWorker,
    ReplaceHistory,
    RulesCompiled,
    SearchEnded,
    SearchReady,
    SearchReport,
    Unplayable,
)
from ggp_player.worker.pool import PoolClosedError, TakeWorker, WorkerHandle

MAX_REPLACEMENTS = 2
"""How many workers may die in a turn and be replaced, by each of the two supervisors."""

MAX_FAILURES = 3
"""How many searches in a row may fail without a result, before another strategy takes over."""

STOP_GRACE = 5.0
"""Seconds for a search to stop of its own accord, before it is killed and replaced.

On a machine with five times as many busy processes as cores, what takes a second of CPU time, such
as the analysis of a large game, takes this long; and a search that is replaced begins anew.
"""

COMPILE_SHARE = 0.6
"""The share of a clock for which a search waits until the rules are compiled."""

MAX_COMPILE_SECONDS = 30.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a match is played with.

    ``seed`` makes the search's random choices repeatable. With ``ponder`` strategies that gain
    from it search on the others' time too. ``on_illegal_choice`` gets each choice of the strategy
    that is no legal move, when a legal one is sent in its place. ``health`` and ``metrics`` are the
    server's. ``history`` has the steps that were made before, in a match that goes on after a
    restart of the server. ``events`` is where the match tells what happens in it.
    """

    start: Start
    strategy: str
    seed: str
    ponder: bool = True
    on_illegal_choice: Callable[[str], None] = lambda move: None
    health: Health = field(default_factory=Health)
    history: History = ()
    metrics: Metrics = field(default_factory=Metrics)
    events: MatchPublisher = field(default_factory=lambda: MatchPublisher(EventBus()))
    name: str = field(init=False)
    """What the match is called in the log."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", f"match {shown(self.start.match_id)}")


class Supervisor:
    """Keeps one worker running; where it dies, a spare takes over.

    ``on_change`` is called after everything that happens to the worker.
    """

    duty: ClassVar[str]

    def __init__(self, setup: Setup, take: TakeWorker, on_change: Callable[[], None]) -> None:
        self.worker: WorkerHandle | None = None
        self.unplayable = ""
        self.setup = setup
        self.history: list[Step] = list(setup.history)
        self._name = f"{setup.name}, {self.duty}"
        self._take = take
        self._on_change = on_change
        self._replacements = 0
        self._is_closed = False
        self._opening: asyncio.Task[None] | None = None

    @property
    def has_given_up(self) -> bool:
        """Whether nothing more can come from here in this turn."""
        has_no_worker = self.worker is None and (self._opening is None or self._opening.done())
        return bool(self.unplayable) or has_no_worker

    def open(self) -> None:
        """Begin to start the first worker. Where none can be started, there is none."""
        self._opening = asyncio.create_task(self._open())

    async def _open(self) -> None:
        try:
            worker = await self._take()
        except PoolClosedError:
            _log.info("%s: no worker is started, as the server is stopping", self._name)
            self._on_change()
            return
        except OSError as error:
            _log.error("%s: no worker can be started: %s", self._name, error)
            self._on_change()
            return
        worker.match_id = self.setup.start.match_id
        worker.on_message = self._receive
        worker.on_death = lambda: self._on_death(worker)
        self.worker = worker
        _log.info("%s: in worker %d", self._name, worker.pid)
        for message in self.first_messages():
            worker.send(message)
        if self._is_closed:
            worker.kill()

    def first_messages(self) -> Sequence[MessageToWorker]:
        """What a new worker has to be sent: the whole match so far."""
        raise NotImplementedError

    def receive(self, message: MessageToServer) -> None:
        """Handle a message from the worker."""
        raise NotImplementedError

    def apply_step(self, step: Step) -> None:
        """Begin a turn with a step. Failures of the last turn no longer count."""
        self.history.append(step)
        self._begin_turn(ApplyStep(step))

    def go_to(self, history: History) -> None:
        """Begin a turn at another position of the game, which may be an earlier one."""
        known = len(self.history)
        if history[:known] == tuple(self.history):
            for step in history[known:]:
                self.apply_step(step)
        else:
            self.history = list(history)
            self._begin_turn(ReplaceHistory(history))

    def _begin_turn(self, message: MessageToWorker) -> None:
        self.send(message)
        self._replacements = 0
        if self.has_given_up and not self.unplayable:
            self._replace()

    def send(self, message: MessageToWorker) -> None:
        """Send a message. A worker that is yet to come gets it among its first messages."""
        if self.worker is not None:
            self.worker.send(message)

    def begin_match(self, strategy: str | None = None) -> BeginMatch:
        """The first message to a new worker; without a strategy it is a tracker."""
        start, history = self.setup.start, tuple(self.history)
        seconds = compile_seconds(start, has_begun=bool(history))
        return BeginMatch(start.rules, start.role, history, strategy, self.setup.seed, seconds)

    def replace_if_stopped(self) -> None:
        """Kill the worker if somebody has stopped it, so that a spare takes over."""
        worker = self.worker
        if worker is not None and worker.is_alive and is_stopped(worker.pid):
            _log.warning("%s: worker %d is stopped, and replaced", self._name, worker.pid)
            worker.kill()

    def close(self) -> None:
        """Kill the worker, and start no other."""
        self._is_closed = True
        if self.worker is not None:
            self.worker.kill()

    async def closed(self) -> None:
        """Wait until no new worker is on its way."""
        if self._opening is not None:
            await self._opening

    def _receive(self, message: MessageToServer) -> None:
        if isinstance(message, Unplayable):
            self.unplayable = message.reason
            _log.error("%s: the game cannot be played: %s", self._name, message.reason)
        else:
            self.receive(message)
        self._on_change()

    def _on_death(self, worker: WorkerHandle) -> None:
        self.worker = None
        if self._is_closed:
            return
        if worker.was_killed:
            self._replace()
        elif self._replacements < MAX_REPLACEMENTS:
            _log.warning("%s: worker %d died, another takes over", self._name, worker.pid)
            self.setup.events.problem(f"the {self.duty} died, another takes over")
            self._replacements += 1
            self._replace()
        else:
            _log.error("%s: worker %d died, the last in this turn", self._name, worker.pid)
            self.setup.events.problem(f"the {self.duty} died, the last in this turn")
        self._on_change()

    def _replace(self) -> None:
        self._opening = asyncio.create_task(self._open())


class TrackerSupervisor(Supervisor):
    """Knows the legal moves of the turn, moments after it has begun."""

    duty = "tracker"
    _status: MatchStatus | None = None

    def __init__(self, setup: Setup, take: TakeWorker, on_change: Callable[[], None]) -> None:
        super().__init__(setup, take, on_change)
        self.known = KnownMoves()

    @property
    def turn(self) -> int:
        """How many steps there have been."""
        return len(self.history)

    @property
    def status(self) -> MatchStatus | None:
        """How the match stands, None where that is not known yet."""
        status = self._status
        return status if status is not None and status.turn == len(self.history) else None

    def first_messages(self) -> Sequence[MessageToWorker]:
        """The rules and the history."""
        return (self.begin_match(),)

    def receive(self, message: MessageToServer) -> None:
        """Keep the status, and what may serve to guess a move later."""
        if isinstance(message, MatchStatus):
            if self._status is None:
                _log.info("%s: the rules are parsed", self._name)
            self._status = message
            self.known.remember(message.turn, message.legal_moves)
        elif isinstance(message, LegalByFacts) and message.at_first:
            self.known.remember_initial(message.move)
        elif isinstance(message, LegalByFacts):
            self.known.always_legal = message.move
        elif isinstance(message, StateReached):
            was_observed = bool(self.history) and isinstance(self.history[-1], ObservedStep)
            # Whoever was told the joint move has published it with the turn.
            told = message if was_observed else replace(message, joint_move=())
            self.setup.events.tell(told)


class SearchSupervisor(Supervisor):
    """Runs the strategy. Searches are numbered from 1; at most one is wanted at a time.

    A search that fails without a result is repeated at once. Where it fails again and again, the
    textbook plays on: what fails may be compiled code, which that does without.
    """

    duty = "search"
    _failures = 0
    _has_fallen_back = False
    _number = 0
    _ended = 0
    is_wanted = False
    """Whether a search is to go on."""
    _is_ready = False
    _until: float | None = None
    _last_found: BestMove | None = None
    _strategy_ponders = False

    @property
    def ponders(self) -> bool:
        """Whether the search is to go on while others choose."""
        return self._strategy_ponders and self.setup.ponder

    @property
    def has_ended(self) -> bool:
        """Whether nothing better is to be expected in this turn."""
        return self._ended == self._number or self.has_given_up

    def best(self) -> BestMove | None:
        """The best choice so far, also of a worker that died in this turn."""
        found = self.worker.choices.newest(self._number) if self.worker else None
        return found or self._last_found

    def search(self, deadline: Deadline | None = None) -> None:
        """Begin a new search in the present state, with the reply's deadline if that is known."""
        self._until = monotonic() + deadline.remaining if deadline is not None else None
        self._begin()

    def _begin(self) -> None:
        self._number += 1
        self.is_wanted = True
        self._last_found = None
        if self.worker is not None:
            self.worker.send(self._begin_search(self.worker))

    def watch(self, is_watched: bool) -> None:
        """Have the search report what it thinks, or no longer."""
        if self.worker is not None:
            self.worker.choices.is_watched = is_watched

    def stop(self) -> None:
        """Ask the search to stop; after a grace it is killed if it has not.

        A worker that still parses the rules is spared: another would have to parse them too.
        """
        worker = self.worker
        if self.is_wanted and worker is not None and self._ended != self._number:
            worker.choices.wanted = 0
            if self._is_ready:
                self._kill_after_grace()
        self.is_wanted = False

    def first_messages(self) -> Sequence[MessageToWorker]:
        """The rules, the history, and the search that is wanted, if any is."""
        self._is_ready = False
        begin_match = self.begin_match(FALLBACK if self._has_fallen_back else self.setup.strategy)
        if self._has_fallen_back:
            begin_match = replace(begin_match, compile_seconds=None)
        if not self.is_wanted or self.worker is None:
            return (begin_match,)
        return begin_match, self._begin_search(self.worker)

    def receive(self, message: MessageToServer) -> None:
        """Note whether the search is ready, and when it has ended."""
        if isinstance(message, SearchReady):
            self._strategy_ponders = message.ponders
            if not self._is_ready:
                self._is_ready = True
                _log.info("%s: the rules are parsed", self._name)
                if not self.is_wanted:
                    self._kill_after_grace()
        elif isinstance(message, RulesCompiled):
            self.setup.metrics.compile_seconds.observe(message.seconds)
        elif isinstance(message, GameDescribed):
            self.setup.events.tell(message)
        elif isinstance(message, SearchReport):
            if message.number == self._number:
                self.setup.events.thoughts(message.turn, message)
        elif isinstance(message, SearchEnded):
            self._end(message)

    def _end(self, message: SearchEnded) -> None:
        """Note the end of a search; where it has failed without a result, begin another."""
        self._ended = message.number
        if not message.failure:
            self._succeed()
            return
        _log.error("%s: search %d: %s", self._name, message.number, message.failure)
        self.setup.events.problem(f"the search fails: {message.failure}")
        if message.number == self._number and not self._has_result and self.is_wanted:
            has_fallen_back = self._has_fallen_back
            self._fail(message.failure)
            if self._has_fallen_back and not has_fallen_back and self.worker is not None:
                self._number += 1
                self.worker.kill()
            elif not has_fallen_back:
                self._begin()

    @property
    def _has_result(self) -> bool:
        """Whether the search has found more than a move to begin with, which has no value."""
        found = self.best()
        return found is not None and found.value is not None

    def _succeed(self) -> None:
        self._failures = 0
        if not self._has_fallen_back:
            self.setup.health.clear(Subject.SEARCHES)

    def _fail(self, reason: str) -> None:
        """Count a search that has failed without a result; at last have the textbook take over."""
        self._failures += 1
        if self._failures < MAX_FAILURES or self._has_fallen_back:
            return
        self._has_fallen_back = True
        self._replacements = 0
        problem = f"{self.setup.strategy} fails again and again: {reason}"
        _log.error("%s: %s; the textbook plays on", self._name, problem)
        self.setup.health.raise_problem(Subject.SEARCHES, f"{self._name}: {problem}")

    def _on_death(self, worker: WorkerHandle) -> None:
        if self.is_wanted:
            self._last_found = worker.choices.newest(self._number) or self._last_found
        if not worker.was_killed and not self._has_result:
            self._fail("its process died")
        super()._on_death(worker)

    def _begin_search(self, worker: WorkerHandle) -> BeginSearch:
        """Note which search is wanted, and return the message that asks for it."""
        worker.choices.wanted = self._number
        worker.choices.is_watched = self.setup.events.wants_thoughts
        return BeginSearch(self._number, thorough=not self.history, until=self._until)

    def _kill_after_grace(self) -> None:
        loop, worker = asyncio.get_running_loop(), self.worker
        if worker is not None:  # by its number, as the timer would keep what a dead one held
            loop.call_later(STOP_GRACE, self._kill_unless_ended, worker.pid, self._number)

    def _kill_unless_ended(self, pid: int, number: int) -> None:
        worker = self.worker
        if self._ended < number and worker is not None and worker.pid == pid:
            _log.info("%s: search %d does not stop and is replaced", self._name, number)
            if worker.choices.newest(number) is None:
                self._fail("it does not stop, and finds nothing")
            worker.kill()


def compile_seconds(start: Start, has_begun: bool) -> float:
    """How long a new search waits for compiled rules: in a match that has begun, a play clock's."""
    clock = start.play_clock if has_begun else start.start_clock
    return min(MAX_COMPILE_SECONDS, COMPILE_SHARE * clock)
