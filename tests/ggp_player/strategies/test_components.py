"""Components are charged for their own CPU time, thread by thread, and for nothing else's."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from types import GeneratorType

import pytest

import gdl
from ggp_player.strategies import Component, Meter, Position, component, metering, tally
from ggp_player.strategies.selection import create
from tests.support.clocks import FakeCpuClock


@pytest.fixture
def clock() -> FakeCpuClock:
    return FakeCpuClock()


@component(Component.PROOF)
def prove(clock: FakeCpuClock, steps: int = 3) -> Iterator[int]:
    for step in range(steps):
        clock.spend(2)
        tally(nodes=10, depth=step)
        yield step


@component(Component.DUELS)
def work_with_a_part(clock: FakeCpuClock) -> Generator[str, None, str]:
    clock.spend(1)
    for step in prove(clock):
        clock.spend(4)
        yield str(step)
    return "done"


def passed_on(clock: FakeCpuClock) -> Iterator[str]:
    yield (yield from work_with_a_part(clock))


def test_nothing_is_wrapped_without_a_meter(clock: FakeCpuClock) -> None:
    work = prove(clock)
    assert isinstance(work, GeneratorType)
    assert work.gi_code.co_name == "prove"
    assert list(work) == [0, 1, 2]


def test_time_and_counts_go_to_the_component_that_runs(clock: FakeCpuClock) -> None:
    meter = Meter(clock)
    with metering(meter):
        for _ in prove(clock):
            clock.spend(100)
    used = meter.take()
    assert used.keys() == {Component.PROOF}
    assert used[Component.PROOF].seconds == 6
    assert used[Component.PROOF].counts == {"nodes": 30}
    assert used[Component.PROOF].depth == 2


def test_what_a_part_takes_is_not_charged_twice(clock: FakeCpuClock) -> None:
    meter = Meter(clock)
    with metering(meter):
        found = list(passed_on(clock))
    assert found == ["0", "1", "2", "done"]
    used = {which: usage.seconds for which, usage in meter.take().items()}
    assert used == {Component.DUELS: 1 + 3 * 4, Component.PROOF: 3 * 2}


def test_a_reading_begins_anew(clock: FakeCpuClock) -> None:
    meter = Meter(clock)
    with metering(meter):
        work = prove(clock)
        next(work)
        assert meter.take()[Component.PROOF].seconds == 2
        assert not meter.take()
        next(work)
    assert meter.take()[Component.PROOF].seconds == 2


def test_each_thread_has_its_own_time(clock: FakeCpuClock) -> None:
    meter = Meter(clock)
    with metering(meter):
        work = work_with_a_part(clock)
        next(work)
        clock.spend(1000)
        thread = threading.Thread(target=lambda: list(work))
        thread.start()
        thread.join()
    seconds = {which: usage.seconds for which, usage in meter.take().items()}
    assert seconds == {Component.DUELS: 13, Component.PROOF: 6}


def test_closing_and_errors_reach_what_is_watched(clock: FakeCpuClock) -> None:
    closed = []

    @component(Component.SERIES)
    def careful() -> Generator[int, None, None]:
        try:
            yield 1
            raise ArithmeticError("a mistake")
        finally:
            closed.append(True)

    meter = Meter(clock)
    with metering(meter):
        first, second = careful(), careful()
    next(first)
    first.close()
    assert closed == [True]
    next(second)
    with pytest.raises(ArithmeticError, match="a mistake"):
        next(second)
    assert closed == [True, True]
    tally(nodes=1)
    assert Component.OTHER not in meter.take()


def test_what_runs_under_no_name_is_other(clock: FakeCpuClock) -> None:
    meter = Meter(clock)
    with metering(meter):
        tally(nodes=7)
    assert meter.take()[Component.OTHER].counts == {"nodes": 7}


@pytest.mark.parametrize(
    ("spec", "which", "work", "others"),
    [
        ("mcts", Component.TREE_SEARCH, "playouts", {"descents", "nodes"}),
        ("proof", Component.PROOF, "nodes", set()),
        ("enumeration", Component.ENUMERATION, "moves", set()),
    ],
)
def test_searches_say_what_they_are_and_count(
    spec: str, which: Component, work: str, others: set[str]
) -> None:
    machine = gdl.compile(gdl.load("ticTacToe"))
    position = Position(machine, machine.initial_state(), machine.roles[0])
    strategy, meter = create(spec), Meter()
    with metering(meter):
        assert [choice for choice in strategy.search(position) if choice.proved]
    used = meter.take()
    assert used.keys() == {which}
    assert used[which].counts.keys() == {work, *others}
    assert min(used[which].counts.values()) > 0
    assert used[which].counts[work] == strategy.work
    assert (used[which].depth is not None) == (which is Component.PROOF)
