"""The processes that evaluate rulesheets, and the rules of a match that ask one of them.

A process serves one game: rules that hang or take all memory cost the matches of that game, and
nobody else's. All of its matches share it, as evaluating a step takes much less time than players
think. A process that does not answer in time is ended, and its matches are broken off. States stay
in the processes: here is only what can be done next.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain

from pydantic_core import to_json

import gdl
from gdl import Constant, Term
from gdl.system.helper_process import HelperProcess, helper_command
from ggp_player.errors import ManagerError, MatchError
from ggp_player.manager_service.rules import rules_process
from ggp_player.manager_service.rules.rules_process import (
    ANSWERS,
    MAX_ANSWER,
    NO_MEMORY,
    RulesAnswer,
)
from ggp_player.match_rules import MatchPosition
from ggp_player.match_runner.own_faults import LackError, lack_in
from ggp_player.protocol import move_texts

CHECK_SECONDS = 20.0
"""How long reading a rulesheet and its first state may take."""

STEP_SECONDS = 60.0
"""How long evaluating one step of a match may take."""

MAX_PROCESSES = 8
"""The most processes that wait for further matches."""

_log = logging.getLogger(__name__)


class RulesProcess:
    """A process with one game; each call waits for its answer, in the caller's thread.

    While it reads the rules, it is among those that are ``loading``.
    """

    def __init__(self, rules: str, loading: set[RulesProcess]) -> None:
        self._turn = threading.Lock()
        self.helper = HelperProcess(helper_command(rules_process.main))
        self._lack = self._reason = ""
        self.sessions = 0
        loading.add(self)
        try:
            loaded = self.ask({"kind": "load", "rules": rules}, CHECK_SECONDS)
        except BaseException:
            self.close()
            raise
        finally:
            loading.discard(self)
        self.roles = tuple(map(_constant, loaded.roles))

    def close(self, reason: str = "") -> None:
        """End the process; whoever waits for its answer is told the reason, if there is one."""
        self._reason = reason
        self.helper.close()

    def ask(self, request: Mapping[str, object], seconds: float) -> RulesAnswer:
        """Ask the process. Raises :class:`MatchError` where there is no answer, or an error.

        Raises :class:`LackError` where the manager itself lacks memory: what is left of an answer
        that it could not take would be the next one's, so the process is ended, and no match of it
        can go on.
        """
        with self._turn:
            if self._lack:
                raise LackError(self._lack, was_sent=True)
            try:
                line = self.helper.ask(to_json(request) + b"\n", seconds, MAX_ANSWER)
                answer = ANSWERS.validate_json(line)
            except TimeoutError as error:
                raise MatchError(f"the rules take more than {seconds:g} s") from error
            except (OSError, ValueError) as error:
                reason = self._reason or NO_MEMORY
                self.close()
                raise MatchError(reason) from error
            except MemoryError as error:
                self._lack = lack_in(error)
                self.close()
                raise LackError(self._lack, was_sent=True) from error
        if answer.error:
            raise MatchError(answer.error)
        return answer


class RemoteRules:
    """The rules of one match, evaluated by a process."""

    def __init__(self, process: RulesProcess, session: str) -> None:
        self.process = process
        self._session = session

    @property
    def roles(self) -> tuple[Constant, ...]:
        """The roles in the order of joint moves."""
        return self.process.roles

    def begin(self) -> MatchPosition:
        """Return the position in which the match begins."""
        return _position(self._ask("begin"))

    def advance(self, joint_move: Sequence[Term]) -> MatchPosition:
        """Make a joint move, which is not checked, and return the position that it leads to."""
        return _position(self._ask("advance", moves=move_texts(joint_move)))

    def states(self) -> tuple[str, ...] | None:
        """Return all states so far as a match record has them, None where they are left out."""
        try:
            return self._ask("states").states
        except MatchError as error:
            _log.warning("the record of %s has no states: %s", self._session, error)
            return None

    def close(self) -> None:
        """Have the process forget the match."""
        with suppress(MatchError, LackError):
            self._ask("end")

    def _ask(self, kind: str, **what: object) -> RulesAnswer:
        return self.process.ask({"kind": kind, "session": self._session, **what}, STEP_SECONDS)


class RulesPool:
    """The processes of all games, by the digests of their rules. Used from several threads."""

    def __init__(self, per_game: int) -> None:
        self._per_game = per_game
        self._processes: OrderedDict[str, list[RulesProcess]] = OrderedDict()
        self._lock = threading.Lock()
        self._starting: dict[str, threading.Lock] = {}
        self._loading: set[RulesProcess] = set()

    def check(self, rules: str) -> tuple[str, ...]:
        """Return the roles of a rulesheet. Raises :class:`ManagerError` if it cannot be played."""
        try:
            process = RulesProcess(rules, self._loading)
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
                process = RulesProcess(rules, self._loading)
                with self._lock:
                    self._processes.setdefault(digest, []).append(process)
            process.sessions += 1
        return RemoteRules(process, session)

    def _least_busy(self, digest: str) -> RulesProcess | None:
        """Return the process to ask, None where there should be another one."""
        with self._lock:
            found = [one for one in self._processes.get(digest, []) if one.helper.is_alive]
            self._processes[digest] = found
            self._processes.move_to_end(digest)
        is_room = len(found) < self._per_game and all(one.sessions for one in found)
        return None if is_room else min(found, key=lambda one: one.sessions)

    def release(self, rules: RemoteRules) -> None:
        """Take back the rules of a match that is over."""
        rules.close()
        with self._lock:
            rules.process.sessions -= 1

    def close(self) -> None:
        """End all processes; whoever waits for an answer gets an error at once."""
        with self._lock:
            for process in chain(*self._processes.values(), list(self._loading)):
                process.close("the manager stops")
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
