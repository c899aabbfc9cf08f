"""Opponents with policies: steps in which roles that the caller does not play are asked in blocks.

The roles of all policies have columns of actions beside that of the caller's role. A step of the
caller is as many steps of the game as it takes until its role has a choice again; lanes in which
it has one already are held back until all have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Autoreset, PropnetStateMachine, Stepper, StepResult
from gdl.envs.seats import SeatPlan

MOST_STARTS = 100
"""How often lanes begin again that end before the caller's role had a choice."""


Policy: TypeAlias = Callable[
    [NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]], NDArray[np.int64]
]
"""What chooses the moves of a role: ``policy(observations, masks, lanes)``.

It returns an action, (n,), for each of the n ``lanes`` in which the role has a choice.
``observations`` uint8 (n, ...) is what the role sees, ``masks`` uint8 (n, actions) what it may do.
"""


class PolicyStepper:
    """Steps as those of a :class:`gdl.engine.Stepper`, for one role against policies.

    ``plan`` is for all players at once; ``role`` and the keys of ``policies`` are indices of
    machine's roles. Players without a policy are refused by KeyError.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        lanes: int,
        plan: SeatPlan,
        role: int,
        policies: Mapping[int, Policy],
    ) -> None:
        self.lanes, self.autoreset = lanes, Autoreset.SAME_STEP
        self.inner = Stepper(machine, lanes, plan.stepping)
        self.inner.autoreset = Autoreset.DISABLED
        self._plan = plan
        self._own = plan.roles.index(role)
        self._policies = {i: policies[r] for i, r in enumerate(plan.roles) if r != role}
        ends = np.cumsum([len(moves) for moves in plan.actions])
        self._parts = [slice(e - len(m), e) for e, m in zip(ends, plan.actions, strict=True)]
        sizes = np.cumsum([observation.size for observation in plan.observations])
        shown = zip(sizes, plan.observations, strict=True)
        self._views = [slice(end - observation.size, end) for end, observation in shown]
        self.done = np.zeros(lanes, dtype=bool)

    def seed(self, seed: int) -> None:
        """Begin the moves of chance anew from a seed."""
        self.inner.seed(seed)

    def use_native_code(self) -> None:
        """Compile the game's gates and use that from now on."""
        self.inner.use_native_code()

    def reset(self, lanes: NDArray[np.bool_] | None = None) -> StepResult:
        """Have some lanes begin again, all by default: bool (lanes,)."""
        chosen = np.ones(self.lanes, dtype=bool) if lanes is None else lanes.copy()
        self.done &= ~chosen
        return self._own_view(self._begin(chosen))

    def step(self, actions: NDArray[np.int64]) -> StepResult:
        """Make a step of the caller's role, and those of others until it has a choice again."""
        again = self.done if self.autoreset is Autoreset.NEXT_STEP else np.zeros_like(self.done)
        active = ~self.done
        self.done = self.done & ~again
        given = np.asarray(actions, dtype=np.int64).reshape(self.lanes)
        result, ended = self._advance(self._last, active, given)
        if again.any():
            kept = result
            result = self._begin(again)._replace(terminated=kept.terminated)
            result = result._replace(truncated=kept.truncated, rewards=kept.rewards)
        if not ended.any():
            return self._own_view(result)
        if self.autoreset is not Autoreset.SAME_STEP:
            self.done |= ended
            return self._own_view(result)
        begun = self._begin(ended)
        begun = begun._replace(terminated=result.terminated, truncated=result.truncated)
        return self._own_view(
            begun._replace(rewards=result.rewards, final_observations=result.observations)
        )

    # ------------------------------------------------------------------ steps of the game

    def _begin(self, lanes: NDArray[np.bool_]) -> StepResult:
        """Put lanes into the initial state, and play until the caller's role has a choice."""
        self._last = self.inner.reset(lanes)
        for _ in range(MOST_STARTS):
            waiting = lanes & ~self._has_choice(self._last)
            if self._plan.hides or not waiting.any():
                break
            _, ended = self._advance(self._last, waiting, None)
            if not ended.any():
                break
            self._last = self.inner.reset(ended)
        return self._last

    def _advance(
        self, last: StepResult, active: NDArray[np.bool_], given: NDArray[np.int64] | None
    ) -> tuple[StepResult, NDArray[np.bool_]]:
        """Step the active lanes until the caller's role has a choice, or they end."""
        rewards = np.zeros_like(last.rewards)
        terminated, truncated = np.zeros_like(active), np.zeros_like(active)
        while active.any():
            actions = self._joint_actions(last, active, given)
            last = self.inner.step(actions, ~active)
            given = None
            rewards += np.where(active[:, None], last.rewards, 0)
            terminated |= last.terminated & active
            truncated |= last.truncated & active
            if self._plan.hides:
                break
            active = active & ~terminated & ~truncated & ~self._has_choice(last)
        self._last = last = last._replace(
            rewards=rewards, terminated=terminated, truncated=truncated
        )
        return last, terminated | truncated

    def _joint_actions(
        self, last: StepResult, active: NDArray[np.bool_], given: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        """Return the actions of all players: given, asked for, or the only ones that are legal."""
        columns = [last.masks[:, part].argmax(axis=1) for part in self._parts]
        if given is not None:
            columns[self._own] = given
        for player, policy in self._policies.items():
            masks = last.masks[:, self._parts[player]]
            lanes = np.flatnonzero(active & (masks.sum(axis=1) > 1))
            if len(lanes):
                seen = self._seen_by(player, last.observations[lanes])
                columns[player][lanes] = policy(seen, masks[lanes], lanes)
        return np.stack(columns, axis=1)

    # ------------------------------------------------------------------ what is seen

    def _has_choice(self, result: StepResult) -> NDArray[np.bool_]:
        masks = result.masks[:, self._parts[self._own]]
        several: NDArray[np.bool_] = masks.sum(axis=1) > 1
        return several

    def _seen_by(self, player: int, observations: NDArray[np.uint8]) -> NDArray[np.uint8]:
        index = player if self._plan.hides else 0
        seen = observations[:, self._views[index]]
        return seen.reshape(len(seen), *self._plan.observations[index].shape)

    def _own_view(self, result: StepResult) -> StepResult:
        """Leave of a result what the caller's role is told."""
        view = self._views[self._own if self._plan.hides else 0]
        masks = result.masks[:, self._parts[self._own]]
        return result._replace(
            observations=result.observations[:, view],
            final_observations=result.final_observations[:, view],
            masks=np.where(self.done[:, None], np.uint8(0), masks),
            rewards=result.rewards[:, self._own : self._own + 1],
        )
