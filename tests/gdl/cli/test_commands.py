"""The ``gdl`` command, as people and scripts use it."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

import gdl
from gdl.__main__ import COMMANDS, main
from gdl.cli.lazy_group import INTERRUPTED
from tests.support.paths import ROOT

NO_FILE = {"lsp", "serve-oracle"}
"""Commands that read no rulesheets from files."""

GAME = ROOT / "games" / "ticTacToe.kif"

MISTAKES = """\
(role white
(role black)
(legal white)
(<= (next ?x) (true ?y))
(<= terminal (not (goal ?x)))
(<= (legal black noop) (distinct black))
"""


def run(*arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)), input=text)


def output_of(*arguments: object, text: str | None = None) -> str:
    result = run(*arguments, text=text)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "mine.kif"
    path.write_text("(role a)(legal a go)\n(<= (goal a 100)(true b)) ; won\n(<= terminal (true b))")
    return path


# ---------------------------------------------------------------------- help


def test_help_lists_every_command_with_a_line_of_its_own() -> None:
    text = output_of("--help")
    for name in COMMANDS:
        assert re.search(rf"^  {name} +\S.*\.$", text, re.MULTILINE)


@pytest.mark.thorough
@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_in_the_help_of_a_command_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = output_of(name, "--help")
    examples = re.findall(r"^ +gdl (.*)$", text, re.MULTILINE)
    assert examples
    assert all(example.split()[0] == name for example in examples)
    (tmp_path / "games").mkdir()
    for game in {*re.findall(r"games/(\w+)\.kif", text), "nim"}:
        (tmp_path / "games" / f"{game}.kif").symlink_to(ROOT / "games" / f"{game}.kif")
    (tmp_path / "mygame.kif").write_bytes(GAME.read_bytes())
    monkeypatch.chdir(tmp_path)
    for example in examples:
        arguments = example.split(">")[0].split("|")[0].replace("games/*.kif", "games/nim.kif")
        assert run(*shlex.split(arguments.replace("1000", "10"))).exit_code == 0


def test_a_command_that_does_not_exist_is_named() -> None:
    result = run("chek")
    assert result.exit_code == 2
    assert "No such command 'chek'" in result.stderr


# ---------------------------------------------------------------------- errors


@pytest.mark.parametrize("name", [n for n in COMMANDS if n not in ("check", "coverage", *NO_FILE)])
def test_a_rulesheet_that_cannot_be_read_is_explained(name: str) -> None:
    options: dict[str, list[object]] = {"perft": ["--depth", "1"], "diff": [GAME]}
    result = run(name, *options.get(name, []), "-", text="(role white\n")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == (
        "<stdin>:1:1: error: this '(' is never closed [unclosed-parenthesis]\n  (role white\n  ^\n"
    )


@pytest.mark.parametrize("name", ["perft", "playout", "stats"])
def test_a_game_that_cannot_be_played_is_explained(name: str) -> None:
    options = ["--depth", "1"] if name == "perft" else []
    result = run(name, *options, "-", text="(init a)")
    assert result.exit_code == 1
    assert result.stderr == "Error: <stdin>: the rules name no role\n"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NO_FILE])
def test_a_file_that_is_not_there_is_named(name: str) -> None:
    result = run(name, "nowhere.kif")
    assert result.exit_code == 2
    assert "'nowhere.kif' does not exist" in result.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="everything can be read by the superuser")
def test_a_file_that_may_not_be_read_is_named(sheet: Path) -> None:
    sheet.chmod(0)
    result = run("check", sheet)
    assert result.exit_code == 2
    assert "is not readable" in result.stderr


def test_a_place_that_cannot_be_written_is_named(sheet: Path) -> None:
    result = run("convert", sheet, "--output", sheet.parent / "none" / "out.hrf")
    assert result.exit_code == 2
    assert f"there is no folder {sheet.parent / 'none'}" in " ".join(result.stderr.split())


# ---------------------------------------------------------------------- check


def test_check_is_content_with_good_rulesheets() -> None:
    assert output_of("check", GAME) == f"{GAME}: no problems\n"


def test_check_shows_every_mistake_under_a_caret() -> None:
    result = run("check", "-", text=MISTAKES)
    assert result.exit_code == 1
    assert result.stderr == ""
    found = re.findall(r"^<stdin>:(\d+):(\d+): error: .*\n  (.*)\n  ( *)\^", result.stdout, re.M)
    lines = MISTAKES.splitlines()
    assert {int(line) for line, *_ in found} >= {1, 3, 4, 5, 6}
    for line, column, excerpt, blanks in found:
        assert excerpt == lines[int(line) - 1]
        assert len(blanks) == int(column) - 1
    assert result.stdout.splitlines()[-1].startswith("<stdin>: ")


def test_check_lets_warnings_pass() -> None:
    text = GAME.read_text(encoding="utf-8") + "(spare part)\n"
    assert output_of("check", "-", text=text).endswith("<stdin>: 1 warning\n")


def test_check_of_several_files_fails_where_one_does(sheet: Path) -> None:
    sheet.write_text("(role a")
    result = run("check", GAME, sheet, GAME)
    assert result.exit_code == 1
    assert result.stdout.count(f"{GAME}: no problems\n") == 2


def test_check_writes_json(sheet: Path) -> None:
    sheet.write_text("(role a)\r\n(legal a)\n")
    result = run("check", "--json", GAME, sheet)
    assert result.exit_code == 1
    good, bad = json.loads(result.stdout)
    assert good == {"file": str(GAME), "problems": []}
    assert {
        "severity": "error",
        "code": "keyword-arity",
        "message": "'legal' takes 2 arguments, found 1",
        "line": 2,
        "column": 1,
        "end_line": 2,
        "end_column": 10,
        "text": "(legal a)",
    } in bad["problems"]


def test_check_plays_where_asked() -> None:
    text = output_of("check", GAME, "--simulate", 5, "--max-steps", 20)
    assert re.search(r": no problems; 5 playouts ended after \d to \d steps", text)


def test_check_shows_the_moves_to_what_is_wrong() -> None:
    rules = (
        "(role a) (init s) (legal a wait) (<= (legal a go) (true s)) (<= (next t) (does a go))"
        "(<= terminal (true t)) (<= (goal a 50) (true s)) (<= (goal a 101) (true t))"
    )
    result = run("check", "-", "--simulate", 20, "--max-steps", 9, text=rules)
    assert result.exit_code == 1
    assert "error: a has no goal value" in result.stdout or "goal value 101" in result.stdout
    assert re.search(r"after these moves.*:\n +1  go\n", result.stdout)
    (report,) = json.loads(run("check", "-", "--json", "--simulate", 20, text=rules).stdout)
    assert [["go"]] in [finding["moves"] for finding in report["simulation"]["findings"]]


def test_check_does_not_play_what_has_errors() -> None:
    result = run("check", "-", "--simulate", 5, "--json", text="(role a)")
    assert "simulation" not in json.loads(result.stdout)[0]


# ---------------------------------------------------------------------- format and convert


def test_format_writes_the_canonical_layout(sheet: Path) -> None:
    expected = (
        "(role a) (legal a go)\n(<= (goal a 100)\n  (true b)) ; won\n(<= terminal\n  (true b))\n"
    )
    assert output_of("format", sheet) == expected
    assert output_of("format", "-", text=sheet.read_text()) == expected
    assert output_of("format", "--in-place", sheet) == f"{sheet}: formatted\n"
    assert sheet.read_text() == expected
    assert output_of("format", "--in-place", sheet) == ""
    assert output_of("format", "--check", sheet) == ""


def test_format_shows_what_would_change(sheet: Path) -> None:
    before = sheet.read_text()
    result = run("format", "--check", sheet, GAME)
    assert result.exit_code == 1
    assert "-(role a)(legal a go)\n" in result.stdout
    assert "+(role a) (legal a go)\n" in result.stdout
    assert str(GAME) not in result.stdout
    assert sheet.read_text() == before


def test_format_cannot_check_and_write() -> None:
    assert run("format", "--check", "--in-place", GAME).exit_code == 2


def test_convert_goes_to_the_other_notation_and_back(tmp_path: Path) -> None:
    infix, kif = tmp_path / "game.hrf", tmp_path / "game.kif"
    assert output_of("convert", GAME, "--output", infix) == ""
    assert "legal(Role,put(Square)) :- true(turn(Role)) & free(Square)\n" in infix.read_text()
    assert output_of("convert", infix, "-o", kif) == ""
    assert kif.read_bytes() == GAME.read_bytes()
    assert output_of("convert", infix, "--to", "infix") == infix.read_text()


def test_every_command_reads_infix(tmp_path: Path) -> None:
    infix = tmp_path / "game.hrf"
    run("convert", GAME, "--output", infix)
    assert output_of("check", infix) == f"{infix}: no problems\n"
    assert output_of("perft", infix, "--depth", 2, "--divide").endswith("total: 72\n")


def test_perft_on_a_device_gives_the_same_counts() -> None:
    def counts(*arguments: str) -> list[list[str]]:
        lines = output_of("perft", GAME, "--depth", 3, *arguments).splitlines()
        return [line.split()[:2] for line in lines]

    assert counts("--device", "host") == counts() == [["1", "9"], ["2", "72"], ["3", "504"]]


# ---------------------------------------------------------------------- show


def test_show_lists_roles_moves_facts_and_relations() -> None:
    text = output_of("show", GAME)
    assert text.startswith(
        "roles: cross, nought\nmoves: (put ?), noop\nfacts: (marked ? ?), (turn ?)\n"
    )
    assert re.search(r"free/1 .* 1 .* state .* square/1, ~taken/1", text)


def test_show_writes_a_graph() -> None:
    assert '"free/1" -> "taken/1" [style=dashed];' in output_of("show", GAME, "--format", "dot")


def test_show_draws_a_graph(tmp_path: Path) -> None:
    picture = tmp_path / "game.svg"
    assert output_of("show", GAME, "--format", "svg", "--output", picture) == ""
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_show_says_how_large_a_picture_is_at_most(tmp_path: Path) -> None:
    large = tmp_path / "large.kif"
    large.write_text("(role a)\n" + "".join(f"(fact{number})\n" for number in range(1000)))
    result = run("show", large, "--format", "svg")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "Error: the diagram has 1001 boxes; a picture is drawn of at most 1000; "
        "--format dot writes a graph, which Graphviz may draw\n"
    )
    assert output_of("show", large, "--format", "dot").count("fillcolor=") == 1001


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["--propnet"], ["--circuit"]),
        (["--as", "dot"], ["--format", "dot"]),
        (["--as=dot"], ["--format=dot"]),
    ],
)
def test_show_takes_old_options_with_a_notice(old: list[str], new: list[str]) -> None:
    game = ROOT / "games" / "lightsOut.kif"
    result = run("show", game, *old)
    assert result.exit_code == 0
    option, now = (words[0].partition("=")[0] for words in (old, new))
    assert result.stderr == f"{option} is now {now}; the old name will go\n"
    assert _without_times(result.stdout) == _without_times(output_of("show", game, *new))
    assert option not in output_of("show", "--help")


def _without_times(text: str) -> str:
    return re.sub(r"\d+\.\d\d", "", text)


# ---------------------------------------------------------------------- playout, perft, stats


def test_playout_writes_a_line_for_each_state() -> None:
    text = output_of("playout", GAME, "--seed", 3, "--playouts", 2)
    first, *lines = map(json.loads, text.splitlines())
    assert first == {"game": "ticTacToe", "roles": ["cross", "nought"], "oracle": "gdl reasoner"}
    assert {line["playout"] for line in lines} == {0, 1}
    assert [line["terminal"] for line in lines].count(True) == 2
    assert output_of("playout", GAME, "--seed", 3, "--playouts", 2) == text
    assert output_of("playout", GAME, "--seed", 4, "--playouts", 2) != text


def test_playout_stops_at_the_step_limit() -> None:
    lines = output_of("playout", GAME, "--max-steps", 2).splitlines()
    assert [json.loads(line)["step"] for line in lines[1:]] == [0, 1, 2]
    assert "moves" not in json.loads(lines[-1])


def test_playout_reports_a_role_without_a_move() -> None:
    result = run("playout", "-", text="(role a) (role b) (legal a go) (<= terminal (true end))")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 2
    message = "playout 0 stops at step 0: no legal move for b, and no terminal state\n"
    assert result.stderr == message


def test_perft_counts_paths_of_each_length() -> None:
    rows = [line.split() for line in output_of("perft", GAME, "--depth", 3).splitlines()]
    assert [(int(depth), int(count)) for depth, count, _ in rows] == [(1, 9), (2, 72), (3, 504)]


def test_perft_divides_by_the_first_move() -> None:
    lines = output_of("perft", GAME, "--depth", 3, "--divide").splitlines()
    assert lines[0] == "(put a1) noop: 56"
    assert lines[-1] == "total: 504"
    assert len(lines) == 10


def test_stats_shows_two_tables() -> None:
    text = output_of("stats", GAME, "--playouts", 10)
    assert text.startswith("10 playouts: 10 ended\n")
    assert re.search(r"joint moves +│ +1 │", text)
    assert re.search(r"cross +│ +\d+% │", text)


def test_stats_without_an_end_has_no_goals() -> None:
    text = output_of("stats", GAME, "--playouts", 3, "--max-steps", 2)
    assert "3 were cut off at the step limit" in text
    assert "goal" not in text


def test_stats_writes_json() -> None:
    figures = json.loads(output_of("stats", GAME, "--playouts", 10, "--json"))
    assert (figures["game"], figures["playouts"], figures["seed"]) == ("ticTacToe", 10, 0)
    assert figures["endings"] == {"terminal": 10, "no legal move": 0, "step limit": 0}
    assert 5 <= figures["steps"]["least"] <= figures["steps"]["mean"] <= 9
    assert sum(figures["goals"]["cross"].values()) == 10
    assert set(figures["moves"]) == {"cross", "nought"}


# ---------------------------------------------------------------------- scramble


def test_scramble_renames_everything_and_back(tmp_path: Path) -> None:
    words, secret = tmp_path / "words.json", tmp_path / "secret.kif"
    assert output_of("scramble", GAME, "--dictionary", words, "-o", secret) == ""
    assert "cross" not in secret.read_text()
    assert output_of("perft", secret, "--depth", 2, "--divide").endswith("total: 72\n")
    text = output_of("scramble", secret, "--dictionary", words, "--back")
    assert gdl.parse(text) == gdl.load(GAME)
    assert output_of("scramble", GAME) == secret.read_text()
    assert output_of("scramble", GAME, "--seed", 1) != secret.read_text()


def test_scramble_keeps_the_notation() -> None:
    text = output_of("scramble", "-", text="role(white) legal(white,go) :- open")
    assert re.fullmatch(r"role\((\w+)\)\nlegal\(\1,\w+\) :- \w+\n", text)


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"role": "king"}', '{"a": "b c"}'])
def test_a_bad_dictionary_is_refused(text: str, tmp_path: Path) -> None:
    words = tmp_path / "words.json"
    words.write_text(text)
    result = run("scramble", GAME, "--dictionary", words, "--back")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {words} is no dictionary: ")
    assert len(result.stderr.splitlines()) == 1


def test_scrambling_back_needs_the_dictionary(tmp_path: Path) -> None:
    assert run("scramble", GAME, "--back").exit_code == 2
    result = run("scramble", GAME, "--back", "--dictionary", tmp_path / "none.json")
    assert result.exit_code == 1
    assert "No such file" in result.stderr


# ---------------------------------------------------------------------- as a process


def process(
    *arguments: object, in_background: bool = False, **options: Any
) -> subprocess.Popen[str]:
    # A shell has what it runs in the background ignore Ctrl-C; the tests may run there.
    handler = signal.SIG_IGN if in_background else signal.SIG_DFL
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "gdl", *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, handler),
        **options,
    )


def test_the_command_runs_as_a_program() -> None:
    with process("check", "games/ticTacToe.kif") as program:
        out, err = program.communicate(timeout=60)
    assert (program.returncode, out, err) == (0, "games/ticTacToe.kif: no problems\n", "")


@pytest.mark.parametrize(
    ("number", "in_background"),
    [(signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGTERM, True)],
)
def test_a_signal_ends_the_program_without_a_traceback(
    number: signal.Signals, in_background: bool
) -> None:
    arguments = "playout", "games/ticTacToe.kif", "--playouts", 10**9
    with process(*arguments, in_background=in_background) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith('{"game"')
        program.send_signal(number)
        _, err = program.communicate(timeout=60)
    assert program.returncode == INTERRUPTED
    assert err.strip() == "Aborted!"


def test_a_reader_that_goes_away_ends_the_program_without_a_traceback() -> None:
    with process("playout", "games/ticTacToe.kif", "--playouts", 10**9) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.readline()
        program.stdout.close()
        err = program.stderr.read()
        program.wait(timeout=60)
    assert program.returncode == 1
    assert err == ""
