"""A worker process: it runs what may hang, crash or eat memory, so that the server does not.

Rulesheets come from strangers and strategies may have bugs. Whatever touches a rulesheet runs in
a worker with a bounded memory, which the server can kill at any time without asking. A worker
serves one match: as the referee, or as the search. It takes orders one after the other. Between
two choices of a search, and mostly when the search asks the machine something, it looks at the
shared memory, to see whether the search is still wanted.
"""

from __future__ import annotations

import gc
import logging
import os
import resource
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import connection, parent_process
from random import Random

import gdl
from ggp_player.errors import GgpPlayerError
from ggp_player.strategies import Choice, Position, Strategy
from ggp_player.strategies.engine_strategy import EngineStrategy, compiled_machine
from ggp_player.strategies.selection import create
from ggp_player.worker.choice_buffer import ChoiceBuffer, FoundChoice
from ggp_player.worker.interruptible import InterruptibleMachine, SearchInterrupted
from ggp_player.worker.match_tracker import MatchTracker
from ggp_player.worker.messages import (
    ApplyMoves,
    BeginMatch,
    BeginSearch,
    LogRecord,
    MatchStatus,
    MessageToServer,
    MessageToWorker,
    SearchEnded,
    SearchReady,
    Unplayable,
    decode,
    encode,
)

OUT_OF_MEMORY = 3
"""The exit status of a worker that has reached its bound of memory."""

FALLBACK = "auto"
"""The strategy in place of one that refuses a game."""

_log = logging.getLogger(__name__)


def main(channel: socket.socket, choice: ChoiceBuffer, memory_limit: int) -> None:
    """Take orders until the channel is closed; ``memory_limit`` is in bytes of address space."""
    threading.Thread(target=_die_with_the_server, daemon=True).start()
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))

    def report(message: MessageToServer) -> None:
        channel.sendall(encode(message))

    _send_log_records_to(report)
    gdl.parse_term("noop")  # makes the parser's tables, so that no clock runs meanwhile
    gc.freeze()  # what is imported stays: looking through it for garbage holds up a reply
    worker: TrackerWorker | SearchWorker | None = None
    try:
        with channel.makefile("rb") as lines:
            for line in lines:
                worker = _carry_out(decode(line), worker, choice, report)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (BrokenPipeError, ConnectionResetError):
        sys.exit(0)
    except Exception:
        _log.exception("the worker stops")
        sys.exit(1)


def _die_with_the_server() -> None:
    server = parent_process()
    assert server is not None
    connection.wait([server.sentinel])
    os._exit(0)


class _LogReporter(logging.Handler):
    def __init__(self, report: Callable[[MessageToServer], None]) -> None:
        super().__init__()
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        self._report(LogRecord(record.levelno, record.name, self.format(record)))


def _send_log_records_to(report: Callable[[MessageToServer], None]) -> None:
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    root.addHandler(_LogReporter(report))


def _carry_out(
    order: MessageToWorker | MessageToServer,
    worker: TrackerWorker | SearchWorker | None,
    choice: ChoiceBuffer,
    report: Callable[[MessageToServer], None],
) -> TrackerWorker | SearchWorker | None:
    """Carry out an order; the worker for the next one is returned."""
    try:
        match order:
            case BeginMatch(strategy=None):
                worker = TrackerWorker(order, report)
            case BeginMatch():
                worker = SearchWorker(order, choice, report)
            case ApplyMoves() if worker is not None:
                worker.follow(order)
            case BeginSearch() if isinstance(worker, SearchWorker):
                worker.search(order)
    except (gdl.GdlError, GgpPlayerError) as error:
        report(Unplayable(str(error)))
    except RecursionError:
        report(Unplayable("the rules are nested or recursive beyond any depth"))
    return worker


class TrackerWorker:
    """Reports how the match stands after every joint move."""

    def __init__(self, order: BeginMatch, report: Callable[[MessageToServer], None]) -> None:
        self._report = report
        self._referee = _refereed(order, None)
        self._tell()

    def follow(self, order: ApplyMoves) -> None:
        """Apply a joint move, and report how the match stands now."""
        self._referee.follow(order.moves)
        self._tell()

    def _tell(self) -> None:
        referee = self._referee
        is_over = referee.is_over
        goals = referee.goals if is_over else {}
        legal_moves = [str(move) for move in referee.legal_moves]
        self._report(MatchStatus(referee.turn, legal_moves, is_over, goals))


