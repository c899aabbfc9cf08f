"""``gdl diff`` says in words, and by its exit status, whether two games are one."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from gdl.__main__ import main
from tests.support.paths import GAMES
from tests.support.small_games import changed, game

NIM = GAMES / "nim.kif"


def diff(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["diff", *map(str, arguments)])


def test_equal_rules_are_the_same_game() -> None:
    done = diff(NIM, NIM)
    assert done.exit_code == 0
    assert done.stdout == "the same game: the rules differ in names and order at most\n"


def test_all_states_of_a_small_game_are_compared(tmp_path: Path) -> None:
    other = tmp_path / "other.kif"
    other.write_text(game("nim") + "\n(unused a)")
    for machine in ("reasoner", "propnet"):
        done = diff(NIM, other, "--machine", machine)
        assert done.exit_code == 0
        assert done.stdout.startswith("the same game: all ")


def test_the_shortest_line_is_shown(tmp_path: Path) -> None:
    other = tmp_path / "other.kif"
    other.write_text(changed("nim", ("(goal ?role 100)", "(goal ?role 99)")))
    done = diff(NIM, other)
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("different after these moves (the shortest line of play): goals of")
    assert lines[1].split()[0] == "1"
    assert lines[-2:] == [f"  {NIM}: 100", f"  {other}: 99"]
    record = json.loads(diff(NIM, other, "--json").stdout)
    assert record["verdict"] == "different"
    assert len(record["difference"]["line"]) == len(lines) - 3
    assert record["difference"]["is_shortest"] is True


def test_a_difference_at_the_start_has_no_moves() -> None:
    done = diff(NIM, GAMES / "ticTacToe.kif")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0] == "different in the initial state: roles"


def test_bounds_are_told(tmp_path: Path) -> None:
    other = tmp_path / "other.kif"
    other.write_text(game("nim") + "\n(unused a)")
    done = diff(NIM, other, "--states", 3, "--playouts", 2, "--max-steps", 4)
    assert done.exit_code == 0
    assert done.stdout == (
        "no difference found within 3 states, which are all of the first 0 steps and some beyond, "
        "and 2 random playouts\n"
    )
    assert json.loads(diff(NIM, other, "--states", 3, "--json").stdout)["depth"] == 0
