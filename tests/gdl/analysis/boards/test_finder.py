from __future__ import annotations

from random import Random
from time import process_time

import pytest

import gdl
from gdl.analysis.boards import (
    Board,
    BoardCell,
    BoardLayout,
    LayoutRefinement,
    LayoutRefinementError,
    Part,
    Shape,
    cells_of_move,
    find_layout,
    function_of,
)
from gdl.analysis.boards.refinement import BoardRefinement
from gdl.language.scrambler import Scrambler
from tests.support.compiled_games import EVERY_GAME, NAMES
from tests.support.drawn_games import layout_of_game, states_of, table
from tests.support.paths import CORPUS, GAMES, ROOT


def found(rules: str) -> BoardLayout:
    return find_layout(gdl.parse(rules))


def outline(layout: BoardLayout) -> list[tuple[Shape, int, int, int, int]]:
    return sorted(
        (b.shape, len(b.places), len(b.patterns), len(b.panels), len(b.links))
        for b in layout.boards
    )


@pytest.mark.parametrize("name", EVERY_GAME)
def test_scrambled_names_give_the_same_boards(name: str) -> None:
    rules = gdl.load(GAMES / f"{name}.kif")
    scrambled = Scrambler.of(rules, Random(7)).scramble_ruleset(rules)
    plain, strange = find_layout(rules), find_layout(scrambled)
    assert outline(plain) == outline(strange)
    assert len(plain.turn) == len(strange.turn)
    assert len(plain.counters) == len(strange.counters)


def test_the_same_rules_give_the_same_layout() -> None:
    rules = gdl.load(GAMES / "chess.kif")
    assert find_layout(rules) == find_layout(gdl.load(GAMES / "chess.kif"))


@pytest.mark.parametrize(
    ("name", "shape", "places", "panels"),
    [
        ("chess", Shape.SQUARES, 64, 0),
        ("draughts", Shape.SQUARES, 32, 0),
        ("hex", Shape.HEXES, 36, 0),
        ("starHalma", Shape.HEXES, 37, 0),
        ("nineBoards", Shape.SQUARES, 81, 9),
        ("twinBoards", Shape.SQUARES, 32, 2),
        ("sudokuSmall", Shape.SQUARES, 16, 0),
        ("eightPuzzle", Shape.SQUARES, 9, 0),
        ("townChase", Shape.POINTS, 10, 0),
        ("pegSolitaire", Shape.POINTS, 15, 0),
        ("blocksWorld", Shape.STACKS, 7, 0),
        ("towersOfHanoi", Shape.PILES, 3, 0),
        ("nim", Shape.ROW, 3, 0),
    ],
)
def test_shapes_are_found(name: str, shape: Shape, places: int, panels: int) -> None:
    board = find_layout(gdl.load(GAMES / f"{name}.kif")).boards[0]
    assert (board.shape, len(board.places), len(board.panels)) == (shape, places, panels)


def spot(name: str, *key: str) -> tuple[float, float]:
    board = layout_of_game(name).boards[0]
    place = board.places[board.index[key]]
    return place.x, place.y


def test_boards_lie_as_players_expect() -> None:
    assert spot("ticTacToe", "a1") == (0, 2)
    assert spot("ticTacToe", "c3") == (2, 0)
    assert spot("connectFour", "1", "1") == (0, 5)
    assert spot("chess", "1", "1") == (0, 7)
    assert spot("keyMaze", "1", "1") == (0, 0)
    assert spot("nineBoards", "nw", "nw") < spot("nineBoards", "nw", "n")
    assert spot("lightsOut", "1", "5") == (4, 0)
    assert spot("eightPuzzle", "4") == (0, 1) or spot("eightPuzzle", "2") == (0, 1)


PILES = """
(role red) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
{start} (<= (legal red (mark ?x ?y)) (true (cell ?x ?y open)))
(<= (next (cell ?x ?y stone)) (does red (mark ?x ?y)))
(<= (next (cell ?x ?z open)) (does red (mark ?x ?y)) (succ {step}))
"""


@pytest.mark.parametrize(("step", "rows"), [("?y ?z", "4 3 2 1"), ("?z ?y", "1 2 3 4")])
def test_rows_rise_where_a_move_opens_the_next_one(step: str, rows: str) -> None:
    start = "".join(f"(init (cell {x} {y} open))" for x in "1234" for y in "1234")
    (board,) = found(PILES.format(start=start, step=step)).boards
    assert labels(board, "row") == rows


