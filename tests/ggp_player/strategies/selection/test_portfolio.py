"""The portfolio: the main search's choice stands until a prover has proved a better one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import gdl
from ggp_player.strategies import Choice, Position, Strategy
from ggp_player.strategies.base import MoveReport
from ggp_player.strategies.selection.portfolio import Portfolio
from tests.support.tree_games import TWO_PLY, position, turns

A1, A2, A3 = (gdl.parse_term(f"a{number}") for number in (1, 2, 3))


class Scripted(Strategy):
    """Yields what it was given, and counts how often it was asked."""

    name = "scripted"

    def __init__(self, *choices: Choice, refuses: str | None = None) -> None:
        self.choices, self.refuses = choices, refuses
        self.asked = 0

    def refusal(self, machine: gdl.StateMachine) -> str | None:
        return self.refuses

    def search(self, position: Position) -> Iterator[Choice]:
        for choice in self.choices:
            self.asked += 1
            yield choice

    def report(self, position: Position) -> tuple[MoveReport, ...]:
        return (MoveReport(self.choices[-1].move),) if self.choices else ()


def searched(portfolio: Portfolio) -> list[Choice]:
    return list(portfolio.search(position(turns(TWO_PLY))))


def test_without_a_proof_the_main_search_decides() -> None:
    main = Scripted(*[Choice(A1, value) for value in (1.0, 2.0, 3.0)])
    portfolio = Portfolio(main, [Scripted(Choice(A2, 99.0))])
    assert searched(portfolio) == [main.credited(choice) for choice in main.choices]


def test_the_first_proof_ends_the_search_and_is_named() -> None:
    main = Scripted(*[Choice(A1, 1.0)] * 10)
    prover = Scripted(Choice(A2), Choice(A3, 100.0, proved=True, note="depth 4"))
    portfolio = Portfolio(main, [prover], share=2)
    *_, last = searched(portfolio)
    assert last == Choice(A3, 100.0, proved=True, note="depth 4", method="scripted")
    assert (main.asked, prover.asked) == (3, 2)
    assert portfolio.report(position(turns(TWO_PLY))) == (MoveReport(A3),)


def test_a_proof_of_the_main_search_ends_it_too() -> None:
    main = Scripted(Choice(A1, 100.0, proved=True), Choice(A2))
    assert searched(Portfolio(main, [Scripted()])) == [main.credited(main.choices[0])]


def test_a_prover_that_has_ended_or_refuses_is_left_alone() -> None:
    main = Scripted(*[Choice(A1, 1.0)] * 9)
    ended, refusing = Scripted(Choice(A2)), Scripted(Choice(A3, 0.0, proved=True), refuses="no")
    assert len(searched(Portfolio(main, [ended, refusing], share=1))) == 9
    assert (ended.asked, refusing.asked) == (1, 0)


@pytest.mark.parametrize("refusal", [None, "not this one"])
def test_what_the_main_search_refuses_is_refused(refusal: str | None) -> None:
    machine = turns(TWO_PLY)
    assert Portfolio(Scripted(refuses=refusal), []).refusal(machine) == refusal
