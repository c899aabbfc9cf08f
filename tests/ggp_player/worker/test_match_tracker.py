"""The match tracker applies the joint moves received, whatever they are."""

import sys

import pytest

import gdl
from gdl.engine.machine import PropnetStateMachine
from gdl.grounding import gringo
from gdl.grounding.gringo import GroundingBudget
from ggp_player.errors import UnplayableError
from ggp_player.events import ObservedStep
from ggp_player.protocol.dialects.dresden import DID_RULE
from ggp_player.worker import compiling, match_tracker
from ggp_player.worker.match_tracker import MatchTracker
from tests.support.full_disk import full_disk
from tests.support.grounding import run_gringo
from tests.support.slow_compiler import SlowCompiler

PUZZLE = """
(role you) (init (at 1)) (succ 1 2) (succ 2 3)
(legal you go) (legal you (jump 2))
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n) (does you go))
(<= (next (at 3)) (does you (jump 2)))
(<= terminal (true (at 3)))
(<= (goal you 100) (true (at 3)))
"""


def facts(tracker: MatchTracker) -> set[str]:
    return set(map(str, tracker.state))


def moves(tracker: MatchTracker) -> list[str]:
    return [str(move) for move in tracker.legal_moves]


def test_a_match_from_beginning_to_end(fields: str) -> None:
    tracker = MatchTracker(fields, "Oscar")
    assert (tracker.turn, moves(tracker)) == (0, ["noop"])
    tracker.apply_moves(["(claim 3)", "noop"])
    assert (tracker.turn, sorted(moves(tracker))) == (1, ["(claim 1)", "(claim 2)"])
    tracker.apply_moves(["noop", "(claim 1)"])
    assert not tracker.is_over
    tracker.apply_moves(["(claim 2)", "noop"])
    assert tracker.is_over
    assert moves(tracker) == []
    assert tracker.goals == {"xena": 100, "Oscar": 0}


def test_case_makes_no_difference(fields: str) -> None:
    tracker = MatchTracker(fields, "OSCAR")
    assert str(tracker.role) == "Oscar"
    tracker.apply_moves(["(CLAIM 3)", "NOOP"])
    assert "(has xena 3)" in facts(tracker)


def test_an_unknown_role(fields: str) -> None:
    with pytest.raises(UnplayableError, match="one of the roles xena, Oscar; found judge"):
        MatchTracker(fields, "judge")


def test_rules_that_cannot_be_read() -> None:
    with pytest.raises(gdl.GdlError, match="never closed"):
        MatchTracker("(role x", "x")


def test_an_illegal_joint_move_is_logged_and_applied(
    fields: str, caplog: pytest.LogCaptureFixture
) -> None:
    tracker = MatchTracker(fields, "Oscar")
    tracker.apply_moves(["noop", "(claim 1)"])
    assert "(has Oscar 1)" in facts(tracker)
    assert "turn 1: noop of xena is illegal here, applied" in caplog.text
    assert "turn 1: (claim 1) of Oscar is illegal here, applied" in caplog.text


def test_the_same_joint_move_again_is_not_applied_where_it_is_illegal(
    fields: str, caplog: pytest.LogCaptureFixture
) -> None:
    tracker = MatchTracker(fields, "Oscar")
    tracker.apply_moves(["(claim 3)", "noop"])
    state = tracker.state
    tracker.apply_moves(["(claim 3)", "noop"])
    assert (tracker.turn, tracker.state) == (2, state)
    assert "illegal here, not applied: (claim 3) noop" in caplog.text


def test_a_joint_move_of_the_wrong_length(fields: str, caplog: pytest.LogCaptureFixture) -> None:
    tracker = MatchTracker(fields, "Oscar")
    state = tracker.state
    tracker.apply_moves(["none"])
    tracker.apply_moves(["a", "b", "c"])
    assert (tracker.turn, tracker.state) == (2, state)
    assert "expected 2 moves, found 3, not applied: a b c" in caplog.text


@pytest.mark.parametrize("texts", [["go"], ["GO"]])
def test_a_lone_move(texts: list[str]) -> None:
    tracker = MatchTracker(PUZZLE, "you")
    tracker.apply_moves(texts)
    assert facts(tracker) == {"(at 2)"}


