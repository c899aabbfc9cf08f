"""What a rulesheet says in plain words before its first rule."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.game_library import own_games
from gdl.language import OpeningComment, opening_comment

RULES = "(role ann)\n; not of the beginning\n"

WHOLE = """\
;;; ***************
;;;   Nim
;;; ***************
;
; Two players take
; matches.
;
; Who takes the last one   wins.
; Roles:  ann, bob
; Length: 2 steps,
;         or more

; ---- heaps
"""


def test_title_paragraphs_and_items_are_told_apart() -> None:
    assert opening_comment(WHOLE + RULES) == OpeningComment(
        "Nim",
        (
            "Two players take matches.",
            "Who takes the last one wins. Roles: ann, bob Length: 2 steps, or more",
        ),
        (),
    )
    spaced = WHOLE.replace("; Roles", ";\n; Roles")
    assert opening_comment(spaced + RULES) == OpeningComment(
        "Nim",
        ("Two players take matches.", "Who takes the last one wins."),
        (("Roles", "ann, bob"), ("Length", "2 steps, or more")),
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", OpeningComment()),
        (RULES, OpeningComment()),
        ("; Roles\n" + RULES, OpeningComment("Roles")),
        ("; Nim\n\n; Roles\n" + RULES, OpeningComment("Nim")),
        ("; A game.\n" + RULES, OpeningComment("", ("A game.",))),
        ("% Nim\n%\n% A game.\nrole(ann)\n", OpeningComment("Nim", ("A game.",))),
    ],
)
def test_comments_of_public_rulesheets(text: str, wanted: OpeningComment) -> None:
    assert opening_comment(text) == wanted
    assert bool(opening_comment(text)) == bool(wanted.title or wanted.paragraphs)


STREETS = """\
  mill --- inn ---.
   |        |   |
  tower -------'  |
"""
MAZE = """\
    S . . #      S start, # wall
    . # . .
    . . . T      * and T treasures
"""
NONOGRAM = """\
    11
 1 X
 3 XXX
"""


@pytest.mark.parametrize("drawn", [STREETS, MAZE, NONOGRAM])
def test_a_drawing_is_no_prose_and_keeps_its_lines(drawn: str) -> None:
    comment = "".join(f";{line}\n" for line in drawn.splitlines())
    found = opening_comment(f"; Run -- as you can.\n; It looks so:\n{comment};\n; Roles: thief\n")
    assert found == OpeningComment(
        "", ("Run -- as you can. It looks so:",), (("Roles", "thief"),), (dedent(drawn).rstrip(),)
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("; -----------\n; --- Nim ---\n; -----------\n", OpeningComment("Nim")),
        ("; ###\n; ###\n; ###\n; NIM\n; ###\n", OpeningComment("NIM")),
        ("; 2009-10-11\n; v. 2\n; By A. B.\n", OpeningComment("", ("v. 2 By A. B.",))),
        ("; Nim\n;\n; - take one\n; - or two\n; - or more.\n", None),
    ],
)
def test_frames_dates_and_lists_are_no_drawings(text: str, wanted: OpeningComment | None) -> None:
    found = opening_comment(text + RULES)
    assert found == (wanted or OpeningComment("Nim", ("take one or two or more.",)))
    assert not found.drawings


def test_a_line_before_a_drawing_is_no_heading_of_rules() -> None:
    maze = "".join(f";{line}\n" for line in MAZE.splitlines())
    found = opening_comment(f"; A maze.\n;\n; It looks so:\n{maze}{RULES}")
    assert found.paragraphs == ("A maze.", "It looks so:")


def test_a_comment_without_end_is_cut() -> None:
    comment = opening_comment("; word" * 100_000)
    assert sum(map(len, comment.paragraphs)) <= 4_000


@pytest.mark.parametrize("name", own_games())
def test_our_own_games_say_how_they_are_played(name: str) -> None:
    comment = opening_comment(own_games()[name].read_text())
    assert comment.title
    assert len(" ".join(comment.paragraphs).split()) >= 10
    assert "Roles" in dict(comment.items)


@given(st.text())
def test_any_text_has_a_comment_or_none(text: str) -> None:
    comment = opening_comment(text)
    assert all("\n" not in paragraph for paragraph in comment.paragraphs)
