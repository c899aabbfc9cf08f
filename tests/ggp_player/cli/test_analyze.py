"""``ggp-player analyze`` finds known values, and explains what it cannot do."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

import gdl
from gdl.system import child_environment
from ggp_player.__main__ import main
from ggp_player.cli import analyze as analyze_module
from ggp_player.inspect.timed_search import INTERRUPT_GRACE, timed_search
from ggp_player.protocol.match_record import MatchRecord
from ggp_player.strategies import Choice, Position, Strategy
from ggp_player.strategies.learning import FOLDER_VARIABLE
from ggp_player.strategies.selection.registry import create
from ggp_player.worker.compiling import COLD
from tests.support.clocks import FakeClock
from tests.support.command_line import TWO_STEPS, output_of
from tests.support.paths import GAMES, ROOT
from tests.support.tree_games import TWO_PLY, position, turns

GAME = ROOT / "games" / "ticTacToe.kif"

MOVES = ["(put a1) noop", "noop (put b2)", "(put c3) noop", "noop (put c1)", "(put a3) noop"]
"""Cross threatens a2 and b3: nought, to move, has lost."""

WORDS = f"""{TWO_STEPS.replace("(role random)", "")}
(<= (goal ann 70) (true (step 2))) (<= (goal bob 30) (true (step 2)))
"""


compile_once = cache(gdl.compile)


@pytest.fixture(autouse=True)
def _compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests ask about one game."""
    monkeypatch.setattr(gdl, "compile", compile_once)


def analyze(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["analyze", *map(str, arguments)])


def after(*joint_moves: str) -> list[str]:
    return [word for joint_move in joint_moves for word in ("--moves", joint_move)]


def found(*arguments: object) -> dict[str, object]:
    result = analyze(*arguments, "--json")
    assert result.exit_code == 0, result.output
    value = json.loads(result.stdout)
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("strategy", ["minimax", "bounded_minimax", "alpha_beta", "max_n"])
def test_a_lost_position_is_known_to_be_lost(strategy: str) -> None:
    report = found(GAME, *after(*MOVES), "--strategy", strategy, "--seconds", 60)
    assert report["role"] == "nought"
    moves = report["moves"]
    assert isinstance(moves, list)
    assert {m["move"] for m in moves} == {"(put a2)", "(put b1)", "(put b3)", "(put c2)"}
    assert all(m["proved"] and m["value"] == 0 for m in moves)
    choice = report["choice"]
    assert isinstance(choice, dict)
    assert (choice["value"], choice["proved"]) == (0, True)
    assert report["complete"] is True


def test_a_win_is_found_and_shown_with_its_line() -> None:
    output = output_of(analyze(GAME, *after(*MOVES, "noop (put a2)"), "--strategy", "minimax"))
    assert output.startswith("ticTacToe, after 6 steps\nstate      (marked a1 cross)")
    assert "\nturn       cross, 3 legal moves: (put b1), (put b3), (put c2)\n" in output
    assert "\nwaits      nought, noop\n" in output
    assert "\nchoice     (put b3), 100, proved (minimax)\nline       (put b3)\n" in output
    rows = [[c.strip() for c in line.split("│")[1:-1]] for line in output.splitlines()]
    assert ["(put b3)", "100", "yes", "", "(put b3)"] in rows
    assert ["(put b1)", "0", "yes", "", "(put b1), (put c2)"] in rows


def test_a_strategy_without_a_report_shows_its_choices() -> None:
    output = output_of(analyze(GAME, *after(*MOVES), "--strategy", "legal", "--role", "NOUGHT"))
    assert "\nchoice     (put a2), no value (first legal move)\n" in output
    assert "ended without a proof" in output


def test_cut_moves_have_bounds_and_no_value(tmp_path: Path) -> None:
    machine = turns(TWO_PLY)
    assert isinstance(machine, gdl.reasoner.reasoner.ReasonerStateMachine)
    sheet = tmp_path / "tree.kif"
    sheet.write_text(str(machine.ruleset))
    report = found(sheet, "--strategy", "alpha_beta:ordering=false", "--seconds", 60)
    assert isinstance(report["moves"], list)
    moves = [(m["move"], m["value"], m["bounds"]) for m in report["moves"]]
    assert moves == [("a1", 3, [3, 3]), ("a2", None, [0, 3]), ("a3", None, [0, 3])]
    assert report["line"] == [["a1", "noop"], ["noop", "a1"]]


