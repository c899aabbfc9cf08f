"""Compiling the rules of a match, in a thread, so that nothing waits for it longer than it can."""

from __future__ import annotations

import logging
import threading

import gdl
from gdl.circuit import CompileOptions
from gdl.engine import PropnetStateMachine
from gdl.grounding import GroundingBudget

BUDGET = GroundingBudget(rules=4_000_000)
"""What compiling may take; some 40,000 ground rules are made into a network in a second."""

_log = logging.getLogger(__name__)


class BackgroundCompiler:
    """The compiling of one ruleset, which begins at once; ``machine`` is None until it is done."""

    def __init__(self, ruleset: gdl.Ruleset) -> None:
        self.machine: PropnetStateMachine | None = None
        self._ruleset = ruleset
        self._thread = threading.Thread(target=self._compile, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether there may be a machine yet."""
        return self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Wait until it is done, or no longer than some seconds."""
        self._thread.join(seconds)

    def _compile(self) -> None:
        try:
            self.machine = gdl.compile(self._ruleset, CompileOptions(BUDGET))
        except MemoryError:
            _log.info("the rules are not compiled: there is not enough memory")
        except (gdl.GdlError, RecursionError) as error:
            _log.info("the rules are not compiled: %s", error)
