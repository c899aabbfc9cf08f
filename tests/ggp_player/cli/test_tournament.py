"""``ggp-player tournament`` plays, resumes, and explains what it cannot do."""

import csv
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import AsyncMock, Mock

import pytest
from click.testing import Result

from gdl.cli.lazy_group import INTERRUPTED
from ggp_player.cli.commands.tournament import RESULTS_NAME
from ggp_player.manager.tournament import tournament_run
from ggp_player.worker import warm_up_process
from tests.support.command_line import CLOSED, TWO_STEPS, output_of, run, running

SHORT = f"{TWO_STEPS} (<= (goal ann 80) (role ann)) (<= (goal bob 20) (role bob))"

ALONE = """
(role ann) (init (step 0))
(legal ann yes) (legal ann no)
(<= (next (said ?w)) (does ann ?w))
(<= terminal (true (said ?w)))
(<= (goal ann 100) (true (said yes)))
(<= (goal ann 0) (not (true (said yes))))
"""


@pytest.fixture
def short(tmp_path: Path) -> Path:
    path = tmp_path / "short game.kif"
    path.write_text(SHORT)
    return path


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    path = tmp_path / "alone.kif"
    path.write_text(ALONE)
    return path


@pytest.fixture
def words_game(tmp_path: Path, words: str) -> Path:
    path = tmp_path / "words.kif"
    path.write_text(words)
    return path


def tournament(*arguments: object) -> Result:
    return run("tournament", *arguments)


@pytest.mark.thorough
def test_a_tournament_is_played_reported_and_kept(short: Path, alone: Path, tmp_path: Path) -> None:
    kept, table = tmp_path / "results.jsonl", tmp_path / "standings.csv"
    options = ["--game", short, "--game", alone, "--output", kept, "--csv", table, "--json"]
    result = tournament(*options, "--concurrency", "1", "legal", "random")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["planned"], found["played"], found["broke_off"]) == (4, 4, 0)
    assert found["tournament"]["players"] == ["legal", "random"]
    legal = next(row for row in found["games"] if row["player"] == "legal")
    assert (legal["game"], legal["matches"]) == ("short_game", 2)
    assert (legal["wins"], legal["losses"], legal["points"]["value"]) == (1, 1, 0.5)
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [line["goals"] for line in lines[1:3]] == [[80, 20], [80, 20]]
    assert [line["players"] for line in lines[1:3]] == [["legal", "random"], ["random", "legal"]]
    assert all(line["errors"] == [[]] * len(line["roles"]) for line in lines[1:])
    assert "short_game, round 1: ann legal 80, bob random 20; 2 steps" in result.stderr
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [row["scope"] for row in rows] == ["player"] * 2 + ["game"] * 4 + ["pairing"] * 2
    assert {row["player"] for row in rows if row["matches"] == "3"} == {"legal", "random"}


@pytest.mark.thorough
def test_what_is_there_is_not_played_again(short: Path, tmp_path: Path) -> None:
    options = ["--game", short, "--output", tmp_path, "--no-ratings"]
    assert tournament(*options, "legal", "random").exit_code == 0
    kept = tmp_path / RESULTS_NAME
    whole = kept.read_bytes()
    output = output_of(tournament(*options, "legal", "random"))
    assert "2 of 2 matches were played before\n2 of 2 matches played\n" in output
    assert kept.read_bytes() == whole
    kept.write_bytes(whole[:-20])  # half a line
    output = output_of(tournament(*options, "--rounds", "2", "legal", "random"))
    assert "1 of 4 matches were played before" in output
    ids = [json.loads(line)["match_id"] for line in kept.read_text().splitlines()[1:]]
    assert len(ids) == len(set(ids)) == 4