def labels(board: Board, line: str) -> str:
    return " ".join(label.text for label in board.labels if label.line == line)


@pytest.mark.parametrize(
    ("name", "columns", "rows"),
    [
        ("chess", "a b c d e f g h", "8 7 6 5 4 3 2 1"),
        ("lightsOut", "a b c d e", "1 2 3 4 5"),
        ("hex", "a b c d e f", "1 2 3 4 5 6"),
        ("ticTacToe", "a b c", "3 2 1"),
        ("connectFour", "1 2 3 4 5 6 7", "6 5 4 3 2 1"),  # moves name columns
        ("eightQueens", "1 2 3 4 5 6 7 8", "8 7 6 5 4 3 2 1"),  # moves name rows
        ("warehouse", "1 2 3 4 5 6", "1 2 3 4 5"),  # moves name no cells
        ("twinBoards", "", ""),
        ("starHalma", "", ""),
    ],
)
def test_columns_have_letters_where_moves_name_cells_by_two_numbers(
    name: str, columns: str, rows: str
) -> None:
    board = layout_of_game(name).boards[0]
    assert (labels(board, "column"), labels(board, "row")) == (columns, rows)


def test_the_edges_of_hex_belong_to_roles() -> None:
    board = layout_of_game("hex").boards[0]
    sides: dict[tuple[str, str], list[str]] = {}
    for place, side, role in board.rims:
        sides.setdefault((role, side), []).append("".join(board.places[place].key))
    first, last = ["11", "21", "31", "41", "51", "61"], ["16", "26", "36", "46", "56", "66"]
    left, right = ["11", "12", "13", "14", "15", "16"], ["61", "62", "63", "64", "65", "66"]
    assert sides == {
        ("red", "nw"): first,
        ("red", "ne"): first,
        ("red", "sw"): last,
        ("red", "se"): last,
        ("blue", "w"): left,
        ("blue", "sw"): left,
        ("blue", "e"): right,
        ("blue", "ne"): right,
    }
    assert not layout_of_game("starHalma").boards[0].rims


def board_with(moves: str, first: str = "123", second: str = "123") -> Board:
    facts = "".join(f"(x {x})" for x in first) + "".join(f"(y {y})" for y in second)
    return found(
        f"""(role a) {facts}
        (<= (base (at ?x ?y)) (x ?x) (y ?y)) (<= (init (at ?x ?y)) (x ?x) (y ?y))
        (<= (next (at ?x ?y)) (true (at ?x ?y)) (does a wait)) {moves} (legal a wait)"""
    ).boards[0]


@pytest.mark.parametrize(
    ("moves", "columns"),
    [
        ("(<= (legal a (put ?x ?y)) (true (at ?x ?y)))", "a b c"),
        ("(<= (legal a (put ?x 2)) (true (at ?x 2)))", "1 2 3"),
        ("(<= (legal a (put ?x ?n)) (true (at ?x 1)) (y ?n))", "a b c"),
        ("(<= (legal a (put ?x ?n)) (x ?x) (y ?n))", "a b c"),
        ("(<= (legal a (put ?x left)) (true (at ?x 1)))", "1 2 3"),
        ("(<= (legal a (put ?x)) (true (at ?x ?y)))", "1 2 3"),
        (
            "(<= (legal a (put ?x ?y)) (true (at ?x ?y)))(<= (legal a (drop ?x)) (true (at ?x 1)))",
            "1 2 3",
        ),
        ("", "1 2 3"),
    ],
)
def test_rules_show_whether_moves_name_cells(moves: str, columns: str) -> None:
    assert labels(board_with(moves), "column") == columns


@pytest.mark.parametrize(
    ("first", "second", "columns"),
    [
        ("012", "012", "0 1 2"),
        ("123", "234", "1 2 3"),
        ("1234", "12", "a b c d"),
    ],
)
def test_only_numbers_from_one_become_letters(first: str, second: str, columns: str) -> None:
    moves = "(<= (legal a (put ?x ?y)) (true (at ?x ?y)))"
    assert labels(board_with(moves, first, second), "column") == columns


def test_turns_scores_and_counters_are_found() -> None:
    chess, bids = layout_of_game("chess"), layout_of_game("sealedBids")
    assert chess.turn == ("turn",)
    assert chess.counters == {"quiet": "50"}
    assert dict(bids.scores) == {"purse": 0, "owns": 0}
    assert layout_of_game("phantomTicTacToe").hidden_information
    assert not chess.hidden_information