def test_chance_does_not_think() -> None:
    report = found(GAME.with_name("diceRace.kif"), "--strategy", "legal")
    assert report["role"] == "gold"


# ------------------------------------------------------------------- figures to trust


@pytest.mark.thorough
def test_moves_that_are_equal_by_symmetry_are_filled_in_and_marked() -> None:
    moves = ["--moves", "(put b2) noop", "--strategy", "alpha_beta", "--seconds", 60]
    report = found(GAME, *moves)
    assert isinstance(report["moves"], list)
    by_move = {row["move"]: row for row in report["moves"]}
    corners = [by_move[f"(put {corner})"] for corner in ("a1", "a3", "c1", "c3")]
    assert {(row["value"], row["proved"]) for row in corners} == {(50, True)}
    searched = [row["move"] for row in corners if row["twin"] is None]
    assert len(searched) == 1
    assert {row["twin"] for row in corners} == {None, *searched}
    text = analyze(GAME, *moves).output
    assert text.count(f"as {searched[0]}, by symmetry") == 3


@pytest.mark.parametrize("strategy", ["auto", "mcts"])
def test_before_the_searches_are_compiled_there_is_a_table(
    strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp_player.cli.options.compile_searches_of", lambda *_: None)
    # By name, the package has the function of this name.
    timed_search = import_module("ggp_player.inspect.timed_search")
    monkeypatch.setattr(timed_search, "is_warm", lambda: False)
    monkeypatch.setattr("ggp_player.worker.compiling.is_warm", lambda: False)
    output = output_of(analyze(GAME, *after(*MOVES), "--strategy", strategy, "--seconds", 60))
    assert COLD in output
    assert "│ (put a2) │     0 │    yes │" in output
    report = found(GAME, *after(*MOVES), "--strategy", strategy, "--seconds", 60)
    assert report["notice"] == COLD
    assert isinstance(report["moves"], list)
    assert len(report["moves"]) == 4


# ------------------------------------------------------------------------ positions


def whole_list() -> str:
    return "(" + " ".join(f"({joint_move})" for joint_move in MOVES) + ")"


@pytest.mark.parametrize(
    "sources",
    [
        MOVES,
        [whole_list()],
        [f"({MOVES[0]})", *MOVES[1:3], f"({MOVES[3]}) ({MOVES[4]})"],
        ["", *(move.upper() for move in MOVES)],
    ],
)
def test_joint_moves_can_be_written_in_several_ways(sources: list[str]) -> None:
    report = found(GAME, *after(*sources), "--strategy", "legal")
    assert report["steps"] == [
        ["(put a1)", "noop"],
        ["noop", "(put b2)"],
        ["(put c3)", "noop"],
        ["noop", "(put c1)"],
        ["(put a3)", "noop"],
    ]


def test_joint_moves_from_a_file_and_from_a_match_record(tmp_path: Path) -> None:
    file = tmp_path / "moves.kif"
    file.write_text(f"{whole_list()} ; as far as it went\n")
    assert len(list_of(found(GAME, "--moves", file, "--strategy", "legal"))) == 5
    moves = tuple(("(put a1)", "noop") if n % 2 else ("noop", "(put b2)") for n in (1, 2))
    record = MatchRecord("m", 0, 1, 1, ("a", "b"), ("( )",) * 3, (0,) * 3, moves, (("", ""),) * 3)
    saved = tmp_path / "record.json"
    record.save(saved)
    assert list_of(found(GAME, "--moves", saved, "--strategy", "legal")) == [list(m) for m in moves]
    one = found(GAME, "--moves", saved, "--steps", 1, "--strategy", "legal")
    assert list_of(one) == [list(moves[0])]


def list_of(report: dict[str, object]) -> list[object]:
    assert isinstance(report["steps"], list)
    return report["steps"]


def test_a_list_of_moves_is_read_as_what_is_legal(tmp_path: Path) -> None:
    sheet = tmp_path / "words.kif"
    sheet.write_text(WORDS)
    report = found(sheet, "--moves", "((say yes) (say no))", "--strategy", "legal")
    assert report["steps"] == [["(say yes)", "(say no)"]]
    assert report["role"] == "ann"


def test_the_end_of_a_match(tmp_path: Path) -> None:
    sheet = tmp_path / "words.kif"
    sheet.write_text(WORDS)
    moves = after(*["(say no) (say no)"] * 2)
    output = output_of(analyze(sheet, *moves))
    assert "goal       ann 70\ngoal       bob 30\nthe match is over\n" in output
    assert found(sheet, *moves)["goals"] == {"ann": 70, "bob": 30}
    assert "there is no search tree" in analyze(sheet, *moves, "--tree").output
    too_far = analyze(sheet, *moves, *moves)
    assert too_far.output == "Error: step 3: the match is over after step 2\n"


@pytest.mark.parametrize(
    ("moves", "sentence"),
    [
        (
            [*MOVES[:3], "noop (put c3)"],
            "step 4: (put c3) is not legal for nought; "
            "legal are (put a2), (put a3), (put b1), (put b3), (put c1), (put c2)",
        ),
        (["(put a1) (put b2)"], "step 1: (put b2) is not legal for nought; legal is noop"),
        (
            ["((put a1) noop) (noop noop)"],
            "step 2: noop is not legal for nought; legal are (put a2), (put a3), (put b1)",
        ),
        (
            [MOVES[0], "noop"],
            "step 2: expected 2 moves in a joint move, for cross nought, or a file; found 1: noop",
        ),
        (["(put a1 noop"], "moves that cannot be read: a '(' is not closed in (put a1 noop"),
        (["noop) (noop"], "moves that cannot be read: a ')' too many in noop) (noop"),
        (["?x noop"], "step 1: ?x is no"),
    ],
)
def test_moves_that_cannot_be_made(moves: list[str], sentence: str) -> None:
    assert output_of(analyze(GAME, *after(*moves)), 1).startswith(f"Error: {sentence}")


def test_a_file_that_is_no_record(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    file.write_text('{"moves": 3}')
    assert f"Error: {file} is no match record: " in output_of(analyze(GAME, "--moves", file), 1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--role", "red"], "expected one of the roles cross, nought; found red"),
        (["--strategy", "luck"], "there is no strategy 'luck'"),
        (["--strategy", "planning"], "planning is for games of one role"),
        (["--strategy", "legal", "--tree"], "--tree draws alpha_beta, bounded_minimax, max_n, min"),
        (["--output", "x.svg"], "--output is about a drawing: it needs --tree or --stepper"),
        (["--depth", "2"], "--depth is about the drawing: it needs --tree"),
        (["--format", "dot"], "--format is about the drawing: it needs --tree"),
        (["--tree", "--json"], "--tree and --json both write to the standard output"),
        (["--tree", "--output", "no/such/x.svg"], "there is no folder no/such"),
        (["--patterns", "--tree"], "--patterns shows no search: it does not go with --tree"),
        (["--patterns", "--strategy", "mcts"], "it does not go with --strategy"),
    ],
)
def test_options_that_cannot_be_used(arguments: list[str], sentence: str) -> None:
    result = analyze(GAME, *arguments)
    assert result.exit_code != 0
    assert sentence in result.output


@pytest.fixture
def no_evaluations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))


