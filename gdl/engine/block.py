"""Blocks: many states of a compiled game, evaluated together.

:class:`Engine` holds what is compiled; :class:`Block` is one block of lanes with its rows. Sizes:
``lanes`` is 64 times ``words``. All arrays are C-contiguous. Kernels see a block as
:class:`gdl.engine.block_view.BlockView`.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import GateProgram, Layout
from gdl.circuit.winning_moves.builder import WinningMoves, build_winning_moves
from gdl.engine import calls
from gdl.engine.bits import Packed, Words, rows_from_packed
from gdl.engine.block_view import BlockView
from gdl.engine.canonical_state import SymmetryGroup, trivial_group
from gdl.engine.evaluators import (
    ProgramEvaluator,
    compile_gates,
    evaluator_source,
    evaluator_sources,
    load_kernels,
    program_array,
)
from gdl.engine.kernels import (
    MAX_LEVELS,
    MoveUnions,
    PlayoutArguments,
    find_move_unions,
    scratch_rows,
)
from gdl.errors import GroundingLimitError, IllegalActionError
from gdl.native_code import NativeCode

Bits: TypeAlias = NDArray[np.uint8]
"""uint8 (lanes, n), each 0 or 1."""

MAX_CODE_GATES = 300_000
"""With more gates than this, a game stays with the interpreter."""

_SELECT = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, ctypes.c_int64, *[ctypes.c_void_p] * 2)
_PLAY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


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
        self._programs: list[tuple[GateProgram | MoveUnions, NDArray[np.int64]]] = []
        self.view, self.moves_view, self.goals_view = map(
            self._interpreted, (layout.view, layout.moves_view, layout.goals_view)
        )
        self.transition = self._interpreted_transition()
        self._asked_for_winning_moves = False
        self.winning_moves: WinningMoves | None = None
        self.winning_view: ProgramEvaluator | None = None
        self._winning_code: NativeCode | None = None
        self.select_address = self._kernels.address("select")
        self.select = _SELECT(self.select_address)
        self.play = _PLAY(self._kernels.address("play"))

    def _interpreted(self, program: GateProgram) -> ProgramEvaluator:
        return self._evaluator("interpret", program, program_array(program))

    def _interpreted_transition(self) -> ProgramEvaluator:
        """Let the transition of a circuit without native code look at the moves made alone."""
        is_large = self.layout.gate_count > MAX_CODE_GATES
        unions = find_move_unions(self.layout) if is_large else None
        if unions is None:
            return self._interpreted(self.layout.transition)
        return self._evaluator("interpret_moves", unions, unions.array())

    def _evaluator(
        self, kernel: str, program: GateProgram | MoveUnions, array: NDArray[np.int64]
    ) -> ProgramEvaluator:
        self._programs.append((program, array))  # the interpreter reads both by address
        return ProgramEvaluator(self._kernels.address(kernel), array.ctypes.data)

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
        :func:`.build_winning_moves`, which ``mutex_groups`` are for.
        Building takes up to a second or two of CPU time, the first time; later calls only repeat
        the answer. The interpreter evaluates the rows until :meth:`compile` has run after this.
        """
        with self._adding:
            if not self._asked_for_winning_moves:
                self._asked_for_winning_moves = True
                found = build_winning_moves(self.layout, self.goal_table, mutex_groups)
                if found is not None:
                    self.winning_view = self._interpreted(found.program)
                    self.winning_moves = found
            return self.winning_moves is not None

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
        source = evaluator_source("winning_view", winning.program, self.words, kept)
        self._winning_code = compile_gates(source, len(winning.program.gates))
        self.winning_view = ProgramEvaluator(self._winning_code.address("winning_view"), 0)

    def _compile(self) -> None:
        source = "\n".join(evaluator_sources(self.layout, self.words))
        code = compile_gates(source, self.layout.gate_count)
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

    def load_packed(self, states: Packed) -> None:
        """Write packed states, at most one a lane, into the first lanes; others have no facts."""
        self.fluents[:] = rows_from_packed(states, len(self.fluents), self.engine.words)

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

        :class:`.WinningMoves` says in which lanes they mean something. Raises RuntimeError if the
        block has no rows for them.
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
        initial = -self.engine.initial.astype(np.uint64)[:, None]  # all lanes where it is 1
        self._replace_states(initial, np.ones(self.lanes, dtype=bool) if lanes is None else lanes)

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
        self._replace_states(self.next, playing)
        return moves

    def masks(self) -> list[NDArray[np.bool_]]:
        """Return each role's legal moves: bool (lanes, its moves); view first."""
        ends = np.cumsum(self.engine.move_counts)[:-1]
        return [part.astype(bool) for part in np.split(self.legal(), ends, axis=1)]

    def goal_values(self) -> NDArray[np.int64]:
        """Return the roles' goal values, -1 where none holds: int64 (lanes, roles); view first.

        Of several values that hold for a role it is the lowest.
        """
        values = np.full((self.engine.roles, self.lanes), -1)
        rows = zip(self.engine.goal_table[::-1].tolist(), self.goals().T[::-1], strict=True)
        for (role, value), holds in rows:
            np.copyto(values[role], value, where=holds.astype(bool))
        return values.T

    def _replace_states(self, fluents: Words, lanes: NDArray[np.bool_]) -> None:
        """Put other states into some lanes, bool (lanes,), and view."""
        lanes = np.asarray(lanes)
        if lanes.dtype != bool or lanes.shape != (self.lanes,):
            raise ValueError(f"expected bool ({self.lanes},), found {lanes.dtype} {lanes.shape}")
        chosen = rows_of(lanes[:, None])
        self.fluents[:] = (fluents & chosen) | (self.fluents & ~chosen)
        self.view()

    def _checked(self, actions: NDArray[np.int64], playing: NDArray[np.bool_]) -> Bits:
        """Return joint moves as bits, those of lanes that play checked."""
        if actions.shape != (self.lanes, self.engine.roles):
            expected = f"({self.lanes}, {self.engine.roles})"
            raise ValueError(f"expected actions of shape {expected}, found {actions.shape}")
        parts = []
        for role, mask in enumerate(self.masks()):
            given = actions[:, role]
            made = (given[:, None] == np.arange(mask.shape[1])) & mask & playing[:, None]
            wrong = np.flatnonzero(playing & ~made.any(axis=1))
            if len(wrong):
                lane = int(wrong[0])
                allowed = tuple(np.flatnonzero(mask[lane]).tolist())
                raise IllegalActionError(lane, role, int(given[lane]), allowed)
            parts.append(made.astype(np.uint8))
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
        results = np.zeros((self.lanes, 2 + self.engine.roles), dtype=np.int64)
        started = np.zeros(self.lanes, dtype=np.int64)
        goal_views = np.zeros(1, dtype=np.int64)
        start, held = (aligned_rows(len(self.fluents), self.engine.words) for _ in range(2))
        alive, held_lanes = (aligned_rows(1, self.engine.words) for _ in range(2))
        start[:] = self.fluents
        alive[0] = ~self.rows[self.engine.layout.terminal]
        arguments = self._playout_arguments(
            deferred,
            steps=steps,
            refill=int(refill),
            start=start.ctypes.data,
            alive=alive.ctypes.data,
            results=results.ctypes.data,
            started=started.ctypes.data,
            held=held.ctypes.data,
            held_lanes=held_lanes.ctypes.data,
            goal_views=goal_views.ctypes.data,
        )
        made = self.engine.play(arguments.ctypes.data)
        playing = lanes_of(alive)[:, 0].astype(bool)
        unfinished = int(np.maximum(made - started[playing], 0).sum())
        return Playouts(
            ended=results[:, 0],
            steps=results[:, 1],
            goals=results[:, 2:],
            states=int(results[:, 1].sum()) + unfinished,
            views=made + 1,
            goal_views=int(goal_views[0]) if deferred else made + 1,
        )

    def _playout_arguments(self, deferred_goals: bool, **others: int) -> NDArray[np.int64]:
        """Return the arguments of ``play``: int64."""
        engine = self.engine
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
            goal_table=engine.goal_table.ctypes.data,
            roles=engine.roles,
            move_counts=engine.move_counts.ctypes.data,
            deferred_goals=int(deferred_goals),
            **row_numbers(engine.layout),
            **others,
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
        return lanes_of(self.rows[first : first + count])

    def _write(self, first: int, bits: Bits) -> None:
        self.rows[first : first + bits.shape[1]] = rows_of(bits)


