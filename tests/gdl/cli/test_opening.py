"""``gdl opening`` writes rules that begin in a position, in either notation."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

import gdl
from gdl.__main__ import main
from gdl.language import Notation, convert_text, notation_of
from tests.support.paths import GAMES

GAME = GAMES / "ticTacToe.kif"


def opening(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["opening", *map(str, arguments)])


def test_the_first_lines_say_which_moves_were_made() -> None:
    done = opening(GAME, "--plies", 2, "--seed", 4)
    lines = done.stdout.splitlines()
    assert lines[0] == "; ticTacToe after random moves, seed 4:"
    machine = gdl.interpret(gdl.load(GAME))
    state = machine.initial_state()
    for line in lines[1:3]:
        text = line.removeprefix("; ")
        moves = next(
            moves for moves in gdl.joint_moves(machine, state) if text == " ".join(map(str, moves))
        )
        state = machine.next_state(state, moves)
    begun = gdl.interpret(gdl.parse(done.stdout))
    assert set(begun.initial_state()) == set(state)


def test_both_notations_give_the_same_rules_to_a_file(tmp_path: Path) -> None:
    infix = tmp_path / "ticTacToe.hrf"
    infix.write_text(convert_text(GAME.read_text(), Notation.INFIX))
    output = tmp_path / "begun.hrf"
    assert opening(infix, "--plies", 3, "--output", output).exit_code == 0
    text = output.read_text()
    assert notation_of(text) is Notation.INFIX
    assert gdl.parse(text) == gdl.parse(opening(GAME, "--plies", 3).stdout)


def test_what_cannot_be_is_one_sentence() -> None:
    done = opening(GAME, "--plies", 9)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: no position after 9 joint moves")
    done = opening("kuhnPoker", "--plies", 1)
    assert done.stderr.startswith("Error: kuhnPoker has percepts")
