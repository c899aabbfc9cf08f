"""What is shown of a circuit is what it is."""

from __future__ import annotations

import re
from itertools import count
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

import gdl
from gdl.__main__ import main
from gdl.circuit.compiler import CompiledGame, compile_game
from gdl.circuit.options import PASS_NAMES, CompileOptions
from gdl.grounding.gringo import GroundingBudget
from gdl.reports.circuit_diagram import draw_circuit
from gdl.reports.circuit_report import circuit_lines, measure_stages
from gdl.reports.diagrams import Diagram, dot_text, svg_text
from tests.support.paths import GAMES

SWITCH = """
(role a) (role b) (init (lamp 1)) (init never) (legal a flip) (legal a wait) (legal b wait)
(<= (next (lamp 1)) (does a flip) (not (true (lamp 1))))
(<= (next (lamp 1)) (does a wait) (true (lamp 1)))
(<= (next never) (true never) (does a wait))
(<= terminal (not (true (lamp 1))) (not (true never2)))
(<= (goal a 100) (true (lamp 1))) (<= (goal a 0) (not (true (lamp 1)))) (goal b 50)
"""


def parts_of(text: str) -> CompiledGame:
    return compile_game(gdl.parse(text), CompileOptions())


def test_figures() -> None:
    *others, transition, cycles = circuit_lines(parts_of(SWITCH))
    assert others == [
        "moves: a 2, b 1",
        "facts: 2, 1 of which can never matter",
        "view: 0 gates, depth 0",
    ]
    gates, depth = map(int, re.findall(r"\d+", transition))
    assert transition == f"transition: {gates} gates, depth {depth}"
    assert gates >= depth > 0
    assert cycles == "cycles: 0"


def test_cycles_are_counted() -> None:
    text = SWITCH + (
        "(<= (path ?x ?y) (true (lamp ?x)) (edge ?x ?y)) (edge 1 2) (edge 2 1)"
        "(<= (path ?x ?z) (path ?x ?y) (edge ?y ?z) (not (true never)))"
        "(<= (path ?x ?z) (path ?z ?x) (true never) (edge ?x ?z)) (<= (goal a 20) (path 2 2))"
    )
    assert "cycles: 1" in circuit_lines(parts_of(text))


COUNTER = """
(role a) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal a go) (legal a wait)
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (does a go))
(<= (next (at ?x)) (true (at ?x)) (does a wait))
(<= terminal (true (at 3))) (goal a 100)
"""


def test_a_stage_for_each_pass() -> None:
    ticks = count()
    ruleset = gdl.parse(COUNTER)
    stages = list(measure_stages(ruleset, GroundingBudget(), clock=lambda: float(next(ticks))))
    assert [stage.name for stage in stages] == ["none", *PASS_NAMES]
    *_, view, transition, _ = circuit_lines(compile_game(ruleset, CompileOptions()))
    assert view.startswith(f"view: {stages[-1].view_gates} gates,")
    assert transition.startswith(f"transition: {stages[-1].transition_gates} gates,")
    assert all(stage.failure is None and stage.ground_rules > 0 for stage in stages)
    assert all((stage.ground_seconds, stage.build_seconds) == (1, 1) for stage in stages)


@pytest.mark.thorough
def test_stages_of_a_game_that_is_too_large_to_ground() -> None:
    stages = list(measure_stages(gdl.load(GAMES / "connectFour.kif"), GroundingBudget(rules=10)))
    assert len(stages) == 1 + len(PASS_NAMES)
    assert all("over 10 rules" in (stage.failure or "") for stage in stages)


# ---------------------------------------------------------------------- diagrams


def evaluate(diagram: Diagram, given: dict[str, bool]) -> dict[str, bool]:
    """Return the value of every box by its text, as somebody who reads the diagram would."""
    values: dict[str, bool] = {}

    def value(key: str) -> bool:
        box = diagram.boxes[key]
        if key not in values:
            read = [value(other) ^ no for other, no in diagram.arrows[key].items()]
            if box.label in given:
                values[key] = given[box.label]
            else:
                values[key] = any(read) if box.label in ("or", "false") else all(read)
        return values[key]

    return {box.label: value(key) for key, box in diagram.boxes.items()}


@pytest.mark.parametrize("name", ["ticTacToe", "lightsOut", "phantomTicTacToe", "fourCups"])
def test_a_diagram_says_what_the_machine_says(name: str) -> None:
    ruleset = gdl.load(GAMES / f"{name}.kif")
    machine, diagram = (
        gdl.interpret(ruleset),
        draw_circuit(compile_game(ruleset, CompileOptions())),
    )
    state = machine.initial_state()
    for step in range(6):
        if machine.is_terminal(state):
            break
        moves = [machine.legal_moves(state, role) for role in machine.roles]
        chosen = [own[step % len(own)] for own in moves]
        given = {
            box.label: False
            for box in diagram.boxes.values()
            if box.label.startswith(("true ", "does "))
        }
        given |= {f"true {fact}": True for fact in state}
        given |= {f"does {r} {m}": True for r, m in zip(machine.roles, chosen, strict=True)}
        found = evaluate(diagram, given)
        after = machine.next_state(state, chosen)
        held = {name for name, value in found.items() if value}
        assert {n for n in held if n.startswith("next ")} == {f"next {fact}" for fact in after}
        legal = zip(machine.roles, moves, strict=True)
        assert {n for n in held if n.startswith("legal ")} == {
            f"legal {role} {move}" for role, own in legal for move in own
        }
        assert found["terminal"] == machine.is_terminal(state)
        state = after


def test_a_picture_has_every_label() -> None:
    diagram = draw_circuit(parts_of(SWITCH))
    root = ElementTree.fromstring(svg_text(diagram, "switch"))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(map(str, texts)) == sorted(box.label for box in diagram.boxes.values())


def test_dot_text_has_every_arrow() -> None:
    diagram = draw_circuit(parts_of(SWITCH))
    assert dot_text(diagram, "switch").count(" -> ") == len(list(diagram.all_arrows()))
    assert 'label="next (lamp 1)"' in dot_text(diagram, "switch")


def test_large_circuits_are_not_drawn() -> None:
    parts = compile_game(gdl.load(GAMES / "connectFour.kif"), CompileOptions())
    with pytest.raises(gdl.ResourceLimitError, match="gates; one of over 500 is not drawn"):
        draw_circuit(parts)


def test_the_command() -> None:
    game = str(GAMES / "ticTacToe.kif")
    result = CliRunner().invoke(main, ["show", game, "--circuit"])
    assert result.exit_code == 0
    assert "moves: cross 10, nought 10\n" in result.output
    assert all(name.replace("_", " ") in result.output for name in PASS_NAMES)
    assert max(map(len, result.output.splitlines())) <= 80


def test_the_command_draws() -> None:
    game = str(GAMES / "ticTacToe.kif")
    result = CliRunner().invoke(main, ["show", game, "--circuit", "--format", "svg"])
    assert ElementTree.fromstring(result.output).tag.endswith("svg")
    assert "legal nought (put c3)" in result.output
