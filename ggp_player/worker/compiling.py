"""What is compiled so that searches are fast: what all matches share, and the rules of one.

The warm-up compiles what all matches share before the first one. It is LLVM code, made into native
code for the CPU at hand and kept in the cache on disk, so that no search has to compile it under a
running clock. The rules of a match are compiled in a thread, while a search interprets them.

The match tracker imports this when it compiles: one that interprets starts faster without the
engine.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import gdl
from gdl.circuit import CompileOptions
from gdl.engine import PropnetStateMachine, kernels_are_warm, warm_up_kernels
from gdl.grounding import GroundingBudget
from gdl.system import make_private

COMPILE_BUDGET = GroundingBudget(rules=4_000_000)
"""What compiling may take; a second makes a circuit of some 40,000 ground rules."""

_NEVER = "the rules are not compiled, and interpreted for the whole match"

_log = logging.getLogger(__name__)

Report = Callable[[str], None]
"""Takes a line about what is being done."""


def warm_up_searches(report: Report = lambda _line: None) -> None:
    """Compile what is not in the cache yet, which takes some seconds, once for a version.

    Then all searches are run in small games, which shows that the code works.
    """
    # Not at the top: a worker that only asks whether all is warm does not need the searches.
    from ggp_player.strategies.engine_strategy import KERNELS
    from ggp_player.worker.kernel_build import run_all_searches

    began = monotonic()
    if not kernels_are_warm():
        report("compiling the kernels of the engine")
        warm_up_kernels()
    if not KERNELS.is_current:
        report("the kernels of the searches have been changed: building them takes minutes")
        _build(KERNELS.rebuilt_folder)
        KERNELS.forget()
    if not KERNELS.is_ready:
        report("compiling the kernels of the searches")
        KERNELS.load()
    run_all_searches()
    report(f"the searches are warm after {monotonic() - began:.1f} s")


def _build(folder: Path) -> None:
    """Build an archive in a folder of the cache, for nobody but this user."""
    from ggp_player.worker.kernel_build import build_in_a_process

    make_private(folder)
    build_in_a_process(folder)
    for file in folder.iterdir():
        file.chmod(0o600)  # whatever the user's mask lets others do with files


def is_warm() -> bool:
    """Check whether everything is compiled already."""
    from ggp_player.strategies.engine_strategy import KERNELS

    return kernels_are_warm() and KERNELS.is_ready


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


COLD = (
    "the strong searches are not compiled yet on this machine; until then the textbook's searches "
    "show what they find on interpreted rules (ggp-player warm-up compiles them, in some seconds)"
)

COMPILING = "the rules are being compiled; until then they are interpreted, and searched slowly"

INTERPRETED = "the rules are too large to be compiled; they are interpreted, and searched slowly"


def interpreted_notice(machine: gdl.StateMachine, is_compiling: bool = False) -> str:
    """Say why a search of the machine is not at its full strength; nothing where it is."""
    if isinstance(machine, PropnetStateMachine):
        return ""
    if not is_warm():
        return COLD
    return COMPILING if is_compiling else INTERPRETED