@pytest.mark.parametrize("texts", [["(jump 2)"], ["jump", "2"]])
def test_a_lone_move_with_arguments_may_come_without_its_list(texts: list[str]) -> None:
    tracker = MatchTracker(PUZZLE, "you")
    tracker.apply_moves(texts)
    assert tracker.is_over


def test_a_lone_word_that_is_no_move_means_no_move() -> None:
    tracker = MatchTracker(PUZZLE, "you")
    tracker.apply_moves(["none"])
    assert facts(tracker) == {"(at 1)"}


@pytest.fixture
def warm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "is_warm", lambda: True)


def test_rules_compiled_in_the_middle_of_a_match_are_taken_over(
    fields: str, warm: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    monkeypatch.setattr(compiling, "BackgroundCompiler", SlowCompiler)
    monkeypatch.setattr(SlowCompiler, "is_done", False)
    tracker = MatchTracker(fields, "xena", compile_seconds=0.0)
    assert "the rules are interpreted until they are compiled: not after 0.0 s" in caplog.text
    assert not isinstance(tracker.machine, PropnetStateMachine)
    tracker.apply_moves(["(claim 1)", "noop"])
    before = set(map(str, tracker.state))
    assert not tracker.use_compiled_rules()
    monkeypatch.setattr(SlowCompiler, "is_done", True)
    assert tracker.use_compiled_rules()
    assert "turn 1: the rules are compiled after 7.0 s" in caplog.text
    assert not tracker.use_compiled_rules(), "it is no news any more"
    assert isinstance(tracker.machine, PropnetStateMachine)
    assert set(map(str, tracker.state)) == before
    assert [str(move) for move in tracker.legal_moves] == ["noop"]
    tracker.apply_moves(["noop", "(claim 2)"])
    assert [str(move) for move in tracker.legal_moves] == ["(claim 3)"]


def test_rules_compiled_in_time_are_used_from_the_start(
    fields: str, warm: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    tracker = MatchTracker(fields, "xena", compile_seconds=600.0)
    assert isinstance(tracker.machine, PropnetStateMachine)
    assert "the rules are compiled from the start" in caplog.text
    assert not tracker.use_compiled_rules()


def test_the_log_says_that_there_is_no_engine_before_the_warm_up(
    fields: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compiling, "is_warm", lambda: False)
    caplog.set_level("INFO")
    tracker = MatchTracker(fields, "xena", compile_seconds=600.0)
    assert not isinstance(tracker.machine, PropnetStateMachine)
    assert "the rules are interpreted: the warm-up of the engine is not done" in caplog.text


@pytest.mark.skipif(sys.platform == "win32", reason="it cannot limit files")
def test_rules_are_interpreted_where_the_disk_is_full(
    fields: str, warm: None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gringo, "_run_gringo", run_gringo)  # which has to write a file
    with caplog.at_level("INFO"), full_disk(100):
        tracker = MatchTracker(fields, "xena", compile_seconds=600.0)
    assert not tracker.use_compiled_rules()
    assert "interpreted for the whole match: [Errno 27] File too large" in caplog.text
    assert len(tracker.legal_moves) == 3


def test_rules_that_cannot_be_compiled_stay_as_they_are(
    fields: str, warm: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compiling, "COMPILE_BUDGET", GroundingBudget(rules=1))
    with caplog.at_level("INFO"):
        tracker = MatchTracker(fields, "xena", compile_seconds=600.0)
    assert not tracker.use_compiled_rules()
    assert "interpreted for the whole match: grounding makes over 1 rules" in caplog.text
    assert len(tracker.legal_moves) == 3


SHELLS = """
(role random) (role you) (role rival) (init hidden) (shell 1) (shell 2) (shell 3)
(<= (legal random (hide ?s)) (shell ?s) (true hidden))
(<= (legal random noop) (not (true hidden)))
(<= (legal you (ask ?s)) (shell ?s))
(legal rival noop)
(<= (sees you yes) (does you (ask ?s)) (true (at ?s)))
(<= (sees you no) (does you (ask ?s)) (not (true (at ?s))) (not (true hidden)))
(<= (next (at ?s)) (does random (hide ?s)))
(<= (next (at ?s)) (true (at ?s)))
(<= (next (asked ?s)) (does you (ask ?s)) (not (true hidden)))
(<= (next (asked ?s)) (true (asked ?s)))
(<= terminal (true (at ?s)) (true (asked ?s)))
(<= (goal ?r 50) (role ?r))
"""


def test_the_states_that_agree_with_what_was_seen() -> None:
    tracker = MatchTracker(SHELLS, "you")
    assert tracker.knows_the_state
    tracker.apply_observation("(ask 1)", [])
    assert not tracker.knows_the_state
    tracker.apply_observation("(ask 2)", ["no"])
    assert not facts(tracker) & {"(at 2)"}
    tracker.apply_observation("(ask 1)", ["no"])
    assert (tracker.turn, tracker.is_over) == (3, False)
    assert "(at 3)" in facts(tracker)
    assert tracker.knows_the_state
    assert moves(tracker) == ["(ask 1)", "(ask 2)", "(ask 3)"]


def test_a_move_that_the_percepts_contradict_was_another(caplog: pytest.LogCaptureFixture) -> None:
    tracker = MatchTracker(SHELLS, "you")
    tracker.apply_step(ObservedStep("(ask 9)", ()))
    assert "step 1: our move was not (ask 9)" in caplog.text
    assert len([fact for fact in facts(tracker) if fact.startswith("(at ")]) == 1
    assert tracker.turn == 1


def test_percepts_that_cannot_be_are_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    tracker = MatchTracker(SHELLS, "you")
    tracker.apply_observation("(ask 1)", ["thunder"])
    assert "no state explains" in caplog.text
    assert (tracker.turn, moves(tracker)) == (1, ["(ask 1)", "(ask 2)", "(ask 3)"])


def test_a_step_that_was_missed() -> None:
    tracker = MatchTracker(SHELLS, "you")
    tracker.apply_step(ObservedStep(missed=True))
    assert (tracker.turn, tracker.knows_the_state) == (1, False)
    assert moves(tracker) == ["(ask 1)", "(ask 2)", "(ask 3)"]


@pytest.mark.parametrize("rules_say_so", [False, True])
def test_percepts_that_tell_all_moves(fields: str, rules_say_so: bool) -> None:
    tracker = MatchTracker(fields + (DID_RULE if rules_say_so else ""), "Oscar")
    seen = ["(DID OSCAR NOOP)", "(did xena (claim 3))"]
    tracker.apply_step(ObservedStep(None, tuple(seen)))
    assert tracker.knows_the_state
    assert "(has xena 3)" in facts(tracker)
    assert tracker.last_joint_move == ("(claim 3)", "noop")


def test_a_list_of_moves_or_percepts_is_what_the_rules_make_it() -> None:
    moves_told, percepts_told = MatchTracker(SHELLS, "you"), MatchTracker(SHELLS, "you")
    moves_told.apply_step(ObservedStep(None, ("(hide 2)", "(ask 1)", "noop"), may_be_moves=True))
    assert (moves_told.knows_the_state, "(at 2)" in facts(moves_told)) == (True, True)
    percepts_told.apply_step(ObservedStep("(ask 1)", (), may_be_moves=True))
    percepts_told.apply_step(ObservedStep("(ask 3)", ("yes",), may_be_moves=True))
    assert "(at 3)" in facts(percepts_told)
    assert percepts_told.is_over


def test_too_many_states_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_tracker, "MAX_JOINT_MOVES", 2)
    tracker = MatchTracker(SHELLS, "you")
    tracker.apply_observation("(ask 1)", [])
    assert not tracker.knows_the_state
    assert moves(tracker) == ["(ask 1)", "(ask 2)", "(ask 3)"]


def test_a_search_knows_what_the_match_hides(warm: None) -> None:
    tracker = MatchTracker(SHELLS, "you", compile_seconds=600.0, is_for_search=True)
    assert tracker.belief is not None
    assert tracker.belief.is_known
    tracker.apply_observation("(ask 1)", [])
    assert len(tracker.belief.states) == 3
    assert isinstance(tracker.machine, PropnetStateMachine)


def test_nothing_is_hidden_where_all_moves_are_told(fields: str) -> None:
    told = MatchTracker(SHELLS, "you")
    told.apply_moves(["(hide 2)", "(ask 1)", "noop"])
    assert told.belief is None
    assert MatchTracker(fields, "xena").belief is None
