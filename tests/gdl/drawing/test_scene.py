from __future__ import annotations

import pytest

import gdl
from gdl.analysis.boards import find_layout
from gdl.drawing import Scene, make_scene
from tests.support.compiled_games import EVERY_GAME, reasoner_of
from tests.support.drawn_games import layout_of_game, states_of, steps_of


def facts_of(scene: Scene) -> list[str]:
    """Every fact that a scene has, as often as it has it."""
    found = [fact for note in (*scene.turn, *scene.counters, *scene.scores) for fact in note.facts]
    found += [*scene.unsaid, *(fact for note in scene.rows for fact in note.facts)]
    for board in scene.boards:
        found += [item.fact for cell in board.cells for item in cell.items]
        found += [line.item.fact for line in board.lines]
        found += [item.fact for items in board.panels.values() for item in items]
    return found


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_fact_is_drawn_once(name: str) -> None:
    for state in states_of(name):
        assert sorted(facts_of(make_scene(layout_of_game(name), state))) == sorted(map(str, state))


@pytest.mark.parametrize("name", ["chess", "connectFour", "kalah", "warehouse"])
def test_changes_are_the_difference_of_two_states(name: str) -> None:
    for before, after in steps_of(name):
        scene = make_scene(layout_of_game(name), after, before)
        items = [item for board in scene.boards for cell in board.cells for item in cell.items]
        gone = [item.fact for board in scene.boards for cell in board.cells for item in cell.gone]
        new = set(map(str, after)) - set(map(str, before))
        assert {item.fact for item in items if item.placed} == {i.fact for i in items} & new
        assert set(gone) <= set(map(str, before)) - set(map(str, after))
        assert new


def test_facts_outside_the_layout_are_in_the_table() -> None:
    layout = layout_of_game("ticTacToe")
    scene = make_scene(layout, [gdl.parse_term("(marked z9 cross)"), gdl.parse_term("surprise")])
    assert [(row.name, row.value) for row in scene.rows] == [
        ("marked", "z9 cross"),
        ("surprise", "yes"),
    ]


def test_stacks_stand_on_what_supports_them() -> None:
    scene = make_scene(layout_of_game("blocksWorld"), reasoner_of("blocksWorld").initial_state())
    spots = {cell.place.key[0]: (cell.place.x, cell.place.y) for cell in scene.boards[0].cells}
    assert spots["c"][0] == spots["a"][0] == spots["e"][0]
    assert spots["c"][1] < spots["a"][1] < spots["e"][1] < spots["table"][1]
    assert len({spots[name][0] for name in "edb"}) == 3


def test_things_in_a_circle_are_drawn_all_the_same() -> None:
    rules = "(role r) (init (on a b)) (init (on b c)) (<= (next (on ?x ?y)) (true (on ?x ?y)))"
    layout = find_layout(gdl.parse(rules))
    state = [gdl.parse_term("(on a b)"), gdl.parse_term("(on b a)")]
    assert sorted(facts_of(make_scene(layout, state))) == ["(on a b)", "(on b a)"]


def test_a_long_line_of_the_table_is_divided_by_its_first_argument() -> None:
    state = reasoner_of("handDuel").initial_state()
    rows = make_scene(layout_of_game("handDuel"), state).rows
    assert [row.name for row in rows] == ["holds left", "holds right"]
    assert rows[0].value == "paper 2; rock 3; scissors 2"


def test_notes_are_in_words_that_people_say() -> None:
    rules = gdl.parse(
        "(role firstPlayer) (role b) (legal b go) (legal firstPlayer go) (init (stepsLeft 3))"
        "(init (gamePhase middleGame)) (init (has_won firstPlayer topRow))"
        "(base (gamePhase over)) (base (gamePhase middleGame)) (base (stepsLeft 3))"
        "(base (stepsLeft 4)) (base (has_won firstPlayer topRow))"
    )
    layout = find_layout(rules)
    scene = make_scene(layout, gdl.interpret(rules).initial_state())
    notes = {note.name: note.value for note in (*scene.counters, *scene.turn, *scene.rows)}
    assert notes == {
        "steps left": "3 of 4",
        "game phase": "middle game",
        "has won": "firstPlayer top row",  # roles keep their names
    }


def test_it_is_not_said_of_a_counter_that_all_is_over() -> None:
    facts = [gdl.parse_term("(now over)"), gdl.parse_term("(ring red)")]
    scene = make_scene(layout_of_game("fourCups"), facts)
    assert (scene.counters, scene.unsaid) == ((), ("(now over)",))
