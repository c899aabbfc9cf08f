"""A contest: the main search plays until a learner has found something better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from gdl import StateMachine
from ggp_player.clock import Clock
from ggp_player.strategies import Choice, EngineStrategy, MoveReport, Position, Strategy
from ggp_player.strategies.learning.learner import Learner

FIRST_SHARE = 0.85
"""The learner's share of the time in the first search, while the start clock runs."""

SHORT_SECONDS = 3.0
"""With less time the first search is like any other: its time is for the move."""

WAITING_SHARE = 0.85
"""The learner's share where there is no choice, while others think; and where there is one, as long
as it learns from the position."""

LATER_SHARE = 0.3
"""Its share of the time for moves, where it has not finished by then."""

MAX_GOAL = 100
"""The greatest goal value."""


class Contest(EngineStrategy):
    """Plays as ``main`` while a ``learner`` works beside it, then as what that has found.

    If it has found nothing better, ``main`` goes on. It also goes on where what was found has
    proved a value that is only pessimistic, and not the best there is.

    With several ``threads`` the learner works in one of its own, and ``main`` searches all the
    while; otherwise they take turns, by ``clock``, which returns seconds of the thread's CPU time.
    Most of the start clock is the learner's. What it has not done by then it does in the following
    positions, mostly while others think; so no move waits for it. Once it has learned enough for
    that, it learns from each position first, and the rest of the time is for a search with what it
    knows then.
    """

    name = "contest"
    ponders = True

    def __init__(self, main: Strategy, learner: Learner, clock: Clock, threads: int = 1) -> None:
        self._playing = self._main = main
        self._learner = learner
        self._clock = clock
        self._threads = threads
        self._work: Iterator[None] | None = None
        self._later: Iterator[None] | None = None
        self._searches = 0
        self._is_short = False
        self._replaced_work = 0
        self._in_thread: _SearchInThread | None = None

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse what the main search refuses."""
        return self._playing.refusal(machine)

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the choices of what plays."""
        self._begin(position)
        shown = Choice.first_of(position.legal_moves)
        work = self._work_in(position)
        if work is not None:
            together = self._take_turns if self._threads == 1 else self._work_side_by_side
            for shown in map(self._playing.credited, together(position, work)):
                yield shown
            if shown.proved or work in (self._work, self._later):
                return
        for choice in self._playing.search(position):
            # What a search says before it knows anything is worse than what the other has found.
            if choice.value is not None or choice.proved:
                shown = self._playing.credited(choice)
            if self._is_too_pessimistic(choice):
                yield from map(self._main.credited, self._main.search(position))
                return
            yield shown

    @property
    def work(self) -> int:
        """The work of all searches that have played, without that of the learner."""
        playing = {self._main, self._playing}
        return self._replaced_work + sum(each.work or 0 for each in playing)

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Report what the search that plays knows, or knew a moment ago in its own thread."""
        if self._in_thread is not None:
            return self._in_thread.report()
        return self._playing.report(position)

    @property
    def about_game(self) -> str:
        """How the learning went."""
        return self._learner.note

    def _begin(self, position: Position) -> None:
        """Let the learner begin, in the first search; later let play what it has found."""
        self._let_play()
        self._searches += 1
        if self._searches == 1:
            seconds = position.seconds
            self._is_short = seconds is not None and seconds < SHORT_SECONDS
            seed = position.random.getrandbits(30)
            machine = self.machine_of(position)
            if self._threads > 1:
                machine = machine.for_another_thread()
            self._work = self._learner.work(machine, seed, position.deadline)

    def _work_in(self, position: Position) -> Iterator[None] | None:
        """What the learner is to do in a position, if anything."""
        is_first, is_waiting = self._searches == 1, len(position.legal_moves) == 1
        if self._work is not None and (is_first or is_waiting or not self._learner.has_learned):
            return self._work
        # A pessimistic proof ends a search, but says nothing.
        if not self._learner.is_pessimistic:
            self._later = self._learner.learn_from(position)
        return self._later

    def _let_play(self) -> None:
        """Let play what the learner has found, if anything."""
        found = self._learner.strategy or self._main
        if found is not self._playing:
            if self._playing is not self._main:
                self._replaced_work += self._playing.work or 0
            self._playing = found

    def _end(self, work: Iterator[None]) -> None:
        """Note that there is no more of some work."""
        self._let_play()
        if work is self._work:
            self._work = None
        else:
            self._later = None

    def _work_side_by_side(self, position: Position, work: Iterator[None]) -> Iterator[Choice]:
        """Run the main search in a thread while the learner works in this one."""
        first = Choice.first_of(position.legal_moves)
        with closing(_SearchInThread(self._playing, position, first)) as search:
            self._in_thread = search
            try:
                for _ in work:
                    shown = search.latest()
                    yield shown
                    if shown.proved:
                        return
            finally:
                self._in_thread = None
        self._end(work)

    def _take_turns(self, position: Position, work: Iterator[None]) -> Iterator[Choice]:
        """Run the main search and the learner in turn, until one of them has nothing more to do."""
        began = self._clock()
        for choice in self._playing.search(position):
            yield choice
            if choice.proved:
                return
            now, share = self._clock(), self._share(position, work)
            end = now + (now - began) * share / (1 - share)
            for _ in work:
                yield choice
                if self._clock() >= end:
                    break
            else:
                self._end(work)
                return
            began = self._clock()

    def _share(self, position: Position, work: Iterator[None]) -> float:
        """The learner's share of the time."""
        if work is self._later or len(position.legal_moves) == 1:
            return WAITING_SHARE
        is_start = self._searches == 1 and not self._is_short
        return FIRST_SHARE if is_start and position.seconds != 0 else LATER_SHARE

    def _is_too_pessimistic(self, choice: Choice) -> bool:
        """Whether a proof says only what nobody can take away, and more may be had."""
        if self._playing is self._main or not self._learner.is_pessimistic:
            return False
        return choice.proved and (choice.value or 0) < MAX_GOAL


class _SearchInThread:
    """A search that goes on in a thread of its own until it is closed, or has proved a value."""

    def __init__(self, strategy: Strategy, position: Position, first: Choice) -> None:
        self._strategy = strategy
        self._position = position
        self._choices = strategy.search(position)
        self._latest = first
        self._reported: Sequence[MoveReport] = ()
        self._is_asked = False
        self._pool = ThreadPoolExecutor(1)
        self._running = self._pool.submit(self._next)

    def latest(self) -> Choice:
        """Its latest choice, at first the one that was given."""
        if self._running.done() and not self._latest.proved:
            self._latest = self._running.result() or self._latest
            self._running = self._pool.submit(self._next)
        return self._latest

    def report(self) -> Sequence[MoveReport]:
        """Its latest report; asking for it makes the thread prepare the next."""
        self._is_asked = True
        return self._reported

    def _next(self) -> Choice | None:
        choice = next(self._choices, None)
        if self._is_asked:
            self._is_asked = False
            self._reported = self._strategy.report(self._position)
        return choice

    def close(self) -> None:
        """Wait until the slice that is under way has ended."""
        self._pool.shutdown()
