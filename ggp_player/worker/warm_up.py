"""Warm-up: compiles what all matches share before the first one.

Kernels are compiled for the CPU at hand and kept in the folder of :func:`code_folder`. A file
there marks that everything is compiled for this version of the code as it is installed, so that no
search has to compile under a running clock.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random

import llvmlite.binding as llvm

import gdl
from gdl.engine import jit, kernels_are_warm, warm_up_kernels
from gdl.engine.kernel_library import code_folder
from ggp_player import strategies
from ggp_player.strategies import Position

TURNS = """
(role one) (role two) (init (at 0)) (init (turn one))
(after 0 1) (after 1 2) (follows one two) (follows two one)
(<= (legal ?r go) (true (turn ?r))) (<= (legal ?r stay) (true (turn ?r)))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (at ?n)) (true (at ?m)) (after ?m ?n))
(<= (next (turn ?s)) (true (turn ?r)) (follows ?r ?s))
(<= (next (gone ?r)) (does ?r go)) (<= (next (gone ?r)) (true (gone ?r)))
(<= terminal (true (at 2)))
(<= (goal one 100) (true (gone one))) (<= (goal one 0) (not (true (gone one))))
(<= (goal two 0) (true (gone one))) (<= (goal two 100) (not (true (gone one))))
"""
"""Two steps, two moves in each: enough to run through every kernel of a search against others."""

TOGETHER = """
(role one) (role two) (init on) (legal one go) (legal one stay) (legal two go) (legal two stay)
(<= (next (gone ?r)) (does ?r go)) (<= terminal (not (true on)))
(<= met (true (gone one)) (true (gone two)))
(<= (goal one 100) met) (<= (goal two 100) (not met))
"""
"""One step of two moves at once."""

PUZZLE = """
(role you) (init (at 0)) (after 0 1) (after 1 2) (after 2 3)
(legal you go) (legal you stay)
(<= (next (at ?n)) (true (at ?m)) (after ?m ?n) (does you go))
(<= (next (at ?m)) (true (at ?m)) (does you stay))
(<= terminal (true (at 3))) (<= (goal you 100) (true (at 3))) (goal you 0)
"""

COMPILED = {
    TURNS: ("mcts:playouts=2000", "uct", "enumeration", "proof:megabytes=1"),
    TOGETHER: ("mcts:playouts=2000",),
    PUZZLE: ("planner",),
}
"""Strategies with kernels of their own, by the rules of the game that they are run on."""

CHOICES = 20
"""Choices after which a strategy has been through its kernels."""


def warm_up_searches() -> None:
    """Compile what is not in the cache yet, which takes a minute or two, once for a version."""
    # Not at the top: a worker that only asks whether all is warm does not need the searches.
    from ggp_player.strategies.selection import create

    warm_up_kernels()
    for rules, specs in COMPILED.items():
        machine = gdl.compile(gdl.parse(rules))
        for spec in specs:
            strategy = create(spec)
            position = Position(machine, machine.initial_state(), machine.roles[0], Random(0))
            for _ in zip(range(CHOICES), strategy.search(position), strict=False):
                pass
            strategy.report(position)
    _recycle()
    _marker().touch()


def _recycle() -> None:
    """Run through what a tree search does when its tree has grown too large."""
    from ggp_player.strategies.mcts import Settings, TreeSearch

    machine = gdl.compile(gdl.parse(TURNS))
    search = TreeSearch(machine, Settings(), memory=2**20)
    search.set_root(machine.initial_state())
    search.run(10)
    search.compact()


def is_warm() -> bool:
    """Check whether everything is compiled already."""
    return kernels_are_warm() and _marker().exists()


def _marker() -> Path:
    """The file that marks a warm cache of this installation, on this CPU."""
    package = Path(strategies.__file__).parent
    installed = [llvm.get_host_cpu_name(), *_stamps(package), *_stamps(Path(jit.__file__).parent)]
    return code_folder(package) / f"warm-{hashlib.sha256(repr(installed).encode()).hexdigest()[:8]}"


def _stamps(package: Path) -> list[tuple[str, float]]:
    """What Numba recognises its code by: where the source is, and when it was written."""
    return [(str(path), path.stat().st_mtime) for path in sorted(package.rglob("*.py"))]
