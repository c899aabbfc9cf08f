"""Matches of strategies against solvers."""

from __future__ import annotations

import pytest

from gdl import Term
from gdl.engine import PropnetStateMachine
from ggp_player.errors import LabError
from ggp_player.lab.positions import solver_matches
from ggp_player.lab.positions.forked_searches import Setting, can_fork
from ggp_player.lab.positions.solver_matches import LOST, WON, SolverMatches
from ggp_player.lab.positions.turns import replayed
from tests.support.textbook_solver import minimax_of, textbook_values

pytestmark = pytest.mark.skipif(not can_fork(), reason="this system cannot fork")


def matches_of(
    strategy: str,
    machine: PropnetStateMachine,
    plies: int,
    seconds: float | None = 0.001,
    nodes: int = 1_000_000,
) -> SolverMatches:
    return SolverMatches(machine, Setting(strategy, seconds, seed=1), "proof", nodes, plies)


def test_who_plays_perfectly_makes_no_error(tic_tac_toe: PropnetStateMachine) -> None:
    played, told = matches_of("proof:megabytes=1", tic_tac_toe, 2, None), list[int]()
    assert len(played.matches) == 2 * 12  # the second mark, after a corner, an edge, the centre
    played.play(2, lambda: told.append(1))
    assert {match.error for match in played.matches} == {None}
    assert len(told) == 24
    for match in played.matches:
        state = replayed(tic_tac_toe, match.line[:2])
        assert match.value == minimax_of(tic_tac_toe)(state, match.role)
        goal = tic_tac_toe.goal(match.state, tic_tac_toe.roles[match.role])
        assert match.is_lost if match.moves == 0 else goal == match.value


def test_errors_are_those_of_the_textbook(tic_tac_toe: PropnetStateMachine) -> None:
    played = matches_of("legal", tic_tac_toe, 1)
    played.play()
    wrong = [match for match in played.matches if match.error is not None]
    assert wrong
    for match in wrong:
        assert match.error is not None
        values = textbook_values(tic_tac_toe, replayed(tic_tac_toe, match.line))
        assert match.error.had == match.value == max(values.values())
        assert match.error.left == values[match.error.move] < match.error.had
        assert match.to_json()["error"] == {
            "move": str(match.error.move),
            "had": match.error.had,
            "left": match.error.left,
        }


def test_the_solver_loses_only_what_it_must(tic_tac_toe: PropnetStateMachine) -> None:
    played = matches_of("random", tic_tac_toe, 2)
    played.play(2)
    for match in played.matches:
        if match.error is None and match.moves > 0:
            assert tic_tac_toe.goal(match.state, tic_tac_toe.roles[match.role]) == match.value
    assert {match.value for match in played.matches} == {LOST, 50, WON}


def test_openings_that_are_none_or_too_many_are_refused(
    tic_tac_toe: PropnetStateMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LabError, match="after 9 choices nobody has another one"):
        matches_of("legal", tic_tac_toe, 9)
    monkeypatch.setattr(solver_matches, "MAX_OPENINGS", 11)
    with pytest.raises(LabError, match="more than 11 openings: take fewer plies, or some"):
        matches_of("legal", tic_tac_toe, 2)


def test_openings_are_drawn(tic_tac_toe: PropnetStateMachine) -> None:
    def openings(plies: int, count: int, seed: int) -> list[list[Term]]:
        setting = Setting("legal", 0.001, seed=seed)
        drawn = SolverMatches(tic_tac_toe, setting, "proof", 1000, plies, count)
        return [match.line for match in drawn.matches if match.role == 0]

    assert len(openings(4, 5, 0)) == 5
    assert openings(4, 5, 0) == openings(4, 5, 0) != openings(4, 5, 1)
    assert {len(opening) for opening in openings(4, 5, 0)} == {4}
    assert len(openings(2, 50, 0)) == 12
    with pytest.raises(LabError, match="after 9 choices nobody has another one"):
        openings(9, 5, 0)


def test_a_position_too_hard_for_the_solver_is_told(tic_tac_toe: PropnetStateMachine) -> None:
    with pytest.raises(LabError, match="a move takes more than 1 nodes to solve"):
        matches_of("legal", tic_tac_toe, 0, nodes=1).play()
