"""Errors say what is wrong and where, with a caret under the right column."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import Problem, Severity, Source, errors

LINE_ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}


def excerpt(text: str, start: int, end: int, width: int = 100) -> list[str]:
    return Source(text).excerpt((start, end), width).split("\n")


@pytest.mark.parametrize("end", LINE_ENDS.values(), ids=LINE_ENDS)
def test_positions_count_lines_and_columns_from_one(end: str) -> None:
    source = Source(f"ab{end}{end}cd{end}")
    third = source.text.index("c")
    assert source.position(0) == (1, 1)
    assert source.position(1) == (1, 2)
    assert source.position(2) == (1, 3)
    assert source.position(2 + len(end)) == (2, 1)
    assert source.position(third) == (3, 1)
    assert source.position(third + 1) == (3, 2)
    assert source.position(len(source.text)) == (4, 1)


def test_line_ends_may_be_mixed() -> None:
    source = Source("a\rb\nc\r\nd")
    assert [source.position(source.text.index(letter)) for letter in "abcd"] == [
        (line, 1) for line in (1, 2, 3, 4)
    ]


def test_only_line_ends_end_lines() -> None:
    # Others that str.splitlines knows, as in Latin-1 text, stay within the line.
    source = Source("a\x85b\x0cc\u2028d")
    assert source.position(6) == (1, 7)


@given(st.text(alphabet="a\r\n", max_size=12), st.data())
def test_position_agrees_with_counting(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    if text[offset - 1 : offset + 1] == "\r\n":  # no token begins there
        return
    lines = text[:offset].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert Source(text).position(offset) == (len(lines), len(lines[-1]) + 1)


@pytest.mark.parametrize("end", LINE_ENDS.values(), ids=LINE_ENDS)
def test_excerpt_marks_the_span(end: str) -> None:
    assert excerpt(f"(p a){end}(q bcd){end}(r e)", 8 + len(end), 11 + len(end)) == [
        "  (q bcd)",
        "     ^^^",
    ]


def test_excerpt_keeps_columns_under_tabs() -> None:
    assert excerpt("\t(p\ta)", 4, 5) == ["   (p a)", "      ^"]


def test_excerpt_has_a_caret_at_the_end_of_the_text() -> None:
    assert excerpt("(p", 2, 2) == ["  (p", "    ^"]
    assert excerpt("", 0, 1) == ["  ", "  ^"]


def test_excerpt_of_many_lines_shows_the_first() -> None:
    assert excerpt("(p\n a\n b)", 0, 9) == ["  (p", "  ^^"]


@pytest.mark.parametrize("at", [0, 7, 499, 500, 990, 999])
def test_excerpt_of_a_long_line_shows_a_window(at: int) -> None:
    text = "".join(chr(ord("a") + i % 26) for i in range(1000))
    line, carets = excerpt(text, at, at + 1, width=60)
    assert len(line) == 62
    assert carets.endswith("^")
    assert line[len(carets) - 1] == text[at]


def test_carets_end_with_what_is_shown() -> None:
    line, carets = excerpt("x" * 1000, 10, 900, width=60)
    assert len(carets) == len(line)


@given(st.text(alphabet="ab\t\r\n", min_size=1, max_size=30), st.data())
def test_first_caret_stands_under_the_first_character(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    if text[start] in "\r\n":
        return
    line, carets = excerpt(text, start, start + 1, width=8)
    shown = " " if text[start] == "\t" else text[start]
    assert line[carets.index("^")] == shown


def test_describe_has_the_form_that_compilers_use() -> None:
    problem = Problem(Severity.ERROR, "no-sense", "this makes no sense", (6, 7))
    assert Source("(p a)\n(q b)", "x.kif").describe(problem) == (
        "x.kif:2:1: error: this makes no sense [no-sense]\n  (q b)\n  ^"
    )


def test_syntax_error_describes_all_its_problems() -> None:
    with pytest.raises(gdl.GdlSyntaxError) as caught:
        gdl.parse("(p a))\n(not b)", name="x.kif")
    assert [problem.code for problem in caught.value.problems] == [
        "extra-parenthesis",
        "misplaced-keyword",
    ]
    assert "x.kif:1:6: error:" in str(caught.value)
    assert "x.kif:2:1: error:" in str(caught.value)


def test_the_tree_has_one_root() -> None:
    found = {
        name: kind
        for name, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, Exception)
    }
    assert all(issubclass(kind, gdl.GdlError) for kind in found.values())
    assert all(name in (errors.__doc__ or "") for name in found)


@pytest.mark.timeout(20)
def test_many_mistakes_in_a_long_text_are_described_soon() -> None:
    with pytest.raises(gdl.GdlSyntaxError) as caught:
        gdl.parse("\n" * 500_000 + ") " * 100)
    assert len(caught.value.problems) == 100
