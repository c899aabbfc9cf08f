"""From rules to a trained agent: a policy learned by playing a game against random opponents.

    python docs/examples/learn_a_game.py connectFour --minutes 5

A network of one hidden layer, in NumPy, is trained by proximal policy optimisation: Schulman et al.,
Proximal Policy Optimization Algorithms (2017). It works for every game of two roles that move in
turn, or at once, with perfect information; nothing in it knows the game.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from gdl.envs import GdlVectorEnv

Floats = NDArray[np.float32]

ENVS, STEPS, EPOCHS, PARTS = 256, 32, 2, 4
DISCOUNT, TRACE, CLIP, ENTROPY, RATE = 0.99, 0.95, 0.2, 0.01, 1e-3
NEVER = np.float32(-1e9)


class Network:
    """Policy and value of observations: ``inputs`` numbers in, ``actions`` and one value out."""

    def __init__(self, inputs: int, actions: int, hidden: int, random: np.random.Generator) -> None:
        shapes = [(inputs, hidden), (hidden,), (hidden, actions + 1), (actions + 1,)]
        scales = [np.sqrt(2 / inputs), 0.0, 0.1 / np.sqrt(hidden), 0.0]
        drawn = [random.normal(0, 1, shape) * s for shape, s in zip(shapes, scales, strict=True)]
        self.weights = [w.astype(np.float32) for w in drawn]
        self._first = [np.zeros_like(w) for w in self.weights]
        self._second = [np.zeros_like(w) for w in self.weights]
        self._updates = 0

    def __call__(self, seen: Floats, masks: NDArray[np.int8]) -> tuple[Floats, Floats, Floats]:
        """Return the hidden layer, the probabilities of actions, and the values."""
        w1, b1, w2, b2 = self.weights
        hidden = np.maximum(seen @ w1 + b1, 0)
        out = hidden @ w2 + b2
        logits = np.where(masks, out[:, :-1], NEVER)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return hidden, powers / powers.sum(axis=1, keepdims=True), out[:, -1]

    def learn(self, seen: Floats, hidden: Floats, slopes: Floats) -> None:
        """Make a step of Adam; ``slopes`` are those of the loss by logits and value."""
        back = (slopes @ self.weights[2].T) * (hidden > 0)
        found = [seen.T @ back, back.sum(0), hidden.T @ slopes, slopes.sum(0)]
        self._updates += 1
        for w, g, m, v in zip(self.weights, found, self._first, self._second, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            size = RATE * np.sqrt(1 - 0.999**self._updates) / (1 - 0.9**self._updates)
            w -= size * m / (np.sqrt(v) + 1e-8)


class Seat:
    """Copies of the game in which the agent has one of the roles."""

    def __init__(self, game: str, role: str, seed: int) -> None:
        self.env = GdlVectorEnv(game, ENVS, role=role)
        seen, info = self.env.reset(seed=seed)
        self.seen, self.masks = flat(seen), info["action_mask"]

    def play(self, network: Network, random: np.random.Generator) -> Iterator[tuple[Floats, ...]]:
        """Yield steps: what was seen, masks, actions, their probabilities, values, rewards, ends."""
        for _ in range(STEPS):
            seen, masks = self.seen, self.masks
            _, chances, values = network(seen, masks)
            actions = (chances.cumsum(1) > random.random((ENVS, 1))).argmax(1)
            after, rewards, ended, _, info = self.env.step(actions)
            self.seen, self.masks = flat(after), info["action_mask"]
            taken = chances[np.arange(ENVS), actions]
            yield seen, masks, actions, taken, values, rewards.astype(np.float32), ended


def flat(seen: NDArray[np.uint8]) -> Floats:
    """Return observations as lines of numbers."""
    return seen.reshape(len(seen), -1).astype(np.float32)


def advantages(values: Floats, rewards: Floats, ended: Floats, last: Floats) -> Floats:
    """Estimate how much better than expected each step was, (steps, envs)."""
    found, ahead = np.zeros_like(values), np.zeros_like(last)
    for step in reversed(range(len(values))):
        goes_on = 1 - ended[step].astype(np.float32)
        error = rewards[step] + DISCOUNT * goes_on * last - values[step]
        found[step] = ahead = error + DISCOUNT * TRACE * goes_on * ahead
        last = values[step]
    return found


def improve(network: Network, seats: list[Seat], random: np.random.Generator) -> None:
    """Play a while in every seat, and learn from it."""
    batches = []
    for seat in seats:
        steps = [np.stack(part) for part in zip(*seat.play(network, random), strict=True)]
        seen, masks, actions, taken, values, rewards, ended = steps
        better = advantages(values, rewards, ended, network(seat.seen, seat.masks)[2])
        batch = seen, masks, actions, taken, better, better + values
        batches.append([part.reshape(-1, *part.shape[2:]) for part in batch])
    samples = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
    samples[4] = (samples[4] - samples[4].mean()) / (samples[4].std() + 1e-8)
    for _ in range(EPOCHS):
        for part in np.array_split(random.permutation(len(samples[0])), PARTS):
            update(network, *(sample[part] for sample in samples))


def update(
    network: Network, seen: Floats, masks: Floats, actions: Floats, taken: Floats,
    better: Floats, returns: Floats,
) -> None:
    """Follow the slope of the clipped objective, the squared error of values, and entropy."""
    hidden, chances, values = network(seen, masks)
    lines = np.arange(len(actions))
    ratio = chances[lines, actions] / taken
    free = np.where(better > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
    chosen = np.zeros_like(chances)
    chosen[lines, actions] = 1
    slopes = (chances - chosen) * (free * ratio * better)[:, None]
    logs = np.log(chances + 1e-9)
    slopes += ENTROPY * chances * (logs - (chances * logs).sum(1, keepdims=True))
    of_values = 0.5 * (values - returns)[:, None]
    network.learn(seen, hidden, np.concatenate([slopes, of_values], axis=1) / len(actions))


def win_rate(network: Network, game: str, role: str, matches: int, seed: int) -> float:
    """Play the likeliest actions against random opponents: the share of matches that are won."""
    env, wins, played = GdlVectorEnv(game, ENVS, role=role), 0, 0
    seen, info = env.reset(seed=seed)
    while played < matches:
        chances = network(flat(seen), info["action_mask"])[1]
        seen, rewards, ended, _, info = env.step(chances.argmax(1))
        wins, played = wins + int((rewards[ended] == 1).sum()), played + int(ended.sum())
    return wins / played


def main() -> None:
    """Train for some minutes, print the learning curve, and how well it plays at the end."""
    parser = argparse.ArgumentParser(description="Learn a game by playing against random opponents.")
    parser.add_argument("game", nargs="?", default="connectFour")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    probe = GdlVectorEnv(options.game, 1, role=None)
    names = [str(role) for role in probe.machine.roles if str(role) != "random"]
    seats = [Seat(options.game, role, options.seed + i) for i, role in enumerate(names)]
    inputs, actions = seats[0].seen.shape[1], seats[0].masks.shape[1]
    network, began, rounds = Network(inputs, actions, options.hidden, random), monotonic(), 0
    print("seconds  steps", *names)
    next_report = 0.0
    while (passed := monotonic() - began) < 60 * options.minutes:
        if passed >= next_report:
            rates = [win_rate(network, options.game, role, 1000, rounds) for role in names]
            steps = rounds * len(seats) * ENVS * STEPS
            print(f"{passed:7.0f}  {steps}", *(f"{rate:.1%}" for rate in rates), flush=True)
            next_report = max(1.0, 1.6 * (monotonic() - began))
        improve(network, seats, random)
        rounds += 1
    for role in names:
        print(f"{role} wins {win_rate(network, options.game, role, 10_000, 1):.1%} of 10,000 matches")


if __name__ == "__main__":
    main()
