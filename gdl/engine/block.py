"""Blocks: what others use of the network, many states at a time.

:class:`Engine` holds what is compiled; :class:`Block` is one block of lanes with its rows. Sizes:
``lanes`` is 64 times ``words``. All arrays are C-contiguous.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import GateProgram, Layout
from gdl.engine import calls
from gdl.engine.kernels import MAX_LEVELS, PlayoutArguments, kernel_key, kernel_source, scratch_rows
from gdl.engine.llvm_codegen import program_source, sequence_source
from gdl.engine.native_code import (
    NativeCode,
    compile_apart,
    compile_source,
    is_cached,
    native_code,
)
from gdl.errors import GroundingLimitError

Bits: TypeAlias = NDArray[np.uint8]
"""uint8 (lanes, n), each 0 or 1."""

Words: TypeAlias = NDArray[np.uint64]

MAX_CODE_GATES = 300_000
"""Gates of which machine code is made."""

FEW_GATES = 1_000
"""Gates of which LLVM makes code in a fifth of a second, so that it needs no process of its own."""

_EVALUATOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_SELECT = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, ctypes.c_int64, *[ctypes.c_void_p] * 2)
_PLAY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


@dataclass(frozen=True, slots=True)
class ProgramEvaluator:
    """A function ``void f(rows, program)``, by address, with the program it is to be given."""

    function: int
    program: int

    def __call__(self, rows: int) -> None:
        """Evaluate in the block at an address."""
        try:
            _EVALUATOR(self.function)(rows, self.program)
        except ctypes.ArgumentError as error:
            # Both arguments are numbers: this is what ctypes makes of a stack that is too deep.
            raise RecursionError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Playouts:
    """What random playouts gave, per lane.

    ``ended`` int64 (lanes,): playouts that came to an end. ``steps`` int64 (lanes,): their total
    length. ``goals`` int64 (lanes, roles): the sum of each role's goal values. ``states`` is the
    number of states gone through, those of unfinished playouts included. ``views`` is how often
    the view was evaluated for a step, ``goal_views`` how often the gates of goals were.
    """

    ended: NDArray[np.int64]
    steps: NDArray[np.int64]
    goals: NDArray[np.int64]
    states: int
    views: int
    goal_views: int


class Engine:
    """A network made ready to run, first through the interpreter, later as machine code.

    ``view`` evaluates all that depends on the states alone. It is ``moves_view``, which does for
    choosing moves, for the transition and to know who has ended, and then ``goals_view``. A search
    that evaluates ``moves_view`` at each step may evaluate ``goals_view`` at those alone whose
    goals it wants, with the same rows and before it changes any. Where ``late_goals`` tells that
    goals are dear it pays to let last states gather beside the block, at most one per lane, and
    to exchange them for the fluents when there are many: ``view`` then gives their goals, and
    after exchanging back ``moves_view`` must be evaluated again. Playouts do so. Where goals are
    cheap, machine code has the whole view for either part of it. While another thread compiles,
    read the attribute ``moves_view`` before ``goals_view``.
    """

    def __init__(
        self, layout: Layout, goal_table: Sequence[tuple[int, int]], roles: int, words: int = 8
    ) -> None:
        most = max(layout.move_counts, default=0)
        if most > 2 ** (MAX_LEVELS - 1):
            raise GroundingLimitError(f"a role has {most} moves, over {2 ** (MAX_LEVELS - 1)}")
        self.layout = layout
        self.words = words
        self.roles = roles
        self.goal_table = np.array(goal_table, dtype=np.int64).reshape(-1, 2)
        self.move_counts = np.array(layout.move_counts, dtype=np.int64)
        self._kernels = load_kernels(words)
        self._compiling = threading.Lock()
        self._code: NativeCode | None = None
        self.late_goals = layout.goals_are_expensive
        # The interpreter reads these by address.
        self._programs = [layout.view, layout.moves_view, layout.goals_view, layout.transition]
        self._arrays = [program_array(program) for program in self._programs]
        interpret = self._kernels.address("interpret")
        self.view, self.moves_view, self.goals_view, self.transition = (
            ProgramEvaluator(interpret, array.ctypes.data) for array in self._arrays
        )
        self.select = _SELECT(self._kernels.address("select"))
        self.play = _PLAY(self._kernels.address("play"))

    def addresses(self) -> NDArray[np.int64]:
        """Return what compiled functions call: int64 (:data:`gdl.engine.calls.ADDRESSES`,).

        They change once, when machine code takes over.
        """
        # In this order: see the class.
        evaluators = [self.moves_view, self.goals_view, self.view, self.transition]
        found = np.zeros(calls.ADDRESSES, dtype=np.int64)
        places = (calls.MOVES_VIEW, calls.GOALS_VIEW, calls.VIEW, calls.TRANSITION)
        for place, evaluator in zip(places, evaluators, strict=True):
            found[place : place + 2] = evaluator.function, evaluator.program
        for place, name in (
            (calls.SELECT, "select"),
            (calls.MASKED_COPY, "merge"),
            (calls.SCATTER, "put"),
        ):
            found[place] = self._kernels.address(name)
        return found

    def compile(self) -> None:
        """Replace the interpreter by machine code, once. May run in a thread of its own.

        A network of over ``MAX_CODE_GATES`` stays with the interpreter: its code would take
        minutes and gigabytes. Raises RuntimeError where LLVM has not enough memory.
        """
        gates = self.layout.gate_count
        with self._compiling:
            if self._code is None and gates <= MAX_CODE_GATES:
                self._compile(compile_source if gates <= FEW_GATES else compile_apart)

    def _compile(self, compiler: Callable[[str], bytes]) -> None:
        source = "\n".join(_sources(self.layout, self.words))
        code = native_code(source, lambda: source, compiler)
        self._code = code
        parts = (
            ("moves_view", "goals_view") if self.layout.goals_are_expensive else ("view", "view")
        )
        # In this order, as the whole view can follow any part, but the interpreter's goals not it.
        self.goals_view = ProgramEvaluator(code.address(parts[1]), 0)
        self.moves_view = ProgramEvaluator(code.address(parts[0]), 0)
        self.view = ProgramEvaluator(code.address("view"), 0)
        self.transition = ProgramEvaluator(code.address("transition"), 0)

    def block(self, seed: int = 0) -> Block:
        """Return a new block with nothing in it."""
        return Block(self, seed)


class Block:
    """The rows of some states and what can be done with them.

    ``rows`` is uint64 (rows, words), as :mod:`gdl.circuit.layout` lays them out.
    """

    def __init__(self, engine: Engine, seed: int) -> None:
        layout, words = engine.layout, engine.words
        self.engine = engine
        self.lanes = 64 * words
        self.rows = aligned_rows(layout.rows, words)
        self.scratch = aligned_rows(scratch_rows(max(layout.move_counts, default=1)), words)
        self.random = aligned_rows(4, words)
        generator = np.random.default_rng(seed)
        self.random[:] = generator.integers(1, 2**64, size=(4, words), dtype=np.uint64)

    # ------------------------------------------------------------------ states

    def load(self, fluents: Bits) -> None:
        """Put states into the first lanes: uint8 (states, fluents); the other lanes repeat them."""
        states = np.resize(fluents, (self.lanes, self.engine.layout.fluent_count))
        self._write(self.engine.layout.fluents, states)

    def states(self) -> Bits:
        """Return the states of all lanes: uint8 (lanes, fluents)."""
        layout = self.engine.layout
        return self._read(layout.fluents, layout.fluent_count)

    def view(self) -> None:
        """Evaluate what depends on the states alone."""
        self.engine.view(self.rows.ctypes.data)

    def legal(self) -> Bits:
        """Return which moves are legal: uint8 (lanes, moves of all roles); view first."""
        layout = self.engine.layout
        return self._read(layout.legal, sum(layout.move_counts))

    def terminal(self) -> NDArray[np.bool_]:
        """Return which lanes are terminal: bool (lanes,); view first."""
        return self._read(self.engine.layout.terminal, 1)[:, 0].astype(bool)

    def goals(self) -> Bits:
        """Return which goal values hold: uint8 (lanes, goal rows); view first."""
        return self._read(self.engine.layout.goals, self.engine.layout.goal_count)

    def move(self, moves: Bits) -> None:
        """Make joint moves: uint8 (lanes, moves of all roles); view first."""
        layout = self.engine.layout
        self._write(layout.moves, moves)
        self.engine.transition(self.rows.ctypes.data)
        following = self.rows[layout.next : layout.next + layout.fluent_count]
        self.rows[layout.fluents : layout.fluents + layout.fluent_count] = following

    def percepts(self) -> Bits:
        """Return which percepts were seen in the last step: uint8 (lanes, percept rows)."""
        return self._read(self.engine.layout.percepts, self.engine.layout.percept_count)

    def choose(self) -> Bits:
        """Return a uniformly random joint move of legal ones per lane; view first."""
        layout = self.engine.layout
        offset = 0
        for count in layout.move_counts:
            self.engine.select(
                self.rows[layout.legal + offset :].ctypes.data,
                self.rows[layout.moves + offset :].ctypes.data,
                count,
                self.scratch.ctypes.data,
                self.random.ctypes.data,
            )
            offset += count
        return self._read(layout.moves, offset)

    # ------------------------------------------------------------------ playouts

    def play(self, steps: int, refill: bool, late_goals: bool | None = None) -> Playouts:
        """Play at random from the lanes' states, for so many steps at most.

        With ``refill`` a lane whose playout has ended starts again from its state; without, every
        lane makes one playout. Lanes that are terminal at the start are left alone. ``late_goals``
        is whether goals are evaluated for many ended playouts at a time and not at each step,
        which changes no result; unless given it is what promises to be quicker. View again before
        asking for what the states say.
        """
        layout, words = self.engine.layout, self.engine.words
        late = self.engine.late_goals if late_goals is None else late_goals
        self.engine.moves_view(self.rows.ctypes.data)
        start, held = (aligned_rows(layout.fluent_count, words) for _ in range(2))
        start[:] = self.rows[layout.fluents :][: layout.fluent_count]
        alive, held_lanes = aligned_rows(1, words), aligned_rows(1, words)
        alive[0] = ~self.rows[layout.terminal]
        results = np.zeros((self.lanes, 2 + self.engine.roles), dtype=np.int64)
        started = np.zeros(self.lanes, dtype=np.int64)
        job = self._job(steps, refill, late)
        job[PlayoutArguments.START] = start.ctypes.data
        job[PlayoutArguments.ALIVE] = alive.ctypes.data
        job[PlayoutArguments.RESULTS] = results.ctypes.data
        job[PlayoutArguments.STARTED] = started.ctypes.data
        job[PlayoutArguments.HELD], job[PlayoutArguments.HELD_LANES] = (
            held.ctypes.data,
            held_lanes.ctypes.data,
        )
        made = self.engine.play(job.ctypes.data)
        playing = np.unpackbits(alive.view(np.uint8)[0], bitorder="little").astype(bool)
        unfinished = int(np.maximum(made - started[playing], 0).sum())
        return Playouts(
            ended=results[:, 0],
            steps=results[:, 1],
            goals=results[:, 2:],
            states=int(results[:, 1].sum()) + unfinished,
            views=made + 1,
            goal_views=int(job[PlayoutArguments.GOAL_VIEWS]) if late else made + 1,
        )

    def _job(self, steps: int, refill: bool, late_goals: bool) -> NDArray[np.int64]:
        engine, layout = self.engine, self.engine.layout
        job = np.zeros(len(PlayoutArguments), dtype=np.int64)
        job[PlayoutArguments.ROWS] = self.rows.ctypes.data
        view, whole = engine.moves_view if late_goals else engine.view, engine.view
        job[PlayoutArguments.VIEW], job[PlayoutArguments.VIEW_PROGRAM] = view.function, view.program
        job[PlayoutArguments.WHOLE_VIEW], job[PlayoutArguments.WHOLE_VIEW_PROGRAM] = (
            whole.function,
            whole.program,
        )
        job[PlayoutArguments.LATE_GOALS] = int(late_goals)
        job[PlayoutArguments.TRANSITION] = engine.transition.function
        job[PlayoutArguments.TRANSITION_PROGRAM] = engine.transition.program
        job[PlayoutArguments.SCRATCH] = self.scratch.ctypes.data
        job[PlayoutArguments.RANDOM] = self.random.ctypes.data
        job[PlayoutArguments.FLUENTS], job[PlayoutArguments.FLUENT_COUNT] = (
            layout.fluents,
            layout.fluent_count,
        )
        job[PlayoutArguments.NEXT] = layout.next
        job[PlayoutArguments.LEGAL], job[PlayoutArguments.MOVES] = layout.legal, layout.moves
        job[PlayoutArguments.TERMINAL] = layout.terminal
        job[PlayoutArguments.GOALS], job[PlayoutArguments.GOAL_COUNT] = (
            layout.goals,
            layout.goal_count,
        )
        job[PlayoutArguments.GOAL_TABLE] = engine.goal_table.ctypes.data
        job[PlayoutArguments.ROLES] = engine.roles
        job[PlayoutArguments.MOVE_COUNTS] = engine.move_counts.ctypes.data
        job[PlayoutArguments.STEPS], job[PlayoutArguments.REFILL] = steps, int(refill)
        return job

    # ------------------------------------------------------------------ rows as bits

    def _read(self, first: int, count: int) -> Bits:
        packed = np.ascontiguousarray(self.rows[first : first + count]).view(np.uint8)
        return np.unpackbits(packed, axis=1, bitorder="little").T

    def _write(self, first: int, bits: Bits) -> None:
        packed = np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little")
        self.rows[first : first + len(packed)] = packed.view(np.uint64)


def load_kernels(words: int) -> NativeCode:
    """Return the kernels of a width, compiled if the cache on disk does not have them."""
    return native_code(kernel_key(words), lambda: kernel_source(words))


def kernels_are_ready(words: int) -> bool:
    """Tell whether the kernels of a width can be had without compiling them."""
    return is_cached(kernel_key(words))


def _sources(layout: Layout, words: int) -> Iterator[str]:
    """Yield LLVM source of the evaluators; the view is in two parts where goals are dear."""
    outputs = layout.outputs
    after_view = {*_rows_read(layout.transition), *outputs}
    if layout.goals_are_expensive:
        after_moves = after_view.union(_rows_read(layout.goals_view))
        yield _source("moves_view", layout.moves_view, words, sorted(after_moves))
        yield _source("goals_view", layout.goals_view, words, outputs)
        yield sequence_source("view", ["moves_view", "goals_view"])
    else:
        yield _source("view", layout.view, words, sorted(after_view))
    yield _source("transition", layout.transition, words, outputs)


def _source(name: str, program: GateProgram, words: int, kept: Sequence[int]) -> str:
    return program_source(name, program.gates, program.segments, program.feedback, words, kept)


def _rows_read(program: GateProgram) -> Sequence[int]:
    read = [program.gates[:, 1] >> 1, program.gates[:, 2] >> 1, program.feedback[:, 1] >> 1]
    return [int(row) for row in np.unique(np.concatenate(read))]


def program_array(program: GateProgram) -> NDArray[np.int64]:
    """Return a gate program as the interpreter takes it; the arrays must outlive it."""
    return np.array(
        [
            program.gates.ctypes.data,
            program.segments.ctypes.data,
            len(program.segments),
            program.feedback.ctypes.data,
        ],
        dtype=np.int64,
    )


def aligned_rows(rows: int, words: int) -> Words:
    """Return zeros, uint64 (rows, words), at an address that vectors may be loaded from."""
    align = 8 * words
    raw = np.zeros(rows * words + words, dtype=np.uint64)
    offset = (-raw.ctypes.data % align) // 8
    return raw[offset : offset + rows * words].reshape(rows, words)
