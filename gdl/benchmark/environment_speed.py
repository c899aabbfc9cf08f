"""How fast environments are: steps whose observations and masks arrive as arrays in Python.

The caller draws random legal actions from the masks, in one thread. Beside it stands what bare
random playouts make of the same game in the same process, which deliver nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic, thread_time
from typing import TYPE_CHECKING

import numpy as np

import gdl
from gdl.benchmark.measure import MeasurementPlan, Quantiles, bare_speed, spread
from gdl.benchmark.tables import short
from gdl.engine import PropnetStateMachine, random_actions
from gdl.language import parse

if TYPE_CHECKING:
    from gdl.envs import GdlVectorEnv


@dataclass(frozen=True, slots=True)
class EnvironmentReport:
    """The figures of one game as an environment of ``envs`` copies.

    ``seats`` is who acts, as in :class:`gdl.envs.Seats`. ``steps_per_cpu_second``
    are steps of all copies, ``bytes_per_step`` what each delivers: observation and mask. On a
    device seconds are those of wall-clock time.
    ``states_per_cpu_second`` is the speed of bare playouts.
    """

    game: str
    seats: str
    envs: int
    observation: tuple[int, ...]
    actions: int
    bytes_per_step: int
    steps_per_cpu_second: Quantiles
    states_per_cpu_second: float

    @property
    def bytes_per_cpu_second(self) -> float:
        """What is delivered."""
        return self.steps_per_cpu_second.median * self.bytes_per_step

    @property
    def share(self) -> float:
        """The steps as a share of the states of bare playouts."""
        return self.steps_per_cpu_second.median / self.states_per_cpu_second


def measure_environment(
    envs: int, device: str | None, game: str, text: str, plan: MeasurementPlan
) -> EnvironmentReport:
    """Measure a game with so many copies. Raises :class:`gdl.GdlError` for rules it refuses."""
    machine = gdl.compile(parse(text, game))
    env = _environment(machine, envs, device)
    measured = _speed if device is None else _device_speed
    speeds = [measured(env, plan.seconds, plan.seed + i) for i in range(plan.repetitions)]
    actions = sum(len(moves) for moves in env.actions)
    return EnvironmentReport(
        game=game,
        seats=str(env.seats),
        envs=envs,
        observation=env.observations[0].shape,
        actions=actions,
        bytes_per_step=sum(o.size for o in env.observations) + actions,
        steps_per_cpu_second=spread(speeds),
        states_per_cpu_second=bare_speed(machine, plan),
    )


def _environment(machine: PropnetStateMachine, envs: int, device: str | None) -> GdlVectorEnv:
    from gdl.envs import GdlVectorEnv, SeatError, Seats

    try:
        return GdlVectorEnv(machine, envs, role=Seats.TURN, device=device)
    except SeatError:  # several choose at once, or information is hidden
        if device is not None:  # where actions are drawn for one column
            return GdlVectorEnv(machine, envs, device=device)
        return GdlVectorEnv(machine, envs, role=Seats.ALL)


def _speed(env: GdlVectorEnv, seconds: float, seed: int) -> float:
    """Return the steps per second of CPU time, drawing included."""
    random = np.random.default_rng(seed)
    ends = np.cumsum([len(moves) for moves in env.actions])[:-1]
    env.reset(seed=seed)
    steps, began = 0, thread_time()
    while thread_time() - began < seconds:
        masks = env.action_masks()
        if len(env.actions) == 1:
            actions = random_actions(masks, random)
        else:
            columns = np.split(masks, ends, axis=1)
            actions = np.stack([random_actions(mask, random) for mask in columns], axis=1)
        env.step(actions)
        steps += env.num_envs
    return steps / (thread_time() - began)


STEPS_BETWEEN_LOOKS = 16
"""How many steps a device makes before the host looks at the time: it works on by itself."""


def _device_speed(env: GdlVectorEnv, seconds: float, seed: int) -> float:
    """Return the steps per second of wall-clock time, drawing included; nothing is copied."""
    random = np.random.default_rng(seed)
    env.reset(seed=seed)
    steps, began = 0, monotonic()
    while monotonic() - began < seconds:
        for _ in range(STEPS_BETWEEN_LOOKS):
            *_, info = env.step(env.random_actions(random))
        info["illegal"].numpy()  # waits for all of it
        steps += STEPS_BETWEEN_LOOKS * env.num_envs
    return steps / (monotonic() - began)


# ---------------------------------------------------------------------- tables

_HEADS = ("game", "steps/s", "least", "most", "bytes/s", "bytes", "observation", "actions")
_MORE = ("who acts", "bare states/s", "share")


def environment_rows(reports: Sequence[EnvironmentReport]) -> list[list[str]]:
    """Write the figures of games as texts, the heads first."""
    rows = [[*_HEADS, *_MORE]]
    for report in reports:
        steps = report.steps_per_cpu_second
        speeds = [short(figure) for figure in (steps.median, steps.least, steps.most)]
        shape = " x ".join(map(str, report.observation))
        sizes = [str(report.bytes_per_step), shape, str(report.actions)]
        bare = [
            report.seats.strip("<>"),
            short(report.states_per_cpu_second),
            f"{report.share:.0%}",
        ]
        rows.append([report.game, *speeds, short(report.bytes_per_cpu_second), *sizes, *bare])
    return rows