def lanes_of(rows: Words) -> Bits:
    """Return rows, uint64 (n, words), as bits: uint8 (lanes, n)."""
    packed = np.ascontiguousarray(rows).view(np.uint8)
    return np.unpackbits(packed, axis=1, bitorder="little").T


def rows_of(bits: Bits | NDArray[np.bool_]) -> Words:
    """Return bits, uint8 or bool (lanes, n), as rows: uint64 (n, words)."""
    packed = np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little")
    return packed.view(np.uint64)


def row_numbers(layout: Layout) -> dict[str, int]:
    """Return where the rows of a layout begin, and how many there are, as kernels' records do."""
    return {
        "fluents": layout.fluents,
        "fluent_count": layout.fluent_count,
        "next": layout.next,
        "legal": layout.legal,
        "moves": layout.moves,
        "terminal": layout.terminal,
        "goals": layout.goals,
        "goal_count": layout.goal_count,
    }


def aligned_rows(rows: int, words: int) -> Words:
    """Return zeros, uint64 (rows, words), at an address that vectors may be loaded from."""
    align = 8 * words
    raw = np.zeros(rows * words + words, dtype=np.uint64)
    offset = (-raw.ctypes.data % align) // 8
    return raw[offset : offset + rows * words].reshape(rows, words)
