"""Warm-up: compiles what all matches share before the first one.

It is LLVM code, made into native code for the CPU at hand and kept in the cache on disk, so that no
search has to compile under a running clock.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

from gdl import StateMachine
from gdl.engine import PropnetStateMachine, kernels_are_warm, warm_up_kernels
from gdl.system import make_private

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


COLD = (
    "the strong searches are not compiled yet on this machine; until then the textbook's searches "
    "show what they find on interpreted rules (ggp-player warm-up compiles them, in some seconds)"
)

COMPILING = "the rules are being compiled; until then they are interpreted, and searched slowly"

INTERPRETED = "the rules are too large to be compiled; they are interpreted, and searched slowly"


def interpreted_notice(machine: StateMachine, is_compiling: bool = False) -> str:
    """Say why a search of the machine is not at its full strength; nothing where it is."""
    if isinstance(machine, PropnetStateMachine):
        return ""
    if not is_warm():
        return COLD
    return COMPILING if is_compiling else INTERPRETED
