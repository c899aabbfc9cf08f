"""From rules to a trained agent: a policy learned by playing a game against random opponents.

A network with one hidden layer, trained by proximal policy optimisation (Schulman et al., Proximal
Policy Optimization Algorithms, 2017). Nothing in it knows the game. Where facts of one role have
twins of another, by name, every role sees its own as if it were the first.
"""

import argparse
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gdl
from gdl.envs import GdlVectorEnv

Array = NDArray[np.float32]
ENVS, STEPS, EPOCHS, PARTS = 256, 32, 2, 4
DISCOUNT, TRACE, CLIP, ENTROPY, RATE = 0.99, 0.95, 0.2, 0.01, 2e-3


class Network:
    """Policy and value of observations."""

    def __init__(self, inputs: int, actions: int, hidden: int, random: np.random.Generator) -> None:
        shapes = (inputs, hidden), (hidden,), (hidden, actions + 1), (actions + 1,)
        scales = np.sqrt(2 / inputs), 0.0, 0.1 / np.sqrt(hidden), 0.0
        drawn = [s * random.normal(size=shape) for s, shape in zip(scales, shapes, strict=True)]
        self.weights = [weight.astype(np.float32) for weight in drawn]
        self.moments, self.updates = [(0 * w, 0 * w) for w in self.weights], 0

    def __call__(self, seen: Array, masks: Array) -> tuple[Array, Array, Array]:
        """Return the hidden layer, the probabilities of actions, and the values."""
        hidden = np.maximum(seen @ self.weights[0] + self.weights[1], 0)
        out = hidden @ self.weights[2] + self.weights[3]
        logits = np.where(masks, out[:, :-1], np.float32(-1e9))
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return hidden, powers / powers.sum(axis=1, keepdims=True), out[:, -1]

    def learn(self, seen: Array, hidden: Array, slopes: Array, rate: float) -> None:
        """Make a step of Adam, given the slopes of the loss by logits and value."""
        self.updates += 1
        back = (slopes @ self.weights[2].T) * (hidden > 0)
        found = [seen.T @ back, back.sum(0), hidden.T @ slopes, slopes.sum(0)]
        size = rate * np.sqrt(1 - 0.999**self.updates) / (1 - 0.9**self.updates)
        for weight, slope, (mean, square) in zip(self.weights, found, self.moments, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            weight -= size * mean / (np.sqrt(square) + 1e-8)


class Seats:
    """Copies of a game, so many for each role that the agent plays."""

    def __init__(self, game: str, copies: int, seed: int) -> None:
        machine = gdl.compile(gdl.load(game))
        self.roles = [role.name for role in machine.roles if role.name != "random"]
        self.envs = [GdlVectorEnv(machine, copies, role=r, observation="facts") for r in self.roles]
        self.orders = [self.order_for(role) for role in self.roles]
        self.look([env.reset(seed=seed + i) for i, env in enumerate(self.envs)])

    def order_for(self, role: str) -> list[int]:
        """Return the order of facts in which those of the role stand where the first role's are."""
        texts = [tuple(name.strip("()").split(" ")) for name in self.envs[0].planes]
        swap = {self.roles[0]: role, role: self.roles[0]}
        twins = [tuple(swap.get(word, word) for word in words) for words in texts]
        return [texts.index(t if t in texts else texts[i]) for i, t in enumerate(twins)]

    def look(self, found: list[Any]) -> None:
        """Note what the agent sees and may do in all copies, one role's after the other's."""
        seen = [step[0][:, order] for step, order in zip(found, self.orders, strict=True)]
        self.seen = np.concatenate(seen).astype(np.float32)
        self.masks = np.concatenate([step[-1]["action_mask"] for step in found])

    def step(self, actions: NDArray[np.int64]) -> tuple[Array, NDArray[np.bool_]]:
        """Act in all copies; return rewards and ends."""
        parts = zip(self.envs, np.split(actions, len(self.envs)), strict=True)
        self.look(found := [env.step(part) for env, part in parts])
        rewards, ended = (np.concatenate([step[i] for step in found]) for i in (1, 2))
        return rewards.astype(np.float32), ended


def improve(network: Network, seats: Seats, random: np.random.Generator, rate: float) -> None:
    """Play a while, estimate how much better than expected each step was, and learn from it."""
    steps = []
    for _ in range(STEPS):
        now, (_, chances, values) = (seats.seen, seats.masks), network(seats.seen, seats.masks)
        actions = (chances.cumsum(1) > random.random((len(chances), 1))).argmax(1)
        taken = chances[np.arange(len(chances)), actions]
        steps.append((*now, actions, taken, values, *seats.step(actions)))
    seen, masks, actions, taken, values, rewards, ended = map(np.stack, zip(*steps, strict=True))
    better, ahead, last = np.zeros_like(values), 0.0, network(seats.seen, seats.masks)[2]
    for step in reversed(range(STEPS)):
        goes_on = DISCOUNT * ~ended[step]
        better[step] = ahead = rewards[step] + goes_on * (last + TRACE * ahead) - values[step]
        last = values[step]
    scaled = (better - better.mean()) / (better.std() + 1e-8)
    arrays = seen, masks, actions, taken, scaled, better + values
    samples = [array.reshape(-1, *array.shape[2:]) for array in arrays]
    for _ in range(EPOCHS):
        for part in np.array_split(random.permutation(len(samples[0])), PARTS):
            update(network, [sample[part] for sample in samples], rate)


def update(network: Network, samples: list[Array], rate: float) -> None:
    """Follow the slope of the clipped objective, the squared error of values, and entropy."""
    seen, masks, actions, taken, better, returns = samples
    hidden, chances, values = network(seen, masks)
    ratio = chances[lines := np.arange(len(actions)), actions] / taken
    counts = np.where(better > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
    slopes = chances * (weights := counts * ratio * better)[:, None]
    slopes[lines, actions] -= weights
    logs = np.log(chances + 1e-9)
    slopes += ENTROPY * chances * (logs - (chances * logs).sum(1, keepdims=True))
    slopes = np.column_stack([slopes, 0.5 * (values - returns)]) / len(actions)
    network.learn(seen, hidden, slopes.astype(np.float32), rate)


def report(network: Network, game: str, matches: int) -> str:
    """Play the likeliest actions, and say how many of so many matches each role wins."""
    seats, counts = Seats(game, ENVS, seed=1), np.zeros((2, 1))
    while counts[1].min() < matches:
        rewards, ended = seats.step(network(seats.seen, seats.masks)[1].argmax(1))
        counts = counts + np.stack([ended & (rewards == 1), ended]).reshape(2, -1, ENVS).sum(2)
    rates = zip(seats.roles, counts[0] / counts[1], strict=True)
    return ", ".join(f"{role} wins {rate:.1%}" for role, rate in rates)


def main() -> None:
    """Train for some minutes, and print the learning curve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game", nargs="?", default="connectFour")
    for name, default in {"minutes": 5.0, "hidden": 128, "seed": 0, "matches": 10_000}.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    options = parser.parse_args()
    random, seats = np.random.default_rng(options.seed), Seats(options.game, ENVS, options.seed)
    network = Network(seats.seen.shape[1], seats.masks.shape[1], options.hidden, random)
    began, seconds, steps, next_report = monotonic(), 60 * options.minutes, 0, 0.0
    while (passed := monotonic() - began) < seconds:
        if passed >= next_report:
            shown, next_report = report(network, options.game, options.matches // 10), 1.5 * passed
            print(f"{passed:5.0f} s, {steps / 1e6:6.2f} M steps: {shown}", flush=True)
        improve(network, seats, random, RATE * (1 - passed / seconds))
        steps += STEPS * len(seats.seen)
    print("at the end:", report(network, options.game, options.matches))


if __name__ == "__main__":
    main()
