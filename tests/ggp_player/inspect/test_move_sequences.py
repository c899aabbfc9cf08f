"""Joint moves as text lead where the match went that they were taken from."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.playouts import play_out
from ggp_player.errors import JointMoveError
from ggp_player.inspect.move_sequences import LONGEST_TEXT, MatchPrefix
from ggp_player.protocol import MatchRecord
from ggp_player.strategies.textbook.game_tree import Moves
from tests.ggp_player.conftest import FIELDS

RULESET = gdl.parse(FIELDS)
MACHINE = gdl.interpret(RULESET)
OPENING = "(claim 1) noop"

seeds = st.integers(0, 10**6)
parts = st.integers(0, 3)


def prefix(*sources: str, limit: int | None = None) -> MatchPrefix:
    found = MatchPrefix(RULESET, MACHINE, limit)
    for source in sources:
        found.follow(source)
    return found


def match(seed: int) -> list[Moves]:
    """The joint moves of a random match, which has three steps."""
    return [step.joint_move for step in play_out(MACHINE, Random(seed)) if step.joint_move]


def state_after(steps: Sequence[Moves]) -> gdl.State:
    state = MACHINE.initial_state()
    for moves in steps:
        state = MACHINE.next_state(state, moves)
    return state


def text_of(steps: Sequence[Moves]) -> str:
    return " ; a step\n".join(f"({' '.join(map(str, moves))})" for moves in steps)


@given(seeds, parts, st.booleans())
def test_a_match_that_was_written_is_followed(seed: int, part: int, in_list: bool) -> None:
    steps = match(seed)
    form = "({})" if in_list else "{}"
    found = prefix(*(form.format(text_of(each)) for each in (steps[:part], steps[part:]) if each))
    assert found.steps == tuple(steps)
    assert found.state == state_after(steps)


@given(seeds, st.integers(0, 4), parts)
def test_what_is_beyond_the_limit_is_ignored(seed: int, limit: int, part: int) -> None:
    steps = match(seed)
    beyond = "((fly away) noop)"
    found = prefix(text_of(steps[:part]), text_of(steps[part:limit]), limit=limit)
    if limit <= len(steps):
        found.follow(beyond)
    assert found.steps == tuple(steps[:limit])
    assert found.state == state_after(steps[:limit])


@pytest.mark.parametrize(
    ("source", "step", "sentence"),
    [
        ("(noop (claim 2)) ((claim 2) noop)", 3, "(claim 2) is not legal for xena; legal is "),
        ("(noop (claim 2)) ((claim 3) noop) (noop noop)", 4, "the match is over after step 3"),
        (
            "(noop noop noop)",
            2,
            "for xena Oscar, or a file; found 1: (noop noop noop)",
        ),
        ("(claim 2)", 2, "expected 2 moves in a joint move, for xena Oscar, or a file; found 1: "),
        ("noop", 2, "expected 2 moves in a joint move, for xena Oscar, or a file; found 1: noop"),
        (
            "(noop (claim 2)) ((claim 3))",
            3,
            "expected 2 moves in a joint move, for xena Oscar; found 1: ((claim 3))",
        ),
        (
            "(noop (claim 2)) ((claim 3) noop noop)",
            3,
            "expected 2 moves in a joint move, for xena Oscar; found 3: ((claim 3) noop noop)",
        ),
        ("match.json", 2, "there is no file match.json"),
        ("records/match", 2, "there is no file records/match"),
        (f"{'a' * 300}/b", 2, "there is no file aaa"),
        ("noop (fly ())", 2, "(fly ()) is no move of Oscar:\n"),
        ("noop " * 3000, 2, f"or a file; found 3000: {('noop ' * 20)[: LONGEST_TEXT - 1]}…"),
        ("(" * 1100 + ")" * 1100, 0, "character 1001: parentheses are nested deeper than 1000"),
        (") (", 0, "moves that cannot be read: a ')' too many in ) ("),
    ],
)
def test_what_cannot_be_made_leaves_what_was(source: str, step: int, sentence: str) -> None:
    found = prefix(OPENING)
    steps, state = found.steps, found.state
    with pytest.raises(JointMoveError) as caught:
        found.follow(source)
    assert caught.value.step == step
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(f"step {step}: " if step else "moves that cannot be read")
    assert (found.steps, found.state) == (steps, state)


def test_a_record_whose_moves_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    names, times = ("a", "b"), (0, 0)
    errors = (("", ""), ("", ""))
    record = MatchRecord("m", 0, 1, 1, names, ("", ""), times, (("(", "noop"),), errors)
    record.save(file)
    with pytest.raises(JointMoveError, match=r"^step 1: \( is no move of xena"):
        prefix(str(file))


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    file = tmp_path / "moves.kif"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(JointMoveError, match=r"moves\.kif cannot be read: 'utf-8' codec"):
        prefix(str(file))


def test_a_folder_is_no_file_of_moves(tmp_path: Path) -> None:
    with pytest.raises(JointMoveError, match=r"step 1: .* is a folder; expected a file"):
        prefix(str(tmp_path))