@pytest.mark.parametrize(
    ("roles", "first", "others"),
    [
        ("(role a) (role b)", "zag", "zig"),
        ("(role r)", "b", "o"),  # a letter is a colour where something else fills the board
    ],
)
def test_blank_contents_need_no_known_name(roles: str, first: str, others: str) -> None:
    words = {"1": first, "2": others, "3": others}
    rules = "".join(f"(init (at {x} {y} {words[y]}))" for x in "123" for y in "123")
    layout = found(f"{roles} {rules} (<= (next (at ?x ?y ?c)) (true (at ?x ?y ?c)))")
    assert layout.boards[0].blank == {others}


def edges() -> str:
    """Rules with the edges of two by two squares."""
    pairs = [(x, y, x + 1, y) for x in (1, 2) for y in (1, 2, 3)]
    pairs += [(x, y, x, y + 1) for x in (1, 2, 3) for y in (1, 2)]
    base = " ".join(f"(base (line {a} {b} {c} {d}))" for a, b, c, d in pairs)
    return f"(role a) {base} (<= (next (line ?a ?b ?c ?d)) (true (line ?a ?b ?c ?d)))"


def test_edges_between_neighbours_are_lines() -> None:
    (pattern,) = found(edges()).boards[0].patterns
    assert pattern.part is Part.EDGE
    assert (pattern.place, pattern.end) == ((0, 1), (2, 3))


def test_rows_of_letters_are_hexagons() -> None:
    names = [
        f"{row}{i}" for row, size in zip("abcde", (1, 2, 5, 2, 1), strict=True) for i in range(size)
    ]
    base = " ".join(f"(base (cell {name} red)) (base (cell {name} blue))" for name in names)
    layout = found(f"(role red) (role blue) {base} (<= (next (cell ?x ?c)) (true (cell ?x ?c)))")
    (board,) = layout.boards
    assert (board.shape, len(board.places)) == (Shape.HEXES, 11)
    assert board.places[0].key == ("a0",)
    assert board.places[0].x == 2


def test_rules_without_facts_have_an_empty_layout() -> None:
    assert found("(role a) (legal a go) (goal a 100)").boards == ()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "rules",
    [
        # A static relation of 10^12 rows, a board of 10^6 places, and facts with many arguments.
        " ".join(f"(n {i})" for i in range(100))
        + "(<= (all ?a ?b ?c ?d ?e ?f) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f))",
        " ".join(f"(n {i})" for i in range(1000))
        + "(<= (base (cell ?x ?y)) (n ?x) (n ?y))(<= (next (cell ?x ?y)) (n ?x) (n ?y))",
        f"(init (f {' '.join(str(i % 5) for i in range(40))}))",
    ],
    ids=["relation", "board", "arguments"],
)
def test_the_work_is_bounded(rules: str) -> None:
    begin = process_time()
    find_layout(gdl.parse(f"(role a) {rules} (<= (legal a go) (role a)) (<= terminal (role a))"))
    assert process_time() - begin < 10


def test_a_refinement_must_fit_the_rules() -> None:
    rules = gdl.load(GAMES / "nim.kif")
    wrong = LayoutRefinement((BoardRefinement(("stones",)),))
    with pytest.raises(LayoutRefinementError, match="no fact is called stones"):
        find_layout(rules, wrong)
    too_far = LayoutRefinement((BoardRefinement(("pebbles",), place=(4,)),))
    with pytest.raises(LayoutRefinementError, match=r"\(pebbles …\) has 2 arguments, not 5"):
        find_layout(rules, too_far)


def test_what_is_found_knows_the_facts_of_reachable_states() -> None:
    layout = layout_of_game("reversi")
    known = layout.boards[0].pattern_of
    facts = [fact for state in states_of("reversi", 20) for fact in state]
    assert all(function_of(fact) in known or function_of(fact)[0] == "turn" for fact in facts)


def test_the_documented_table_is_what_is_found_and_no_place_lies_on_another() -> None:
    assert table() in (ROOT / "docs" / "boards.md").read_text(encoding="utf-8")
    for name in NAMES:
        for board in layout_of_game(name).boards:
            assert len({(p.x, p.y) for p in board.places}) == len(board.places), name


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.exists(), reason=f"there is no collection in {CORPUS}")
def test_most_games_of_the_collection_have_boards() -> None:
    layouts = [find_layout(gdl.load(path)) for path in sorted(CORPUS.glob("rulesheets/*.kif"))]
    assert sum(bool(layout.boards) for layout in layouts) >= 50


