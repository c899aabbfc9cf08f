"""Max^n credits every role with its own interest."""

from __future__ import annotations

import gdl
from ggp_player.strategies import Choice
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta
from ggp_player.strategies.textbook.evaluation import Evaluator
from ggp_player.strategies.textbook.max_n import MaxN, MaxNTree
from tests.support.tree_games import (
    THREE_PLAYERS,
    constants,
    last_choice,
    position,
    together,
    turns,
)

ABC = ("a", "b", "c")


def test_c_picks_one_two_six_over_four_two_three() -> None:
    machine = turns(THREE_PLAYERS, ABC)
    state = machine.initial_state()
    tree = MaxNTree(machine, machine.roles[0], Evaluator(machine, ()))
    for joint_move in (("a1", "noop", "noop"), ("noop", "a1", "noop")):
        state = machine.next_state(state, constants(*joint_move))
    assert tree.utilities(state, 1) == (1, 2, 6)
    choice = last_choice(MaxN(), position(machine, role=2, state=state))
    assert (str(choice.move), choice.value, choice.proved) == ("a1", 6, True)


def test_three_player_tree() -> None:
    machine = turns(THREE_PLAYERS, ABC)
    tree = MaxNTree(machine, machine.roles[0], Evaluator(machine, ()))
    # In the figure A takes the first of the vectors that give it 1, here the worse for the others.
    assert tree.utilities(machine.initial_state(), 3) == (1, 5, 2)
    assert not tree.horizons
    choice = last_choice(MaxN(), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("a2", 1, True)


def test_an_evaluation_by_which_others_choose_proves_nothing() -> None:
    # At depth 2 min looks as if it took (100 60) rather than (0 100), which is evaluated as 50.
    machine = turns(((([100, 60]), (([0, 100],),)), ([10, 10], [10, 10])))
    evaluator = Evaluator(machine, ())
    tree = MaxNTree(machine, machine.roles[0], evaluator)
    before = Choice(constants("a1")[0])
    *_, last = tree.bestmove(machine.initial_state(), 2, before)
    assert (str(last.move), last.value, last.proved) == ("a1", 100, False)
    assert not any(score.is_proved for move, score in tree.scores.items() if str(move) == "a1")
    choice = last_choice(MaxN(), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("a2", 10, True)


def test_a_win_that_nobody_can_prevent_is_proved_before_the_end_of_all_lines() -> None:
    endless = (((([50, 50],),),),)
    machine = turns((([100, 0], [100, 0]), (endless, endless)))
    *_, last = MaxNTree(machine, machine.roles[0], Evaluator(machine, ())).bestmove(
        machine.initial_state(), 2, Choice(constants("a1")[0])
    )
    assert (str(last.move), last.value, last.proved) == ("a1", 100, True)


def test_others_need_not_be_enemies() -> None:
    # Both get most in the corner that a pessimist avoids.
    machine = turns((([100, 100], [0, 0]), ([30, 40], [40, 30])))
    assert last_choice(MaxN(), position(machine)).value == 100
    assert last_choice(AlphaBeta(), position(machine)).value == 30


def test_a_role_that_does_not_care_is_expected_to_do_harm() -> None:
    machine = turns((([90, 50], [10, 50]), ([40, 50], [40, 50])))
    choice = last_choice(MaxN(), position(machine))
    assert (str(choice.move), choice.value) == ("a2", 40)


def test_of_moves_that_are_as_good_for_it_a_role_makes_the_worst_for_the_others() -> None:
    machine = turns(([50, 50, 10], [50, 30, 20], [50, 20, 30], [40, 0, 0]), ABC)
    tree = MaxNTree(machine, machine.roles[0], Evaluator(machine, ()))
    assert tree.utilities(machine.initial_state(), 1) == (50, 30, 20)
    choice = last_choice(MaxN(), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("a2", 50, True)


def test_a_role_that_moves_by_chance_has_nothing_to_lose() -> None:
    machine = turns(([50, 30, 0], [50, 20, 90]), ("a", "b", "random"))
    assert str(last_choice(MaxN(), position(machine)).move) == "a2"


def test_moves_at_the_same_time_are_answered_in_the_others_interest() -> None:
    # The other prefers a2 against a1, a1 against a2.
    machine = together((([20, 0], [60, 10]), ([50, 90], [80, 0])))
    assert last_choice(MaxN(), position(machine)).value == 60


def test_at_the_depth_limit_every_role_is_evaluated() -> None:
    machine = turns(THREE_PLAYERS, ABC)
    choice = last_choice(MaxN(depth=2, evaluation="none"), position(machine))
    assert (choice.value, choice.proved) == (50, False)
    assert choice.details == "depth 2, depth limit reached"


def test_one_role_is_refused() -> None:
    refusal = MaxN().refusal(turns((1, 2), ("max",)))
    assert refusal == "max_n is for games of two or more roles, and this one has one"
    assert MaxN().refusal(turns((1, 2))) is None


def test_the_first_choice_is_there_before_any_search() -> None:
    first = next(MaxN().search(position(turns(THREE_PLAYERS, ABC))))
    assert (first.move, first.value) == (gdl.parse_term("a1"), None)
