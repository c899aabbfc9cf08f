"""Unions of moves that are found from the moves made are those that the gates compute."""

from __future__ import annotations

import numpy as np
import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.engine import block
from gdl.engine.kernels import find_move_unions
from tests.support.paths import ROOT

PICKS = f"""
    (role red) (role blue) {" ".join(f"(n {i})" for i in range(7))} (init (at 1)) (init (lit 2))
    (<= (legal red (take ?x ?y ?z)) (n ?x) (n ?y) (n ?z) (not (true (lit ?z))))
    (<= (legal blue (take ?x ?y ?z)) (n ?x) (n ?y) (n ?z) (true (at ?x)))
    (<= (next (at ?x)) (does ?r (take ?x ?y ?z)))
    (<= (next (at ?x)) (true (at ?x)) (not (twice ?x)))
    (<= (twice ?x) (does red (take ?y ?x ?x)))
    (<= (next (lit ?y)) (does red (take ?x ?y ?z)) (true (at ?z)))
    (<= (next (lit ?z)) (true (lit ?z)) (not (hit ?z)))
    (<= (hit ?z) (does blue (take ?x ?y ?z)))
    (<= terminal (true (lit 0)) (true (lit 6)))
"""


@pytest.mark.parametrize(
    ("text", "words"), [(PICKS, 1), ((ROOT / "games" / "connectFour.kif").read_text(), 8)]
)
def test_a_step_is_the_same(text: str, words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    options = CompileOptions(words=words)
    plain = gdl.compile(gdl.parse(text), options)
    monkeypatch.setattr(block, "MAX_CODE_GATES", 0)
    united = gdl.compile(gdl.parse(text), options)
    found = find_move_unions(united.engine.layout)
    assert found is not None
    assert len(found.rest.gates) < len(united.engine.layout.transition.gates)
    assert united.engine.transition.function != plain.engine.transition.function
    blocks = [machine.block(seed=3) for machine in (plain, united)]
    for each in blocks:
        each.reset()
    for _ in range(12):
        first, second = (each.step() for each in blocks)
        assert np.array_equal(first, second)
        assert np.array_equal(blocks[0].states(), blocks[1].states())
        for each in blocks:
            each.view()


def test_lanes_without_a_move_are_those_of_the_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = gdl.compile(gdl.parse(PICKS))
    monkeypatch.setattr(block, "MAX_CODE_GATES", 0)
    united = gdl.compile(gdl.parse(PICKS))
    chance = np.random.default_rng(1)
    count = sum(plain.engine.layout.move_counts)
    moves = (chance.random((512, count)) < 2 / count).astype(np.uint8)
    found = []
    for machine in (plain, united):
        each = machine.block()
        each.reset()
        each.move(moves)
        found.append(each.states())
    assert np.array_equal(found[0], found[1])