@pytest.mark.thorough
def test_players_can_join_a_tournament(short: Path, tmp_path: Path) -> None:
    options = ["--game", short, "--output", tmp_path, "--no-ratings", "--concurrency", "1"]
    assert tournament(*options, "legal", "random").exit_code == 0
    kept = tmp_path / RESULTS_NAME
    before = kept.read_text()
    third = "bounded_minimax"
    output = output_of(tournament(*options, third, "random", "legal"))
    assert "2 of 6 matches were played before" in output
    assert "6 of 6 matches played" in output
    text = kept.read_text()
    assert text.startswith(before)
    identity, *lines = [json.loads(line) for line in text.removeprefix(before).splitlines()]
    assert identity["players"] == ["legal", "random", third]
    assert {frozenset(line["players"]) for line in lines} == {
        frozenset({"legal", third}),
        frozenset({"random", third}),
    }
    again = tournament(*options, "legal", "random", third)
    assert "6 of 6 matches were played before" in again.output
    assert kept.read_text() == text
    output = output_of(tournament(*options, "legal", third), 1)
    assert "players: legal, random, bounded_minimax there, legal, bounded_minimax here" in output


def test_illegal_choices_of_a_strategy_show_in_the_table(
    words_game: Path, bad: Callable[[str], str]
) -> None:
    output = output_of(tournament("--game", words_game, "--no-ratings", bad("Illegal"), "legal"))
    lines = output.splitlines()
    head = next(line for line in lines if line.split()[:2] == ["player", "matches"])
    rows = {
        line.split()[0]: line.split() for line in lines if line.startswith("  ") and line.strip()
    }
    assert head.split()[-1] == "illegal"
    assert rows[bad("Illegal")][-1] == "6"
    assert rows["legal"][-1] != "6"
    assert "late, failed, illegal: replies too late, connections that failed" in output


def test_the_folder_of_records_is_made(short: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "records"
    output_of(tournament("--game", short, "--records", folder, "--no-ratings", "legal", "random"))
    assert len(list(folder.iterdir())) == 2


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("players", "compiles"), [(["legal", "random"], False), (["legal", "uct"], True)]
)
def test_searches_are_compiled_before_the_first_match(
    short: Path, cold: list[str], players: list[str], compiles: bool
) -> None:
    refused = tournament("--game", short, "--concurrency", "9999", *players)
    assert (cold, "warm" in refused.output) == ([], False)
    result = tournament("--game", short, "--no-ratings", *players)
    assert ("the searches are warm after 1.5 s" in result.stderr) == compiles
    assert cold == ["compiled"] * compiles


def test_ctrl_c_while_the_searches_are_compiled_has_its_exit_status(
    short: Path, cold: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up_process, "_run_through", Mock(side_effect=KeyboardInterrupt))
    result = tournament("--game", short, "--no-ratings", "legal", "uct")
    assert (result.exit_code, cold) == (130, [])


