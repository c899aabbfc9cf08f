"""An algorithm portfolio: a main search that always has a move, and provers that may prove one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gdl import StateMachine
from ggp_player.clock import Clock
from ggp_player.strategies import Choice, EngineStrategy, MoveReport, Position, Strategy

PIECES = 16
"""The slices of work for the parts that make one for all of them, about."""

SHARE = 0.15
"""The part of the time that a prover gets far from the end of a match."""

MOST_SHARE = 0.24
"""The part that it gets near the end: a quarter at most with its last slice, which may run over."""

NEAR_THE_END = 10.0
"""Steps from the leaves of the main search to the end with which it gets the most; with more of
them it gets less in proportion, down to ``SHARE``."""


class Portfolio(EngineStrategy):
    """Runs a main search and provers in turn, slice by slice; the first proof decides.

    Until then the main search's choice stands. A prover that gives up is run again in the next
    position. Slices of different searches take different times, so provers are paid by time, not by
    slices: each gets ``SHARE`` of it, and more where the main search sees the end of the match
    come near, as there a proof is likely. Time is what ``clock`` returns, seconds of CPU time; or
    work, for a caller who limits searches by that.
    """

    name = "portfolio"
    ponders = True

    def __init__(
        self,
        main: Strategy,
        provers: Sequence[Strategy],
        clock: Clock = time.thread_time,
    ) -> None:
        self._main = main
        self.provers = list(provers)
        self._clock = clock
        self._decided: Strategy = main

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse what the main search refuses."""
        return self._main.refusal(machine)

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the main search's choices, or the one that was proved."""
        self._decided = self._main
        measure = self._clock
        if position.work_slice is not None:
            position = replace(position, work_slice=max(1, position.work_slice // PIECES))
            measure = self._work_done
        machine = position.machine
        running = [
            _Running(prover, prover.search(position))
            for prover in self.provers
            if prover.refusal(machine) is None
        ]
        began, spent = measure(), 0.0
        for choice in self._main.search(position):
            spent += measure() - began
            yield self._main.credited(choice)
            if choice.proved:
                return
            for part in running:
                found = part.run(self._share() * spent, measure)
                if found is not None and found.proved:
                    self._decided = part.prover
                    yield part.prover.credited(found)
                    return
            running = [part for part in running if not part.is_over]
            began = measure()

    def _share(self) -> float:
        """What a prover may spend for each second of the main search."""
        steps = self._main.steps_left
        share = SHARE
        if steps is not None:
            share = min(MOST_SHARE, max(SHARE, MOST_SHARE * NEAR_THE_END / max(1.0, steps)))
        return share / (1 - share)

    def _work_done(self) -> float:
        return float(self.work)

    @property
    def work(self) -> int:
        """The work of all searches."""
        return sum(each.work or 0 for each in (self._main, *self.provers))

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Report what the search that decided knows, or the main search if that reports nothing."""
        return self._decided.report(position) or self._main.report(position)


@dataclass(slots=True)
class _Running:
    """A prover's search of a position, and what it has spent on it."""

    prover: Strategy
    search: Iterator[Choice]
    spent: float = 0.0
    is_over: bool = False

    def run(self, allowed: float, measure: Clock) -> Choice | None:
        """Search while less was spent than is allowed; return the last choice, if there is one."""
        found = None
        while self.spent < allowed and not (self.is_over or (found is not None and found.proved)):
            began = measure()
            found = next(self.search, None)
            self.spent += measure() - began
            self.is_over = found is None
        return found
