from __future__ import annotations

import pytest

import gdl
from gdl.drawing import Rendering, layout_of
from gdl.state_machine import StateMachine
from tests.support.paths import GAMES

RULES = gdl.load(GAMES / "ticTacToe.kif")


@pytest.mark.parametrize("make", [gdl.interpret, gdl.compile])
def test_every_machine_renders_its_states(make) -> None:
    machine: StateMachine = make(RULES)
    first = machine.initial_state()
    drawn = make(RULES).render(first)
    assert isinstance(drawn, Rendering)
    assert str(drawn) == drawn.text.rstrip("\n")
    assert drawn._repr_svg_() == drawn.svg
    assert '<title id="title">ticTacToe</title>' in drawn.svg
    assert str(drawn).splitlines()[0] == "turn: cross"


def test_a_rendering_with_the_state_before_marks_what_changed() -> None:
    machine = gdl.interpret(RULES)
    first = machine.initial_state()
    after = machine.next_state(first, [gdl.parse_term("(put b2)"), gdl.parse_term("noop")])
    assert machine.render(after, first).svg.count('class="cell new"') == 1
    assert machine.render(after).svg.count('class="cell new"') == 0


def test_layouts_are_remembered() -> None:
    assert layout_of(RULES) is layout_of(gdl.load(GAMES / "ticTacToe.kif"))
