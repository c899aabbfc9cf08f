"""A seat for another version of this package: run by its interpreter, as a script, not a module.

So it may use only what all versions have. Requests come as lines of JSON on the standard input, and
each has one line as its answer: ``{"rules", "game", "memory"}`` names a game, and
``{"strategy"}`` begins a match, for both of which the answer is ``{}``;
``{"history", "role", "seed", "prepare", "seconds"}`` asks for a role's move after the joint moves
of the history, within so many seconds of this thread's CPU time, after so many more to prepare, and
is answered by ``{"move", "cpu"}``. With ``"fork": true`` a fork of the process looks for it,
and the strategy stays as it is. What went wrong is ``{"error"}``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from random import Random
from time import thread_time
from typing import Any

import gdl
from ggp_player.clock import Deadline
from ggp_player.search_memory import set_search_memory
from ggp_player.strategies import Position
from ggp_player.strategies.selection import create


class Seat:
    """The game, and the strategy of a match."""

    def __init__(self) -> None:
        self._machines: dict[str, Any] = {}
        self._machine: Any = None
        self._strategy: Any = None
        self._made: list[list[str]] = []
        self._state: Any = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what a request asks for."""
        if "rules" in request:
            set_search_memory(request["memory"])
            rules = request["rules"]
            if rules not in self._machines:
                self._machines[rules] = gdl.compile(gdl.parse(rules, request["game"]))
                self._machines[rules].warm_up()
            self._machine = self._machines[rules]
            self._made, self._state = [], self._machine.initial_state()
            return {}
        if "strategy" in request:
            self._strategy = create(request["strategy"])
            refusal = self._strategy.refusal(self._machine)
            return {} if refusal is None else {"error": refusal}
        return self._choose_in_fork(request) if request.get("fork") else self._choose(request)

    def _choose_in_fork(self, request: dict[str, Any]) -> dict[str, Any]:
        receiver, sender = os.pipe()
        if not os.fork():
            try:
                os.write(sender, json.dumps(answered(self._choose_anew, request)).encode())
            finally:
                os._exit(0)
        os.close(sender)
        with os.fdopen(receiver, "rb") as answer:
            found = answer.read()
        os.wait()
        return json.loads(found) if found else {"error": "the process of a search has died"}

    def _choose_anew(self, request: dict[str, Any]) -> dict[str, Any]:
        # What every search writes to is copied before its time begins.
        self._search(self._machine.initial_state(), request, 0)
        return self._choose(request)

    def _choose(self, request: dict[str, Any]) -> dict[str, Any]:
        state = self._state_after(request["history"])
        began = thread_time()
        if request["prepare"]:
            self._search(state, request, request["prepare"])
        move = self._search(state, request, request["seconds"])
        return {"move": str(move), "cpu": thread_time() - began}

    def _state_after(self, history: list[list[str]]) -> Any:  # noqa: ANN401 of any version
        if history[: len(self._made)] != self._made:
            self._made, self._state = [], self._machine.initial_state()
        for joint_move in history[len(self._made) :]:
            terms = [gdl.parse_term(move) for move in joint_move]
            self._state = self._machine.next_state(self._state, terms)
        self._made = history
        return self._state

    def _search(self, state: Any, request: dict[str, Any], seconds: float) -> Any:  # noqa: ANN401
        deadline, choice = Deadline.after(seconds, thread_time), None
        role = next(role for role in self._machine.roles if str(role) == request["role"])
        position = Position(self._machine, state, role, Random(request["seed"]))
        if hasattr(position, "deadline"):  # older versions tell strategies nothing of their time
            position = replace(position, deadline=deadline)
        search = self._strategy.search(position)
        for choice in search:
            if choice.proved or deadline.has_passed:
                break
        search.close()
        return choice.move if choice is not None else position.legal_moves[0]


def main() -> None:
    """Answer requests until there are no more."""
    seat = Seat()
    for line in sys.stdin:
        print(json.dumps(answered(seat.answer, json.loads(line))), flush=True)


def answered(
    answer: Callable[[dict[str, Any]], dict[str, Any]], request: dict[str, Any]
) -> dict[str, Any]:
    """What answers a request, or what went wrong, with which the duel ends."""
    try:
        return answer(request)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    main()