@pytest.mark.thorough
def test_a_server_that_cannot_be_reached_is_noticed_before_the_first_match(
    short: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "results.jsonl"
    output = output_of(tournament("--game", short, "--output", kept, "legal", CLOSED), 1)
    assert f"{CLOSED} cannot be reached: nothing listens there; no match is begun" in output
    assert len(kept.read_text().splitlines()) == 1


@pytest.mark.thorough
def test_a_server_that_is_lost_is_reported_and_tried_again(
    short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament_run, "check_reachable", AsyncMock())  # it was there a moment ago
    kept = tmp_path / "results.jsonl"
    for attempt in (1, 2):
        output = output_of(tournament("--game", short, "--output", kept, "legal", CLOSED), 1)
        assert f"broke off: {CLOSED} could not be reached at the start" in output
        assert "0 of 2 matches played, 2 broke off" in output
        assert len(kept.read_text().splitlines()) == 1 + 2 * attempt


def test_what_our_own_players_warn_of_is_kept(
    alone: Path, tmp_path: Path, bad: Callable[[str], str]
) -> None:
    kept = tmp_path / "results.jsonl"
    options = ["--game", alone, "--output", kept, "--start-clock", "20", "--play-clock", "20"]
    output_of(tournament(*options, bad("Raising"), "legal"))
    lines = [json.loads(line) for line in kept.read_text().splitlines()[1:]]
    warnings = {line["players"][0]: line["warnings"] for line in lines}
    assert any("ZeroDivisionError" in warning for warning in warnings[bad("Raising")])
    assert not any("ZeroDivisionError" in warning for warning in warnings["legal"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--game", "GAME", "legal"], "two players or more"),
        (["legal", "random"], "Missing option '--game'"),
        (["--game", "GAME", "legal", "legal"], "legal is named twice"),
        (["--game", "GAME", "legal", "cleverest"], "no strategy 'cleverest'"),
        (["--game", "GAME", "--game", "GAME", "legal", "random"], "the name short_game"),
        (["--game", "no-such.kif", "legal", "random"], "'no-such.kif' does not exist"),
        (["--game", "GAME", "--rounds", "0", "legal", "random"], "--rounds"),
        (["--game", "GAME", "--play-clock", "0.5", "legal", "random"], "--play-clock"),
        (["--game", "GAME", "--concurrency", "9999", "legal", "random"], "disturb each other"),
        (["--game", "GAME", "--output", "no-such-folder/x", "legal", "random"], "no-such-folder"),
        (["--game", "GAME", "--output", "GAME", "legal", "random"], "holds something else"),
        (["--game", "GAME", "--output", "GAME", "--no-resume", "legal", "random"], "exists"),
        (["--game", "GAME", "--csv", "no-such-folder/x", "legal", "random"], "there is no folder"),
        (["--game", "GAME", "--records", "GAME", "legal", "random"], "--records"),
        (["--game", "GAME", "legal", "leagl"], "did you mean legal?"),
        (["--game", "GAME", "legal", "localhost:99999"], "a port from 1 to 65535"),
        (["--game", "GAME", "legal", "http://localhost:9147/"], "expected host:port"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    short: Path, arguments: list[str], sentence: str
) -> None:
    result = tournament(*[short if argument == "GAME" else argument for argument in arguments])
    assert result.exit_code in {1, 2}
    assert isinstance(result.exception, SystemExit)
    assert sentence in result.output
    assert short.read_text() == SHORT


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(role ann", "never closed"),
        ("(init a)", "the rules name no role"),
        ("(role random) (legal random a) (next a) terminal", "no role for a player"),
    ],
)
def test_a_game_that_nobody_can_play_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "bad.kif"
    path.write_text(text)
    assert sentence in output_of(tournament("--game", path, "legal", "random"), 1)


def test_a_server_cannot_take_two_seats(tmp_path: Path) -> None:
    path = tmp_path / "three.kif"
    path.write_text(SHORT.replace("(role random)", "(role cat)"))
    output = output_of(tournament("--game", path, "legal", CLOSED), 1)
    assert f"the server at {CLOSED} can take one" in output


def test_ratings_need_nothing_that_is_not_installed(short: Path) -> None:
    result = tournament("--game", short, "--json", "legal", "random")
    assert result.exit_code == 0
    assert set(json.loads(result.stdout)["ratings"]) == {"legal", "random"}


@pytest.mark.thorough
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_tournament_that_was_broken_off_goes_on(
    short: Path, tmp_path: Path, sent: signal.Signals
) -> None:
    kept = tmp_path / "results.jsonl"
    options = ["--game", short, "--output", kept, "--rounds", 2, "--no-ratings"]
    options += ["--concurrency", 1]
    with running("tournament", *options, "legal", "random") as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(sent)
        rest, errors = process.communicate()
    assert first.startswith("short_game, round 1: ")
    if sent == signal.SIGINT:
        assert process.returncode == INTERRUPTED, errors
        assert "Traceback" not in errors
        assert " of 4 matches played, " in rest
    before = kept.read_bytes().count(b"\n") - 1
    assert 1 <= before < 4
    output = output_of(tournament(*options, "legal", "random"))
    assert f"{before} of 4 matches were played before" in output
    assert "4 of 4 matches played" in output
    ids = [json.loads(line)["match_id"] for line in kept.read_text().splitlines()[1:]]
    assert len(ids) == len(set(ids)) == 4


def test_a_cluster_that_cannot_be_had_is_said(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    output = output_of(tournament("--game", short, "--ray", "local", "legal", "random"), 1)
    assert "a cluster needs Ray: pip install 'ggp-player[ray]'" in output


def test_a_person_is_not_asked_on_a_cluster(short: Path) -> None:
    output = output_of(tournament("--game", short, "--ray", "local", "legal", "human"), 2)
    assert "a person cannot be asked on a cluster" in output
