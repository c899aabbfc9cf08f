"""Every request in every phase has its outcome, as the transcripts below spell out."""

from dataclasses import dataclass

import pytest

from ggp_player.protocol.dialects import parse_request
from ggp_player.protocol.lifecycle import TABLE, Event, Match, Matches, Outcome, Phase
from ggp_player.protocol.messages import Abort, Play, Start, Stop


def read(text: str) -> Start | Play | Stop | Abort:
    request = parse_request(text)
    assert isinstance(request, Start | Play | Stop | Abort)
    return request


START = "(START m x () 10 5)"
FIRST = "(PLAY m NIL)"
SECOND = "(PLAY m (a b))"
THIRD = "(PLAY m (c d))"


def test_the_table_has_every_event_in_every_phase() -> None:
    assert set(TABLE) == set(Phase)
    for phase in Phase:
        assert set(TABLE[phase]) == set(Event), phase


def test_nothing_leads_back_to_a_match_that_is_over() -> None:
    assert {phase for phase, _ in TABLE[Phase.OVER].values()} == {Phase.OVER}
    for phase in (Phase.STARTING, Phase.WAITING, Phase.CHOOSING):
        ends = {event for event, (next_, _) in TABLE[phase].items() if next_ is Phase.OVER}
        assert ends == {Event.STOP, Event.ABORT, Event.SILENCE, Event.UNPLAYABLE}


@dataclass
class Transcript:
    """What is sent and what comes of it. ``reply`` stands for our reply to the newest request."""

    title: str
    lines: list[tuple[str, Outcome | None, Phase]]


TRANSCRIPTS = [
    Transcript(
        "a match as it should be",
        [
            (START, Outcome.PREPARE, Phase.STARTING),
            ("reply", None, Phase.WAITING),
            (FIRST, Outcome.CHOOSE, Phase.CHOOSING),
            ("reply", None, Phase.WAITING),
            (SECOND, Outcome.CHOOSE, Phase.CHOOSING),
            ("reply", None, Phase.WAITING),
            ("(STOP m (c d))", Outcome.FINISH, Phase.OVER),
        ],
    ),
    Transcript(
        "PLAY while START is open",
        [
            (START, Outcome.PREPARE, Phase.STARTING),
            (FIRST, Outcome.CHOOSE, Phase.CHOOSING),
            ("reply", None, Phase.WAITING),
        ],
    ),
    Transcript(
        "the first PLAY is lost",
        [
            (START, Outcome.PREPARE, Phase.STARTING),
            (SECOND, Outcome.CHOOSE, Phase.CHOOSING),
        ],
    ),
    Transcript(
        "ABORT while START is open",
        [
            (START, Outcome.PREPARE, Phase.STARTING),
            ("(ABORT m)", Outcome.GIVE_UP, Phase.OVER),
        ],
    ),
    Transcript(
        "ABORT while PLAY is open",
        [
            (START, Outcome.PREPARE, Phase.STARTING),
            ("reply", None, Phase.WAITING),
            (FIRST, Outcome.CHOOSE, Phase.CHOOSING),
            ("(ABORT m)", Outcome.GIVE_UP, Phase.OVER),
        ],
    ),
    Transcript(
        "STOP while PLAY is open",
        [
            (START, Outcome.PREPARE, Phase.STARTING),
            (FIRST, Outcome.CHOOSE, Phase.CHOOSING),
            ("(STOP m NIL)", Outcome.FINISH, Phase.OVER),
        ],
    ),
    Transcript(
        "START again, of our match",
        [
            (START, Outcome.PREPARE, Phase.STARTING),
            (START, Outcome.BUSY, Phase.STARTING),
            ("reply", None, Phase.WAITING),
            (START, Outcome.BUSY, Phase.WAITING),
            (FIRST, Outcome.CHOOSE, Phase.CHOOSING),
            (START, Outcome.BUSY, Phase.CHOOSING),
        ],
    ),
    Transcript(
        "PLAY again while it is open, and after",
        [
            (START, Outcome.PREPARE, Phase.STARTING),
            (FIRST, Outcome.CHOOSE, Phase.CHOOSING),
            (FIRST, Outcome.REPEAT, Phase.CHOOSING),
            ("reply", None, Phase.WAITING),
            (FIRST, Outcome.REPEAT, Phase.WAITING),
            (SECOND, Outcome.CHOOSE, Phase.CHOOSING),
            ("(play m ((a) b))", Outcome.REPEAT, Phase.CHOOSING),
            ("reply", None, Phase.WAITING),
            (SECOND, Outcome.CHOOSE, Phase.CHOOSING),
            ("reply", None, Phase.WAITING),
            (FIRST, Outcome.REPEAT, Phase.WAITING),
        ],
    ),
    Transcript(
        "the next PLAY while PLAY is open",
        [
            (START, Outcome.PREPARE, Phase.STARTING),
            ("reply", None, Phase.WAITING),
            (SECOND, Outcome.CHOOSE, Phase.CHOOSING),
            (THIRD, Outcome.CHOOSE, Phase.CHOOSING),
            ("reply", None, Phase.WAITING),
        ],
    ),
]


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda transcript: transcript.title)
def test_transcripts(transcript: Transcript) -> None:
    start = read(START)
    assert isinstance(start, Start)
    match = Match(start)
    for text, outcome, phase in transcript.lines:
        if text == "reply":
            match.replied(match.newest)
        else:
            assert match.receive(read(text)) is outcome, text
        assert match.phase is phase, text


