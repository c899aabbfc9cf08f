"""The processes that evaluate rulesheets, and a state machine that asks one of them.

A process serves one game: rules that hang or take all memory cost the matches of that game, and
nobody else's. All of its matches share it, as evaluating a step takes much less time than players
think. A process that does not answer in time is ended, and its matches are broken off.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from pydantic import ValidationError
from pydantic_core import to_json

import gdl
from gdl import Constant, State, Term
from gdl.system import child_environment
from ggp_player.errors import ManagerError
from ggp_player.manager import MatchError
from ggp_player.manager_service import rules_process
from ggp_player.manager_service.rules_process import ANSWERS, Answer, Position

CHECK_SECONDS = 20.0
"""How long reading a rulesheet and its first state may take."""

STEP_SECONDS = 60.0
"""How long evaluating one step of a match may take."""

MAX_PROCESSES = 8
"""The most processes that wait for further matches."""

MAX_ANSWER = 64 * 2**20
"""The longest answer of a process, in bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class RemoteState:
    """A state that a process has evaluated."""

    facts: tuple[Term, ...]
    position: Position

    def __iter__(self) -> Iterator[Term]:
        """Iterate over the facts."""
        return iter(self.facts)

    def __len__(self) -> int:
        """Return the number of facts."""
        return len(self.facts)


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
            env=child_environment(),
            start_new_session=True,  # Ctrl-C is for the manager, which ends it
        )
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

    def begin(self, session: str) -> RemoteState:
        """Begin a match."""
        return _state(self._ask({"kind": "begin", "session": session}, STEP_SECONDS))

    def advance(self, session: str, moves: Sequence[Term]) -> RemoteState:
        """Make a joint move in a match."""
        request = {"kind": "advance", "session": session, "moves": [str(move) for move in moves]}
        return _state(self._ask(request, STEP_SECONDS))

    def end(self, session: str) -> None:
        """Forget a match."""
        with suppress(MatchError):
            self._ask({"kind": "end", "session": session}, STEP_SECONDS)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _ask(self, request: Mapping[str, object], seconds: float) -> Answer:
        """Ask the process. Raises :class:`MatchError` where there is no answer, or an error."""
        with self._turn:
            is_late = threading.Event()
            timer = threading.Timer(seconds, self._give_up, (is_late,))
            timer.start()
            try:
                answer = self._exchange(to_json(request) + b"\n")
            except (OSError, ValidationError, ValueError) as error:
                if is_late.is_set():
                    raise MatchError(f"the rules take more than {seconds:g} s") from error
                raise MatchError("the rules take more memory than there is for them") from error
            finally:
                timer.cancel()
        if answer.error:
            raise MatchError(answer.error)
        return answer

    def _give_up(self, is_late: threading.Event) -> None:
        is_late.set()
        self._process.kill()

    def _exchange(self, line: bytes) -> Answer:
        writer, reader = self._process.stdin, self._process.stdout
        assert writer is not None
        assert reader is not None
        writer.write(line)
        writer.flush()
        return ANSWERS.validate_json(reader.readline(MAX_ANSWER))


class MatchRules:
    """The rules of one match, as a state machine; it asks a process once a step.

    States are those of this match only, and the latest is the only one that moves are made in.
    """

    def __init__(self, process: RulesProcess, session: str) -> None:
        self._process = process
        self._session = session
        self.roles = process.roles
        self._latest: tuple[State | None, RemoteState | None] = None, None

    def initial_state(self) -> State:
        """Return the state in which the match begins."""
        return self._process.begin(self._session)

    def next_state(self, state: State, joint_move: Sequence[Term]) -> State:
        """Return the state after a joint move in the latest state."""
        after = self._process.advance(self._session, joint_move)
        self._latest = state, after
        return after

    def legal_moves(self, state: State, role: Term) -> tuple[Term, ...]:
        """Return the role's legal moves."""
        found = _position(state).legal
        return tuple(map(_term, found[self._index(role)])) if found else ()

    def is_terminal(self, state: State) -> bool:
        """Return whether the match is over."""
        return _position(state).is_terminal

    def goal(self, state: State, role: Term) -> int | None:
        """Return the role's goal value in a last state, None if there is none."""
        found = _position(state).goals
        return found[self._index(role)] if found else None

    def goals(self, state: State, role: Term) -> tuple[int, ...]:
        """Return the role's goal value, if there is one."""
        value = self.goal(state, role)
        return () if value is None else (value,)

    def percepts(self, state: State, joint_move: Sequence[Term], role: Term) -> tuple[Term, ...]:
        """Return what the role saw of the last joint move, which was made in the state."""
        before, after = self._latest
        found = after.position.percepts if after is not None and before is state else ()
        return tuple(map(_term, found[self._index(role)])) if found else ()

    def close(self) -> None:
        """Have the process forget the match."""
        self._process.end(self._session)

    def _index(self, role: Term) -> int:
        return next(index for index, one in enumerate(self.roles) if one == role)


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

    def open(self, digest: str, rules: str, session: str) -> MatchRules:
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
        return MatchRules(process, session)

    def _least_busy(self, digest: str) -> RulesProcess | None:
        """Return the process to ask, None where there should be another one."""
        with self._lock:
            found = [one for one in self._processes.get(digest, []) if one.is_alive]
            self._processes[digest] = found
            self._processes.move_to_end(digest)
        is_room = len(found) < self._per_game and all(one.sessions for one in found)
        return None if is_room else min(found, key=lambda one: one.sessions)

    def release(self, rules: MatchRules) -> None:
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


def _position(state: State) -> Position:
    assert isinstance(state, RemoteState)
    return state.position


def _state(answer: Answer) -> RemoteState:
    if answer.position is None:
        raise MatchError("the process of the rules has given no state")
    return RemoteState(tuple(map(_term, answer.position.facts)), answer.position)


@lru_cache(maxsize=100_000)
def _term(text: str) -> Term:
    return gdl.parse_term(text)


def _constant(text: str) -> Constant:
    term = _term(text)
    if not isinstance(term, Constant):
        raise MatchError(f"expected a role that is a constant; found {text}")
    return term
