"""Environments on a device: lanes of a game from actions to tensors, without a look at the host."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.block import Bits
from gdl.engine.device.device import DeviceArray, Kernels, copied
from gdl.engine.device.device_engine import DeviceEngine
from gdl.engine.device.device_tensor import DeviceTensor, TensorPool
from gdl.engine.device.dlpack import Imported, row_major
from gdl.engine.device_kernels.byte_kernels import lanes_of_group
from gdl.engine.device_kernels.episode_kernels import PARTS, EpisodePlan, episode_source
from gdl.engine.device_kernels.plane_helpers import GROUP, ROW_BYTES, WORD, in_groups
from gdl.engine.device_kernels.targets import GROUP_THREADS
from gdl.engine.lane_kernels.arguments import BlockArguments, CallArguments, GameArguments
from gdl.engine.stepper import (
    Autoreset,
    SteppingPlan,
    first_random_words,
    game_arrays,
    game_numbers,
)


class DeviceStepResult(NamedTuple):
    """What a step has led to, on the device; see :class:`gdl.engine.StepResult`.

    ``illegal`` bool (lanes,) is true where the action was not legal: there nothing has happened.
    """

    observations: DeviceTensor
    masks: DeviceTensor
    movers: DeviceTensor
    rewards: DeviceTensor
    own_rewards: DeviceTensor
    terminated: DeviceTensor
    truncated: DeviceTensor
    final_observations: DeviceTensor
    illegal: DeviceTensor


class DeviceStepper:
    """Lanes of a game on a device that make steps together; see :class:`gdl.engine.Stepper`.

    ``lanes`` is a multiple of 64. Each 64 lanes draw random numbers as a block of so many lanes
    does on the host. For one thread.
    """

    def __init__(self, engine: DeviceEngine, lanes: int, plan: SteppingPlan) -> None:
        if lanes < 1 or lanes % WORD:
            raise ValueError(f"on a device expected a multiple of {WORD} copies, found {lanes}")
        circuit = engine.circuit
        placed = circuit.place(plan.observed), circuit.place(plan.masked)
        plan = replace(plan, observed=placed[0], masked=placed[1])
        self.engine, self.lanes, self.plan = engine, lanes, plan
        self.autoreset = Autoreset.SAME_STEP
        self._device = engine.device
        self._threads = lanes // WORD
        self._pool = TensorPool(engine.device)
        numbers = game_numbers(circuit.layout, engine.game.roles, plan)
        self._episodes = episodes = EpisodePlan(circuit, plan, numbers)
        names = BlockArguments._fields
        self._rows = {name: engine.rows(episodes.rows_of(name), self._threads) for name in names}
        self._every = np.full(self._threads, -1, dtype=np.int64)
        self._device.write(self._rows["used"], self._every)
        self._game = self._game_record(numbers)
        addresses = BlockArguments(**{name: array.address for name, array in self._rows.items()})
        self._blocks = copied(self._device, np.array(addresses, dtype=np.int64))
        self._given_rows = engine.rows(episodes.given_rows, self._threads)
        source = episode_source(episodes, engine.memory_target)
        self._kernels: Kernels = self._device.kernels(source, straight=False)
        self._movers = self._pool.zeros(np.uint8, lanes)
        self._given: Any = None
        self.seed(0)

    # ------------------------------------------------------------------ what callers do

    def seed(self, seed: int) -> None:
        """Begin all random moves anew from a seed."""
        words = in_groups(first_random_words(seed, self._threads))
        self._device.write(self._rows["random"], words)

    def reset(self, lanes: NDArray[np.bool_] | None = None) -> DeviceStepResult:
        """Have some lanes begin again, all by default: bool (lanes,), of the host."""
        chosen = self._every
        if lanes is not None:
            chosen = np.packbits(np.asarray(lanes, dtype=bool), bitorder="little").view(np.int64)
        self._device.write(self._rows["resetting"], chosen)
        result = self._new_result()
        self._device.clear(result.illegal.array)
        self._launch("reset", result, 0)
        self._deliver_all(result)
        return result

    def step(self, actions: Any) -> DeviceStepResult:  # noqa: ANN401 of any library
        """Make a step in all lanes.

        ``actions`` int64 or int32 (lanes, columns), or (lanes,) for one column, are an array of the
        host, or what DLPack gives of the device; those of lanes that begin again now, or are done,
        are ignored. Raises ValueError for another shape or type.
        """
        result = self._new_result()
        self._device.clear(self._given_rows)
        kernel, given = self._placed(actions)
        self._kernels.launch(kernel, (given, self._given_rows), self.lanes * self.columns)
        self._launch("step", result, self._given_rows.address)
        self._deliver("deliver_last", "observed", "movers", result.final_observations)
        self._launch("restart", result, 0)
        self._deliver_all(result)
        return result

    def random_actions(self, masks: DeviceTensor, random: np.random.Generator) -> DeviceTensor:
        """Draw a uniformly random legal action for each line of masks, on the device.

        They are those of :func:`gdl.engine.random_actions` by the same numbers: int64 (lines,).
        """
        lines, count = masks.shape
        actions = self._pool.take(np.int64, lines)
        seed = int(random.integers(2**63))
        self._kernels.launch("draw", (masks.address, actions.address, count, seed), lines)
        return actions

    def states(self) -> Bits:
        """Return the states of all lanes, copied to the host: uint8 (lanes, fluents)."""
        layout = self._episodes.circuit.layout
        rows = layout.fluents + layout.fluent_count
        group = self._episodes.rows_of("rows") * ROW_BYTES
        packed = []
        for first in range(0, self._threads, GROUP):
            words = np.empty((rows, GROUP), dtype=np.uint64)
            self._device.read(self._rows["rows"], words, first // GROUP * group)
            packed.append(words[layout.fluents :, : self._threads - first])
        bits = np.concatenate(packed, axis=1).view(np.uint8)
        return np.unpackbits(bits, axis=1, bitorder="little").T

    # ------------------------------------------------------------------ actions

    @property
    def columns(self) -> int:
        """How many actions a lane has."""
        return 1 if self.plan.shared_moves is not None else len(self.plan.columns)

    def _placed(self, actions: Any) -> tuple[str, int]:  # noqa: ANN401
        """Return the kernel that places actions, and where they are on the device.

        They are kept until the next step.
        """
        if isinstance(actions, np.ndarray) or not hasattr(actions, "__dlpack_device__"):
            given = np.ascontiguousarray(actions, dtype=np.int64)
            self._check_shape(given.shape)
            tensor = self._pool.take(np.int64, self.lanes, self.columns)
            self._device.write(tensor.array, given)
            self._given = tensor
            return "place64", tensor.address
        if tuple(map(int, actions.__dlpack_device__())) != self._device.dlpack_device:
            raise ValueError(f"expected actions on {self._device.name}, or of NumPy")
        stream = {"stream": 1} if self.engine.target.is_gpu else {}
        taken = Imported(actions.__dlpack__(**stream))
        self._given = actions, taken
        array = taken.description
        self._check_shape(array.shape)
        has_gaps = array.strides != row_major(array.shape)
        if array.kind != "i" or array.bits not in (32, 64) or has_gaps:
            raise ValueError(
                f"expected actions int64 or int32 without gaps, found {array.kind}{array.bits}"
            )
        return f"place{array.bits}", array.address

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        columns = self.columns
        allowed = [(self.lanes, columns), *([(self.lanes,)] if columns == 1 else [])]
        if tuple(shape) not in allowed:
            raise ValueError(f"expected actions of shape {allowed[-1]}, found {tuple(shape)}")

    # ------------------------------------------------------------------ calls

    def _new_result(self) -> DeviceStepResult:
        plan, pool, lanes = self.plan, self._pool, self.lanes
        return DeviceStepResult(
            observations=pool.take(np.uint8, lanes, len(plan.observed)),
            masks=pool.take(np.uint8, lanes, len(plan.masked)),
            movers=pool.zeros(np.uint8, lanes),
            rewards=pool.zeros(np.float64, lanes, len(plan.rewarded)),
            own_rewards=pool.zeros(np.float64, lanes),
            terminated=pool.take(np.bool_, lanes),
            truncated=pool.take(np.bool_, lanes),
            final_observations=pool.take(np.uint8, lanes, len(plan.observed)),
            illegal=pool.take(np.bool_, lanes),
        )

    def _launch(self, part: str, result: DeviceStepResult, actions: int) -> None:
        is_shared = self.plan.shared_moves is not None
        call = CallArguments(
            actions=actions,
            observations=result.observations.address,
            masks=result.masks.address,
            actors=self._movers.address if is_shared else 0,
            movers=result.movers.address,
            rewards=result.rewards.address,
            own_rewards=result.own_rewards.address,
            terminated=result.terminated.address,
            truncated=result.truncated.address,
            final_observations=result.final_observations.address,
            autoreset=int(self.autoreset),
        )
        arguments = self._game, self._blocks, *call, result.illegal.address, PARTS[part]
        self._kernels.launch("episode", arguments, self._threads)

    def _deliver_all(self, result: DeviceStepResult) -> None:
        self._movers = result.movers
        self._deliver("observe", "observed", "used", result.observations)
        self._deliver("mask", "masked", "movers", result.masks)

    def _deliver(self, kernel: str, index: str, lanes: str, out: DeviceTensor) -> None:
        count = out.shape[1]
        if count == 0:
            return
        together = 0 if kernel == "deliver_last" else lanes_of_group(count)
        if not together and kernel != "deliver_last":
            self._device.clear(out.array)  # only bytes of some lanes are written
        arrays = self._rows["rows"], self._arrays[index], self._rows[lanes], out.address
        groups = -(-self.lanes // (together or WORD))
        self._kernels.launch(kernel, (*arrays, self._threads), groups * GROUP_THREADS)

    # ------------------------------------------------------------------ records

    def _game_record(self, numbers: dict[str, int]) -> DeviceArray:
        engine, layout = self.engine, self._episodes.circuit.layout
        table = np.array(engine.game.goal_table, dtype=np.int64).reshape(-1, 2)
        arrays = game_arrays(layout.move_counts, table, self.plan)
        self._arrays = {name: copied(self._device, a) for name, a in arrays._asdict().items()}
        start = np.repeat(-engine.initial.astype(np.int64)[:, None], GROUP, axis=1)
        self._start = copied(self._device, start)
        view, goals, transition = engine.program_addresses()
        record = GameArguments(
            view=0,
            view_program=view,
            goals_view=int(layout.goals_are_expensive),
            goals_view_program=goals,
            transition=0,
            transition_program=transition,
            select=0,
            start=self._start.address,
            **{name: array.address for name, array in self._arrays.items()},
            **numbers,
        )
        return copied(self._device, np.array(record, dtype=np.int64))
