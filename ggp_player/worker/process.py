"""A worker process: it runs what may hang, crash or eat memory, so that the server does not.

Rulesheets come from strangers and strategies may have bugs. Whatever touches a rulesheet runs in
a worker with a bounded memory, which the server can kill at any time without asking. A worker
serves one match, as its tracker or as its search, and handles the server's messages one after the
other. The searches are imported by :mod:`ggp_player.worker.search_worker`, and that by the first
message that asks for one, or by a worker that nobody has asked for anything yet: a tracker does
without them.
"""

from __future__ import annotations

import gc
import importlib
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from multiprocessing import connection, parent_process
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import gdl
from gdl.system import (
    end_first_without_memory,
    end_own_group,
    lead_group,
    limit_memory,
    resume_with_parent_end,
)
from ggp_player.errors import GgpPlayerError
from ggp_player.events import History, StateReached, Step
from ggp_player.protocol import state_text
from ggp_player.search_memory import set_search_memory
from ggp_player.worker.choice_buffer import ChoiceBuffer
from ggp_player.worker.fallback_moves import move_legal_by_facts
from ggp_player.worker.match_tracker import MatchTracker
from ggp_player.worker.messages import (
    ApplyStep,
    BeginMatch,
    BeginSearch,
    LegalByFacts,
    LogRecord,
    MatchStatus,
    MessageToServer,
    MessageToWorker,
    ReplaceHistory,
    Unplayable,
    decode_to_worker,
    encode,
)

if TYPE_CHECKING:
    from ggp_player.worker.search_worker import SearchWorker

FOR_SEARCHES = (
    "ggp_player.worker.search_worker",
    "ggp_player.worker.compiling",
)
"""The modules that import the searches and the engine, which only tracking a match does without."""

MAX_STATE = 2**18
"""Characters of a state that is reported; a longer one is only known to be there."""

MAX_LEGAL_MOVES = 1000
"""Legal moves of a turn that are told to whoever watches."""

OUT_OF_MEMORY = 3
"""The exit status of a worker that has reached its memory limit."""

Send: TypeAlias = Callable[[MessageToServer], None]
"""Sends a message to the server."""

_log = logging.getLogger(__name__)


class MemoryLimits(NamedTuple):
    """The memory of a worker in bytes: its address space, and what its searches may take of it."""

    address_space: int
    search: int


def main(channel: socket.socket, choices: ChoiceBuffer, limits: MemoryLimits) -> None:
    """Handle messages until the channel closes."""
    lead_group()  # first of all, as what it starts later is ended with it
    resume_with_parent_end()
    _let_the_fork_server_end()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends workers
    threading.Thread(target=_die_with_the_server, daemon=True).start()
    end_first_without_memory()
    limit_memory(limits.address_space)
    set_search_memory(limits.search)

    def send(message: MessageToServer) -> None:
        channel.sendall(encode(message))

    _send_log_records(send)
    logging.getLogger("gdl.code_cache").setLevel(logging.ERROR)  # the server has said it once
    gdl.parse_term("noop")  # makes the parser's tables before any clock runs
    if not connection.wait([channel], timeout=0):  # a spare; whoever is asked already is in a hurry
        for name in FOR_SEARCHES:  # at once under a fork server, which has them
            importlib.import_module(name)
    gc.freeze()  # what is imported stays: scanning it for garbage would delay a reply
    worker: TrackerWorker | SearchWorker | None = None
    try:
        with channel.makefile("rb") as lines:
            for line in lines:
                worker = handle_message(decode_to_worker(line), worker, choices, send)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # the server ends what this process has started
    except (BrokenPipeError, ConnectionResetError):
        sys.exit(0)
    except Exception:
        _log.exception("the worker stops")
        sys.exit(1)


