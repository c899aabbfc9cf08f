"""The pretty-printer: one line where it fits, otherwise one for each item; comments keep place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.language.pretty_printer import INDENT, WIDTH, Comments, Group, Line, break_lines

A, B = Group("a"), Group("b")
PAIR = Group("(p", (A, B), ")", gap=" ")


def lines_of(group: Group, indent: int = 0, reserved: int = 0) -> list[str]:
    return [str(line) for line in break_lines(group, indent, reserved)]


def commented(group: Group, **comments: str | tuple[str, ...]) -> Group:
    return replace(group, comments=Comments(**comments))  # type: ignore[arg-type]


def groups(comments: st.SearchStrategy[Comments]) -> st.SearchStrategy[Group]:
    """Lists and lists with separators, four levels deep, the names short enough for a line."""
    names = st.text("xyz", min_size=1, max_size=40)
    found = st.builds(Group, names, comments=comments)
    for _ in range(3):
        items = st.lists(found, max_size=4).map(tuple)
        broken = st.sampled_from((False, False, True))
        lists = st.builds(
            Group, names.map("({}".format), items, st.just(")"), st.just(" "), broken=broken,
            comments=comments,
        )  # fmt: skip
        calls = st.builds(
            Group, names.map("{}[".format), items, st.just("]"), separator=st.sampled_from(",&"),
            space=st.sampled_from(("", " ")), comments=comments,
        )  # fmt: skip
        found = st.one_of(found, lists, calls)
    return found


words = st.text("abc", min_size=1, max_size=4).map("; {}".format)
some = st.lists(words, max_size=2).map(tuple)
all_comments = st.builds(Comments, some, st.one_of(st.just(""), words), some, words)
plain_groups = groups(st.just(Comments()))
commented_groups = groups(st.one_of(st.just(Comments()), st.just(Comments()), all_comments))


def test_gap_separator_and_space_stand_between_things() -> None:
    group = Group("[", (A, B), "]", gap="~", separator=",", space="_")
    assert group.on_one_line() == "[~a,_b]"
    assert replace(group, items=(A,)).on_one_line() == "[~a]"
    assert replace(group, items=()).on_one_line() == "[]"


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize(("indent", "reserved"), [(0, 0), (6, 0), (0, 3), (4, 2)])
def test_a_line_is_as_wide_as_it_may_be(over: int, indent: int, reserved: int) -> None:
    name = "x" * (WIDTH - indent - reserved - len("(p  b)") + over)
    group = replace(PAIR, items=(Group(name), B))
    found = lines_of(group, indent, reserved)
    inner = " " * (indent + INDENT)
    one_line, broken = f"(p {name} b)", ["(p", f"{inner}{name}", f"{inner}b)"]
    margin = " " * indent
    assert found == ([margin + broken[0], *broken[1:]] if over else [margin + one_line])


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("last", [False, True])
def test_an_item_has_room_for_the_separator_or_all_the_closings_behind_it(
    over: int, last: bool
) -> None:
    behind = "))" if last else ","
    name = "x" * (WIDTH - 2 * INDENT - len(f"(p  b){behind}") + over)
    item = replace(PAIR, items=(Group(name), B))
    items = (A, item) if last else (item, A)
    outer = Group("(o", (Group("(q", items, ")", separator=",", broken=True),), ")")
    assert (f"    (p {name} b){behind}" in lines_of(outer)) == (not over)
    assert max(map(len, lines_of(outer))) == (WIDTH if not over else len(f"      {name}"))


def test_what_has_no_items_cannot_be_broken() -> None:
    assert lines_of(Group("x" * 2 * WIDTH)) == ["x" * 2 * WIDTH]


def test_a_group_that_is_to_be_broken_breaks_those_around_it() -> None:
    outer = Group("(q", (replace(PAIR, broken=True), A), ")", separator=",")
    assert outer.on_one_line() is None
    assert lines_of(outer) == ["(q", "  (p", "    a", "    b),", "  a)"]


def test_every_comment_has_its_place() -> None:
    comments = Comments(before=("; 1", "; 2"), opening="; 3", end=("; 4", "; 5"), after="; 6")
    assert lines_of(replace(PAIR, comments=comments), 2) == [
        *("  ; 1", "  ; 2", "  (p ; 3", "    a", "    b", "    ; 4", "    ; 5", "  ) ; 6")
    ]


def test_a_closing_does_not_end_up_in_a_comment() -> None:
    group = replace(PAIR, items=(commented(A, after="; 1"), commented(B, after="; 2")))
    assert lines_of(replace(group, separator=",")) == ["(p", "  a, ; 1", "  b ; 2", ")"]


def test_comments_around_a_group_leave_it_on_its_line() -> None:
    group = commented(PAIR, before=("; 1",), after="; 2" * WIDTH)
    assert lines_of(group) == ["; 1", "(p a b) " + "; 2" * WIDTH]


def test_without_a_closing_the_last_comments_are_not_indented() -> None:
    group = commented(Group("h", (A,), gap=" "), end=("; 1",))
    assert lines_of(group) == ["h a", "; 1"]


def test_a_line_with_nothing_but_a_comment_has_no_blank_behind_its_margin() -> None:
    assert [str(Line(2, "", "; 1")), str(Line(2, "a")), str(Line(0, ""))] == ["  ; 1", "  a", ""]


@given(plain_groups)
def test_lines_fit_and_are_broken_only_if_they_must_be(group: Group) -> None:
    text = group.on_one_line()
    found = lines_of(group)
    assert all(len(line) <= WIDTH for line in found)
    if text is not None:
        assert (found == [text]) == (len(text) <= WIDTH)
        assert squeezed(found) == squeezed([text])


@given(commented_groups)
def test_breaking_and_comments_change_nothing_but_blanks(group: Group) -> None:
    found = break_lines(group)
    whole = without_comments(group).on_one_line()
    assert whole is not None
    assert squeezed([line.text for line in found]) == squeezed([whole])
    comments = [line.comment for line in found if line.comment]
    assert sorted(comments) == sorted(comments_in(group))


def squeezed(lines: list[str]) -> str:
    return "".join("".join(lines).split())


def without_comments(group: Group) -> Group:
    items = tuple(map(without_comments, group.items))
    return replace(group, items=items, broken=False, comments=Comments())


def comments_in(group: Group) -> Iterator[str]:
    own = group.comments
    yield from filter(None, (*own.before, own.opening, *own.end, own.after))
    for item in group.items:
        yield from comments_in(item)
