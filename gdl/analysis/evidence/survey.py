"""A survey of random play: the record of it, and surveys of playouts from state to state.

:mod:`gdl.analysis.evidence.block_survey` fills the same record from blocks of playouts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import fsum, inf, isfinite, prod

from gdl.playouts import DEFAULT_MAX_STEPS, Ending, Step, play_out, randomness
from gdl.state_machine import State, StateMachine

MAX_PLAYOUT_STEPS = 1000
"""Playouts that last longer are cut off."""

REASONER_STEPS = 600
"""Steps of all playouts together where there is no circuit."""

NONE = -1
"""Stands for a utility where a role has none."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """How often each of a number of whole values was seen.

    What describes the values, such as their mean, needs at least one.
    """

    counts: Counter[int] = field(default_factory=Counter)

    def __len__(self) -> int:
        return self.counts.total()

    def add(self, value: int, times: int = 1) -> None:
        """Count a value."""
        self.counts[value] += times

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

    def above(self, bound: int) -> Distribution:
        """The distribution of the values that are greater than the bound."""
        return Distribution(Counter({v: count for v, count in self.counts.items() if v > bound}))

    def share_above(self, bound: int) -> float:
        """The share of the values, from 0 to 1, that are greater than the bound."""
        return len(self.above(bound)) / len(self)


@dataclass(slots=True)
class Survey:
    """Counts over the states and ends of random playouts; roles are given by index.

    ``lengths``: steps of the playouts that reached a terminal state. ``moves``: the number of legal
    moves of each role in the states that are not terminal; ``joint_moves``: that of all roles,
    counted only state by state. ``together``: states in which several roles have a choice.
    ``repeated``: states in which the only role with a choice is that of the state before.
    ``outcomes``: tuples of utilities in terminal states, with NONE. ``fallen``: roles whose utility
    fell; ``midway``: the utilities that each role had before the end. ``line_counts``: of each
    playout that ended, the product of the numbers of joint moves along it. ``pairs``: the pairs of
    playouts that lasted for so many steps, by steps; ``meetings``: how many of these pairs were
    then in the same state. Both are counted in blocks only.
    """

    roles: int
    playouts: int = 0
    endings: Counter[Ending] = field(default_factory=Counter)
    lengths: Distribution = field(default_factory=Distribution)
    moves: list[Distribution] = field(init=False)
    joint_moves: Distribution = field(default_factory=Distribution)
    together: int = 0
    repeated: int = 0
    outcomes: Counter[tuple[int, ...]] = field(default_factory=Counter)
    fallen: set[int] = field(default_factory=set)
    midway: list[set[int]] = field(init=False)
    line_counts: list[float] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)
    meetings: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.moves = [Distribution() for _ in range(self.roles)]
        self.midway = [set() for _ in range(self.roles)]

    @property
    def states(self) -> int:
        """The number of states that were not terminal."""
        return len(self.moves[0]) if self.moves else 0

    @property
    def lines(self) -> float | None:
        """The estimated number of lines of play, None where no playout reached an end.

        Source: D. Knuth, Estimating the Efficiency of Backtrack Programs (1975).
        """
        if not self.line_counts:
            return None
        finite = all(map(isfinite, self.line_counts))
        return fsum(lines / self.playouts for lines in self.line_counts) if finite else inf

    def utilities_of(self, role: int) -> Counter[int]:
        """Count a role's utilities in terminal states, with NONE."""
        found = Counter[int]()
        for outcome, count in self.outcomes.items():
            found[outcome[role]] += count
        return found

    def record(
        self, machine: StateMachine, steps: Iterable[Step], midway: bool = False
    ) -> Iterator[Step]:
        """Count a playout while its steps are passed on.

        Utilities before the end are looked at only with ``midway``, as they take time.
        """
        self.playouts += 1
        lines, last, before = 1.0, NONE, (NONE,) * self.roles
        for step in steps:
            goals = before
            if midway or step.ending is Ending.TERMINAL:
                goals = _utilities(machine, step.state)
            if midway:
                self._record_midway(step, before, goals)
            if step.options:
                counts = [len(options) for options in step.options]
                lines *= prod(counts)
                last = self._record_moves(counts, last)
            if step.ending is not None:
                self.endings[step.ending] += 1
            if step.ending is Ending.TERMINAL:
                self.lengths.add(step.number)
                self.outcomes[goals] += 1
                self.line_counts.append(lines)
            before = goals
            yield step

    def _record_midway(self, step: Step, before: Sequence[int], goals: Sequence[int]) -> None:
        self.fallen |= {i for i in range(self.roles) if NONE < goals[i] < before[i]}
        if step.options and all(step.options):
            for role, value in enumerate(goals):
                self.midway[role].add(value)

    def _record_moves(self, counts: Sequence[int], last: int) -> int:
        """Count legal moves; return the only role with a choice, NONE if there is no such role."""
        self.joint_moves.add(prod(counts))
        for own, count in zip(self.moves, counts, strict=True):
            own.add(count)
        movers = [role for role, count in enumerate(counts) if count > 1]
        self.together += len(movers) > 1
        self.repeated += movers == [last]
        return movers[0] if len(movers) == 1 else NONE


def take_survey(
    machine: StateMachine,
    playouts: int,
    max_steps: int = DEFAULT_MAX_STEPS,
    seed: int = 0,
    on_playout: Callable[[], object] = lambda: None,
) -> Survey:
    """Survey so many random playouts; call ``on_playout`` after each. One seed, one result."""
    survey = Survey(len(machine.roles))
    for number in range(playouts):
        for _ in survey.record(machine, play_out(machine, randomness(seed, number), max_steps)):
            pass
        on_playout()
    return survey


def observe(machine: StateMachine, seed: int, playouts: int) -> Survey:
    """Survey a machine of single states for the analysis; fewer playouts where they are long."""
    survey = Survey(len(machine.roles))
    for number in range(playouts):
        left = min(MAX_PLAYOUT_STEPS, REASONER_STEPS - survey.states)
        if left <= 0:
            break
        steps = play_out(machine, randomness(seed, number), left)
        for _ in survey.record(machine, steps, midway=True):
            pass
    return survey


def _utilities(machine: StateMachine, state: State) -> tuple[int, ...]:
    values = (machine.goal(state, role) for role in machine.roles)
    return tuple(NONE if value is None else value for value in values)
