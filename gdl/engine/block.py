"""Blocks: many states of a compiled game, evaluated together.

:class:`Engine` holds what is compiled; :class:`Block` is one block of lanes with its rows. Sizes:
``lanes`` is 64 times ``words``. All arrays are C-contiguous. Kernels see a block as
:class:`gdl.engine.block_view.BlockView`.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import GateProgram, Layout
from gdl.circuit.winning_moves import WinningMoves, build_winning_moves
from gdl.engine import calls
from gdl.engine.bits import Words
from gdl.engine.block_view import BlockView
from gdl.engine.canonical_state import SymmetryGroup, trivial_group
from gdl.engine.kernels import (
    MAX_LEVELS,
    MoveUnions,
    PlayoutArguments,
    find_move_unions,
    kernel_key,
    kernel_source,
    scratch_rows,
)
from gdl.engine.llvm_codegen import program_source, sequence_source
from gdl.errors import GroundingLimitError, IllegalActionError
from gdl.native_code import (
    NativeCode,
    compile_in_isolation,
    compile_source,
    is_compiled,
    native_code,
)

Bits: TypeAlias = NDArray[np.uint8]
"""uint8 (lanes, n), each 0 or 1."""

MAX_CODE_GATES = 300_000
"""With more gates than this, a game stays with the interpreter."""

FEW_GATES = 1_000
"""For up to this many gates LLVM needs a fifth of a second, and no process of its own."""

_EVALUATOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_SELECT = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, ctypes.c_int64, *[ctypes.c_void_p] * 2)
_PLAY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


@dataclass(frozen=True, slots=True)
class ProgramEvaluator:
    """A function ``void f(rows, program)``, by address, with the address of its program."""

    function: int
    program: int

    def __call__(self, rows: int) -> None:
        """Evaluate in the block at an address."""
        try:
            _EVALUATOR(self.function)(rows, self.program)
        except ctypes.ArgumentError as error:
            # Both arguments are numbers: ctypes reports a stack that is too deep in this way.
            raise RecursionError(str(error)) from None


class _PlayoutArrays(NamedTuple):
    """The arrays that playouts write to; see :class:`.kernels.play.PlayoutArguments`."""

    start: Words
    alive: Words
    results: NDArray[np.int64]
    started: NDArray[np.int64]
    held: Words
    held_lanes: Words
    goal_views: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Playouts:
    """The results of random playouts, per lane.

    ``ended`` int64 (lanes,): playouts that came to an end. ``steps`` int64 (lanes,): their total
    length. ``goals`` int64 (lanes, roles): the sum of each role's goal values. ``states`` is the
    number of state changes, those of unfinished playouts included. ``views`` is how often the view
    was evaluated for a step, ``goal_views`` how often the gates of goals were.
    """

    ended: NDArray[np.int64]
    steps: NDArray[np.int64]
    goals: NDArray[np.int64]
    states: int
    views: int
    goal_views: int


class Engine:
    """A circuit made ready to run, first through the interpreter, later as native code.

    ``view`` evaluates everything that depends on the states alone. It consists of ``moves_view``,
    which is enough to choose moves, to make them and to know which lanes have ended, and of
    ``goals_view`` after it. A search that evaluates ``moves_view`` at each step may evaluate
    ``goals_view`` only where it needs goals, on the same rows and before it changes any.

    ``deferred_goals`` says that goals are expensive. Playouts then collect last states beside the
    block, at most one per lane, and swap them with the fluents when there are many: ``view`` gives
    their goals, and after swapping back ``moves_view`` must be evaluated again. Where goals are
    cheap, native code has the whole view in place of either part. While another thread compiles,
    read the attribute ``moves_view`` before ``goals_view``.

    ``winning_moves`` are the rows of winning moves, once :meth:`add_winning_moves` has made them,
    and ``winning_view`` evaluates them after the view, on the same rows. ``initial`` is the initial
    state, uint8 (fluents,), if it is known.
    """

    def __init__(
        self,
        layout: Layout,
        goal_table: Sequence[tuple[int, int]],
        roles: int,
        words: int = 8,
        initial: Bits | None = None,
    ) -> None:
        most = max(layout.move_counts, default=0)
        if most > 2 ** (MAX_LEVELS - 1):
            raise GroundingLimitError(f"a role has {most} moves, over {2 ** (MAX_LEVELS - 1)}")
        self.layout = layout
        self.initial = initial
        self.words = words
        self.roles = roles
        self.goal_table = np.array(goal_table, dtype=np.int64).reshape(-1, 2)
        self.move_counts = np.array(layout.move_counts, dtype=np.int64)
        self._kernels = load_kernels(words)
        self._compiling = threading.Lock()
        self._adding = threading.Lock()
        self._code: NativeCode | None = None
        self.deferred_goals = layout.goals_are_expensive
        # The interpreter reads these by address.
        self._programs = [layout.view, layout.moves_view, layout.goals_view, layout.transition]
        self._arrays = [program_array(program) for program in self._programs]
        interpret = self._kernels.address("interpret")
        self.view, self.moves_view, self.goals_view, self.transition = (
            ProgramEvaluator(interpret, array.ctypes.data) for array in self._arrays
        )
        self._move_unions = self._unite_moves()
        self._asked_for_winning_moves = False
        self.winning_moves: WinningMoves | None = None
        self.winning_view: ProgramEvaluator | None = None
        self._winning_array: NDArray[np.int64] | None = None
        self._winning_code: NativeCode | None = None
        self.select_address = self._kernels.address("select")
        self.select = _SELECT(self.select_address)
        self.play = _PLAY(self._kernels.address("play"))

    def _unite_moves(self) -> MoveUnions | None:
        """Let the transition of a circuit without native code look at the moves made alone."""
        if self.layout.gate_count <= MAX_CODE_GATES:
            return None
        unions = find_move_unions(self.layout)
        if unions is not None:
            self._arrays[-1] = unions.array()
            address = self._kernels.address("interpret_moves")
            self.transition = ProgramEvaluator(address, self._arrays[-1].ctypes.data)
        return unions

    def addresses(self) -> NDArray[np.int64]:
        """Return the addresses of evaluators and kernels: int64 (:data:`.calls.ADDRESS_COUNT`,).

        They change when native code takes over, and when winning moves are added.
        """
        # In this order: see the class.
        evaluators = [self.moves_view, self.goals_view, self.view, self.transition]
        found = np.zeros(calls.ADDRESS_COUNT, dtype=np.int64)
        indices = (calls.MOVES_VIEW, calls.GOALS_VIEW, calls.VIEW, calls.TRANSITION)
        for index, evaluator in zip(indices, evaluators, strict=True):
            found[index : index + 2] = evaluator.function, evaluator.program
        if winning := self.winning_view:
            found[calls.WINNING_VIEW :][:2] = winning.function, winning.program
        found[calls.SELECT] = self._kernels.address("select")
        found[calls.MASKED_COPY] = self._kernels.address("masked_copy")
        found[calls.SCATTER] = self._kernels.address("scatter")
        return found

    def add_winning_moves(self, mutex_groups: Sequence[Collection[int]] = ()) -> bool:
        """Make rows for winning moves in all blocks that are made from now on.

        Returns False where there can be none, see
        :func:`gdl.circuit.winning_moves.build_winning_moves`, which ``mutex_groups`` are for.
        Building takes up to a second or two of CPU time, the first time; later calls only repeat
        the answer. The interpreter evaluates the rows until :meth:`compile` has run after this.
        """
        with self._adding:
            if not self._asked_for_winning_moves:
                self._asked_for_winning_moves = True
                found = build_winning_moves(self.layout, self.goal_table, mutex_groups)
                if found is not None:
                    self._add_winning_moves(found)
            return self.winning_moves is not None

    def _add_winning_moves(self, found: WinningMoves) -> None:
        self._winning_array = program_array(found.program)
        interpret, program = self._kernels.address("interpret"), self._winning_array.ctypes.data
        self.winning_view = ProgramEvaluator(interpret, program)
        self.winning_moves = found

    def compile(self) -> None:
        """Replace the interpreter by native code, once. May run in another thread.

        A circuit of over ``MAX_CODE_GATES`` stays with the interpreter: its code would take
        minutes and gigabytes. Winning moves that have been added since are compiled when it is
        called again. Raises RuntimeError if LLVM runs out of memory.
        """
        with self._compiling:
            if self._code is None and self.layout.gate_count <= MAX_CODE_GATES:
                self._compile()
            if self._winning_code is None and self.winning_moves is not None:
                self._compile_winning_view(self.winning_moves)

    def _compile_winning_view(self, winning: WinningMoves) -> None:
        kept = (winning.first + winning.moves).tolist()
        source = _source("winning_view", winning.program, self.words, kept)
        self._winning_code = _code_of(source, len(winning.program.gates))
        self.winning_view = ProgramEvaluator(self._winning_code.address("winning_view"), 0)

    def _compile(self) -> None:
        source = "\n".join(_sources(self.layout, self.words))
        code = _code_of(source, self.layout.gate_count)
        self._code = code
        in_parts = self.layout.goals_are_expensive
        # In this order: the whole view can follow either part, the part for goals cannot follow it.
        self.goals_view = ProgramEvaluator(code.address("goals_view" if in_parts else "view"), 0)
        self.moves_view = ProgramEvaluator(code.address("moves_view" if in_parts else "view"), 0)
        self.view = ProgramEvaluator(code.address("view"), 0)
        self.transition = ProgramEvaluator(code.address("transition"), 0)

    def block(self, seed: int = 0) -> Block:
        """Make a new block, with nothing in it."""
        return Block(self, seed)


class Block:
    """The rows of some states, and the operations on them.

    ``rows`` is uint64 (rows, words), as :mod:`gdl.circuit.layout` lays them out; ``fluents`` and
    ``next`` are the parts of it that hold the states before and after a transition.
    ``winning_moves`` says which of its rows hold winning moves; it is None if the engine had none
    when the block was made. ``spare_rows`` are behind all others, for whoever wants some.
    """

    def __init__(self, engine: Engine, seed: int, spare_rows: int = 0) -> None:
        layout, words = engine.layout, engine.words
        self.engine = engine
        self.lanes = 64 * words
        self.winning_moves = engine.winning_moves
        most_rows = self.winning_moves.rows if self.winning_moves else layout.rows
        self.rows = aligned_rows(most_rows + spare_rows, words)
        self.fluents = self.rows[layout.fluents :][: layout.fluent_count]
        self.next = self.rows[layout.next :][: layout.fluent_count]
        self.scratch = aligned_rows(scratch_rows(max(layout.move_counts, default=1)), words)
        self._seed = seed

    @cached_property
    def random(self) -> Words:
        """The state of the random generators, made when first used: uint64 (4, words).

        A single state needs none, and ``np.random`` takes as long to import as a game to compile.
        """
        random = aligned_rows(4, self.engine.words)
        generator = np.random.default_rng(self._seed)
        random[:] = generator.integers(1, 2**64, size=random.shape, dtype=np.uint64)
        return random

    # ------------------------------------------------------------------ states

    def load(self, fluents: Bits) -> None:
        """Write states into the first lanes: uint8 (states, fluents); other lanes repeat them."""
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
        """Return the legal moves as bits: uint8 (lanes, moves of all roles); view first."""
        layout = self.engine.layout
        return self._read(layout.legal, sum(layout.move_counts))

    def terminal(self) -> NDArray[np.bool_]:
        """Return the terminal lanes: bool (lanes,); view first."""
        return self._read(self.engine.layout.terminal, 1)[:, 0].astype(bool)

    def goals(self) -> Bits:
        """Return the goal values that hold as bits: uint8 (lanes, goal rows); view first."""
        return self._read(self.engine.layout.goals, self.engine.layout.goal_count)

    def winning(self) -> Bits:
        """Return the moves that win at once as bits: uint8 (lanes, moves of all roles); view first.

        See :class:`gdl.circuit.WinningMoves` for the lanes in which they mean something. Raises
        RuntimeError if the block has no rows for them.
        """
        winning, evaluate = self.winning_moves, self.engine.winning_view
        if winning is None or evaluate is None:
            raise RuntimeError("the engine had no winning moves when this block was made")
        evaluate(self.rows.ctypes.data)
        return self._read(winning.first, sum(self.engine.layout.move_counts))

    def move(self, moves: Bits) -> None:
        """Make joint moves: uint8 (lanes, moves of all roles); view first."""
        self._write(self.engine.layout.moves, moves)
        self.transition()
        self.fluents[:] = self.next

    def transition(self) -> None:
        """Evaluate the states after the moves in the rows, into ``next``; view first."""
        self.engine.transition(self.rows.ctypes.data)

    def percepts(self) -> Bits:
        """Return the percepts of the last step as bits: uint8 (lanes, percept rows)."""
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

    # ------------------------------------------------------------------ checked steps

    def reset(self, lanes: NDArray[np.bool_] | None = None) -> None:
        """Put lanes into the initial state, and view: bool (lanes,), or all.

        Raises RuntimeError if the engine does not know the initial state.
        """
        if self.engine.initial is None:
            raise RuntimeError("the engine was made without an initial state")
        chosen = self._lane_mask(lanes)
        true = self.engine.initial.astype(bool)
        self.fluents[true] |= chosen
        self.fluents[~true] &= ~chosen
        self.view()

    def step(self, actions: NDArray[np.int64] | None = None) -> Bits:
        """Make a joint move in every lane, and return it as bits.

        ``actions`` int64 (lanes, roles) are moves by number, each role's counted from 0. They are
        checked, terminal lanes stay as they are whatever theirs say, and the view is evaluated
        before and after. Raises :class:`gdl.IllegalActionError` for the first lane, and role, whose
        action is not legal, before anything is changed.

        Without ``actions`` every lane makes a uniformly random legal joint move; view first, and
        again before reading what depends on the states.
        """
        if actions is None:
            moves = self.choose()
            self.transition()
            self.fluents[:] = self.next
            return moves
        self.view()
        playing = ~self.terminal()
        moves = self._checked(np.asarray(actions, dtype=np.int64), playing)
        self._write(self.engine.layout.moves, moves)
        self.transition()
        chosen = self._lane_mask(playing)
        self.fluents[:] = (self.next & chosen) | (self.fluents & ~chosen)
        self.view()
        return moves

    def masks(self) -> list[NDArray[np.bool_]]:
        """Return each role's legal moves: bool (lanes, its moves); view first."""
        ends = np.cumsum(self.engine.move_counts)[:-1]
        return [part.astype(bool) for part in np.split(self.legal(), ends, axis=1)]

    def goal_values(self) -> NDArray[np.int64]:
        """Return the roles' goal values, -1 where none holds: int64 (lanes, roles); view first.

        Of several values that hold for a role it is the lowest.
        """
        values = np.full((self.lanes, self.engine.roles), -1)
        rows = zip(self.engine.goal_table.tolist(), self.goals().T, strict=True)
        for (role, value), holds in reversed(list(rows)):
            values[holds.astype(bool), role] = value
        return values

    def _lane_mask(self, lanes: NDArray[np.bool_] | None) -> Words:
        """Return lanes as a row: uint64 (words,)."""
        every = np.ones(self.lanes, dtype=bool)
        chosen = every if lanes is None else np.asarray(lanes)
        if chosen.dtype != bool or chosen.shape != every.shape:
            raise ValueError(f"expected bool ({self.lanes},), found {chosen.dtype} {chosen.shape}")
        return np.packbits(chosen, bitorder="little").view(np.uint64)

    def _checked(self, actions: NDArray[np.int64], playing: NDArray[np.bool_]) -> Bits:
        """Return joint moves as bits, those of lanes that play checked."""
        if actions.shape != (self.lanes, self.engine.roles):
            expected = f"({self.lanes}, {self.engine.roles})"
            raise ValueError(f"expected actions of shape {expected}, found {actions.shape}")
        legal = [mask & playing[:, None] for mask in self.masks()]
        parts = []
        for role, mask in enumerate(legal):
            given = actions[:, role]
            chosen = given[:, None] == np.arange(mask.shape[1])
            wrong = np.flatnonzero(playing & ~(chosen & mask).any(axis=1))
            if len(wrong):
                lane = int(wrong[0])
                allowed = tuple(np.flatnonzero(mask[lane]).tolist())
                raise IllegalActionError(lane, role, int(given[lane]), allowed)
            parts.append((chosen & mask).astype(np.uint8))
        return np.concatenate(parts, axis=1)

    # ------------------------------------------------------------------ playouts

    def play(self, steps: int, refill: bool, deferred_goals: bool | None = None) -> Playouts:
        """Play at random from the lanes' states, for at most ``steps`` steps.

        With ``refill`` a lane whose playout has ended starts again from its state; without, every
        lane makes one playout. Lanes that are terminal at the start are left alone.
        ``deferred_goals`` evaluates goals for many ended playouts together and not at each step,
        which changes no result; by default it is what promises to be faster. View again before
        reading anything that depends on the states.
        """
        deferred = self.engine.deferred_goals if deferred_goals is None else deferred_goals
        self.engine.moves_view(self.rows.ctypes.data)
        arrays = self._playout_arrays()
        arguments = self._arguments(steps, refill, deferred, arrays)  # must outlive the call
        made = self.engine.play(arguments.ctypes.data)
        playing = np.unpackbits(arrays.alive.view(np.uint8)[0], bitorder="little").astype(bool)
        unfinished = int(np.maximum(made - arrays.started[playing], 0).sum())
        return Playouts(
            ended=arrays.results[:, 0],
            steps=arrays.results[:, 1],
            goals=arrays.results[:, 2:],
            states=int(arrays.results[:, 1].sum()) + unfinished,
            views=made + 1,
            goal_views=int(arrays.goal_views[0]) if deferred else made + 1,
        )

    def _playout_arrays(self) -> _PlayoutArrays:
        words = self.engine.words
        arrays = _PlayoutArrays(
            start=aligned_rows(len(self.fluents), words),
            alive=aligned_rows(1, words),
            results=np.zeros((self.lanes, 2 + self.engine.roles), dtype=np.int64),
            started=np.zeros(self.lanes, dtype=np.int64),
            held=aligned_rows(len(self.fluents), words),
            held_lanes=aligned_rows(1, words),
            goal_views=np.zeros(1, dtype=np.int64),
        )
        arrays.start[:] = self.fluents
        arrays.alive[0] = ~self.rows[self.engine.layout.terminal]
        return arrays

    def _arguments(
        self, steps: int, refill: bool, deferred_goals: bool, arrays: _PlayoutArrays
    ) -> NDArray[np.int64]:
        """Return the arguments of ``play``: int64; the arrays must outlive them."""
        engine, layout = self.engine, self.engine.layout
        view = engine.moves_view if deferred_goals else engine.view
        whole_view, transition = engine.view, engine.transition
        arguments = PlayoutArguments(
            rows=self.rows.ctypes.data,
            view=view.function,
            view_program=view.program,
            whole_view=whole_view.function,
            whole_view_program=whole_view.program,
            transition=transition.function,
            transition_program=transition.program,
            scratch=self.scratch.ctypes.data,
            random=self.random.ctypes.data,
            fluents=layout.fluents,
            fluent_count=layout.fluent_count,
            next=layout.next,
            legal=layout.legal,
            moves=layout.moves,
            terminal=layout.terminal,
            goals=layout.goals,
            goal_count=layout.goal_count,
            goal_table=engine.goal_table.ctypes.data,
            roles=engine.roles,
            move_counts=engine.move_counts.ctypes.data,
            steps=steps,
            refill=int(refill),
            deferred_goals=int(deferred_goals),
            **{name: array.ctypes.data for name, array in arrays._asdict().items()},
        )
        return np.array(arguments, dtype=np.int64)

    def arrays(self, symmetries: SymmetryGroup | None = None) -> BlockView:
        """Return the block as kernels see it, with the evaluators that are the fastest by now.

        Without ``symmetries`` every state is canonical.
        """
        engine, layout = self.engine, self.engine.layout
        return BlockView(
            rows=self.rows,
            scratch=self.scratch,
            random=self.random,
            addresses=engine.addresses(),
            fluents=layout.fluents,
            fluent_count=layout.fluent_count,
            moves=layout.moves,
            legal=layout.legal,
            terminal=layout.terminal,
            goals=layout.goals,
            next=layout.next,
            move_offsets=np.cumsum([0, *layout.move_counts]),
            goal_table=engine.goal_table,
            deferred_goals=engine.deferred_goals,
            symmetries=symmetries or trivial_group(layout),
        )

    # ------------------------------------------------------------------ rows as bits

    def _read(self, first: int, count: int) -> Bits:
        packed = np.ascontiguousarray(self.rows[first : first + count]).view(np.uint8)
        return np.unpackbits(packed, axis=1, bitorder="little").T

    def _write(self, first: int, bits: Bits) -> None:
        packed = np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little")
        self.rows[first : first + len(packed)] = packed.view(np.uint64)


def load_kernels(words: int) -> NativeCode:
    """Return the kernels of a width, compiled if they are not in the cache on disk."""
    return native_code(kernel_key(words), lambda: kernel_source(words))


def kernels_are_ready(words: int) -> bool:
    """Check whether the kernels of a width are in the cache."""
    return is_compiled(kernel_key(words))


def _code_of(source: str, gates: int) -> NativeCode:
    """Compile the source of some gates, in a process of its own where that takes long."""
    compiler = compile_source if gates <= FEW_GATES else compile_in_isolation
    return native_code(source, lambda: source, compiler)


def _sources(layout: Layout, words: int) -> Iterator[str]:
    """Yield LLVM source of the evaluators; the view is in two parts where goals are expensive."""
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
