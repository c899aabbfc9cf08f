"""The processes that evaluate rulesheets, and the rules of a match that ask one of them.

A process serves one game: rules that hang or take all memory cost the matches of that game, and
nobody else's. All of its matches share it, as evaluating a step takes much less time than players
think. A process that does not answer in time is ended, and its matches are broken off. States stay
in the processes: here is only what can be done next.
"""

from __future__ import annotations

import logging
import os
import select
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import IO

from pydantic_core import to_json

import gdl
from gdl import Constant, Term
from gdl.system import child_environment
from ggp_player.errors import ManagerError, MatchError
from ggp_player.manager import LackError, lack_in
from ggp_player.manager_service.rules import rules_process
from ggp_player.manager_service.rules.rules_process import (
    ANSWERS,
    MAX_ANSWER,
    NO_MEMORY,
    RulesAnswer,
)
from ggp_player.match_rules import MatchPosition
from ggp_player.protocol import move_texts

CHECK_SECONDS = 20.0
"""How long reading a rulesheet and its first state may take."""

STEP_SECONDS = 60.0
"""How long evaluating one step of a match may take."""

MAX_PROCESSES = 8
"""The most processes that wait for further matches."""

_PART = 2**16
"""Bytes that are read at a time: as many as a pipe has."""

_log = logging.getLogger(__name__)


class RulesProcess:
    """A process with one game; each call waits for its answer, in the caller's thread."""

    def __init__(self, rules: str) -> None:
        self._turn = threading.Lock()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-c", f"from {rules_process.__name__} import main; main()"),
                str(os.getpid()),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=child_environment(),
            start_new_session=True,  # Ctrl-C is for the manager, which ends it
        )
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._lack = ""
        self.sessions = 0
        try:
            loaded = self._ask({"kind": "load", "rules": rules}, CHECK_SECONDS)
        except BaseException:
            self.close()
            raise
        self.roles = tuple(map(_constant, loaded.roles))

    @property
    def is_alive(self) -> bool:
        """Whether the process can be asked."""
        return self._process.poll() is None

    def begin(self, session: str) -> MatchPosition:
        """Begin a match."""
        return _position(self._ask({"kind": "begin", "session": session}, STEP_SECONDS))

    def advance(self, session: str, moves: Sequence[Term]) -> MatchPosition:
        """Make a joint move in a match."""
        request = {"kind": "advance", "session": session, "moves": move_texts(moves)}
        return _position(self._ask(request, STEP_SECONDS))

    def states(self, session: str) -> tuple[str, ...] | None:
        """Return the states of a match for its record, None where there are none."""
        try:
            return self._ask({"kind": "states", "session": session}, STEP_SECONDS).states
        except MatchError as error:
            _log.warning("the record of %s has no states: %s", session, error)
            return None

    def end(self, session: str) -> None:
        """Forget a match."""
        with suppress(MatchError, LackError):
            self._ask({"kind": "end", "session": session}, STEP_SECONDS)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _ask(self, request: Mapping[str, object], seconds: float) -> RulesAnswer:
        """Ask the process. Raises :class:`MatchError` where there is no answer, or an error.

        Raises :class:`LackError` where the manager itself lacks memory: what is left of an answer
        that it could not take would be the next one's, so the process is ended, and no match of it
        can go on.
        """
        with self._turn:
            if self._lack:
                raise LackError(self._lack, was_sent=True)
            try:
                answer = ANSWERS.validate_json(self._exchange(to_json(request) + b"\n", seconds))
            except TimeoutError as error:
                self.close()
                raise MatchError(f"the rules take more than {seconds:g} s") from error
            except (OSError, EOFError, ValueError) as error:
                self.close()
                raise MatchError(NO_MEMORY) from error
            except MemoryError as error:
                self._lack = lack_in(error)
                self.close()
                raise LackError(self._lack, was_sent=True) from error
        if answer.error:
            raise MatchError(answer.error)
        return answer

    def _exchange(self, line: bytes, seconds: float) -> bytes:
        writer, reader = self._process.stdin, self._process.stdout
        assert writer is not None
        assert reader is not None
        return exchange_line(writer, reader, line, seconds, MAX_ANSWER)


