"""Moves are equal by symmetry if they lead to the same canonical state."""

from __future__ import annotations

import gdl
from ggp_player.worker.symmetric_moves import SymmetricMoves
from tests.support.paths import ROOT


def classes(game: str, *steps: str) -> set[frozenset[str]]:
    machine = gdl.compile(gdl.load(ROOT / "games" / f"{game}.kif"))
    state = machine.initial_state()
    for step in steps:
        joint_move = gdl.parse_term(f"(moves {step})")
        assert isinstance(joint_move, gdl.Function)
        state = machine.next_state(state, joint_move.args)
    role = next(r for r in machine.roles if len(machine.legal_moves(state, r)) > 1)
    found = SymmetricMoves().classes(machine, state, role)
    return {frozenset(str(move).split()[-1].rstrip(")") for move in equal) for equal in found}


def test_corners_and_edges_of_tic_tac_toe() -> None:
    corners, edges = frozenset({"a1", "a3", "c1", "c3"}), frozenset({"a2", "b1", "b3", "c2"})
    assert classes("ticTacToe") == {corners, edges}


def test_a_mark_in_a_corner_leaves_one_reflection() -> None:
    pairs = [("a2", "b1"), ("a3", "c1"), ("b3", "c2")]
    assert classes("ticTacToe", "(put a1) noop") == set(map(frozenset, pairs))


def test_a_game_without_symmetries() -> None:
    assert classes("nim") == set()


def test_moves_made_at_once_are_not_compared() -> None:
    assert classes("handDuel") == set()


def test_finding_the_symmetries_is_timed_and_done_once() -> None:
    machine = gdl.compile(gdl.load(ROOT / "games" / "ticTacToe.kif"))
    ticks = iter(range(100))
    moves = SymmetricMoves(lambda: float(next(ticks)))
    for _ in range(2):
        moves.classes(machine, machine.initial_state(), machine.roles[0])
        assert moves.seconds == 1
