"""One copy of a game as an environment of Gymnasium."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from gymnasium import Env
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from gdl.envs.vector_env import GdlVectorEnv, Rules
from gdl.errors import IllegalActionError


class GdlEnv(Env[Any, Any]):
    """One copy of a game, for trying things out: :class:`GdlVectorEnv` is a thousand times faster.

    Settings are those of that class, for one role. ``info["action_mask"]`` says which actions are
    legal. An illegal one raises :class:`gdl.IllegalActionError`, or ends the episode with the
    lowest reward where ``illegal`` is ``lose``.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "svg"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        rules: Rules,
        *,
        render_mode: Literal["ansi", "svg"] | None = None,
        illegal: Literal["raise", "lose"] = "raise",
        **settings: Any,  # noqa: ANN401 as the class says
    ) -> None:
        self.lanes = GdlVectorEnv(
            rules, 1, autoreset=AutoresetMode.DISABLED, render_mode=render_mode, **settings
        )
        """The environment of one copy that this is, with the names of actions and planes."""
        self._loses = illegal == "lose"
        self._lowest = min(settings.get("reward_range", (-1.0, 1.0)))
        self.render_mode = render_mode
        self.observation_space = self.lanes.single_observation_space
        self.action_space = self.lanes.single_action_space
        self._observation: Any = None

    def action_masks(self) -> NDArray[np.int8]:
        """Return which actions are legal now: int8 (actions,)."""
        (mask,) = self.lanes.action_masks()
        return np.asarray(mask)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        observations, info = self.lanes.reset(seed=seed)
        self._observation = observations[0]
        return self._observation, _first(info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:  # noqa: ANN401
        """Make a step."""
        try:
            observations, rewards, ended, cut, info = self.lanes.step(np.array([action]))
        except IllegalActionError:
            if not self._loses:
                raise
            info = {"action_mask": np.zeros_like(self.action_masks()), "illegal": True}
            return self._observation.copy(), self._lowest, True, False, info
        self._observation = observations[0]
        return self._observation, float(rewards[0]), bool(ended[0]), bool(cut[0]), _first(info)

    def render(self) -> str | None:
        """Draw the state, as text or as SVG."""
        drawn = self.lanes.render()
        return None if drawn is None else drawn[0]


def _first(info: dict[str, Any]) -> dict[str, Any]:
    return {name: values[0] for name, values in info.items()}
