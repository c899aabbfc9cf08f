"""A contest: the learner takes its share of the time, no move waits, and what is better plays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, repeat
from random import Random

import pytest

from gdl.engine import PropnetStateMachine
from ggp_player.clock import Deadline
from ggp_player.strategies import Choice, EngineStrategy, Position
from ggp_player.strategies.learning import Contest, Learner, contest
from tests.support.clocks import FakeClock
from tests.support.compiled_games import machine_of
from tests.support.learned_games import ticking


class Fixed(EngineStrategy):
    """A strategy whose choices say who made them."""

    work = 7

    def __init__(self, note: str) -> None:
        self._note = note

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[0], note="nothing yet")
        while True:
            yield Choice(position.legal_moves[-1], 50.0, note=self._note)


class Stub(Learner):
    """A learner that takes a while."""

    def __init__(self, steps: int, found: EngineStrategy | None) -> None:
        super().__init__(ticking(0.001))
        self._steps, self._found = steps, found

    def work(
        self, _machine: PropnetStateMachine, _seed: int, _deadline: Deadline | None = None
    ) -> Iterator[None]:
        yield from repeat(None, self._steps)
        self.note = "decided"
        self.strategy = self._found  # type: ignore[assignment]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("found", [None, Fixed("challenger")])
def test_a_contest_goes_on_with_what_was_found(found: EngineStrategy | None, threads: int) -> None:
    machine = machine_of("connectFour")
    contest = Contest(Fixed("main"), Stub(100, found), ticking(0.001), threads)
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    # The search is stopped and started again in between, as at each move.
    choices = [choice for _ in range(9) for choice in islice(contest.search(position), 40)]
    expected = "main" if found is None else "challenger"
    assert choices[0].note in ("", "nothing yet")
    assert threads > 1 or "main" in [choice.note for choice in choices]
    assert (choices[-1].note, choices[-1].method) == (expected, "Fixed")
    assert contest.about_game == "decided"
    assert choices[-1].move == position.legal_moves[-1]


def test_the_main_search_proves_while_the_learner_works() -> None:
    machine = machine_of("connectFour")
    contest = Contest(Proving(100), Stub(10**9, None), ticking(0.001), threads=2)
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    *_, last = contest.search(position)
    assert last.proved
    assert last.note == "challenger"


class Proving(EngineStrategy):
    """A strategy that proves a value at once."""

    def __init__(self, value: float) -> None:
        self._value = value

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[0], self._value, proved=True, note="challenger")


@pytest.mark.parametrize(
    ("pessimistic", "value", "expected"),
    [(True, 0, "main"), (True, 100, "challenger"), (False, 0, "challenger")],
)
def test_a_pessimistic_proof_does_not_end_the_search(
    pessimistic: bool, value: float, expected: str
) -> None:
    machine = machine_of("connectFour")
    found = Stub(3, Proving(value))
    found.is_pessimistic = pessimistic
    contest = Contest(Fixed("main"), found, ticking(0.001))
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    choices = list(islice(contest.search(position), 40))
    assert choices[-1].note == expected
    assert choices[-1].method == ("Proving" if expected == "challenger" else "Fixed")
    assert contest.about_game == "decided"
    assert choices[-1].proved == (expected == "challenger")


# ---------------------------------------------------------------------- shares of the time


class Taking(EngineStrategy):
    """A search of slices that take a second each."""

    def __init__(self, hand: FakeClock) -> None:
        self._hand = hand

    def search(self, position: Position) -> Iterator[Choice]:
        for number in range(10):
            self._hand.now += 1
            yield Choice(position.legal_moves[0], float(number))


class Working(Learner):
    """A learner that counts its seconds, of which it takes a hundredth at a time.

    After so many it has decided, and goes on.
    """

    def __init__(self, hand: FakeClock, seconds: float = 1e9) -> None:
        super().__init__(hand)
        self.hand = hand
        self.steps = round(100 * seconds)
        self.worked = 0.0
        self.later = 0.0
        self.learned_from: Position | None = None
        self.deadline: Deadline | None = None

    def work(
        self, _machine: PropnetStateMachine, _seed: int, deadline: Deadline | None = None
    ) -> Iterator[None]:
        self.deadline = deadline
        for _ in range(self.steps):
            self.hand.now += 0.01
            self.worked += 0.01
            yield

    def learn_from(self, position: Position) -> Iterator[None]:
        self.learned_from = position
        for _ in range(200):
            self.hand.now += 0.01
            self.later += 0.01
            yield


def positions() -> tuple[Position, Position, Position]:
    """The first position of a match, one where we wait, and one where we choose."""
    machine = machine_of("connectFour")
    first = machine.initial_state()
    moves = tuple(machine.legal_moves(first, role)[0] for role in machine.roles)
    second = machine.next_state(first, moves)
    own, other = machine.roles
    return (
        Position(machine, first, own, Random(1)),
        Position(machine, second, own, Random(1)),
        Position(machine, second, other, Random(1)),
    )


def part_of(taken: float) -> float:
    """The part of the time that the learner has taken, where the search took ten seconds."""
    return taken / (taken + 10)


def search(played: Contest, position: Position, deadline: Deadline | None = None) -> None:
    for _ in played.search(replace(position, deadline=deadline)):
        pass


def decided() -> tuple[Contest, Working, Position]:
    """A contest whose learner has decided, and the next position with a choice."""
    first, waiting, choosing = positions()
    hand = FakeClock(0.0)
    learner = Working(hand, seconds=1)
    played = Contest(Taking(hand), learner, hand)
    search(played, first)
    search(played, waiting)
    return played, learner, choosing


def test_the_learner_is_told_the_deadline_and_has_most_of_the_start_clock() -> None:
    hand = FakeClock(0.0)
    learner, deadline = Working(hand), Deadline.after(1000, hand)
    search(Contest(Taking(hand), learner, hand), positions()[0], deadline)
    assert learner.deadline is deadline
    assert part_of(learner.worked) == pytest.approx(contest.FIRST_SHARE, abs=0.01)


def test_no_move_waits_for_the_learner() -> None:
    first, waiting, choosing = positions()
    hand = FakeClock(0.0)
    learner = Working(hand)
    played = Contest(Taking(hand), learner, hand)
    search(played, first, Deadline.after(5, hand))  # soon over; then the first move is chosen
    early = 5 * contest.FIRST_SHARE / (1 - contest.FIRST_SHARE)
    assert part_of(learner.worked) < contest.LATER_SHARE + 0.25
    assert learner.worked < early
    before = learner.worked
    search(played, choosing, Deadline.after(5, hand))
    assert part_of(learner.worked - before) == pytest.approx(contest.LATER_SHARE, abs=0.01)
    before = learner.worked
    search(played, waiting)
    assert part_of(learner.worked - before) == pytest.approx(contest.WAITING_SHARE, abs=0.01)


def test_a_first_move_that_is_searched_anew_is_like_any_other() -> None:
    first = positions()[0]
    hand = FakeClock(0.0)
    learner = Working(hand)
    played = Contest(Taking(hand), learner, hand)
    search(played, first, Deadline.after(1000, hand))
    before = learner.worked
    search(played, first, Deadline.after(1000, hand))
    assert part_of(learner.worked - before) == pytest.approx(contest.LATER_SHARE, abs=0.01)


def test_a_short_clock_is_for_the_move() -> None:
    hand = FakeClock(0.0)
    learner = Working(hand)
    clock = Deadline.after(0.9 * contest.SHORT_SECONDS, lambda: 0.0)
    search(Contest(Taking(hand), learner, hand), positions()[0], clock)
    assert part_of(learner.worked) == pytest.approx(contest.LATER_SHARE, abs=0.01)


def test_the_first_choice_comes_before_any_learning() -> None:
    hand = FakeClock(0.0)
    learner = Working(hand)
    next(iter(Contest(Taking(hand), learner, hand).search(positions()[0])))
    assert learner.worked == 0


def test_once_it_has_decided_it_learns_from_each_position_first() -> None:
    first, *later = positions()
    hand = FakeClock(0.0)
    learner = Working(hand, seconds=1)
    played = Contest(Taking(hand), learner, hand)
    search(played, first)
    assert learner.worked == pytest.approx(1)
    assert learner.later == 0
    for count, position in enumerate(later, 1):
        began = hand.now
        search(played, position)
        # One slice of the search, so that there is a choice; the learner; and the search anew.
        assert hand.now - began == pytest.approx(1 + 2 + 10)
        assert learner.later == pytest.approx(2 * count)
        assert learner.learned_from is not None
        assert learner.learned_from.state == position.state


def test_where_something_is_known_moves_do_not_wait_for_a_decision() -> None:
    first, waiting, choosing = positions()
    hand = FakeClock(0.0)
    learner = Working(hand)
    learner.has_learned = True
    played = Contest(Taking(hand), learner, hand)
    search(played, first)
    worked = learner.worked
    search(played, choosing)
    assert learner.worked == worked
    assert learner.later == pytest.approx(2)
    search(played, waiting)
    assert learner.worked > worked


def test_with_two_threads_the_search_goes_on_beside_the_learner() -> None:
    first, _, choosing = positions()
    hand = FakeClock(0.0)
    learner = Working(hand, seconds=0.1)
    played = Contest(Fixed("main"), learner, hand, threads=2)
    list(islice(played.search(first), 30))
    assert learner.later == 0
    *_, last = islice(played.search(choosing), 30)
    assert last.move in choosing.legal_moves
    assert 0 < learner.later < 1


def test_what_is_found_later_plays_the_next_move() -> None:
    played, learner, choosing = decided()
    for count, name in enumerate(("found", "found again"), 1):
        learner.strategy = Fixed(name)  # type: ignore[assignment]
        *_, last = islice(played.search(choosing), 5)
        assert last.note == name
        assert played.work == 7 * count


def test_what_was_found_plays_no_longer_when_it_is_withdrawn() -> None:
    played, learner, choosing = decided()
    learner.strategy = Fixed("found")  # type: ignore[assignment]
    *_, last = islice(played.search(choosing), 5)
    assert last.note == "found"
    learner.strategy = None
    *_, last = islice(played.search(choosing), 5)
    assert (last.note, last.method) == ("", "Taking")
    assert played.work == 7


def test_nobody_learns_beside_a_pessimist() -> None:
    """Its proofs would end the search."""
    first, waiting, _ = positions()
    hand = FakeClock(0.0)
    learner = Working(hand, seconds=1)
    learner.is_pessimistic = True
    played = Contest(Taking(hand), learner, hand)
    search(played, first)
    search(played, waiting)
    assert learner.later == 0