@pytest.mark.usefixtures("no_evaluations")
@pytest.mark.thorough
def test_patterns_that_are_learned_are_shown() -> None:
    arguments = (GAME, *after(*MOVES), "--patterns", "--seconds", 0.5)
    report = found(*arguments)
    assert report["role"] == "nought"
    assert "patterns learned from" in str(report["source"])
    patterns = report["patterns"]
    assert isinstance(patterns, list)
    every = [fact for pattern in patterns for fact in pattern["facts"]]
    assert "(marked b2 nought)" in every
    assert "(marked a2 ?)" in [cell for pattern in patterns for cell in pattern["empty"]]
    output = output_of(analyze(*arguments))
    assert "of 100 for nought, without looking ahead" in output
    assert "pattern, for nought" in output


def test_ctrl_c_ends_learning_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(analyze_module, "learn_for_report", interrupted)
    assert output_of(analyze(GAME, "--patterns"), 130) == ""


@pytest.mark.usefixtures("no_evaluations")
def test_patterns_where_roles_move_at_once() -> None:
    output = output_of(analyze(GAMES / "tron.kif", "--patterns", "--seconds", 1))
    assert "of 100 for orange, without looking ahead" in output


@pytest.mark.usefixtures("no_evaluations")
@pytest.mark.parametrize(("game", "role"), [("diceRace", "gold"), ("trefoil", "blue")])
def test_patterns_with_chance_and_with_three_roles(game: str, role: str) -> None:
    sheet = GAMES / f"{game}.kif"
    output = output_of(analyze(sheet, "--patterns", "--seconds", 1, "--role", role))
    assert f"of 100 for {role}, without looking ahead" in output


