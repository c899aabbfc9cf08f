"""The stepper: lanes of a game as environments, from arrays of actions to arrays of results."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import Layout
from gdl.engine.bits import Words
from gdl.engine.block import Block, aligned_rows, lanes_of, row_numbers, rows_of
from gdl.engine.lane_kernels import load_lane_kernels
from gdl.engine.lane_kernels.arguments import BlockArguments, CallArguments, GameArguments
from gdl.engine.lane_kernels.draws import GOLDEN, MIXERS
from gdl.engine.lane_kernels.episode import DISABLED, NEXT_STEP, SAME_STEP
from gdl.engine.machine import PropnetStateMachine
from gdl.errors import IllegalActionError
from gdl.native_code import NativeCode

Bytes: TypeAlias = NDArray[np.uint8]

COUNTER_BITS = 32
WIDTHS = (1, 2, 4, 8)
"""The widths of blocks, in words: as few lanes as there are environments, at most 512."""

MOST_ARRAYS = 8
"""As many arrays a pool remembers; others are left to the system."""

_RUN = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3, ctypes.c_int64)

_SEED_FACTOR = 0xD1342543DE82EF95
"""It is odd, so that no two seeds are the same one."""

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
    (roles, n), there is one column: its action is for whichever of the roles has a choice; the
    array has the number of the role's move, -1 where it has none of that name. With ``skips`` steps
    are made until a role of ``columns`` has a choice. ``hides`` says that moves and percepts are
    observed. An episode is truncated after ``limit`` steps, 0 for never. ``observed``
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


class StepResult(NamedTuple):
    """What a step has led to; nobody writes to these arrays again while you hold them.

    ``observations`` uint8 (lanes, observed). ``masks`` uint8 (lanes, masked): 1 where an action is
    legal. ``rewards`` float64 (lanes, rewarded). Where actions are shared, ``movers`` uint8
    (lanes,) is the column of the role that has the choice, and ``own_rewards`` float64 (lanes,) are
    those of the roles that have acted. ``terminated`` and ``truncated`` bool (lanes,).
    ``final_observations`` uint8 (lanes, observed) has something only where a lane has ended and
    begun again in the same step.
    """

    observations: Bytes
    masks: Bytes
    movers: Bytes
    rewards: NDArray[np.float64]
    own_rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_observations: Bytes


class Stepper:
    """Lanes of a game that make steps together.

    For one thread.
    """

    def __init__(self, machine: PropnetStateMachine, lanes: int, plan: SteppingPlan) -> None:
        if lanes < 1:
            raise ValueError(f"expected at least one lane, found {lanes}")
        self.lanes, self.plan = lanes, plan
        words = next((width for width in WIDTHS if 64 * width >= lanes), WIDTHS[-1])
        self.engine = machine.engine if words == machine.words else machine.new_engine(words)
        self._code = _kernels(words)
        count = -(-lanes // (64 * words))
        self._numbers = numbers = game_numbers(self.engine.layout, self.engine.roles, plan)
        spare_rows = numbers["shared_count"] + self.engine.roles
        self._blocks = [Block(self.engine, 0, spare_rows) for _ in range(count)]
        self._used = np.arange(count * 64 * words).reshape(count, -1) < lanes
        self._masks = [aligned_rows(len(_MASKS) - 1 + COUNTER_BITS, words) for _ in self._blocks]
        self._start = _rows_of_state(machine.bits(machine.initial_state()), words)
        self._arrays = game_arrays(self.engine.move_counts.tolist(), self.engine.goal_table, plan)
        self._game = self._game_record()
        self._records = np.array([self._block_record(i) for i in range(count)], dtype=np.int64)
        self._calls = np.zeros((count, len(CallArguments._fields)), dtype=np.int64)
        self._bases = np.zeros(len(CallArguments._fields), dtype=np.int64)
        first_lanes = np.arange(count, dtype=np.int64)[:, None] * (64 * words)
        self._strides = first_lanes * np.array(call_strides(plan), dtype=np.int64)
        records = self._game, self._records, self._calls
        self._addresses = [_address(array) for array in records]
        self._step = _RUN(self._code.address("step_if_legal"))
        self._reset = _RUN(self._code.address("reset_blocks"))
        self._movers: Bytes = np.zeros(lanes, dtype=np.uint8)
        self._results = _Results(lanes, plan)
        for index, used in enumerate(self._used):
            self._mask(index, "used")[:] = rows_of(used[:, None])
        self.seed(0)
        self.autoreset = Autoreset.SAME_STEP

    # ------------------------------------------------------------------ what callers do

    def seed(self, seed: int) -> None:
        """Begin all random moves anew from a seed."""
        count, words = len(self._blocks), self.engine.words
        streams = first_random_words(seed, count * words).reshape(-1, count, words)
        for number, block in enumerate(self._blocks):
            block.random[:] = streams[:, number]

    def use_native_code(self) -> None:
        """Compile the game's gates and use that from now on; see :meth:`Engine.compile`."""
        self.engine.compile()
        self._game[:] = self._game_record()

    def reset(self, lanes: NDArray[np.bool_] | None = None) -> StepResult:
        """Have some lanes begin again, all by default: bool (lanes,). The others stay."""
        chosen = self._spread_over_blocks(lanes)
        for index, some in enumerate(chosen):
            self._mask(index, "resetting")[:] = rows_of(some[:, None])
        result = self._results.new()
        self._call(self._reset, result, None)
        return result

    def step(self, actions: NDArray[np.int64], held: NDArray[np.bool_] | None = None) -> StepResult:
        """Make a step in all lanes but those that are ``held``: bool (lanes,).

        ``actions`` int64 (lanes, columns); those of lanes that begin again now, or are done, are
        ignored. Raises :class:`IllegalActionError`, before anything is changed.
        """
        columns = max(1, len(self.plan.columns)) if self.plan.shared_moves is None else 1
        actions = np.ascontiguousarray(actions, dtype=np.int64).reshape(self.lanes, columns)
        if held is not None:
            for index, some in enumerate(self._spread_over_blocks(held)):
                self._mask(index, "held")[:] = rows_of(some[:, None])
        result = self._results.new()
        try:
            found = self._call(self._step, result, actions)
        finally:
            if held is not None:
                for index in range(len(self._blocks)):
                    self._mask(index, "held")[:] = 0
        if found >= 0:
            block, place = found >> 32, found & 0xFFFFFFFF
            lane, column = divmod(place, columns)
            raise self._illegal(block * self._lanes_of_block + lane, column, actions)
        return result

    def _illegal(self, lane: int, column: int, actions: NDArray[np.int64]) -> IllegalActionError:
        rows = self._arrays.masked
        if self.plan.shared_moves is None:
            role = self.plan.columns[column]
            first = self.engine.layout.legal + int(self.engine.move_counts[:role].sum())
            rows = np.arange(first, first + self.engine.move_counts[role])
        block, place = divmod(lane, self._lanes_of_block)
        bits = lanes_of(self._blocks[block].rows[rows])[place]
        legal = tuple(np.flatnonzero(bits).tolist())
        return IllegalActionError(lane, column, int(actions[lane, column]), legal)

    def choices(self) -> NDArray[np.bool_]:
        """Return which roles have more than one legal move: bool (lanes, roles)."""
        first = self._numbers["choices"]
        rows = [block.rows[first : first + self.engine.roles] for block in self._blocks]
        return np.concatenate([lanes_of(some) for some in rows])[: self.lanes].astype(bool)

    def states(self) -> Bytes:
        """Return the states of all lanes: uint8 (lanes, fluents)."""
        return np.concatenate([block.states() for block in self._blocks])[: self.lanes]

    @property
    def done(self) -> NDArray[np.bool_]:
        """The lanes whose episode has ended and that wait to begin again: bool (lanes,)."""
        rows = [self._mask(i, "done") for i in range(len(self._blocks))]
        return lanes_of(np.concatenate(rows)[None, :])[: self.lanes, 0].astype(bool)

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
        engine, layout, arrays = self.engine, self.engine.layout, self._arrays
        view = engine.moves_view if layout.goals_are_expensive else engine.view
        goals = engine.goals_view if layout.goals_are_expensive else None
        record = GameArguments(
            view=view.function,
            view_program=view.program,
            goals_view=goals.function if goals else 0,
            goals_view_program=goals.program if goals else 0,
            transition=engine.transition.function,
            transition_program=engine.transition.program,
            select=engine.select_address,
            start=self._start.ctypes.data,
            **{name: array.ctypes.data for name, array in arrays._asdict().items()},
            **self._numbers,
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

    def _call(
        self, function: Callable[..., int], result: StepResult, actions: NDArray[np.int64] | None
    ) -> int:
        plan = self.plan
        bases = CallArguments(
            actions=0 if actions is None else _address(actions),
            observations=_address(result.observations),
            masks=_address(result.masks),
            actors=_address(self._movers) if plan.shared_moves is not None else 0,
            movers=_address(result.movers),
            rewards=_address(result.rewards),
            own_rewards=_address(result.own_rewards),
            terminated=_address(result.terminated),
            truncated=_address(result.truncated),
            final_observations=_address(result.final_observations),
            autoreset=int(self.autoreset),
        )
        self._bases[:] = bases
        np.add(self._strides, self._bases, out=self._calls)
        if actions is None:
            self._calls[:, 0] = 0
        found = int(function(*self._addresses, len(self._blocks)))
        if plan.shared_moves is not None and found < 0:
            if len(plan.columns) > 2:
                result.movers[:] = self.choices()[:, plan.columns].argmax(axis=1)
            self._movers = result.movers
        return found


class _Results:
    """Makes results with arrays that nobody holds."""

    def __init__(self, lanes: int, plan: SteppingPlan) -> None:
        self._lanes = lanes
        self._observations = ArrayPool((lanes, len(plan.observed)))
        self._masks = ArrayPool((lanes, len(plan.masked)))
        self._rewards = ArrayPool((lanes, len(plan.rewarded)), np.float64)
        shared = plan.shared_moves is not None
        self._own_rewards = ArrayPool((lanes if shared else 1,), np.float64)

    def new(self) -> StepResult:
        """Return a result with zeros for rewards, and anything in its other arrays."""
        return StepResult(
            observations=self._observations.take(),
            masks=self._masks.take(),
            movers=np.zeros(self._lanes, dtype=np.uint8),
            rewards=self._rewards.zeros(),
            own_rewards=self._own_rewards.zeros(),
            terminated=np.empty(self._lanes, dtype=bool),
            truncated=np.empty(self._lanes, dtype=bool),
            final_observations=self._observations.take(),
        )


class RecordArrays(NamedTuple):
    """The arrays that a game's record has the addresses of; see :class:`GameArguments`."""

    role_table: NDArray[np.int64]
    goal_table: NDArray[np.int64]
    rewards: NDArray[np.float64]
    shared_moves: NDArray[np.int64]
    observed: NDArray[np.int64]
    masked: NDArray[np.int64]


def game_arrays(
    move_counts: Sequence[int], goal_table: NDArray[np.int64], plan: SteppingPlan
) -> RecordArrays:
    """Make the arrays of a game's record."""
    offsets = np.cumsum([0, *move_counts])
    columns = dict(zip(plan.columns, range(len(plan.columns)), strict=True))
    rewarded = dict(zip(plan.rewarded, range(len(plan.rewarded)), strict=True))
    table = [
        (offsets[role], count, columns.get(role, -1), rewarded.get(role, -1))
        for role, count in enumerate(move_counts)
    ]
    shared = np.zeros((len(table), 0)) if plan.shared_moves is None else plan.shared_moves
    return RecordArrays(
        role_table=np.array(table, dtype=np.int64),
        goal_table=goal_table,
        rewards=np.ascontiguousarray(plan.rewards, dtype=np.float64),
        shared_moves=np.ascontiguousarray(shared, dtype=np.int64),
        observed=np.ascontiguousarray(plan.observed, dtype=np.int64),
        masked=np.ascontiguousarray(plan.masked, dtype=np.int64),
    )


def game_numbers(layout: Layout, roles: int, plan: SteppingPlan) -> dict[str, int]:
    """Return the fields of a game's record that are no addresses, by name."""
    shared = 0 if plan.shared_moves is None else int(plan.shared_moves.shape[1])
    is_shared = plan.shared_moves is not None
    choices = layout.rows + shared
    return {
        **row_numbers(layout),
        "percepts": layout.percepts,
        "choices": choices,
        "shared_rows": layout.rows,
        "percept_count": layout.percept_count,
        "move_count": sum(layout.move_counts),
        "roles": roles,
        "reward_columns": len(plan.rewarded),
        "action_columns": 1 if is_shared else len(plan.columns),
        "shared": int(is_shared),
        "shared_count": shared,
        "skips": int(plan.skips),
        "hides": int(plan.hides),
        "limit": plan.limit,
        "counter_bits": max(1, plan.limit.bit_length()),
        "observed_count": len(plan.observed),
        "masked_count": len(plan.masked),
        # Who moves next is a byte where there are two; with more, callers look at all choices.
        "second_choices": choices + plan.columns[1] if is_shared and len(plan.columns) == 2 else 0,
    }


def call_strides(plan: SteppingPlan) -> CallArguments:
    """Return how many bytes a lane has in each array of a call."""
    is_shared = plan.shared_moves is not None
    return CallArguments(
        actions=8 * (1 if is_shared else len(plan.columns)),
        observations=len(plan.observed),
        masks=len(plan.masked),
        actors=int(is_shared),
        movers=1,
        rewards=8 * len(plan.rewarded),
        own_rewards=8,
        terminated=1,
        truncated=1,
        final_observations=len(plan.observed),
        autoreset=0,
    )


def _rows_of_state(bits: Bytes, words: int) -> Words:
    """Return the rows of a state that all lanes are in: uint64 (fluents, words)."""
    rows = aligned_rows(len(bits), words)
    rows[:] = -bits.astype(np.int64)[:, None].view(np.uint64)
    return rows


def _address(array: NDArray[Any]) -> int:
    """Return where an array begins, which NumPy itself takes three times as long to say."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array.data))


def first_random_words(seed: int, streams: int) -> Words:
    """Return the first states of the random generators of some streams: uint64 (4, streams).

    The same seed has the same first streams, however many there are. The numbers are those of
    SplitMix64, which the authors of xoshiro256++ name for this. Source: G. Steele, D. Lea and C.
    Flood, Fast splittable pseudorandom number generators (2014).
    """
    steps = np.arange(1, 4 * streams + 1, dtype=np.uint64)
    words = np.uint64(seed * _SEED_FACTOR % 2**64) + steps * np.uint64(GOLDEN)
    for shift, factor in MIXERS:
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    words ^= words >> np.uint64(31)
    return np.ascontiguousarray(words.reshape(streams, 4).T)


def random_actions(
    masks: Bytes | NDArray[np.int8], random: np.random.Generator
) -> NDArray[np.int64]:
    """Draw a uniformly random legal action for each line of masks: bytes (lanes, actions).

    Where none is legal it is 0. The same numbers from ``random`` lead to the same actions.
    """
    bits = np.ascontiguousarray(masks).view(np.uint8)
    lanes, count = bits.shape
    actions = np.empty(lanes, dtype=np.int64)
    seed = int(random.integers(2**63))
    _draw()(_address(bits), count, lanes, seed, _address(actions))
    return actions


@cache
def _kernels(words: int) -> NativeCode:
    """Return the kernels of a width, which live as long as the process."""
    return load_lane_kernels(words)


@cache
def _draw() -> Callable[..., None]:
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3, ctypes.c_void_p)
    return kind(_kernels(WIDTHS[-1]).address("draw"))


class ArrayPool:
    """Arrays of one shape and type: those that nobody holds any more are handed out again.

    For large arrays the system hands out fresh pages, and clears them, at each allocation: that
    takes several times as long as filling them does. Whoever takes an array may keep it, or views
    of it, as long as wanted: it is then not handed out. A pool is for one thread.
    """

    def __init__(self, shape: tuple[int, ...], dtype: type[np.generic] = np.uint8) -> None:
        self._shape, self._dtype = shape, dtype
        self._arrays: list[NDArray[Any]] = []

    def zeros(self) -> NDArray[Any]:
        """Return zeros that nobody else has."""
        array = self.take()
        array.fill(0)
        return array

    def take(self) -> NDArray[Any]:
        """Return an array, with anything in it, that nobody else has."""
        for index in range(len(self._arrays)):
            if _references(self._arrays, index) == _UNUSED:
                return self._arrays[index]
        array = np.empty(self._shape, dtype=self._dtype)
        if len(self._arrays) < MOST_ARRAYS:
            self._arrays.append(array)
        return array


def _references(arrays: Sequence[Any], index: int) -> int:
    return sys.getrefcount(arrays[index])


_UNUSED = _references([np.empty(1)], 0)
"""What is counted for an array that only a list has; it depends on the version of Python."""
