"""Matches are kept in files that hold those of many pairings, and go on where they were."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import gdl
from ggp_player.errors import LabError, TournamentError
from ggp_player.lab.balance import LabGame, Plies
from ggp_player.lab.ladder.matches import LadderFile, ladder_openings, read_ladder
from ggp_player.lab.ladder.players import LadderPlayer
from ggp_player.manager.tournament.results import Identity
from tests.support.lab_games import CONNECT_FOUR, TIC_TAC_TOE
from tests.support.ladder_matches import OPENING
from tests.support.tournament_results import result

PLAYERS = {"mcts": LadderPlayer("mcts", "0.1.0+1"), "a:1": LadderPlayer("Sancho", "1.61c")}

IDENTITY = Identity({"hex-3": "12"}, ("mcts", "a:1"), start_clock=20, play_clock=6, seed=1)

FIRST = result(("mcts", "a:1"), "100 0", game="hex-3", errors=((), ("0 TO", "4 IL noop")))
SECOND = result(("a:1", "mcts"), "0 100", game="hex-3")


@contextmanager
def opened(path: Path, identity: Identity = IDENTITY, version: str = "1") -> Iterator[LadderFile]:
    players = {**PLAYERS, "mcts": LadderPlayer("mcts", f"0.1.0+{version}")}
    at = 1_700_000_000_000
    with closing(LadderFile(path, identity, {"hex-3": OPENING}, players, lambda: at)) as file:
        yield file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "pairing.jsonl"
    with opened(path) as file:
        file.append(FIRST)
        file.append(SECOND)
    return path


def test_a_line_says_all_about_a_match(path: Path) -> None:
    line = json.loads(path.read_text().splitlines()[0])
    assert (line["date"], line["start_clock"], line["play_clock"]) == ("2023-11-14", 20, 6)
    assert line["opening"]["facts"] == OPENING.facts
    found = line["result"]
    assert (found["game"], found["goals"], found["steps"]) == ("hex", [100, 0], 5)
    assert found["players"] == ["mcts 0.1.0+1", "Sancho 1.61c"]
    assert found["errors"] == [[], ["0 TO", "4 IL noop"]]


def test_what_was_played_is_known_again(path: Path) -> None:
    with opened(path) as file:
        assert file.results == [FIRST, SECOND]


def test_what_a_crash_left_is_played_again(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with opened(path) as file:
        assert file.results == [FIRST]
        file.append(SECOND)
    assert path.read_bytes() == whole


def test_other_clocks_and_other_versions_are_other_matches(path: Path) -> None:
    with opened(path, replace(IDENTITY, play_clock=7)) as file:
        assert file.results == []
    with opened(path, version="2") as file:
        assert file.results == []
        file.append(FIRST)
    with opened(path) as file:
        assert file.results == [FIRST, SECOND]
    players = [match.result.players[0] for match in read_ladder(path.parent)]
    assert players == ["mcts 0.1.0+1", "Sancho 1.61c", "mcts 0.1.0+2"]


def test_two_processes_cannot_add_to_one_file(path: Path) -> None:
    with opened(path), pytest.raises(TournamentError, match="in use"), opened(path):
        pass


def test_what_is_no_match_is_named(path: Path) -> None:
    path.write_text(path.read_text() + '{"date": 1}\n')
    sentence = f"{path}, line 3, is no match of a ladder: date: "
    with pytest.raises(LabError, match=re.escape(sentence)):
        read_ladder(path.parent)
    with pytest.raises(LabError, match=re.escape(sentence)), opened(path):
        pass


DECIDED = """
(role a) (role b) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(legal a left) (legal a right) (legal b noop)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 3)))
(goal a 100) (goal b 0)
"""
"""A game of choices that change nothing."""


def test_an_opening_begins_where_its_moves_lead() -> None:
    made = ladder_openings(CONNECT_FOUR, 2, 5, Plies(4, 4))
    assert len({opening.facts for opening in made}) == len(made) == 2
    for opening, game in made.items():
        assert opening.name == game.name == f"connectFour-{opening.candidate}"
        assert (opening.game, opening.seed, opening.plies) == ("connectFour", 5, (4, 4))
        assert 35 <= opening.value <= 65
        assert game.roles == ("red", "yellow")
        state = list(map(str, gdl.interpret(game.ruleset).initial_state()))
        assert sum("red" in fact or "yellow" in fact for fact in state) >= 4
        assert gdl.parse(str(game.ruleset)).rules == game.ruleset.rules


def test_openings_follow_from_the_seed() -> None:
    first = ladder_openings(TIC_TAC_TOE, 2, 1, Plies(1, 2))
    assert ladder_openings(TIC_TAC_TOE, 2, 1, Plies(1, 2)).keys() == first.keys()
    assert ladder_openings(TIC_TAC_TOE, 2, 2, Plies(1, 2)).keys() != first.keys()


def test_there_may_be_fewer_than_asked_for() -> None:
    assert 0 < len(ladder_openings(TIC_TAC_TOE, 100, 0, Plies(1, 1))) < 9


def test_a_game_that_is_decided_has_none() -> None:
    decided = LabGame("decided", DECIDED)
    with pytest.raises(LabError, match="decided has no balanced opening after 1 to 1 plies"):
        ladder_openings(decided, 1, 0, Plies(1, 1))
