"""The oracle answers as the machines do, and whatever is asked, with an answer."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl.oracle.limits import Limits
from gdl.oracle.requests import METHODS
from gdl.oracle.session import Session
from gdl.playouts import play_out, randomness
from tests.support.compiled_games import SMALL
from tests.support.small_games import game

WIDE = " ".join(f"(value {number})" for number in range(300))
ENDLESS = f"""
(role you) {WIDE} (legal you go) (goal you 0)
(<= (next (many ?a ?b ?c)) (value ?a) (value ?b) (value ?c))
(<= terminal (true (many ?a ?a ?a)))
"""
"""Rules whose next state has too many facts to be computed in time."""

NIM = game("nim")


def session(**limits: Any) -> Session:
    return Session(Limits(**limits))


def result(method: str, oracle: Session | None = None, /, **request: Any) -> Any:
    answer = (oracle or session()).answer({"method": method, **request})
    assert "error" not in answer, answer
    return answer["result"]


def error(method: str, oracle: Session | None = None, /, **request: Any) -> dict[str, Any]:
    answer = (oracle or session()).answer({"method": method, **request})
    assert "result" not in answer
    found: dict[str, Any] = answer["error"]
    assert "Traceback" not in found["message"]
    assert "\n" not in found["message"]
    return found


# ---------------------------------------------------------------------- answers


def test_info_names_methods_and_limits() -> None:
    info = result("info", session(seconds=3))
    assert info["methods"] == METHODS
    assert info["limits"]["seconds"] == 3


def test_a_game_is_kept_under_a_name() -> None:
    oracle = session()
    parsed = result("parse", oracle, rules=NIM)
    assert parsed["roles"] == ["first", "second"]
    by_name = result("position", oracle, game=parsed["game"])
    assert by_name == result("position", session(), rules=NIM)
    assert by_name["state"] == parsed["initial"]


def test_problems_are_told_as_check_tells_them() -> None:
    checked = result("check", rules="(role a)\n(legal a")
    assert checked["playable"] is False
    problems = [(one["code"], one["line"], one["column"]) for one in checked["problems"]]
    assert ("unclosed-parenthesis", 2, 1) in problems
    assert result("check", rules=NIM) == {"playable": True, "problems": []}


@pytest.mark.parametrize("machine", ["reasoner", "propnet"])
@pytest.mark.parametrize(
    "name",
    ["biddingTicTacToe", "kuhnPoker"]
    + [
        pytest.param(name, marks=pytest.mark.thorough)
        for name in SMALL
        if name != "biddingTicTacToe"
    ],
)
def test_answers_are_those_of_the_reasoner(name: str, machine: str) -> None:
    ruleset = gdl.parse(game(name))
    reference, oracle = gdl.interpret(ruleset), session()
    asked = {"rules": game(name), "machine": machine}
    for step in play_out(reference, Random(5), 12):
        facts = sorted(map(str, step.state))
        position = result("position", oracle, state=facts, **asked)
        assert position["state"] == facts
        assert position["terminal"] == reference.is_terminal(step.state)
        for role in reference.roles:
            legal = [str(move) for move in reference.legal_moves(step.state, role)]
            assert position["legal"][str(role)] == legal
            assert position["goals"][str(role)] == reference.goals(step.state, role)
        if step.joint_move is None:
            break
        moves = dict(zip(map(str, reference.roles), map(str, step.joint_move), strict=True))
        after = result("next", oracle, state=facts, joint_move=moves, **asked)
        expected = reference.next_state(step.state, step.joint_move)
        assert after["state"] == sorted(map(str, expected))
        seen = {
            str(role): [str(t) for t in reference.percepts(step.state, step.joint_move, role)]
            for role in reference.roles
        }
        assert after.get("sees", {}) == (seen if any(seen.values()) else {})


def test_a_position_may_be_given_by_moves_and_words_of_any_case() -> None:
    moves = [["(TAKE LEFT 1)", "noop"], {"SECOND": "(take middle 2)", "first": "noop"}]
    legal = [[str(m) for m in own] for own in legal_after(NIM, moves)]
    assert list(result("legal", rules=NIM, moves=moves)["legal"].values()) == legal


def legal_after(text: str, moves: list[Any]) -> list[tuple[gdl.Term, ...]]:
    machine = gdl.interpret(gdl.parse(text))
    state = machine.initial_state()
    for move in moves:
        texts = move if isinstance(move, list) else [move["first"], move["SECOND"]]
        state = machine.next_state(state, [gdl.parse_term(text.lower()) for text in texts])
    return [machine.legal_moves(state, role) for role in machine.roles]


def test_many_states_have_an_answer_each() -> None:
    oracle = session()
    first = result("position", oracle, rules=NIM)
    made = [first["legal"]["first"][i] for i in (0, 3)]
    joint = [[move, "noop"] for move in made]
    states = [first["state"]] * 2
    after = result("next", oracle, rules=NIM, states=states, joint_moves=joint)["answers"]
    for one, moves in zip(after, joint, strict=True):
        assert one == result("next", oracle, rules=NIM, joint_move=moves)
    goals = result("goals", oracle, rules=NIM, states=[one["state"] for one in after])
    assert [goal["terminal"] for goal in goals["answers"]] == [False, False]


@pytest.mark.parametrize("machine", ["reasoner", "propnet"])
def test_perft_counts_from_any_state(machine: str) -> None:
    text = game("ticTacToe")
    asked = {"rules": text, "machine": machine, "depth": 2}
    assert result("perft", **asked) == {"count": 72}
    divided = result("perft", **asked, divide=True)
    assert divided["count"] == 72
    assert [one["count"] for one in divided["divide"]] == [8] * 9
    after = result("next", rules=text, joint_move=divided["divide"][0]["joint_move"])["state"]
    assert result("perft", **asked, state=after) == {"count": 56}


def test_playouts_are_those_of_the_command_with_the_same_seed() -> None:
    machine = gdl.interpret(gdl.parse(NIM))
    expected = [*play_out(machine, randomness(7, 1))]
    told = result("playout", rules=NIM, seed=7, playouts=2, positions=True)["playouts"][1]
    assert told["moves"] == [[*map(str, s.joint_move)] for s in expected if s.joint_move]
    assert told["ending"] == "terminal"
    assert [p["state"] for p in told["positions"]] == [
        sorted(map(str, step.state)) for step in expected[:-1]
    ]
    assert told["state"] == sorted(map(str, expected[-1].state))


# ---------------------------------------------------------------------- what is refused


def test_illegal_moves_are_refused_with_what_is_legal() -> None:
    told = error("next", rules=NIM, joint_move=["(take 9 9)", "noop"])
    assert told["code"] == "illegal_move"
    assert told["message"].startswith(
        "first cannot make the move (take 9 9); legal are (take left 1),"
    )
    assert error("next", rules=NIM, joint_move=["noop"])["code"] == "illegal_move"
    assert error("next", rules=NIM, joint_move={"x": "a", "y": "b"})["code"] == "illegal_move"
    assert error("legal", rules=NIM, moves=[["(take 9 9)", "noop"]])["code"] == "illegal_move"


@pytest.mark.parametrize("machine", ["reasoner", "propnet"])
def test_facts_that_no_state_can_have_are_refused(machine: str) -> None:
    for fact, code in (("(fact nowhere)", "bad_state"), ("(heap", "bad_term"), ("?x", "bad_term")):
        assert error("goals", rules=NIM, machine=machine, state=[fact])["code"] == code


BAD: dict[str, tuple[object, str]] = {
    "no object": (5, "bad_request"),
    "no method": ({}, "bad_request"),
    "an unknown method": ({"method": "fly"}, "bad_request"),
    "a method that is no text": ({"method": ["legal"]}, "bad_request"),
    "neither rules nor game": ({"method": "legal"}, "bad_request"),
    "rules and game": ({"method": "legal", "rules": NIM, "game": "x"}, "bad_request"),
    "a misspelled key": ({"method": "legal", "rules": NIM, "sate": []}, "bad_request"),
    "a depth below zero": ({"method": "perft", "rules": NIM, "depth": -1}, "bad_request"),
    "two positions": (
        {"method": "legal", "rules": NIM, "state": [], "moves": [["a"]]},
        "bad_request",
    ),
    "a missing move": ({"method": "next", "rules": NIM}, "bad_request"),
    "moves for other states": (
        {"method": "next", "rules": NIM, "states": [[]], "joint_moves": []},
        "bad_request",
    ),
    "a game that nobody has sent": ({"method": "legal", "game": "x"}, "unknown_game"),
    "rules that cannot be read": ({"method": "parse", "rules": "(role"}, "bad_rules"),
    "rules without a game": ({"method": "parse", "rules": "(a b)"}, "bad_rules"),
    "rules that are too long": ({"method": "parse", "rules": "; " * 2000}, "too_large"),
    "long rules to check": ({"method": "check", "rules": "; " * 2000}, "too_large"),
    "a nested term": ({"method": "goals", "rules": NIM, "state": ["(f " * 3000]}, "bad_term"),
}


@pytest.mark.parametrize("what", BAD)
def test_mistakes_are_answered_by_a_sentence(what: str) -> None:
    value, code = BAD[what]
    answer = session(rules=3999).answer(value)
    assert answer["error"]["code"] == code
    message = answer["error"]["message"]
    assert message
    assert "\n" not in message
    json.dumps(answer)


def test_half_a_character_can_be_answered() -> None:
    told = result("parse", rules="(role \ud800)")
    assert json.loads(json.dumps(told))["roles"] == ["\ud800"]


def test_rules_that_cannot_be_read_come_with_their_problems() -> None:
    told = error("parse", rules="(role a)\n(legal a")
    assert told["problems"][0]["line"] == 2


# The time may be over while a callback of the test library's own runs, in which no error is raised.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_answer_that_takes_too_long_is_ended_and_the_next_one_is_given() -> None:
    oracle = session(seconds=0.3)
    told = error("next", oracle, rules=ENDLESS, joint_move=["go"])
    assert (told["code"], told["message"]) == (
        "out_of_time",
        "the answer takes longer than 0.3 seconds",
    )
    assert result("legal", oracle, rules=ENDLESS) == {"legal": {"you": ["go"]}}


def test_only_the_latest_games_are_kept() -> None:
    oracle = session(games=2)
    names = [result("parse", oracle, rules=f"{NIM}\n; {number}")["game"] for number in range(3)]
    assert error("legal", oracle, game=names[0])["code"] == "unknown_game"
    result("legal", oracle, game=names[1])
    result("parse", oracle, rules=NIM)
    result("legal", oracle, game=names[1])
    assert error("legal", oracle, game=names[2])["code"] == "unknown_game"


def test_our_own_mistakes_are_told_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("gdl.oracle.session.validate", lambda source: 1 / 0)
    told = error("check", rules=NIM)
    assert told["code"] == "internal"
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize(
    ("raised", "code"), [(MemoryError, "out_of_memory"), (RecursionError, "too_large")]
)
def test_limits_of_the_process_are_told(
    raised: type[Exception], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(source: object) -> None:
        raise raised

    monkeypatch.setattr("gdl.oracle.session.validate", fail)
    assert error("check", rules=NIM)["code"] == code


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["", NIM]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        "id",
        "rules",
        "game",
        "state",
        "states",
        "moves",
        "joint_move",
        "joint_moves",
        "depth",
        "seed",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(METHODS), st.dictionaries(KEYS, VALUES, max_size=4), st.booleans())
def test_anything_is_answered(method: str, request: dict[str, Any], with_rules: bool) -> None:
    rules = {"rules": NIM} if with_rules else {}
    bounded = {"depth": 1} if method == "perft" else {}
    answer = session(seconds=5).answer({**request, **rules, **bounded, "method": method})
    assert len(answer) == 2
    assert ("result" in answer) != ("error" in answer)
    assert answer.get("error", {}).get("code") not in {"internal", "out_of_time"}
    json.dumps(answer)
