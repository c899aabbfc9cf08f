"""What moves people are told of."""

from __future__ import annotations

from ggp_player.events import BranchThought, MoveThought, SearchView
from ggp_player.pages.told_moves import moves_of_view, named_cells
from tests.support.drawn_games import names_of_game

NAMES = names_of_game("connectFour")
LINE = (("(drop 4)", "noop"), ("noop", "(drop 3)"))


def test_all_moves_of_a_view_are_told() -> None:
    thoughts = (
        MoveThought(move="(drop 4)", line=LINE),
        MoveThought(move="(drop 5)", twin="(drop 3)"),
    )
    reply = BranchThought(moves=("noop", "(drop 7)"))
    tree = (BranchThought(moves=("(drop 6)", "noop"), children=(reply,)),)
    view = SearchView(move="(drop 4)", moves=thoughts, tree=tree)
    moves = {"(drop 4)", "(drop 3)", "(drop 5)", "(drop 6)", "(drop 7)", "noop"}
    assert moves <= set(moves_of_view(view))
    assert not list(moves_of_view(None))


def test_a_row_of_the_table_of_moves_has_names() -> None:
    known = MoveThought(move="(drop 4)", value=50, visits=7, line=LINE)
    assert named_cells(known, NAMES) == ("column 4", "50", "", "7", "column 4, column 3")
    twin = MoveThought(move="(drop 5)", twin="(drop 3)")
    assert named_cells(twin, NAMES)[-1] == "as column 3, by symmetry"