def _let_the_fork_server_end() -> None:
    """Close this process's end of the pipe that keeps the fork server alive, for the server's part.

    Otherwise a worker that is stopped would keep it, and nobody would wake that worker.
    """
    module = sys.modules.get("multiprocessing.forkserver")  # there is none on other systems
    fork_server = getattr(module, "_forkserver", None)
    descriptor = getattr(fork_server, "_forkserver_alive_fd", None)
    if fork_server is not None and descriptor is not None:
        os.close(descriptor)
        fork_server._forkserver_alive_fd = None


def _die_with_the_server() -> None:
    server = parent_process()
    assert server is not None
    connection.wait([server.sentinel])
    end_own_group(0)


class _LogSender(logging.Handler):
    def __init__(self, send: Send) -> None:
        super().__init__()
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record).encode(errors="backslashreplace").decode()
        self._send(LogRecord(record.levelno, record.name, text))


def _send_log_records(send: Send) -> None:
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    root.addHandler(_LogSender(send))


def handle_message(
    message: MessageToWorker,
    worker: TrackerWorker | SearchWorker | None,
    choices: ChoiceBuffer,
    send: Send,
) -> TrackerWorker | SearchWorker | None:
    """Do what a message says; return the worker for the next one."""
    try:
        match message:
            case BeginMatch(strategy=None):
                return TrackerWorker(message, send)
            case BeginMatch():
                from ggp_player.worker.search_worker import SearchWorker

                return SearchWorker(message, choices, send)
            case ApplyStep() if worker is not None:
                worker.apply_step(message.step)
            case ReplaceHistory() if worker is not None:
                worker.replace_history(message.history)
            case BeginSearch() if worker is not None and not isinstance(worker, TrackerWorker):
                worker.search(message)
    except (gdl.GdlError, GgpPlayerError) as error:
        send(Unplayable(str(error)))
    except RecursionError:
        send(Unplayable("the rules are nested or recursive beyond any depth"))
    return worker


class TrackerWorker:
    """Tracks the match, and reports its status after every step."""

    def __init__(self, message: BeginMatch, send: Send) -> None:
        self._send = send
        self._role, self._is_new = message.role, not message.history
        self._tracker = MatchTracker(
            message.rules, message.role, on_parsed=self._send_from_text, history=message.history
        )
        gc.freeze()  # the rules stay: scanning them for garbage would delay a reply
        self._send_status()

    def apply_step(self, step: Step) -> None:
        """Apply a step, and report how the match stands now."""
        self._tracker.apply_step(step)
        self._send_status()

    def replace_history(self, history: History) -> None:
        """Go to another position, and report how the match stands there."""
        self._tracker.replace_history(history)
        self._send_status()

    def _send_from_text(self, ruleset: gdl.Ruleset) -> None:
        """Send what serves to guess a move before the rules are evaluated."""
        for at_first in (False, True) if self._is_new else (False,):
            move = move_legal_by_facts(ruleset, self._role, at_first=at_first)
            if move is not None:
                self._send(LegalByFacts(str(move), at_first))
                return

    def _send_status(self) -> None:
        tracker = self._tracker
        is_over = tracker.is_over
        goals = tracker.goals if is_over else {}
        legal_moves = tuple(map(str, tracker.legal_moves))
        status = MatchStatus(tracker.turn, legal_moves, is_over, goals)
        if is_over:  # nobody waits for moves, and what comes after the status may not be read
            self._send_state(status)
            self._send(status)
        else:
            self._send(status)
            self._send_state(status)

    def _send_state(self, status: MatchStatus) -> None:
        tracker = self._tracker
        text = state_text(tracker.state)
        self._send(
            StateReached(
                turn=status.turn,
                roles=tuple(map(str, tracker.machine.roles)),
                state=text if len(text) <= MAX_STATE else "",
                legal_moves=status.legal_moves[:MAX_LEGAL_MOVES],
                legal_move_count=len(status.legal_moves),
                joint_move=tracker.last_joint_move,
                is_over=status.is_over,
                goals=status.goals,
            )
        )
