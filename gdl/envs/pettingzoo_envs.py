"""Environments for PettingZoo: a game with an agent for each role but chance.

Agents are named as the roles are. What one observes is a dictionary: ``observation``, as
:mod:`.observations` says, and ``action_mask``, 1 where an action is legal.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from gdl.engine import Autoreset, Stepper, StepResult
from gdl.envs.observations import ObservationKind
from gdl.envs.seats import EpisodeSettings, plan_all
from gdl.envs.vector_env import Rules, machine_of
from gdl.errors import IllegalActionError
from gdl.language import Term

IllegalActions = Literal["lose", "raise"]
"""An illegal action ends the episode with the lowest reward for its agent, or raises an error."""


class _Copy:
    """One copy of a game, and what its agents see: what both kinds of environment share."""

    metadata: dict[str, Any]

    def __init__(
        self,
        rules: Rules,
        *,
        observation: ObservationKind = "auto",
        reward_range: tuple[float, float] = (-1.0, 1.0),
        max_episode_steps: int | None = None,
        illegal: IllegalActions = "lose",
        render_mode: Literal["ansi", "svg"] | None = None,
        native: bool = False,
    ) -> None:
        super().__init__()
        self.machine = machine = machine_of(rules)
        self.render_mode = render_mode
        self.metadata = {
            "name": f"gdl_{machine.ruleset.game}_v0",
            "render_modes": ["ansi", "svg"],
            "is_parallelizable": True,
        }
        settings = EpisodeSettings(reward_range, max_episode_steps or 0)
        self._lowest, self._loses = min(reward_range), illegal == "lose"
        self._plan = plan_all(machine, observation, settings, skips=self._skips)
        self._stepper = Stepper(machine, 1, self._plan.stepping)
        self._stepper.autoreset = Autoreset.DISABLED
        if native:
            self._stepper.use_native_code()
        self.possible_agents = [machine.roles[role].name for role in self._plan.roles]
        self.agents: list[str] = []
        self._make_spaces()
        self._seeded = False

    _skips = False
    """Whether steps in which nobody has a choice are made without asking."""

    def _make_spaces(self) -> None:
        plan, ends = self._plan, np.cumsum([len(moves) for moves in self._plan.actions])
        self._columns = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._masks = {
            agent: slice(end - len(moves), end)
            for agent, end, moves in zip(self.possible_agents, ends, plan.actions, strict=True)
        }
        shown = [plan.observations[i if plan.hides else 0] for i in range(len(plan.roles))]
        ends = np.cumsum([o.size for o in plan.observations])
        self._views = [
            slice(end - o.size, end) for end, o in zip(ends, plan.observations, strict=True)
        ]
        self.action_spaces = {
            agent: spaces.Discrete(len(moves))
            for agent, moves in zip(self.possible_agents, plan.actions, strict=True)
        }
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, o.shape, np.uint8),
                    "action_mask": spaces.Box(0, 1, (len(moves),), np.int8),
                }
            )
            for agent, o, moves in zip(self.possible_agents, shown, plan.actions, strict=True)
        }
        self.state_space = spaces.Box(0, 1, (len(self.machine.facts),), np.uint8)

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return what an agent observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return what an agent can do."""
        return self.action_spaces[agent]

    def actions_of(self, agent: str) -> tuple[Term, ...]:
        """Return the moves that an agent's actions stand for, by number."""
        return self._plan.actions[self._columns[agent]]

    def names_of(self, agent: str) -> tuple[str, ...]:
        """Return what each byte, or each plane, of an agent's observation says."""
        return self._plan.observations[self._view_of(agent)].names

    def state(self) -> NDArray[np.uint8]:
        """Return the whole state, hidden or not: uint8 (facts,)."""
        (state,) = self._stepper.states()
        return np.asarray(state)

    def render(self) -> str | None:
        """Draw the state, as text or as SVG."""
        if self.render_mode is None:
            return None
        drawn = self.machine.render(self.machine.state(self.state()))
        return str(drawn.svg if self.render_mode == "svg" else drawn.text)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    # ------------------------------------------------------------------ what both kinds do

    def _begin(self, seed: int | None) -> None:
        if seed is not None or not self._seeded:
            entropy = np.random.SeedSequence(seed).generate_state(1, np.uint64)
            self._stepper.seed(int(entropy[0]) >> 1)
            self._seeded = True
        self.agents = list(self.possible_agents)
        self._result: StepResult = self._stepper.reset()

    def _view_of(self, agent: str) -> int:
        return self._columns[agent] if self._plan.hides else 0

    def _seen_by(self, agent: str) -> dict[str, Any]:
        view = self._view_of(agent)
        seen = self._result.observations[0, self._views[view]]
        mask = self._result.masks[0, self._masks[agent]].view(np.int8)
        shape = self._plan.observations[view].shape
        return {"observation": seen.reshape(shape), "action_mask": mask}

    def _is_legal(self, agent: str, action: Any) -> bool:  # noqa: ANN401 whatever is given
        mask = self._result.masks[0, self._masks[agent]]
        return bool(0 <= int(action) < len(mask) and mask[int(action)])

    def _check(self, agent: str, action: Any) -> None:  # noqa: ANN401
        """Raise :class:`gdl.IllegalActionError` for an illegal action, unless it just loses."""
        if not self._loses and not self._is_legal(agent, action):
            legal = np.flatnonzero(self._result.masks[0, self._masks[agent]])
            column = self._columns[agent]
            raise IllegalActionError(0, column, int(action), tuple(legal.tolist()))

    def _play(self, actions: dict[str, int]) -> dict[str, float]:
        """Make a joint move of legal actions and return the rewards."""
        joint = [int(actions[agent]) for agent in self.possible_agents]
        self._result = self._stepper.step(np.array([joint], dtype=np.int64))
        return dict(zip(self.possible_agents, self._result.rewards[0].tolist(), strict=True))


