"""``ggp-player match`` plays, prints and records a match, and explains what it cannot do."""

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result

from gdl.cli.lazy_group import INTERRUPTED
from ggp_player.archive.queries import Archive
from ggp_player.errors import GgpPlayerError
from ggp_player.match_runner.game_manager import GameManager
from ggp_player.protocol.match_record import MatchRecord
from tests.support.command_line import CLOSED, TWO_STEPS, output_of, run, running


@pytest.fixture
def rulesheet(tmp_path: Path) -> Path:
    path = tmp_path / "short game.kif"
    path.write_text(TWO_STEPS + "(<= (goal ?r 50) (role ?r) (distinct ?r bob))")
    return path


def match(*arguments: object) -> Result:
    return run("match", *arguments)


@pytest.mark.thorough
def test_a_match_is_played_printed_and_saved(rulesheet: Path, tmp_path: Path) -> None:
    saved = tmp_path / "record.json"
    output = output_of(
        match(rulesheet, "legal", "random", "--seed", 3, "--save", saved, "--states")
    )
    record = MatchRecord.from_json(saved.read_bytes())
    assert record.is_completed
    assert record.errors == (("", "", ""),) * 3
    assert record.player_names_from_host == ("legal", "random", "random")
    assert record.game_meta_url == rulesheet.as_uri()
    assert record.match_id.startswith("short_game.")
    assert record.goal_values == (50, 50, 0)
    assert "ann is legal, random is moved by chance, bob is random" in output
    for number, moves in enumerate(record.moves, start=1):
        roles = zip(("ann", "random", "bob"), moves, strict=True)
        shown = "  ".join(f"{role} {move}" for role, move in roles)
        assert f"{number:4}  {shown}  " in output
    assert all(f"      {state}\n" in output for state in record.states)
    last_line = next(line for line in output.splitlines() if line.startswith("│ bob"))
    assert [cell.strip() for cell in last_line.split("│")[1:4]] == ["bob", "random", "none"]


def test_with_the_same_seed_the_match_is_the_same() -> None:
    def moves() -> list[str]:
        output = output_of(match("ticTacToe", "random", "random", "--seed", 1, "--no-archive"))
        return re.findall(r"^ +\d+  cross (.*)  [\d.]+ s$", output, re.MULTILINE)

    first = moves()
    assert len(first) > 4
    assert moves() == first


@pytest.mark.thorough
def test_the_archive_stays_within_its_limit(rulesheet: Path, tmp_path: Path) -> None:
    archive = tmp_path / "matches.sqlite"
    options = ("--archive", archive, "--archive-limit", "1")
    for _ in range(2):
        assert match(rulesheet, "legal", "legal", *options).exit_code == 0
    assert Archive(archive).list().matches[0].number == 2
    assert Archive(archive).list().total == 1
    output = output_of(match(rulesheet, "legal", "legal", "--archive-limit", "lots"), 2)
    assert "expected a number of matches, a size such as 500MB or 2GiB, or none" in output


def test_a_scrambled_match_is_printed_in_the_rulesheets_words(rulesheet: Path) -> None:
    output = output_of(match(rulesheet, "legal", "legal", "--scramble"))
    assert "in invented words" in output
    assert "   1  ann (say " in output
    assert "(IL)" not in output


