"""Every dialect writes what it reads, and the table of them is right."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl.language import Notation
from gdl.language.keywords import CONNECTIVES
from ggp_player.errors import ProtocolError
from ggp_player.protocol import (
    SYNTAXES,
    Abort,
    Beginning,
    Dialect,
    Envelope,
    Info,
    InfoReply,
    Observation,
    Ping,
    Play,
    Preview,
    Request,
    Start,
    Stop,
    Syntax,
    beginning_of,
    dialects,
    format_envelope,
    infix,
    may_change_a_match,
    notation_of_message,
    parse_envelope,
    parse_move,
    parse_request,
    reply_syntax,
)
from ggp_player.protocol.dialects.dresden import DID_RULE
from ggp_player.protocol.lexer import is_name

LEFT, NOOP, MARK = (gdl.parse_term(text) for text in ("left", "noop", "(mark 1 1)"))
RULES = "(role x)\n(<= (legal x go) (true (p 1)) (not (true q)))"
SEEN = Observation(NOOP, (MARK, LEFT))

# Words such as "or" join literals, and name no object.
words = st.from_regex(r"[A-Z0-9_+][A-Z0-9_+.:&|~?-]{0,8}", fullmatch=True).filter(
    lambda word: word.lower() not in CONNECTIVES
)
terms = st.recursive(
    st.builds(gdl.Constant, words),
    lambda term: st.builds(gdl.Function, words, st.lists(term, min_size=1, max_size=3).map(tuple)),
    max_leaves=6,
)
lists = st.lists(terms, min_size=1, max_size=4).map(tuple)


@pytest.mark.parametrize(
    ("dialect", "request_", "text"),
    [
        (Dialect.DRESDEN, Start("m.a", "x", RULES, 120, 30),
         "(START m.a X (( ROLE X ) ( <= ( LEGAL X GO ) ( TRUE ( P 1 ) ) "
         "( NOT ( TRUE Q ) ) )) 120 30)"),
        (Dialect.DRESDEN, Play("m"), "(PLAY m NIL)"),
        (Dialect.DRESDEN, Play("m", (MARK, NOOP)), "(PLAY m ((MARK 1 1) NOOP))"),
        (Dialect.DRESDEN, Stop("m", (MARK, NOOP)), "(STOP m ((MARK 1 1) NOOP))"),
        (Dialect.DRESDEN_TURNS, Play("m", turn=0), "(PLAY m 0 NIL NIL)"),
        (Dialect.DRESDEN_TURNS, Play("m", turn=3, observation=SEEN),
         "(PLAY m 3 NOOP ((MARK 1 1) LEFT ))"),
        (Dialect.DRESDEN_TURNS, Stop("m", turn=3, observation=Observation()),
         "(STOP m 3 NIL ())"),
        (Dialect.DRESDEN_PERCEPTS, Play("m"), "(PLAY m NIL)"),
        (Dialect.DRESDEN_PERCEPTS, Play("m", observation=SEEN), "(PLAY m ((MARK 1 1) LEFT ))"),
        (Dialect.STANFORD_PREFIX, Ping(), "(ping)"),
        (Dialect.STANFORD_PREFIX, Start("m", "x", "(role x) ; x", 5, 3),
         "(start m x ((role x) ; x\n) 5 3)"),
        (Dialect.STANFORD_PREFIX, Play("m"), "(play m nil)"),
        (Dialect.STANFORD_PREFIX, Stop("m", (MARK, NOOP)), "(stop m ((mark 1 1) noop))"),
        (Dialect.STANFORD_INFIX, Info(), "info()"),
        (Dialect.STANFORD_INFIX, Start("M-1", "x", RULES, 5, 3),
         'start("M-1",x,{role(x),legal(x,go) :- true(p(1)) & ~true(q)},5,3)'),
        (Dialect.STANFORD_INFIX, Play("m"), "play(m,nil)"),
        (Dialect.STANFORD_INFIX, Play("m", (MARK, NOOP)), "play(m,{mark(1,1),noop})"),
        (Dialect.STANFORD_INFIX, Abort("m"), "abort(m)"),
        (Dialect.STANFORD_POLLING, Preview(RULES, 5),
         "preview({role(x),legal(x,go) :- true(p(1)) & ~true(q)},5)"),
        (Dialect.STANFORD_POLLING, Play("m", observation=SEEN), "sees(m,{mark(1,1),left})"),
        (Dialect.STANFORD_POLLING, Stop("m", observation=SEEN), "stop(m,{mark(1,1),left})"),
    ],
)  # fmt: skip
def test_what_is_written(dialect: Dialect, request_: Request, text: str) -> None:
    assert SYNTAXES[dialect].format_request(request_) == text


def test_the_table_in_the_documentation_is_that_of_the_code() -> None:
    assert dialects.__doc__ is not None
    table = dialects.__doc__.split("dialect  INFO")[1]
    heads = ["INFO", "PING", "PREVIEW", "START", "PLAY", "STOP", "ABORT"]
    rule = next(line for line in table.splitlines() if line.startswith("==="))
    columns = [found.span() for found in re.finditer("=+", rule)]
    rows = re.findall(r"^([A-F]'?)  +.*$", table, re.MULTILINE)
    assert rows == [dialect.value for dialect in Dialect]
    for line in (line for line in table.splitlines() if re.match(r"[A-F]'?  ", line)):
        syntax = SYNTAXES[Dialect(line.split()[0])]
        cells = [line[start:end].strip() for start, end in columns[1:]]
        marked = {head for head, cell in zip(heads, cells, strict=True) if cell}
        assert marked == {message.__name__.upper() for message in syntax.messages}


def test_a_dialect_writes_no_message_that_it_lacks() -> None:
    with pytest.raises(ValueError, match="dialect B has no INFO"):
        SYNTAXES[Dialect.DRESDEN].format_request(Info())
    with pytest.raises(ValueError, match="dialect C tells what roles see"):
        SYNTAXES[Dialect.DRESDEN_TURNS].format_request(Play("m", (LEFT,)))
    with pytest.raises(ValueError, match="dialect A tells joint moves"):
        SYNTAXES[Dialect.GGP_BASE].format_request(Play("m", observation=SEEN))


PLAIN = (Dialect.GGP_BASE, Dialect.DRESDEN, Dialect.STANFORD_PREFIX, Dialect.STANFORD_INFIX)


@pytest.mark.parametrize("dialect", [*PLAIN, Dialect.STANFORD_POLLING])
@settings(max_examples=20)  # of each dialect
@given(words, lists)
def test_joint_moves_read_back(
    dialect: Dialect, match_id: str, moves: tuple[gdl.Term, ...]
) -> None:
    for request in (Play(match_id, moves), Stop(match_id, moves)):
        text = SYNTAXES[dialect].format_request(request)
        assert parse_request(text) == request
        assert beginning_of(text) == Beginning(type(request).__name__.upper(), match_id)


@settings(max_examples=40)
@given(words, st.integers(0, 999), st.none() | terms, lists)
def test_turns_and_percepts_read_back(
    match_id: str, turn: int, move: gdl.Term | None, percepts: tuple[gdl.Term, ...]
) -> None:
    move = None if str(move).upper() == "NIL" else move
    for kind in (Play, Stop):
        request = kind(match_id, turn=turn, observation=Observation(move, percepts))
        text = SYNTAXES[Dialect.DRESDEN_TURNS].format_request(request)
        assert parse_request(text) == request
    untold = Play(match_id, observation=Observation(None, percepts))
    text = SYNTAXES[Dialect.DRESDEN_PERCEPTS].format_request(untold)
    assert parse_request(text) == Play(match_id, percepts)
    text = SYNTAXES[Dialect.STANFORD_POLLING].format_request(untold)
    assert parse_request(text) == untold


@pytest.mark.parametrize("dialect", list(Dialect))
@settings(max_examples=5)  # of each dialect, as what varies is two words
@given(words, words)
def test_starts_read_back(dialect: Dialect, match_id: str, role: str) -> None:
    syntax = SYNTAXES[dialect]
    start = parse_request(syntax.format_request(Start(match_id, role, RULES, 10, 3)))
    assert isinstance(start, Start)
    assert (start.match_id, start.role) == (match_id, role)
    is_infix = dialect in {Dialect.STANFORD_INFIX, Dialect.STANFORD_POLLING}
    notation = Notation.INFIX if is_infix else Notation.KIF
    assert (start.start_clock, start.play_clock, start.notation) == (10, 3, notation)
    assert len(gdl.parse(start.rules).rules) == 2
    again = parse_request(syntax.format_request(start))
    assert again == start


@pytest.mark.parametrize("notation", list(Notation))
@given(terms)
def test_moves_read_back(notation: Notation, move: gdl.Term) -> None:
    syntax = reply_syntax(notation)
    assert syntax.parse_move(syntax.format_move(move)) == move


@pytest.mark.parametrize("syntax", SYNTAXES.values(), ids=map(str, SYNTAXES))
def test_replies_to_info_read_back(syntax: Syntax) -> None:
    for reply in (InfoReply("ann-1", "available", "alien"), InfoReply(status="busy")):
        assert syntax.parse_info_reply(syntax.format_info_reply(reply)) == reply
    assert syntax.parse_info_reply("available") == InfoReply(status="available")


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("info()", Info()),
        (" Ping( ) and more", Ping()),
        ("% (a) comment\ninfo()", Info()),
        ("play(m, nil)", Play("m")),
        ("play(m)", Play("m")),
        ("play(m, [])", Play("m", observation=Observation())),
        ("play(m, [mark(1, 1), noop])", Play("m", (MARK, NOOP))),
        ("play(m, (left))", Play("m", (LEFT,))),
        ("play(m, mark(1,1))", Play("m", (MARK,))),
        ("play(m, mark(1,1), noop)", Play("m", (MARK, NOOP))),
        ("stop(m,{noop})", Stop("m", (NOOP,))),
        ("sees(m,[left])", Play("m", observation=Observation(None, (LEFT,)))),
        ("sees(m,nil)", Play("m", observation=Observation())),
        ('abort("A b")', None),
        ('abort("A-b")', Abort("A-b")),
        ("start(m,x,[role(x),init(a)],10,3)",
         Start("m", "x", "role(x)\ninit(a)", 10, 3, Notation.INFIX)),
        ("start(m,x,[role(x) init(a).\n],10,3,more)",
         Start("m", "x", "role(x) init(a).", 10, 3, Notation.INFIX)),
        ("start(m,x,role(x),init(a),10,3)",
         Start("m", "x", "role(x)\ninit(a)", 10, 3, Notation.INFIX)),
        ('start(m,x,"role(x) init(\\"A\\")",10,3)',
         Start("m", "x", 'role(x) init("A")', 10, 3, Notation.INFIX)),
        ("start(m,x,((role x) (init (a b))),10,3)",
         Start("m", "x", "(role x) (init (a b))", 10, 3, Notation.INFIX)),
        ("preview([role(x)],-1)", Preview("role(x)", -1)),
    ],
)  # fmt: skip
def test_infix_messages(text: str, request_: Request | None) -> None:
    assert notation_of_message(text) is Notation.INFIX
    if request_ is None:
        with pytest.raises(ProtocolError):
            parse_request(text)
    else:
        assert parse_request(text) == request_


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("play(", "found the end of the message"),
        ("play()", "expected a match id in play, found the end"),
        ("play([m],nil)", "expected a match id in play, found '[m]'"),
        ("play(m,[a,,b])", "character 11: expected a move"),
        ("play(m,[a(])", "found the end of the message"),
        ("play(m,[X])", "character 9: expected a move without variables"),
        ("play(m,[f(X)])", "expected a move without variables"),
        ("start(m,x,[role(x)],10)", "expected the rules and then two clocks in start"),
        ("start(m,x,10,3)", "expected the rules and then two clocks in start"),
        ("preview(5)", "expected the rules and then a clock in preview"),
        (f"start(m,x,{'(' * 5000}", "nested deeper than 1000 levels"),
        (f"play(m,[{'a,' * 40000}a])", "the list of moves has 80003 characters"),
        (f"start(m,x,[a(){',' * 70000}],1,1)", "a term or list has more than 65536 arguments"),
        (f"info({',' * 70000}", "a term or list has more than 65536 arguments"),
        (f"abort({'m' * 1001})", "the match id has 1001 characters"),
    ],
)
def test_infix_that_cannot_be_understood(text: str, sentence: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_request(text)
    assert sentence in str(caught.value)
    assert 0 <= caught.value.offset <= len(text)


@given(st.text('(),[]{}; aPLAYstart"%\\1\n', max_size=40).map("play(".__add__))
def test_no_infix_makes_reading_fail_in_any_other_way(text: str) -> None:
    request, offset = None, 0
    try:
        request = parse_request(text)
    except ProtocolError as error:
        offset = error.offset
    assert 0 <= offset <= len(text)
    if request is not None:
        assert isinstance(request, Play)
        assert beginning_of(text) == Beginning("PLAY", request.match_id)


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("(PLAY m 0 NIL NIL)", Play("m", turn=0)),
        ("(play m 2 nil ())", Play("m", turn=2, observation=Observation())),
        ("(PLAY m 1 (mark 1 1) NIL)", Play("m", turn=1, observation=Observation(MARK))),
        ("(PLAY m 1)", Play("m", word="1")),
        ("(STOP m 4 noop (left) more)", Stop("m", turn=4, observation=Observation(NOOP, (LEFT,)))),
    ],
)
def test_messages_with_turns(text: str, request_: Request) -> None:
    assert parse_request(text) == request_


def test_what_changes_a_match_in_infix() -> None:
    changing = ["start(m,x,[],1,1)", "play(m)", " Stop(m,nil)", "abort(m)", "sees(m,[])"]
    assert all(map(may_change_a_match, changing))
    assert not any(map(may_change_a_match, ["info()", "ping()", "preview([role(x)],1)", "no(m)"]))


def test_envelopes() -> None:
    envelope = Envelope("17", "manager", "play(m1,{mark(1,1),noop})")
    text = "message(17,manager,play(m1,{mark(1,1),noop}))"
    assert format_envelope(envelope) == text
    assert parse_envelope(text) == envelope
    assert parse_envelope('m( 17, "The-Manager", ann, info() ) ') == Envelope(
        "17", "The-Manager", "info()"
    )


@pytest.mark.parametrize("text", ["", "info", "message(17,manager)", "message([1],m,info())",
                                  "message(17,manager,info()", "(message 17 manager (info))",
                                  f"message({'1' * 1001},m,info())"])  # fmt: skip
def test_envelopes_that_cannot_be_understood(text: str) -> None:
    with pytest.raises(ProtocolError):
        parse_envelope(text)


def test_the_rule_by_which_all_moves_are_seen() -> None:
    rules = gdl.parse(f"(role a) (role b) (init x) (legal a go) {DID_RULE}")
    machine = gdl.interpret(rules)
    seen = machine.percepts(machine.initial_state(), (NOOP, LEFT), machine.roles[1])
    assert {str(percept) for percept in seen} == {"(did a noop)", "(did b left)"}


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5).filter(is_name)
connectives = st.sampled_from(["or", "not", "<=", "AND", "distinct"])


@given(NAMES | connectives, NAMES | connectives)
def test_every_name_of_kif_comes_back_from_infix(match_id: str, name: str) -> None:
    move = parse_move(name)
    assert infix.parse_move(infix.format_term(move)) == move
    for command in (Play, Stop):
        asked = parse_request(f"({command.__name__} {match_id} ({name}))")
        written = reply_syntax(Notation.INFIX).format_request(asked)
        assert parse_request(written) == asked
        assert beginning_of(written).match_id == match_id


@pytest.mark.parametrize(
    "parse", [infix.parse_move, reply_syntax(Notation.INFIX).parse_move], ids=["terms", "replies"]
)
def test_infix_moves(parse: Callable[[str], gdl.Term]) -> None:
    assert [str(parse(text)) for text in ("a", "mark(1, 1)", 'f("X",g(b))', "f(+1)")] == [
        "a", "(mark 1 1)", "(f X (g b))", "(f +1)",
    ]  # fmt: skip
    for text in ("", "a b", "a,b", "f(", "f(a))", "f(a,)", "f((a))b", "f(,a)"):
        with pytest.raises(gdl.GdlSyntaxError):
            parse(text)
