"""Building the archives of kernels: ``python -m ggp_player.worker.kernel_build``.

They are shipped with the package, so this is for those who change a kernel. The kernels for
circuits are left to :mod:`gdl.circuit.native.kernel_build`. For the searches' this runs small games
through all searches that have kernels, compiled by Numba, and notes the types with which kernels
are called; what is built for these types is written beside the strategies, or, by
:mod:`.warm_up`, into the cache on disk.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from random import Random

import numpy as np

import gdl
from gdl.array_kernels.archive import no_archives
from gdl.array_kernels.arguments import KernelArchiveError
from gdl.array_kernels.functions import KERNELS
from gdl.engine import PropnetStateMachine, as_words, packed_state, trivial_group
from gdl.engine.kernel_library import (
    advance,
    choose_moves,
    elements_fixing,
    evaluate_transition,
    evaluate_view,
    is_canonical,
    load_states,
    make_all_canonical,
    read_lanes,
)
from gdl.system import child_environment, end_with_parent
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

SEARCHES = {
    TURNS: ("mcts:playouts=2000", "uct", "enumeration", "proof:megabytes=1"),
    TOGETHER: ("mcts:playouts=2000",),
    PUZZLE: ("planner",),
}
"""Strategies with kernels of their own, by the rules of the game that they are run on."""

CHOICES = 20
"""Choices after which a strategy has been through its kernels."""

LEARNING_SECONDS = 2.0
"""Of a clock that goes on by a hundredth whenever it is read."""


def run_all_searches() -> None:
    """Run all searches that have kernels through these."""
    from ggp_player.strategies.selection import create

    for rules, specs in SEARCHES.items():
        machine = gdl.compile(gdl.parse(rules))
        for spec in specs:
            strategy = create(spec)
            position = Position(machine, machine.initial_state(), machine.roles[0], Random(0))
            for _ in zip(range(CHOICES), strategy.search(position), strict=False):
                pass
            strategy.report(position)
    _call_the_rest()


def _call_the_rest() -> None:
    """Call the kernels that searches of small games do not need."""
    from ggp_player.strategies.learning.pattern_learning import Learning
    from ggp_player.strategies.mcts import Settings, TreeSearch
    from ggp_player.strategies.mcts.pools import live_child

    machine = gdl.compile(gdl.parse(TURNS))
    search = TreeSearch(machine, Settings(), memory=2**20)
    search.set_root(machine.initial_state())
    search.run(10)
    search.line(0, 0)
    live_child(search.memory.tree, 0)
    ticks, learning = count(step=0.01), Learning(machine, 0)
    for _ in learning.work(LEARNING_SECONDS, ticks.__next__):
        pass
    assert learning.evaluation is not None
    search.guide(learning.evaluation.tables, learning.evaluation.weights)
    search.run(10)
    _call_the_engines(machine)


def _call_the_engines(machine: PropnetStateMachine) -> None:
    """Call the engine's kernels for blocks, which other programs may use."""
    block = machine.engine.block()
    view, symmetries = block.arrays(), trivial_group(machine.engine.layout)
    states = as_words(packed_state(machine, machine.initial_state()))
    load_states(view, states, np.zeros(1, np.int64))
    evaluate_view(view)
    for role in range(len(machine.roles)):
        choose_moves(view, role)
    evaluate_transition(view)
    advance(view)
    read_lanes(view.rows, view.fluents, view.fluent_count, states)
    make_all_canonical(symmetries, states, np.empty_like(states[0]), np.zeros(1, np.int32))
    is_canonical(symmetries, elements_fixing(symmetries, states[0]), 0)


def build(folder: Path) -> None:
    """Build the archive in a folder; the environment must be set for it.

    Raises RuntimeError where it is not, and ValueError for a kernel that is called with arguments
    of different types.
    """
    from gdl.array_kernels.numba_compiler import build_archive, check_environment, recording

    check_environment()
    with no_archives(), recording() as recorded:
        run_all_searches()
    build_archive(folder, recorded, searches_modules())


def searches_modules() -> set[str]:
    """The modules with kernels that searches call.

    Those for circuits have another archive, and those of the laboratory's solvers have none.
    """
    modules = {kernel.function.__module__ for kernel in KERNELS.values()}
    return {name for name in modules if not name.startswith(("gdl.circuit.", "ggp_player.lab."))}


def build_in_a_process(folder: Path) -> None:
    """Build the archive in a folder, in a process of its own, which takes minutes.

    Raises KernelArchiveError if that fails; it does without Numba.
    """
    if find_spec("numba") is None:
        raise KernelArchiveError("building kernels needs Numba: pip install 'ggp-player[kernels]'")
    _run_to_build([__spec__.name, "--parent", str(os.getpid()), str(folder)])


def _run_to_build(module: list[str]) -> None:
    """Run a module with arguments in the environment in which kernels are built."""
    from gdl.array_kernels.numba_compiler import BUILD_ENVIRONMENT

    environment = {**child_environment(), **BUILD_ENVIRONMENT}
    done = subprocess.run([sys.executable, "-m", *module], env=environment, check=False)
    if done.returncode != 0:
        raise KernelArchiveError(f"the kernels cannot be built: status {done.returncode}")


def main() -> None:
    """Build the archives that are shipped, or that of the searches in another folder."""
    parser = argparse.ArgumentParser(description="Build the archives of kernels.")
    parser.add_argument("folder", type=Path, nargs="?", help="only the searches' kernels, here")
    parser.add_argument("--parent", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    try:
        if arguments.folder is None:
            build_in_a_process(Path(strategies.__file__).parent)
            _run_to_build(["gdl.circuit.native.kernel_build"])
        elif arguments.parent is None:
            build_in_a_process(arguments.folder)
        else:
            end_with_parent(arguments.parent)
            build(arguments.folder)
    except KernelArchiveError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
