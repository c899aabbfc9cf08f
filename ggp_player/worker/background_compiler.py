"""The background compiler: compiles the rules of a match in a thread, while a search interprets.

Apart from the match tracker, which imports it when it compiles: a tracker that interprets is there
sooner without the engine.
"""

from __future__ import annotations

import logging
import threading
from time import monotonic

import gdl
from gdl.circuit import CompileOptions
from gdl.engine import PropnetStateMachine
from gdl.grounding import GroundingBudget

COMPILE_BUDGET = GroundingBudget(rules=4_000_000)
"""What compiling may take; a second makes a circuit of some 40,000 ground rules."""

_NEVER = "the rules are not compiled, and interpreted for the whole match"

_log = logging.getLogger(__name__)


class BackgroundCompiler:
    """Compiles one ruleset, beginning at once; ``machine`` is None until it is done."""

    def __init__(self, ruleset: gdl.Ruleset) -> None:
        self.machine: PropnetStateMachine | None = None
        self._ruleset = ruleset
        self._began = monotonic()
        self._ended: float | None = None
        self._thread = threading.Thread(target=self._compile, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether there may yet be a machine."""
        return self._thread.is_alive()

    @property
    def seconds(self) -> float:
        """The wall-clock time since it began, until it was done."""
        return (self._ended or monotonic()) - self._began

    def wait(self, seconds: float) -> None:
        """Wait until it is done, or no longer than some seconds."""
        self._thread.join(seconds)

    def _compile(self) -> None:
        try:
            machine = gdl.compile(self._ruleset, CompileOptions(COMPILE_BUDGET))
        except MemoryError:
            _log.info("%s: there is not enough memory", _NEVER)
        except (gdl.GdlError, RecursionError, OSError) as error:  # such as a full disk
            _log.info("%s: %s", _NEVER, error)
        except Exception as error:  # such as kernels that cannot be loaded
            _log.warning("%s: %r", _NEVER, error)
        else:
            self._ended = monotonic()
            self.machine = machine
