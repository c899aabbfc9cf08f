"""An algorithm portfolio: a main search that always has a move, and provers that may prove one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gdl import StateMachine
from ggp_player.strategies import Choice, EngineStrategy, MoveReport, Position, Strategy

PIECES = 16
"""The slices of work for the parts that make one for all of them, about."""


class Portfolio(EngineStrategy):
    """Runs a main search and provers in turn, slice by slice; the first proof decides.

    Until then the main search's choice stands. A prover that gives up is run again in the next
    position.
    """

    name = "portfolio"
    ponders = True

    def __init__(self, main: Strategy, provers: Sequence[Strategy], share: int = 3) -> None:
        self._main = main
        self.provers = list(provers)
        self._share = share
        self._decided: Strategy = main

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse what the main search refuses."""
        return self._main.refusal(machine)

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the main search's choices, or the one that was proved.

        Each prover gets one slice for every ``share`` slices of the main search.
        """
        self._decided = self._main
        if position.work_slice is not None:
            position = replace(position, work_slice=max(1, position.work_slice // PIECES))
        machine = position.machine
        running = {
            prover: prover.search(position)
            for prover in self.provers
            if prover.refusal(machine) is None
        }
        for number, choice in enumerate(self._main.search(position)):
            yield self._main.credited(choice)
            if choice.proved:
                return
            if number % self._share:
                continue
            for prover, search in list(running.items()):
                found = next(search, None)
                if found is None:
                    del running[prover]
                elif found.proved:
                    self._decided = prover
                    yield prover.credited(found)
                    return

    @property
    def work(self) -> int:
        """The work of all searches."""
        return sum(each.work or 0 for each in (self._main, *self.provers))

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Report what the search that decided knows, or the main search if that reports nothing."""
        return self._decided.report(position) or self._main.report(position)
