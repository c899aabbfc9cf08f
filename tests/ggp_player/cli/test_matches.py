"""The archive by its commands, as a user would use them; also after a server was killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ggp_player.__main__ import main
from ggp_player.archive.queries import Archive
from ggp_player.archive.writer import ArchiveWriter
from ggp_player.events import EventBus, MoveChosen, StateReached
from ggp_player.events.json_lines import decode_event
from tests.support.events import new_publisher, play_match
from tests.support.paths import ROOT
from tests.support.raw_manager import exchange
from tests.support.server_process import ServerProcess

NIM = ROOT / "games" / "nim.kif"


def run(path: Path, *arguments: str, answer: str = "") -> Result:
    return CliRunner().invoke(main, ["matches", *arguments, "--archive", str(path)], answer)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path, bus = tmp_path / "matches.sqlite", EventBus()
    with ArchiveWriter(path, bus):
        play_match(new_publisher(bus, lambda: 1_700_000_000_000, key="one"), "ticTacToe.1700000")
        play_match(new_publisher(bus, lambda: 1_800_000_000_000, key="other"), "nim.1800000")
    return path


def test_matches_are_listed_and_filtered(path: Path) -> None:
    result = run(path, "list")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines] == ["match", "2", "1", "1"]
    assert "nim" in lines[1]
    assert "*xena=ggp-player 100  Oscar 0" in lines[1]
    assert lines[-1] == "1 to 2 of 2"
    assert "1 to 1 of 1" in run(path, "list", "--game", "nim", "--result", "win").output
    assert "none of 0" in run(path, "list", "--result", "0-50").output
    assert "1 to 1 of 1" in run(path, "list", "--until", "2025-01-01").output
    assert "2 to 2 of 2" in run(path, "list", "--limit", "1", "--page", "2").output
    values = json.loads(run(path, "list", "--json", "--since", "2025-01-01").output)
    assert (values["total"], values["matches"][0]["match_id"]) == (1, "nim.1800000")
    wrong = run(path, "list", "--result", "good")
    assert wrong.exit_code == 2
    assert "expected win, draw, loss, a goal value, or a range" in wrong.output


def test_a_match_is_shown_with_what_the_search_thought(path: Path) -> None:
    output = run(path, "show", "nim.1800000").output
    assert "match 2: nim.1800000, completed" in output
    assert output.count("two rivals") == output.count("kind      two rivals, moves in turn") == 1
    assert "xena: (claim 3), value 75.5, 1.50 s" in output
    assert "expects (claim 3) noop  noop (claim 1)" in output
    values = json.loads(run(path, "show", "2", "--json").output)
    assert values["details"] == {"about_game": "two rivals, moves in turn"}
    assert values["choices"][0]["thoughts"]["moves"][0]["visits"] == 9
    assert run(path, "show", "2", "--rules").output.startswith("(role xena)")
    missing = run(path, "show", "3")
    assert (missing.exit_code, "there is no match 3" in missing.output) == (1, True)


def test_records_are_exported_and_imported_with_the_same_bytes(path: Path, tmp_path: Path) -> None:
    folder, again = tmp_path / "records", tmp_path / "again"
    assert run(path, "export", "--output", str(folder)).exit_code == 0
    names = sorted(file.name for file in folder.iterdir())
    assert names == ["1-ticTacToe_1700000.json", "2-nim_1800000.json"]
    other = tmp_path / "other.sqlite"
    (folder / "damaged.json").write_text("{")
    result = run(other, "import", str(folder))
    assert result.exit_code == 1
    assert "damaged.json: it is no JSON: Expecting property name" in result.output
    assert "2 added, 0 known before, 1 cannot be read" in result.output
    (folder / "damaged.json").unlink()
    assert "0 added, 2 known before" in run(other, "import", str(folder)).output
    assert run(other, "export", "--output", str(again)).exit_code == 0
    exported = sorted(file.read_bytes() for file in again.iterdir())
    assert exported == sorted(file.read_bytes() for file in folder.iterdir())
    one = run(other, "export", "1").stdout_bytes
    assert one in exported


def test_a_match_is_replayed_step_by_step(path: Path) -> None:
    output = run(path, "replay", "2").output
    assert [line for line in output.splitlines() if line.startswith("---")] == [
        f"--- step {step} of 3" for step in range(4)
    ]
    assert "(control xena)" not in output
    assert "control: xena" in output
    assert "(control xena)" in run(path, "replay", "2", "--facts").output
    assert run(path, "replay", "2", "--step", "4").exit_code == 1
    assert run(path, "replay", "2", "--step", "1").output.count("---") == 2 / 2


def test_a_match_is_deleted_after_a_question(path: Path) -> None:
    assert "deleted" not in run(path, "delete", "1", answer="n\n").output
    assert "deleted: match 1" in run(path, "delete", "1", answer="y\n").output
    assert "deleted: match 2" in run(path, "delete", "2", "--yes").output
    assert Archive(path).list().total == 0


@pytest.mark.thorough
def test_a_killed_server_loses_at_most_the_open_move(tmp_path: Path, fields: str) -> None:
    path, events = tmp_path / "matches.sqlite", tmp_path / "events.jsonl"
    rules = " ".join(line for line in fields.splitlines() if not line.startswith(";"))
    flags = ("--strategy", "random", "--archive", str(path), "--events", str(events))
    with ServerProcess(tmp_path, *flags) as server:
        address = server.address
        assert exchange(address, f"( START killed.1 xena ({rules}) 5 5 )", 30) == "ready"
        first = exchange(address, "( PLAY killed.1 NIL )", 30)
        assert exchange(address, f"( PLAY killed.1 ({first} noop) )", 30) == "noop"
        wait_for_choices(path, 2)
        server.kill()
    output = run(path, "show", "killed.1").output
    assert "killed.1, running" in output
    assert f"   1  {first}  noop" in output
    match = Archive(path).match("killed.1")
    assert [choice.move for choice in match.choices] == [first, "noop"]
    assert [seat.role for seat in match.summary.seats] == ["xena", "Oscar"]
    told = [decode_event(line) for line in events.read_bytes().splitlines()]
    assert [event.move for event in told if isinstance(event, MoveChosen)] == [first, "noop"]
    states = [event.state for event in told if isinstance(event, StateReached)]
    assert states[0] == "( (control xena) (free 1) (free 2) (free 3) )"
    assert run(path, "replay", "killed.1", "--step", "1").exit_code == 0


def wait_for_choices(path: Path, count: int) -> None:
    """Wait until the server has written so many moves of its own."""
    while not path.exists() or not Archive(path).list().total:
        pass
    while len(Archive(path).match("killed.1").choices) < count:
        pass


@pytest.mark.thorough
def test_match_keeps_itself_unless_told_otherwise(tmp_path: Path) -> None:
    path, saved = tmp_path / "matches.sqlite", tmp_path / "record.json"
    clocks = ["--start-clock", "2", "--play-clock", "2"]
    command = ["match", str(NIM), "random", "random", *clocks, "--archive", str(path)]
    runner = CliRunner()
    assert runner.invoke(main, [*command, "--no-archive"]).exit_code == 0
    assert not path.exists()
    assert runner.invoke(main, [*command, "--save", str(saved)]).exit_code == 0
    exported = run(path, "export", "1").stdout_bytes
    assert exported == saved.read_bytes()
    match = Archive(path).match(1)
    assert match.summary.game == "nim"
    assert len(match.choices) == 2 * match.summary.steps


@pytest.mark.thorough
def test_a_tournament_keeps_every_match(tmp_path: Path) -> None:
    path, records = tmp_path / "matches.sqlite", tmp_path / "records"
    command = ["tournament", "--game", str(NIM), "--rounds", "2", "legal", "random"]
    command += ["--start-clock", "2", "--play-clock", "2", "--concurrency", "1", "--no-ratings"]
    command += ["--records", str(records), "--archive", str(path), "--scramble"]
    assert CliRunner().invoke(main, command).exit_code == 0
    archive = Archive(path)
    found = archive.list().matches
    saved = sorted(file.read_bytes() for file in records.iterdir())
    folder = tmp_path / "exported"
    assert run(path, "export", "--output", str(folder)).exit_code == 0
    assert sorted(file.read_bytes() for file in folder.iterdir()) == saved
    assert len(found) == len(saved) == 4
    match = archive.match(found[0].number)
    by_turn = {(choice.turn, choice.role): choice.move for choice in match.choices}
    roles = [seat.role for seat in match.summary.seats]
    for turn, joint_move in enumerate(match.moves):
        assert [by_turn[turn, role] for role in roles] == list(joint_move)


@pytest.mark.thorough
def test_events_on_the_standard_output_leave_the_greeting_to_stderr(
    tmp_path: Path, fields: str
) -> None:
    rules = " ".join(line for line in fields.splitlines() if not line.startswith(";"))
    command = [sys.executable, "-m", "ggp_player", "serve", "--port", "0", "--strategy", "legal"]
    process = subprocess.Popen(
        [*command, "--no-archive", "--events", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    with process:
        assert process.stderr is not None
        assert process.stdout is not None
        greeting = next(line for line in process.stderr if line.startswith(b"listening"))
        host, port = greeting.decode().split()[1].split(":")
        start = f"( START told.1 xena ({rules}) 5 5 )"
        assert exchange((host, int(port)), start, 30) == "ready"
        assert decode_event(process.stdout.readline()).kind == "MatchStarted"
        process.terminate()
        output, _ = process.communicate(timeout=30)
    kinds = [decode_event(line).kind for line in output.splitlines()]
    assert kinds[-1] == "MatchEnded"
    assert process.returncode == 0
