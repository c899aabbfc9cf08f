"""Figures that are known from elsewhere, or stated in the rulesheets' comments, hold."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import pytest

import gdl
from tests.independent import GAMES
from tests.independent.game import Game, TurnGame, joint_moves, perft
from tests.support.paths import ROOT


def rules_of(name: str) -> gdl.Ruleset:
    return gdl.load(ROOT / "games" / f"{name}.kif")


def shortest_way(game: Game[Any]) -> list[tuple[str, ...]]:
    """Return the shortest joint moves from the start to a result of 100 for the first role."""
    layer: dict[Hashable, list[tuple[str, ...]]] = {game.start(): []}
    while layer:
        following: dict[Hashable, list[tuple[str, ...]]] = {}
        for state, way in layer.items():
            result = game.result(state)
            if result and result[0] == 100:
                return way
            if result is None:
                for joint in joint_moves(game, state):
                    following.setdefault(game.after(state, joint), [*way, joint])
        layer = following
    raise AssertionError("no way leads to 100")


def play(name: str, way: list[tuple[str, ...]]) -> tuple[bool, int | None]:
    """Return whether the rulesheet's match is over after the moves, and the first role's goal."""
    machine = gdl.interpret(rules_of(name))
    state = machine.initial_state()
    for joint in way:
        assert not machine.is_terminal(state)
        moves = tuple(map(gdl.parse_term, joint))
        for role, move in zip(machine.roles, moves, strict=True):
            assert move in machine.legal_moves(state, role)
        state = machine.next_state(state, moves)
    return machine.is_terminal(state), machine.goal(state, machine.roles[0])


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        pytest.param("blocksWorld", 8, marks=pytest.mark.thorough),
        ("eightQueens", 8),
        ("keyMaze", 25),
        pytest.param("pancakes", 7, marks=pytest.mark.thorough),
        ("pegSolitaire", 13),
        ("ropeTeam", 9),
        ("sudokuSmall", 12),
        ("towersOfHanoi", 31),
        ("warehouse", 27),
        pytest.param("eightPuzzle", 18, marks=pytest.mark.slow),
        pytest.param("knightsTour", 24, marks=pytest.mark.slow),
    ],
)
def test_shortest_solution_takes_as_many_steps_as_the_comment_says(name: str, steps: int) -> None:
    way = shortest_way(GAMES[name])
    assert len(way) == steps
    assert play(name, way) == (True, 100)
    text = (ROOT / "games" / f"{name}.kif").read_text(encoding="utf-8")
    assert re.search(rf"^; Length:.*\b{steps}\b", text, re.MULTILINE)


def test_lights_out_in_seven_presses() -> None:
    lamps = [(1, 5), (2, 3), (3, 2), (4, 1), (4, 3), (4, 4), (4, 5)]
    assert play("lightsOut", [(f"(press {r} {c})",) for r, c in lamps]) == (True, 100)


@pytest.mark.parametrize(
    ("name", "depth", "count"),
    [
        ("eightQueens", 8, 92),
        ("pegSolitaire", 13, 29_760),
        pytest.param("reversi", 6, 8_200, marks=pytest.mark.thorough),
        ("sudokuSmall", 12, 1),
        pytest.param("chess", 3, 8_902, marks=pytest.mark.slow),
        pytest.param("knightsTour", 24, 304, marks=pytest.mark.slow),
        pytest.param("reversi", 7, 55_092, marks=pytest.mark.slow),
        pytest.param("ticTacToe", 9, 127_872, marks=pytest.mark.slow),
    ],
)
def test_numbers_of_whole_games(name: str, depth: int, count: int) -> None:
    assert perft(GAMES[name], depth) == count


def turns(game: TurnGame[Any], state: Hashable, left: int) -> int:
    """Count paths by turns: steps in a row of one role are one turn."""
    if left == 0:
        return 1
    if game.result(state) is not None:
        return 0
    count = 0
    for move in game.choices(state):
        after = game.play(state, move)
        count += turns(game, after, left - (game.mover(after) != game.mover(state)))
    return count


@pytest.mark.parametrize(
    ("depth", "count"),
    [
        (1, 7),
        (2, 49),
        (3, 302),
        (4, 1_469),
        pytest.param(5, 7_361, marks=pytest.mark.slow),
        pytest.param(6, 36_768, marks=pytest.mark.slow),
        pytest.param(7, 179_740, marks=pytest.mark.slow),
        pytest.param(8, 845_931, marks=pytest.mark.slow),
    ],
)
def test_draughts_by_turns(depth: int, count: int) -> None:
    game = GAMES["draughts"]
    assert isinstance(game, TurnGame)
    assert turns(game, game.start(), depth) == count


KINDS = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}


def chess_from(position: str) -> gdl.StateMachine:
    """Return chess with a start given in Forsyth-Edwards notation."""
    board, mover, rights, passant, *_ = position.split()
    facts = [f"(turn {'white' if mover == 'w' else 'black'})", "(quiet 0)"]
    for rank, row in zip(range(8, 0, -1), board.split("/"), strict=True):
        signs = re.sub(r"\d", lambda digits: "." * int(digits[0]), row)
        for file, sign in enumerate(signs, 1):
            if sign != ".":
                role = "white" if sign.isupper() else "black"
                facts.append(f"(piece {role} {KINDS[sign.lower()]} {file} {rank})")
    for sign in rights.strip("-"):
        side = "kingside" if sign in "Kk" else "queenside"
        facts.append(f"(castle {'white' if sign.isupper() else 'black'} {side})")
    if passant != "-":
        facts.append(f"(passant {'abcdefgh'.index(passant[0]) + 1} {passant[1]})")
    chess = rules_of("chess")
    start = gdl.parse("".join(f"(init {fact})" for fact in facts)).rules
    rules = tuple(rule for rule in chess.rules if rule.head.name != "init")
    return gdl.interpret(replace(chess, rules=rules + start))


@pytest.mark.parametrize(
    ("position", "counts"),
    [
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", [48, 2_039, 97_862]),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", [14, 191, 2_812, 43_238]),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", [6, 264, 9_467]),
        pytest.param(
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -",
            [44, 1_486, 62_379],
            marks=pytest.mark.thorough,
        ),
    ],
)
@pytest.mark.parametrize("depth", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_chess_from_positions_full_of_special_moves(
    position: str, counts: list[int], depth: int
) -> None:
    assert gdl.perft(chess_from(position), depth) == counts[depth - 1]