class GdlParallelEnv(_Copy, ParallelEnv):  # type: ignore[misc] # PettingZoo has no types
    """A game in which all roles act in each step, those without a choice too.

    ``rules`` are a ruleset, a file, the name of one of our games, or a compiled machine. The
    settings are those of :class:`gdl.envs.GdlVectorEnv`; ``illegal`` says what becomes of an agent
    whose action is not legal: it is ``lose`` or ``raise``. With ``native`` the game is compiled to
    native code, which one copy seldom needs.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode."""
        self._begin(seed)
        seen = {agent: self._seen_by(agent) for agent in self.agents}
        return seen, {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], ...]:
        """Make a step: an action for each agent."""
        agents = self.agents
        for agent in agents:
            self._check(agent, actions[agent])
        cheating = [agent for agent in agents if not self._is_legal(agent, actions[agent])]
        if cheating:
            rewards = {agent: self._lowest if agent in cheating else 0.0 for agent in agents}
            ended, cut = True, False
        else:
            rewards = self._play(actions)
            ended, cut = bool(self._result.terminated[0]), bool(self._result.truncated[0])
        self.agents = [] if ended or cut else agents
        seen = {agent: self._seen_by(agent) for agent in agents}
        infos: dict[str, Any] = {
            agent: {"illegal": True} if agent in cheating else {} for agent in agents
        }
        return seen, rewards, dict.fromkeys(agents, ended), dict.fromkeys(agents, cut), infos


class GdlAecEnv(_Copy, AECEnv):  # type: ignore[misc] # PettingZoo has no types
    """A game in which agents act one after the other, as PettingZoo's classic games are.

    The agents that have a choice act, in the order of the roles, and then the joint move is made;
    whoever has none is not asked. Where information is hidden all are asked, as all have something
    to observe. The settings are those of :class:`GdlParallelEnv`.
    """

    _skips = True
    agent_selection: str

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        over = not self._result.masks.any()  # before anybody has had a choice
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._ask()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent observes."""
        return self._seen_by(agent)

    def step(self, action: int | None) -> None:
        """Take the action of the agent whose turn it is; None of one whose episode is over."""
        agent: str = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._check(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if not self._is_legal(agent, action):
            self.rewards[agent] = self._lowest
            self.infos[agent] = {"illegal": True}
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            assert action is not None
            self._given[agent] = action
            self._queue.pop(0)
            if not self._queue:
                self._move()
        if self._queue:
            self.agent_selection = self._queue[0]
        self._accumulate_rewards()

    def _move(self) -> None:
        """Make the joint move, and ask for the next."""
        self.rewards = self._play(self._given)
        self.terminations = dict.fromkeys(self.agents, bool(self._result.terminated[0]))
        self.truncations = dict.fromkeys(self.agents, bool(self._result.truncated[0]))
        self._ask()

    def _ask(self) -> None:
        """Find who has to act, and what the others do."""
        masks = {agent: self._result.masks[0, part] for agent, part in self._masks.items()}
        self._given = {agent: int(mask.argmax()) for agent, mask in masks.items()}
        choosing = [agent for agent, mask in masks.items() if mask.sum() > 1]
        self._queue = list(self.agents) if self._plan.hides or not choosing else choosing
        self.agent_selection = self._queue[0]
