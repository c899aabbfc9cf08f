from __future__ import annotations

import io

import pytest
from rich.console import Console

import gdl
from gdl.analysis.boards import find_layout
from gdl.drawing import draw_text
from tests.support.compiled_games import EVERY_GAME, reasoner_of
from tests.support.drawn_games import layout_of_game, states_of


def text_of(name: str, *moves: str) -> str:
    """Draw the state of a game after moves of the only role that can choose."""
    machine = reasoner_of(name)
    state = machine.initial_state()
    for text in moves:
        move = gdl.parse_term(text)
        legal = [machine.legal_moves(state, role) for role in machine.roles]
        joint = [move if move in options else options[0] for options in legal]
        state = machine.next_state(state, joint)
    return plain(draw_text(layout_of_game(name), state))


def plain(drawn: object) -> str:
    console = Console(file=io.StringIO(), width=100, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(drawn)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def test_tic_tac_toe() -> None:
    assert text_of("ticTacToe", "(put b2)", "(put a1)", "(put c3)") == (
        "turn: nought\n\n3 · · X\n2 · X ·\n1 O · ·\n  a b c\n\nX cross   O nought"
    )


def test_hexagons_have_their_labels_where_their_lines_begin() -> None:
    lines = text_of("hex").splitlines()
    assert lines[2:9] == [
        "1 · · · · · ·",
        " 2 · · · · · ·",
        "  3 · · · · · ·",
        "   4 · · · · · ·",
        "    5 · · · · · ·",
        "     6 · · · · · ·",
        "        a b c d e f",
    ]


@pytest.mark.parametrize("count", ["1" * 5000, "²", "-1", "31"])
def test_what_is_no_small_count_has_no_dots(count: str) -> None:
    state = [gdl.parse_term(f"(pebbles left {count})")]
    assert "•" not in plain(draw_text(layout_of_game("nim"), state))


def test_chess() -> None:
    lines = text_of("chess", "(move 5 2 5 3)").splitlines()
    assert lines[:12] == [
        "turn: black",
        "without capture or pawn move: 0 of 50",
        "",
        "8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜",
        "7 ♟ ♟ ♟ ♟ ♟ ♟ ♟ ♟",
        "6 · · · · · · · ·",
        "5 · · · · · · · ·",
        "4 · · · · · · · ·",
        "3 · · · · ♙ · · ·",
        "2 ♙ ♙ ♙ ♙ · ♙ ♙ ♙",
        "1 ♖ ♘ ♗ ♕ ♔ ♗ ♘ ♖",
        "  a b c d e f g h",
    ]


def test_nim() -> None:
    assert text_of("nim", "(take middle 2)") == (
        "turn: second\n\n  left  3 •••\nmiddle  3 •••\n right  6 ••••••"
    )


def test_hexagons_are_shifted_against_each_other() -> None:
    lines = text_of("hex", "(place 3 1)").splitlines()
    assert [len(line) - len(line.lstrip()) for line in lines[2:8]] == sorted(
        len(line) - len(line.lstrip()) for line in lines[2:8]
    )
    assert lines[2].split() == ["1", "·", "·", "red", "·", "·", "·"]


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_word_of_a_place_or_of_the_table_is_printable(name: str) -> None:
    text = plain(draw_text(layout_of_game(name), states_of(name)[-1]))
    assert text
    assert all(character.isprintable() or character == "\n" for character in text)


def test_escape_sequences_do_not_reach_the_terminal() -> None:
    layout = find_layout(gdl.parse("(role a)"))
    drawn = draw_text(layout, [gdl.Constant("\x1b[2J[bold]red[/bold]")])
    assert "?[2J[bold]red[/bold]: yes" in plain(drawn)


def test_hidden_information_is_said() -> None:
    assert text_of("fourCups").endswith("roles see only what their percepts tell.")
    assert "percepts" not in text_of("nim")


def test_a_crowded_place_is_listed() -> None:
    layout = layout_of_game("diceRace")
    start = plain(draw_text(layout, reasoner_of("diceRace").initial_state()))
    assert "0  gold 1 gold 2 silver 1 silver 2" in start


def test_lines_between_corners_are_drawn() -> None:
    ends = [(x, y, x + 1, y) for x in (1, 2) for y in (1, 2, 3)]
    ends += [(x, y, x, y + 1) for x in (1, 2, 3) for y in (1, 2)]
    base = "".join(f"(base (line {a} {b} {c} {d}))" for a, b, c, d in ends)
    boxes = "".join(f"(base (box {x} {y} x))" for x in (1, 2) for y in (1, 2))
    layout = find_layout(gdl.parse(f"(role a) {base} {boxes} (<= (next (box 1 1 x)) (true p))"))
    state = gdl.parse_term("(s (line 1 1 2 1) (line 1 1 1 2) (line 2 2 2 3) (box 1 1 x))")
    assert isinstance(state, gdl.Function)
    lines = plain(draw_text(layout, state.args)).splitlines()
    assert lines[1:] == ["1 ·─· ·", "  │X", "2 · · ·", "    │", "3 · · ·", "  1 2 3", "", "X x"]


def test_walls_stand_behind_their_places() -> None:
    squares = [f"{x} {y}" for x in "12" for y in "12"]
    base = "".join(f"(base (at a {s})) (base (wallNorth {s}))" for s in squares)
    layout = find_layout(gdl.parse(f"(role a) {base} (<= (next (at a 1 1)) (true p))"))
    state = [gdl.parse_term("(at a 1 1)"), gdl.parse_term("(wallNorth 1 1)")]
    assert "1 a‾ ·" in plain(draw_text(layout, state)).splitlines()
