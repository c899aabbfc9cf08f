"""A player of another version of this package, in a process of its own: ``STRATEGY@PYTHON``.

``PYTHON`` is the interpreter of an environment in which that version is installed, such as
``old/bin/python``. Its kernels should be compiled beforehand, by ``ggp-player warm-up`` there. The
process has the same CPU seconds for a move as a player of this version has; what it takes too much
its next move makes up for. It cannot be limited by work, which versions count differently.
"""

from __future__ import annotations

import json
import os
import subprocess
import weakref
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from gdl import Constant, State, Term, parse_term
from ggp_player.errors import LabError

SCRIPT = Path(__file__).with_name("seat_script.py")
"""What the other interpreter runs."""


def version_of(spec: str) -> tuple[str, str | None]:
    """The strategy of a player, and the interpreter of another version, None for this one."""
    strategy, sign, python = spec.rpartition("@")
    return (strategy, python) if sign else (spec, None)


class OtherVersion:
    """A strategy of another version in one seat of one match.

    ``limit`` has the seconds for each move, and those more before the first one. Raises
    :class:`LabError` where the interpreter cannot be run, or says what went wrong.
    """

    work = 0
    """It is not counted."""

    def __init__(
        self, spec: str, rules: str, game: str, memory: int, limit: tuple[float, float]
    ) -> None:
        self._seat = _seat(spec)
        self._seat.begin(rules, game, memory)
        self._seconds, self._to_prepare = limit
        self._carried = 0.0
        self.cpu = 0.0

    def choose(
        self, state: State, role: Constant, random: Random, history: Sequence[Sequence[Term]]
    ) -> Term:
        """The move of a role after the joint moves of a history; the state follows from these."""
        allowed = max(self._seconds / 2, self._seconds + self._carried)
        prepare, self._to_prepare = self._to_prepare, 0.0
        seed = random.getrandbits(32)
        move, cpu = self._seat.choose(history, role, seed, allowed, prepare=prepare)
        self.cpu += cpu
        left = allowed + prepare - cpu
        self._carried = min(0.0, max(-self._seconds, left))
        return move


class SeatProcess:
    """A process of the other interpreter; it ends at the latest when nobody has this any more.

    Raises :class:`LabError` as :class:`OtherVersion` does.
    """

    def __init__(self, spec: str) -> None:
        self._spec = spec
        self._strategy, python = version_of(spec)
        assert python is not None
        hidden = ("PYTHONPATH", "PYTHONSAFEPATH", "PYTHONHOME")
        environment = {key: value for key, value in os.environ.items() if key not in hidden}
        try:
            self._process = subprocess.Popen(
                [python, "-P", str(SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                text=True,
                start_new_session=True,  # Ctrl-C is for the duel, whose end it sees
            )
        except OSError as error:
            raise LabError(f"{python} cannot be run: {error.strerror}") from error
        self._end = weakref.finalize(self, _end, self._process)

    def begin(self, rules: str, game: str, memory: int) -> None:
        """Begin a match of a game, which the strategy plays."""
        self._ask({"rules": rules, "game": game, "memory": memory})
        self._ask({"strategy": self._strategy})

    def choose(
        self,
        history: Sequence[Sequence[Term]],
        role: Constant,
        seed: int,
        seconds: float,
        prepare: float = 0.0,
        fork: bool = False,
    ) -> tuple[Term, float]:
        """The move of a role after the joint moves of a history, and the CPU seconds it took.

        It may have ``prepare`` seconds before, or be searched for in a ``fork`` of the process.
        """
        found = self._ask(
            {
                "history": [[str(move) for move in joint_move] for joint_move in history],
                "role": str(role),
                "seed": seed,
                "prepare": prepare,
                "seconds": seconds,
                "fork": fork,
            }
        )
        return parse_term(found["move"]), found["cpu"]

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise LabError(f"the process of {self._spec} has died: is ggp-player installed there?")
        found: dict[str, Any] = json.loads(line)
        if "error" in found:
            raise LabError(f"{self._spec}: {found['error']}")
        return found

    def close(self) -> None:
        """End the process, and wait until it has ended."""
        self._end()


def _end(process: subprocess.Popen[str]) -> None:
    """End a process, whatever it is at, and wait until it has ended."""
    process.kill()
    process.communicate()


@lru_cache(maxsize=4)
def _seat(spec: str) -> SeatProcess:
    """The process of a player: one for all its matches that this process plays."""
    return SeatProcess(spec)
