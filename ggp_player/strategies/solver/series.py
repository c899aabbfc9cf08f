"""Complete enumeration of games in series: all states, those of finished parts counted as one."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from gdl import State
from gdl.analysis import Decomposition
from gdl.engine import Expander, Packed, PropnetStateMachine, packed_state
from ggp_player.strategies import Choice, MoveReport, Position
from ggp_player.strategies.engine_strategy import EngineStrategy
from ggp_player.strategies.solver.finished_parts import FinishedParts
from ggp_player.strategies.solver.lane_rows import MAX_MOVES
from ggp_player.strategies.textbook import moves_by_chance

MAX_STATES = 1_000_000
"""With more states an enumeration is given up."""

SLICE = 2**15
"""Moves made between two chances to stop: about a tenth of a second."""

CHEAPER = 20
"""How many moves are backed up in the time that one is made."""

PRECISION = 0.01
"""Bounds that would change by less stay: means in circles would come closer for ever."""

Numbers = NDArray[np.int64]
Values = NDArray[np.float64]


class Series(EngineStrategy):
    """Solves games of several parts, one played after the other, in which moves are made in turn.

    The value of a state is what minimax defines, for ``random`` the mean, as in
    :class:`.enumeration.Enumeration`; but once a part is over, only what the others see of it
    tells states apart. So each part is enumerated once for every outcome of those before, and not
    once for all states in which they can end. Until all is known the first legal move stands.

    Source: E. Cox, E. Schkufza, R. Madsen and M. Genesereth, Factoring general games using
    propositional automata (2009), for games in series.
    """

    name = "series"
    max_moves = MAX_MOVES

    def __init__(self, division: Decomposition) -> None:
        self._division = division
        self._enumerator: SeriesEnumerator | None = None

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the first legal move until all states are valued, then the best."""
        moves = position.legal_moves
        if not moves:
            return
        if self._enumerator is None:
            self._enumerator = SeriesEnumerator(
                self.machine_of(position), self._division, position.state
            )
        for note in self._enumerator.work:
            yield Choice(moves[0], note=note)
        if position.state in self._enumerator:
            yield self._enumerator.best(position)

    def report(self, position: Position) -> tuple[MoveReport, ...]:
        """Return the bounds of each move where the game is solved."""
        enumerator = self._enumerator
        if enumerator is None or position.state not in enumerator:
            return ()
        return enumerator.report(position)


class SeriesEnumerator:
    """An enumeration from one state on; ``work`` does it, piece by piece, and yields notes.

    Nothing is known of any state before it has ended, nor where it was given up: where nothing can
    be forgotten, where there are too many states, where two roles have a choice at once, or where
    one has no move.
    """

    def __init__(self, machine: PropnetStateMachine, division: Decomposition, start: State) -> None:
        self._machine = machine
        self._parts = FinishedParts(machine, division)
        self._expander = Expander(machine.engine)
        self._start = packed_state(machine, start)
        self._numbers: dict[int, int] = {}
        self._ends: list[Values] = []
        self._after: list[Numbers] = []
        self._choices: list[Numbers] = []
        self._solved: Solved | None = None
        self.work = self._work()

    def __contains__(self, state: State) -> bool:
        return self._solved is not None and self._key(state) in self._numbers

    def best(self, position: Position) -> Choice:
        """Return the best move: quick where the game is won, else the one most open to mistakes."""
        assert self._solved is not None
        solved, role = self._solved, self._machine.roles.index(position.role)
        here, after = self._place(position)
        low, high = solved.low[after, role], solved.high[after, role]
        ranks = [low, high, solved.hope[after, role]]
        if solved.low[here, role] > 50:
            ranks.insert(1, -solved.settled[after, role])
        chosen = max(range(len(after)), key=lambda i: tuple(rank[i] for rank in ranks))
        exact = bool(solved.low[here, role] == solved.high[here, role])
        value = float(solved.low[here, role])
        note = f"{len(self._numbers)} states enumerated, one part after the other"
        return Choice(position.legal_moves[chosen], value if exact or value else None, exact, note)

    def report(self, position: Position) -> tuple[MoveReport, ...]:
        """Return the bounds of every legal move."""
        assert self._solved is not None
        solved, role = self._solved, self._machine.roles.index(position.role)
        _, after = self._place(position)
        low, high = solved.low[after, role].tolist(), solved.high[after, role].tolist()
        return tuple(
            MoveReport(move, least if least == most else None, None, (least, most))
            for move, least, most in zip(position.legal_moves, low, high, strict=True)
        )

    def _place(self, position: Position) -> tuple[int, Numbers]:
        """Return the number of a state, and those of the states after each of the role's moves.

        Where another role has the choice, the one move stands for what is expected of the state.
        """
        assert self._solved is not None
        here = self._numbers[self._key(position.state)]
        after = self._solved.after(here)
        return here, after if len(after) == len(position.legal_moves) else np.array([here])

    def _key(self, state: State) -> int:
        return int(self._parts.look_at(packed_state(self._machine, state)).keys[0])

    def _work(self) -> Iterator[str]:
        if not self._parts.stages or not (yield from self._find_all()):
            return
        by_chance = [moves_by_chance(role) for role in self._machine.roles]
        solved, made = Solved(np.concatenate(self._ends), self._edges(), by_chance), 0
        for backed_up in solved.sweeps():
            made += backed_up // CHEAPER
            if made >= SLICE:
                made = 0
                yield f"{len(self._numbers)} states found, their values are backed up"
        self._solved = solved

    def _find_all(self) -> Generator[str, None, bool]:
        """Find all states and what leads to them; tell whether that was possible."""
        waiting = deque([self._number(self._start)[1]])
        made = 0
        while waiting:
            states = waiting.popleft()
            counts = self._expander.choice_counts(states)
            if len(self._numbers) > MAX_STATES or not _is_in_turn(counts):
                return False
            self._choices.append(counts)
            for children in self._expander.expand(states):
                numbers, fresh = self._number(children.states)
                self._after.append(numbers)
                made += len(numbers)
                if len(fresh):
                    waiting.append(fresh)
            if made >= SLICE:
                made = 0
                yield f"{len(self._numbers)} states found"
        return True

    def _number(self, states: Packed) -> tuple[Numbers, Packed]:
        """Return the states' numbers, and those of them that are new and not terminal."""
        seen = self._parts.look_at(states)
        keys, first, places = np.unique(seen.keys, return_index=True, return_inverse=True)
        known = len(self._numbers)
        numbers = [self._numbers.setdefault(key, len(self._numbers)) for key in keys.tolist()]
        fresh = first[np.array(numbers) >= known]
        self._ends.append(np.where(seen.terminal[fresh, None], seen.values[fresh], np.nan))
        return np.array(numbers)[places], states[fresh[~seen.terminal[fresh]]]

    def _edges(self) -> Edges:
        counts = np.concatenate(self._choices)
        widths = counts.prod(axis=1)
        numbers = np.concatenate(self._after)
        return Edges(counts.argmax(axis=1), widths, np.cumsum(widths) - widths, numbers)


