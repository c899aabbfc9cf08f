"""A duel takes games by turns, ends when it is decided, and says what it has shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from rich.console import Console

from ggp_player.errors import LabError
from ggp_player.lab.balance import LabGame, Plies
from ggp_player.lab.duel import Duel, DuelOutcome, End, run_duel
from ggp_player.lab.match import MoveLimit, PairResult, PairTask
from ggp_player.lab.report import outcome_table, outcome_to_json, verdict_line
from ggp_player.lab.sequential_test import MIN_PAIRS, SequentialTest, SequentialVerdict
from tests.support.lab_games import NIM, TIC_TAC_TOE, openings, playing

ONE = Duel(("a", "b"), (LabGame("one", ""),), MoveLimit(nodes=10), pairs=100)
TWO = replace(ONE, games=(LabGame("one", ""), LabGame("two", "")))


def outcome_of(duel: Duel, play, count: int = 1000) -> DuelOutcome:
    return run_duel(duel, play, openings=[openings(count) for _ in duel.games])


def shown(outcome: DuelOutcome) -> str:
    console = Console(width=120, highlight=False)
    with console.capture() as capture:
        console.print(outcome_table(outcome))
    return capture.get()


def test_who_always_wins_is_stronger_as_soon_as_that_may_be_said() -> None:
    outcome = outcome_of(ONE, playing(lambda task: (1, 1)))
    assert (outcome.end, outcome.verdict) == (End.DECIDED, SequentialVerdict.H1)
    assert MIN_PAIRS <= outcome.estimate.pairs < 20
    assert verdict_line(outcome) == "a is stronger than b: +20 Elo is accepted against +0"
    assert "stronger" in shown(outcome)


def test_equals_are_not_stronger() -> None:
    random = Random(2)
    outcome = outcome_of(
        replace(ONE, pairs=5000), playing(lambda task: random.choices((0, 1), k=2)), 5000
    )
    assert (outcome.end, outcome.verdict) == (End.DECIDED, SequentialVerdict.H0)
    assert verdict_line(outcome) == "a is not stronger than b: +0 Elo is accepted against +20"


def test_games_take_turns_and_rounds_are_complete() -> None:
    taken: list[tuple[str, int]] = []

    def play(tasks: Iterator[PairTask]) -> Iterator[PairResult]:
        results = playing(lambda task: (1, 1))(tasks)
        for result in results:
            taken.append((result.game, result.number))
            yield result

    outcome = outcome_of(TWO, play)
    assert taken[:4] == [("one", 0), ("two", 0), ("one", 1), ("two", 1)]
    assert len({score.sums.pairs for score in outcome.scores.values()}) == 1


def test_what_is_played_ahead_changes_nothing() -> None:
    random = Random(3)
    points = {
        (name, n): random.choices((0, 1), (2, 3), k=2)
        for name in ("one", "two")
        for n in range(200)
    }

    def ahead(tasks: Iterator[PairTask]) -> Iterator[PairResult]:
        return playing(lambda task: points[task.game, task.number])(iter(list(tasks)))

    at_once = playing(lambda task: points[task.game, task.number])
    duel = replace(TWO, pairs=200)
    assert outcome_to_json(outcome_of(duel, ahead)) == outcome_to_json(outcome_of(duel, at_once))


def test_a_game_that_is_clearly_lost_vetoes() -> None:
    lost = playing(lambda task: (1, 1) if task.game == "one" else (0, 0))
    outcome = outcome_of(TWO, lost)
    assert (outcome.end, outcome.vetoing) == (End.VETO, ["two"])
    assert outcome.estimate.pairs == 2 * MIN_PAIRS
    assert verdict_line(outcome) == "a is vetoed: clearly less than 40 % of the points in two"
    outcome = outcome_of(replace(TWO, veto=False), lost)
    assert (outcome.end, outcome.vetoing) == (End.DECIDED, [])
    assert outcome.verdict is SequentialVerdict.H0


def test_all_pairs_may_be_played_without_a_decision() -> None:
    outcome = outcome_of(replace(ONE, pairs=10), playing(lambda task: (0, 1)))
    assert outcome.end is End.PAIRS
    assert verdict_line(outcome).startswith("not decided (all pairs played), LLR -0.")


def test_too_few_openings_are_said() -> None:
    outcome = outcome_of(ONE, playing(lambda task: (0, 1)), 9)
    assert outcome.end is End.OPENINGS
    assert verdict_line(outcome).endswith("too few balanced openings: one has 9")


def test_a_game_without_openings_goes_on_in_the_others() -> None:
    ended = [openings(3), openings(20)]
    outcome = run_duel(
        replace(TWO, pairs=20, veto=False), playing(lambda task: (0, 1)), openings=ended
    )
    assert [score.sums.pairs for score in outcome.scores.values()] == [3, 20]
    with pytest.raises(LabError, match="two has no balanced opening of 4 to 8 plies"):
        run_duel(TWO, playing(lambda task: (0, 1)), openings=[openings(3), openings(0)])


def test_an_interrupt_ends_it_with_what_there_is() -> None:
    def points(task: PairTask) -> tuple[float, float]:
        if task.number == 3:
            raise KeyboardInterrupt
        return (1, 0.5)

    outcome = outcome_of(ONE, playing(points))
    assert (outcome.end, outcome.estimate.pairs) == (End.INTERRUPTED, 3)
    assert verdict_line(outcome).startswith("not decided (interrupted)")


def test_json_has_every_pair_and_no_infinities() -> None:
    outcome = outcome_of(ONE, playing(lambda task: (1, 1)))
    found = json.loads(json.dumps(outcome_to_json(outcome), allow_nan=False))
    game = found["games"][0]
    assert (game["won"], game["drawn"], game["lost"]) == (2 * game["pairs"], 0, 0)
    assert [pair["pair"] for pair in game["played"]] == list(range(game["pairs"]))
    first = game["played"][0]
    assert first["opening"] == {"candidate": 1, "moves": [], "value": 50.0}
    assert first["matches"][0] == {"points": 1, "steps": 10, "work": [7, 8], "cpu": [0.1, 0.2]}
    assert game["work"] == [14 * game["pairs"], 16 * game["pairs"]]
    assert "played" not in outcome_to_json(outcome, with_pairs=False)["games"][0]


def test_names_of_games_are_different() -> None:
    with pytest.raises(LabError, match="different names, found one, one"):
        replace(ONE, games=(LabGame("one", ""), LabGame("one", "x")))


@pytest.mark.thorough
def test_a_real_duel_is_decided() -> None:
    from ggp_player.lab.pair_play import opened_play

    duel = Duel(
        ("mcts", "random"),
        (NIM, TIC_TAC_TOE),
        MoveLimit(nodes=300),
        SequentialTest(0, 100),
        plies=Plies(1, 3),
    )
    with opened_play(1) as play:
        outcome = run_duel(duel, play)
    assert outcome.verdict is SequentialVerdict.H1
