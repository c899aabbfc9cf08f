"""The portfolio: the main search's choice stands until a prover has proved a better one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import gdl
from ggp_player.strategies import Choice, Position, Strategy
from ggp_player.strategies.base import MoveReport
from ggp_player.strategies.selection.portfolio import MOST_SHARE, SHARE, Portfolio
from tests.support.tree_games import TWO_PLY, position, turns

A1, A2, A3 = (gdl.parse_term(f"a{number}") for number in (1, 2, 3))


class Scripted(Strategy):
    """Yields what it was given, each after ``cost`` seconds, and counts how often it was asked."""

    name = "scripted"

    def __init__(
        self,
        *choices: Choice,
        refuses: str | None = None,
        cost: float = 1.0,
        steps_left: float | None = None,
    ) -> None:
        self.choices, self.refuses = choices, refuses
        self.cost, self._steps_left = cost, steps_left
        self.asked = 0
        self.spent = 0.0

    @property
    def steps_left(self) -> float | None:
        return self._steps_left

    def refusal(self, machine: gdl.StateMachine) -> str | None:
        return self.refuses

    def search(self, position: Position) -> Iterator[Choice]:
        for choice in self.choices:
            self.asked += 1
            self.spent += self.cost
            yield choice

    def report(self, position: Position) -> tuple[MoveReport, ...]:
        return (MoveReport(self.choices[-1].move),) if self.choices else ()


def portfolio_of(main: Scripted, *provers: Scripted) -> Portfolio:
    """A portfolio whose clock counts what its searches have spent."""
    return Portfolio(main, provers, lambda: sum(each.spent for each in (main, *provers)))


def searched(portfolio: Portfolio) -> list[Choice]:
    return list(portfolio.search(position(turns(TWO_PLY))))


def test_without_a_proof_the_main_search_decides() -> None:
    main = Scripted(*[Choice(A1, value) for value in (1.0, 2.0, 3.0)])
    portfolio = portfolio_of(main, Scripted(Choice(A2, 99.0)))
    assert searched(portfolio) == [main.credited(choice) for choice in main.choices]


def test_the_first_proof_ends_the_search_and_is_named() -> None:
    main = Scripted(*[Choice(A1, 1.0)] * 10)
    prover = Scripted(Choice(A2), Choice(A3, 100.0, proved=True, note="depth 4"))
    portfolio = portfolio_of(main, prover)
    *_, last = searched(portfolio)
    assert last == Choice(A3, 100.0, proved=True, note="depth 4", method="scripted")
    assert (main.asked, prover.asked) == (6, 2)  # a second of six is more than its share
    assert portfolio.report(position(turns(TWO_PLY))) == (MoveReport(A3),)


def test_a_proof_of_the_main_search_ends_it_too() -> None:
    main = Scripted(Choice(A1, 100.0, proved=True), Choice(A2))
    assert searched(portfolio_of(main, Scripted())) == [main.credited(main.choices[0])]


def test_a_prover_that_has_ended_or_refuses_is_left_alone() -> None:
    main = Scripted(*[Choice(A1, 1.0)] * 9)
    ended, refusing = Scripted(Choice(A2)), Scripted(Choice(A3, 0.0, proved=True), refuses="no")
    assert len(searched(portfolio_of(main, ended, refusing))) == 9
    assert (ended.asked, refusing.asked) == (1, 0)


@pytest.mark.parametrize("cost", [0.02, 0.1, 1.0, 30.0])
def test_a_prover_is_paid_by_time_not_by_slices(cost: float) -> None:
    main = Scripted(*[Choice(A1, 1.0)] * 1000)
    prover = Scripted(*[Choice(A2)] * 100_000, cost=cost)
    searched(portfolio_of(main, prover))
    assert prover.spent / (main.spent + prover.spent) == pytest.approx(SHARE, abs=0.03)


@pytest.mark.parametrize(
    ("steps", "share"),
    [(None, SHARE), (60.0, SHARE), (12.5, 0.8 * MOST_SHARE), (10.0, MOST_SHARE), (0.5, MOST_SHARE)],
)
def test_a_prover_gets_more_near_the_end(steps: float | None, share: float) -> None:
    main = Scripted(*[Choice(A1, 1.0)] * 1000, steps_left=steps)
    prover = Scripted(*[Choice(A2)] * 100_000, cost=0.1)
    searched(portfolio_of(main, prover))
    assert prover.spent / (main.spent + prover.spent) == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize("refusal", [None, "not this one"])
def test_what_the_main_search_refuses_is_refused(refusal: str | None) -> None:
    machine = turns(TWO_PLY)
    assert Portfolio(Scripted(refuses=refusal), []).refusal(machine) == refusal
