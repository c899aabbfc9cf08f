"""Compiling the rules of a match, in a thread, so that nothing waits for it longer than it can."""

from __future__ import annotations

import logging
import threading

import gdl
from gdl.grounder import Budget
from gdl.propnet.machine import PropnetStateMachine
from gdl.propnet.options import CompileOptions

BUDGET = Budget(rules=1_000_000)
"""What compiling may take; some 30,000 ground rules are made into a network in a second."""

_log = logging.getLogger(__name__)


class Compilation:
    """The compiling of one ruleset, which begins at once."""

    def __init__(self, ruleset: gdl.Ruleset) -> None:
        self._ruleset = ruleset
        self._machine: PropnetStateMachine | None = None
        self._thread = threading.Thread(target=self._compile, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether there may be a machine yet."""
        return self._thread.is_alive()

    def machine(self, seconds: float | None = 0.0) -> PropnetStateMachine | None:
        """Return the machine, None where there is none after ``seconds`` (None: however long)."""
        self._thread.join(seconds)
        return self._machine

    def _compile(self) -> None:
        try:
            self._machine = gdl.compile(self._ruleset, CompileOptions(BUDGET))
        except (gdl.GdlError, MemoryError, RecursionError) as error:
            _log.info("the rules are not compiled: %s", error)
