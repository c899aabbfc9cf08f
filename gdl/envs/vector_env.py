"""Vectorised environments for Gymnasium: any game, many copies of it in one step."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

import gdl
from gdl.engine import Autoreset, PropnetStateMachine, Stepper, random_actions
from gdl.envs.observations import ObservationKind, ObservationSpec
from gdl.envs.policies import Policy, PolicyStepper
from gdl.envs.seats import (
    EpisodeSettings,
    SeatError,
    SeatPlan,
    Seats,
    plan_all,
    plan_seat,
    plan_turn,
    players_of,
)
from gdl.errors import IllegalActionError
from gdl.language import Ruleset, Term, as_term

if TYPE_CHECKING:
    from gdl.engine.device import DeviceStepper

Rules: TypeAlias = PropnetStateMachine | Ruleset | str | Path
"""A compiled game, or its rules, or a file, or the name of one of our own games."""

Opponents: TypeAlias = Literal["random"] | Policy | Mapping[str, Policy]


def machine_of(rules: Rules) -> PropnetStateMachine:
    """Compile rules, unless they are compiled already."""
    if isinstance(rules, PropnetStateMachine):
        return rules
    return gdl.compile(rules if isinstance(rules, Ruleset) else gdl.load(rules))


class GdlVectorEnv(VectorEnv[Any, NDArray[np.int64], Any]):
    """Many copies of a game, as an environment of Gymnasium.

    ``rules`` are a ruleset, a file, the name of one of our games, or a compiled machine. What is
    fastest are 512 copies, or a multiple.

    ``role`` is the role that acts, the first by default. Its ``opponents`` move uniformly at random
    in the engine, or by a :class:`Policy`, or by one for each role's name. A step leads to the next
    state in which the role has a choice, unless information is hidden. :data:`Seats.TURN` has the
    caller act for whichever role has a choice, :data:`Seats.ALL` for all roles at once.

    ``observation`` is ``board``, planes of a board, ``facts``, a byte for each fact of a state, or
    ``auto``; ``env.planes`` names them. Where the rules hide information, the role sees its
    percepts and its own move. ``info["action_mask"]`` and :meth:`action_masks` say which actions
    are legal: another one raises :class:`gdl.IllegalActionError`, before anything has happened.

    A reward is given at the end: the goal values 0 to 100 become the numbers of ``reward_range``.
    An episode is truncated after ``max_episode_steps`` steps of the game. ``autoreset`` is a mode
    of Gymnasium's, by default ``SameStep``. With ``native=False`` the interpreter evaluates the
    game, which is slower and needs no compiling.

    With a ``device`` such as ``cuda:0`` all of it happens on that GPU, for a multiple of 64 copies:
    actions are taken from there, and what a step returns are tensors there, which PyTorch and JAX
    take by DLPack without a copy. Nothing waits for the host. So an action that is not legal raises
    nothing: its copy stays as it is, and ``info["illegal"]`` says so. ``final_obs`` has something
    only where an episode has ended. Opponents move at random.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 as Gymnasium has it
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": ["ansi", "svg"],
        "render_fps": 1,
    }

    def __init__(
        self,
        rules: Rules,
        num_envs: int = 512,
        *,
        role: str | None = None,
        opponents: Opponents = "random",
        observation: ObservationKind = "auto",
        reward_range: tuple[float, float] = (-1.0, 1.0),
        max_episode_steps: int | None = None,
        autoreset: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: Literal["ansi", "svg"] | None = None,
        native: bool = True,
        device: str | None = None,
    ) -> None:
        mode = AutoresetMode(autoreset)
        self.metadata = {**type(self).metadata, "autoreset_mode": mode}
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.machine = machine_of(rules)
        settings = EpisodeSettings(reward_range, max_episode_steps or 0)
        self._on_device = device is not None
        self._plan, self._stepper = _seated(
            (self.machine, num_envs, device), role, opponents, observation, settings
        )
        self._stepper.autoreset = Autoreset[mode.name]
        if native and device is None:
            cast("Stepper | PolicyStepper", self._stepper).use_native_code()
        self._make_spaces()
        self._masks: Any = np.zeros((num_envs, 1), dtype=np.uint8)

    # ------------------------------------------------------------------ what there is

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of the roles that act."""
        return tuple(self.machine.roles[role].name for role in self._plan.roles)

    @property
    def actions(self) -> tuple[tuple[Term, ...], ...]:
        """The moves that actions stand for, by number, for each column of actions."""
        return self._plan.actions

    @property
    def seats(self) -> Seats | None:
        """Who acts, None where it is one role."""
        return self._plan.seats

    @property
    def observations(self) -> tuple[ObservationSpec, ...]:
        """What is observed: one entry, or one for each role where they see different things."""
        return self._plan.observations

    @property
    def planes(self) -> tuple[str, ...]:
        """What each byte, or each plane, of an observation says; of several roles, the first's."""
        return self._plan.observations[0].names

    def action_of(self, move: Term | str, column: int = 0) -> int:
        """Return the action that stands for a move. Raises ValueError if there is none."""
        return self._plan.actions[column].index(self.machine.ruleset.spell(as_term(move)))

    def action_masks(self) -> Any:  # noqa: ANN401
        """Return which actions are legal now: int8 (num_envs, actions of all columns)."""
        return self._masks if self._on_device else self._masks.view(np.int8)

    def random_actions(self, random: np.random.Generator) -> Any:  # noqa: ANN401
        """Draw a uniformly random legal action for each copy, where there is one column of them.

        int64 (num_envs,), on the device if there is one.
        """
        if self._on_device:
            return cast("DeviceStepper", self._stepper).random_actions(self._masks, random)
        return random_actions(self._masks, random)

    # ------------------------------------------------------------------ what is done

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin episodes: all, or those of ``options["reset_mask"]``, bool (num_envs,)."""
        begins = self._np_random is None
        super().reset(seed=seed)
        if seed is not None or begins:
            self._stepper.seed(int(self.np_random.integers(2**63)))
        mask = None if options is None else options.get("reset_mask")
        result = self._stepper.reset(mask)
        return self._shaped(result.observations), self._info(result)

    def step(
        self,
        actions: Any,  # noqa: ANN401 arrays of any library, on a device
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Make a step in every copy; see the class for what a step is.

        ``actions`` int64 (num_envs,), or (num_envs, columns); returned are observations, rewards
        float64 (num_envs,), whether episodes were terminated, or truncated, bool (num_envs,), and
        more. Raises :class:`gdl.IllegalActionError` for the first copy whose action is illegal.
        """
        try:
            result = self._stepper.step(actions)
        except IllegalActionError as error:
            raise self._explained(error) from None
        info = self._info(result)
        rewards = result.rewards
        if self._plan.seats is Seats.TURN:
            info["rewards"] = rewards
            rewards = result.own_rewards
        elif self._plan.seats is None:
            rewards = rewards.reshape(self.num_envs)
        observations = self._shaped(result.observations)
        return observations, rewards, result.terminated, result.truncated, info

    def render(self) -> tuple[str, ...] | None:
        """Draw the state of every copy, as text or as SVG."""
        if self.render_mode is None:
            return None
        drawn = [self.machine.render(state) for state in self.states()]
        return tuple(d.svg if self.render_mode == "svg" else d.text for d in drawn)

    def states(self) -> list[gdl.State]:
        """Return the state of every copy, for looking at it: no role of hidden games may."""
        stepper = self._stepper
        inner = stepper.inner if isinstance(stepper, PolicyStepper) else stepper
        return [self.machine.state(bits) for bits in inner.states()]

    # ------------------------------------------------------------------ shapes

    def _make_spaces(self) -> None:
        plan = self._plan
        boxes: dict[str, spaces.Space[Any]] = {
            name: spaces.Box(0, 1, observation.shape, np.uint8)
            for name, observation in zip(self.roles, plan.observations, strict=False)
        }
        several = plan.hides and plan.seats is Seats.ALL
        single = spaces.Dict(boxes) if several else next(iter(boxes.values()))
        self.single_observation_space = single
        counts = [len(moves) for moves in plan.actions]
        self.single_action_space = (
            spaces.MultiDiscrete(counts) if plan.seats is Seats.ALL else spaces.Discrete(counts[0])
        )

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """The observations of all copies; made when asked for: of a million it takes seconds."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """The actions of all copies."""
        return batch_space(self.single_action_space, self.num_envs)

    def _shaped(self, observations: Any) -> Any:  # noqa: ANN401
        """Give observations their shape: an array, or one for each role where they differ."""
        plan, first = self._plan, 0
        if len(plan.observations) == 1:
            return observations.reshape(self.num_envs, *plan.observations[0].shape)
        shaped = {}
        for role, observation in zip(self.roles, plan.observations, strict=True):
            if self._on_device:
                shaped[role] = observations.columns(first, observation.shape)
            else:
                part = observations[:, first : first + observation.size]
                shaped[role] = part.reshape(self.num_envs, *observation.shape)
            first += observation.size
        return shaped

    def _info(self, result: Any) -> dict[str, Any]:  # noqa: ANN401 a StepResult, on a device or not
        """Say what is legal, who has the choice, and what episodes that begin again ended with."""
        self._masks = result.masks
        info: dict[str, Any] = {"action_mask": self.action_masks()}
        if self._on_device:
            info["illegal"] = result.illegal
        if self._plan.seats is Seats.TURN:
            info["role"] = result.movers
        if self.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP:
            if self._on_device:  # whether any episode has ended, the host does not wait for
                info["final_obs"] = self._shaped(result.final_observations)
            elif (ended := result.terminated | result.truncated).any():
                info["final_obs"] = self._shaped(result.final_observations)
                info["_final_obs"] = ended
        return info

    def _explained(self, error: IllegalActionError) -> IllegalActionError:
        """Name the moves that an error is about."""
        moves = self._plan.actions[error.column]
        names = map(str, (moves[action] for action in error.legal))
        known = 0 <= error.action < len(moves)
        given = f"{error.action}, {moves[error.action]}," if known else str(error.action)
        error.args = (
            f"environment {error.lane}: action {given} is not legal; legal: {', '.join(names)}",
        )
        return error


def _seated(
    lanes: tuple[PropnetStateMachine, int, str | None],
    role: str | None,
    opponents: Opponents,
    kind: ObservationKind,
    settings: EpisodeSettings,
) -> tuple[SeatPlan, Stepper | PolicyStepper | DeviceStepper]:
    """Plan who acts, and make what steps; ``lanes`` are of a machine, so many, on a device."""
    machine, count, device = lanes
    if role in (Seats.TURN, Seats.ALL):
        if opponents != "random":
            raise SeatError(f"{role} leaves no role to opponents")
        plan = (plan_turn if role == Seats.TURN else plan_all)(machine, kind, settings)
        return plan, _stepper(machine, count, plan, device)
    plan = plan_seat(machine, role, kind, settings)
    if opponents == "random":
        return plan, _stepper(machine, count, plan, device)
    if device is not None:
        raise SeatError(f"on {device} opponents move at random: policies are asked on the host")
    policies = _policies(machine, plan.roles[0], opponents)
    everyone = plan_all(machine, kind, settings)
    return plan, PolicyStepper(machine, count, everyone, plan.roles[0], policies)


def _stepper(
    machine: PropnetStateMachine, count: int, plan: SeatPlan, device: str | None
) -> Stepper | DeviceStepper:
    if device is None:
        return Stepper(machine, count, plan.stepping)
    from gdl.engine.device import DeviceStepper  # of no use to most

    return DeviceStepper(machine.device_engine(device), count, plan.stepping)


def _policies(
    machine: PropnetStateMachine, role: int, opponents: Policy | Mapping[str, Policy]
) -> dict[int, Policy]:
    """Return the policy of each opponent, by index. Raises :class:`SeatError` where one misses."""
    others = [other for other in players_of(machine) if other != role]
    if not isinstance(opponents, Mapping):
        return dict.fromkeys(others, opponents)
    missing = [n for o in others if (n := machine.roles[o].name) not in opponents]
    if missing:
        raise SeatError(f"there is no policy for {', '.join(missing)}")
    return {other: opponents[machine.roles[other].name] for other in others}
