"""Positions of a match, and of variations that are written as numbers of legal moves."""

from __future__ import annotations

import pytest

from ggp_player.errors import PositionError
from ggp_player.pages.positions import (
    MAX_VARIATION,
    MAX_VARIATION_TEXT,
    MatchTree,
    read_variation,
)
from tests.support.paths import GAMES

MOVES = (("(put a1)", "noop"), ("noop", "(put b2)"))


@pytest.fixture(scope="module")
def tree() -> MatchTree:
    return MatchTree((GAMES / "ticTacToe.kif").read_text(), MOVES)


def test_a_step_of_the_match_has_its_state_and_the_legal_moves(tree: MatchTree) -> None:
    position = tree.position(1, "")
    assert position.history == MOVES[:1]
    assert position.variation == ()
    assert "(marked a1 cross)" in position.state
    assert "(marked a1 cross)" not in position.before
    assert position.legal["cross"] == ("noop",)
    assert len(position.legal["nought"]) == 8
    assert list(position.legal["nought"]) == sorted(position.legal["nought"])
    assert not position.is_over


def test_a_variation_leads_where_its_numbers_say(tree: MatchTree) -> None:
    first = tree.position(1, "0.7")
    assert first.variation == (("noop", tree.position(1, "").legal["nought"][7]),)
    second = tree.position(1, "0.7-3.0")
    assert second.history[:2] == first.history
    assert second.before == first.state
    assert second.variation[1][0] == first.legal["cross"][3]


def test_a_match_that_a_variation_has_ended_has_goals_and_no_moves(tree: MatchTree) -> None:
    line = ""
    while not (position := tree.position(0, line)).is_over:
        line = f"{line}-0.0".removeprefix("-")
    assert position.legal == {}
    assert set(position.goals) == {"cross", "nought"}
    with pytest.raises(PositionError, match="it is over before"):
        tree.position(0, f"{line}-0.0")


@pytest.mark.parametrize(
    ("step", "line", "reason"),
    [
        (3, "", "the match has 2 steps, and no step 3"),
        (-1, "", "no step -1"),
        (1, "1.0", "cross has 1 legal moves"),
        (1, "0.8", "move 1 of the variation .* nought has 8 legal moves"),
        (1, "0.7-0", "move 2 of the variation .* 1 roles of 2"),
        (1, "0.7.0", "3 roles of 2"),
        (1, "(put a1)", "cannot be read"),
        (1, "0.7-", "cannot be read"),
        (1, "<script>", "cannot be read"),
        (1, "٣.0", "cannot be read"),
    ],
)
def test_what_does_not_fit_the_match_is_refused(
    tree: MatchTree, step: int, line: str, reason: str
) -> None:
    with pytest.raises(PositionError, match=reason):
        tree.position(step, line)


def test_variations_are_bounded() -> None:
    longest = "-".join(["0"] * MAX_VARIATION)
    assert len(read_variation(longest)) == MAX_VARIATION
    with pytest.raises(PositionError, match="200 joint moves"):
        read_variation(f"{longest}-0")
    with pytest.raises(PositionError, match="2000 characters"):
        read_variation("0" * (MAX_VARIATION_TEXT + 1))


def test_moves_that_are_not_known_are_said_so() -> None:
    tree = MatchTree((GAMES / "ticTacToe.kif").read_text(), (("(put a1)", ""),))
    assert tree.position(0, "").legal
    with pytest.raises(PositionError, match="not known"):
        tree.position(1, "")


def test_many_states_are_forgotten_and_found_again(
    tree: MatchTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = tree.position(1, "0.7-3.0-0.1").state
    monkeypatch.setattr("ggp_player.pages.positions.MAX_REMEMBERED_STATES", 1)
    small = MatchTree((GAMES / "ticTacToe.kif").read_text(), MOVES)
    for line in ("0.7-3.0-0.1", "0.1", "0.7-3.0-0.1"):
        found = small.position(1, line).state
    assert found == expected


def test_a_match_that_goes_on_keeps_its_positions() -> None:
    tree = MatchTree((GAMES / "ticTacToe.kif").read_text(), MOVES)
    longer = (*MOVES, ("(put c3)", "noop"))
    assert not tree.go_on(MOVES[1:])
    assert tree.go_on(longer)
    assert tree.position(len(longer), "").history == longer
