"""The referee follows the joint moves received, whatever they are."""

import pytest

import gdl
import ggp_player.worker.match_tracker as referee_module
from gdl.engine.machine import PropnetStateMachine
from gdl.grounding.gringo import GroundingBudget
from ggp_player.errors import UnplayableError
from ggp_player.worker import background_compiler as compilation
from ggp_player.worker.match_tracker import MatchTracker
from tests.support.slow_compilation import SlowCompilation

PUZZLE = """
(role you) (init (at 1)) (succ 1 2) (succ 2 3)
(legal you go) (legal you (jump 2))
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n) (does you go))
(<= (next (at 3)) (does you (jump 2)))
(<= terminal (true (at 3)))
(<= (goal you 100) (true (at 3)))
"""


def facts(referee: MatchTracker) -> set[str]:
    return set(map(str, referee.state))


def moves(referee: MatchTracker) -> list[str]:
    return [str(move) for move in referee.legal_moves]


def test_a_match_from_beginning_to_end(fields: str) -> None:
    referee = MatchTracker(fields, "Oscar")
    assert (referee.turn, moves(referee)) == (0, ["noop"])
    referee.follow(["(claim 3)", "noop"])
    assert (referee.turn, sorted(moves(referee))) == (1, ["(claim 1)", "(claim 2)"])
    referee.follow(["noop", "(claim 1)"])
    assert not referee.is_over
    referee.follow(["(claim 2)", "noop"])
    assert referee.is_over
    assert moves(referee) == []
    assert referee.goals == {"xena": 100, "Oscar": 0}


def test_capitals_make_no_difference(fields: str) -> None:
    referee = MatchTracker(fields, "OSCAR")
    assert str(referee.role) == "Oscar"
    referee.follow(["(CLAIM 3)", "NOOP"])
    assert "(has xena 3)" in facts(referee)


def test_an_unknown_role(fields: str) -> None:
    with pytest.raises(UnplayableError, match="one of the roles xena, Oscar; found judge"):
        MatchTracker(fields, "judge")


def test_rules_that_cannot_be_read() -> None:
    with pytest.raises(gdl.GdlError, match="never closed"):
        MatchTracker("(role x", "x")


def test_an_illegal_joint_move_is_remarked_upon_and_followed(
    fields: str, caplog: pytest.LogCaptureFixture
) -> None:
    referee = MatchTracker(fields, "Oscar")
    referee.follow(["noop", "(claim 1)"])
    assert "(has Oscar 1)" in facts(referee)
    assert "turn 1: noop of xena is illegal here, followed" in caplog.text
    assert "turn 1: (claim 1) of Oscar is illegal here, followed" in caplog.text


def test_the_same_joint_move_again_is_not_applied_where_it_is_illegal(
    fields: str, caplog: pytest.LogCaptureFixture
) -> None:
    referee = MatchTracker(fields, "Oscar")
    referee.follow(["(claim 3)", "noop"])
    state = referee.state
    referee.follow(["(claim 3)", "noop"])
    assert (referee.turn, referee.state) == (2, state)
    assert "illegal here, not applied: (claim 3) noop" in caplog.text


def test_a_joint_move_of_the_wrong_length(fields: str, caplog: pytest.LogCaptureFixture) -> None:
    referee = MatchTracker(fields, "Oscar")
    state = referee.state
    referee.follow(["none"])
    referee.follow(["a", "b", "c"])
    assert (referee.turn, referee.state) == (2, state)
    assert "expected 2 moves, found 3, not applied: a b c" in caplog.text


@pytest.mark.parametrize("texts", [["go"], ["GO"]])
def test_a_lone_move(texts: list[str]) -> None:
    referee = MatchTracker(PUZZLE, "you")
    referee.follow(texts)
    assert facts(referee) == {"(at 2)"}


@pytest.mark.parametrize("texts", [["(jump 2)"], ["jump", "2"]])
def test_a_lone_move_with_arguments_may_come_without_its_list(texts: list[str]) -> None:
    referee = MatchTracker(PUZZLE, "you")
    referee.follow(texts)
    assert referee.is_over


def test_a_lone_word_that_is_no_move_means_no_move() -> None:
    referee = MatchTracker(PUZZLE, "you")
    referee.follow(["none"])
    assert facts(referee) == {"(at 1)"}


@pytest.fixture
def warm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee_module, "is_warm", lambda: True)


def test_rules_compiled_in_the_middle_of_a_match_are_taken_over(
    fields: str, warm: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referee_module, "BackgroundCompiler", SlowCompilation)
    monkeypatch.setattr(SlowCompilation, "is_done", False)
    referee = MatchTracker(fields, "xena", compile_seconds=0.0)
    assert not isinstance(referee.machine, PropnetStateMachine)
    referee.follow(["(claim 1)", "noop"])
    before = set(map(str, referee.state))
    assert not referee.adopt()
    monkeypatch.setattr(SlowCompilation, "is_done", True)
    assert referee.adopt()
    assert not referee.adopt(), "it is no news any more"
    assert isinstance(referee.machine, PropnetStateMachine)
    assert set(map(str, referee.state)) == before
    assert [str(move) for move in referee.legal_moves] == ["noop"]
    referee.follow(["noop", "(claim 2)"])
    assert [str(move) for move in referee.legal_moves] == ["(claim 3)"]


def test_rules_compiled_in_time_are_used_from_the_start(fields: str, warm: None) -> None:
    referee = MatchTracker(fields, "xena", compile_seconds=600.0)
    assert isinstance(referee.machine, PropnetStateMachine)
    assert not referee.adopt()


def test_rules_that_cannot_be_compiled_stay_as_they_are(
    fields: str, warm: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compilation, "BUDGET", GroundingBudget(rules=1))
    with caplog.at_level("INFO"):
        referee = MatchTracker(fields, "xena", compile_seconds=600.0)
    assert not referee.adopt()
    assert "over 1 rules" in caplog.text
    assert len(referee.legal_moves) == 3