def _is_in_turn(counts: Numbers) -> bool:
    """Tell whether every role has a move in all states, and one at most a choice."""
    return bool((counts > 0).all() and ((counts > 1).sum(axis=1) < 2).all())


@dataclass(frozen=True, slots=True)
class Edges:
    """How moves lead from n states to others. Arrays are int64.

    ``movers`` (n,): who moves. ``widths`` (n,): how many moves there are. ``first`` (n,): where a
    state's moves begin in ``after``, the numbers of the states that they lead to.
    """

    movers: Numbers
    widths: Numbers
    first: Numbers
    after: Numbers


class Solved:
    """The values of all states, by number and role, once the ``sweeps`` are over.

    ``ends`` float64 (states, roles): the values of terminal states, nan of others, whose ``edges``
    come in the order of their numbers. ``low`` and ``high`` float64 (states, roles) are bounds;
    ``settled`` int64 (states, roles): after how many sweeps the low one stood, which is how soon
    the end can be forced; ``hope`` float64 (states, roles): the mean of ``low`` one move on.
    """

    def __init__(self, ends: Values, edges: Edges, by_chance: Sequence[bool]) -> None:
        is_open = np.isnan(ends[:, 0])
        self._open = np.flatnonzero(is_open)
        self._edges = edges
        self._by_chance = np.array(by_chance)
        self.low = np.where(is_open[:, None], 0, ends)
        self.high = np.where(is_open[:, None], 100, ends)
        self.settled = np.zeros(ends.shape, dtype=np.int64)
        self.hope = self.low.copy()

    def after(self, number: int) -> Numbers:
        """Return the numbers of the states after each move of a state, none after terminal ones."""
        place = int(np.searchsorted(self._open, number))
        if place == len(self._open) or self._open[place] != number:
            return np.zeros(0, dtype=np.int64)
        first = self._edges.first[place]
        return self._edges.after[first : first + self._edges.widths[place]]

    def sweeps(self) -> Iterator[int]:
        """Narrow all bounds until nothing changes; yield each time how many moves were seen."""
        roles = np.flatnonzero(~self._by_chance).tolist()
        for sweep in count(1):
            changed = False
            for role in roles:
                risen = self._narrow(self.low, role)
                self.settled[risen, role] = sweep
                changed |= bool(len(risen)) or bool(len(self._narrow(self.high, role)))
            yield len(self._edges.after)
            if not changed:
                break
        for role in roles:
            self.hope[self._open, role] = self._mean(self.low[self._edges.after, role])

    def _narrow(self, bound: Values, role: int) -> Numbers:
        """Back up one of the bounds; return the states in which it has changed."""
        edges = self._edges
        values = bound[edges.after, role]
        backed_up = np.where(
            edges.movers == role,
            np.maximum.reduceat(values, edges.first),
            np.minimum.reduceat(values, edges.first),
        )
        if self._by_chance.any():
            chance = self._by_chance[edges.movers]
            backed_up[chance] = self._mean(values)[chance]
        before = bound[self._open, role]
        changed = abs(backed_up - before) > PRECISION
        bound[self._open, role] = np.where(changed, backed_up, before)
        moved: Numbers = self._open[changed]
        return moved

    def _mean(self, values: Values) -> Values:
        """Return the mean over each state's moves."""
        means: Values = np.add.reduceat(values, self._edges.first) / self._edges.widths
        return means
