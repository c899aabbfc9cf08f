"""Traces of playouts are what another evaluator writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import gdl
from gdl import StateMachine
from gdl.playouts import Step, play_out, randomness
from gdl.reports.traces import MAX_SHOWN_FACTS, MAX_SHOWN_MOVES, header, trace_line
from tests.support.paths import CORPUS
from tests.support.tiny_games import COUNTING, machine_of
from tests.support.traces import SUFFIX, digest, read_trace


def test_a_trace_line_has_everything_about_a_state() -> None:
    machine = machine_of(COUNTING)
    _, step, *_ = play_out(machine, randomness(1, 0))
    line = trace_line(machine, 4, step, percepts=True)
    assert step.joint_move is not None
    assert line == {
        "playout": 4,
        "step": 1,
        "state": ["(at 1)"],
        "state_n": 1,
        "state_sha256": digest(["(at 1)"]),
        "terminal": False,
        "goals": {"a": ["100"], "b": ["0"]},
        "legals": {
            "a": {"n": 1, "sha256": digest(["go"]), "moves": ["go"]},
            "b": {"n": 2, "sha256": digest(["stay", "wait"]), "moves": ["stay", "wait"]},
        },
        "moves": [str(move) for move in step.joint_move],
        "sees": {"a": [], "b": []},
    }


def test_the_last_line_has_no_moves_and_all_goal_values() -> None:
    machine = machine_of(COUNTING)
    *_, step = play_out(machine, randomness(1, 0))
    line = trace_line(machine, 0, step, percepts=True)
    assert line["terminal"] is True
    assert line["goals"] == {"a": ["100"], "b": ["0", "50"]}
    assert line["legals"]["a"]["moves"] == ["go"]
    assert line.keys().isdisjoint({"moves", "sees"})


def test_large_sets_are_given_by_number_and_digest() -> None:
    facts = "".join(f"(init (f {n:03}))" for n in range(MAX_SHOWN_FACTS + 1))
    moves = "".join(f"(legal a (m {n:03}))" for n in range(MAX_SHOWN_MOVES + 1))
    machine = machine_of(f"(role a) {facts} {moves}")
    (step,) = play_out(machine, randomness(1, 0), 0)
    line = trace_line(machine, 0, step, percepts=False)
    assert (line["state"], line["state_n"]) == (None, MAX_SHOWN_FACTS + 1)
    assert line["state_sha256"] == digest(f"(f {n:03})" for n in range(MAX_SHOWN_FACTS + 1))
    expected = digest(f"(m {n:03})" for n in range(MAX_SHOWN_MOVES + 1))
    assert line["legals"] == {"a": {"n": MAX_SHOWN_MOVES + 1, "sha256": expected}}


def test_the_header_names_game_roles_and_oracle() -> None:
    machine = machine_of(COUNTING)
    expected = {"game": "counting", "roles": ["a", "b"], "oracle": "gdl reasoner"}
    assert header("counting", machine) == expected


def test_games_with_percepts_are_recognised() -> None:
    assert gdl.parse("(role a) (<= (sees a ?x) (true ?x))").has_percepts
    assert not gdl.parse(COUNTING).has_percepts


def corpus_traces() -> list[Any]:
    names = ["ticTacToe", "montyhall", "meier", "kriegTTT_4x4", "hanoi", "maze", "tron_10x10"]
    return [pytest.param(name, id=name) for name in names]


@pytest.mark.corpus
@pytest.mark.parametrize("name", corpus_traces())
def test_lines_are_those_of_another_oracle(name: str) -> None:
    ruleset = gdl.load(CORPUS / "rulesheets" / f"{name}.kif")
    machine = gdl.interpret(ruleset)
    first, *lines = read_trace(CORPUS / "traces" / f"{name}{SUFFIX}")
    assert lower(header(name, machine))["roles"] == first["roles"]
    for expected, step in zip(lines, replayed(machine, lines), strict=True):
        line = trace_line(machine, expected["playout"], step, ruleset.has_percepts)
        assert lower(line) == expected


def replayed(machine: StateMachine, lines: list[Any]) -> Iterator[Step]:
    """Yield the steps of a trace's playouts, made with its moves."""
    state = machine.initial_state()
    for line in lines:
        if line["step"] == 0:
            state = machine.initial_state()
        moves = tuple(map(gdl.parse_term, line["moves"])) if "moves" in line else None
        yield Step(line["step"], state, joint_move=moves)
        if moves is not None:
            state = machine.next_state(state, moves)


def lower(value: object) -> Any:
    return json.loads(json.dumps(value).lower())