def test_the_reply_to_an_older_request_changes_nothing() -> None:
    matches = Matches()
    start, first, second = read(START), read(FIRST), read(SECOND)
    assert isinstance(start, Start)
    assert isinstance(first, Play)
    match, _ = matches.receive(start)
    assert match is not None
    matches.receive(first)
    match.replied(start)
    assert match.phase is Phase.CHOOSING
    matches.receive(second)
    match.replied(first)
    assert match.phase is Phase.CHOOSING
    assert match.newest is second


def test_a_lone_word_can_be_a_move() -> None:
    matches = Matches()
    for text in (START, FIRST, "(PLAY m left)", "(PLAY m right)"):
        assert matches.receive(read(text))[1] in {Outcome.PREPARE, Outcome.CHOOSE}
    assert matches.receive(read("(PLAY m right)"))[1] is Outcome.REPEAT


@pytest.mark.parametrize("text", [FIRST, SECOND, "(STOP m NIL)", "(ABORT m)"])
def test_a_match_that_we_do_not_play(text: str) -> None:
    assert Matches().receive(read(text)) == (None, Outcome.BUSY)


def test_there_is_room_for_so_many_matches() -> None:
    matches = Matches(limit=2)
    assert not matches.are_full
    assert matches.receive(read("(START a x () 1 1)"))[1] is Outcome.PREPARE
    assert matches.receive(read("(START b x () 1 1)"))[1] is Outcome.PREPARE
    assert matches.are_full
    assert matches.receive(read("(START c x () 1 1)")) == (None, Outcome.BUSY)
    assert matches.receive(read("(PLAY a NIL)"))[1] is Outcome.CHOOSE
    assert matches.receive(read("(ABORT b)"))[1] is Outcome.GIVE_UP
    assert (len(matches), matches.are_full) == (1, False)
    assert matches.receive(read("(ABORT b)")) == (None, Outcome.BUSY)
    assert matches.receive(read("(START c x () 1 1)"))[1] is Outcome.PREPARE


def test_an_id_can_be_used_again_when_its_match_is_over() -> None:
    matches = Matches()
    first, _ = matches.receive(read(START))
    assert first is not None
    matches.receive(read("(STOP m NIL)"))
    second, outcome = matches.receive(read(START))
    assert outcome is Outcome.PREPARE
    assert second is not first
    assert matches.end(first, Event.SILENCE) is Outcome.NOTHING
    assert len(matches) == 1


def test_a_match_that_nobody_stops_ends() -> None:
    matches = Matches()
    match, _ = matches.receive(read(START))
    assert match is not None
    assert matches.end(match, Event.SILENCE) is Outcome.DROP
    assert len(matches) == 0


@pytest.mark.parametrize("text", [START, FIRST, "(STOP m NIL)", "(ABORT m)"])
def test_a_match_belongs_to_the_sender_of_its_start(text: str) -> None:
    matches = Matches(limit=2)
    match, _ = matches.receive(read(START), "manager")
    assert match is not None
    phase = match.phase
    assert matches.receive(read(text), "stranger") == (None, Outcome.BUSY)
    assert match.phase is phase
    assert matches.are_for("manager", "m")
    assert not matches.are_for("stranger", "m")
    assert not matches.are_for("manager", "n")
    assert matches.receive(read(FIRST), "manager")[1] is Outcome.CHOOSE


def test_rules_that_cannot_be_played_free_the_seat() -> None:
    matches = Matches()
    match, _ = matches.receive(read(START))
    assert match is not None
    assert matches.end(match, Event.UNPLAYABLE) is Outcome.DROP
    assert not matches.are_full