class SearchWorker:
    """Runs a strategy, and writes every choice to the shared memory."""

    def __init__(
        self, order: BeginMatch, choice: ChoiceBuffer, report: Callable[[MessageToServer], None]
    ) -> None:
        self._order = order
        self._choice = choice
        self._report = report
        looks_ahead = create(order.strategy or FALLBACK).looks_ahead
        self._referee = _refereed(order, order.compile_seconds if looks_ahead else None)
        self._number = 0
        self._strategy = self._new_strategy()
        self._told: SearchReady | None = None
        self._tell()

    def follow(self, order: ApplyMoves) -> None:
        """Apply a joint move."""
        self._referee.follow(order.moves)

    def search(self, order: BeginSearch) -> None:
        """Search, and report the end. After a failure the next search has a new strategy."""
        failure = ""
        self._number = order.number
        self._adopt()
        self._tell()
        try:
            self._search(order)
        except MemoryError:
            raise
        except Exception as error:
            _log.exception("search %d failed", order.number)
            failure = f"{type(error).__name__}: {error}"
            self._strategy = self._new_strategy()
        self._report(SearchEnded(order.number, failure))

    def _search(self, order: BeginSearch) -> None:
        referee = self._referee
        legal_moves = referee.legal_moves
        if not legal_moves:
            return
        if len(legal_moves) == 1:
            self._choice.publish(FoundChoice(order.number, str(legal_moves[0])))
            if not (order.thorough or self._ponders):
                return
        best: Choice | None = None
        for choice in self._choices():
            # A search that begins anew has nothing to say of its first moves.
            if choice != best and (best is None or best.value is None or choice.value is not None):
                self._publish(order.number, choice)
                best = choice
            if choice.proved or not self._is_wanted:
                return

    @property
    def _is_wanted(self) -> bool:
        return self._choice.wanted == self._number

    def _is_to_stop(self) -> bool:
        return not self._is_wanted or self._referee.can_adopt

    def _choices(self) -> Iterator[Choice]:
        """Yield the strategy's choices; once the rules are compiled, a new one's on them."""
        referee = self._referee
        while True:
            random = Random(f"{self._order.seed} {referee.turn}")
            position = Position(self._machine(), referee.state, referee.role, random)
            with suppress(SearchInterrupted):
                for choice in self._strategy.search(position):
                    yield choice
                    if referee.can_adopt:
                        break
            if not self._adopt():
                return

    def _machine(self) -> gdl.StateMachine:
        """Return what the strategy is to ask."""
        machine = self._referee.machine
        if isinstance(self._strategy, EngineStrategy) and compiled_machine(machine) is not None:
            return machine
        return InterruptibleMachine(machine, self._is_to_stop)

    def _adopt(self) -> bool:
        """Go on with a new strategy if the rules have been compiled meanwhile."""
        if not self._referee.adopt():
            return False
        gc.freeze()
        self._strategy = self._new_strategy()
        self._tell()
        return True

    @property
    def _ponders(self) -> bool:
        """Whether to search while others choose. It is better to leave the time to compiling."""
        return self._strategy.ponders and not self._referee.is_compiling

    def _tell(self) -> None:
        begun = SearchReady(self._ponders)
        if begun != self._told:
            self._told = begun
            self._report(begun)

    def _publish(self, number: int, choice: Choice) -> None:
        move = str(choice.move)
        self._choice.publish(FoundChoice(number, move, choice.value, choice.proved, choice.note))

    def _new_strategy(self) -> Strategy:
        spec = self._order.strategy or FALLBACK
        strategy = create(spec)
        refusal = strategy.refusal(self._referee.machine)
        if refusal is None:
            return strategy
        _log.warning("%s refuses the game: %s; %s plays instead", spec, refusal, FALLBACK)
        return create(FALLBACK)


def _refereed(order: BeginMatch, compile_seconds: float | None) -> MatchTracker:
    referee = MatchTracker(order.rules, order.role, compile_seconds)
    gc.freeze()  # and so do the rules
    for moves in order.history:
        referee.follow(moves)
    return referee