def test_a_board_is_larger_than_the_two_ranks_of_its_pieces() -> None:
    pieces = " ".join(f"(init (cell {x} 2 x)) (init (cell {x} 7 o))" for x in range(1, 9))
    layout = found(
        "(role x) (role o) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) "
        f"(succ 7 8) {pieces} (<= (legal ?p (move ?x ?a ?b)) (true (cell ?x ?a ?p)) (succ ?a ?b)) "
        "(<= (next (cell ?x ?b ?p)) (does ?p (move ?x ?a ?b)))"
        "(<= (next (cell ?x ?a ?p)) (true (cell ?x ?a ?p)) (not (does ?p (move ?x ?a ?a))))"
    )
    assert {place.key[1] for place in layout.boards[0].places} >= set("2345678")


TWO_BOARDS = """
(role x) (role o) (line a b c) (line d e f) (line g h i) (line a d g) (line b e h) (line c f i)
(place a) (place b) (place c) (place d) (place e) (place f) (place g) (place h) (place i)
(board left) (board right)
(<= (init (empty ?p ?b)) (place ?p) (board ?b))
(<= (legal ?r (mark ?p ?b)) (role ?r) (true (empty ?p ?b)))
(<= (next (cross ?p ?b)) (does x (mark ?p ?b)))
(<= (next (empty ?p ?b)) (true (empty ?p ?b)))
"""


def test_an_argument_names_boards_of_named_places() -> None:
    (board,) = found(TWO_BOARDS).boards
    assert [panel.key for panel in board.panels] == [("left",), ("right",)]
    assert len(board.places) == 18
    move = gdl.parse_term("(mark e right)")
    assert cells_of_move(found(TWO_BOARDS), move) == (BoardCell(0, ("right", "e")),)


def test_facts_without_content_that_say_that_nothing_is_there_are_blank() -> None:
    assert found(TWO_BOARDS).boards[0].blank == {"empty"}


def numbered(text: str) -> str:
    """Rules for a board of 4 by 4, with the names of ``text`` for a piece and walls."""
    squares = [f"{x} {y}" for x in "1234" for y in "1234"]
    base = "".join(f"(base (at a {square}))" for square in squares)
    walls = "".join(
        f"(init ({name} {square})) (base ({name} {square})) (<= (next ({name} {square})) (true a))"
        for name in text.split()
        for square in squares[:6]
    )
    return f"(role a) {base} (init (at a 1 1)) {walls}"


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("blockedNorth", "top"),
        ("wall_east", "right"),
        ("wallLeft", "left"),
        ("is_blocked_s", "bottom"),
    ],
)
def test_walls_are_sides_by_their_names(name: str, side: str) -> None:
    (board,) = found(numbered(name)).boards
    assert board.sides == ((name, side),)
    assert {p.name: p.part for p in board.patterns} == {"at": Part.PIECE, name: Part.SIDE}


def test_other_words_with_a_direction_are_no_walls() -> None:
    (board,) = found(numbered("moved_left")).boards
    assert board.sides == ()


def test_a_third_coordinate_is_how_high_things_lie() -> None:
    ground = " ".join(f"(init (cube {x} {y} 0 earth))" for x in range(5) for y in range(x + 1))
    rules = (
        f"(role a) {ground} (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)"
        "(<= (legal a (put ?x ?y ?z)) (true (cube ?x ?y ?n ?c)) (succ ?n ?z))"
        "(<= (next (cube ?x ?y ?z a)) (does a (put ?x ?y ?z)))"
        "(<= (next (cube ?x ?y ?z ?c)) (true (cube ?x ?y ?z ?c)))"
    )
    (board,) = found(rules).boards
    assert [pattern.part for pattern in board.patterns] == [Part.LAYER]
    assert len(board.places) == 15


def test_a_board_that_is_much_longer_than_wide_is_cut_into_strips() -> None:
    base = "".join(f"(base (block {x} {y}))" for x in (1, 2, 3) for y in range(1, 31))
    (board,) = found(f"(role a) {base} (<= (next (block 1 2)) (true (block 1 1)))").boards
    assert len({(place.x, place.y) for place in board.places}) == len(board.places) == 90
    assert max(place.y for place in board.places) == 9
    assert max(place.x for place in board.places) < 12
    assert [label.text for label in board.labels].count("1") == 4
    assert [label.text for label in board.labels].count("30") == 1


def test_lines_between_corners_enclose_squares() -> None:
    assert found(edges()).boards[0].middle == (0.5, 0.5)
    walls = found(f"{edges()} (init (line 1 1 2 1))")
    assert walls.boards[0].middle is None
