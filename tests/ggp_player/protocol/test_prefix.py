"""Requests are read as managers send them, and written as ggp-base writes them."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gdl
from gdl.language.keywords import CONNECTIVES
from ggp_player.errors import ProtocolError
from ggp_player.protocol.dialects import (
    BEGINNING_CHARACTERS,
    Beginning,
    beginning_of,
    may_change_a_match,
)
from ggp_player.protocol.dialects.ggp_base import GGP_BASE
from ggp_player.protocol.messages import (
    ABORTED,
    BUSY,
    DONE,
    READY,
    Abort,
    Info,
    InfoReply,
    Observation,
    Ping,
    Play,
    Preview,
    Request,
    Start,
    Stop,
)
from ggp_player.protocol.prefix import (
    format_info_reply,
    parse_info_reply,
    parse_request,
    spaced,
)

LEFT, NOOP, MARK = (gdl.parse_term(text) for text in ("left", "noop", "(mark 1 1)"))

EXACT = [
    ("( INFO )", Info()),
    ("( PREVIEW (( role x ) ) -1 )", Preview("( role x )", -1)),
    (
        "( START m.1 x (( role x ) ( init a ) ) 10 3)",
        Start("m.1", "x", "( role x ) ( init a )", 10, 3),
    ),
    ("( PLAY m.1 NIL )", Play("m.1")),
    ("( PLAY m.1 (left ) )", Play("m.1", (LEFT,))),
    ("( PLAY m.1 (( mark 1 1 ) noop ) )", Play("m.1", (MARK, NOOP))),
    ("( STOP m.1 NIL )", Stop("m.1")),
    ("( STOP m.1 (noop ( mark 1 1 ) ) )", Stop("m.1", (NOOP, MARK))),
    ("( ABORT m.1 )", Abort("m.1")),
]


@pytest.mark.parametrize(("text", "request_"), EXACT)
def test_the_texts_of_ggp_base(text: str, request_: Request) -> None:
    assert parse_request(text) == request_
    assert GGP_BASE.format_request(request_) == text


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("", Info()),
        (" \r\n ; nothing\n", Info()),
        ("info", Info()),
        ("(info)", Info()),
        ("(Info) ", Info()),
        ("\ufeff(ping)", Ping()),
        ("(play m NIL)", Play("m")),
        ("(PLAY m nil)", Play("m", word="nil")),
        ("(PLAY m none)", Play("m", word="none")),
        ("(PLAY m)", Play("m")),
        ("(PLAY m ())", Play("m", observation=Observation())),
        ("(stop m left)", Stop("m", word="left")),
        ("(ABORT \x1b m\x00)", Abort("m")),
        ("(PLAY\tm\r\n((mark\n1 1)noop))", Play("m", (MARK, NOOP))),
        ("(PLAY m (; (no move\n left))", Play("m", (LEFT,))),
        ("( PLAY m (left) ) (and more", Play("m", (LEFT,))),
        ("(PLAY m (a. b:-c f&g))", Play("m", tuple(map(gdl.Constant, ("a.", "b:-c", "f&g"))))),
        ("(ABORT m 1 2 (3))", Abort("m")),
        ("(START m x ((role x)) 10 3 extra (arguments))", Start("m", "x", "(role x)", 10, 3)),
        ("(START m x()10 3)", Start("m", "x", "", 10, 3)),
        ("(start M X ((role X) ; :-)\n) 010 +3)", Start("M", "X", "(role X) ; :-)", 10, 3)),
    ],
)
def test_other_texts_that_are_understood(text: str, request_: Request) -> None:
    assert parse_request(text) == request_


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(", "character 2: expected ')' for the '(' at character 1, found the end"),
        (" )", "character 2: expected '(' and a command, found ')'"),
        ("(hello)", "character 2: expected one of INFO, PING, PREVIEW, START, PLAY, STOP, ABORT"),
        ("((info))", "character 2: expected one of INFO"),
        ("(play)", "character 7: expected a match id in PLAY, found the end"),
        ("(play (m) nil)", "character 7: expected a match id in PLAY, found '(m)'"),
        ("(start m)", "expected a role in START"),
        (
            "(start m x rules 1 2)",
            "character 12: expected the rules in START, a list in parentheses",
        ),
        ("(start m x (r) soon 2)", "expected the start clock in START, a whole number of seconds"),
        ("(start m x (r) 1)", "expected the play clock in START, found the end"),
        (f"(start m x (r) {'9' * 5000} 2)", "a whole number of seconds, found '99999"),
        ("(play m (a ()))", "character 12: expected a move, found '()'"),
        (
            "(play m ((f ?)))",
            "character 13: expected a move, found '(f ?)': a variable needs a name",
        ),
        ("(play m (a (b))", "character 16: expected ')' for the '(' at character 1"),
        ("(play m (a ?x))", "character 12: expected a move without variables, found '?x'"),
        ("(play m ((f (g ?x)) a))", "character 10: expected a move without variables"),
        (f"(start m x {'(' * 5000}", "parentheses are nested deeper than 1000 levels"),
        (f"(play m ({'a ' * 40000}))", "the list of moves has 80002 characters; at most 65536"),
    ],
)
def test_what_cannot_be_understood_is_said(text: str, sentence: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_request(text)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(f"character {caught.value.offset + 1}: ")


# Words such as "or" join literals, and name no object.
names = st.from_regex(r"[A-Za-z0-9_+][A-Za-z0-9_+.:&|~,?-]{0,8}", fullmatch=True).filter(
    lambda name: name.lower() not in CONNECTIVES
)
terms = st.recursive(
    st.builds(gdl.Constant, names),
    lambda term: st.builds(gdl.Function, names, st.lists(term, min_size=1, max_size=3).map(tuple)),
    max_leaves=6,
)
moves = st.lists(terms, max_size=4).map(tuple)
rules = st.lists(terms, max_size=4).map(lambda facts: " ; note )\n".join(f"({f})" for f in facts))
seconds = st.integers(0, 10**6)
requests = st.one_of(
    st.builds(Info),
    st.builds(Preview, rules, seconds),
    st.builds(Start, names, names, rules, seconds, seconds),
    st.builds(Play, names, moves),
    st.builds(Stop, names, moves),
    st.builds(Abort, names),
)


@given(requests)
def test_every_request_reads_back_as_itself(request_: Request) -> None:
    text = GGP_BASE.format_request(request_)
    words = set(re.findall(r"[^\s()]+", text))
    # Names that differ in case alone are one name, with one spelling.
    assume(len(set(map(str.lower, words))) == len(words))
    assert parse_request(text) == request_


@given(st.text("(); aPLAYnilstart?1\n", max_size=40))
def test_no_text_makes_reading_fail_in_any_other_way(text: str) -> None:
    offset, understood = 0, None
    try:
        understood = parse_request(text)
    except ProtocolError as error:
        offset = error.offset
    assert 0 <= offset <= len(text)
    assert understood is None or parse_request(GGP_BASE.format_request(understood)) == understood


def test_the_rules_are_not_read_but_passed_on() -> None:
    nonsense = "(<= (next ((?x) ; what\n distinct"
    nonsense += ")" * (nonsense.count("(") - nonsense.count(")"))
    assert parse_request(f"(START m x ({nonsense}) 1 2)") == Start("m", "x", nonsense, 1, 2)


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("( ( name ann ) ( status available ) )", InfoReply("ann", "available")),
        (
            "((NAME Ann B) (Status busy) (species human) (mood good))",
            InfoReply("AnnB", "busy", "human"),
        ),
        ("available", InfoReply(status="available")),
        ("(busy (name x))", InfoReply("x", "busy")),
        ("((name) () (a (b c)))", InfoReply()),
        ("", InfoReply()),
    ],
)
def test_replies_to_info(text: str, reply: InfoReply) -> None:
    assert parse_info_reply(text) == reply


def test_a_reply_to_info_is_written_as_ggp_base_does() -> None:
    reply = InfoReply("ann", "available", "machine")
    assert format_info_reply(reply) == "( ( name ann ) ( status available ) ( species machine ) )"
    assert format_info_reply(InfoReply("ann", "busy")) == "( ( name ann ) ( status busy ) )"
    assert parse_info_reply(format_info_reply(reply)) == reply


def test_a_reply_to_info_that_is_no_kif() -> None:
    with pytest.raises(ProtocolError):
        parse_info_reply("((name ann)")


def test_terms_with_blanks_around_parentheses() -> None:
    assert spaced("(<=(p ?x)(not(q ?x)))") == "( <= ( p ?x ) ( not ( q ?x ) ) )"
    assert spaced(str(MARK)) == "( mark 1 1 )"
    assert spaced("noop") == "noop"


def test_the_fixed_replies() -> None:
    words = (READY, BUSY, DONE, ABORTED)
    assert words == ("ready", "busy", "done", "aborted")


@pytest.mark.parametrize(
    ("text", "command", "match_id"),
    [
        ("( play m1 ((mark 1 1)))", "PLAY", "m1"),
        ("(ABORT m1)", "ABORT", "m1"),
        ("; no (command)\n(stop m nil)", "STOP", "m"),
        ("( INFO )", "INFO", ""),
        ("info", "INFO", ""),
        ("(play (m) nil)", "PLAY", ""),
        ("", "", ""),
        ("((play m nil))", "", ""),
        (")", "", ""),
        ("(play " + "m" * BEGINNING_CHARACTERS + " nil)", "PLAY", ""),
        (";" * BEGINNING_CHARACTERS + "\n(play m nil)", "", ""),
    ],
)
def test_the_beginning_of_a_message(text: str, command: str, match_id: str) -> None:
    assert beginning_of(text) == Beginning(command, match_id)


def test_a_match_id_that_is_too_long() -> None:
    with pytest.raises(ProtocolError, match="the match id has 1001 characters; at most 1000"):
        parse_request(f"(abort {'m' * 1001})")
    assert parse_request(f"(abort {'m' * 1000})") == Abort("m" * 1000)


def test_what_may_change_a_match() -> None:
    changing = ["(start m x () 1 1)", "(play m nil)", "(Stop m nil)", "(abort m)"]
    assert all(map(may_change_a_match, [*changing, " " * BEGINNING_CHARACTERS + "(info)"]))
    assert not any(map(may_change_a_match, ["", "(info)", "ping", "(preview (x) 1)", "(what)"]))
