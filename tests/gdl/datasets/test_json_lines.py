"""Each recorded state is a line of JSON that says what the machine says."""

from __future__ import annotations

import json

import pytest

from gdl.datasets import Recorder, json_lines
from tests.support.compiled_games import machine_of, reasoner_of


@pytest.mark.parametrize("name", ["ticTacToe", "kuhnPoker", "handDuel", "lightsOut"])
def test_lines_can_be_replayed(name: str) -> None:
    machine, reasoner = machine_of(name), reasoner_of(name)
    recording = Recorder(machine).record(0, seed=2, playouts=4, max_steps=9)
    lines = [json.loads(line) for line in json_lines(machine, recording)]
    assert len(lines) == len(recording)
    assert [line["playout"] for line in lines] == recording.playouts.tolist()
    state = reasoner.initial_state()
    for line in lines:
        if line["step"] == 0:
            state = reasoner.initial_state()
        assert sorted(line["state"]) == sorted(map(str, state))
        assert line["terminal"] == reasoner.is_terminal(state)
        for role in reasoner.roles:
            legal = [str(move) for move in reasoner.legal_moves(state, role)]
            assert line["legal"][str(role)] == legal
            goal = reasoner.goal(state, role) if line["terminal"] else None
            assert line["goals"][str(role)] == goal
        if line["moves"] is None:
            assert "sees" not in line
            continue
        joint = [
            next(m for m in reasoner.legal_moves(state, r) if str(m) == line["moves"][str(r)])
            for r in reasoner.roles
        ]
        if name == "kuhnPoker":
            for role in reasoner.roles:
                seen = [str(term) for term in reasoner.percepts(state, joint, role)]
                assert sorted(line["sees"][str(role)]) == seen
        else:
            assert "sees" not in line
        state = reasoner.next_state(state, joint)
