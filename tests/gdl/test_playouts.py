"""Playouts follow the rules and their seed; traces of them are what another evaluator gives."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

import gdl
from gdl import StateMachine
from gdl.playouts import Ending, Step, play_out, randomness
from gdl.reports.traces import MAX_FACTS, MAX_MOVES, has_percepts, header, trace_line
from tests.support.paths import ROOT

CORPUS = ROOT.parent / "shared" / "corpus"

COUNTING = """
(role a) (role b) (init (at 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(legal a go) (legal b wait) (<= (legal b stay) (true (at 1)))
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
(<= terminal (true (at 3)))
(goal a 100) (goal b 0) (<= (goal b 50) (true (at 3)))
"""


def machine_of(text: str) -> StateMachine:
    return gdl.interpret(gdl.parse(text))


def test_a_playout_goes_from_the_initial_state_to_a_terminal_one() -> None:
    machine = machine_of(COUNTING)
    steps = list(play_out(machine, randomness(1, 0)))
    assert [step.number for step in steps] == [0, 1, 2, 3]
    assert [[str(fact) for fact in step.state] for step in steps] == [
        ["(at 0)"],
        ["(at 1)"],
        ["(at 2)"],
        ["(at 3)"],
    ]
    assert [step.ending for step in steps] == [None, None, None, Ending.TERMINAL]
    assert [len(step.options[1]) for step in steps[:-1]] == [1, 2, 1]
    assert (steps[-1].options, steps[-1].joint_move) == ((), None)


@pytest.mark.parametrize("name", ["ticTacToe", "tron", "kalah"])
def test_moves_are_legal_and_lead_to_the_next_state(name: str) -> None:
    machine = gdl.interpret(gdl.load(ROOT / "games" / f"{name}.kif"))
    steps = list(play_out(machine, randomness(3, 1), 20))
    for step, following in pairwise(steps):
        assert step.joint_move is not None
        for role, move, options in zip(machine.roles, step.joint_move, step.options, strict=True):
            assert options == machine.legal_moves(step.state, role)
            assert move in options
        assert following.state == machine.next_state(step.state, step.joint_move)


def test_a_playout_stops_at_the_step_limit() -> None:
    machine = machine_of(COUNTING)
    steps = list(play_out(machine, randomness(1, 0), 2))
    assert [step.ending for step in steps] == [None, None, Ending.STEP_LIMIT]
    assert steps[-1].joint_move is None
    assert list(play_out(machine, randomness(1, 0), 0)) == [
        Step(0, machine.initial_state(), steps[0].options, ending=Ending.STEP_LIMIT)
    ]


def test_a_playout_stops_where_a_role_has_no_move() -> None:
    machine = machine_of("(role a) (role b) (legal a go) (<= terminal (true end))")
    (step,) = play_out(machine, randomness(1, 0))
    assert step.ending is Ending.NO_MOVE
    assert [len(options) for options in step.options] == [1, 0]


def test_one_seed_gives_one_playout() -> None:
    machine = gdl.interpret(gdl.load(ROOT / "games" / "connectFour.kif"))

    def moves(seed: int, number: int) -> list[object]:
        return [step.joint_move for step in play_out(machine, randomness(seed, number))]

    assert moves(5, 0) == moves(5, 0)
    assert moves(5, 0) != moves(5, 1)
    assert moves(5, 0) != moves(6, 0)


# ---------------------------------------------------------------------- traces


def digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode("latin-1")).hexdigest()


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
        "state_sha256": digest("(at 1)"),
        "terminal": False,
        "goals": {"a": ["100"], "b": ["0"]},
        "legals": {
            "a": {"n": 1, "sha256": digest("go"), "moves": ["go"]},
            "b": {"n": 2, "sha256": digest("stay", "wait"), "moves": ["stay", "wait"]},
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


def test_large_sets_are_told_by_number_and_digest() -> None:
    facts = "".join(f"(init (f {n:03}))" for n in range(MAX_FACTS + 1))
    moves = "".join(f"(legal a (m {n:03}))" for n in range(MAX_MOVES + 1))
    machine = machine_of(f"(role a) {facts} {moves}")
    (step,) = play_out(machine, randomness(1, 0), 0)
    line = trace_line(machine, 0, step, percepts=False)
    assert (line["state"], line["state_n"]) == (None, MAX_FACTS + 1)
    assert line["state_sha256"] == digest(*(f"(f {n:03})" for n in range(MAX_FACTS + 1)))
    expected = digest(*(f"(m {n:03})" for n in range(MAX_MOVES + 1)))
    assert line["legals"] == {"a": {"n": MAX_MOVES + 1, "sha256": expected}}


def test_the_header_names_game_roles_and_oracle() -> None:
    machine = machine_of(COUNTING)
    expected = {"game": "counting", "roles": ["a", "b"], "oracle": "gdl reasoner"}
    assert header("counting", machine) == expected


def test_games_with_percepts_are_recognised() -> None:
    assert has_percepts(gdl.parse("(role a) (<= (sees a ?x) (true ?x))"))
    assert not has_percepts(gdl.parse(COUNTING))


def corpus_traces() -> list[Any]:
    names = ["ticTacToe", "montyhall", "meier", "kriegTTT_4x4", "hanoi", "maze", "tron_10x10"]
    return [pytest.param(name, id=name) for name in names]


@pytest.mark.corpus
@pytest.mark.parametrize("name", corpus_traces())
def test_lines_are_those_of_another_oracle(name: str) -> None:
    ruleset = gdl.load(CORPUS / "rulesheets" / f"{name}.kif")
    machine = gdl.interpret(ruleset)
    first, *lines = read_trace(name)
    assert lower(header(name, machine))["roles"] == first["roles"]
    for expected, step in zip(lines, replayed(machine, lines), strict=True):
        line = trace_line(machine, expected["playout"], step, has_percepts(ruleset))
        assert lower(line) == expected


def read_trace(name: str) -> list[Any]:
    with gzip.open(CORPUS / "traces" / f"{name}.trace.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


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
