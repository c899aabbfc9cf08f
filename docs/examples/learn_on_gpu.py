"""Learn a game by actor and critic, wholly on a GPU: observations, actions and rewards stay there.

The first role plays against random moves. It needs PyTorch, and runs without a GPU too::

    python docs/examples/learn_on_gpu.py connectFour --device cuda:0
    python docs/examples/learn_on_gpu.py ticTacToe --device host --envs 1024
"""

from __future__ import annotations

import argparse

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from gdl.envs import GdlVectorEnv

STEPS = 16
"""Steps between two updates."""


class ActorCritic(nn.Module):
    """A small network: preferences of actions, and how well the episode will end."""

    def __init__(self, size: int, actions: int, hidden: int = 256) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Categorical, Tensor]:
        """Return how actions are chosen, and the values: (copies,)."""
        features = torch.relu(self.body(observations.flatten(1).float()))
        logits = self.policy(features).masked_fill(masks == 0, -1e9)
        return Categorical(logits=logits), self.value(features).squeeze(1)


def returns_of(rewards: list[Tensor], ended: list[Tensor], last: Tensor) -> Tensor:
    """What each step has led to: (steps, copies)."""
    found = []
    for reward, end in zip(reversed(rewards), reversed(ended), strict=True):
        last = reward + last * ~end
        found.append(last)
    return torch.stack(found[::-1])


def main() -> None:
    """Learn, and tell how it goes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="connectFour")
    parser.add_argument("--device", default="cuda:0", help="cuda:0, or host for this processor")
    parser.add_argument("--envs", type=int, default=2**14)
    parser.add_argument("--updates", type=int, default=200)
    given = parser.parse_args()
    torch.manual_seed(0)
    env = GdlVectorEnv(given.game, given.envs, device=given.device)
    device = "cpu" if given.device == "host" else given.device
    model = ActorCritic(env.observations[0].size, len(env.actions[0])).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    observation, info = env.reset(seed=0)
    for update in range(1, given.updates + 1):
        log_probs, values, entropies, rewards, ended = [], [], [], [], []
        for _ in range(STEPS):
            masks = torch.from_dlpack(info["action_mask"])
            choice, value = model(torch.from_dlpack(observation), masks)
            action = choice.sample()
            observation, reward, terminated, truncated, info = env.step(action)
            log_probs.append(choice.log_prob(action))
            values.append(value)
            entropies.append(choice.entropy())
            rewards.append(torch.from_dlpack(reward).float())
            ended.append(torch.from_dlpack(terminated) | torch.from_dlpack(truncated))
        with torch.no_grad():
            _, last = model(torch.from_dlpack(observation), torch.from_dlpack(info["action_mask"]))
            returns = returns_of(rewards, ended, last)
        advantages = returns - torch.stack(values)
        loss = -(advantages.detach() * torch.stack(log_probs)).mean()
        loss = loss + 0.5 * advantages.square().mean() - 0.01 * torch.stack(entropies).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if update % 20 == 0:
            ends = torch.stack(ended)
            mean = torch.stack(rewards)[ends].mean()
            print(f"update {update}: {env.roles[0]} gets {50 + 50 * mean:.1f} of 100", flush=True)


if __name__ == "__main__":
    main()
