"""The stepper: many lanes of a game as environments, from arrays of actions to arrays of results."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.engine import kernels
from gdl.engine.bits import Words
from gdl.engine.block import Block, Engine, aligned_rows
from gdl.engine.kernels.ir_helpers import IrHelpers
from gdl.engine.machine import PropnetStateMachine
from gdl.engine.stepping.arguments import BlockArguments, CallArguments, GameArguments
from gdl.engine.stepping.episode import DISABLED, NEXT_STEP, SAME_STEP, emit_stepping
from gdl.native_code import NativeCode, native_code

Bytes: TypeAlias = NDArray[np.uint8]

COUNTER_BITS = 32
WIDTHS = (1, 2, 4, 8)
"""The widths of blocks, in words: as few lanes as there are environments, at most 512."""

_RUN = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3, ctypes.c_int64)

_MASKS = tuple(name for name in BlockArguments._fields if name not in ("rows", "scratch", "random"))


class Autoreset(IntEnum):
    """When a lane whose episode has ended begins again."""

    NEXT_STEP = NEXT_STEP
    """In the next step, whose action for it is ignored."""
    SAME_STEP = SAME_STEP
    """At once: the observation is the first of the new episode."""
    DISABLED = DISABLED
    """When it is told to."""


@dataclass(frozen=True)
class SteppingPlan:
    """What lanes do in a step, and what is reported of it.

    ``columns`` are the roles whose actions the caller gives, one column for each; ``rewarded`` the
    roles whose rewards are reported. All other roles move at random. With ``shared_moves``, int64
    (roles, n), there is one column: its action is for whichever of the roles has a choice, and the
    number of the role's move, -1 where it has none of that name. With ``skips`` steps are made until
    a role of ``columns`` has a choice. ``hides`` says that moves and percepts are observed.
    ``limit`` is the number of steps after which an episode is truncated, 0 for none. ``observed``
    and ``masked`` are the rows of observations and legal actions, int64 (n,). ``rewards`` are what
    each goal row is worth, float64 (goals,).
    """

    columns: tuple[int, ...]
    rewarded: tuple[int, ...]
    observed: NDArray[np.int64]
    masked: NDArray[np.int64]
    rewards: NDArray[np.float64]
    shared_moves: NDArray[np.int64] | None = None
    skips: bool = True
    hides: bool = False
    limit: int = 0


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step has led to; new arrays, which nobody writes to again.

    ``observations`` uint8 (lanes, observed). ``masks`` uint8 (lanes, masked): 1 where an action is
    legal. ``rewards`` float64 (lanes, rewarded). ``terminated`` and ``truncated`` bool (lanes,).
    ``final_observations`` uint8 (lanes, observed) has something only where a lane has ended and
    begun again in the same step.
    """

    observations: Bytes
    masks: Bytes
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_observations: Bytes


class IllegalActionError(ValueError):
    """An action that is not legal. ``lane`` and ``column`` say whose; nothing has been changed."""

    def __init__(self, lane: int, column: int) -> None:
        self.lane, self.column = lane, column
        super().__init__(f"lane {lane}: the action in column {column} is not legal")