def test_no_match_begins_with_a_player_that_cannot_be_reached(
    rulesheet: Path, tmp_path: Path
) -> None:
    saved, archive = tmp_path / "record.json", tmp_path / "matches.sqlite"
    output = output_of(match(rulesheet, CLOSED, "legal", "--save", saved, "--archive", archive), 1)
    reason = "nothing listens there; no match is begun"
    assert output == f"Error: {CLOSED} cannot be reached: {reason}\n"
    assert not saved.exists()
    assert not archive.exists()


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A file on a disk that is full."""
    path = tmp_path / "full"
    path.symlink_to("/dev/full")
    return path


@pytest.mark.thorough
def test_a_full_disk_loses_no_result(
    rulesheet: Path, full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = match(rulesheet, "legal", "legal", "--save", full, "--no-archive")
    assert result.exit_code == 1
    assert "│ ann" in result.stdout
    record = MatchRecord.from_json(result.stdout[result.stdout.index("{\n") :])
    assert record.is_completed
    assert result.stderr.endswith(f"Error: {full}: No space left on device\n")
    monkeypatch.delenv("GGP_PLAYER_NO_ARCHIVE", raising=False)
    result = match(rulesheet, "legal", "legal", "--archive", full)
    assert result.exit_code == 1
    assert "│ ann" in result.stdout
    assert f"Error: the archive {full} is not complete: " in result.stderr


@pytest.mark.thorough
def test_a_full_disk_loses_no_result_of_a_tournament(
    rulesheet: Path, full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rulesheet.write_text(TWO_STEPS + "(<= (goal ?r 50) (role ?r))")
    results = tmp_path / "results.jsonl"
    flags = ("--no-archive", "--game", rulesheet, "legal", "random")
    assert run("tournament", "--output", results, *flags).exit_code == 0
    before = results.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr("ggp_player.manager.tournament.results.os.fsync", _fail)
        result = run("tournament", "--output", results, "--rounds", "2", *flags)
    assert result.exit_code == 1
    assert "round 2: ann " in result.stdout
    assert "3 of 4 matches" in result.stdout
    assert result.stderr.endswith(f"Error: {results}: No space left on device\n")
    assert results.read_bytes() == before
    result = run("tournament", "--csv", full, *flags)
    assert result.exit_code == 1
    assert "player," in result.stdout
    assert result.stderr.endswith(f"Error: {full}: No space left on device\n")


def _fail(_file: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_players_is_refused(rulesheet: Path, count: int) -> None:
    result = match(rulesheet, *["legal"] * count)
    assert result.exit_code != 0
    assert f"the game needs 2 players (ann, bob), given {count}" in result.output


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(role ann", "this '(' is never closed"),
        ("(init a)", "the rules name no role"),
        ("(role a) (<= (p ?x) (not (q ?x)))", "?x"),
    ],
)
def test_a_bad_rulesheet_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "bad.kif"
    path.write_text(text)
    output = output_of(match(path, "legal"), 1)
    assert "Error: the game cannot be played:\n" in output
    assert sentence in output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no-such-file.kif", "legal"], "'no-such-file.kif' does not exist"),
        (["RULESHEET", "cleverest", "legal"], "no strategy 'cleverest'"),
        (["RULESHEET", "legal", "legal", "--save", "no-such-folder/x"], "no folder"),
        (["RULESHEET", "legal", "legal", "--play-clock", "-1"], "--play-clock"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    rulesheet: Path, arguments: list[str], sentence: str
) -> None:
    output = output_of(match(*[str(rulesheet) if a == "RULESHEET" else a for a in arguments]), 2)
    assert sentence in output


@pytest.mark.thorough
def test_our_games_are_known_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = match("tictactoe", "legal", "random", "--play-clock", "1", "--start-clock", "1")
    assert result.exit_code == 0
    assert "match ticTacToe." in result.output
    (tmp_path / "tictactoe").write_text("(role a)")
    result = match("tictactoe", "legal")
    assert "match tictactoe." in result.output, "a file goes before a name"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("number", "in_background"),
    [(signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGTERM, True)],
)
def test_ctrl_c_and_sigterm_abort_the_match_and_save_its_record(
    rulesheet: Path, tmp_path: Path, number: signal.Signals, in_background: bool
) -> None:
    saved = tmp_path / "record.json"
    hanging = "tests.support.misbehaving:Hanging"
    options = ["--start-clock", "1", "--play-clock", "60", "--save", saved]
    players = rulesheet, hanging, hanging
    with running("match", *players, *options, in_background=in_background) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("   0  "):
                process.send_signal(number)
                break
        _, errors = process.communicate()
    assert process.returncode == INTERRUPTED, errors
    assert "Aborted!" in errors
    assert "Traceback" not in errors
    record = MatchRecord.from_json(saved.read_bytes())
    assert (record.is_aborted, record.is_completed, record.moves) == (True, False, ())


@pytest.mark.parametrize(
    ("players", "compiles"),
    [
        (["legal", "random"], False),
        (["legal", "alpha_beta"], False),
        (["legal", "mcts"], True),
        (["legal", "mcts", "random"], False),
        (["legal", "mtcs"], False),
    ],
)
def test_searches_are_compiled_before_the_match_where_one_plays(
    rulesheet: Path,
    cold: list[str],
    monkeypatch: pytest.MonkeyPatch,
    players: list[str],
    compiles: bool,
) -> None:
    async def run(manager: GameManager) -> None:
        cold.append("the match begins")
        raise GgpPlayerError("stopped here")

    monkeypatch.setattr(GameManager, "run", run)
    result = match(rulesheet, *players)
    assert result.exit_code != 0
    assert ("the searches are warm after 1.5 s" in result.stderr) == compiles
    if "mtcs" not in players and len(players) == 2:
        assert cold == [*(["compiled"] * compiles), "the match begins"]
    assert ("stopped here" in result.stderr) == (
        players[1:] in (["random"], ["alpha_beta"], ["mcts"])
    )


def test_a_strategy_that_is_none_is_named_with_the_nearest(rulesheet: Path) -> None:
    output = output_of(match(rulesheet, "legal", "mtcs"), 2)
    assert "there is no strategy 'mtcs' (did you mean mcts?); there are alpha_beta" in output


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may refuse the limit")
@pytest.mark.parametrize("command", [("match", "ticTacToe"), ("tournament", "--game", "ticTacToe")])
def test_too_little_address_space_is_said_at_once(command: tuple[str, ...]) -> None:
    limited = ["sh", "-c", 'ulimit -v 307200; exec "$@"', "sh", sys.executable, "-m", "ggp_player"]
    done = subprocess.run(
        [*limited, *command, "legal", "random"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == (
        "Error: expected a limit of address space (ulimit -v) of 512 MiB or more, found 300 MiB\n"
    )
