"""Duels are fair, and decide as often and as soon as the documentation says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, repeat
from random import Random

import pytest

from gdl import State, Term
from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning.duel import (
    MAX_MATCH_STEPS,
    MAX_MATCHES,
    PIECES,
    Allowance,
    AlphaBetaDuelist,
    ChallengeVerdict,
    Duelist,
    Score,
    TreeSearchDuelist,
    play_in_all_seats,
    random_position,
    seats_of,
)
from ggp_player.strategies.mcts import Settings, TreeSearch
from tests.support.clocks import FakeClock
from tests.support.compiled_games import machine_of
from tests.support.learned_games import learned, numbered_evaluation, ticking
from tests.support.paths import ROOT
from tests.support.small_games import compiled

# ---------------------------------------------------------------------- when a duel is decided


def acceptance(share: float, draws: float) -> tuple[float, float]:
    """How often a challenger that is worth a share of the points is taken, and after how many
    matches a duel with it is decided on average: exactly, for independent matches.
    """
    outcomes = [(1.0, share - draws / 2), (0.5, draws), (0.0, 1 - share - draws / 2)]
    open_duels, accepted, expected = {0.0: 1.0}, 0.0, 0.0
    for matches in range(1, MAX_MATCHES + 1):
        expected += sum(open_duels.values())
        after: dict[float, float] = {}
        for points, chance in open_duels.items():
            for gained, probability in outcomes:
                verdict = Score(points + gained, matches).verdict
                if verdict is ChallengeVerdict.CHALLENGER:
                    accepted += chance * probability
                elif verdict is ChallengeVerdict.OPEN:
                    before = after.get(points + gained, 0.0)
                    after[points + gained] = before + chance * probability
        open_duels = after
    assert not open_duels
    return accepted, expected


@pytest.mark.parametrize("draws", [0.0, 0.1, 0.2, 0.4])
def test_a_duel_has_power(draws: float) -> None:
    accepted, _ = acceptance(0.75, draws)
    assert accepted >= 0.85
    accepted, matches = acceptance(0.5, draws)
    assert accepted <= 0.1
    assert matches < 15
    accepted, matches = acceptance(0.25, draws)
    assert accepted < 0.001
    assert matches < 6


def test_a_better_challenger_is_taken_more_often() -> None:
    found = [acceptance(0.05 * number, 0.0)[0] for number in range(21)]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (0, 1)


def test_the_documentation_has_the_curve() -> None:
    text = (ROOT / "docs" / "search.md").read_text()
    rows = re.findall(r"^\| (\d+) % \| (.+) \|$", text, re.MULTILINE)
    assert [int(row[0]) for row in rows] == [25, 30, 40, 50, 60, 65, 70, 75, 80, 90]
    for worth, cells in rows:
        share = int(worth) / 100
        expected = [
            f"{value:.1f}"
            for draws in (0.0, 0.2)
            for accepted, matches in [acceptance(share, draws)]
            for value in (100 * accepted, matches)
        ]
        assert cells.split(" | ") == expected


def test_the_end_and_the_verdict_are_one_rule() -> None:
    assert Score(5.0, 5).verdict is ChallengeVerdict.OPEN
    assert Score(6.0, 6).verdict is ChallengeVerdict.CHALLENGER
    assert Score(0.0, 2).verdict is ChallengeVerdict.OPEN
    assert Score(0.0, 3).verdict is ChallengeVerdict.CHAMPION
    assert Score(12.0, 24).verdict is ChallengeVerdict.CHAMPION
    assert Score(16.0, MAX_MATCHES - 1).verdict is ChallengeVerdict.OPEN
    assert Score(16.0, MAX_MATCHES).verdict is ChallengeVerdict.CHAMPION
    assert Score(17.0, MAX_MATCHES).verdict is ChallengeVerdict.CHALLENGER


# ---------------------------------------------------------------------- equal time


def moves_of(allowance: Allowance, hand: FakeClock, pieces: Iterator[float]) -> Iterator[float]:
    """The time that each move takes where the limit is a second, and a piece of work so much."""
    while True:
        allowance.begin(1.0)
        began, work = hand.now, 0
        while not allowance.is_used_up:
            hand.now += next(pieces)
            work += allowance.piece
        allowance.end(work, has_ended=False)
        yield hand.now - began


def test_what_a_move_takes_too_much_the_next_makes_up_for() -> None:
    hand = FakeClock(0.0)
    taken = list(islice(moves_of(Allowance(hand, 8), hand, repeat(0.7)), 20))
    assert taken[:3] == pytest.approx([1.4, 0.7, 1.4])
    assert sum(taken) == pytest.approx(20, abs=1)


def test_a_proof_leaves_no_time_for_later() -> None:
    hand = FakeClock(0.0)
    allowance = Allowance(hand, 8)
    allowance.begin(1.0)
    hand.now += 0.1
    allowance.end(8, has_ended=True)
    assert next(moves_of(allowance, hand, repeat(0.01))) == pytest.approx(1.0, abs=0.011)


def test_pieces_are_a_part_of_the_time_as_measured() -> None:
    hand = FakeClock(0.0)
    allowance = Allowance(hand, 1000, least=30)
    next(moves_of(allowance, hand, repeat(0.5)))
    assert allowance.piece == round(2000 / PIECES)
    allowance.begin(1.0)
    hand.now += 100.0
    allowance.end(10, has_ended=False)
    assert allowance.piece == 30


def test_both_sides_take_equal_time() -> None:
    """Time is the number of readings of a clock, so that each piece of work takes some."""
    machine = machine_of("connectFour")
    clock = ticking(0.001)
    search = TreeSearch(machine, Settings(), 2, 2**22)
    players: list[Duelist] = [
        AlphaBetaDuelist(machine, numbered_evaluation(machine), clock),
        TreeSearchDuelist(search, clock, Random(4)),
    ]
    for player in players:
        state, taken = machine.initial_state(), []
        for number in range(12):
            began = clock()
            role = 0 if len(machine.legal_moves(state, machine.roles[0])) > 1 else 1
            move = player.move(state, role, 0.02)
            taken.append(clock() - began)
            joint = [machine.legal_moves(state, each)[0] for each in machine.roles]
            joint[role] = move
            state = machine.next_state(state, tuple(joint))
            assert not machine.is_terminal(state), number
        assert sum(taken) / len(taken) == pytest.approx(0.02, rel=0.15)


# ---------------------------------------------------------------------- matches


def test_a_random_position_can_be_played_on() -> None:
    machine = machine_of("ticTacToe")
    for seed in range(20):
        assert not machine.is_terminal(random_position(machine, Random(seed), 9))


class FirstMove:
    """A duelist that makes the first legal move."""

    def __init__(self, machine: PropnetStateMachine) -> None:
        self._machine = machine

    def move(self, state: State, role: int, _seconds: float) -> Term:
        return self._machine.legal_moves(state, self._machine.roles[role])[0]


@pytest.mark.parametrize("kind", ["tree search", "alpha-beta"])
def test_duels_take_turns_and_count_points(kind: str) -> None:
    machine = machine_of("connectFour")
    if kind == "tree search":
        search = TreeSearch(machine, Settings(), 2, 2**22)
        strong = TreeSearchDuelist(search, ticking(0.001), Random(4)).move
    else:
        strong = AlphaBetaDuelist(machine, learned(machine), ticking(0.001)).move

    class Strong:
        def move(self, state: State, role: int, seconds: float) -> Term:
            return strong(state, role, seconds)

    pairs = play_in_all_seats(machine, Strong(), FirstMove(machine), Random(3), 0.01)
    score = next(score for score in pairs if score.matches == 4)
    assert score.share >= 0.75


@pytest.mark.parametrize(("game", "seats"), [("trefoil", 3), ("pig", 2)])
def test_every_seat_is_taken_where_roles_are_more_or_chance_moves(game: str, seats: int) -> None:
    machine, seen = machine_of(game), list[int]()

    class Challenger(FirstMove):
        def move(self, state: State, role: int, seconds: float) -> Term:
            seen.append(role)
            return super().move(state, role, seconds)

    matches, taken = 0, list[set[int]]()
    players = Challenger(machine), FirstMove(machine)
    for score in play_in_all_seats(machine, *players, Random(5), 0.01):
        if score.matches > matches:
            matches = score.matches
            taken.append(set(seen))
            seen.clear()
        if matches == 2 * seats:
            break
    assert all(len(each) == 1 for each in taken)
    assert seats_of(machine) == [role for each in taken[:seats] for role in each]
    assert taken[:seats] == taken[seats:]


def test_matches_that_could_go_on_for_ever_end_as_they_stand() -> None:
    endless = compiled(
        """
        (role a) (role b) (init (turn a)) (goal a 50) (goal b 50) (<= terminal (true (turn nobody)))
        (<= (legal ?role wait) (role ?role)) (<= (legal ?role pass) (true (turn ?role)))
        (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
        """
    )
    scores = play_in_all_seats(endless, FirstMove(endless), FirstMove(endless), Random(1), 0.01)
    yields = list(islice(scores, 2 * MAX_MATCH_STEPS + 2))
    assert (yields[-1].matches, yields[-1].points) == (2, 1.0)


def test_goals_of_three_roles_are_points_above_the_mean_of_the_others() -> None:
    machine = machine_of("trefoil")
    players = FirstMove(machine), FirstMove(machine)
    scores = play_in_all_seats(machine, *players, Random(5), 0.01)
    score = next(score for score in scores if score.matches == 3)
    # Each seat is taken once from the same opening by equals, so what one gains others lose.
    assert score.points == pytest.approx(1.5)