class Stepper:
    """Lanes of a game that make steps together.

    ``terminal_row`` and the like are not for callers: see :class:`SteppingPlan` for what is
    observed. For one thread.
    """

    def __init__(self, machine: PropnetStateMachine, lanes: int, plan: SteppingPlan) -> None:
        if lanes < 1:
            raise ValueError(f"expected at least one lane, found {lanes}")
        self.lanes, self.plan = lanes, plan
        words = next((width for width in WIDTHS if 64 * width >= lanes), WIDTHS[-1])
        self.engine = machine.engine if words == machine.words else machine.new_engine(words)
        self._code = load_stepping(words)
        spare = spare_rows(self.engine, plan)
        count = -(-lanes // (64 * words))
        self._blocks = [Block(self.engine, 0, spare) for _ in range(count)]
        self._starts = np.arange(count, dtype=np.int64)[:, None] * (64 * words)
        self._used = np.arange(count * 64 * words).reshape(count, -1) < lanes
        self._masks = [aligned_rows(len(_MASKS) - 1 + COUNTER_BITS, words) for _ in self._blocks]
        initial = machine.bits(machine.initial_state())
        self._start = aligned_rows(len(initial), words)
        self._start[:] = -initial.astype(np.int64)[:, None].view(np.uint64)
        self._arrays = _GameArrays(self.engine, plan)
        self._game = self._game_record()
        self._records = np.array([self._block_record(i) for i in range(count)], dtype=np.int64)
        self._calls = np.zeros((count, len(CallArguments._fields)), dtype=np.int64)
        self._strides = self._call_strides()
        names = "check_blocks", "step_blocks", "reset_blocks"
        self._check, self._step, self._reset = (_RUN(self._code.address(name)) for name in names)
        for index, used in enumerate(self._used):
            self._mask(index, "used")[:] = _packed(used)
        self.seed(0)
        self.autoreset = Autoreset.SAME_STEP

    # ------------------------------------------------------------------ what callers do

    def seed(self, seed: int) -> None:
        """Begin all random moves anew from a seed."""
        for number, block in enumerate(self._blocks):
            generator = np.random.default_rng([seed, number])
            block.random[:] = generator.integers(
                1, 2**64, size=block.random.shape, dtype=np.uint64
            )

    def use_native_code(self) -> None:
        """Compile the game's gates and use that from now on; see :meth:`Engine.compile`."""
        self.engine.compile()
        self._game = self._game_record()

    def reset(self, lanes: NDArray[np.bool_] | None = None) -> StepResult:
        """Have some lanes begin again, all by default: bool (lanes,). The others stay as they are."""
        chosen = self._spread_over_blocks(lanes)
        for index, some in enumerate(chosen):
            self._mask(index, "resetting")[:] = _packed(some)
        result = self._new_result()
        self._call(self._reset, result, None)
        return result

    def step(
        self, actions: NDArray[np.int64], held: NDArray[np.bool_] | None = None
    ) -> StepResult:
        """Make a step in all lanes but those that are ``held``: bool (lanes,).

        ``actions`` int64 (lanes, columns); those of lanes that begin again now, or are done, are
        ignored. Raises :class:`IllegalActionError`, before anything is changed.
        """
        columns = max(1, len(self.plan.columns)) if self.plan.shared_moves is None else 1
        actions = np.ascontiguousarray(actions, dtype=np.int64).reshape(self.lanes, columns)
        if held is not None:
            for index, some in enumerate(self._spread_over_blocks(held)):
                self._mask(index, "held")[:] = _packed(some)
        result = self._new_result()
        try:
            found = self._call(self._check, result, actions)
            if found >= 0:
                block, place = found >> 32, found & 0xFFFFFFFF
                lane, column = divmod(place, columns)
                raise IllegalActionError(block * self._lanes_of_block + lane, column)
            self._call(self._step, result, actions)
        finally:
            if held is not None:
                for index in range(len(self._blocks)):
                    self._mask(index, "held")[:] = 0
        return result

    def choices(self) -> NDArray[np.bool_]:
        """Return which roles have more than one legal move: bool (lanes, roles)."""
        first = self.engine.layout.rows + len(self._arrays.shared_moves[0])
        rows = [block.rows[first : first + self.engine.roles] for block in self._blocks]
        return _lanes_of(rows)[: self.lanes].astype(bool)

    def states(self) -> Bytes:
        """Return the states of all lanes: uint8 (lanes, fluents)."""
        return np.concatenate([block.states() for block in self._blocks])[: self.lanes]

    @property
    def done(self) -> NDArray[np.bool_]:
        """The lanes whose episode has ended and that wait to begin again: bool (lanes,)."""
        rows = [self._mask(i, "done")[None, :] for i in range(len(self._blocks))]
        return _lanes_of(rows)[: self.lanes, 0].astype(bool)

    # ------------------------------------------------------------------ records

    @property
    def _lanes_of_block(self) -> int:
        return 64 * self.engine.words

    def _mask(self, block: int, name: str) -> Words:
        row: Words = self._masks[block][_MASKS.index(name)]
        return row

    def _spread_over_blocks(self, lanes: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        if lanes is None:
            return self._used
        spread = np.zeros(self._used.size, dtype=bool)
        spread[: self.lanes] = lanes
        return spread.reshape(self._used.shape)

    def _game_record(self) -> NDArray[np.int64]:
        """Write what all blocks have in common; the arrays in it must outlive it."""
        engine, layout, plan, arrays = self.engine, self.engine.layout, self.plan, self._arrays
        view = engine.moves_view if layout.goals_are_expensive else engine.view
        goals = engine.goals_view if layout.goals_are_expensive else None
        shared = len(arrays.shared_moves[0])
        record = GameArguments(
            view=view.function,
            view_program=view.program,
            goals_view=goals.function if goals else 0,
            goals_view_program=goals.program if goals else 0,
            transition=engine.transition.function,
            transition_program=engine.transition.program,
            select=engine.select_address,
            fluents=layout.fluents,
            next=layout.next,
            legal=layout.legal,
            moves=layout.moves,
            terminal=layout.terminal,
            goals=layout.goals,
            percepts=layout.percepts,
            choices=layout.rows + shared,
            shared_rows=layout.rows,
            fluent_count=layout.fluent_count,
            goal_count=layout.goal_count,
            percept_count=layout.percept_count,
            move_count=sum(layout.move_counts),
            roles=engine.roles,
            role_table=arrays.role_table.ctypes.data,
            goal_table=engine.goal_table.ctypes.data,
            rewards=arrays.rewards.ctypes.data,
            reward_columns=len(plan.rewarded),
            action_columns=1 if plan.shared_moves is not None else len(plan.columns),
            shared=int(plan.shared_moves is not None),
            shared_moves=arrays.shared_moves.ctypes.data,
            shared_count=shared,
            skips=int(plan.skips),
            hides=int(plan.hides),
            limit=plan.limit,
            counter_bits=max(1, plan.limit.bit_length()),
            start=self._start.ctypes.data,
            observed=arrays.observed.ctypes.data,
            observed_count=len(arrays.observed),
            masked=arrays.masked.ctypes.data,
            masked_count=len(arrays.masked),
        )
        return np.array(record, dtype=np.int64)

    def _block_record(self, index: int) -> BlockArguments:
        block, masks = self._blocks[index], self._masks[index]
        addresses = {name: masks[i].ctypes.data for i, name in enumerate(_MASKS)}
        return BlockArguments(
            rows=block.rows.ctypes.data,
            scratch=block.scratch.ctypes.data,
            random=block.random.ctypes.data,
            **addresses,
        )

    # ------------------------------------------------------------------ calls

    def _new_result(self) -> StepResult:
        lanes, plan = self.lanes, self.plan
        observed, masked = len(plan.observed), len(plan.masked)
        return StepResult(
            observations=np.empty((lanes, observed), dtype=np.uint8),
            masks=np.empty((lanes, masked), dtype=np.uint8),
            rewards=np.zeros((lanes, len(plan.rewarded)), dtype=np.float64),
            terminated=np.empty(lanes, dtype=bool),
            truncated=np.empty(lanes, dtype=bool),
            final_observations=np.empty((lanes, observed), dtype=np.uint8),
        )

    def _call_strides(self) -> NDArray[np.int64]:
        """How many bytes a block's lanes have in each array of a call: int64 (blocks, arrays)."""
        plan = self.plan
        columns = 1 if plan.shared_moves is not None else len(plan.columns)
        sizes = CallArguments(
            actions=8 * columns,
            observations=len(plan.observed),
            masks=len(plan.masked),
            rewards=8 * len(plan.rewarded),
            terminated=1,
            truncated=1,
            final_observations=len(plan.observed),
            autoreset=0,
        )
        return self._starts * np.array(sizes, dtype=np.int64)

    def _call(
        self, function: ctypes._CFuncPtr, result: StepResult, actions: NDArray[np.int64] | None
    ) -> int:
        bases = CallArguments(
            actions=0 if actions is None else _address(actions),
            observations=_address(result.observations),
            masks=_address(result.masks),
            rewards=_address(result.rewards),
            terminated=_address(result.terminated),
            truncated=_address(result.truncated),
            final_observations=_address(result.final_observations),
            autoreset=int(self.autoreset),
        )
        np.add(self._strides, bases, out=self._calls)
        if actions is None:
            self._calls[:, 0] = 0
        game, blocks, calls = map(_address, (self._game, self._records, self._calls))
        return int(function(game, blocks, calls, len(self._blocks)))


class _GameArrays:
    """The arrays that a game's record has the addresses of."""

    def __init__(self, engine: Engine, plan: SteppingPlan) -> None:
        offsets = np.cumsum([0, *engine.move_counts])
        columns = dict(zip(plan.columns, range(len(plan.columns)), strict=True))
        rewarded = dict(zip(plan.rewarded, range(len(plan.rewarded)), strict=True))
        table = [
            (offsets[role], engine.move_counts[role], columns.get(role, -1), rewarded.get(role, -1))
            for role in range(engine.roles)
        ]
        self.role_table = np.array(table, dtype=np.int64)
        shared = np.zeros((engine.roles, 0)) if plan.shared_moves is None else plan.shared_moves
        self.shared_moves = np.ascontiguousarray(shared, dtype=np.int64)
        self.rewards = np.ascontiguousarray(plan.rewards, dtype=np.float64)
        self.observed = np.ascontiguousarray(plan.observed, dtype=np.int64)
        self.masked = np.ascontiguousarray(plan.masked, dtype=np.int64)


def spare_rows(engine: Engine, plan: SteppingPlan) -> int:
    """The number of rows that steps need behind those of the gates."""
    shared = 0 if plan.shared_moves is None else plan.shared_moves.shape[1]
    return shared + engine.roles


def _address(array: NDArray[np.generic]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _packed(lanes: NDArray[np.bool_]) -> Words:
    return np.packbits(lanes, bitorder="little").view(np.uint64)


def _lanes_of(blocks: Sequence[Words]) -> Bytes:
    """Return rows of several blocks as bits: uint8 (lanes, rows)."""
    bits = [
        np.unpackbits(np.ascontiguousarray(rows).view(np.uint8), axis=1, bitorder="little").T
        for rows in blocks
    ]
    return np.concatenate(bits)


def load_stepping(words: int) -> NativeCode:
    """Return the kernels of stepping of a width, compiled if they are not in the cache on disk."""
    folders = Path(__file__).parent, Path(kernels.__file__).parent
    files = sorted(file for folder in folders for file in folder.glob("*.py"))
    texts = [file.read_text(encoding="utf-8") for file in files if file.name != Path(__file__).name]
    key = "\n".join([f"stepping {words}", *texts])
    return native_code(key, lambda: stepping_source(words))


def stepping_source(words: int) -> str:
    """Write the LLVM source of stepping for blocks of ``64 * words`` lanes."""
    from llvmlite import ir

    module = ir.Module(name="stepping")
    emit_stepping(IrHelpers(module, words))
    return str(module)
