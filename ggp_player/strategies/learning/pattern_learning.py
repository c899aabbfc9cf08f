"""Learning an evaluation of patterns: temporal differences in many games against itself at once."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from math import factorial, prod
from random import Random

import numpy as np
from numpy.typing import NDArray

from gdl import State
from gdl.analysis.symmetry import likely_group
from gdl.engine import (
    Expander,
    PropnetStateMachine,
    SymmetryGroup,
    as_words,
    packed_state,
    trivial_group,
)
from gdl.engine.kernel_library import unshared_zeros
from gdl.language import moves_by_chance
from ggp_player.clock import Clock
from ggp_player.strategies import Component, component
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.playout_states import LabelledStates, label_states
from ggp_player.strategies.patterns.cell_graph import join_cells
from ggp_player.strategies.patterns.cells import find_cells, find_turns
from ggp_player.strategies.patterns.goal_cubes import draw_cube_tuples, find_context
from ggp_player.strategies.patterns.pattern_tables import PatternTables, lay_out_tables
from ggp_player.strategies.patterns.self_play_kernels import (
    Pace,
    SelfPlayGames,
    begin_games,
    new_games,
    play_on,
)
from ggp_player.strategies.patterns.supports import find_supports, with_supports
from ggp_player.strategies.patterns.tuples import (
    LARGE_ENTRIES,
    MAX_CELLS,
    MAX_ENTRIES,
    draw_tuples,
)

SAMPLES, SAMPLE_SECONDS = 3_000, 1.0
"""States of random playouts in which cells are found, and CPU time for them at most."""

MIN_STATES = 100
"""Fewer say too little."""

CUBES, WALKS = 100, 100
"""Tables over tuples of goal cubes at most, and over tuples by random walks, about."""

LARGE_WEIGHTS = 2**24
"""Weights in the tables of walks, about, where cells have supports: what is stored can have twice
as many."""

FEW_TABLES = 8
"""So many tables that share their entries are learned like any other."""

FILLED = 1 / 6
"""The part of the cells of a line in which each digit but 0 is, in the middle of a match."""

RATE, LAST_RATE, LAST_CHANCE_RATE = 9.0, 0.4, 0.02
"""What the logit of a state moves by for an error of 1; in the end so much of that, and less where
chance has a part, whose errors no learning ends."""

SETTLED = 3.0
"""The sum of squared errors at which an entry moves by less: see :class:`.Pace`."""

TRACE = 0.7
"""What the end of a game counts for in the value of the state before, and so on: lambda."""

EXPLORED = 0.1
"""The part of the moves that is made at random."""

OPENING, LATER_OPENING = 12, 6
"""Games begin with so many random moves, at most: from the initial state, and from others."""

SLICE_SECONDS = 0.02
"""CPU time between two yields, about."""


def design_tables(
    machine: PropnetStateMachine,
    labelled: LabelledStates,
    symmetries: SymmetryGroup,
    random: Random,
    is_long: bool = False,
) -> Generator[None, None, PatternTables]:
    """Choose the tables for a game, by states of random playouts.

    Where it is learned for long, digits say what cells lack, too: see :mod:`.supports`.
    """
    cells = find_cells(machine.facts, labelled.states, machine.relevant_fluents)
    packed = np.packbits(labelled.states, axis=1, bitorder="little")
    widths = Expander(machine.engine).choice_counts(packed)
    yield
    turns = find_turns(cells, labelled.states, widths)
    cells = [cell for cell in cells if cell not in turns]
    layout = machine.engine.layout
    joined = join_cells(layout, cells)
    context = find_context(machine.facts, cells, layout, joined)
    images = symmetries.facts
    parts, cubes, alike = draw_cube_tuples(cells, layout, CUBES, random, context)
    phases = [fluent for cell in turns for fluent in cell.fluents + cell.others]
    count = WALKS // len(images)
    supports = find_supports(cells, labelled.states) if is_long else []
    told, entries = cells, MAX_ENTRIES
    if any(supports):
        told = with_supports(cells, supports)
        columns = max(1, len(phases)) * len(machine.roles)
        entries = max(MAX_ENTRIES, min(LARGE_ENTRIES, LARGE_WEIGHTS // (count * columns)))
    walks = draw_tuples(told, joined, count, random, entries)
    singles = [(cell,) for cell in range(len(cells))]
    tuples = singles + cubes + walks
    return lay_out_tables(told + parts, tuples, phases, len(machine.facts), images, alike)


def first_paces(tables: PatternTables) -> NDArray[np.float32]:
    """The paces of entries that were never met, float32 (entries + 1, 1).

    Where tables over counts share their entries, an error moves an entry once for each of them that
    has it, and that as often changes the state's logit. So its pace is one over how many are likely
    to have it.
    """
    paces = np.ones((tables.entries + 1, 1), np.float32)
    firsts, first_tables, shared = np.unique(tables.firsts, return_index=True, return_counts=True)
    for first, table, count in zip(firsts.tolist(), first_tables, shared, strict=True):
        if count > FEW_TABLES:
            shares = _shares_of_counts(tables, table)
            paces[first : first + len(shares), 0] /= np.maximum(1.0, count * shares)
    return paces


def _shares_of_counts(tables: PatternTables, table: int) -> NDArray[np.float64]:
    """The part of the tables over counts that is likely to have each index, float64 (entries,).

    Each digit is in ``FILLED`` of the cells, but at the beginning all have digit 0.
    """
    size = int(tables.sizes[table])
    strides = np.unique(tables.offsets[tables.reached == table]).tolist()
    base = strides[1] if len(strides) > 1 else size
    shares = np.zeros(size)
    if base > MAX_CELLS + 1 or size > base**2:
        return shares  # it is not over counts
    for index in range(size):
        counts = [index // stride % base for stride in strides]
        left = base - 1 - sum(counts)
        if left >= 0:
            ways = factorial(base - 1) / prod(map(factorial, [*counts, left]))
            shares[index] = ways * FILLED ** sum(counts) * (1 - len(strides) * FILLED) ** left
    shares[0] = 1.0
    return shares


class Learning:
    """Learns an evaluation by games against itself.

    ``evaluation`` is what has been learned so far, None before that, and where there are too few
    states to find cells in. It goes on from ``known`` where that is given, and has tables for a
    long time of learning where it ``is_long``.

    Several ``threads`` play games of their own, and move the same weights without a lock: they
    seldom move the same entry at once, and what is lost then is little. With one thread the same
    seed gives the same games.

    Sources: D. Silver, R. Sutton and M. Müller, Temporal-difference search in computer Go (2012),
    for :meth:`work_from`; F. Niu, B. Recht, C. Ré and S. Wright, Hogwild!: a lock-free approach to
    parallelizing stochastic gradient descent (2011), for threads.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        seed: int,
        known: LearnedEvaluation | None = None,
        threads: int = 1,
        is_long: bool = False,
    ) -> None:
        self._machine = machine
        self._is_long = is_long
        self._seed = seed
        self._known = known
        self._start, self._opening = machine.initial_state(), OPENING
        self._chance = [moves_by_chance(role) for role in machine.roles]
        self._play: SelfPlayGames | None = None
        self._others: list[SelfPlayGames] = []
        self._counts = [unshared_zeros(3, np.int64) for _ in range(threads)]
        self._seconds = 0.0
        self._blocks = 1

    @property
    def seconds(self) -> float:
        """Seconds for which it was asked to learn so far."""
        return self._seconds

    @property
    def games(self) -> int:
        """Games played so far."""
        before = self._known.games if self._known is not None else 0
        return before + sum(int(counts[1]) for counts in self._counts)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        """The threads but the first, which is that of the caller."""
        return ThreadPoolExecutor(len(self._others))

    @property
    def evaluation(self) -> LearnedEvaluation | None:
        """A copy of what has been learned so far."""
        if self._play is None:
            return self._known
        return LearnedEvaluation(self._play.tables, self._play.weights.copy(), self.games)

    def work_from(self, state: State, seconds: float, clock: Clock) -> Iterator[None]:
        """Learn for so many seconds from games that begin in a state.

        Paces of entries are half way back to those of entries that were never met. What is known of
        that state's future gets ever better, and of all other states worse. Yields as :meth:`work`.
        """
        self._start, self._opening = state, LATER_OPENING
        if self._play is not None:
            paces = self._play.paces
            paces[:] = np.sqrt(paces * first_paces(self._play.tables))
            self._begin_games(self._play)
        yield from self.work(seconds, clock)

    def work(self, seconds: float, clock: Clock) -> Iterator[None]:
        """Learn for so many seconds; asked again, go on for so many more.

        Yields every few hundredths of a second.
        """
        began = clock()
        self._seconds += seconds
        if self._play is None:
            self._play = yield from self._prepare(clock)
        if self._play is None:
            return
        yield from self._play_games(self._play, seconds, clock, began)

    @component(Component.SELF_PLAY)
    def _play_games(
        self, play: SelfPlayGames, seconds: float, clock: Clock, began: float
    ) -> Iterator[None]:
        while (passed := clock() - began) < seconds:
            self._play_slice(play, self._rate(passed / seconds, seconds), clock)
            yield

    def _rate(self, part: float, seconds: float) -> float:
        """The rate after a part of the last so many seconds that it was asked to learn for."""
        last = LAST_CHANCE_RATE if any(self._chance) else LAST_RATE
        is_first = self._seconds == seconds and self._opening == OPENING
        first_rate = RATE if is_first else RATE * last**0.5
        return first_rate * (last + (1 - last) * min(1.0, 2 - 2 * part))

    def _play_slice(self, play: SelfPlayGames, rate: float, clock: Clock) -> None:
        """Play for a few hundredths of a second."""
        began, pace = clock(), self._pace(rate)
        first, *counts = self._counts
        others = [
            self._pool.submit(play_on, other, self._blocks, pace, own)
            for other, own in zip(self._others, counts, strict=True)
        ]
        play_on(play, self._blocks, pace, first)
        for each in others:
            each.result()
        taken = clock() - began
        if taken < SLICE_SECONDS / 4:
            self._blocks *= 2
        elif taken > 2 * SLICE_SECONDS:
            self._blocks = max(1, self._blocks // 2)

    def _prepare(self, clock: Clock) -> Generator[None, None, SelfPlayGames | None]:
        """Let games begin; None where there are too few states to find cells in."""
        machine = self._machine
        known = self._known or (yield from self._begin_with_nothing(clock))
        if known is None:
            return None
        weights, group = known.weights.copy(), trivial_group(machine.engine.layout)
        plays = [
            new_games(
                machine.engine.block().arrays(group),
                known.tables,
                weights,
                known.outputs,
                self._chance,
                self._seed + number,
            )
            for number in range(len(self._counts))
        ]
        play = plays[0]
        play.paces[:] = first_paces(known.tables)
        self._others = [other._replace(paces=play.paces) for other in plays[1:]]
        self._begin_games(play)
        return play

    def _begin_games(self, play: SelfPlayGames) -> None:
        state = as_words(packed_state(self._machine, self._start))
        for each in (play, *self._others):
            begin_games(each, state, self._pace(RATE))

    def _pace(self, rate: float) -> Pace:
        return Pace(rate, TRACE, EXPLORED, self._opening, SETTLED)

    def _begin_with_nothing(self, clock: Clock) -> Generator[None, None, LearnedEvaluation | None]:
        """Choose the tables, with weights of 0."""
        machine, random = self._machine, Random(self._seed)
        labelled = yield from label_states(machine, self._seed, SAMPLES, SAMPLE_SECONDS, clock)
        if len(labelled.states) < MIN_STATES:
            return None
        symmetries = likely_group(machine, random)
        tables = yield from design_tables(machine, labelled, symmetries, random, self._is_long)
        outputs = len(machine.roles)
        if outputs == 2 and labelled.is_zero_sum:
            outputs = 1
        columns = tables.phase_count * outputs
        return LearnedEvaluation(tables, np.zeros((tables.entries + 1, columns), np.float32))