def test_games_without_patterns_are_refused() -> None:
    output = output_of(analyze(GAMES / "eightPuzzle.kif", "--patterns", "--seconds", 1), 1)
    assert "is for two roles and more" in output


def test_rules_that_cannot_be_read(tmp_path: Path) -> None:
    sheet = tmp_path / "bad.kif"
    sheet.write_text("(role x")
    assert output_of(analyze(sheet), 1).startswith("Error: the game cannot be played:\n")


# ----------------------------------------------------------------------------- tree


@pytest.mark.parametrize("form", ["svg", "dot"])
def test_the_tree_goes_to_a_file_or_alone_to_the_standard_output(tmp_path: Path, form: str) -> None:
    file = tmp_path / "tree"
    arguments = [GAME, *after(*MOVES), "--tree", "--format", form, "--seconds", 60]
    output = output_of(analyze(*arguments, "--output", file))
    assert f"\ntree       {file}, drawn to depth 4\n" in output
    alone = analyze(*arguments)
    assert alone.stdout == file.read_text()
    heading = "ticTacToe, after 5 steps: minimax for nought"
    if form == "svg":
        root = ElementTree.fromstring(alone.stdout)
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        assert texts[0] == heading
    else:
        assert alone.stdout.startswith("digraph")
        assert heading in alone.stdout


@pytest.mark.parametrize("spec", ["random", "textbook_uct:playouts=20"])
def test_a_seed_decides_what_is_drawn_at_random(spec: str) -> None:
    def move(seed: int) -> str:
        result = analyze(GAME, "--strategy", spec, "--seed", seed, "--json")
        assert result.exit_code == 0, result.output
        return str(json.loads(result.stdout)["choice"])

    found = [move(seed) for seed in range(3)]
    assert move(0) == found[0]
    assert len(set(found)) > 1


def test_a_page_of_steps(tmp_path: Path) -> None:
    file = tmp_path / "steps.html"
    asked = [GAME, *after(*MOVES), "--stepper", "--seconds", 60]
    output = output_of(analyze(*asked, "--output", file))
    assert re.search(rf"\nsteps      {re.escape(str(file))}, \d+ steps\n$", output)
    assert file.read_text().startswith("<!doctype html>")
    assert analyze(*asked).stdout == file.read_text()
    cut = analyze(GAME, "--stepper", "--seconds", 60, "--output", file)
    assert "2,000 steps\nThe search is cut here, after 2,000 steps" in cut.output


@pytest.mark.parametrize(
    ("arguments", "compiled"),
    [
        (["--stepper", "--strategy", "mcts:playouts=600"], ["mcts:playouts=600"]),
        (["--stepper", "--strategy", "alpha_beta:depth=1"], []),
        (["--tree", "--strategy", "alpha_beta:depth=1"], []),
    ],
)
def test_only_what_is_not_watched_is_compiled_first(
    arguments: list[str], compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(analyze_module, "compile_before_clocks", told.extend)
    shown = analyze(GAME, *arguments)
    assert (shown.exit_code, told) == (0, compiled), shown.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--tree"], "--tree and --stepper both draw: give one"),
        (["--patterns"], "--patterns shows no search: it does not go with --stepper"),
        (["--json"], "--stepper and --json both write to the standard output: give one"),
        (["--output", "steps.svg"], "expected a name that ends in .html; found steps.svg"),
        (["--windows"], "--windows is about the drawing: it needs --tree"),
        (["--strategy", "uct"], "there are steps of alpha_beta, bounded_minimax"),
    ],
)
def test_what_does_not_go_with_steps(arguments: list[str], sentence: str) -> None:
    result = analyze(GAME, "--stepper", *arguments)
    assert result.exit_code != 0
    assert sentence in " ".join(result.output.split())


def test_a_tree_that_is_too_large_is_folded(tmp_path: Path) -> None:
    file = tmp_path / "tree.dot"
    asked = [GAME, *after(*MOVES[:2]), "--tree", "--seconds", 60, "--output", file]
    output = output_of(analyze(*asked, "--depth", 4, "--max-nodes", 40, "--max-width", 20))
    assert re.search(r"drawn to depth \d; [\d,]+ of the [\d,]+ states searched are folded", output)
    labels = re.findall(r"^ +n\d+ \[", file.read_text(), re.M)
    assert len(labels) <= 40
    assert "shape=folder" in file.read_text()


