"""Records go in and come out with the same bytes; damaged ones get a sentence."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from ggp_player.archive import match_records
from ggp_player.archive.archived_match import MatchFilter
from ggp_player.archive.match_records import (
    export_document,
    find_records,
    parse_json_record,
    read_record,
)
from ggp_player.archive.queries import Archive
from ggp_player.archive.replay import facts_of, replay, states_of
from ggp_player.archive.writer import ArchiveWriter
from ggp_player.errors import ArchiveError
from ggp_player.events import EventBus
from ggp_player.match_rules import LocalRules
from ggp_player.match_runner.game_manager import GameManager, MatchSetup
from ggp_player.protocol import MatchRecord, StateTexts
from tests.support.events import new_publisher, play_turn, started

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)

XML = b"""<?xml version="1.0" encoding="ISO-8859-1" standalone="no"?>
<?xml-stylesheet type="text/xsl" href="../stylesheets/generic.xsl"?>
<!DOCTYPE match SYSTEM "http://games.stanford.edu/gamemaster/xml/viewmatch.dtd">
<match>
<match-id>themathematician_easy.1267937366123</match-id>
<role>WHITE</role><role>BLACK</role>
<player>FLUXPLAYER</player><player>GAMER</player>
<timestamp>1267937366177</timestamp>
<startclock>85</startclock>
<history>
<step><step-number>1</step-number><move>(MARK 1 1)</move><move>NOOP</move></step>
<step><step-number>2</step-number><move>NOOP</move><move>(MARK 2 1)</move></step>
</history>
<scores><reward>100</reward><reward>0</reward></scores>
<state><fact><prop-f>STEP</prop-f><arg>2</arg></fact>
<fact><prop-f>TERM</prop-f><arg><prop-f>OP</prop-f><arg>*</arg><arg>8</arg></arg></fact></state>
</match>
"""


@st.composite
def records(draw: st.DrawFn) -> bytes:
    """A record as some game manager writes it: its keys in any order, with more keys than ours."""
    roles, steps = draw(st.integers(1, 3)), draw(st.integers(0, 3))
    is_completed = draw(st.booleans())

    def texts(count: int) -> list[list[str]]:
        return [[draw(TEXTS) for _ in range(roles)] for _ in range(count)]

    values = {
        "matchId": draw(TEXTS),
        "startTime": draw(st.integers(0, 2**45)),
        "startClock": draw(st.integers(0, 9999)),
        "playClock": draw(st.integers(0, 9999)),
        "playerNamesFromHost": texts(1)[0],
        "states": [f"( (step {step}) )" for step in range(steps + 1)],
        "stateTimes": [draw(st.integers(0, 2**45)) for _ in range(steps + 1)],
        "moves": texts(steps),
        "errors": texts(steps + 1),
        "isCompleted": is_completed,
        "gameMetaURL": draw(TEXTS),
        "somethingElse": draw(st.lists(st.integers())),
        **({"goalValues": [draw(st.integers(0, 100))] * roles} if is_completed else {}),
    }
    items = draw(st.permutations(list(values.items())))
    indent = draw(st.sampled_from([None, 2]))
    text = json.dumps(dict(items), indent=indent, ensure_ascii=draw(st.booleans()))
    return text.encode() + draw(st.sampled_from([b"", b"\n", b"\r\n"]))


@pytest.mark.thorough
@given(records())
def test_a_record_comes_out_as_it_went_in(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    archive = Archive(tmp_path_factory.mktemp("archive") / "matches.sqlite")
    number = archive.add(parse_json_record(data))
    assert archive.add(parse_json_record(data)) == number
    match = archive.match(number)
    assert export_document(match) == (data, "json")
    record = MatchRecord.from_json(data)
    assert match.moves == record.moves
    assert [step.errors for step in match.steps] == list(record.errors)
    assert [seat.player for seat in match.summary.seats] == list(record.player_names_from_host)
    assert list(replay(match)) == [f"( (step {step}) )" for step in range(len(record.states))]


class Noop:
    """Plays noop, whatever is legal, so that its moves are replaced."""

    name = "noop"

    async def send(self, text: str) -> str:
        return "noop" if "PLAY" in text else "ready"


@pytest.mark.parametrize("scramble", [False, True])
def test_our_own_matches_come_out_as_the_game_managers_records(
    tmp_path: Path, fields: str, scramble: bool
) -> None:
    ruleset, bus, path = gdl.parse(fields), EventBus(), tmp_path / "matches.sqlite"
    expected = []
    with ArchiveWriter(path, bus):
        for seed in range(5):
            setup = MatchSetup(
                ruleset,
                f"fields.{seed}",
                5,
                5,
                seed=seed,
                scramble=scramble,
                start_time=1000 * seed,
                rulesheet_url="file:///games/fields.kif",
                events=bus,
            )
            manager = GameManager(setup, LocalRules(gdl.interpret(ruleset)), [Noop(), Noop()])
            record = asyncio.run(manager.run())
            expected.append(f"{record.to_json()}\n".encode())
    archive = Archive(path)
    for seed, data in enumerate(expected):
        assert export_document(archive.match(f"fields.{seed}")) == (data, "json")
    assert archive.list(MatchFilter(game="fields", status="completed")).total == 5


def test_a_match_that_was_broken_off_has_a_record(tmp_path: Path, fields: str) -> None:
    ruleset, bus, path = gdl.parse(fields), EventBus(), tmp_path / "matches.sqlite"
    setup = MatchSetup(ruleset, "m", 5, 5, events=bus)

    def stop(step: object) -> None:
        raise RuntimeError("broken off")

    manager = GameManager(setup, LocalRules(gdl.interpret(ruleset)), [Noop(), Noop()], stop)
    with ArchiveWriter(path, bus), pytest.raises(RuntimeError, match="broken off"):
        asyncio.run(manager.run())
    match = Archive(path).match("m")
    assert (match.summary.status, match.summary.reason) == ("aborted", "broken off")
    assert export_document(match)[0] == f"{manager.record().to_json()}\n".encode()


def test_a_match_of_our_player_has_a_record_once_its_rules_are_good(
    tmp_path: Path, fields: str
) -> None:
    path, bus = tmp_path / "matches.sqlite", EventBus()
    with ArchiveWriter(path, bus):
        events = new_publisher(bus)
        events.started(started(rules="(role xena"))
        play_turn(events, 0)
    with pytest.raises(ArchiveError, match="match 1 cannot be replayed"):
        export_document(Archive(path).match(1))


def test_a_file_of_dresden_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "themathematician_easy"
    folder.mkdir()
    for name in ("step_1.xml", "step_2.xml", "step_10.xml", "finalstate.xml"):
        (folder / name).write_bytes(XML)
    (found,) = find_records([tmp_path])
    assert found.name == "finalstate.xml"
    archive = Archive(tmp_path / "matches.sqlite")
    match = archive.match(archive.add(read_record(found)))
    assert export_document(match) == (XML, "xml")
    assert match.moves == (("(MARK 1 1)", "NOOP"), ("NOOP", "(MARK 2 1)"))
    seats = [(seat.role, seat.player, seat.outcome) for seat in match.summary.seats]
    assert seats == [("WHITE", "FLUXPLAYER", "win"), ("BLACK", "GAMER", "loss")]
    assert (match.summary.start_clock, match.summary.start_time) == (85, 1267937366177)
    last = list(replay(match))[-1]
    assert facts_of(last) == ("(STEP 2)", "(TERM (OP * 8))")
    (folder / "finalstate.xml").unlink()
    assert [path.name for path in find_records([folder])] == ["step_10.xml"]


RECORD = {
    "matchId": "m",
    "startTime": 1,
    "startClock": 1,
    "playClock": 1,
    "states": ["( )", "( )"],
    "moves": [["a", "b"]],
}


def test_what_some_game_managers_leave_out_is_filled_in() -> None:
    record = parse_json_record(json.dumps(RECORD).encode())
    assert [seat.player for seat in record.seats] == ["", ""]
    assert [step.errors for step in record.steps] == [("", ""), ("", "")]
    assert record.status == "interrupted"


DAMAGED = [
    (b"", "it is no JSON: Expecting value: line 1 column 1"),
    (b'{"matchId": "m",\n "states": [}', "it is no JSON: Expecting value: line 2 column 13"),
    (b"[]", "expected a JSON object; found list"),
    (b"\xff\xfe{}", "it is no JSON"),
    (b"[" * 100_000, "it is no JSON"),
    (json.dumps({**RECORD, "moves": [["a"], ["b"]]}).encode(), "2 states need 1 moves"),
    (json.dumps({**RECORD, "startTime": "soon"}).encode(), "startTime: Input should be a valid"),
    (json.dumps({**RECORD, "startTime": 2**70}).encode(), "."),
    (json.dumps({**RECORD, "states": 7}).encode(), "states"),
    (b"<match>", "it is no XML: no element found: line 1, column 7"),
    (b"<other/>", "expected the element match; found other"),
    (XML.replace(b"<reward>0</reward>", b""), "2 roles have 1 rewards"),
    (XML.replace(b"<move>NOOP</move>", b"", 1), "step 1: expected 2 moves; found 1"),
    (XML.replace(b">2</step-number>", b">3</step-number>"), "expected step 2; found 3"),
    (XML.replace(b"1267937366177", b"today"), "timestamp: expected a whole number; found 'today'"),
    (XML.replace(b"<match-id>", b"<match-ID>").replace(b"</match-id>", b"</match-ID>"), "match-id"),
    (
        b'<!DOCTYPE match [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><match>&b;</match>',
        "its XML is refused: EntitiesForbidden",
    ),
]


@pytest.mark.parametrize(("data", "sentence"), DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_records_get_a_sentence_with_file_and_place(
    tmp_path: Path, data: bytes, sentence: str
) -> None:
    path = tmp_path / "some.record"
    path.write_bytes(data)
    with pytest.raises(ArchiveError) as caught:
        read_record(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert sentence in str(caught.value)


def test_a_file_that_is_not_there_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="cannot be read: No such file"):
        read_record(tmp_path / "none.json")


def test_states_that_are_too_long_are_left_out_and_follow_from_the_moves(
    tmp_path: Path, fields: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruleset, bus, path = gdl.parse(fields), EventBus(), tmp_path / "matches.sqlite"
    manager = GameManager(
        MatchSetup(ruleset, "m", 5, 5, events=bus),
        LocalRules(gdl.interpret(ruleset)),
        [Noop(), Noop()],
    )
    with ArchiveWriter(path, bus):
        states = asyncio.run(manager.run()).states
    match = Archive(path).match("m")
    monkeypatch.setattr(match_records, "StateTexts", lambda: StateTexts(sum(map(len, states)) - 1))
    data, _ = export_document(match)
    assert json.loads(data)["states"] == []
    assert json.loads(data)["statesLeftOut"] is True
    kept = replace(match, document=data, document_format="json")
    assert tuple(states_of(kept)) == states
