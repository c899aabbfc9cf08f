"""Alpha-beta finds minimax's values with fewer leaves, in every form."""

from __future__ import annotations

import pytest

import gdl
from ggp_player.strategies import Choice, Counts, Limit
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta, AlphaBetaTree, bestmove
from ggp_player.strategies.textbook.depth_limited import DepthLimitedTree
from ggp_player.strategies.textbook.evaluation import Evaluator, Weighted
from ggp_player.strategies.textbook.minimax import MinimaxSearch
from ggp_player.strategies.textbook.negamax import NegamaxTree, SimultaneousMovesError
from tests.support.tree_games import (
    TWO_PLY,
    Counting,
    constants,
    last_choice,
    position,
    together,
    turns,
)

FORMS = [AlphaBetaTree, NegamaxTree]
NO_CHOICE = Choice(gdl.parse_term("a1"))


def grown(form: type[DepthLimitedTree], machine: gdl.StateMachine) -> DepthLimitedTree:
    return form(machine, machine.roles[0], Evaluator(machine, ()), ordering=False)


@pytest.mark.parametrize("form", FORMS)
def test_two_ply_tree_needs_seven_of_nine_leaves(form: type[DepthLimitedTree]) -> None:
    machine = Counting(turns(TWO_PLY))
    *_, choice = bestmove(grown(form, machine), machine.initial_state(), 2, NO_CHOICE)
    assert choice == Choice(gdl.parse_term("a1"), 3, proved=True, counts=Counts(depth=2))
    assert machine.leaves == 7


def test_the_best_leaves_first_are_enough() -> None:
    # The best order: three leaves for the first move, one each to refute the others.
    machine = Counting(turns(((3, 12, 8), (2, 4, 6), (2, 5, 14))))
    last_choice(AlphaBeta(ordering=False, evaluation="none"), position(machine))
    assert machine.leaves == 5


def test_ordering_by_a_good_evaluation_saves_leaves() -> None:
    plain = turns((((1, 2), (3, 4)), ((11, 12), (13, 14)), ((21, 22), (23, 24))))

    def oracle(machine: gdl.StateMachine, state: gdl.State, role: gdl.Constant) -> float:
        return MinimaxSearch(plain, role).maxscore(state)

    counts = {}
    for ordering in (False, True):
        machine = Counting(plain)
        evaluator = Evaluator(machine, [Weighted(1, oracle)])
        tree = AlphaBetaTree(machine, machine.roles[0], evaluator, ordering)
        *_, choice = bestmove(tree, machine.initial_state(), 3, NO_CHOICE)
        assert choice.value == 22
        counts[ordering] = machine.leaves
    assert counts == {False: 9, True: 7}


def test_a_state_met_again_is_not_searched_again() -> None:
    # Two orders of the same two moves lead to one state, with four leaves below it.
    rules = """
    (role max) (role min) (init (left 1)) (init (left 2))
    (legal min wait) (<= (legal max (take ?n)) (true (left ?n)))
    (<= (next (left ?n)) (true (left ?n)) (does max (take ?m)) (distinct ?n ?m))
    (<= any (true (left ?n))) (<= (next bare) (true (left 1)) (true (left 2)) never)
    (<= terminal (not any)) (<= (goal max 60) (not any)) (<= (goal min 40) (not any))
    """
    machine = Counting(gdl.interpret(gdl.parse(rules)))
    choice = last_choice(AlphaBeta(ordering=False, evaluation="none"), position(machine))
    assert (choice.value, choice.proved, machine.leaves) == (60, True, 1)


def test_negamax_has_no_form_for_moves_at_the_same_time() -> None:
    machine = together(((10, 90), (30, 40)))
    with pytest.raises(SimultaneousMovesError):
        list(bestmove(grown(NegamaxTree, machine), machine.initial_state(), 1, NO_CHOICE))


def test_of_random_the_mean_is_taken() -> None:
    machine = turns(((0, 100), (30, 40)), ("max", "random"))
    choice = last_choice(AlphaBeta(), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("a1", 50, True)


def test_the_depth_is_a_limit() -> None:
    machine = Counting(turns(((3, 12, 8), (2, (4, 5), 6), (14, 5, (2, 1)))))
    choice = last_choice(AlphaBeta(depth=2, evaluation="none"), position(machine))
    assert not choice.proved
    assert (choice.counts, choice.limit) == (Counts(depth=2), Limit.DEPTH)


def test_a_win_is_proved_before_the_rest_of_the_tree_is_seen() -> None:
    deep = ((((50, 50), 50), 50), 50)
    machine = turns((deep, (100, 100)))
    choices = list(AlphaBeta().search(position(machine)))
    assert (str(choices[-1].move), choices[-1].value) == ("a2", 100)
    assert choices[-1].proved
    assert choices[-1].counts == Counts(depth=2)


def test_a_loss_is_proved_and_met_with_the_move_that_looked_best() -> None:
    # Both moves lose, the second later.
    machine = turns((0, ((0, 0), (0, 0))))
    choice = last_choice(AlphaBeta(), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("a2", 0, True)


def test_the_first_choice_is_there_before_any_search() -> None:
    machine = Counting(turns(TWO_PLY))
    assert next(AlphaBeta().search(position(machine))) == Choice.first_of(constants("a1"))
    assert machine.leaves == 0


def test_what_was_found_is_kept_for_the_next_step() -> None:
    machine = Counting(turns((((3, 12), (8, 9)), ((2, 4), (14, 5)))))
    strategy = AlphaBeta(evaluation="none")
    joint_move = (last_choice(strategy, position(machine)).move, gdl.parse_term("noop"))
    seen = machine.leaves
    after = machine.next_state(machine.initial_state(), joint_move)
    assert last_choice(strategy, position(machine, state=after)).proved
    assert machine.leaves == seen
