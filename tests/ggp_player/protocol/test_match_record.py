"""Match records keep the form of ggp.org, agree with themselves, and are saved whole."""

import errno
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import gdl
from ggp_player.protocol.match_record import MatchRecord, move_texts, state_text

FINISHED = MatchRecord(
    match_id="m.1",
    start_time=1_700_000_000_000,
    start_clock=10,
    play_clock=3,
    player_names_from_host=("minimax", "random"),
    states=("( (control white) )", "( )"),
    state_times=(1_700_000_000_000, 1_700_000_001_000),
    moves=(("(mark 1 1)", "noop"),),
    errors=(("", "TO"), ("IL (mark 9 9)", "CE")),
    goal_values=(100, 0),
    is_completed=True,
    is_player_human=(False, False),
    game_meta_url="file:///games/ticTacToe.kif",
    random_token="abc",
)

KEYS = (
    "matchId randomToken startTime gameMetaURL isCompleted isAborted states moves stateTimes "
    "errors goalValues previewClock startClock playClock playerNamesFromHost isPlayerHuman "
    "tournamentNameFromHost scrambled"
)


@st.composite
def records(draw: st.DrawFn) -> MatchRecord:
    steps, roles = draw(st.integers(0, 4)), draw(st.integers(1, 3))
    text = st.text(max_size=12)
    row = st.lists(text, min_size=roles, max_size=roles).map(tuple)
    completed = draw(st.booleans())
    goals = draw(st.lists(st.integers(0, 100), min_size=roles, max_size=roles).map(tuple))
    return MatchRecord(
        match_id=draw(text),
        start_time=draw(st.integers(0, 2**42)),
        start_clock=draw(st.integers(0, 999)),
        play_clock=draw(st.integers(0, 999)),
        player_names_from_host=draw(row),
        states=draw(st.lists(text, min_size=steps + 1, max_size=steps + 1).map(tuple)),
        state_times=(0,) * (steps + 1),
        moves=draw(st.lists(row, min_size=steps, max_size=steps).map(tuple)),
        errors=draw(st.lists(row, min_size=steps + 1, max_size=steps + 1).map(tuple)),
        goal_values=goals if completed else (),
        is_completed=completed,
        is_aborted=draw(st.booleans()),
        scrambled=draw(st.booleans()),
    )


@given(records())
def test_a_record_reads_back_from_its_json(record: MatchRecord) -> None:
    assert MatchRecord.from_json(record.to_json()) == record


def test_the_keys_are_those_of_ggp_org() -> None:
    data = json.loads(FINISHED.to_json())
    assert set(data) == set(KEYS.split())
    assert data["moves"] == [["(mark 1 1)", "noop"]]
    assert data["errors"] == [["", "TO"], ["IL (mark 9 9)", "CE"]]
    assert data["goalValues"] == [100, 0]
    assert data["gameMetaURL"] == "file:///games/ticTacToe.kif"
    assert (data["previewClock"], data["startClock"], data["playClock"]) == (-1, 10, 3)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("states", ["( )"], "1 states need 0 moves"),
        ("stateTimes", [1], "2 states need 2 stateTimes"),
        ("errors", [["", ""]], "2 states need 2 errors"),
        ("moves", [["noop"]], "needs 2 values, one per role"),
        ("goalValues", [], "a completed match needs 2 goalValues"),
    ],
)
def test_lengths_that_disagree_are_refused(key: str, value: object, message: str) -> None:
    data = json.loads(FINISHED.to_json()) | {key: value}
    if key == "states":
        data |= {"stateTimes": [1], "errors": [["", ""]]}
    with pytest.raises(ValidationError, match=message):
        MatchRecord.from_json(json.dumps(data))


def test_every_missing_key_is_named() -> None:
    with pytest.raises(ValidationError) as caught:
        MatchRecord.from_json("{}")
    missing = {error["loc"][0] for error in caught.value.errors()}
    assert {"matchId", "states", "moves", "errors", "stateTimes"} <= missing


def test_keys_that_others_add_are_ignored() -> None:
    data = json.loads(FINISHED.to_json()) | {"matchHostPK": "key", "apiVersion": "0.0.12"}
    assert MatchRecord.from_json(json.dumps(data)) == FINISHED


def test_saving_replaces_the_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    path.write_text("an earlier record")
    FINISHED.save(path)
    assert MatchRecord.from_json(path.read_bytes()) == FINISHED
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_save_keeps_the_earlier_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "match.json"
    path.write_text("an earlier record")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        FINISHED.save(path)
    assert path.read_text() == "an earlier record"
    assert list(tmp_path.iterdir()) == [path]


def test_states_and_moves_are_written_as_text() -> None:
    facts = frozenset({gdl.parse_term("(step 1)"), gdl.parse_term("(cell 1 b)")})
    assert state_text(facts) == "( (cell 1 b) (step 1) )"
    assert state_text(frozenset()) == "( )"
    assert move_texts([gdl.parse_term("( mark 1 )"), gdl.parse_term("noop")]) == (
        "(mark 1)",
        "noop",
    )


def test_a_record_without_states_says_so() -> None:
    record = replace(FINISHED, states=(), states_left_out=True)
    assert json.loads(record.to_json())["statesLeftOut"] is True
    assert MatchRecord.from_json(record.to_json()) == record
    with pytest.raises(ValidationError, match="expected no states where statesLeftOut is true"):
        replace(FINISHED, states_left_out=True)
    with pytest.raises(ValidationError, match="2 states need 2 errors"):
        replace(record, errors=())
