"""A search reports what it thinks: seldom, briefly, and only to whom it may concern."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

import gdl
from gdl import Constant, State, StateMachine, Term
from ggp_player.events.search_view import MAX_LINE, MAX_LINES, MAX_TOLD_MOVES
from ggp_player.strategies import Choice, Counts, MoveReport, Position, Strategy
from ggp_player.worker.messages import SearchReport, decode_to_server, encode
from ggp_player.worker.move_thoughts import SymmetricMoves
from ggp_player.worker.search_reporter import INTERVAL, LONGEST_REST, REST, SearchReporter
from tests.support.clocks import FakeClock


class Telling(Strategy):
    """Reports many moves, the later the better, with endless lines; takes its time."""

    name = "telling"

    def __init__(self, on_report: Callable[[], None] = lambda: None, moves: int = 200) -> None:
        self._on_report, self._moves = on_report, moves

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[0])

    def report(self, position: Position) -> Sequence[MoveReport]:
        self._on_report()
        move = gdl.parse_term("noop")
        return [
            MoveReport(gdl.parse_term(f"(m {n})"), n / 2, n, line=((move, move),) * 100)
            for n in range(self._moves)
        ]


@pytest.fixture
def position(fields: str) -> Position:
    machine = gdl.interpret(gdl.parse(fields))
    return Position(machine, machine.initial_state(), machine.roles[0])


def test_a_report_is_bounded_and_has_the_best_moves_first(position: Position) -> None:
    sent: list[SearchReport] = []
    reporter = SearchReporter(sent.append, lambda: True, 7, 3)
    counts, note = Counts(playouts=12, nodes=5), "why; 7 nodes " + "x" * 10**6
    choice = Choice(gdl.parse_term("(m 5)"), 60.0, note=note, counts=counts)
    reporter.offer(Telling(), position, choice)
    (report,) = sent
    assert (report.number, report.turn, report.move, report.value) == (7, 3, "(m 5)", 60.0)
    assert report.strategy == "telling"
    assert (report.playouts, report.nodes, report.depth) == (12, 5, None)
    assert report.move_count == 200 + len(position.legal_moves)
    assert [move.move for move in report.moves[:3]] == ["(m 5)", "(m 199)", "(m 198)"]
    assert len(report.moves) == MAX_TOLD_MOVES
    assert [len(move.line) for move in report.moves[: MAX_LINES + 1]] == [MAX_LINE] * MAX_LINES + [
        0
    ]
    assert report.line == (("noop", "noop"),) * MAX_LINE
    assert len(encode(report)) < 2**14
    assert decode_to_server(encode(report)) == report


def test_nothing_is_reported_where_nobody_watches(position: Position) -> None:
    asked: list[bool] = []
    sent: list[SearchReport] = []
    reporter = SearchReporter(sent.append, lambda: False, 1, 0)
    strategy = Telling(lambda: asked.append(True))
    reporter.offer(strategy, position, Choice(gdl.parse_term("noop")))
    assert (asked, sent) == ([], [])


def count_reports(
    position: Position, seconds: float, wall_seconds: float, cpu_seconds: float
) -> int:
    """Count the reports in ``seconds``, each of which takes so long."""
    clock, cpu_clock = FakeClock(), FakeClock()

    def take() -> None:
        clock.now += wall_seconds
        cpu_clock.now += cpu_seconds

    sent: list[SearchReport] = []
    reporter = SearchReporter(sent.append, lambda: True, 1, 0, clock, cpu_clock=cpu_clock)
    choice, end = Choice(gdl.parse_term("noop")), clock.now + seconds
    strategy = Telling(take, moves=1)
    while clock.now < end:
        reporter.offer(strategy, position, choice)
        clock.now += 0.01
    return len(sent)


def test_reports_take_a_fiftieth_of_the_time_at_most(position: Position) -> None:
    cost = 0.05
    assert cost * REST < LONGEST_REST
    count = count_reports(position, 60, wall_seconds=cost, cpu_seconds=cost)
    assert 60 / (cost * (REST + 1)) - 1 <= count <= 60 / (cost * REST) + 1


def test_quick_reports_come_every_interval(position: Position) -> None:
    count = count_reports(position, 10, wall_seconds=0, cpu_seconds=0)
    assert count == pytest.approx(10 / INTERVAL, abs=2)


def test_a_busy_machine_makes_reports_late_and_not_rare(position: Position) -> None:
    count = count_reports(position, 10, wall_seconds=0.4, cpu_seconds=0.004)
    assert count == pytest.approx(10 / (0.4 + 0.004 * REST), abs=1)


def test_the_longest_pause_is_bounded(position: Position) -> None:
    count = count_reports(position, 60, wall_seconds=1, cpu_seconds=1)
    assert count == pytest.approx(60 / (1 + LONGEST_REST), abs=1)


def test_what_is_done_once_in_a_match_is_followed_by_no_pause(position: Position) -> None:
    clock, cpu_clock = FakeClock(), FakeClock()

    class Learning(SymmetricMoves):
        def classes(self, machine: StateMachine, state: State, role: Constant) -> list[list[Term]]:
            cpu_clock.now += 3
            self.cpu_seconds += 3
            return []

    sent: list[SearchReport] = []
    reporter = SearchReporter(
        sent.append,
        lambda: True,
        1,
        0,
        clock,
        symmetric_moves=Learning(cpu_clock),
        cpu_clock=cpu_clock,
    )
    choice = Choice(gdl.parse_term("noop"))
    for _ in range(2):
        reporter.offer(Telling(), position, choice)
        clock.now += INTERVAL
    assert len(sent) == 2


def test_rates_are_those_since_the_last_report(position: Position) -> None:
    sent: list[SearchReport] = []
    clock = FakeClock()
    reporter = SearchReporter(sent.append, lambda: True, 1, 0, clock)
    for playouts in (1000, 3000, 500):
        counts = Counts(playouts=playouts)
        reporter.report(Telling(), position, Choice(gdl.parse_term("noop"), counts=counts))
        clock.now += 0.5
    assert [report.playouts_per_second for report in sent] == [None, 4000, None]
    assert [report.seconds for report in sent] == [0, 0.5, 1]


def test_a_report_that_fails_costs_the_report_only(
    position: Position, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise KeyError("no such move")

    sent: list[SearchReport] = []
    reporter = SearchReporter(sent.append, lambda: True, 1, 0)
    reporter.report(Telling(fail), position, Choice(gdl.parse_term("noop"), 50))
    assert [(report.value, report.moves) for report in sent] == [(50, ())]
    assert "telling cannot report" in caplog.text


def test_counts_may_be_of_numpy(position: Position) -> None:
    sent: list[SearchReport] = []
    counts = Counts(depth=np.uint8(3), nodes=np.int64(2**40))  # type: ignore[arg-type]
    choice = Choice(gdl.parse_term("noop"), counts=counts)
    SearchReporter(sent.append, lambda: True, 1, 0).report(Telling(), position, choice)
    assert decode_to_server(encode(sent[0])) == sent[0]
    assert (sent[0].depth, sent[0].nodes, sent[0].note) == (3, 2**40, f"depth 3, {2**40} nodes")