def test_a_file_of_html_holds_the_tree(tmp_path: Path) -> None:
    file = tmp_path / "tree.html"
    output_of(analyze(GAME, *after(*MOVES), "--tree", "--seconds", 60, "--output", file))
    assert file.read_text().startswith("<!doctype html>")


def test_a_search_that_is_not_finished_has_no_tree(tmp_path: Path) -> None:
    output = output_of(
        analyze(GAME, "--tree", "--seconds", 0, "--output", tmp_path / "tree.svg"), 1
    )
    assert "\nchoice     (put a1), no value (" in output
    assert "Error: no search was finished, so that there is no tree to draw: try" in output
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------ time


class Endless(Strategy):
    """Says the first move for ever, or never says a thing."""

    name = "endless"

    def __init__(self, speaks: bool) -> None:
        self.speaks = speaks

    def search(self, position: Position):
        while True:
            position.machine.next_state(
                position.state,
                [
                    position.machine.legal_moves(position.state, r)[0]
                    for r in position.machine.roles
                ],
            )
            if self.speaks:
                yield Choice(position.legal_moves[0])


@pytest.mark.parametrize("speaks", [True, False])
def test_a_search_without_an_end_is_stopped(speaks: bool) -> None:
    start = position(turns(TWO_PLY))
    analysis = timed_search(Endless(speaks), start, 60, FakeClock(step=1.0))
    assert not analysis.is_complete
    assert (analysis.choice is not None) == speaks
    assert 60 <= analysis.seconds <= 60 + INTERRUPT_GRACE + 4
    assert 5 < analysis.states < 30


def test_states_are_counted_and_the_machine_is_left_as_it_was() -> None:
    start = position(turns(TWO_PLY))
    analysis = timed_search(create("minimax"), start, 1000, FakeClock(step=1.0))
    assert analysis.states == 12
    assert analysis.is_complete
    assert [(str(row.move), row.value) for row in analysis.rows] == [
        ("a1", 3),
        ("a2", 2),
        ("a3", 2),
    ]
    count = analysis.states
    start.machine.next_state(start.state, [gdl.parse_term("a1"), gdl.parse_term("noop")])
    assert analysis.states == count


def test_the_result_depends_on_nothing_but_the_question() -> None:
    def ask() -> dict[str, object]:
        report = found(GAME, *after(*MOVES[:3]), "--strategy", "alpha_beta", "--seconds", 100)
        return {key: report[key] for key in ("moves", "choice", "line", "states")}

    assert ask() == ask()


class Cancelled(Strategy):
    """Chooses once, and then Ctrl-C comes."""

    def search(self, position: Position):
        yield Choice(position.legal_moves[-1])
        raise KeyboardInterrupt


def test_ctrl_c_ends_a_search_with_what_it_has_found() -> None:
    start = position(turns(TWO_PLY))
    analysis = timed_search(Cancelled(), start, 60, FakeClock(step=1.0))
    assert analysis.is_cancelled
    assert analysis.choice == Choice(start.legal_moves[-1], method="Cancelled")


@pytest.mark.parametrize("strategy", ["minimax", "mcts", "auto"])
@pytest.mark.thorough
def test_ctrl_c_ends_the_command_quietly(strategy: str) -> None:
    game = ROOT / "games" / "connectFour.kif"
    code = "from importlib import import_module\n"
    code += "t = import_module('ggp_player.inspect.timed_search'); collect = t._collect\n"
    code += "def told(*a): print('searching', flush=True); return collect(*a)\n"
    code += "t._collect = told\nfrom ggp_player.__main__ import main; main()"
    arguments = ["analyze", str(game), "--strategy", strategy, "--seconds", "600"]
    with subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", code, *arguments],
        env=child_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background ignores it, and what they start would, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "searching\n"
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "ended by Ctrl-C" in output
    assert "(drop 1)" in output
    assert "ERROR" not in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("name", ["a.png", "a.pdf"])
def test_a_picture_of_another_kind_is_refused_before_the_search(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyze_module, "timed_search", None)  # there is none
    output = output_of(analyze(GAME, "--tree", "--output", tmp_path / name), 2)
    assert "a name that ends in .svg, .html, .dot, or --format" in output
    output = output_of(analyze(GAME, "--tree", "--output", "/proc/tree.svg"), 2)
    assert "in /proc no file can be written" in output