class RemoteRules:
    """The rules of one match, evaluated by a process."""

    def __init__(self, process: RulesProcess, session: str) -> None:
        self._process = process
        self._session = session

    @property
    def roles(self) -> tuple[Constant, ...]:
        """The roles in the order of joint moves."""
        return self._process.roles

    def begin(self) -> MatchPosition:
        """Return the position in which the match begins."""
        return self._process.begin(self._session)

    def advance(self, joint_move: Sequence[Term]) -> MatchPosition:
        """Make a joint move, which is not checked, and return the position that it leads to."""
        return self._process.advance(self._session, joint_move)

    def states(self) -> tuple[str, ...] | None:
        """Return all states so far as a match record has them, None where they are left out."""
        return self._process.states(self._session)

    def close(self) -> None:
        """Have the process forget the match."""
        self._process.end(self._session)


class RulesPool:
    """The processes of all games, by the digests of their rules. Used from several threads."""

    def __init__(self, per_game: int) -> None:
        self._per_game = per_game
        self._processes: OrderedDict[str, list[RulesProcess]] = OrderedDict()
        self._lock = threading.Lock()
        self._starting: dict[str, threading.Lock] = {}

    def check(self, rules: str) -> tuple[str, ...]:
        """Return the roles of a rulesheet. Raises :class:`ManagerError` if it cannot be played."""
        try:
            process = RulesProcess(rules)
        except MatchError as error:
            raise ManagerError(str(error)) from error
        process.close()
        return tuple(map(str, process.roles))

    def open(self, digest: str, rules: str, session: str) -> RemoteRules:
        """Return the rules for a match. Raises :class:`MatchError` where they cannot be read."""
        with self._lock:
            self._drop_idle(digest)
            starting = self._starting.setdefault(digest, threading.Lock())
        with starting:  # the matches of other games do not wait for this one's rules
            process = self._least_busy(digest)
            if process is None:
                process = RulesProcess(rules)
                with self._lock:
                    self._processes.setdefault(digest, []).append(process)
            process.sessions += 1
        return RemoteRules(process, session)

    def _least_busy(self, digest: str) -> RulesProcess | None:
        """Return the process to ask, None where there should be another one."""
        with self._lock:
            found = [one for one in self._processes.get(digest, []) if one.is_alive]
            self._processes[digest] = found
            self._processes.move_to_end(digest)
        is_room = len(found) < self._per_game and all(one.sessions for one in found)
        return None if is_room else min(found, key=lambda one: one.sessions)

    def release(self, rules: RemoteRules) -> None:
        """Take back the rules of a match that is over."""
        rules.close()
        with self._lock:
            rules._process.sessions -= 1

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            for process in (one for found in self._processes.values() for one in found):
                process.close()
            self._processes.clear()

    def _drop_idle(self, wanted: str) -> None:
        count = sum(map(len, self._processes.values()))
        for digest in list(self._processes):
            found = self._processes[digest]
            if digest == wanted or count < MAX_PROCESSES or any(one.sessions for one in found):
                continue
            for process in self._processes.pop(digest):
                process.close()
                count -= 1


def _position(answer: RulesAnswer) -> MatchPosition:
    if answer.position is None:
        raise MatchError("the process of the rules has given no position")
    return answer.position


def _constant(text: str) -> Constant:
    term = gdl.parse_term(text)
    if not isinstance(term, Constant):
        raise MatchError(f"expected a role that is a constant; found {text}")
    return term


def exchange_line(
    writer: IO[bytes], reader: IO[bytes], line: bytes, seconds: float, most: int
) -> bytes:
    """Write a line to a pipe that does not block, and return the line that comes from another.

    No thread watches the time: one that is started while there is no memory may never begin to run,
    and then whoever starts it waits for ever. Raises :class:`TimeoutError` where it takes longer,
    another OSError or EOFError where the process has ended, and ValueError where its line has more
    than ``most`` bytes. After any error the rest of a line may still be on its way, so that the
    pipes are of no further use.
    """
    end = monotonic() + seconds
    left = memoryview(line)
    while left:
        _wait(writer, select.POLLOUT, end)
        left = left[os.write(writer.fileno(), left) :]
    answer = bytearray()
    while not answer.endswith(b"\n"):
        _wait(reader, select.POLLIN, end)
        part = os.read(reader.fileno(), _PART)
        if not part:
            raise EOFError
        answer += part
        if len(answer) > most:
            raise ValueError(f"expected a line of at most {most:,} bytes")
    return bytes(answer)


def _wait(pipe: IO[bytes], event: int, end: float) -> None:
    """Wait until a pipe can be used, or its other end is closed."""
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(max(0.0, 1000 * (end - monotonic()))):
        raise TimeoutError
