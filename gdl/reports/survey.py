"""Surveys: what random play tells about a game, in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from gdl.language import Constant
from gdl.playouts import DEFAULT_MAX_STEPS, Ending, Step, play_out, randomness
from gdl.state_machine import StateMachine


@dataclass(frozen=True, slots=True)
class Distribution:
    """How often each of a number of whole values was seen.

    What describes the values, such as their mean, can only be asked where there are any.
    """

    counts: Counter[int] = field(default_factory=Counter)

    def __len__(self) -> int:
        return self.counts.total()

    def add(self, value: int) -> None:
        """Count a value once more."""
        self.counts[value] += 1

    @property
    def least(self) -> int:
        """The lowest value seen."""
        return min(self.counts)

    @property
    def most(self) -> int:
        """The highest value seen."""
        return max(self.counts)

    @property
    def mean(self) -> float:
        """The arithmetic mean."""
        return sum(value * count for value, count in self.counts.items()) / len(self)

    @property
    def median(self) -> int:
        """The least value that at least half of all values do not exceed."""
        half, seen = len(self) / 2, 0
        for value in sorted(self.counts):
            seen += self.counts[value]
            if seen >= half:
                break
        return value

    def share_above(self, bound: int) -> float:
        """Return which part of the values, from 0 to 1, is greater than the bound."""
        above = sum(count for value, count in self.counts.items() if value > bound)
        return above / len(self)


@dataclass(frozen=True, slots=True)
class Survey:
    """What a number of playouts showed.

    Lengths, in steps, are those of the playouts that reached a terminal state, and so are goals: a
    role's lowest value at the end, None where it has none. Moves are counted in the states that
    are not terminal.
    """

    lengths: Distribution
    joint_moves: Distribution
    moves: dict[Constant, Distribution]
    goals: dict[Constant, Counter[int | None]]
    endings: Counter[Ending]


def take_survey(
    machine: StateMachine,
    playouts: int,
    max_steps: int = DEFAULT_MAX_STEPS,
    seed: int = 0,
    on_playout: Callable[[], object] = lambda: None,
) -> Survey:
    """Play so many random playouts; call ``on_playout`` after each. One seed, one result."""
    roles = machine.roles
    result = Survey(
        Distribution(),
        Distribution(),
        {role: Distribution() for role in roles},
        {role: Counter() for role in roles},
        Counter(),
    )
    for number in range(playouts):
        for step in play_out(machine, randomness(seed, number), max_steps):
            _count(result, machine, step)
        on_playout()
    return result


def _count(result: Survey, machine: StateMachine, step: Step) -> None:
    if step.options:
        joint_moves = 1
        for role, options in zip(machine.roles, step.options, strict=True):
            result.moves[role].add(len(options))
            joint_moves *= len(options)
        result.joint_moves.add(joint_moves)
    if step.ending is not None:
        result.endings[step.ending] += 1
    if step.ending is Ending.TERMINAL:
        result.lengths.add(step.number)
        for role in machine.roles:
            result.goals[role][machine.goal(step.state, role)] += 1
