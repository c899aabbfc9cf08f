"""Seats: who acts, with which actions."""

from __future__ import annotations

import pytest

from gdl.envs.seats import EpisodeSettings, SeatError, plan_all, plan_seat, plan_turn, players_of
from tests.support.compiled_games import machine_of

SETTINGS = EpisodeSettings()


def test_a_seat_is_for_a_role_that_does_not_move_by_chance() -> None:
    machine = machine_of("pig")
    names = [machine.roles[player].name for player in players_of(machine)]
    assert "random" not in names
    assert plan_seat(machine, None, "auto", SETTINGS).roles == (players_of(machine)[0],)
    upper = plan_seat(machine, names[1].upper(), "auto", SETTINGS)
    assert upper.roles == (players_of(machine)[1],)
    for wrong in ("random", "nobody"):
        with pytest.raises(SeatError, match=f"expected one of the roles {', '.join(names)}"):
            plan_seat(machine, wrong, "auto", SETTINGS)


def test_a_shared_seat_has_the_moves_of_all_roles() -> None:
    plan = plan_turn(machine_of("connectFour"), "auto", SETTINGS)
    (actions,) = plan.actions
    assert list(map(str, actions)) == [*(f"(drop {i})" for i in range(1, 8)), "noop"]
    assert plan.stepping.columns == (0, 1)


@pytest.mark.parametrize("game", ["handDuel", "biddingTicTacToe", "tron"])
def test_a_shared_seat_needs_one_role_at_a_time(game: str) -> None:
    with pytest.raises(SeatError, match="several roles choose at once"):
        plan_turn(machine_of(game), "auto", SETTINGS)


def test_a_shared_seat_would_show_what_is_hidden() -> None:
    with pytest.raises(SeatError, match="information is hidden"):
        plan_turn(machine_of("phantomTicTacToe"), "auto", SETTINGS)


def test_goals_become_rewards() -> None:
    machine = machine_of("ticTacToe")
    goals = machine.engine.goal_table[:, 1].tolist()
    plan = plan_seat(machine, None, "auto", EpisodeSettings((0.0, 2.0)))
    assert plan.stepping.rewards.tolist() == [goal / 50 for goal in goals]


def test_all_seats_observe_together_unless_something_is_hidden() -> None:
    assert len(plan_all(machine_of("tron"), "auto", SETTINGS).observations) == 1
    hidden = plan_all(machine_of("phantomTicTacToe"), "auto", SETTINGS)
    assert len(hidden.observations) == len(hidden.roles) == 2
    assert hidden.hides
